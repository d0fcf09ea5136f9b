"""Every pattern, region and bend of *Functional Images* against its formula in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid import images as im

RANDOM = np.random.default_rng(3)
X, Y = RANDOM.uniform(-4, 4, (2, 600))
R, THETA = np.hypot(X, Y), np.arctan2(Y, X)


def even(v):
    return np.floor(v) % 2 == 0


def checker(x, y):
    return (np.floor(x) + np.floor(y)) % 2 == 0


def rings(r):
    return even(r)


def turned(x, y, angle):
    return x * np.cos(angle) - y * np.sin(angle), y * np.cos(angle) + x * np.sin(angle)


def xorgon(n, d):
    result = np.zeros(X.shape, bool)
    for k in range(n):
        angle = 2 * np.pi * k / n
        result ^= rings(np.hypot(X - d * np.cos(angle), Y - d * np.sin(angle)))
    return result


def wrung(x, y):
    part = np.clip((1 - np.hypot(x, y)) / 0.5, 0, 1)
    return turned(x, y, -1.2 * part)


REGIONS = {
    "vstrip": (im.vstrip, abs(X) <= 0.5),
    "alt_rings": (im.alt_rings, rings(R)),
    "polar_checker": (im.polar_checker(10), checker(R, THETA * 10 / np.pi)),
    "gasket": (im.gasket, (np.floor(X).astype(int) | np.floor(Y).astype(int)) == np.floor(X)),
    "udisk": (im.udisk, R < 1),
    "disk": (im.disk(2.5), R < 2.5),
    "half_plane": (im.half_plane(0.6), np.cos(0.6) * X + np.sin(0.6) * Y > 0),
    "annulus": (im.annulus(0.5), (R < 1) & ~(R < 0.5)),
    "rad_reg": (im.rad_reg(7), even(THETA * 7 / np.pi)),
    "wedge_annulus": (im.wedge_annulus(0.25, 10), (R < 1) & (R >= 0.25) & even(THETA * 10 / np.pi)),
    "shift_xor": (im.shift_xor(2.6, im.alt_rings), rings(np.hypot(X + 2.6, Y)) ^ rings(np.hypot(X - 2.6, Y))),
    "xorgon": (im.xorgon(8, 7 / 4, im.alt_rings), xorgon(8, 7 / 4)),
    "rad_invert": (im.ustretch(3.5, im.rad_invert(im.checker)), checker(*(3.5 * v / R**2 for v in (X, Y)))),
    "swirl": (im.swirl(1, im.vstrip), abs(turned(X, Y, -2 * np.pi * R)[0]) <= 0.5),
    "polar": (im.polar(im.checker), checker(R, THETA)),
    "log_polar": (im.log_polar(im.checker), checker(np.log(R), THETA)),
    "shear": (im.shear(0.5, im.checker), checker(X - 0.5 * Y, Y)),
    "stripes": (im.stripes(0.5, True, False), even(X / 0.5)),
    "grid": (im.grid(0.1), (abs(X - np.round(X)) <= 0.05) | (abs(Y - np.round(Y)) <= 0.05)),
    "dots": (im.dots(0.3), np.hypot(X - np.round(X), Y - np.round(Y)) < 0.3),
    "herringbone": (im.herringbone(3), (np.floor(X) - np.floor(Y)) % 6 < 3),
    "about": (
        im.warp(im.about((1, 0.5), im.uscale(2)), im.checker),
        checker(2 * (X - 1) + 1, 2 * (Y - 0.5) + 0.5),
    ),
    "compose": (
        im.warp(im.compose(im.translate((1, 0)), im.uscale(2)), im.checker),
        checker(2 * X + 1, 2 * Y),
    ),
    "centered": (
        im.centered((1, 0.5), lambda i: im.ustretch(0.5, i), im.checker),
        checker(2 * (X - 1) + 1, 2 * (Y - 0.5) + 0.5),
    ),
}


@pytest.mark.parametrize("name", REGIONS)
def test_a_region_is_its_formula(name):
    picture, expected = REGIONS[name]
    # Where the two sides of an edge are one rounding apart, formulas may differ.
    assert (picture.at(X, Y, precision="f64") != expected).sum() <= 1


FIELDS = {
    "wave_dist": (im.wave_dist, (1 + np.cos(np.pi * R)) / 2),
    "theta": (im.theta, THETA),
    "ripple_rad": (im.ripple_rad(8, 0.3, im.r), R * (1 + 0.3 * np.sin(8 * THETA))),
    "washer": (im.washer(0.5, 1.2, im.x), wrung(X, Y)[0]),
    "polar_transform": (
        im.warp(im.polar_transform(lambda r, t: (2 * r, t + 1)), im.x),
        2 * R * np.cos(THETA + 1),
    ),
}


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_is_its_formula(name):
    picture, expected = FIELDS[name]
    assert np.allclose(picture.at(X, Y, precision="f64"), expected)


def test_a_ripple_takes_a_circle_to_the_points_that_the_formula_takes_to_it():
    disk = im.ripple_rad(8, 0.3, im.udisk)
    assert np.array_equal(disk.at(X, Y, precision="f64"), R * (1 + 0.3 * np.sin(8 * THETA)) < 1)


def test_bilerp_has_its_colors_at_the_corners_in_order():
    corners = im.bilerp(im.black, im.red, im.blue, im.white).at([0, 1, 0, 1], [0, 0, 1, 1])
    assert corners.tolist() == [[0, 0, 0, 1], [1, 0, 0, 1], [0, 0, 1, 1], [1, 1, 1, 1]]
    middle = im.bilerp(im.black, im.red, im.blue, im.white).at(0.25, 0.5)
    assert np.allclose(middle, [0.25, 0.125, 0.5, 1])


def test_rings_are_the_wave_between_two_colors():
    wave = (1 + np.cos(np.pi * R)) / 2
    assert np.allclose(
        im.yb_rings.at(X, Y, precision="f64"), np.stack([1 - wave, 1 - wave, wave, np.ones_like(R)], axis=-1)
    )


def test_crops_are_invisible_outside():
    for picture, inside in (
        (im.crop(im.checker, im.red), checker(X, Y)),
        (im.checker.fill(im.red), checker(X, Y)),
        (im.crop_rad(2, im.const(im.red)), R < 2),
    ):
        assert np.array_equal(picture.at(X, Y, precision="f64"), inside[:, None] * [1.0, 0, 0, 1])


def test_the_circle_limit_has_the_whole_plane_in_a_disc():
    shown = im.circle_limit(3, im.cond(im.r < 30, im.red, im.blue)).at([0, 2.7, 2.75, 2.999, 3, 5], 0)
    assert shown[:, 0].tolist() == [1, 1, 0, 0, 0, 0]
    assert shown[:, 3].tolist() == [1, 1, 1, 1, 0, 0]


@pytest.mark.parametrize(("sides", "around"), [(7, 3), (5, 4), (4, 5), (3, 8)])
def test_a_hyperbolic_tiling_has_its_symmetries(sides, around):
    """Turning by one side, mirroring, and inverting in the circle of a side carry the tiling to itself."""
    radius = np.sqrt(RANDOM.uniform(0, 0.72, 500))
    angle = RANDOM.uniform(-np.pi, np.pi, 500)
    x, y = radius * np.cos(angle), radius * np.sin(angle)
    tiling = im.hyperbolic_checker(sides, around)
    here = tiling.at(x, y, precision="f64")
    assert 0.4 < here.mean() < 0.6

    def differing(other):
        return (other != here).mean()

    assert differing(im.turn(2 * np.pi / sides, tiling).at(x, y, precision="f64")) < 0.01
    assert differing(~tiling.at(x, -y, precision="f64")) < 0.01
    beyond = np.cos(np.pi / around) ** 2 - np.sin(np.pi / sides) ** 2
    center, square = np.cos(np.pi / around) / np.sqrt(beyond), np.sin(np.pi / sides) ** 2 / beyond
    factor = square / ((x - center) ** 2 + y**2)
    mirrored = tiling.at(center + (x - center) * factor, y * factor, precision="f64")
    assert differing(~mirrored) < 0.03


def test_what_is_outside_of_the_hyperbolic_disc_is_invisible():
    assert im.hyperbolic(7, 3, im.const(im.red)).at([0.2, 1.5], 0)[:, 3].tolist() == [1, 0]
