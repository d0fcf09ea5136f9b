"""Pictures in one file, with smaller ones in it: BigTIFF in tiles, in the layout of a Cloud Optimized GeoTIFF.

Below `store`, whose shards it reads once they are finished. All directories come before all tiles, and small levels
before large ones, so that a reader finds its way with one request.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pellucid.base.errors import installed
from pellucid.canvas.bands import in_order
from pellucid.canvas.compose import Pixels
from pellucid.canvas.shards import CHANNELS, Manifest, ShardPlace
from pellucid.canvas.tiff import ASCII, LONG, LONG8, Directory, deflated, header, picture_tags

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
    offset = len(header(0))
    file.write(header(offset))
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
    file.seek(offset)
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


def _directory(grid: _Grid, alpha: str, description: str | None) -> Directory:
    """The directory of a level; the whole picture has a description, and the others are smaller pictures of it."""
    tags = [
        *picture_tags((grid.width, grid.height), np.dtype(np.uint8), CHANNELS, alpha),
        (254, LONG, [int(description is None)]),  # NewSubfileType: a smaller picture of another page.
        (322, LONG, [grid.side]),
        (323, LONG, [grid.side]),
        (324, LONG8, grid.offsets),
        (325, LONG, grid.lengths),
    ]
    if description is not None:
        tags.append((270, ASCII, description.encode("ascii") + b"\0"))
    return Directory(tags)


def _compressed(
    places: Sequence[ShardPlace],
    manifest: Manifest,
    pixels_of: Callable[[ShardPlace], Pixels],
    threads: int,
) -> Iterator[tuple[ShardPlace, list[tuple[int, int, bytes]]]]:
    """The tiles of each shard with their left and top pixels, compressed by threads, in the order of the shards."""

    def tiles(place: ShardPlace) -> tuple[ShardPlace, list[tuple[int, int, bytes]]]:
        left, top, width, height = manifest.part(place)
        pixels, side = pixels_of(place), manifest.chunk
        corners = [(x, y) for y in range(0, height, side) for x in range(0, width, side)]
        cut = [(x, y, pixels[y : y + side, x : x + side]) for x, y in corners]
        return place, [(left + x, top + y, deflated(_filled(tile, side))) for x, y, tile in cut]

    return in_order(tiles, places, threads)


def _filled(pixels: Pixels, side: int) -> Pixels:
    """A tile of which that beyond the picture is zero."""
    height, width, _ = pixels.shape
    tile = np.zeros((side, side, CHANNELS), np.uint8)
    tile[:height, :width] = pixels
    return tile
