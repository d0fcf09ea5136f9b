"""Object code made callable: linked already, loaded from the store, or compiled now; for all makers of machine code.

The store has two kinds of values: object code under the hash of its source, and manifests (see `manifest`) under the
driver's key for the request.
"""

from __future__ import annotations

import hashlib
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ...ir.expr import Buffer
from ..port import CallingPlan, Code, CodeStore, ThreadPool
from . import manifest
from .calling import Library, MachineCode
from .loading import loaded, recalled

if TYPE_CHECKING:
    from .workers import WorkerPool


class Linking(ABC):
    """Links, and keeps, what a back end compiles."""

    store: CodeStore | None
    thread_pool: ThreadPool
    aligned = False
    """Whether code counts on arrays that begin at multiples of their elements' sizes."""

    def __init__(self) -> None:
        self._linked: weakref.WeakValueDictionary[str, Library] = weakref.WeakValueDictionary()

    @property
    @abstractmethod
    def identity(self) -> str:
        """A text of all that object code depends on besides its source."""

    @abstractmethod
    def compiled(self, text: str) -> bytes:
        """The object code of a source."""

    @abstractmethod
    def link(self, code: bytes, phases: int) -> Library:
        """Object code of so many phases made callable."""

    def workers(self) -> WorkerPool | None:
        """Threads that take bands without Python, if the back end has them."""
        return None

    def code(self, plan: CallingPlan, text: str, needs: dict[Buffer, int]) -> MachineCode:
        """The code of a source."""
        key = hashlib.sha256(f"{self.identity}\n{text}".encode()).hexdigest()

        def made() -> bytes:
            with worked_out(plan.calling.bound):
                return self.compiled(text)

        def linked_of(code: bytes) -> Library:
            return self.link(code, len(plan.phases))

        linked = self._linked.get(key)
        if linked is None:
            linked = self._linked[key] = loaded(self.store, key, made, linked_of)
        return MachineCode(
            plan.calling, needs, linked, self.thread_pool, self.workers(), key, text, aligned=self.aligned
        )

    def entry(self, code: Code, buffers: Sequence[Buffer]) -> bytes:
        """The manifest from which `recall` makes the code again; see `port.Keeping`."""
        assert isinstance(code, MachineCode)  # noqa: S101 - what `compile` makes
        return manifest.written(code.calling, code.needs, code.key, buffers)

    def recall(self, entry: bytes, buffers: Sequence[Buffer]) -> MachineCode | None:
        """The code of a manifest; see `port.Keeping`."""
        found = manifest.read(entry, buffers)
        if found is None:
            return None
        calling, needs, key = found
        linked = self._linked.get(key)
        if linked is None:
            linked = recalled(self.store, key, lambda code: self.link(code, len(calling.bands)))
            if linked is None:
                return None
            self._linked[key] = linked
        return MachineCode(
            calling, needs, linked, self.thread_pool, self.workers(), key, aligned=self.aligned
        )


@contextmanager
def worked_out(buffers: Sequence[Buffer]) -> Generator[None]:
    """Afterwards, buffers have their data: it is worked out in another thread while a compiler is at work.

    >>> import numpy as np
    >>> from ...ir import types as T
    >>> table = Buffer("table", T.u8, 3, lambda: np.arange(3, dtype=np.uint8))
    >>> with worked_out([table]):
    ...     pass
    >>> table.waits
    False
    """
    waiting = [b for b in buffers if b.waits]
    if not waiting:
        yield
        return

    def ask() -> None:
        # Whoever wants data that cannot be worked out is told so.
        with suppress(Exception):
            for b in waiting:
                _ = b.data

    thread = threading.Thread(target=ask, name="pellucid tables", daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join()
