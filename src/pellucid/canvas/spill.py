"""Spilling: a picture that is drawn as a whole, and too large to be held in memory, lies in a file without a name.

Below `draw`, which draws other pictures by bands. The pages of the memory are those of a file beside the target, so the
system writes them out when memory is short, and gives them back when the picture is saved or the process ends, however
that happens.
"""

from __future__ import annotations

import mmap
import os
from pathlib import Path

import numpy as np

from pellucid.canvas.compose import Pixels

#: Bytes of a picture from which on it is spilled: 16384 by 16384 pixels, which most machines hold several times.
MIN_BYTES = 1 << 30


def spilled(path: str | os.PathLike[str], size: tuple[int, int]) -> Pixels | None:
    """Memory for the pixels of a picture that is saved as `path`, if it is better held in a file and has space there.

    >>> spilled("a.png", (640, 480)) is None
    True
    """
    width, height = size
    count = width * height * 4
    if count < MIN_BYTES or not hasattr(os, "posix_fallocate"):
        return None
    import tempfile

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
