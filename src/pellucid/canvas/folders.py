"""The folder of a store: its manifest, the metadata of its arrays, and the lock of the one who writes it.

Below `store`, above `shards`. The manifest comes first, and the metadata by which viewers find a picture comes last, so
that what is not finished does not look so.
"""

from __future__ import annotations

import contextlib
import errno
import json
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

from pellucid.base.atomic import atomic_write
from pellucid.base.errors import FileError, InputError, PellucidError, brief
from pellucid.canvas import shards
from pellucid.canvas.shards import CARD, CHANNELS, META, Manifest

LOCK = ".pellucid-writer"


@contextlib.contextmanager
def begun(root: Path, manifest: Manifest, card: bytes, *, resume: bool) -> Generator[None]:
    """A store that this process alone writes: new, or that of an earlier run with an equal manifest.

    Raises InputError for a folder of something else, and FileError for what the system refuses within.
    """
    known = shards.read_manifest(root)
    if known is None and root.exists() and any(p.name not in (CARD, LOCK) for p in root.iterdir()):
        raise InputError("is there, and no store of pellucid", place=str(root), fix="choose another name")
    if known is not None:
        check_same(root, manifest, known, resume=resume)
    try:
        root.mkdir(parents=True, exist_ok=True)
        with locked(root):
            with atomic_write(root / CARD) as file:
                file.write(card)
            if known is None:
                write_meta(root, manifest, complete=False)
            _make_arrays(root, manifest)
            yield
    except PellucidError:
        raise
    except OSError as error:
        raise _unwritten(root, error) from error


def check_same(place: Path, manifest: Manifest, known: Mapping[str, Any], *, resume: bool) -> None:
    """Nothing, if what is there has this manifest, and may be gone on with.

    Raises InputError that says what differs.
    """
    if different := manifest.differences(known):
        told = ", ".join(
            f"{n}: {brief(known.get(n))}, not {brief(manifest.text().get(n))}" for n in different[:3]
        )
        fix = "choose another name, or remove it"
        raise InputError(f"is the store of another picture or view ({told})", place=str(place), fix=fix)
    if not resume:
        raise InputError("is there already", place=str(place), fix="remove it, or resume it")


def _unwritten(root: Path, error: OSError) -> FileError:
    if error.errno is None:
        # No file's error: of a network, where a worker or a scheduler is gone.
        told = f"{type(error).__name__}: {error}".removesuffix(": ")
        fix = "see whether the workers run; the same call then goes on where this one ended"
        return FileError(f"cannot be gone on with ({told})", place=str(root), fix=fix)
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    what = "the disk is full" if full else f"cannot be written ({error.strerror})"
    fix = "free some space" if full else "see whether the folder may be written"
    return FileError(what, place=str(root), fix=f"{fix}; the same call then goes on where this one ended")


@contextlib.contextmanager
def locked(root: Path) -> Generator[None]:
    """The store, held as long as this process lives; a second writer would sweep away what the first one writes."""
    import fcntl

    with (root / LOCK).open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fix = "wait until it has ended, or choose another name"
            raise InputError("another process writes this store", place=str(root), fix=fix) from None
        yield


def write_meta(root: Path, manifest: Manifest, *, complete: bool) -> None:
    """The metadata of the whole: what viewers look for comes last, so that what is not whole does not look so."""
    attributes: dict[str, Any] = {"pellucid": {"manifest": manifest.text(), "complete": complete}}
    if complete and manifest.planes:
        attributes["ome"] = ome_metadata(root.name.removesuffix(".ome.zarr"), manifest.levels)
    data = {"zarr_format": 3, "node_type": "group", "attributes": attributes}
    with atomic_write(root / META) as file:
        file.write(json.dumps(data, indent=1).encode())


def ome_metadata(name: str, levels: int) -> dict[str, Any]:
    """The metadata of a pyramid as OME-Zarr 0.5 has it: the axes, the scale of each level, and what each channel is."""
    datasets: list[dict[str, Any]] = []
    for level in range(levels):
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
