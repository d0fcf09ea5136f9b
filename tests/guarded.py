"""Memory between two pages that nobody may touch: a read or a write outside of it ends the test run."""

from __future__ import annotations

import ctypes
import mmap

import numpy as np


class Guarded:
    """Bytes between two such pages, at the end of their own pages or at the beginning."""

    def __init__(self, size: int, *, at_end: bool) -> None:
        page = mmap.PAGESIZE
        pages = -(-max(size, 1) // page)
        self.map = mmap.mmap(-1, (pages + 2) * page)
        whole = np.frombuffer(self.map, np.uint8)
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        begin = whole.__array_interface__["data"][0]
        for at in (0, pages + 1):
            assert libc.mprotect(begin + at * page, page, 0) == 0
        start = (pages + 1) * page - size if at_end else page
        self.bytes = whole[start : start + size]
