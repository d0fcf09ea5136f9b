"""Stores: pictures larger than memory, drawn by many workers into Zarr, and resumed after anything that ends them.

Beside `draw`, above `folders`, `shards` and `workers`. The manifest is written first, then shards level after level,
and last the metadata by which viewers find a picture. A shard that is there is done, so the same call again draws what
is missing. A TIFF is made of a finished store, and a Deep Zoom beside one, which is removed then.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import json
import os
import shutil
import time as clock
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from pellucid import __version__
from pellucid.base.atomic import atomic_write
from pellucid.base.errors import FileError, InputError, installed
from pellucid.base.kinds import FUNCTION, TRUTH, optional, takes
from pellucid.base.progress import Progress, ProgressLine
from pellucid.base.record import record
from pellucid.base.tracebacks import door
from pellucid.base.view import View, checked_whole, spelled_out
from pellucid.canvas import deep_zoom, pyramids, shards
from pellucid.canvas import workers as clients
from pellucid.canvas.folders import begun, check_same, locked, write_meta
from pellucid.canvas.formats import check_alpha, checked_path
from pellucid.canvas.shards import MAX_SHARD, Manifest, ShardPlace
from pellucid.canvas.source import DrawArguments, drawing
from pellucid.canvas.workers import MAX_WORKERS, ShardWorkers
from pellucid.driver import Kernel as Compiled
from pellucid.driver.card import card_of
from pellucid.driver.threads import available
from pellucid.driver.view import EXACT

TIFF = (".tif", ".tiff")
UNFINISHED = ".unfinished.zarr"
"""The end of the name of the store that a TIFF or a Deep Zoom is made of."""


@record(slots=False)
class StoreKind:
    """A kind of store: the end of its name, whether channels come first, and whether it is made of a store."""

    suffix: str
    planes: bool = False
    is_made: bool = False


KINDS = (
    StoreKind(".ome.zarr", planes=True),
    StoreKind(".zarr"),
    StoreKind(".tif", is_made=True),
    StoreKind(".tiff", is_made=True),
    StoreKind(deep_zoom.SUFFIX, is_made=True),
)
"""Kinds of stores; of two suffixes that fit, the longer one comes first."""


@record(slots=False)
class Stored:
    """A finished store: its path, the size of each level, and how many shards this call drew and found."""

    path: str
    sizes: tuple[tuple[int, int], ...]
    drawn: int
    found: int
    verified: int
    seconds: float


@spelled_out(DrawArguments)
@door
@takes(resume=TRUTH, progress=optional(FUNCTION))
def store(
    picture: object,
    path: str | os.PathLike[str],
    size: tuple[int, int] | int | None = None,
    *,
    view: View | None = None,
    levels: int | None = None,
    shard: int = 2048,
    chunk: int = 512,
    alpha: str = "straight",
    client: Any = None,
    workers: int | None = None,
    resume: bool = True,
    verify: int = 0,
    progress: Progress | None = None,
    **arguments: Unpack[DrawArguments],
) -> Stored:
    """Draw a picture of any size into a store, by worker processes, on one machine or many.

    The end of the `path` says what it becomes: `.ome.zarr` OME-Zarr 0.5, with channels first and a pyramid; `.zarr`
    arrays of rows, columns and channels; `.tif` a BigTIFF in tiles with a pyramid, laid out as a Cloud Optimized
    GeoTIFF; `.dzi` Deep Zoom, with a page that shows it. Each of the `levels` has half the pixels of a side of the one
    before: down to one shard (one tile of a TIFF) by default, one level in a `.zarr`, and all in a Deep Zoom.
    Zarr has files of `shard` by `shard` pixels, which are read by chunks of `chunk` by `chunk`; those are the tiles of
    the others.

    Workers are those of a `client` of Dask's, or of the scheduler at an address, which must reach the folder by the
    same name; or so many `workers` of this machine, one for each core by default. The same call after a crash, a
    full disk or Ctrl-C draws what is missing, and ends in the bytes of a run that nothing had disturbed; without
    `resume` a store that is there is refused. `verify` shards are drawn again at the end and compared, but
    not those of a TIFF or a Deep Zoom that is there already. `progress` is called with the shards done and in all.
    Otherwise as `render`. Needs the extra `pellucid[scale]`.

    Raises `InputError` for a value out of its range, a store of another picture, or a scheduler that is not there,
    `FileError` if shards cannot be written, `MissingExtraError` if the extra is not installed.
    """
    began = clock.monotonic()
    asked = drawing(picture, size, view, arguments, frames=0, part=(0, 0, 1, 1))
    check_alpha(alpha)
    if asked.near != EXACT:
        raise InputError("shards are exact", place="tolerance", fix="leave out tolerance and error")
    target, kind = _checked_target(path)
    shard = checked_whole("shard", shard, 16, MAX_SHARD)
    _check_tiles(kind, shard, checked_whole("chunk", chunk, 16, shard))
    checked_whole("verify", verify, 0, 1 << 31)
    if workers is not None:
        checked_whole("workers", workers, 1, MAX_WORKERS)
        if client is not None:
            raise InputError("a client has its own workers", place="workers", fix="leave it out")
    levels = _checked_levels(kind, levels, max(asked.view.size), shard, chunk)
    _require()
    kernel = asked.kernel()
    if not isinstance(kernel, Compiled):
        raise InputError(
            "this kernel stays in its process", place="picture", fix="give the picture, or pl.compile it"
        )
    card = card_of(kernel.source, kernel.options)
    view, options = asked.view, kernel.options
    manifest = Manifest(
        __version__, card.digest, card.table_digests, options.numerics, options.precision, options.backend, view.size,
        view.center, view.zoom, view.time, view.samples, dict(view.params), alpha, kind.planes, levels, shard, chunk,
    )  # fmt: skip
    total = sum(1 for level in range(levels) for _ in manifest.places(level))
    drawn = checked = 0
    if not (kind.is_made and _is_made(target, kind, manifest, resume=resume)):
        with contextlib.ExitStack() as stack:
            given = None if client is None else stack.enter_context(clients.given(client))
            root = target.with_name(target.name + UNFINISHED) if kind.is_made else target
            stack.enter_context(begun(root, manifest, card.text, resume=resume))
            told = _Told(
                progress or stack.enter_context(ProgressLine("shards")), total, twice=kind.suffix in TIFF
            )
            # A store in which nothing is missing needs no workers.
            shard_workers = ShardWorkers(lambda: given or stack.enter_context(clients.local(workers)))
            tiles = deep_zoom.begin(target, manifest) if kind.suffix == deep_zoom.SUFFIX else None
            drawn = _draw(root, manifest, tiles, shard_workers, told)
            if kind.is_made:
                checked = _verified(root, manifest, verify)
                if tiles is None:
                    _write_tiff(target, root, manifest, told)
                else:
                    deep_zoom.finish(target, manifest)
                shutil.rmtree(root)
            else:
                write_meta(root, manifest, complete=True)
                checked = _verified(root, manifest, verify)
    sizes = tuple([manifest.sides(level) for level in range(levels)])
    return Stored(str(target), sizes, drawn, total - drawn, checked, clock.monotonic() - began)


# ---- what is asked for ----


def _require() -> None:
    """All packages of the extra are there; said before anything is written."""
    with installed("zarr, dask or distributed", extra="scale"):
        for name in ("distributed", "google_crc32c", "numcodecs", "zarr"):
            importlib.import_module(name)


def _checked_target(path: object) -> tuple[Path, StoreKind]:
    target = Path(checked_path(path)).absolute()
    for kind in KINDS:
        if target.name.endswith(kind.suffix) and target.name != kind.suffix:
            return target, kind
    known = ", ".join(kind.suffix for kind in KINDS)
    raise InputError(f"{target.name} is no store", place="path", fix=f"end its name in one of {known}")


def _check_tiles(kind: StoreKind, shard: int, chunk: int) -> None:
    shards.check_sides(shard, chunk)
    if kind.suffix in TIFF and chunk % pyramids.MULTIPLE:
        fix = f"give a multiple of {pyramids.MULTIPLE}, such as 512"
        raise InputError(f"{chunk} is no side of a tile of a TIFF", place="chunk", fix=fix)


def _checked_levels(kind: StoreKind, levels: int | None, side: int, shard: int, chunk: int) -> int:
    """The number of levels that was asked for, or else the kind's own."""
    most = (side - 1).bit_length() + 1
    if kind.suffix == deep_zoom.SUFFIX:
        if levels not in (None, most):
            raise InputError(f"Deep Zoom has all {most} levels", place="levels", fix="leave it out")
        return most
    if levels is not None:
        return checked_whole("levels", levels, 1, most)
    if kind.suffix == ".zarr":
        return 1
    least = chunk if kind.is_made else shard
    return (-(-side // least) - 1).bit_length() + 1


# ---- work ----


class _Told:
    """Progress of a call: shards are drawn, and those of a TIFF are read once more."""

    def __init__(self, progress: Progress, shards: int, *, twice: bool) -> None:
        self._progress, self._shards = progress, shards
        self._total = 2 * shards if twice else shards

    def drawn(self, done: int) -> None:
        """So many shards are drawn."""
        self._progress(done, self._total)

    def made(self, done: int) -> None:
        """All shards are drawn, and so many are in the TIFF."""
        self._progress(self._shards + done, self._total)


def _draw(
    root: Path, manifest: Manifest, tiles: Path | None, shard_workers: ShardWorkers, told: _Told
) -> int:
    """Draw the shards that are missing, level after level; gives how many those were.

    They are cut into the tiles of a Deep Zoom in the folder `tiles`, if there is one.
    """
    also = None if tiles is None else functools.partial(deep_zoom.write_tiles, str(tiles))
    work = functools.partial(shards.write_shards, str(root), manifest.digest, also=also)
    done = drawn = 0
    for level in range(manifest.levels):
        places = [*manifest.places(level)]
        # What nobody finished is removed: each folder is listed once, however many shards are in it.
        for folder in {manifest.file(root, place).parent for place in places}:
            for partial in folder.glob("*.partial"):
                partial.unlink(missing_ok=True)
        missing = [place for place in places if not _is_there(root, manifest, tiles, place)]
        done += len(places) - len(missing)
        told.drawn(done)
        for count in shard_workers.run(work, missing):
            done, drawn = done + count, drawn + count
            told.drawn(done)
    return drawn


def _is_there(root: Path, manifest: Manifest, tiles: Path | None, place: ShardPlace) -> bool:
    """Whether a shard is done, and its tiles are; one that is torn, as by a power cut, is removed."""
    file = manifest.file(root, place)
    if shards.is_whole(file, shards.chunks_of(manifest)):
        return tiles is None or deep_zoom.are_there(tiles, manifest, place)
    file.unlink(missing_ok=True)
    return False


def _verified(root: Path, manifest: Manifest, count: int) -> int:
    """Draw so many shards again, evenly spread, and compare them with those that are there."""
    if not count:
        return 0
    everything = [place for level in range(manifest.levels) for place in manifest.places(level)]
    chosen = everything[:: max(1, len(everything) // count)][:count]
    name = str(root), manifest.digest
    for place in chosen:
        found = shards.stored(*name, place.level, manifest.part(place))
        if not np.array_equal(found, shards.drawn(*name, place)):
            file = manifest.file(root, place)
            fix = f"remove {file} and run the same call again"
            raise FileError("a shard is not what the picture gives", place=str(file), fix=fix)
    return len(chosen)


# ---- what is made of a store ----


def _is_made(target: Path, kind: StoreKind, manifest: Manifest, *, resume: bool) -> bool:
    """Whether what is asked for is there already; what was left of making it is removed.

    Raises InputError if something else has its name.
    """
    if kind.suffix == deep_zoom.SUFFIX:
        found = deep_zoom.is_finished(target, manifest, resume=resume)
    else:
        found = _is_tiff(target, manifest, resume=resume)
    root = target.with_name(target.name + UNFINISHED)
    if found and root.exists():
        with locked(root):
            shutil.rmtree(root)
    return found


def _is_tiff(target: Path, manifest: Manifest, *, resume: bool) -> bool:
    if not target.exists():
        return False
    try:
        known = json.loads(pyramids.description_of(target) or "")["pellucid"]
        manifest.differences(known)
    except (ValueError, KeyError, TypeError):
        raise InputError(
            "is there, and was not stored by pellucid", place=str(target), fix="choose another name"
        ) from None
    check_same(target, manifest, known, resume=resume)
    return True


def _write_tiff(target: Path, root: Path, manifest: Manifest, told: _Told) -> None:
    """Write a TIFF of a finished store."""
    name = str(root), manifest.digest
    with atomic_write(target) as file:
        pyramids.write_pyramid(
            file,
            manifest,
            lambda place: shards.stored(*name, place.level, manifest.part(place)),
            json.dumps({"pellucid": manifest.text()}),
            threads=available(),
            progress=told.made,
        )
