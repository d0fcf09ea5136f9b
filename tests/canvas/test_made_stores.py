"""TIFF and Deep Zoom: what is made of a finished store has its bits, and looks whole only when it is."""

from __future__ import annotations

import hashlib
import json
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from PIL import Image

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import BackendError, InputError
from pellucid.canvas import deep_zoom, pyramids
from pellucid.canvas.shards import halved
from pellucid.canvas.store import UNFINISHED

# Dask leaves sockets to the collector of garbage.
pytestmark = pytest.mark.filterwarnings("ignore")

SIZE, VIEW = (403, 301), {"zoom": 3.7, "center": (0.3, -0.2)}
PICTURE = im.swirl(100, im.fill(im.tomato, im.disk(40)))
HOW: dict[str, Any] = {"shard": 128, "chunk": 64, **VIEW}
KINDS = ("a.tif", "a.dzi")


def levels() -> list[np.ndarray]:
    """The levels that are expected, down to one pixel."""
    found = [pl.render(PICTURE, SIZE, **VIEW)]
    while max(found[-1].shape[:2]) > 1:
        found.append(halved(found[-1]))
    return found


def digests(folder: Path) -> dict[str, str]:
    files = [p for p in folder.rglob("*") if p.is_file()]
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


@pytest.fixture(scope="module")
def undisturbed(client: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one of each kind, which nothing disturbed."""
    folder = tmp_path_factory.mktemp("undisturbed")
    for name in KINDS:
        stored = pl.store(PICTURE, folder / name, SIZE, client=client, verify=3, **HOW)
        assert (stored.found, stored.verified) == (0, 3)
    return folder


def test_a_tiff_has_the_bits_of_the_picture_and_of_each_level(undisturbed: Path):
    with tifffile.TiffFile(undisturbed / "a.tif") as file:
        assert file.is_bigtiff
        (series,) = file.series
        assert len(series.levels) == 4, "down to one tile"
        for found, wanted in zip(series.levels, levels(), strict=False):
            np.testing.assert_array_equal(found.asarray(), wanted)
            assert found.keyframe.tile == (64, 64)
            assert found.keyframe.extrasamples == (2,)


def test_a_tiff_is_laid_out_as_a_cloud_optimized_one(undisturbed: Path):
    with tifffile.TiffFile(undisturbed / "a.tif") as file:
        pages = [*file.pages]
    assert pages[0].offset == 16
    offsets = [page.offset for page in pages]
    assert offsets == sorted(offsets), "large levels first"
    firsts = [min(page.dataoffsets) for page in pages]
    assert firsts == sorted(firsts, reverse=True), "tiles of small levels first"
    assert max(offsets) < min(firsts), "all directories before all tiles"
    assert [page.subfiletype for page in pages] == [0, 1, 1, 1]
    assert all(0 not in page.databytecounts for page in pages), "no tile is missing"


def test_premultiplied_colors_are_marked_in_a_tiff(client: Any, tmp_path: Path):
    pl.store(PICTURE, tmp_path / "a.tiff", 100, client=client, alpha="premultiplied", levels=1, **HOW)
    with tifffile.TiffFile(tmp_path / "a.tiff") as file:
        assert file.pages[0].extrasamples == (1,)
        np.testing.assert_array_equal(file.asarray(), pl.render(PICTURE, 100, alpha="premultiplied", **VIEW))


def test_deep_zoom_has_the_bits_of_every_level_down_to_one_pixel(undisturbed: Path):
    space = "{http://schemas.microsoft.com/deepzoom/2008}"
    image = ET.fromstring((undisturbed / "a.dzi").read_text())
    side = int(image.attrib["TileSize"])
    size = image.find(f"{space}Size")
    assert (size.attrib["Width"], size.attrib["Height"]) == ("403", "301")
    expected = levels()
    for number, wanted in enumerate(expected):
        height, width = wanted.shape[:2]
        folder = undisturbed / "a_files" / str(len(expected) - 1 - number)
        found = np.zeros_like(wanted)
        for y in range(0, height, side):
            for x in range(0, width, side):
                with Image.open(folder / f"{x // side}_{y // side}.png") as tile:
                    found[y : y + side, x : x + side] = np.asarray(tile.convert("RGBA"))
        np.testing.assert_array_equal(found, wanted)
        assert len([*folder.iterdir()]) == -(-height // side) * -(-width // side)
    assert (undisturbed / "a.html").is_file()


def test_nothing_is_left_of_the_store_that_they_were_made_of(undisturbed: Path):
    assert sorted(p.name for p in undisturbed.iterdir()) == ["a.dzi", "a.html", "a.tif", "a_files"]


def test_the_same_call_again_finds_what_is_there(client: Any, undisturbed: Path):
    before = digests(undisturbed)
    for name in KINDS:
        stored = pl.store(PICTURE, undisturbed / name, SIZE, client=client, **HOW)
        assert stored.drawn == 0
        assert stored.found > 0
    assert digests(undisturbed) == before


class Killed(BaseException):
    """Ends a call from within, as nothing that it catches does."""


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("part", [0.2, 0.6, 0.97])
def test_a_call_that_ends_anywhere_is_resumed_to_the_bytes_of_an_undisturbed_one(
    name: str, part: float, client: Any, undisturbed: Path, tmp_path: Path
):
    def progress(done: int, total: int) -> None:
        if done >= part * total:
            raise Killed

    with pytest.raises(Killed):
        pl.store(PICTURE, tmp_path / name, SIZE, client=client, progress=progress, **HOW)
    assert not (tmp_path / name).exists(), "it does not look finished"
    assert (tmp_path / f"{name}{UNFINISHED}").is_dir()
    pl.store(PICTURE, tmp_path / name, SIZE, client=client, **HOW)
    wanted = {k: v for k, v in digests(undisturbed).items() if k.startswith("a.tif") == (name == "a.tif")}
    assert digests(tmp_path) == wanted


def test_a_shard_whose_tiles_are_torn_or_missing_is_cut_again(
    client: Any, undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(deep_zoom, "finish", killed)
        with pytest.raises(Killed):
            pl.store(PICTURE, tmp_path / "a.dzi", SIZE, client=client, **HOW)
    torn, missing = tmp_path / "a_files/9/2_1.png", tmp_path / "a_files/8/0_0.png"
    torn.write_bytes(torn.read_bytes()[:-20])
    missing.unlink()
    stored = pl.store(PICTURE, tmp_path / "a.dzi", SIZE, client=client, **HOW)
    assert stored.drawn == 2
    wanted = {name: digest for name, digest in digests(undisturbed).items() if not name.startswith("a.tif")}
    assert digests(tmp_path) == wanted


def test_tiles_without_their_store_are_made_again(client: Any, undisturbed: Path, tmp_path: Path):
    shutil.copytree(undisturbed, tmp_path, dirs_exist_ok=True)
    (tmp_path / "a.dzi").unlink()
    (tmp_path / "a_files/9/2_1.png").write_bytes(b"")
    pl.store(PICTURE, tmp_path / "a.dzi", SIZE, client=client, **HOW)
    assert digests(tmp_path) == digests(undisturbed)


def test_a_store_that_was_to_be_removed_is_removed_later(client: Any, undisturbed: Path, tmp_path: Path):
    shutil.copy(undisturbed / "a.tif", tmp_path)
    (tmp_path / f"a.tif{UNFINISHED}").mkdir()
    pl.store(PICTURE, tmp_path / "a.tif", SIZE, client=client, **HOW)
    assert [p.name for p in tmp_path.iterdir()] == ["a.tif"]


@pytest.mark.parametrize("name", KINDS)
def test_what_is_there_of_another_view_or_maker_is_refused(
    name: str, client: Any, undisturbed: Path, tmp_path: Path
):
    with pytest.raises(
        InputError, match=r"another picture or view \(zoom: 3.7, not 9.5\); choose another name"
    ):
        pl.store(PICTURE, undisturbed / name, SIZE, client=client, **{**HOW, "zoom": 9.5})
    with pytest.raises(InputError, match=r"is there already; remove it, or resume it"):
        pl.store(PICTURE, undisturbed / name, SIZE, client=client, resume=False, **HOW)
    for text in ("mine", "", json.dumps({"pellucid": 3})):
        (tmp_path / name).write_text(text)
        with pytest.raises(
            InputError, match=r"is there, and was not stored by pellucid; choose another name"
        ):
            pl.store(PICTURE, tmp_path / name, SIZE, client=client, **HOW)
        assert (tmp_path / name).read_text() == text
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_a_folder_of_tiles_of_somebody_else_is_left_alone(client: Any, tmp_path: Path):
    (tmp_path / "a_files").mkdir()
    with pytest.raises(InputError, match=r"a_files: is there, and was not stored by pellucid"):
        pl.store(PICTURE, tmp_path / "a.dzi", SIZE, client=client, **HOW)
    assert [*(tmp_path / "a_files").iterdir()] == []


def test_an_installation_without_the_page_says_so_before_it_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(deep_zoom, "PAGE", tmp_path / "nowhere")
    with pytest.raises(BackendError, match=r"this installation has no openseadragon.js; run scripts/setup"):
        pl.store(PICTURE, tmp_path / "a.dzi", SIZE, **HOW)
    assert [*tmp_path.iterdir()] == []


def test_names_are_quoted_in_the_page():
    text = deep_zoom.page('<a> & "b"', "a%20%22_files", (3, 2), 64)
    assert "<title>&lt;a&gt; &amp; &quot;b&quot;</title>" in text
    assert 'src="a%20%22_files/viewer.js"' in text


def test_what_is_no_tiff_has_no_description(tmp_path: Path):
    (tmp_path / "a.tif").write_bytes(b"II+\0" + bytes(12))
    assert pyramids.description_of(tmp_path / "a.tif") is None
