"""The kernels of pictures that were drawn before, found by the pictures themselves.

The verbs that draw ask here, and trace a picture once instead of each time. A picture is a function of Python: its
kernel is the right one as long as all that its functions capture is the same, which takes microseconds to ask.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from typing import NamedTuple

from ..base.captures import Captures, captures
from ..ir.prim import version
from .cache import cache
from .compiled import codes
from .frame import PictureSource
from .kernel import Kernel
from .options import Options

MAX_KNOWN = 64
"""Pictures that are remembered, of which the last drawn stay."""


class KnownKernel(NamedTuple):
    """A kernel, what its picture captured before it was traced, and the operators that there were."""

    kernel: Kernel
    captures: Captures
    version: int


class KnownKernels:
    """Kernels by picture and options, for any number of threads."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[int, Options], KnownKernel] = OrderedDict()
        self._lock = threading.Lock()

    def unlock(self) -> None:
        """Forget who holds the lock: in a forked child, that thread is not there."""
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._known)

    def get(self, source: PictureSource, options: Options) -> Kernel:
        """The kernel of a picture, which is the one of before if it would be made again just so."""
        # A kernel holds its picture, so no other one has its number meanwhile.
        key = id(source), options
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
        if known is not None and known.version == version() and known.captures.hold():
            return known.kernel
        found = captures(source)
        kernel = Kernel(source, options, now=False)
        with self._lock:
            self._known.pop(key, None)
            if found is not None:
                self._known[key] = KnownKernel(kernel, found, version())
                if len(self._known) > MAX_KNOWN:
                    self._known.popitem(last=False)
        return kernel

    def forget(self) -> None:
        """Keep nothing of what was made so far."""
        with self._lock:
            self._known.clear()


kernels = KnownKernels()
"""The kernels of the pictures that were drawn."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=kernels.unlock)


def forget() -> None:
    """Drop all code that is kept in memory, so that the next compilation is one (for measurements)."""
    kernels.forget()
    codes.forget()
    cache().forget()
