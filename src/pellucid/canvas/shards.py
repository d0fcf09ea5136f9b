"""Shards: what a worker draws and writes, and how a store of them is described.

Below `store`, which hands places of shards to workers. A worker reads the card of the picture and the manifest from the
store, draws a shard and writes it in one task, so that no pixel goes through a scheduler. A shard that is there is
whole: it is written aside and renamed, and its index ends in a checksum.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from pellucid import __version__
from pellucid.base.errors import FileError, InputError, installed
from pellucid.base.opening import contents
from pellucid.base.record import record
from pellucid.canvas.compose import Pixels, compact, is_opaque
from pellucid.driver.card import MAX_BYTES, Card
from pellucid.driver.kernel import Kernel, kernel_of_card
from pellucid.driver.options import Options
from pellucid.driver.view import checked_view

CARD, META = "picture.card", "zarr.json"
CHANNELS = 4
MAX_SHARD = 1 << 13
"""The most pixels of a side of a shard, which a worker holds in memory, with one of the level below."""
_EMPTY = (1 << 64) - 1
"""The offset of a chunk that a shard leaves out."""


class ShardPlace(NamedTuple):
    """A shard: its level, and its row and column among the shards of that level."""

    level: int
    row: int
    column: int


@record(slots=False)
class Manifest:
    """What a store holds, as plain data: stores with equal manifests have equal bytes.

    `card` is the digest of the picture's card, and `tables` are those of its tables. `planes` says whether channels
    come first, as OME-Zarr wants them.
    """

    version: str
    card: str
    tables: Mapping[str, str]
    numerics: str
    precision: str
    backend: str
    size: tuple[int, int]
    center: tuple[float, float]
    zoom: float
    time: float
    samples: int
    params: Mapping[str, float]
    alpha: str
    planes: bool
    levels: int
    shard: int
    chunk: int

    @classmethod
    def of(cls, text: Mapping[str, Any]) -> Manifest:
        """The manifest of a text."""
        given: dict[str, Any] = {**text, "size": tuple(text["size"]), "center": tuple(text["center"])}
        return cls(**given)

    def text(self) -> dict[str, Any]:
        """The manifest as JSON holds it."""
        return json.loads(json.dumps({**asdict(self)}))

    @property
    def digest(self) -> str:
        """The SHA-256 of the manifest: what a worker remembers of a store is that of its digest."""
        return hashlib.sha256(json.dumps(self.text(), sort_keys=True).encode()).hexdigest()

    def sides(self, level: int) -> tuple[int, int]:
        """The width and the height of a level: each has half of those of the one before, rounded up."""
        return _halved(self.size[0], level), _halved(self.size[1], level)

    def places(self, level: int) -> Iterator[ShardPlace]:
        """Every shard of a level, row after row."""
        width, height = self.sides(level)
        for row in range(-(-height // self.shard)):
            for column in range(-(-width // self.shard)):
                yield ShardPlace(level, row, column)

    def part(self, place: ShardPlace) -> tuple[int, int, int, int]:
        """The pixels of a shard in its level: left, top, width, height."""
        width, height = self.sides(place.level)
        left, top = place.column * self.shard, place.row * self.shard
        return left, top, min(self.shard, width - left), min(self.shard, height - top)

    def file(self, root: Path, place: ShardPlace) -> Path:
        """The file of a shard."""
        folder = root / str(place.level) / "c"
        row, column = str(place.row), str(place.column)
        return folder / "0" / row / column if self.planes else folder / row / column / "0"

    def differences(self, other: Mapping[str, Any]) -> list[str]:
        """The names of what differs in the text of another manifest."""
        mine = self.text()
        return [
            name
            for name in (*mine, *(n for n in other if n not in mine))
            if mine.get(name) != other.get(name)
        ]


WriteAlso = Callable[[Manifest, ShardPlace, Pixels], None]
"""What writes something of the pixels of a shard; it is pickled."""


def _halved(side: int, level: int) -> int:
    return -(-side // (1 << level))


def is_whole(path: Path, chunks: int) -> bool:
    """Whether a file is a shard of so many chunks: its index has its checksum, and all it names is there."""
    import google_crc32c

    length = 16 * chunks + 4
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            if size < length:
                return False
            file.seek(size - length)
            index = file.read(length)
    except FileNotFoundError:
        return False
    crc: Any = google_crc32c
    if crc.value(index[:-4]) != struct.unpack("<I", index[-4:])[0]:
        return False
    pairs = struct.iter_unpack("<QQ", index[:-4])
    return all(first == _EMPTY or first + count <= size - length for first, count in pairs)


def chunks_of(manifest: Manifest) -> int:
    """The chunks of a shard."""
    return (CHANNELS if manifest.planes else 1) * (manifest.shard // manifest.chunk) ** 2


# ---- what runs in workers ----


def version() -> str:
    """The version of pellucid that a worker has."""
    return __version__


@functools.lru_cache(maxsize=4)
def opened(root: str, digest: str) -> tuple[Manifest, Kernel]:
    """The manifest of a store, and the kernel of its picture; both stay in the worker.

    Raises FileError if the store is not there, or its manifest has another digest.
    """
    _set_threads()
    try:
        found = read_manifest(Path(root))
        text = contents(Path(root) / CARD, "the card of a picture", max_bytes=MAX_BYTES)
    except OSError as error:
        fix = "give a folder that every worker reaches under the same name"
        raise FileError(
            f"a worker cannot read the store ({type(error).__name__})", place=root, fix=fix
        ) from None
    card, manifest = Card(text), None if found is None else Manifest.of(found)
    if manifest is None or manifest.digest != digest or card.digest != manifest.card:
        raise FileError(
            "is the store of another picture now", place=root, fix="store each under a name of its own"
        )
    options = Options(manifest.numerics, manifest.precision, manifest.backend)
    return manifest, Kernel(card, options, now=False)


@functools.lru_cache(maxsize=4)
def kernel_of(card: bytes) -> Kernel:
    """The kernel of a card, which stays in the worker."""
    return kernel_of_card(card)


def _set_threads() -> None:
    """One thread for each task: workers are processes, and compressing has no use for more."""
    with installed("zarr", extra="scale"):
        import zarr

        blosc: Any = importlib.import_module("numcodecs.blosc")
    blosc.set_nthreads(1)
    config: Any = zarr.config
    config.set({"threading.max_workers": 1, "async.concurrency": 1, "array.write_empty_chunks": True})


@functools.lru_cache(maxsize=64)
def _array(root: str, digest: str, level: int) -> Any:
    """The array of a level, to be read and written; the store may be that of another manifest later."""
    import zarr

    library: Any = zarr
    return library.open_array(str(Path(root) / str(level)), mode="r+")


def read_manifest(root: Path) -> dict[str, Any] | None:
    """The text of the manifest of a store, or None where there is no store of pellucid."""
    try:
        data: Any = json.loads(contents(root / META, "the metadata of a store"))
        found: Any = data["attributes"]["pellucid"]["manifest"]
    except (FileError, ValueError, KeyError, TypeError):
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


def write_shards(
    root: str, digest: str, places: Sequence[tuple[int, int, int]], *, also: WriteAlso | None = None
) -> None:
    """Draw and write some shards of the store whose manifest has a digest.

    `also` writes what else is made of a shard, before it: a shard that is there has everything.
    """
    manifest, _ = opened(root, digest)
    for place in (ShardPlace(*each) for each in places):
        left, top, width, height = manifest.part(place)
        array = _array(root, digest, place.level)
        made = drawn(root, digest, place)
        if also is not None:
            also(manifest, place, made)
        if manifest.planes:
            array[:, top : top + height, left : left + width] = np.moveaxis(made, 2, 0)
        else:
            array[top : top + height, left : left + width] = made


def stored(root: str, digest: str, level: int, part: tuple[int, int, int, int]) -> Pixels:
    """Pixels of a level that are in a store, of shape (height, width, 4)."""
    manifest, _ = opened(root, digest)
    left, top, width, height = part
    rows, columns = slice(top, top + height), slice(left, left + width)
    array = _array(root, digest, level)
    found = np.moveaxis(array[:, rows, columns], 0, 2) if manifest.planes else array[rows, columns]
    return compact(found)


def drawn(root: str, digest: str, place: ShardPlace) -> Pixels:
    """The pixels of a shard: drawn in level 0, and above the mean of four of the level below."""
    manifest, kernel = opened(root, digest)
    left, top, width, height = part = manifest.part(place)
    if place.level == 0:
        view = checked_view(
            manifest.size, center=manifest.center, zoom=manifest.zoom, time=manifest.time, samples=manifest.samples,
            params=manifest.params, threads=1, precision=manifest.precision, part=part,
        )  # fmt: skip
        draw = kernel.premultiplied if manifest.alpha == "premultiplied" else kernel.render
        return draw(view=view, part=part)
    below = place.level - 1
    wide, high = manifest.sides(below)
    across, down = min(2 * width, wide - 2 * left), min(2 * height, high - 2 * top)
    made = np.empty((height, width, CHANNELS), np.uint8)
    # A shard of the level below at a time: four at once are most of what a worker would hold.
    step = manifest.shard + manifest.shard % 2
    for y in range(0, down, step):
        for x in range(0, across, step):
            quarter = 2 * left + x, 2 * top + y, min(step, across - x), min(step, down - y)
            found = halved(stored(root, digest, below, quarter), straight=manifest.alpha == "straight")
            rows, columns = found.shape[:2]
            made[y // 2 : y // 2 + rows, x // 2 : x // 2 + columns] = found
    return made


def halved(pixels: Pixels, *, straight: bool = True) -> Pixels:
    """Each 2 by 2 pixels as their mean, rounded; the last row and column count twice where they are odd.

    Straight colors count by their alpha.

    >>> halved(np.array([[[255, 0, 0, 255], [0, 0, 255, 0]]], np.uint8)).tolist()
    [[[255, 0, 0, 128]]]
    """
    height, width = pixels.shape[:2]
    made = np.empty((-(-height // 2), -(-width // 2), CHANNELS), np.uint8)
    # Some rows at a time: sums are four times as large as pixels.
    for first in range(0, len(made), _ROWS):
        part = pixels[2 * first : 2 * (first + _ROWS)]
        odd = part.shape[0] % 2, width % 2
        if any(odd):
            part = np.pad(part, ((0, odd[0]), (0, odd[1]), (0, 0)), mode="edge")
        made[first : first + _ROWS] = _means(part, straight=straight)
    return made


_ROWS = 64


def _means(pixels: Pixels, *, straight: bool) -> Pixels:
    if not straight or is_opaque(pixels):
        return _channel_means(pixels)
    four = [pixels[i::2, j::2].astype(np.uint32) for i in (0, 1) for j in (0, 1)]
    alpha = sum(x[..., 3:] for x in four)
    light = sum(x[..., :3] * x[..., 3:] for x in four)
    whole = np.maximum(alpha, 1)
    return np.concatenate([(light + whole // 2) // whole, (alpha + 2) >> 2], axis=2).astype(np.uint8)


def _channel_means(pixels: Pixels) -> Pixels:
    """The mean of each channel by itself: two of a pixel are added at a time, as halves of a word."""
    words = pixels.view(np.uint32)[..., 0]
    made = np.zeros((len(words) // 2, words.shape[1] // 2), np.uint32)
    for shift in map(np.uint32, (0, 8)):
        pairs = (words >> shift) & _PAIR
        rows = pairs[0::2] + pairs[1::2]
        four = rows[:, 0::2] + rows[:, 1::2]
        made |= ((four + _TWO) >> np.uint32(2) & _PAIR) << shift
    return made.view(np.uint8).reshape(*made.shape, CHANNELS)


_PAIR, _TWO = np.uint32(0x00FF00FF), np.uint32(0x00020002)


def check_sides(shard: int, chunk: int) -> None:
    """Refuse shards that chunks do not divide: what is written would be torn between two of them.

    >>> check_sides(2048, 500)
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: chunk: 500 does not divide the 2048 of a shard; give a divisor, such as 512
    """
    if shard % chunk:
        near = max(d for d in range(1, chunk + 1) if shard % d == 0)
        near = near if near > 32 else shard
        fix = f"give a divisor, such as {512 if shard % 512 == 0 else near}"
        raise InputError(f"{chunk} does not divide the {shard} of a shard", place="chunk", fix=fix)
