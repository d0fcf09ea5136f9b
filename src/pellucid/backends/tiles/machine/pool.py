"""Workspace pool: memory of released workspaces, which the next tape reuses.

The first access to a page costs more than the work of a frame on it. Pages are small, because most of a workspace is
never accessed.
"""

from __future__ import annotations

import mmap
import weakref
from typing import Any

import numpy as np

from ....base.errors import BackendError

MAX_KEPT, MAX_KEPT_BYTES = 3, 1 << 28
"""Maximum blocks that are kept, as many as a tape has, and maximum bytes of one, accessed or not."""
_kept: list[mmap.mmap] = []


class WorkspaceBlock:
    """Workspaces of so many bytes each: `rows` of uninitialized memory.

    Raises BackendError where there is no memory for them.

    >>> WorkspaceBlock(2, 4096).rows.shape
    (2, 4096)
    """

    def __init__(self, count: int, size: int) -> None:
        memory = _taken(count * size)
        self.rows: np.ndarray[Any, Any] = np.frombuffer(memory, np.uint8, count * size).reshape(count, size)
        weakref.finalize(self, _keep, memory).atexit = False


def _taken(size: int) -> mmap.mmap:
    """The smallest kept memory that is large enough, or new memory with room for a longer tape."""
    # Another thread may take it meanwhile: the one that removes it from the list owns it.
    for memory in sorted(_kept, key=len):
        if len(memory) >= size:
            try:
                _kept.remove(memory)
            except ValueError:
                continue
            return memory
    try:
        return mmap.mmap(-1, size + size // 4 + 1, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError:
        raise BackendError(
            f"needs {size} bytes, which there are not", place="a tape", fix="compile it by LLVM"
        ) from None


def _keep(memory: mmap.mmap) -> None:
    if len(memory) <= MAX_KEPT_BYTES:
        _kept.append(memory)
        del _kept[:-MAX_KEPT]
