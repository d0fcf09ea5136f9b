"""PNG files of 8 and 16 bits to a sample, by bands that threads compress (W3C, PNG third edition).

Below `sinks`, above `bands`. Pillow compresses by one thread, and takes all pixels. Here the streams of bands follow
each other in one stream: each ends at a byte, and none refers to those before it.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from pellucid.base.atomic import atomic_write
from pellucid.base.opening import opened
from pellucid.canvas.bands import EFFORT, Bands, Samples
from pellucid.canvas.compose import Pixels, compact

_STREAM = b"\x78\x5e"
"""How a zlib stream begins (RFC 1950): deflate, with a window of 32 KiB."""
_END = b"\x03\x00"
"""An empty last block of a deflate stream (RFC 1951)."""
_MODULUS = 65521
_HEADER_BYTES = 33
"""The signature of a PNG file and its first chunk, which tells the size."""
_PIECE = 1 << 18
"""Bytes that are filtered at a time, so that they stay in a cache."""


class _Deflated(NamedTuple):
    """A band: its compressed bytes, and of its plain ones the checksum and the number."""

    data: bytes
    adler: int
    length: int


def write_png(file: BinaryIO, bands: Bands) -> None:
    """Write a picture of bytes or of 16-bit words, of three or four channels."""
    deep = bands.dtype.itemsize == 2
    kind = 2 if bands.channels == 3 else 6
    file.write(b"\x89PNG\r\n\x1a\n")
    header = struct.pack(">IIBBBBB", bands.width, bands.height, 16 if deep else 8, kind, 0, 0, 0)
    file.write(_chunk(b"IHDR", header))
    adler, begin = 1, _STREAM
    for band in bands.packed(_deflated):
        file.write(_chunk(b"IDAT", begin + band.data))
        adler, begin = _joined(adler, band.adler, band.length), b""
    file.write(_chunk(b"IDAT", _END + struct.pack(">I", adler)))
    file.write(_chunk(b"IEND", b""))


def add_text(path: Path, keyword: str, text: str) -> None:
    r"""Put a text into a PNG file by a keyword, before the pixels, where those who look for it find it soon.

    Raises FileError if the file cannot be read or written; then it stays as it was. The chunk is iTXt of the W3C's PNG
    specification, third edition, 11.3.3.3.

    >>> import tempfile
    >>> import pellucid as pl
    >>> from pellucid import images as im
    >>> path = Path(tempfile.mkdtemp()) / "red.png"
    >>> pl.save(im.const(im.red), path, (2, 1))
    >>> add_text(path, "Title", "Red")
    >>> b"Title\0\0\0\0\0Red" in path.read_bytes()
    True
    """
    import shutil

    body = keyword.encode("latin-1") + b"\0\0\0\0\0" + text.encode("utf-8", "replace")
    with opened(path) as file, atomic_write(path) as made:
        made.write(file.read(_HEADER_BYTES))
        made.write(_chunk(b"iTXt", body))
        shutil.copyfileobj(file, made)


def _deflated(samples: Samples) -> _Deflated:
    height, width, channels = samples.shape
    deep = samples.dtype.itemsize == 2
    step = channels * samples.dtype.itemsize
    packer = zlib.compressobj(EFFORT, zlib.DEFLATED, -zlib.MAX_WBITS)
    made: list[bytes] = []
    adler, rows = 1, max(1, _PIECE // (width * step))
    above: Pixels | None = None
    for top in range(0, height, rows):
        piece = samples[top : top + rows]
        plain = piece.astype(">u2").view(np.uint8) if deep else compact(piece)
        plain = plain.reshape(-1, width * step)
        data = _filtered(plain, step, above)
        above = plain[-1]
        adler = zlib.adler32(data.data, adler)
        made.append(packer.compress(data.data))
    made.append(packer.flush(zlib.Z_SYNC_FLUSH))
    return _Deflated(b"".join(made), adler, height * (1 + width * step))


def _filtered(plain: Pixels, step: int, above: Pixels | None) -> Pixels:
    """Rows of bytes as the file has them: each as it is, as differences to the left, or to the row above.

    The way is the one whose bytes have the least sum as signed numbers (section 12.8). Of a first row nothing is known
    of the one above, which another band has.
    """
    left, up = plain.copy(), plain.copy()
    left[:, step:] -= plain[:, :-step]
    up[1:] -= plain[:-1]
    if above is not None:
        up[0] -= above
    ways = (plain, left, up)
    # Sums of 32 bits are made in half the time of those of 64, and are large enough for most rows.
    total = np.uint32 if plain.shape[1] < 1 << 24 else np.uint64
    costs = np.stack([np.abs(way.view(np.int8)).view(np.uint8).sum(1, dtype=total) for way in ways])
    if above is None:
        costs[2, 0] = np.iinfo(total).max
    chosen = costs.argmin(axis=0)
    made = np.empty((len(plain), 1 + plain.shape[1]), np.uint8)
    made[:, 0] = chosen
    for k, way in enumerate(ways):
        mine = chosen == k
        made[mine, 1:] = way[mine]
    return made


def _joined(one: int, other: int, length: int) -> int:
    """The Adler-32 of two runs of bytes, of those of each, where the second has that length (RFC 1950).

    >>> _joined(zlib.adler32(b"pel"), zlib.adler32(b"lucid"), 5) == zlib.adler32(b"pellucid")
    True
    """
    (a, b), (c, d) = ((sum_ & 0xFFFF, sum_ >> 16) for sum_ in (one, other))
    return (b + d + length * (a - 1)) % _MODULUS << 16 | (a + c - 1) % _MODULUS


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
