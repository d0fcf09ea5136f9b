"""Workspace pool: memory for workspaces, of which most is never touched, reused by the next tape.

Touching a page for the first time costs more than what a frame does with it, so memory that one tape has released is
kept for the next one. Pages are small: hardly any of a large page would be used.
"""

from __future__ import annotations

import mmap
import weakref
from typing import Any

import numpy as np

from ....base.errors import BackendError

MAX_KEPT, MAX_KEPT_BYTES = 3, 1 << 28
"""How many blocks are kept, those of one tape; and of how many bytes, used or not."""
_kept: list[mmap.mmap] = []


class WorkspaceBlock:
    """Workspaces of so many bytes each, in `rows` one after the other; anything may stand in them.

    Raises BackendError where there is no memory for them.

    >>> Block(2, 4096).rows.shape
    (2, 4096)
    """

    def __init__(self, count: int, size: int) -> None:
        memory = _taken(count * size)
        self.rows: np.ndarray[Any, Any] = np.frombuffer(memory, np.uint8, count * size).reshape(count, size)
        weakref.finalize(self, _keep, memory).atexit = False


def _taken(size: int) -> mmap.mmap:
    """The smallest kept memory that is large enough; new memory, if there is none, leaves room for a longer tape."""
    # Another thread may take one meanwhile: whoever has removed it from the list has it.
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
