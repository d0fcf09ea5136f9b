"""Pictures in one file, with smaller ones in it: BigTIFF in tiles, in the layout of a Cloud Optimized GeoTIFF.

Below `store`, whose shards it reads once they are finished. All directories come before all tiles, and small levels
before large ones, so that a reader finds its way with one request. tifffile reads such files, and writes each page
before the next one, so they are written here.
"""

from __future__ import annotations

import struct
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pellucid.base.errors import installed
from pellucid.canvas.compose import Pixels
from pellucid.canvas.shards import CHANNELS, Manifest, ShardPlace

_SHORT, _LONG, _LONG8, _ASCII = 3, 4, 16, 2
_FORMATS = {_SHORT: "H", _LONG: "I", _LONG8: "Q"}
_HEADER = struct.pack("<2sHHHQ", b"II", 43, 8, 0, 16)
_ENTRY, _INLINE = 20, 8
#: The level of zlib, as that of PNG: a third of the time of its own default, for files about a fifth larger.
_EFFORT = 4
MULTIPLE = 16
"""Sides of tiles are multiples of it in TIFF."""


def write_pyramid(
    file: BinaryIO,
    manifest: Manifest,
    pixels_of: Callable[[ShardPlace], Pixels],
    description: str,
    *,
    threads: int,
    progress: Callable[[int], None],
) -> None:
    """Write the levels of a store as one TIFF; `progress` is told the number of shards done.

    `pixels_of` gives the pixels of a shard, of shape (height, width, 4). A few shards are held in memory for each
    thread, whatever the size of the picture.
    """
    grids = [_Grid.of(manifest, level) for level in range(manifest.levels)]
    directories = [
        _directory(grid, manifest.alpha, None if level else description) for level, grid in enumerate(grids)
    ]
    file.write(_HEADER)
    file.write(bytes(sum(each.size for each in directories)))
    # Small levels first, from the last one to the first.
    places = [place for level in reversed(range(manifest.levels)) for place in manifest.places(level)]
    for done, (place, tiles) in enumerate(_compressed(places, manifest, pixels_of, threads), 1):
        grid = grids[place.level]
        for left, top, data in tiles:
            at = grid.at(left, top)
            grid.offsets[at], grid.lengths[at] = file.tell(), len(data)
            file.write(data)
        progress(done)
    offset = file.seek(len(_HEADER))
    for each in directories:
        file.write(each.bytes(offset, last=each is directories[-1]))
        offset += each.size


def description_of(path: Path) -> str | None:
    """The description that a TIFF holds, or None for what is no TIFF. Raises MissingExtraError without tifffile."""
    with installed("tifffile", extra="scale"):
        import tifffile
    library: Any = tifffile
    try:
        with library.TiffFile(str(path)) as found:
            return str(found.pages[0].description)
    except (library.TiffFileError, OSError, ValueError, IndexError, struct.error):
        return None


