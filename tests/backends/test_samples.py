"""Supersampled frames on the tile machine are the mean of all samples, bit for bit, with few of them computed."""

from __future__ import annotations

import numpy as np
import pytest
from examples import gallery
from tests.kernels import kernel_of

import pellucid as pl
from pellucid import images as im
from pellucid.backends.tiles.supersample.resolve import mean_of
from pellucid.backends.tiles.supersample.running import SampledCode
from pellucid.base.errors import BackendError
from pellucid.driver.frame import FrameVariant
from pellucid.ir import expr as E
from pellucid.ir import types as T

FILES = gallery.files()
KINDS = [("relaxed", "f32", 4), ("exact", "f64", 3), ("exact", "f32", 16)]
SMOOTH = FrameVariant("straight", True)


def board() -> object:
    """A picture of edges, whose squares are of one color each."""
    return im.swirl(3.0, im.checkerboard(1, im.red, im.blue))


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("number", "path"), list(enumerate(FILES)), ids=lambda x: getattr(x, "stem", ""))
def test_pictures_of_the_gallery_are_the_mean_of_all_samples(number, path):
    shown = gallery.load(path)
    numerics, precision, samples = KINDS[number % len(KINDS)]
    options = {"numerics": numerics, "precision": precision}
    view = {"center": shown.center, "zoom": 45 / shown.width, "time": shown.time, "samples": samples}
    try:
        drawn = kernel_of(shown.picture, "tiles", **options).render((45, 29), **view)
    except BackendError as problem:
        if "iterate" not in str(problem):
            raise
        return
    expected = kernel_of(shown.picture, "llvm", **options).render((45, 29), **view)
    assert np.array_equal(drawn, expected)


@pytest.mark.parametrize("samples", [2, 3, 4, 5, 6, 7, 8, 16, 64])
def test_any_number_of_samples_is_right_to_the_last_pixel(samples):
    tiles, llvm = (pl.compile(board(), backend=name) for name in ("tiles", "llvm"))
    for size in [(1, 1), (21, 5), (66, 35)][: 3 if samples <= 16 else 2]:
        view = {"zoom": max(size) / 8, "center": (0.31, -0.17), "samples": samples, "threads": 2}
        assert np.array_equal(tiles.render(size, **view), llvm.render(size, **view))
        assert np.array_equal(tiles.premultiplied(size, **view), llvm.premultiplied(size, **view))


def test_the_number_of_samples_is_an_argument_like_any_other():
    tiles, llvm = (pl.compile(board(), backend=name) for name in ("tiles", "llvm"))
    for samples in (4, 2, 5, 4):
        view = {"zoom": 9.0, "samples": samples}
        assert np.array_equal(tiles.render((40, 30), **view), llvm.render((40, 30), **view))


def test_colors_with_alpha_and_numbers_beyond_all_bounds_are_right():
    @pl.image
    def odd(p):
        return 1.0 / p.x, pl.sqrt(p.y), p.x * p.y * 1e30 * 1e30, pl.clamp(p.x, 0.0, 1.0)

    @pl.image
    def veil(p):
        alpha = pl.clamp(p.x, 0.0, 1.0) * 0.8
        return 0.25 * alpha, 0.5 * alpha, pl.where(p.y > 0.3, alpha, 0.0), alpha

    # A blue that falls where the red rises: with relaxed numerics a step of two parts.
    slope = pl.image(lambda p: (p.x, 0.5 * p.x, 1.0 - p.x, 1.0))
    for picture in (odd, veil, slope):
        tiles, llvm = (pl.compile(picture, backend=name) for name in ("tiles", "llvm"))
        for samples in (3, 4):
            view = {"zoom": 10.0, "samples": samples}
            assert np.array_equal(tiles.render((48, 32), **view), llvm.render((48, 32), **view))


def test_a_picture_of_regions_costs_a_small_part_of_the_samples():
    kernel = pl.compile(im.annulus(0.9), backend="tiles")
    kernel.render((512, 512), zoom=64, samples=4)
    counts = kernel.code(SMOOTH).counts
    assert 0 < counts.samples < 512 * 512 * 16 / 20
    assert counts.filled > 0.9 * 512 * 512


def test_one_color_costs_no_sample():
    kernel = pl.compile(pl.image(lambda p: (1.0, 0.2, 0.0, 1.0)), backend="tiles")
    assert (kernel.render((33, 20), samples=7) == [255, 51, 0, 255]).all()
    code = kernel.code(SMOOTH)
    assert isinstance(code, SampledCode)
    assert code.counts.samples == 0


def test_only_sums_over_rows_of_samples_are_means():
    across, down, total = (E.state(0, 0, T.i32), E.state(0, 1, T.i32), E.state(0, 2, T.f32))
    zero, one, side = E.const(0, T.i32), E.const(1, T.i32), E.param("samples", T.i32)
    more = E.apply("add", across, one)
    wrapped = E.apply("le", side, more)
    counters = (
        E.apply("choose", wrapped, zero, more),
        E.apply("choose", wrapped, E.apply("add", down, one), down),
    )
    nothing = E.const(0.0, T.f32)

    def word(step: E.Expr, stop: E.Expr = E.FALSE, start: E.Expr = nothing) -> E.Expr:
        limit = E.apply("mul", side, side)
        *_, result = E.iterate((zero, zero, start), (*counters, step), stop, limit, 0)
        return E.apply("truncate_in", result, attr=T.u32)

    x = E.apply("convert", across, attr=T.f32)
    found = mean_of(word(E.apply("add", total, x)))
    assert found is not None
    assert found.values == (x,)
    assert found.form.updates == ((("add", (0,)),),)
    one_less = E.apply("sub", E.apply("add", total, x), E.const(1.0, T.f32))
    found = mean_of(word(one_less))
    assert found is not None
    assert found.form.updates == ((("add", (0,)), ("sub", (1,))),)
    assert mean_of(word(E.apply("mul", total, x))) is None
    assert mean_of(word(E.apply("sub", x, total))) is None
    assert mean_of(word(E.apply("add", total, E.apply("mul", total, x)))) is None
    assert mean_of(word(E.apply("add", total, x), stop=E.TRUE)) is None
    assert mean_of(word(E.apply("add", total, x), start=E.const(-0.0, T.f32))) is None
    assert mean_of(E.apply("truncate_in", x, attr=T.u32)) is None
