"""The C back end: placed nests as standalone C99, to be run here through the machine's compiler or taken elsewhere."""

from __future__ import annotations

import hashlib
import weakref

from ...ir.nest import Kernel
from ..calling import Library, MachineCode
from ..port import Crew, Ranges, Store, alone, layout
from .compiler import Compiler, find_compiler, load
from .module import callable_source, export

__all__ = ["CBackend", "export"]


class CBackend:
    """Compiles nests by the C compiler; `store` keeps libraries between runs, `crew` runs bands side by side.

    Raises BackendError when something is to be compiled and there is no C compiler.
    """

    name = "c"

    def __init__(self, store: Store | None = None, crew: Crew = alone) -> None:
        self.store, self.crew = store, crew
        self._linked: weakref.WeakValueDictionary[str, Library] = weakref.WeakValueDictionary()

    @property
    def compiler(self) -> Compiler:
        """The compiler that it runs."""
        return find_compiler()

    def text(self, kernel: Kernel, ranges: Ranges) -> str:
        """The C source of a kernel, as it is compiled here."""
        return callable_source(layout(kernel, ranges), ranges)[0]

    def compile(self, kernel: Kernel, ranges: Ranges) -> MachineCode:
        """The code of a placed nest; see `port.Backend`."""
        plan = layout(kernel, ranges)
        text, needs = callable_source(plan, ranges)
        return MachineCode(plan, text, needs, self._library(text, len(plan.phases)), self.crew)

    def _library(self, text: str, phases: int) -> Library:
        """The loaded library of a source: loaded already, kept in the store, or compiled now."""
        key = hashlib.sha256(f"{self.compiler.identity}\n{text}".encode()).hexdigest()
        found = self._linked.get(key)
        if found is None:
            code = self.store.get(key) if self.store is not None else None
            if code is None:
                code = self.compiler.compile(text)
                if self.store is not None:
                    self.store.put(key, code)
            found = self._linked[key] = load(code, phases)
        return found
