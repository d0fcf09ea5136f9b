"""TIFF: directories of classic files and of BigTIFF, and pictures in strips that threads compress.

Below `sinks` and `pyramids`. tifffile, which reads such files, takes all pixels of a page, and writes each page before
the next one.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from pellucid.canvas.bands import EFFORT, Bands, Samples

SHORT, LONG, LONG8, ASCII = 3, 4, 16, 2
_FORMATS = {SHORT: "H", LONG: "I", LONG8: "Q"}
_STRIP = 1 << 18
"""Bytes of a strip, about: readers decompress whole strips."""
_MAX_CLASSIC = (1 << 32) - (1 << 25)
"""Bytes of pixels from which on a TIFF has addresses of 64 bits: those of 32 bits reach no end of a larger one."""

Tag = tuple[int, int, Sequence[int] | bytes]
"""A tag's number, its type and its values."""


@dataclass
class Directory:
    """A directory of a TIFF: its tags in order. `big` says that addresses have 64 bits."""

    tags: list[Tag]
    big: bool = True

    def __post_init__(self) -> None:
        """Sort the tags, as readers want them."""
        self.tags.sort(key=lambda tag: tag[0])

    @property
    def _words(self) -> tuple[str, str, int]:
        """How the number of tags and an address are written, and how many bytes a tag has room for."""
        return ("Q", "Q", 8) if self.big else ("H", "I", 4)

    @property
    def size(self) -> int:
        """The bytes of the directory, with the values that lie behind it."""
        inline = self._words[2]
        behind = sum(_padded(len(data)) for data in self._data() if len(data) > inline)
        return self._head + behind

    def bytes(self, offset: int, *, last: bool = True) -> bytes:
        """The directory as it stands at an offset of the file, followed by the next one unless it is the last."""
        many, address, inline = self._words
        entries, behind = bytearray(), bytearray()
        first = offset + self._head
        for (tag, kind, values), data in zip(self.tags, self._data(), strict=True):
            held = data.ljust(inline, b"\0")
            if len(data) > inline:
                held = struct.pack(f"<{address}", first + len(behind))
                behind += data.ljust(_padded(len(data)), b"\0")
            entries += struct.pack(f"<HH{address}", tag, kind, len(values)) + held
        following = struct.pack(f"<{address}", 0 if last else first + len(behind))
        return struct.pack(f"<{many}", len(self.tags)) + bytes(entries) + following + bytes(behind)

    @property
    def _head(self) -> int:
        many, address, inline = self._words
        return struct.calcsize(f"<{many}{address}") + len(self.tags) * (4 + 2 * inline)

    def _data(self) -> Iterator[bytes]:
        for _, kind, values in self.tags:
            if isinstance(values, bytes):
                yield values
            else:
                yield struct.pack(f"<{len(values)}{_FORMATS[kind]}", *values)


def header(directory: int, *, big: bool = True) -> bytes:
    """The beginning of a file whose first directory is at an offset."""
    return (
        struct.pack("<2sHHHQ", b"II", 43, 8, 0, directory)
        if big
        else struct.pack("<2sHI", b"II", 42, directory)
    )


def picture_tags(size: tuple[int, int], dtype: np.dtype[np.generic], channels: int, alpha: str) -> list[Tag]:
    """What a directory says of deflated colors; bytes and words are differences to the pixel on the left."""
    tags: list[Tag] = [
        (256, LONG, [size[0]]),
        (257, LONG, [size[1]]),
        (258, SHORT, [8 * dtype.itemsize] * channels),
        (259, SHORT, [8]),  # Compression: deflate.
        (262, SHORT, [2]),  # PhotometricInterpretation: red, green and blue.
        (277, SHORT, [channels]),
        (284, SHORT, [1]),  # PlanarConfiguration: channels side by side.
        (317, SHORT, [1 if dtype.kind == "f" else 2]),  # Predictor.
    ]
    if channels == 4:
        tags.append((338, SHORT, [1 if alpha == "premultiplied" else 2]))  # ExtraSamples: alpha.
    if dtype.kind == "f":
        tags.append((339, SHORT, [3] * channels))  # SampleFormat: floats.
    return tags


def write_tiff(file: BinaryIO, bands: Bands, alpha: str) -> None:
    """Write a picture in strips of bytes, words or floats; the directory comes last."""
    row = bands.width * bands.channels * bands.dtype.itemsize
    big = bands.height * row > _MAX_CLASSIC
    strip = max(1, _STRIP // row)
    offsets: list[int] = []
    lengths: list[int] = []
    file.write(header(0, big=big))
    at = len(header(0, big=big))
    for strips in bands.packed(lambda rows: _strips(rows, strip), max(bands.rows // strip, 1) * strip):
        for data in strips:
            offsets.append(at)
            lengths.append(len(data))
            at += file.write(data)
    # Directories begin at even offsets.
    at += file.write(bytes(-at % 8))
    tags = [
        *picture_tags((bands.width, bands.height), bands.dtype, bands.channels, alpha),
        (273, LONG8 if big else LONG, offsets),
        (278, LONG, [strip]),
        (279, LONG, lengths),
    ]
    file.write(Directory(tags, big).bytes(at))
    file.seek(0)
    file.write(header(at, big=big))
    file.seek(0, 2)


def _strips(samples: Samples, rows: int) -> list[bytes]:
    return [deflated(samples[top : top + rows]) for top in range(0, len(samples), rows)]


def deflated(samples: Samples) -> bytes:
    """Rows as a strip or a tile holds them: whole numbers as differences to the pixel on the left."""
    plain = np.array(samples, order="C")
    if plain.dtype.kind == "u":
        plain[:, 1:] -= samples[:, :-1]
    return zlib.compress(plain.data, EFFORT)


def _padded(count: int) -> int:
    return -(-count // 8) * 8
