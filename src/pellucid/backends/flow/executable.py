"""Memory for instructions that were assembled here: written through one mapping, and run through another one.

No page can be written to and run at the same address. What is no Linux on x86-64 has none of it.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import platform
import sys
import threading
from functools import cache
from typing import Any

import numpy as np

from ...base.errors import BackendError

REGION = 1 << 20
"""The bytes of a region; code that is larger gets one of its own."""
SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)


@cache
def is_possible() -> bool:
    """Whether this is a processor and a system that templates are for."""
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


def loaded(code: bytes) -> tuple[Any, object]:
    """A function of assembled code, and what its memory lives as long as.

    Raises BackendError where the system gives no memory to run code in.
    """
    global _current
    with _lock:
        region = _current
        try:
            if region is None or region.used + len(code) > region.size:
                region = _Region(max(REGION, -(-len(code) // mmap.PAGESIZE) * mmap.PAGESIZE))
        except OSError as problem:
            raise BackendError(
                f"no memory to run code in: {problem}", place="templates", fix="use another tier"
            ) from problem
        start = region.used
        region.written[start : start + len(code)] = code
        region.used = start + -(-len(code) // 16) * 16
        _current = region
    return SIGNATURE(region.first + start), region
