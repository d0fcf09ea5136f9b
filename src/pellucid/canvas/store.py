"""Stores: pictures larger than memory, drawn by many workers into Zarr, and resumed after anything that ends them.

Beside `draw`, above `shards`. The manifest is written first, then shards level after level, and last the metadata by
which viewers find a picture. A shard that is there is done, so whoever runs the same call again draws what is missing.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import json
import os
import time as clock
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from pellucid import __version__
from pellucid.base.atomic import atomic_write
from pellucid.base.errors import FileError, InputError, PellucidError, brief, installed
from pellucid.base.kinds import FUNCTION, TRUTH, optional, takes
from pellucid.base.progress import Progress, ProgressLine
from pellucid.base.tracebacks import door
from pellucid.base.view import View, checked_whole, spelled_out
from pellucid.canvas import shards
from pellucid.canvas.formats import check_alpha, checked_path
from pellucid.canvas.shards import CARD, CHANNELS, META, Manifest, ShardPlace
from pellucid.canvas.source import DrawArguments, drawing
from pellucid.driver import Kernel as Compiled
from pellucid.driver.card import card_of
from pellucid.driver.threads import available
from pellucid.driver.view import EXACT

MAX_SHARD = 1 << 13
"""The most pixels of a side of a shard, which a worker holds in memory, with the four of the level below."""
MAX_WORKERS = 1024
"""The most workers of a local cluster."""
MAX_BATCH = 16
"""The most shards of one task: a task costs its scheduler a millisecond, and a worker that ends loses all of it."""
PATIENCE = 10
"""Seconds in which a scheduler must answer."""
SUFFIXES = (".zarr", ".ome.zarr")
LOCK = ".pellucid-writer"


@dataclass(frozen=True)
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
    """Draw a picture of any size into a folder of Zarr (v3, sharded), by worker processes, on one machine or many.

    A `path` that ends in `.ome.zarr` becomes OME-Zarr 0.5: channels first, with a pyramid of `levels`, each half of the
    one before, down to one shard by default. One that ends in `.zarr` has arrays of rows, columns and channels, and one
    level by default. Shards are squares of `shard` pixels a side, read by chunks of `chunk`.

    Workers are those of a `client` of Dask's, or of the scheduler at an address, which must reach the folder by the
    same name; or so many `workers` of this machine, one for each core by default. The same call after a crash, a
    full disk or Ctrl-C draws what is missing, and ends in the bytes of a run that nothing had disturbed; without
    `resume` a store that is there is refused. `verify` shards are drawn again at the end and compared. `progress`
    is called with the shards done and in all. Otherwise as `render`. Needs the extra `pellucid[scale]`.

    Raises `InputError` for a value out of its range, a store of another picture, or a scheduler that is not there,
    `FileError` if shards cannot be written, `MissingExtraError` if the extra is not installed.
    """
    began = clock.monotonic()
    asked = drawing(picture, size, view, arguments, frames=0, part=(0, 0, 1, 1))
    check_alpha(alpha)
    if asked.near != EXACT:
        raise InputError("shards are exact", place="tolerance", fix="leave out tolerance and error")
    root, planes = _checked_root(path)
    shard = checked_whole("shard", shard, 16, MAX_SHARD)
    shards.check_sides(shard, checked_whole("chunk", chunk, 16, shard))
    checked_whole("verify", verify, 0, 1 << 31)
    if workers is not None:
        checked_whole("workers", workers, 1, MAX_WORKERS)
        if client is not None:
            raise InputError("a client has its own workers", place="workers", fix="leave it out")
    most = max(max(asked.view.size) - 1, 0).bit_length() + 1
    if levels is None:
        levels = 1 if not planes else max(-(-max(asked.view.size) // shard) - 1, 0).bit_length() + 1
    checked_whole("levels", levels, 1, most)
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
        view.center, view.zoom, view.time, view.samples, dict(view.params), alpha, planes, levels, shard, chunk,
    )  # fmt: skip
    with contextlib.ExitStack() as stack:
        given = None if client is None else stack.enter_context(_given(client))
        stack.enter_context(_begun(root, manifest, card.text, resume=resume))
        line = stack.enter_context(ProgressLine("shards"))
        # A store in which nothing is missing needs no workers.
        work = _Work(root, manifest, progress or line, lambda: given or stack.enter_context(_local(workers)))
        drawn = work.run()
        _write_meta(root, manifest, complete=True)
        checked = _verified(root, manifest, verify)
    sizes = tuple([manifest.sides(level) for level in range(levels)])
    return Stored(str(root), sizes, drawn, work.total - drawn, checked, clock.monotonic() - began)


@spelled_out(DrawArguments)
@door
def to_dask(
    picture: object,
    size: tuple[int, int] | int | None = None,
    chunks: int = 2048,
    *,
    view: View | None = None,
    alpha: str = "straight",
    **arguments: Unpack[DrawArguments],
) -> Any:
    """A picture as an array of Dask's, of bytes and shape (height, width, 4), whose blocks are drawn when asked for.

    Blocks are squares of `chunks` pixels a side, and have the bits of the whole. Otherwise as `render`. Needs the extra
    `pellucid[scale]`. Raises `InputError` for a value out of its range, `MissingExtraError` without the extra.
    """
    asked = drawing(picture, size, view, arguments, frames=0, part=(0, 0, 1, 1))
    check_alpha(alpha)
    if asked.near != EXACT:
        raise InputError("blocks are exact", place="tolerance", fix="leave out tolerance and error")
    side = checked_whole("chunks", chunks, 1, MAX_SHARD)
    with installed("dask", extra="scale"):
        import dask.array
    kernel = asked.kernel()
    if not isinstance(kernel, Compiled):
        raise InputError(
            "this kernel stays in its process", place="picture", fix="give the picture, or pl.compile it"
        )
    width, height = asked.view.size
    arrays: Any = dask.array
    rows, columns = (tuple([min(side, n - k) for k in range(0, n, side)]) for n in (height, width))
    return arrays.map_blocks(
        _block, chunks=(rows, columns, (CHANNELS,)), dtype=np.uint8, meta=np.empty((0, 0, 0), np.uint8),
        card=card_of(kernel.source, kernel.options).text, view=asked.view.replace(threads=1), alpha=alpha,
    )  # fmt: skip


def _block(card: bytes, view: View, alpha: str, block_info: Any = None) -> Any:
    """One block of `to_dask`."""
    (top, bottom), (left, right), _ = block_info[None]["array-location"]
    kernel = shards.kernel_of(card)
    draw = kernel.premultiplied if alpha == "premultiplied" else kernel.render
    return draw(view=view, part=(left, top, right - left, bottom - top))


# ---- what is asked for ----


def _require() -> None:
    """All packages of the extra are there; said before anything is written."""
    with installed("zarr, dask or distributed", extra="scale"):
        for name in ("distributed", "google_crc32c", "numcodecs", "zarr"):
            importlib.import_module(name)


def _checked_root(path: object) -> tuple[Path, bool]:
    root = Path(checked_path(path)).absolute()
    if not root.name.endswith(".zarr") or root.name in SUFFIXES:
        raise InputError(
            f"{root.name} is no store", place="path", fix=f"end its name in {' or '.join(SUFFIXES)}"
        )
    return root, root.name.endswith(".ome.zarr")


# ---- workers ----


@contextlib.contextmanager
def _given(client: Any) -> Generator[Any]:
    """The client that was given, or one of the scheduler at an address; its workers have this pellucid."""
    made: Any = _connected(client) if isinstance(client, str) else client
    try:
        _check_workers(made)
        yield made
    finally:
        if isinstance(client, str):
            made.close()


@contextlib.contextmanager
def _local(workers: int | None) -> Generator[Any]:
    """A client of a cluster of this machine, with one process for each worker, and one thread in each."""
    import distributed

    config: Any = importlib.import_module("dask.config")
    # Dask trims the allocator of its workers, which then ask the system for each shard's memory anew.
    with config.set({"distributed.nanny.pre-spawn-environ": {}}):
        local: Any = distributed.LocalCluster
        cluster: Any = local(
            n_workers=available() if workers is None else workers,
            threads_per_worker=1,
            dashboard_address=None,
            memory_limit=0,
        )
        try:
            made: Any = distributed.Client(cluster)
            try:
                yield made
            finally:
                made.close()
        finally:
            cluster.close()


def _connected(address: str) -> Any:
    import distributed

    try:
        return distributed.Client(address, timeout=PATIENCE)
    except (OSError, ValueError, TimeoutError) as error:
        fix = "start one with 'dask scheduler' and give the address that it prints, or leave it out"
        what = f"no scheduler answers ({type(error).__name__})"
        raise InputError(what, place=brief(address), fix=fix) from None


def _check_workers(client: Any) -> None:
    try:
        found: Mapping[str, Any] = client.run(shards.version)
    except Exception as error:  # noqa: BLE001 - whatever a worker says
        fix = "install pellucid[scale] of this version where workers run"
        raise InputError(
            f"its workers have no pellucid ({type(error).__name__})", place="client", fix=fix
        ) from None
    if not found:
        raise InputError(
            "its scheduler has no workers", place="client", fix="start some with 'dask worker ADDRESS'"
        )
    others = sorted({str(v) for v in found.values()} - {__version__})
    if others:
        fix = "install the same where workers run"
        raise InputError(f"its workers have pellucid {others[0]}, not {__version__}", place="client", fix=fix)


# ---- a store on the disk ----


@contextlib.contextmanager
def _begun(root: Path, manifest: Manifest, card: bytes, *, resume: bool) -> Generator[None]:
    """A store that this process alone writes: new, or that of an earlier run with an equal manifest."""
    known = shards.read_manifest(root)
    if known is None and root.exists() and any(p.name not in (CARD, LOCK) for p in root.iterdir()):
        raise InputError("is there, and no store of pellucid", place=str(root), fix="choose another name")
    if known is not None:
        if different := manifest.differences(known):
            told = ", ".join(
                f"{n}: {brief(known.get(n))}, not {brief(manifest.text().get(n))}" for n in different[:3]
            )
            fix = "choose another name, or remove it"
            raise InputError(f"is the store of another picture or view ({told})", place=str(root), fix=fix)
        if not resume:
            raise InputError("is there already", place=str(root), fix="remove it, or resume it")
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _locked(root):
            with atomic_write(root / CARD) as file:
                file.write(card)
            if known is None:
                _write_meta(root, manifest, complete=False)
            _make_arrays(root, manifest)
            yield
    except PellucidError:
        raise
    except OSError as error:
        raise _unwritten(root, error) from error


def _unwritten(root: Path, error: OSError) -> FileError:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    what = "the disk is full" if full else f"cannot be written ({error.strerror or type(error).__name__})"
    fix = "free some space" if full else "see whether the folder may be written"
    return FileError(what, place=str(root), fix=f"{fix}; the same call then goes on where this one ended")


@contextlib.contextmanager
def _locked(root: Path) -> Generator[None]:
    """The store, held as long as this process lives; a second writer would sweep away what the first one writes."""
    import fcntl

    with (root / LOCK).open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fix = "wait until it has ended, or choose another name"
            raise InputError("another process writes this store", place=str(root), fix=fix) from None
        yield


def _write_meta(root: Path, manifest: Manifest, *, complete: bool) -> None:
    """The metadata of the whole: what viewers look for comes last, so that what is not whole does not look so."""
    attributes: dict[str, Any] = {"pellucid": {"manifest": manifest.text(), "complete": complete}}
    if complete and manifest.planes:
        attributes["ome"] = _ome(root, manifest)
    data = {"zarr_format": 3, "node_type": "group", "attributes": attributes}
    with atomic_write(root / META) as file:
        file.write(json.dumps(data, indent=1).encode())


def _ome(root: Path, manifest: Manifest) -> dict[str, Any]:
    """The metadata of OME-Zarr 0.5: the axes, the scale of each level, and what each channel is."""
    datasets: list[dict[str, Any]] = []
    for level in range(manifest.levels):
        step, shift = float(1 << level), (float(1 << level) - 1) / 2
        moves: list[dict[str, Any]] = [
            {"type": "scale", "scale": [1.0, step, step]},
            {"type": "translation", "translation": [0.0, shift, shift]},
        ]
        datasets.append({"path": str(level), "coordinateTransformations": moves})
    axes = [{"name": "c", "type": "channel"}, {"name": "y", "type": "space"}, {"name": "x", "type": "space"}]
    shown = {"window": {"min": 0, "max": 255, "start": 0, "end": 255}, "active": True}
    colors = {"red": "FF0000", "green": "00FF00", "blue": "0000FF"}
    channels = [{"label": name, "color": color, **shown} for name, color in colors.items()]
    channels.append({"label": "alpha", "color": "FFFFFF", **shown, "active": False})
    name = root.name.removesuffix(".ome.zarr")
    return {
        "version": "0.5",
        "multiscales": [{"name": name, "axes": axes, "datasets": datasets, "type": "mean"}],
        "omero": {"channels": channels},
    }


def _make_arrays(root: Path, manifest: Manifest) -> None:
    """The metadata of each level's array, where it is missing."""
    import zarr
    import zarr.codecs

    library: Any = zarr
    codecs: Any = zarr.codecs
    for level in range(manifest.levels):
        if (root / str(level) / META).exists():
            continue
        width, height = manifest.sides(level)
        planes, s, c = manifest.planes, manifest.shard, manifest.chunk
        # A chunk has one channel, or pixels of four bytes; what is alike is then side by side.
        blosc = codecs.BloscCodec(
            cname="zstd", clevel=1, shuffle="bitshuffle", typesize=1 if planes else CHANNELS
        )
        library.create_array(
            store=str(root / str(level)),
            shape=(CHANNELS, height, width) if planes else (height, width, CHANNELS),
            dtype="uint8",
            chunks=(1, c, c) if planes else (c, c, CHANNELS),
            shards=(CHANNELS, s, s) if planes else (s, s, CHANNELS),
            compressors=blosc,
            dimension_names=["c", "y", "x"] if planes else ["y", "x", "c"],
            fill_value=0,
        )


