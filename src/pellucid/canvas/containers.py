"""Moving pictures as files: APNG, GIF, WebP and NPY, written one frame at a time in constant memory.

Below `sinks`, which compresses each frame as a still file with Pillow. A container takes such a still apart,
keeps its compressed pixels and strings them together with its own timing. Nothing here knows Pillow.

A frame is shown from frame number `start` up to `stop`, so that equal frames are stored once; times are
rounded from the beginning of the film, so that rounding never adds up.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from fractions import Fraction
from typing import BinaryIO, Protocol

from pellucid.base.errors import InputError
from pellucid.base.record import record


@record
class FrameRectangle:
    """A compressed rectangle of a frame: `data` is a still file whose upper left corner goes to (`x`, `y`).

    `clear` asks that the rectangle be emptied after it was shown; `hole` is the palette entry that shows through.
    """

    data: bytes
    x: int = 0
    y: int = 0
    clear: bool = False
    hole: int | None = None


class Container(Protocol):
    """A moving picture file being written."""

    def add(self, piece: FrameRectangle, start: int, stop: int) -> None:
        """Store a piece that is shown from frame `start` up to, not including, frame `stop`."""
        ...

    def close(self) -> None:
        """Write what follows the last frame."""
        ...


def ticks(start: int, stop: int, rate: Fraction, per_second: int) -> int:
    """The number of `per_second`-ths of a second that frames `start` to `stop` last at `rate` frames per second.

    >>> [ticks(i, i + 1, Fraction(30), 100) for i in range(6)]
    [3, 4, 3, 3, 4, 3]
    """
    half = Fraction(1, 2)
    return int(stop * per_second / rate + half) - int(start * per_second / rate + half)


# --- APNG ----------------------------------------------------------------------------------------------------------

_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


class Apng:
    """An animated PNG: the first frame is an ordinary PNG that any reader shows."""

    def __init__(self, file: BinaryIO, size: tuple[int, int], rate: Fraction, *, loop: bool) -> None:
        self._file = file
        self._size = size
        self._rate = rate
        self._loops = 0 if loop else 1
        self._frames = 0
        self._sequence = 0
        self._count_at = 0

    def add(self, piece: FrameRectangle, start: int, stop: int) -> None:
        """Store a PNG; all of them have the same kind of pixels, the first one is whole."""
        chunks = list(_png_chunks(piece.data))
        header = next(body for name, body in chunks if name == b"IHDR")
        if self._frames == 0:
            self._file.write(_PNG_SIGNATURE)
            self._chunk(b"IHDR", header)
            # The number of frames is known at the end: `close` writes this chunk again.
            self._count_at = self._file.tell()
            self._chunk(b"acTL", struct.pack(">II", 0, self._loops))
        width, height = struct.unpack(">II", header[:8])
        delay = _short_fraction((stop - start) / self._rate)
        place = struct.pack(">IIIII", self._next(), width, height, piece.x, piece.y)
        self._chunk(b"fcTL", place + struct.pack(">HHBB", delay.numerator, delay.denominator, 0, 0))
        for name, body in chunks:
            if name == b"IDAT" and self._frames == 0:
                self._chunk(b"IDAT", body)
            elif name == b"IDAT":
                self._chunk(b"fdAT", struct.pack(">I", self._next()) + body)
        self._frames += 1

    def close(self) -> None:
        """Write the end and the number of frames."""
        self._chunk(b"IEND", b"")
        self._file.seek(self._count_at)
        self._chunk(b"acTL", struct.pack(">II", self._frames, self._loops))
        self._file.seek(0, io.SEEK_END)

    def _next(self) -> int:
        self._sequence += 1
        return self._sequence - 1

    def _chunk(self, name: bytes, body: bytes) -> None:
        self._file.write(
            struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        )


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(_PNG_SIGNATURE)
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        yield data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        at += length + 12


def _short_fraction(seconds: Fraction) -> Fraction:
    """The nearest fraction of which both parts fit in 16 bits."""
    limit = 65_535
    if seconds > limit:
        return Fraction(limit)
    denominators = limit if seconds <= 1 else max(int(limit / seconds), 1)
    return seconds.limit_denominator(denominators)


# --- GIF -----------------------------------------------------------------------------------------------------------


class Gif:
    """An animated GIF: every frame has its own palette, times are in hundredths of a second."""

    def __init__(self, file: BinaryIO, size: tuple[int, int], rate: Fraction, *, loop: bool) -> None:
        self._file = file
        self._rate = rate
        file.write(b"GIF89a" + struct.pack("<HHBBB", *size, 0x70, 0, 0))
        if loop:
            file.write(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")

    def add(self, piece: FrameRectangle, start: int, stop: int) -> None:
        """Store a GIF of one frame."""
        width, height, palette, pixels = _gif_parts(piece.data)
        bits = max((len(palette) // 3 - 1).bit_length(), 1)
        palette = palette.ljust(3 << bits, b"\0")
        # Disposal 1 leaves the frame in place, 2 empties its rectangle.
        flags = (2 if piece.clear else 1) << 2 | (piece.hole is not None)
        delay = min(ticks(start, stop, self._rate, 100), 65_535)
        self._file.write(b"\x21\xf9\x04" + struct.pack("<BHBB", flags, delay, piece.hole or 0, 0))
        self._file.write(b"\x2c" + struct.pack("<HHHHB", piece.x, piece.y, width, height, 0x80 | (bits - 1)))
        self._file.write(palette + pixels)

    def close(self) -> None:
        """Write the end."""
        self._file.write(b"\x3b")


def _gif_parts(data: bytes) -> tuple[int, int, bytes, bytes]:
    """Width, height, palette and compressed pixels of a GIF of one frame."""
    flags = data[10]
    at = 13
    palette = b""
    if flags & 0x80:
        palette = data[at : at + (6 << (flags & 7))]
        at += len(palette)
    while data[at] == 0x21:
        at = _after_blocks(data, at + 2)
    width, height, flags = struct.unpack_from("<HHB", data, at + 5)
    at += 10
    if flags & 0x80:
        palette = data[at : at + (6 << (flags & 7))]
        at += len(palette)
    return width, height, palette, data[at : _after_blocks(data, at + 1)]


def _after_blocks(data: bytes, at: int) -> int:
    while data[at]:
        at += data[at] + 1
    return at + 1


# --- WebP ----------------------------------------------------------------------------------------------------------


class WebP:
    """An animated WebP: times are in thousandths of a second, rectangles begin at even coordinates."""

    def __init__(self, file: BinaryIO, size: tuple[int, int], rate: Fraction, *, loop: bool) -> None:
        self._file = file
        self._rate = rate
        file.write(b"RIFF\0\0\0\0WEBP")
        moving_with_alpha = 0x12
        self._chunk(b"VP8X", struct.pack("<I", moving_with_alpha) + _three(size[0] - 1) + _three(size[1] - 1))
        self._chunk(b"ANIM", struct.pack("<IH", 0, 0 if loop else 1))

    def add(self, piece: FrameRectangle, start: int, stop: int) -> None:
        """Store a WebP of one frame."""
        if piece.x % 2 or piece.y % 2:
            raise InputError(f"a frame of a WebP begins at even coordinates, not ({piece.x}, {piece.y})")
        width, height = _webp_size(piece.data)
        duration = min(ticks(start, stop, self._rate, 1000), 0xFFFFFF)
        replace = b"\x02"
        body = b"".join(
            _three(number) for number in (piece.x // 2, piece.y // 2, width - 1, height - 1, duration)
        )
        pixels = b"".join(
            name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
            for name, data in _webp_chunks(piece.data)
            if name in (b"ALPH", b"VP8 ", b"VP8L")
        )
        self._chunk(b"ANMF", body + replace + pixels)

    def close(self) -> None:
        """Write the length of the whole."""
        length = self._file.tell() - 8
        self._file.seek(4)
        self._file.write(struct.pack("<I", length))
        self._file.seek(0, io.SEEK_END)

    def _chunk(self, name: bytes, body: bytes) -> None:
        self._file.write(name + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2))


def _three(number: int) -> bytes:
    return struct.pack("<I", number)[:3]


def _webp_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 12
    while at + 8 <= len(data):
        (length,) = struct.unpack_from("<I", data, at + 4)
        yield data[at : at + 4], data[at + 8 : at + 8 + length]
        at += 8 + length + length % 2


def _webp_size(data: bytes) -> tuple[int, int]:
    for name, body in _webp_chunks(data):
        if name == b"VP8L":
            (packed,) = struct.unpack_from("<I", body, 1)
            return (packed & 0x3FFF) + 1, (packed >> 14 & 0x3FFF) + 1
        if name == b"VP8 ":
            width, height = struct.unpack_from("<HH", body, 6)
            return width & 0x3FFF, height & 0x3FFF
    raise InputError("a WebP without pixels")


# --- NPY -----------------------------------------------------------------------------------------------------------


class Npy:
    """A NumPy file of shape (frames, height, width, 4): the raw pixels of every frame."""

    def __init__(self, file: BinaryIO, size: tuple[int, int], rate: Fraction, *, loop: bool) -> None:
        del rate, loop  # the file holds pixels only
        self._file = file
        self._size = size
        self._frames = 0
        self._header()

    def add(self, piece: FrameRectangle, start: int, stop: int) -> None:
        """Store the bytes of a whole frame, as often as it is shown."""
        for _ in range(start, stop):
            self._file.write(piece.data)
        self._frames += stop - start

    def close(self) -> None:
        """Write the number of frames."""
        self._file.seek(0)
        self._header()
        self._file.seek(0, io.SEEK_END)

    def _header(self) -> None:
        shape = (self._frames, self._size[1], self._size[0], 4)
        text = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}"
        # Padded to a fixed length, so that the number of frames can be filled in at the end.
        self._file.write(
            b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + text.ljust(117).encode("ascii") + b"\n"
        )
