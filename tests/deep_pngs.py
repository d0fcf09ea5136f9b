"""A writer of PNG files of 16 bits to a sample, by the words of the standard: every filter, interlaced or not."""

from __future__ import annotations

import itertools
import struct
import zlib
from collections.abc import Iterable, Sequence

import numpy as np

COLOR = {1: 0, 3: 2, 2: 4, 4: 6}
"""The type of color for each number of samples."""
ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def chunk(name: bytes, body: bytes) -> bytes:
    """A chunk."""
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def predicted(kind: int, left: int, up: int, corner: int) -> int:
    """What a filter takes off a byte (section 9.2)."""
    if kind == 4:
        guess = left + up - corner
        return min((left, up, corner), key=lambda near: abs(guess - near))
    return (0, left, up, (left + up) // 2)[kind % 5]


def filtered(rows: np.ndarray, kinds: Iterable[int]) -> bytes:
    """Rows of pixels of bytes, each row filtered in its way."""
    made, step = bytearray(), rows.shape[2]
    above = bytes(rows.shape[1] * step)
    for row, kind in zip(rows, kinds, strict=False):
        line = row.tobytes()
        made.append(kind)
        for at, byte in enumerate(line):
            left, corner = (line[at - step], above[at - step]) if at >= step else (0, 0)
            made.append((byte - predicted(kind, left, above[at], corner)) % 256)
        above = line
    return bytes(made)


def deep_png(
    words: np.ndarray,
    *,
    interlaced: bool = False,
    kinds: Sequence[int] = (0, 1, 2, 3, 4),
    more: Iterable[tuple[bytes, bytes]] = (),
) -> bytes:
    """A file of words, rows by columns by samples; `kinds` are the filters of its rows in turn, `more` other chunks."""
    height, width, count = words.shape
    rows = words.astype(">u2").view(np.uint8).reshape(height, width, 2 * count)
    parts = [rows[y::dy, x::dx] for x, y, dx, dy in (ADAM7 if interlaced else ((0, 0, 1, 1),))]
    data = b"".join(filtered(part, itertools.cycle(kinds)) for part in parts if part.size)
    header = struct.pack(">IIBBBBB", width, height, 16, COLOR[count], 0, 0, interlaced)
    packed = zlib.compress(data)
    middle = len(packed) // 2
    chunks = (b"IHDR", header), *more, (b"IDAT", packed[:middle]), (b"IDAT", packed[middle:]), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*one) for one in chunks)
