"""The tiles of a frame: they cover it once, are noted by every kind of frame, and can be printed and drawn."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import InputError
from pellucid.cli import main
from pellucid.driver.tiling import Tiles

SIZE = (150, 70)


def tiles_of(**more: object) -> Tiles:
    """The tiles of two disks."""
    return pl.explain_tiles(im.disk(1.0) | im.move((2.0, 0.0), im.disk(0.5)), SIZE, zoom=30, **more)


@pytest.mark.parametrize("samples", [1, 2, 4])
def test_tiles_cover_each_pixel_once(samples):
    found = tiles_of(samples=samples)
    cover = np.zeros(SIZE[::-1], int)
    for x, y, side, _ in found.tiles:
        cover[y : y + side, x : x + side] += 1
    assert (cover == 1).all()
    assert sum(found.areas().values()) == cover.size
    assert (found.counts.samples > 0) == (samples > 1)


@pytest.mark.parametrize("samples", [1, 2])
def test_threads_that_share_the_last_tasks_cover_each_pixel_once(samples):
    size = (700, 330)
    covers: list[np.ndarray] = []
    for threads in (1, 2, 5):
        found = pl.explain_tiles(im.disk(1.0), size, zoom=90, samples=samples, threads=threads)
        cover = np.zeros(size[::-1], int)
        for x, y, side, _ in found.tiles:
            cover[y : y + side, x : x + side] += 1
        assert (cover == 1).all()
        covers.append(found.pixels)
    assert all(np.array_equal(covers[0], other) for other in covers[1:])


def test_filled_tiles_are_of_one_color_and_no_tape_is_longer_than_the_whole():
    found = tiles_of()
    for x, y, side, length in found.tiles:
        part = found.pixels[y : y + side, x : x + side].reshape(-1, 4)
        assert length or (part == part[0]).all()
    assert 0 < found.tiles[:, 3].max() <= found.length
    expected = pl.render(im.disk(1.0) | im.move((2.0, 0.0), im.disk(0.5)), SIZE, zoom=30)
    assert np.array_equal(found.pixels, expected)


def test_the_page_and_the_picture_show_lengths():
    found = tiles_of()
    page = str(found)
    assert f"{len(found.tiles)} tiles; " in page
    assert f"the whole tape has {found.length} instructions" in page
    assert "#" in page
    drawn = found.image()
    assert drawn.shape == found.pixels.shape
    x, y = found.tiles[np.argmax(found.tiles[:, 3]), :2]
    assert drawn[y + 1, x + 1].tolist() == [250, 120, 30, 255]
    assert "samples for each pixel" in str(tiles_of(samples=3))


def test_bad_views_are_refused():
    with pytest.raises(InputError, match="samples"):
        tiles_of(samples=65)
    with pytest.raises(InputError, match="the picture has no parameter 'x'"):
        tiles_of(params={"x": 1.0})
    with pytest.raises(InputError, match="is not a picture"):
        pl.explain_tiles("swirl")


@pytest.fixture
def picture(tmp_path):
    path = tmp_path / "disk.py"
    path.write_text("from pellucid import images as im\npicture = im.disk(20)\n")
    return path


def test_the_command_prints_and_draws(picture, tmp_path, capsys):
    out = tmp_path / "tiles.png"
    assert main(["explain", str(picture), "--tiles", "-o", str(out), "--size", "96x64"]) == 0
    assert "96x64 filled" in capsys.readouterr().out
    assert out.read_bytes()[1:4] == b"PNG"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["-o", "a.png"], "-o: is for tiles alone"),
        (["--tiles", "--backend", "c"], "--backend: c has no tiles"),
        (["--tiles", "--json"], "not allowed with"),
        (["--tiles", "-o", "a.xyz"], "xyz"),
        (["--tiles", "--samples", "99"], "samples: 99 is out of range"),
    ],
)
def test_what_makes_no_sense_is_said(picture, words, problem, capsys):
    assert main(["explain", str(picture), *words]) != 0
    assert problem in capsys.readouterr().err