@dataclass
class _Grid:
    """The tiles of a level, row after row: where each one lies in the file, and its length."""

    width: int
    height: int
    side: int
    offsets: list[int]
    lengths: list[int]

    @classmethod
    def of(cls, manifest: Manifest, level: int) -> _Grid:
        """The tiles of a level, none of them written."""
        width, height = manifest.sides(level)
        count = -(-width // manifest.chunk) * -(-height // manifest.chunk)
        return cls(width, height, manifest.chunk, [0] * count, [0] * count)

    def at(self, left: int, top: int) -> int:
        """The number of the tile of a pixel."""
        return top // self.side * -(-self.width // self.side) + left // self.side


@dataclass
class _Directory:
    """A directory of a TIFF: its tags in order, each with its type and values."""

    tags: list[tuple[int, int, Sequence[int] | bytes]]

    @property
    def size(self) -> int:
        """The bytes of the directory, with the values that lie behind it."""
        behind = sum(_padded(len(data)) for data in self._data() if len(data) > _INLINE)
        return 8 + _ENTRY * len(self.tags) + 8 + behind

    def bytes(self, offset: int, *, last: bool) -> bytes:
        """The directory as it stands at an offset of the file, followed by the next one unless it is the last."""
        entries, behind = bytearray(), bytearray()
        first = offset + 8 + _ENTRY * len(self.tags) + 8
        for (tag, kind, values), data in zip(self.tags, self._data(), strict=True):
            field = data.ljust(_INLINE, b"\0")
            if len(data) > _INLINE:
                field = struct.pack("<Q", first + len(behind))
                behind += data.ljust(_padded(len(data)), b"\0")
            entries += struct.pack("<HHQ", tag, kind, len(values)) + field
        following = 0 if last else first + len(behind)
        return (
            struct.pack("<Q", len(self.tags)) + bytes(entries) + struct.pack("<Q", following) + bytes(behind)
        )

    def _data(self) -> Iterator[bytes]:
        for _, kind, values in self.tags:
            if isinstance(values, bytes):
                yield values
            else:
                yield struct.pack(f"<{len(values)}{_FORMATS[kind]}", *values)


def _padded(count: int) -> int:
    return -(-count // 8) * 8


def _directory(grid: _Grid, alpha: str, description: str | None) -> _Directory:
    """The directory of a level; the whole picture has a description, and the others are smaller pictures of it."""
    samples = [8] * CHANNELS
    tags: list[tuple[int, int, Sequence[int] | bytes]] = [
        (254, _LONG, [int(description is None)]),  # NewSubfileType: a smaller picture of another page.
        (256, _LONG, [grid.width]),
        (257, _LONG, [grid.height]),
        (258, _SHORT, samples),
        (259, _SHORT, [8]),  # Compression: deflate.
        (262, _SHORT, [2]),  # PhotometricInterpretation: red, green and blue.
        (277, _SHORT, [CHANNELS]),
        (284, _SHORT, [1]),  # PlanarConfiguration: channels side by side.
        (317, _SHORT, [2]),  # Predictor: differences to the pixel on the left.
        (322, _LONG, [grid.side]),
        (323, _LONG, [grid.side]),
        (324, _LONG8, grid.offsets),
        (325, _LONG, grid.lengths),
        (338, _SHORT, [1 if alpha == "premultiplied" else 2]),  # ExtraSamples: alpha.
    ]
    if description is not None:
        tags.append((270, _ASCII, description.encode("ascii") + b"\0"))
    return _Directory(sorted(tags, key=lambda tag: tag[0]))


def _compressed(
    places: Sequence[ShardPlace],
    manifest: Manifest,
    pixels_of: Callable[[ShardPlace], Pixels],
    threads: int,
) -> Iterator[tuple[ShardPlace, list[tuple[int, int, bytes]]]]:
    """The tiles of each shard with their left and top pixels, compressed by threads, in the order of the shards."""

    def tiles(place: ShardPlace) -> list[tuple[int, int, bytes]]:
        left, top, width, height = manifest.part(place)
        pixels, side = pixels_of(place), manifest.chunk
        corners = [(x, y) for y in range(0, height, side) for x in range(0, width, side)]
        return [(left + x, top + y, _packed(pixels[y : y + side, x : x + side], side)) for x, y in corners]

    waiting: deque[tuple[ShardPlace, Future[list[tuple[int, int, bytes]]]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for place in places:
                waiting.append((place, pool.submit(tiles, place)))
                if len(waiting) > threads:
                    first, made = waiting.popleft()
                    yield first, made.result()
            while waiting:
                first, made = waiting.popleft()
                yield first, made.result()
        finally:
            for _, made in waiting:
                made.cancel()


def _packed(pixels: Pixels, side: int) -> bytes:
    """A tile as the file holds it: differences along rows, deflated; beyond the picture it is zero."""
    height, width, _ = pixels.shape
    tile = np.zeros((side, side, CHANNELS), np.uint8)
    tile[:height, :width] = pixels
    tile[:, 1:] -= tile[:, :-1].copy()
    return zlib.compress(tile.data, _EFFORT)
