"""Stores: the bits of the picture, whole after any kill, and refusals in one sentence before anything is written."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import FileError, InputError, MissingExtraError
from pellucid.canvas import folders, shards, workers
from pellucid.canvas.shards import Manifest, ShardPlace, halved, is_whole

# Dask warns of workers that end, as tests make them do, and of sockets that it has left open then.
pytestmark = pytest.mark.filterwarnings("ignore")

SIZE, VIEW = (701, 503), {"zoom": 3.7, "center": (0.3, -0.2)}
PICTURE = im.swirl(100, im.checkerboard(10, im.black, im.white))
HOW: dict[str, Any] = {"shard": 128, "chunk": 64, **VIEW}


@pytest.fixture(scope="module")
def undisturbed(client: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that nothing disturbed."""
    path = tmp_path_factory.mktemp("undisturbed") / "poster.ome.zarr"
    stored = pl.store(PICTURE, path, SIZE, client=client, verify=4, **HOW)
    assert (stored.drawn, stored.found, stored.verified) == (24 + 6 + 2 + 1, 0, 4)
    assert stored.sizes == ((701, 503), (351, 252), (176, 126), (88, 63))
    return path


def digests(root: Path) -> dict[str, str]:
    """The SHA-256 of each file that a reader reads."""
    files = [p for p in root.rglob("*") if p.is_file() and p.name != folders.LOCK]
    return {str(p.relative_to(root)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def level(root: Path, number: int) -> np.ndarray:
    import zarr

    return np.moveaxis(np.asarray(zarr.open_array(str(root / str(number)), mode="r")[:]), 0, 2)


def test_a_store_has_the_bits_of_the_picture_and_each_level_is_the_mean_of_the_one_below(undisturbed: Path):
    below = pl.render(PICTURE, SIZE, **VIEW)
    np.testing.assert_array_equal(level(undisturbed, 0), below)
    for number in (1, 2, 3):
        below = halved(below)
        np.testing.assert_array_equal(level(undisturbed, number), below)


def test_the_metadata_is_that_of_ome_zarr(undisturbed: Path):
    found = json.loads((undisturbed / "zarr.json").read_text())["attributes"]
    (scales,) = found["ome"]["multiscales"]
    assert found["ome"]["version"] == "0.5"
    assert [axis["name"] for axis in scales["axes"]] == ["c", "y", "x"]
    assert [data["path"] for data in scales["datasets"]] == ["0", "1", "2", "3"]
    assert scales["datasets"][2]["coordinateTransformations"][0]["scale"] == [1.0, 4.0, 4.0]
    assert found["pellucid"]["complete"] is True


def test_others_open_a_store(undisturbed: Path):
    import dask.array
    import xarray
    import zarr
    from ome_zarr_models.v05.image import Image

    Image.from_zarr(zarr.open_group(str(undisturbed), mode="r"))
    whole = np.moveaxis(pl.render(PICTURE, SIZE, **VIEW), 2, 0)
    np.testing.assert_array_equal(dask.array.from_zarr(str(undisturbed / "0")).compute(), whole)
    # Levels have axes of one name and of different lengths.
    found = xarray.open_zarr(
        str(undisturbed), consolidated=False, zarr_format=3, drop_variables=["1", "2", "3"]
    )
    assert found["0"].dims == ("c", "y", "x")
    np.testing.assert_array_equal(found["0"].to_numpy(), whole)


def test_rows_columns_and_channels_where_nothing_asks_for_planes(client: Any, tmp_path: Path):
    import zarr

    path = tmp_path / "a.zarr"
    stored = pl.store(
        im.fill(im.tomato, im.disk(50)), path, (300, 200), shard=128, chunk=32, client=client, samples=2
    )
    assert stored.sizes == ((300, 200),)
    found = np.asarray(zarr.open_array(str(path / "0"), mode="r")[:])
    np.testing.assert_array_equal(found, pl.render(im.fill(im.tomato, im.disk(50)), (300, 200), samples=2))


def test_blocks_of_dask_have_the_bits_of_the_picture():
    array = pl.to_dask(PICTURE, SIZE, 200, **VIEW)
    assert array.shape == (503, 701, 4)
    np.testing.assert_array_equal(array.compute(scheduler="threads"), pl.render(PICTURE, SIZE, **VIEW))
    part = pl.to_dask(PICTURE, 100_000, zoom=3000.0)[61_800:61_807, 99_000:]
    np.testing.assert_array_equal(
        part.compute(scheduler="sync"),
        pl.render(PICTURE, 100_000, zoom=3000.0, part=(99_000, 61_800, 1000, 7)),
    )


@pytest.mark.parametrize("harm", ["missing", "torn", "cut", "partial", "metadata", "arrays", "everything"])
def test_a_store_that_was_harmed_is_resumed_to_the_bytes_of_an_undisturbed_run(
    harm: str, client: Any, undisturbed: Path, tmp_path: Path
):
    path = tmp_path / "poster.ome.zarr"
    shutil.copytree(undisturbed, path)
    one, other = path / "0/c/0/1/2", path / "1/c/0/0/0"
    match harm:
        case "missing":
            one.unlink()
            other.unlink()
        case "torn":
            data = bytearray(one.read_bytes())
            data[-9] ^= 255
            one.write_bytes(data)
        case "cut":
            one.write_bytes(one.read_bytes()[:-1000])
        case "partial":
            one.rename(one.with_name("2.0123abcd.partial"))
        case "metadata":
            meta = json.loads((path / "zarr.json").read_text())
            del meta["attributes"]["ome"]
            meta["attributes"]["pellucid"]["complete"] = False
            (path / "zarr.json").write_text(json.dumps(meta))
        case "arrays":
            shutil.rmtree(path / "2")
        case _:
            for each in path.iterdir():
                if each.is_dir():
                    shutil.rmtree(each)
            (path / "zarr.json").unlink()
    pl.store(PICTURE, path, SIZE, client=client, **HOW)
    assert digests(path) == digests(undisturbed)


SCRIPT = """
import sys, pellucid as pl
from pellucid import images as im
if __name__ == "__main__":
    picture = im.swirl(100, im.checkerboard(10, im.black, im.white))
    pl.store(picture, sys.argv[1], (701, 503), workers=1, shard=128, chunk=64, zoom=3.7, center=(0.3, -0.2))
"""


def test_a_client_that_is_killed_leaves_a_store_that_resumes(client: Any, undisturbed: Path, tmp_path: Path):
    path = tmp_path / "poster.ome.zarr"
    run = subprocess.Popen([sys.executable, "-c", SCRIPT, str(path)], start_new_session=True)
    until = time.monotonic() + 100
    while len([*path.glob("0/c/0/*/*")]) < 3:
        assert time.monotonic() < until, "nothing was written"
        time.sleep(0.01)
    # Client, scheduler and workers at once.
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    time.sleep(0.2)
    stored = pl.store(PICTURE, path, SIZE, client=client, **HOW)
    assert stored.found + stored.drawn == 33
    assert digests(path) == digests(undisturbed)


def test_a_worker_that_is_killed_loses_nothing(client: Any, undisturbed: Path, tmp_path: Path):
    path = tmp_path / "poster.ome.zarr"
    killed: list[int] = []

    def progress(done: int, total: int) -> None:
        if done >= 3 and not killed:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    pl.store(PICTURE, path, SIZE, client=client, progress=progress, **HOW)
    assert killed
    assert digests(path) == digests(undisturbed)


# ---- bad input ----


def _refused(error: type[Exception], message: str, path: Path, **more: Any) -> None:
    with pytest.raises(error, match=message) as caught:
        pl.store(PICTURE, path, more.pop("size", SIZE), **{**HOW, **more})
    assert "\n" not in str(caught.value)


BAD: dict[str, tuple[str, dict[str, Any], str]] = {
    "no store": ("poster.png", {},
        r"path: poster.png is no store; end its name in one of .ome.zarr, .zarr, .tif, .tiff, .dzi"),
    "no name": (".zarr", {}, r"path: .zarr is no store"),
    "shards that do not divide": ("a.zarr", {"chunk": 100}, r"chunk: 100 does not divide the 128 of a shard"),
    "a shard too large": ("a.zarr", {"shard": 1 << 14}, r"shard: 16384 is out of range"),
    "too many levels": ("a.zarr", {"levels": 40}, r"levels: 40 is out of range"),
    "sizes past the limits": ("a.zarr", {"size": 1 << 40}, r"size: .* is too large"),
    "nearly": ("a.zarr", {"samples": 4, "tolerance": 0.1}, r"tolerance: shards are exact"),
    "no scheduler": ("a.zarr", {"client": "tcp://127.0.0.1:9"}, r"no scheduler answers .*; start one with"),
    "no address": ("a.zarr", {"client": "nowhere"}, r"'nowhere': no scheduler answers"),
    "workers and a client": ("a.zarr", {"client": "tcp://127.0.0.1:9", "workers": 2}, r"workers: a client has its own"),
    "levels of Deep Zoom": ("a.dzi", {"levels": 2}, r"levels: Deep Zoom has all 11 levels; leave it out"),
    "tiles of a TIFF": ("a.tif", {"shard": 120, "chunk": 24}, r"chunk: 24 is no side of a tile .* multiple of 16"),
    "no workers": ("a.zarr", {"workers": 0}, r"workers: 0 is out of range"),
    "no parameter": ("a.zarr", {"params": {"x": 1.0}}, r"params: the picture has no parameter 'x'"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_before_anything_is_written(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    name, more, message = BAD[case]
    monkeypatch.setattr(workers, "PATIENCE", 0.5)
    _refused(InputError, message, tmp_path / name, **dict(more))
    assert [*tmp_path.iterdir()] == []


def test_a_store_of_another_picture_is_refused_with_what_differs(client: Any, undisturbed: Path):
    before = digests(undisturbed)
    with pytest.raises(InputError, match=r"another picture or view \(card: "):
        pl.store(im.udisk, undisturbed, SIZE, client=client, **HOW)
    _refused(InputError, r"\(zoom: 3.7, not 3.5\); choose another name", undisturbed, zoom=3.5, client=client)
    _refused(
        InputError, r"is there already; remove it, or resume it", undisturbed, resume=False, client=client
    )
    assert digests(undisturbed) == before


def test_a_folder_of_something_else_is_left_alone(client: Any, tmp_path: Path):
    (tmp_path / "a.zarr").mkdir()
    (tmp_path / "a.zarr" / "mine.txt").write_text("mine")
    _refused(InputError, r"is there, and no store of pellucid", tmp_path / "a.zarr", client=client)
    assert [p.name for p in (tmp_path / "a.zarr").iterdir()] == ["mine.txt"]


def test_workers_of_another_version_are_told_before_anything_is_written(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(workers, "__version__", "99.0")
    _refused(
        InputError,
        r"its workers have pellucid .*, not 99.0; install the same",
        tmp_path / "a.zarr",
        client=client,
    )
    assert [*tmp_path.iterdir()] == []


def test_two_writers_of_one_store_are_one_too_many(client: Any, undisturbed: Path):
    with folders.locked(undisturbed):
        _refused(InputError, r"another process writes this store; wait", undisturbed, client=client)


def test_a_full_disk_is_told_with_how_to_go_on(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    import errno

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(folders, "_make_arrays", full)
    _refused(
        FileError,
        r"the disk is full; free some space; the same call then goes on",
        tmp_path / "a.zarr",
        client=client,
    )


def test_workers_that_do_not_answer_are_no_matter_of_the_folder(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def silent(*_: object) -> None:
        raise TimeoutError("no answer")

    monkeypatch.setattr(workers.ShardWorkers, "run", silent)
    _refused(
        FileError,
        r"cannot be gone on with \(TimeoutError: no answer\); see whether the workers run; the same call",
        tmp_path / "a.zarr",
        client=client,
    )


def test_a_store_that_replaces_a_removed_one_is_not_taken_for_it(client: Any, tmp_path: Path):
    path = tmp_path / "a.zarr"
    for zoom in (3.7, 5.0):
        pl.store(PICTURE, path, 100, shard=64, chunk=32, zoom=zoom, client=client)
        shard = shards.read_manifest(path)
        found = shards.stored(str(path), Manifest.of(shard).digest, 0, (0, 0, 100, 100))
        np.testing.assert_array_equal(found, pl.render(PICTURE, 100, zoom=zoom))
        shutil.rmtree(path)


def test_a_client_that_never_connected_is_the_default_one_and_keeps_nobody_waiting(
    client: Any, tmp_path: Path
):
    import distributed

    kept: list[BaseException] = []
    try:
        distributed.Client("nowhere")
    except ValueError as error:
        kept.append(error)  # Its frames hold the client.
    assert distributed.default_client() is not client
    stored: list[Any] = []
    how: dict[str, Any] = {"shard": 64, "chunk": 32, "client": client}
    call = threading.Thread(
        target=lambda: stored.append(pl.store(PICTURE, tmp_path / "a.zarr", 100, **how)), daemon=True
    )
    call.start()
    call.join(60)
    assert [each.drawn for each in stored] == [4]


def test_verification_finds_a_shard_of_other_pixels(client: Any, undisturbed: Path, tmp_path: Path):
    path = tmp_path / "poster.ome.zarr"
    shutil.copytree(undisturbed, path)
    shutil.copy(path / "0/c/0/0/0", path / "0/c/0/1/0")
    _refused(
        FileError,
        r"a shard is not what the picture gives; remove .*/0/c/0/1/0",
        path,
        client=client,
        verify=100,
    )


def test_without_the_extra_one_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "zarr", None)
    _refused(MissingExtraError, r"pip install 'pellucid\[scale\]'", tmp_path / "a.zarr")
    assert [*tmp_path.iterdir()] == []


def test_straight_colors_count_by_their_alpha_in_means():
    pixels = np.array([[[200, 0, 0, 255], [0, 0, 0, 0]], [[100, 0, 0, 255], [0, 0, 0, 0]]], np.uint8)
    assert halved(pixels).tolist() == [[[150, 0, 0, 128]]]
    assert halved(pixels, straight=False).tolist() == [[[75, 0, 0, 128]]]


@pytest.mark.parametrize("shape", [(2, 2), (6, 5), (1, 7), (131, 4)])
def test_channels_are_halved_by_their_rounded_means(shape):
    pixels = np.random.default_rng(1).integers(0, 256, (*shape, 4), np.uint8)
    opaque = pixels.copy()
    opaque[..., 3] = 255
    for given, straight in ((pixels, False), (opaque, True)):
        padded = np.pad(given.astype(int), ((0, shape[0] % 2), (0, shape[1] % 2), (0, 0)), mode="edge")
        four = padded.reshape(padded.shape[0] // 2, 2, padded.shape[1] // 2, 2, 4)
        assert (halved(given, straight=straight) == (four.sum((1, 3)) + 2) // 4).all()


def test_a_shard_is_whole_only_with_its_index(undisturbed: Path, tmp_path: Path):
    manifest, _ = shards.opened(str(undisturbed), Manifest.of(shards.read_manifest(undisturbed)).digest)
    file = manifest.file(undisturbed, ShardPlace(0, 0, 0))
    assert is_whole(file, shards.chunks_of(manifest))
    (tmp_path / "short").write_bytes(file.read_bytes()[:100])
    assert not is_whole(tmp_path / "short", shards.chunks_of(manifest))
    assert not is_whole(tmp_path / "none", shards.chunks_of(manifest))
