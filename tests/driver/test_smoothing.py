"""Frames whose pixels may be off by a little: how far they are, what they cost, and what may not be asked for."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from examples import gallery

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import BackendError, InputError
from pellucid.cli.arguments import parsed
from pellucid.driver.frame import FrameVariant

FILES = gallery.files()
SIZE = (48, 31)


def off(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """By how much of 255 each pixel differs."""
    return np.abs(a.astype(int) - b).max(-1)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("path", FILES[::3], ids=lambda path: path.stem)
def test_no_pixel_is_off_by_more_than_the_tolerance(path):
    shown = gallery.load(path)
    view = {"center": shown.center, "zoom": SIZE[0] / shown.width, "time": shown.time, "samples": 3}
    try:
        kernel = pl.compile(shown.picture, backend="tiles")
        exact = kernel.render(SIZE, **view)
    except BackendError as problem:
        if "iterate" not in str(problem):
            raise
        return
    for tolerance in (0, 1 / 255, 7 / 255):
        assert off(kernel.render(SIZE, tolerance=tolerance, **view), exact).max() <= round(255 * tolerance)


def test_a_tolerance_saves_the_samples_of_a_gradient():
    slope = pl.image(lambda p: (p.x, 0.5 * p.x, 1.0 - p.x, 1.0))
    kernel = pl.compile(slope, backend="tiles")
    code = kernel.code(FrameVariant("straight", True))
    kernel.render((400, 40), zoom=400, center=(0.5, 0.0), samples=4)
    spent = code.counts.samples
    kernel.render((400, 40), zoom=400, center=(0.5, 0.0), samples=4, tolerance=1 / 255)
    assert 4 * (code.counts.samples - spent) < spent


def test_one_sample_may_have_a_tolerance_too():
    kernel = pl.compile(im.swirl(3.0, im.checkerboard(1, im.red, im.blue)), backend="tiles")
    assert np.array_equal(kernel.render(SIZE, zoom=9, tolerance=0), kernel.render(SIZE, zoom=9))


@pytest.mark.parametrize("name", ["annulus", "gears", "swirled_checkerboard", "plasma", "yin_yang"])
def test_pixels_are_refined_until_the_error_is_met(name):
    (path,) = (p for p in FILES if p.stem == name)
    shown = gallery.load(path)
    view = {"center": shown.center, "zoom": 128 / shown.width, "time": shown.time, "samples": 16}
    kernel = pl.compile(shown.picture, backend="tiles")
    exact = kernel.render((128, 80), **view)
    far = off(kernel.render((128, 80), error=4 / 255, **view), exact)
    # An estimate: what two samples to a row do not see is not looked for.
    assert np.mean(far > 4) < 0.02


def test_an_error_costs_fewer_samples_than_the_most():
    kernel = pl.compile(im.swirl(3.0, im.checkerboard(1, im.red, im.blue)), backend="tiles")
    code = kernel.code(FrameVariant("straight", True))
    spent = [0]
    for more in ({}, {"error": 0.2}, {"error": 0.05}):
        kernel.render((128, 80), zoom=16, samples=16, **more)
        spent.append(code.counts.samples)
    exact, rough, fine = np.diff(spent)
    assert rough < fine < exact


@pytest.mark.parametrize("bad", [-0.1, 1.5, math.nan, math.inf, "a", True, [1]], ids=str)
@pytest.mark.parametrize("word", ["tolerance", "error"])
def test_what_is_no_part_of_a_channel_is_refused(word, bad):
    picture = im.checkerboard(1, im.red, im.blue)
    kernel = pl.compile(picture, backend="tiles")
    for draw in (kernel.render, kernel.premultiplied):
        with pytest.raises(InputError, match=f"{word}: .*from 0 to 1"):
            draw(SIZE, samples=4, **{word: bad})
    with pytest.raises(InputError, match=f"{word}: .*from 0 to 1"):
        pl.render(picture, SIZE, samples=4, backend="tiles", **{word: bad})


@pytest.mark.parametrize("samples", [0, -1, 65, 2.5, "4"])
def test_samples_out_of_range_are_refused(samples):
    with pytest.raises(InputError, match="samples"):
        pl.render(im.checkerboard(1, im.red, im.blue), SIZE, samples=samples, backend="tiles", tolerance=0.1)


def test_what_cannot_be_done_is_said():
    picture = im.checkerboard(1, im.red, im.blue)
    with pytest.raises(InputError, match=r"tolerance: only intervals.*backend='tiles'"):
        pl.render(picture, SIZE, tolerance=0.1, backend="llvm")
    with pytest.raises(InputError, match="error: one sample leaves no choice"):
        pl.render(picture, SIZE, error=0.1, backend="tiles")
    with pytest.raises(InputError, match="error: an estimate is never exact"):
        pl.render(picture, SIZE, error=0, samples=8, backend="tiles")
    with pytest.raises(InputError, match="format"):
        pl.render(picture, SIZE, tolerance=0.1, format="nv12", backend="tiles")


def test_a_picture_without_means_may_be_off_by_a_little():
    red = pl.image(lambda p: (1.0, 0.0, 0.0, 1.0))
    for backend in ("tiles", "auto"):
        assert (pl.render(red, SIZE, samples=4, tolerance=0.1, backend=backend) == [255, 0, 0, 255]).all()


def test_all_samples_are_drawn_where_they_take_less(monkeypatch):
    kernel = pl.compile(im.annulus(0.9))
    exact = kernel.render(SIZE, zoom=9, samples=4)
    code = kernel._smooth_code(FrameVariant("straight", True))
    took, ran = {"few": 0.02, "every": 0.0}, []

    def watched(name, run):
        def watched_run(*args, **more):
            ran.append(name)
            run(*args, **more)
            time.sleep(took[name])

        return watched_run

    for name, one in (("few", code.few), ("every", code.every)):
        monkeypatch.setattr(one, "run", watched(name, one.run))
    for _ in range(8):
        assert off(kernel.render(SIZE, zoom=9, samples=4, tolerance=1 / 255), exact).max() <= 1
    assert ran[-4:] == ["every"] * 4
    assert set(ran) == {"few", "every"}
    took["every"] = 0.2
    for _ in range(12):
        kernel.render(SIZE, zoom=9, samples=4, tolerance=1 / 255)
    assert ran[-1] == "few"


def test_who_may_be_off_by_a_little_gets_tiles_everywhere(tmp_path):
    picture = im.animation(lambda t: im.turn(t, im.checkerboard(1, im.red, im.blue)))
    look = {"size": SIZE, "zoom": 9, "samples": 4, "tolerance": 1 / 255}
    wanted = pl.render(picture, **look, backend="tiles")
    assert np.array_equal(pl.render(picture, **look), wanted)
    pl.save(picture, tmp_path / "still.npy", **look)
    assert np.array_equal(np.load(tmp_path / "still.npy"), wanted)
    pl.animate(picture, tmp_path / "film.npy", seconds=1, fps=2, **look)
    film = np.load(tmp_path / "film.npy")
    for k, frame in enumerate(film):
        assert np.array_equal(frame, pl.render(picture, time=k / 2, **look))
    words = ["--size", f"{SIZE[0]}x{SIZE[1]}", "--zoom", "9", "--samples", "4", "--tolerance", "1/255"]
    source = tmp_path / "board.py"
    source.write_text(
        "from pellucid import images as im\n"
        "picture = im.animation(lambda t: im.turn(t, im.checkerboard(1, im.red, im.blue)))\n"
    )
    assert parsed(["render", str(source), "-o", str(tmp_path / "typed.npy"), *words]) == 0
    assert np.array_equal(np.load(tmp_path / "typed.npy"), wanted)
