"""Memory for instructions that are placed here: written through one mapping, and run through another one.

No page can be written to and run at the same address. What is no Linux on x86-64 has none of it. Templates of flow
graphs and flat binaries go through here.
"""

from __future__ import annotations

import mmap
import os
import platform
import sys
import threading
from functools import cache

import numpy as np

from ...base.errors import BackendError

REGION = 1 << 20
"""The bytes of a region; code that is larger gets one of its own."""


@cache
def is_possible() -> bool:
    """Whether this is a processor and a system that there is such memory for."""
    return platform.machine() == "x86_64" and sys.platform == "linux" and hasattr(os, "memfd_create")


class _Region:
    """Pages that live as long as something refers to them."""

    def __init__(self, size: int) -> None:
        self.size, self.used = size, 0
        file = os.memfd_create("pellucid", os.MFD_CLOEXEC)
        try:
            os.ftruncate(file, size)
            self.written = mmap.mmap(file, size, prot=mmap.PROT_READ | mmap.PROT_WRITE)
            self.run = mmap.mmap(file, size, prot=mmap.PROT_READ | mmap.PROT_EXEC)
        finally:
            os.close(file)
        self.bytes = np.frombuffer(self.run, np.uint8)
        self.first = int(self.bytes.ctypes.data)


_lock = threading.Lock()
_current: _Region | None = None


def _begin_anew() -> None:
    """Leave the region to the process that this one is a copy of: both see the same memory, and both would write."""
    global _lock, _current
    _lock, _current = threading.Lock(), None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


def placed(code: bytes, alignment: int = 16) -> tuple[int, object]:
    """The address of instructions, a multiple of some bytes, and what their memory lives as long as.

    Raises BackendError where the system gives no memory to run code in.
    """
    global _current
    with _lock:
        region = _current
        try:
            start = 0 if region is None else -(-region.used // alignment) * alignment
            if region is None or start + len(code) > region.size:
                region, start = _Region(max(REGION, -(-len(code) // mmap.PAGESIZE) * mmap.PAGESIZE)), 0
        except OSError as problem:
            raise BackendError(
                f"no memory to run code in: {problem}", place="machine code", fix="use another tier"
            ) from problem
        region.written[start : start + len(code)] = code
        region.used = start + len(code)
        _current = region
    return region.first + start, region
