"""Distances from regions: against the nearest point of the other side, by hand, and refused where none is known."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import VocabularyError

STEP = 1 / 16
AXIS = np.arange(-4, 4 + STEP, STEP)
X, Y = np.meshgrid(AXIS, AXIS)

EXACT = {
    "disk": im.disk(1.3),
    "udisk": im.udisk,
    "annulus": im.annulus(0.4),
    "annulus without a hole": im.annulus(0),
    "half plane": im.half_plane(0.6),
    "strip": im.vstrip,
    "inside": im.sdf_inside(im.sdf_box(2, 1)),
    "outside": ~im.disk(1.3),
    "complement": im.complement(im.sdf_inside(im.sdf_box(2, 1))),
    "moved": im.move((0.5, -1), im.disk(1)),
    "turned": im.turn(0.7, im.sdf_inside(im.sdf_box(3, 1))),
    "stretched": im.ustretch(-1.5, im.move((1, 0), im.annulus(0.5))),
    "xor": im.disk(1.5) ^ im.move((1, 0), im.disk(1)),
    "word xor": im.xor(im.disk(1.5), im.move((1, 0), im.disk(1)), im.vstrip),
}
UNDERSTATED = {
    "stroke": im.sdf_stroke(0.3, im.sdf_star(5, 2, 1)),
    "union": im.disk(1) | im.move((1, 0), im.disk(1)),
    "word union": im.union(im.disk(1), im.move((1, 0), im.disk(1)), im.vstrip),
    "intersection": im.disk(1) & im.half_plane(0.3),
    "word intersect": im.intersect(im.disk(1.5), im.half_plane(0.3), im.move((1, 0), im.disk(1))),
    "difference": im.disk(1.5) - im.move((1, 0), im.disk(1)),
    "subtract": im.subtract(im.disk(1.5), im.vstrip),
}


def nearest(region: im.Image, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The signed distance from a point to the nearest point of a grid on the other side, negative inside."""
    grid, here = region.at(X, Y), region.at(x, y)
    far = np.hypot(x[:, None] - X.ravel(), y[:, None] - Y.ravel())
    other = np.where(grid.ravel() != here[:, None], far, np.inf).min(axis=1)
    return np.where(here, -other, other)


def points() -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(0)
    return draw.uniform(-2, 2, 300), draw.uniform(-2, 2, 300)


@pytest.mark.parametrize("name", EXACT)
def test_an_exact_distance_is_that_of_the_nearest_point_of_the_other_side(name: str):
    x, y = points()
    found, want = im.distance(EXACT[name]).at(x, y), nearest(EXACT[name], x, y)
    assert np.abs(found).max() > 0.2
    assert np.abs(found - want).max() < 1.5 * STEP


@pytest.mark.parametrize("name", UNDERSTATED)
def test_a_combination_understates_at_most(name: str):
    x, y = points()
    found, want = im.distance(UNDERSTATED[name]).at(x, y), nearest(UNDERSTATED[name], x, y)
    assert (np.sign(found) == np.sign(want)).all()
    assert (np.abs(found) <= np.abs(want) + 1e-5).all()
    assert (np.abs(found - want) < 1.5 * STEP).mean() > 0.3


def test_a_field_is_its_own_distance():
    heart = im.sdf_heart(3)
    assert im.distance(heart) is heart
    assert im.distance(im.sdf_inside(heart)) is heart


def test_a_method_and_a_slider():
    assert im.disk(2).distance().at(5, 0) == 3
    size = pl.param("size", 1.0, 0.5, 2.0)
    assert im.distance(im.disk(size)).at(5, 0) == 4
    assert pl.render(im.glow(im.annulus(pl.param("inner", 0.5, 0, 1)), 1, im.red), (8, 8)).any()


@pytest.mark.parametrize(
    "region", [im.checker, im.x < 0.5, im.everywhere, im.stretch((2, 1), im.disk(1)), im.disk(1) | im.checker]
)
def test_a_region_whose_distance_is_not_known_is_refused(region: im.Image):
    for ask in (im.distance, lambda shape: im.glow(shape, 1, im.red)):
        with pytest.raises(VocabularyError, match="is not known, only where its inside is; make it of disk"):
            ask(region)


def test_no_distance_from_colors():
    with pytest.raises(VocabularyError, match="shape is Image Color, neither a region nor a distance"):
        im.distance(im.const(im.red))
    with pytest.raises(VocabularyError, match="radius is 0"):
        im.glow(im.disk(1), 0, im.red)


def test_a_glow_falls_to_nothing_at_its_radius():
    light = im.glow(im.sdf_box(2, 2), 0.5, im.rgb(1, 0.5, 0))
    opacity = light.at(np.array([0, 1, 1.25, 1.5, 1.75]), 0)[:, 3]
    assert np.allclose(opacity, [1, 1, 0.25, 0, 0], atol=1e-6)
    assert np.allclose(light.at(1.25, 0), [0.25, 0.125, 0, 0.25])


def test_a_glow_moves():
    film = im.glow(im.move((im.seconds, 0), im.disk(1)), 1, im.red)
    assert film.time_varying
    assert film.at(3, 0, 2.0)[3] == 1
    assert film.at(3, 0, 0.0)[3] == 0
