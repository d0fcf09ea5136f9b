"""Algebraic laws of the vocabulary, on random points and random pictures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid import images as im
from pellucid.tracing import Point

RANDOM = np.random.default_rng(11)
X, Y = RANDOM.uniform(-5, 5, (2, 300))

factors = st.floats(0.05, 20).flatmap(lambda f: st.sampled_from([f, -f]))
angles = st.floats(-10, 10)
small = st.floats(-4, 4)

SMOOTH = im.sin(im.x) + 0.3 * im.cos(2.0 * im.y) * im.x
REGIONS = [im.checker, im.udisk, im.rad_reg(5), im.alt_rings, im.vstrip, im.everywhere, im.nowhere, im.gasket]
regions = st.sampled_from(REGIONS)
components = st.floats(0, 1)


def at(picture):
    return picture.at(X, Y, precision="f64")


def close(first, second):
    return np.allclose(at(first), at(second), atol=1e-9)


@given(factors, factors)
def test_stretching_composes_by_multiplying(a, b):
    assert np.allclose(at(im.ustretch(a, im.ustretch(b, im.x + im.y))), at(im.ustretch(a * b, im.x + im.y)))


@given(angles, angles)
def test_turning_composes_by_adding(a, b):
    assert close(im.turn(a, im.turn(b, SMOOTH)), im.turn(a + b, SMOOTH))


@given(small, small, small, small)
def test_moving_composes_by_adding(a, b, c, d):
    assert close(im.move((a, b), im.move((c, d), SMOOTH)), im.move((a + c, b + d), SMOOTH))


@given(st.floats(0.5, 50))
def test_swirling_back_undoes_swirling(radius):
    assert close(im.swirl(-radius, im.swirl(radius, SMOOTH)), SMOOTH)


@given(small, small, angles)
def test_about_fixes_its_point(x, y, angle):
    for transform in (im.rotate(angle), im.uscale(angle), im.swirling(5)):
        p = im.about((x, y), transform)(Point(x, y))
        assert np.allclose([p.x, p.y], [x, y])


def test_rad_invert_is_an_involution():
    assert close(im.rad_invert(im.rad_invert(SMOOTH)), SMOOTH)


@given(regions, regions, regions)
def test_regions_are_a_boolean_algebra_point_by_point(a, b, c):
    def same(p, q):
        return np.array_equal(at(p), at(q))

    assert same(a & b, b & a)
    assert same(a | b, b | a)
    assert same(a & (b | c), (a & b) | (a & c))
    assert same(a | (b & c), (a | b) & (a | c))
    assert same(a & ~a, im.nowhere)
    assert same(a | ~a, im.everywhere)
    assert same(~(a & b), ~a | ~b)
    assert same(~~a, a)
    assert same(a ^ b, (a - b) | (b - a))
    assert same(a & im.everywhere, a)
    assert same(a | im.nowhere, a)
    assert same(im.union(a, b, c), a | b | c)
    assert same(im.intersect(a, b, c), a & b & c)
    assert same(im.xor(a, b, c), a ^ b ^ c)
    assert same(im.subtract(a, b), a & im.complement(b))


@st.composite
def colored(draw):
    r, g, b, a = (draw(components) for _ in range(4))
    color = im.rgba(r, g, b, a)
    return im.cond(draw(regions), color, im.rgba(g, a, r, b))


@given(colored(), colored(), colored())
def test_over_is_associative(a, b, c):
    assert close(im.over(a, im.over(b, c)), im.over(im.over(a, b), c))


@given(colored())
def test_empty_is_the_unit_of_over(a):
    assert np.array_equal(at(im.over(im.empty, a)), at(a))
    assert np.array_equal(at(im.over(a, im.empty)), at(a))


@given(colored(), colored(), colored())
def test_stack_is_over_from_the_top(a, b, c):
    assert close(im.stack(a, b, c), im.over(a, im.over(b, c)))


@given(colored())
def test_inverting_twice_changes_nothing(a):
    assert close(im.invert(im.invert(a)), a)


@given(colored(), colored(), components)
def test_lerp_is_the_weighted_mean(a, b, w):
    assert np.allclose(at(im.lerp(w, a, b)), w * at(a) + (1 - w) * at(b))


@pytest.mark.parametrize("cell", [(1, 1), (2, 0.5)])
def test_tiles_repeat_and_the_cell_about_the_origin_is_the_image(cell):
    tiled = im.tile(cell, SMOOTH)
    assert close(im.move(cell, tiled), tiled)
    x, y = RANDOM.uniform(-0.49, 0.49, (2, 50)) * np.array(cell)[:, None]
    assert np.allclose(tiled.at(x, y, precision="f64"), SMOOTH.at(x, y, precision="f64"))


def test_reflections_meet_without_a_step():
    folded = im.reflect((1, 1), SMOOTH)
    x, y = RANDOM.uniform(-0.49, 0.49, (2, 50))
    assert np.allclose(folded.at(x, y, precision="f64"), SMOOTH.at(x, y, precision="f64"))
    edge = np.linspace(-3, 3, 25)
    for k in (0.5, 1.5, -2.5):
        assert np.allclose(
            folded.at(k - 1e-9, edge, precision="f64"), folded.at(k + 1e-9, edge, precision="f64"), atol=1e-6
        )


def test_a_rosette_has_rotational_symmetry_and_a_kaleidoscope_mirrors_too():
    rosette = im.rosette(5, SMOOTH)
    assert close(im.turn(2 * np.pi / 5, rosette), rosette)
    kaleidoscope = im.kaleidoscope(6, SMOOTH)
    assert close(im.turn(2 * np.pi / 6, kaleidoscope), kaleidoscope)
    assert close(im.stretch((1, -1), kaleidoscope), kaleidoscope)
    assert close(im.mirror(SMOOTH), im.stretch((-1, 1), im.mirror(SMOOTH)))