def _verified(root: Path, manifest: Manifest, count: int) -> int:
    """Draw so many shards again, evenly spread, and compare them with those that are there."""
    if not count:
        return 0
    everything = [place for level in range(manifest.levels) for place in manifest.places(level)]
    chosen = everything[:: max(1, len(everything) // count)][:count]
    for place in chosen:
        left, top, width, height = manifest.part(place)
        array = shards.array_of(str(root), place.level)
        rows, columns = slice(top, top + height), slice(left, left + width)
        found = np.moveaxis(array[:, rows, columns], 0, 2) if manifest.planes else array[rows, columns]
        if not np.array_equal(found, shards.shard(str(root), manifest.card, place)):
            file = manifest.file(root, place)
            fix = f"remove {file} and run the same call again"
            raise FileError("a shard is not what the picture gives", place=str(file), fix=fix)
    return len(chosen)


# ---- work ----


class _Work:
    """The shards that are missing, level after level, handed to workers by batches."""

    def __init__(self, root: Path, manifest: Manifest, progress: Progress, make: Callable[[], Any]) -> None:
        self.root, self.manifest, self.progress = root, manifest, progress
        self._made, self._client = make, None
        self.total = sum(1 for level in range(manifest.levels) for _ in manifest.places(level))

    def run(self) -> int:
        """Draw what is missing; gives the number of shards."""
        done = drawn = 0
        for level in range(self.manifest.levels):
            places = [*self.manifest.places(level)]
            missing = [place for place in places if not self._is_there(place)]
            done += len(places) - len(missing)
            self.progress(done, self.total)
            for count in self._batches(missing):
                done, drawn = done + count, drawn + count
                self.progress(done, self.total)
        return drawn

    def _is_there(self, place: ShardPlace) -> bool:
        """Whether a shard is done; one that is torn, as by a power cut, is removed, and so is what nobody finished."""
        file = self.manifest.file(self.root, place)
        for partial in file.parent.glob(f"{file.name}.*.partial"):
            partial.unlink(missing_ok=True)
        if shards.is_whole(file, shards.chunks_of(self.manifest)):
            return True
        file.unlink(missing_ok=True)
        return False

    def _batches(self, missing: list[ShardPlace]) -> Generator[int]:
        import distributed

        if not missing:
            return
        if self._client is None:
            self._client = self._made()
        client: Any = self._client
        workers = max(1, len(client.scheduler_info()["workers"]))
        size = max(1, min(MAX_BATCH, len(missing) // (8 * workers)))
        batches = [missing[k : k + size] for k in range(0, len(missing), size)]
        root, card = str(self.root), self.manifest.card
        futures: dict[Any, int] = {}
        for batch in batches:
            work = [tuple(place) for place in batch]
            futures[client.submit(shards.write_shards, root, card, work, pure=False, retries=1)] = len(batch)
        finished: Any = distributed.as_completed
        try:
            for future in finished([*futures]):
                try:
                    future.result()
                except PellucidError:
                    raise
                except OSError as error:
                    raise _unwritten(self.root, error) from error
                yield futures[future]
        finally:
            client.cancel([*futures])
