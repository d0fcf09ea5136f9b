"""Spilling: a picture too large to be held in memory lies in a file without a name while it is saved.

Below `draw`. Its pages are those of a file beside the target, so the system writes them out when memory is short, and
gives them back when the picture is saved or the process ends, however that happens.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from pathlib import Path

import numpy as np

from pellucid.canvas.compose import Pixels
from pellucid.canvas.formats import Look

#: Bytes of a picture from which on it is spilled: 16384 by 16384 pixels, which most machines hold several times.
MIN_BYTES = 1 << 30
#: Formats that are written row by row, from the pixels themselves.
_BY_ROWS = ("PNG", "NPY")


def is_by_rows(look: Look) -> bool:
    """Whether a picture is saved without a copy of all its pixels."""
    return look.format.name in _BY_ROWS and look.backed() is None


def spilled(path: str | os.PathLike[str], size: tuple[int, int], look: Look) -> Pixels | None:
    """Memory for the pixels of a picture that is saved as `path`, if it is better held in a file and has space there.

    >>> from pellucid.canvas.formats import format_of
    >>> spilled("a.png", (640, 480), Look(format_of("a.png"))) is None
    True
    """
    width, height = size
    count = width * height * 4
    if count < MIN_BYTES or not is_by_rows(look) or not hasattr(os, "posix_fallocate"):
        return None
    folder = Path(os.path.realpath(os.fsdecode(path))).parent
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            # Space that is there: a page that cannot be written out later would end the process.
            os.posix_fallocate(file.fileno(), 0, count)
            memory = mmap.mmap(file.fileno(), count)
    except OSError:
        # Without space on the disk it is held in memory, if that has space; else whoever asked says so.
        return None
    return np.frombuffer(memory, np.uint8).reshape(height, width, 4)
