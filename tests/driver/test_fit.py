"""Pictures without a view: `pl.fit` finds one with something to see, and only what people look at is framed by it."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from examples import gallery
from hypothesis import given, settings
from hypothesis import strategies as st

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import ArgumentError, InputError
from pellucid.cli import main
from pellucid.driver import compiled
from pellucid.driver import fit as fitting
from pellucid.driver.cache import Cache
from pellucid.notebook import png_bytes

BOARD = im.checkerboard(1, im.red, im.blue)
PICTURES = {"disk": im.udisk, "board": BOARD, "wave": im.wave_dist, "swirl": im.swirl(2, im.vstrip)}


def differing(picture: object, view: pl.View) -> float:
    """The part of the pixels that differs from the most frequent color."""
    words = np.ascontiguousarray(pl.render(picture, view=view)).view(np.uint32)
    return 1 - np.unique(words, return_counts=True)[1].max() / words.size


@pytest.mark.one_in(3)
@pytest.mark.parametrize("path", gallery.files(), ids=lambda path: path.stem)
def test_there_is_something_to_see_in_the_view_that_is_found(path):
    shown = gallery.load(path)
    view = pl.fit(shown.picture, (96, 64), time=shown.time)
    assert (view.size, view.center, view.time) == ((96, 64), (0.0, 0.0), shown.time)
    assert differing(shown.picture, view) > 0.05


@pytest.mark.parametrize("name", PICTURES)
@settings(max_examples=12, deadline=None)
@given(scale=st.integers(-3, 6))
def test_a_picture_made_larger_is_seen_from_farther_away(name, scale):
    picture = PICTURES[name]
    larger = pl.fit(im.ustretch(2.0**scale, picture), 60)
    assert abs(math.log2(pl.fit(picture, 60).zoom / larger.zoom) - scale) <= 1


def test_the_same_picture_gives_the_same_view_whatever_it_is_compiled_by():
    for picture in PICTURES.values():
        view = pl.fit(picture, (300, 200))
        for options in ({}, {"backend": "tiles"}, {"numerics": "exact"}, {"precision": "f64"}):
            assert pl.fit(pl.compile(picture, **options), (300, 200)) == view
        # The shape matters, the number of pixels does not.
        assert pl.fit(picture, (600, 400)).zoom == pytest.approx(2 * view.zoom)


def test_what_is_plain_or_told_a_zoom_is_left_alone():
    for plain in (im.const(im.red), im.empty, im.const(0.0), im.everywhere):
        assert pl.fit(plain, 64) == pl.View(64)
    assert pl.fit(im.udisk, 64, zoom=3.0) == pl.View(64, zoom=3.0)
    far = pl.fit(im.move((1e5, 0), im.udisk), 64, center=(1e5, 0.0))
    assert far.center == (1e5, 0.0)
    assert differing(im.move((1e5, 0), im.udisk), far) > 0.05


def test_pixels_of_the_view_that_is_found_have_coordinates_of_their_own():
    for x in (1e6, 7.5e6):
        disk = im.move((x, 0), im.udisk)
        for size in ((4096, 8), (1 << 20, 4)):
            view = pl.fit(disk, size, center=(x, 0.0))
            assert pl.render(disk, view=view).shape == (size[1], size[0], 4)
    # Narrower than a unit, which no pixel is in f32 at so many of them.
    assert pl.fit(disk, (1 << 20, 4), center=(7.5e6, 0.0)).zoom == 1.0
    assert pl.fit(disk, (1 << 20, 4), center=(7.5e6, 0.0), precision="f64").zoom > 1e4


def test_time_and_parameters_are_those_that_are_given():
    size = pl.param("size", 1.0, low=0.5, high=100.0)
    growing = pl.animation(lambda t: im.ustretch(size * (1 + t), im.udisk))
    zoom = pl.fit(growing, 60).zoom
    assert pl.fit(growing, 60, time=7.0).zoom == pytest.approx(zoom / 8)
    assert pl.fit(growing, 60, params={"size": 64.0}).zoom == pytest.approx(zoom / 64)
    with pytest.raises(InputError, match="params: the picture has no parameter 'sise'; did you mean 'size'"):
        pl.fit(growing, 60, params={"sise": 2.0})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"size": 0}, "size: 0x0 has no pixels"),
        ({"center": (math.nan, 0)}, "center: nan is not a finite number"),
        ({"zoom": 0}, "zoom: 0 pixels per unit"),
        ({"time": math.inf}, "time: inf is not a finite number"),
        ({"precision": "f16"}, "precision: 'f16' is not known"),
        ({"precision": ""}, "precision: '' is not known"),
    ],
)
def test_a_mistake_is_the_same_as_in_every_verb(given, message):
    with pytest.raises(InputError, match=message):
        pl.fit(im.udisk, **given)
    with pytest.raises(InputError, match="'swirl' is not a picture"):
        pl.fit("swirl")
    with pytest.raises(ArgumentError, match="unexpected keyword argument 'view'; a view has size, center"):
        pl.fit(im.udisk, view=pl.View(64))
    with pytest.raises(InputError, match="precision: this picture is compiled already; leave it out"):
        pl.fit(pl.compile(im.udisk), precision="f64")
    assert pl.fit(pl.compile(im.udisk), 64, precision="f32") == pl.fit(im.udisk, 64)


def test_pictures_are_framed_where_people_look(tmp_path, capsys):
    file, out = tmp_path / "picture.py", tmp_path / "out.npy"
    file.write_text("from pellucid import images as im\npicture = im.checkerboard(1, im.red, im.blue)\n")
    for words, view in (
        ([], pl.fit(BOARD)),
        (["--size", "40x20"], pl.fit(BOARD, (40, 20))),
        (
            ["--size", "40x20", "--center", "3,1", "--precision", "f64"],
            pl.fit(BOARD, (40, 20), center=(3.0, 1.0)),
        ),
        (["--size", "40x20", "--zoom", "2"], pl.View((40, 20), zoom=2.0)),
    ):
        assert main(["render", str(file), "-o", str(out), *words]) == 0
        np.testing.assert_array_equal(np.load(out), pl.render(BOARD, view=view))
    assert main(["animate", str(file), "-o", str(out), "--size", "40x20", "--seconds", "0.1"]) == 0
    np.testing.assert_array_equal(np.load(out)[0], pl.render(BOARD, view=pl.fit(BOARD, (40, 20))))
    assert main(["explain", str(file), "--tiles", "--size", "64"]) == 0
    assert capsys.readouterr().out == str(pl.explain_tiles(BOARD, view=pl.fit(BOARD, 64)))
    shown, wanted = io.StringIO(), io.StringIO()
    pl.show(BOARD, 64, mode="ascii", stream=shown)
    pl.show(BOARD, view=pl.fit(BOARD, 64), mode="ascii", stream=wanted)
    assert shown.getvalue() == wanted.getvalue()
    assert png_bytes(BOARD) == png_bytes(BOARD, view=pl.fit(BOARD, (400, 300)))


def test_what_programs_compute_is_one_unit_per_pixel():
    plain = pl.View(64)
    np.testing.assert_array_equal(pl.render(BOARD, 64), pl.render(BOARD, view=plain))
    np.testing.assert_array_equal(pl.compile(BOARD).render(64), pl.render(BOARD, view=plain))
    with pl.Session(64) as session:
        np.testing.assert_array_equal(session.update(BOARD).pixels, pl.render(BOARD, view=plain))


def test_a_bitmap_is_seen_whole():
    busy = im.bitmap(np.random.default_rng(1).integers(0, 256, (160, 240), np.uint8))
    for size, zoom in (((480, 320), 2.0), ((400, 300), 400 / 240), ((100, 320), 100 / 240), ((960, 64), 0.4)):
        assert pl.fit(busy, size) == pl.View(size, zoom=zoom)
    assert pl.fit(busy.crop_rect(0, 0, 2, 1), 64).zoom == 32
    assert pl.fit(pl.compile(busy), (480, 320)).zoom == 2
    # What is made of it has no size.
    assert pl.fit(busy.turn(0.5), (480, 320)).zoom != 2


@pytest.fixture
def searched(tmp_path, monkeypatch):
    """The views that are searched for; what is kept is in files of the test's own."""
    done = []
    search = fitting._width

    def counted(kernel, view, options):
        done.append(view)
        return search(kernel, view, options)

    monkeypatch.setattr(fitting, "_width", counted)
    return done


def fitted_anew(folder, monkeypatch, picture, **view):
    """The view that a process finds which has only files."""
    store = Cache(folder)
    monkeypatch.setattr(compiled, "cache", lambda: store)
    return pl.fit(picture, **{"size": 64, **view})


def test_a_view_that_was_found_is_known_to_the_next_process(tmp_path, monkeypatch, searched):
    size = pl.param("size", 3.0, 1, 9)
    board, plain = im.checkerboard(size, im.red, im.blue), im.const(im.red)
    views = [{}, {"size": (64, 32)}, {"center": (1, 2)}, {"params": {"size": 7.0}}, {"precision": "f64"}]
    asked = [(board, view) for view in views] + [(plain, {})]
    first, again = (
        [fitted_anew(tmp_path, monkeypatch, picture, **view) for picture, view in asked] for _ in range(2)
    )
    assert first == again
    assert len(searched) == len(asked)


def test_what_a_picture_reads_from_memory_is_looked_at_each_time(tmp_path, monkeypatch, searched):
    picture = im.warp(lambda p: p, im.bitmap(np.full((16, 16, 4), 255, np.uint8)))
    for _ in range(2):
        fitted_anew(tmp_path, monkeypatch, picture)
    assert len(searched) == 2
