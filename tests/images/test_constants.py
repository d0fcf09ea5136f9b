"""A constant means what a symbolic value of that number means, and a constant that is no color is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import TraceError, VocabularyError, brief
from pellucid.ir.interp import evaluate
from pellucid.tracing.tracer import lift

ODD = (math.nan, math.inf, -math.inf, 0.0, -1.5, 7.25)
NOISES = {
    "perlin": im.perlin_noise(),
    "perlin of depth": im.perlin_noise(3, 0.5),
    "value": im.value_noise(),
    "simplex": im.simplex_noise(),
    "cellular": im.cellular("edge"),
    "fbm": im.fbm(im.perlin_noise(), octaves=3),
}


@pytest.mark.parametrize("x", ODD)
@pytest.mark.parametrize("name", NOISES)
def test_noise_at_a_constant_point_is_noise_at_that_point(name: str, x: float):
    noise = NOISES[name]
    (constant,) = evaluate([lift(noise(pl.Point(1.0, x)))], {})
    symbolic = noise.at([1.0], [x])[0]
    # Constants are worked out in double precision, as Python does, and rounded at the end.
    np.testing.assert_allclose(constant, symbolic, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("x", [1e30, -1e30, 2.0**31, -(2.0**31) - 256, 2.0**40])
@pytest.mark.parametrize("name", NOISES)
def test_noise_far_out_is_a_number(name: str, x: float):
    (constant,) = evaluate([lift(NOISES[name](pl.Point(1.0, x)))], {})
    assert constant.dtype == np.float32


@pytest.mark.parametrize(
    "number", [0xFF112233, 2, -1, 255, 2**70, 10**400], ids=lambda number: f"{number:x}"[:9]
)
def test_a_whole_number_is_no_color(number: int):
    with pytest.raises(
        VocabularyError, match=rf"returns the whole number {brief(number)}; return a color.*packed_color"
    ):
        pl.render(pl.image(lambda p: number), (1, 1))


def test_a_packed_color_of_constants_is_that_color():
    assert pl.render(pl.image(lambda p: im.packed_color(17, 34, 51)), (1, 1))[0, 0].tolist() == [
        17,
        34,
        51,
        255,
    ]
    assert pl.render(pl.image(lambda p: 1), (1, 1))[0, 0].tolist() == [255, 255, 255, 255]


@pytest.mark.parametrize("color", [
    (2.0, 0, 0, 1), (0.5, -0.25, 0, 1), (255, 0, 0, 255), (math.nan, 0, 0, 1), (10**400, 0, 0, 1), (1.001, 0, 0, 1),
])  # fmt: skip
def test_components_of_a_constant_color_are_from_0_to_1(color: tuple[float, ...]):
    with pytest.raises(VocabularyError, match="not from 0 to 1; divide by 255"):
        pl.render(pl.image(lambda p: color), (1, 1))


@pytest.mark.parametrize(
    "picture",
    [
        pl.image(lambda p: (pl.where(p.x > 0, 255, 0), 0, 0, 1)),
        pl.image(lambda p: pl.where(p.x > 0, im.Color(16, 0, 0), im.Color(0, p.x, 2))),
        pl.image(lambda p: (p.x, 128, 64, 1)),
        pl.image(lambda p: (p.x, 65535.0, 64, 1)),
        pl.image(lambda p: (p.x, 10**70, 64, 1)),
    ],
)
def test_bytes_are_no_parts_of_a_color_under_a_condition_or_beside_a_number(picture):
    with pytest.raises(
        VocabularyError, match=r"a color with a part of (255|16|128|65535|10{70}), not from 0 to 1; divide by"
    ):
        pl.render(picture, (1, 1))


@pytest.mark.parametrize(
    ("picture", "color"),
    [
        (pl.image(lambda p: (1.0000001, -0.0000001, 0, 1)), [255, 0, 0, 255]),
        (pl.image(lambda p: (pl.where(p.x > -9, 2.0, 0.5), 0, 0, 1)), [255, 0, 0, 255]),
        (pl.image(lambda p: (pl.where(p.x > -9, math.nan, 0.5), 0, 0, 1)), [0, 0, 0, 255]),
        (pl.image(lambda p: (p.x + 9, 1.5, 0, 1)), [255, 255, 0, 255]),
        (im.lift(lambda c: c * 1.5, im.checkerboard(1, im.red, im.blue)), [255, 0, 0, 255]),
        (im.lift(lambda a, b: a + b, im.cond(im.vstrip, im.red, im.lime), im.const(im.red)), [255, 0, 0, 255]),
        (im.lift(lambda c: im.Color(*(2 * x - 0.5 for x in c)), im.checkerboard(1, im.red, im.blue)), [255, 0, 0, 255]),
        (im.cond(im.udisk, im.discrete(lambda i, j: im.packed_color(255, 2, 3)),
                 im.discrete(lambda i, j: im.packed_color(1, 1, 1))), [255, 2, 3, 255]),
    ],
)  # fmt: skip
def test_what_is_computed_beyond_1_is_clamped(picture, color):
    assert pl.render(picture, (1, 1))[0, 0].tolist() == color


def test_three_numbers_are_no_color_and_the_way_is_told():
    with pytest.raises(VocabularyError, match=r"write rgb\(red, green, blue\)"):
        pl.render(pl.image(lambda p: (p.x, 0.5, 0.25)), (1, 1))


def test_coordinates_are_found_by_number_and_nothing_else():
    field = pl.image(lambda p: p[0] - 10 * p[1])
    assert field.at(3.0, 2.0) == -17.0
    for wrong in (2, -1, "x", 0.0, slice(None)):
        with pytest.raises(TraceError, match="a point has no part"):
            pl.Point(1, 2)[wrong]
    with pytest.raises(TraceError, match="a point has no 'z'; it has x, y, r and theta"):
        pl.render(pl.image(lambda p: p.z), (1, 1))
    assert not hasattr(pl.Point(1, 2), "z")


def test_a_picture_is_asked_at_a_point():
    field = pl.image(lambda p: p.x - 10 * p.y)
    assert field.at(pl.Point(3, 2)) == field.at((3, 2)) == field.at(3, 2) == -17
    moving = pl.animation(lambda t: field.move((t, 0)))
    assert moving.at(pl.Point(3, 2), time=1.0) == -18
    for wrong in (5, None, (1, 2, 3), "ab"):
        with pytest.raises(pl.PellucidError, match="is not a point; give x and y, or one Point"):
            field.at(wrong)
    with pytest.raises(pl.PellucidError, match="y is 'up', not a number"):
        field.at(0, "up")


def test_a_step_has_no_width():
    assert [pl.smoothstep(0.5, 0.5, x) for x in (0.4, 0.5, 0.6)] == [0.0, 1.0, 1.0]
    np.testing.assert_array_equal(
        pl.image(lambda p: pl.smoothstep(0.5, 0.5, p.x)).at([0.4, 0.5, 0.6], 0), [0, 1, 1]
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (im.const(1.0) / im.const(0.0), np.inf),
        (-1.0 / im.const(0.0), -np.inf),
        (im.const(5) % 0, 5),
        (im.const(0.0) ** -1, np.inf),
        (im.const(-8.0) ** 0.5, np.nan),
        (im.const(1e308) ** 2, np.inf),
    ],
    ids=str,
)
def test_constants_without_a_result_in_python_have_that_of_the_table(field, value):
    np.testing.assert_array_equal(field.at(1.0, 2.0), value)
