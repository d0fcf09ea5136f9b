"""Signed distances against the outlines themselves: sampled densely, and tested for inside by other means."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid import images as im
from pellucid.base.errors import VocabularyError

Outline = np.ndarray


def circle(x: float, y: float, radius: float, low: float = 0, high: float = 2 * np.pi) -> Outline:
    angle = np.linspace(low, high, 1501)
    return np.stack([x + radius * np.cos(angle), y + radius * np.sin(angle)], -1)


def corners(*points: tuple[float, float], closed: bool = True) -> Outline:
    """Points along straight lines between corners."""
    ends = [*points, points[0]] if closed else list(points)
    t = np.linspace(0, 1, 1001)[:, None]
    return np.concatenate([np.asarray(a) * (1 - t) + np.asarray(b) * t for a, b in itertools.pairwise(ends)])


def around(count: int, radius: float, start: float = np.pi / 2) -> list[tuple[float, float]]:
    angles = start + 2 * np.pi * np.arange(count) / count
    return [(radius * np.cos(a), radius * np.sin(a)) for a in angles]


def winding(x: np.ndarray, y: np.ndarray, outline: Outline) -> np.ndarray:
    """Whether points are inside of a closed outline, by the angle that it turns about them."""
    result = np.empty(len(x), bool)
    for k, (px, py) in enumerate(zip(x, y, strict=True)):
        angle = np.unwrap(np.arctan2(outline[:, 1] - py, outline[:, 0] - px))
        result[k] = abs(angle[-1] - angle[0]) > np.pi
    return result


def distance(x: np.ndarray, y: np.ndarray, outline: Outline) -> np.ndarray:
    return np.array([np.hypot(outline[:, 0] - a, outline[:, 1] - b).min() for a, b in zip(x, y, strict=True)])


def rounded(width: float, height: float, radius: float) -> Outline:
    a, b = width / 2 - radius, height / 2 - radius
    arcs = [((a, b), 0), ((-a, b), np.pi / 2), ((-a, -b), np.pi), ((a, -b), 3 * np.pi / 2)]
    arc = [circle(cx, cy, radius, start, start + np.pi / 2) for (cx, cy), start in arcs]
    joints = [
        corners(tuple(p[-1]), tuple(q[0]), closed=False) for p, q in zip(arc, [*arc[1:], arc[0]], strict=True)
    ]
    return np.concatenate([part for pair in zip(arc, joints, strict=True) for part in pair])


def star(points: int, radius: float, inner: float) -> Outline:
    tips, notches = around(points, radius), around(points, inner, np.pi / 2 + np.pi / points)
    return corners(*(p for pair in zip(tips, notches, strict=True) for p in pair))


def heart(width: float) -> Outline:
    radius = 0.125**0.5
    lower = corners((0, 0), (0.5, 0.5), closed=False)
    lobe = circle(0.25, 0.75, radius, -np.pi / 4, 3 * np.pi / 4)
    right = np.concatenate([lower, lobe])
    left = right[::-1] * [-1, 1]
    outline = np.concatenate([right, left]) - [0, (0.75 + radius) / 2]
    return outline * width / (0.5 + 2 * radius)


BOW = [(-1.5, -1.0), (1.5, 1.0), (1.5, -1.0), (-1.5, 1.0)]
CONCAVE = [(-1.4, -1.0), (0.0, -0.4), (1.4, -1.0), (0.0, 1.4)]
TRIANGLE = [(-1.2, -1.0), (1.2, -1.0), (0.4, 1.2)]

SHAPES = {
    "disk": (im.sdf_disk(1.3), circle(0, 0, 1.3)),
    "box": (im.sdf_box(2.4, 1.2), corners((-1.2, -0.6), (1.2, -0.6), (1.2, 0.6), (-1.2, 0.6))),
    "rounded box": (im.sdf_rounded_box(2.4, 1.6, 0.3), rounded(2.4, 1.6, 0.3)),
    "rounded to the full": (im.sdf_rounded_box(3.0, 1.0, 9.0), rounded(3.0, 1.0, 0.5)),
    "triangle": (im.sdf_triangle(*TRIANGLE), corners(*TRIANGLE)),
    "triangle turned about": (im.sdf_triangle(*TRIANGLE[::-1]), corners(*TRIANGLE)),
    "polygon": (im.sdf_polygon(*CONCAVE), corners(*CONCAVE)),
    "three sides": (im.sdf_regular(3, 1.5), corners(*around(3, 1.5))),
    "four sides": (im.sdf_regular(4, 1.5), corners(*around(4, 1.5))),
    "seven sides": (im.sdf_regular(7, 1.5), corners(*around(7, 1.5))),
    "star": (im.sdf_star(5, 1.7, 0.7), star(5, 1.7, 0.7)),
    "blunt star": (im.sdf_star(6, 1.2, 1.1), star(6, 1.2, 1.1)),
    "inverted star": (im.sdf_star(4, 0.6, 1.6), star(4, 0.6, 1.6)),
    "heart": (im.sdf_heart(3.0), heart(3.0)),
    "capsule": (
        im.sdf_capsule((-1, -0.5), (1, 0.5), 0.4),
        np.concatenate(
            [
                circle(1, 0.5, 0.4, np.arctan2(0.5, 1) - np.pi / 2, np.arctan2(0.5, 1) + np.pi / 2),
                circle(-1, -0.5, 0.4, np.arctan2(0.5, 1) + np.pi / 2, np.arctan2(0.5, 1) + 3 * np.pi / 2),
            ]
        ),
    ),
}


def scattered(count: int = 120, size: float = 3.0) -> tuple[np.ndarray, np.ndarray]:
    return tuple(np.random.default_rng(2).uniform(-size, size, (2, count)))


@pytest.mark.parametrize("name", [n for n in SHAPES if n != "capsule"])
def test_distances_are_those_to_the_outline(name: str):
    field, outline = SHAPES[name]
    x, y = scattered()
    got = field.at(x, y, precision="f64")
    assert np.allclose(np.abs(got), distance(x, y, outline), atol=3e-3)


@pytest.mark.parametrize("name", SHAPES)
def test_inside_is_negative(name: str):
    field, outline = SHAPES[name]
    x, y = scattered()
    got = field.at(x, y, precision="f64")
    clear = np.abs(got) > 1e-3
    closed = np.concatenate([outline, outline[:1]])
    assert np.array_equal((got < 0)[clear], winding(x, y, closed)[clear])


def test_a_capsule_is_a_segment_grown():
    x, y = scattered()
    line = corners((-1, -0.5), (1, 0.5), closed=False)
    away = distance(x, y, line)
    assert np.allclose(im.sdf_segment((-1, -0.5), (1, 0.5)).at(x, y, precision="f64"), away, atol=3e-3)
    assert np.allclose(SHAPES["capsule"][0].at(x, y, precision="f64"), away - 0.4, atol=3e-3)


def test_a_segment_without_length_is_a_point():
    x, y = scattered()
    got = im.sdf_segment((0.5, 0.25), (0.5, 0.25)).at(x, y, precision="f64")
    assert np.allclose(got, np.hypot(x - 0.5, y - 0.25))


def test_a_ring():
    x, y = scattered()
    got = im.sdf_ring(1.5, 0.5).at(x, y, precision="f64")
    assert np.allclose(got, np.abs(np.hypot(x, y) - 1.5) - 0.25)


def test_a_polygon_that_crosses_itself_is_inside_every_other_part():
    field = im.sdf_polygon(*BOW)
    assert (field.at([1.2, -1.2], 0.0) < 0).all()
    assert (field.at(0.0, [0.7, -0.7]) > 0).all()
    # A pentagram: its middle is crossed twice.
    tips = around(5, 1.5)
    middle = im.sdf_polygon(*(tips[k * 2 % 5] for k in range(5)))
    assert middle.at(0.0, 0.0) > 0
    assert middle.at(0.0, 1.3) < 0


def test_a_corner_at_the_height_of_a_point_counts_once():
    square = im.sdf_polygon((0, -1), (1, 0), (0, 1), (-1, 0))
    x = np.linspace(-3, 3, 61)
    assert np.array_equal(square.at(x, 0.0) < -1e-6, np.abs(x) < 1 - 1e-6)


COMBINED = {
    "union": im.sdf_union(SHAPES["star"][0], SHAPES["box"][0], SHAPES["disk"][0]),
    "intersection": im.sdf_intersection(SHAPES["star"][0], SHAPES["box"][0]),
    "subtraction": im.sdf_subtraction(SHAPES["heart"][0], SHAPES["box"][0]),
    "smooth union": im.sdf_smooth_union(0.4, SHAPES["disk"][0], SHAPES["box"][0]),
    "smooth intersection": im.sdf_smooth_intersection(0.4, SHAPES["disk"][0], SHAPES["box"][0]),
    "offset": im.sdf_offset(0.3, SHAPES["polygon"][0]),
    "onion": im.sdf_onion(0.3, SHAPES["star"][0]),
    "scale": im.sdf_scale(1.5, SHAPES["heart"][0]),
    "ring": im.sdf_ring(1.5, 0.5),
}


@pytest.mark.parametrize("name", [*SHAPES, *COMBINED])
def test_no_field_is_steeper_than_distance(name: str):
    field = COMBINED[name] if name in COMBINED else SHAPES[name][0]
    x, y = scattered(3000)
    for dx, dy in ((1e-3, 0), (0, 1e-3), (7e-4, -7e-4)):
        a, b = field.at(x, y, precision="f64"), field.at(x + dx, y + dy, precision="f64")
        assert np.abs(a - b).max() <= np.hypot(dx, dy) * (1 + 1e-9)


def test_combinations_keep_the_outline():
    x, y = scattered(2000)
    a, b = SHAPES["star"][0], SHAPES["box"][0]
    inside = [f.at(x, y) < 0 for f in (a, b)]
    assert np.array_equal(im.sdf_union(a, b).at(x, y) < 0, inside[0] | inside[1])
    assert np.array_equal(im.sdf_intersection(a, b).at(x, y) < 0, inside[0] & inside[1])
    assert np.array_equal(im.sdf_subtraction(a, b).at(x, y) < 0, inside[0] & ~inside[1])
    assert np.array_equal(a.sdf_subtraction(b).at(x, y), im.sdf_subtraction(a, b).at(x, y))


def test_combinations_do_not_overstate():
    x, y = scattered(60)
    for name in ("union", "subtraction"):
        field = COMBINED[name]
        values = field.at(x, y, precision="f64")
        grid = np.linspace(-4, 4, 401)
        gx, gy = np.meshgrid(grid, grid)
        inside = field.at(gx, gy) <= 0
        px, py = gx[inside], gy[inside]
        for k in np.flatnonzero(values > 0):
            assert values[k] <= np.hypot(px - x[k], py - y[k]).min() + 0.03


@given(a=st.floats(-3, 3), b=st.floats(-3, 3), k=st.floats(0.01, 3))
def test_smoothing_reaches_at_most_a_quarter_of_its_width(a: float, b: float, k: float):
    first, second = im.Image(lambda p: a + 0.0 * p.x), im.Image(lambda p: b + 0.0 * p.x)
    low = im.sdf_smooth_union(k, first, second).at(0, 0, precision="f64")
    high = im.sdf_smooth_intersection(k, first, second).at(0, 0, precision="f64")
    assert min(a, b) - k / 4 - 1e-9 <= low <= min(a, b)
    assert max(a, b) <= high <= max(a, b) + k / 4 + 1e-9
    if abs(a - b) >= k:
        assert low == min(a, b)
        assert high == max(a, b)


def test_growing_shrinking_shells_and_scaling():
    x, y = scattered()
    box, disk = im.sdf_box(2, 1), im.sdf_disk(1)
    assert np.allclose(
        im.sdf_offset(0.25, box).at(x, y), im.sdf_rounded_box(2.5, 1.5, 0.25).at(x, y), atol=1e-6
    )
    assert np.allclose(im.sdf_offset(-0.25, disk).at(x, y), im.sdf_disk(0.75).at(x, y), atol=1e-6)
    assert np.allclose(im.sdf_onion(0.5, disk).at(x, y), im.sdf_ring(1, 0.5).at(x, y), atol=1e-6)
    assert np.allclose(im.sdf_scale(3, disk).at(x, y), im.sdf_disk(3).at(x, y), atol=1e-6)
    assert np.allclose(disk.sdf_onion(0.5).at(x, y), im.sdf_onion(0.5, disk).at(x, y))


def test_pictures_of_a_distance():
    disk = im.sdf_disk(1)
    x = np.array([0.0, 0.9, 0.99, 1.0, 1.01, 1.1, 2.0])
    assert im.sdf_inside(disk).kind == "region"
    assert im.sdf_inside(disk).at(x, 0).tolist() == [True, True, True, True, False, False, False]
    assert im.sdf_stroke(0.1, disk).at(x, 0).tolist() == [False, False, True, True, True, False, False]
    filled = disk.sdf_fill("red")
    assert filled.kind == "color"
    assert filled.at(x, 0)[:, 3].tolist() == [1, 1, 1, 1, 0, 0, 0]
    soft = disk.sdf_fill(im.red, 0.2).at(x, 0, precision="f64")
    assert np.allclose(soft[:, 3], [1, 1, 0.55, 0.5, 0.45, 0, 0])
    assert np.array_equal(soft[:, 0], soft[:, 3])
    changing = disk.sdf_fill(im.red, im.seconds * 0.2)
    assert np.allclose(changing.at(x, 0, 1.0), soft, atol=1e-6)
    assert np.allclose(changing.at(x, 0, 0.0)[:, 3], [1, 1, 1, 1, 0, 0, 0])


def test_a_fill_is_antialiased():
    # The mean of a pixel that a straight outline crosses, against its covered part.
    half = im.Image(lambda p: p.x)
    for offset in np.linspace(-0.5, 0.5, 11):
        got = im.sdf_fill(im.white, half, 1.0).at(offset, 0)[3]
        assert got == pytest.approx(0.5 - offset, abs=1e-6)


def test_shapes_may_move():
    pulsing = im.sdf_disk(1 + im.seconds)
    assert pulsing.time_varying
    assert pulsing.at(0, 0, 2.0) == -3.0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: im.sdf_disk(0), "radius is 0"),
        (lambda: im.sdf_box(-1, 1), "width is -1"),
        (lambda: im.sdf_rounded_box(1, 1, -0.1), "radius is -0.1"),
        (lambda: im.sdf_regular(2, 1), "sides is 2"),
        (lambda: im.sdf_star(1, 1, 1), "points is 1"),
        (lambda: im.sdf_polygon((0, 0), (1, 1)), "has 2 corners"),
        (im.sdf_union, "has no shapes"),
        (lambda: im.sdf_segment(1, 2), "start is 1, not a point"),
        (lambda: im.sdf_fill("red", im.sdf_disk(1), -1), "softness is -1"),
    ],
    ids=lambda a: a if isinstance(a, str) else "",
)
def test_wrong_arguments(wrong, message: str):
    with pytest.raises(VocabularyError, match=message):
        wrong()
