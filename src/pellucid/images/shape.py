"""Shapes as signed distances: fields that tell how far a point is from an outline, negative inside.

Distances are exact (Euclidean) for every single shape here. Combinations keep outlines exact, and no field is ever
steeper than distance, so none overstates it. `sdf_inside`, `sdf_stroke` and `sdf_fill` make pictures of a distance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

from ..tracing import Point, clamp, static, where
from ..tracing import functions as F
from .image import Image
from .signature import Range, positive
from .word import word

_SOURCE = "signed distances, as collected by Inigo Quilez"
_AT_LEAST_0 = Range(0, math.inf)


def _length(x: Any, y: Any) -> Any:
    return F.sqrt(x * x + y * y)


def _square(x: Any, y: Any) -> Any:
    return x * x + y * y


# ---- shapes ----


@word("Length -> Image Number", ranges={"radius": positive}, example="sdf_disk(1)", source=_SOURCE)
def sdf_disk(radius: Any) -> Image:
    """The distance to a circle about the origin.

    >>> sdf_disk(2).at([0, 2, 5], 0)
    array([-2.,  0.,  3.], dtype=float32)
    """
    return Image(lambda p: p.r - radius)


@word(
    "Length -> Length -> Image Number",
    ranges={"radius": positive, "width": positive},
    example="sdf_ring(1, 0.4)",
    source=_SOURCE,
)
def sdf_ring(radius: Any, width: Any) -> Image:
    """The distance to a ring about the origin, half of whose width lies on either side of the radius."""
    return Image(lambda p: abs(p.r - radius) - 0.5 * width)


@word(
    "Length -> Length -> Image Number",
    ranges={"width": positive, "height": positive},
    example="sdf_box(2, 1)",
    source=_SOURCE,
)
def sdf_box(width: Any, height: Any) -> Image:
    """The distance to a rectangle about the origin.

    >>> sdf_box(4, 2).at([0, 5], [0, 5])
    array([-1.,  5.], dtype=float32)
    """
    return Image(lambda p: _box(p, width, height))


def _box(p: Point, width: Any, height: Any) -> Any:
    x, y = abs(p.x) - 0.5 * width, abs(p.y) - 0.5 * height
    return _length(F.max(x, 0.0), F.max(y, 0.0)) + F.min(F.max(x, y), 0.0)


@word(
    "Length -> Length -> Length -> Image Number",
    ranges={"width": positive, "height": positive, "radius": _AT_LEAST_0},
    example="sdf_rounded_box(2.4, 1.4, 0.3)",
    source=_SOURCE,
)
def sdf_rounded_box(width: Any, height: Any, radius: Any) -> Image:
    """The distance to a rectangle about the origin with its corners rounded; a radius too large is made to fit."""
    r = F.min(radius, F.min(width, height) * 0.5)
    return Image(lambda p: _box(p, width - 2.0 * r, height - 2.0 * r) - r)


@word(
    "Point -> Point -> Image Number",
    example="sdf_segment((-1, -0.5), (1, 0.5))",
    source=_SOURCE,
)
def sdf_segment(start: Any, end: Any) -> Image:
    """The distance to a straight line between two points, which has no inside.

    >>> sdf_segment((0, 0), (4, 0)).at([2, 7], [3, 4])
    array([3., 5.], dtype=float32)
    """
    return Image(lambda p: F.sqrt(_to_segment(p, start, end)))


def _to_segment(p: Point, a: Point, b: Point) -> Any:
    """The squared distance to a segment, which may be a point."""
    edge, to = b - a, p - a
    # The smallest divisor whose reciprocal is a number: a segment without length is its start.
    along = clamp(to.dot(edge) / F.max(edge.dot(edge), 1e-30), 0.0, 1.0)
    off = to - edge * along
    return off.dot(off)


@word(
    "Point -> Point -> Length -> Image Number",
    ranges={"radius": positive},
    example="sdf_capsule((-1, -0.5), (1, 0.5), 0.4)",
    source=_SOURCE,
)
def sdf_capsule(start: Any, end: Any, radius: Any) -> Image:
    """The distance to all that is within a radius of a straight line between two points."""
    return Image(lambda p: F.sqrt(_to_segment(p, start, end)) - radius)


@word(
    "Point -> Point -> Point -> Image Number",
    example="sdf_triangle((-1.2, -1), (1.2, -1), (0.4, 1.2))",
    source=_SOURCE,
)
def sdf_triangle(a: Any, b: Any, c: Any) -> Image:
    """The distance to a triangle, whichever way its corners are counted."""
    return Image(lambda p: _polygon(p, (a, b, c)))


@word(
    "Point... -> Image Number",
    example="sdf_polygon((-1.4, -1), (0, -0.4), (1.4, -1), (0, 1.4))",
    source=_SOURCE,
)
def sdf_polygon(*corners: Any) -> Image:
    """The distance to a polygon with these corners; where it crosses itself, every other part is inside.

    >>> sdf_polygon((0, 0), (2, 0), (2, 2), (0, 2)).at(1, [1, 5])
    array([-1.,  3.], dtype=float32)
    """
    if len(corners) < 3:
        from ..base.errors import VocabularyError

        raise VocabularyError(
            f"has {len(corners)} corners", place="sdf_polygon", fix="give at least three points"
        )
    return Image(lambda p: _polygon(p, corners))


def _polygon(p: Point, corners: Sequence[Point]) -> Any:
    squares: list[Any] = []
    inside: Any = False
    for a, b in zip(corners, [*corners[1:], corners[0]], strict=True):
        squares.append(_to_segment(p, a, b))
        # A ray to the right crosses an edge that begins above and ends below, or the reverse.
        side = (b - a).cross(p - a)
        up = (a.y <= p.y) & (p.y < b.y) & (side > 0.0)
        down = (b.y <= p.y) & (p.y < a.y) & (side < 0.0)
        inside = inside ^ (up | down)
    distance = F.sqrt(reduce(F.min, squares))
    return where(inside, -distance, distance)


@word(
    "Count -> Length -> Image Number",
    ranges={"sides": (3, 1000), "radius": positive},
    example="sdf_regular(6, 1.5)",
    source=_SOURCE,
)
def sdf_regular(sides: int, radius: Any) -> Image:
    """The distance to a polygon of equal sides about the origin; the radius goes to its corners, one of them on top."""
    half = math.pi / sides
    middle, reach = radius * math.cos(half), radius * math.sin(half)

    def field(p: Point) -> Any:
        # All sides are one: the one whose middle is to the right.
        q = _sector(p, sides, half)
        x, y = q.x - middle, F.max(abs(q.y) - reach, 0.0)
        return where(y > 0.0, _length(x, y), x)

    return Image(field)


def _sector(p: Point, count: int, turn: float) -> Point:
    """The point turned into the first of equal sectors about the axis to the right; `turn` is added before."""
    angle = F.atan2(-p.x, p.y) + turn
    rest = angle - F.round(angle * (count / (2 * math.pi))) * (2 * math.pi / count)
    r = p.r
    return Point(r * F.cos(rest), r * F.sin(rest))


@word(
    "Count -> Length -> Length -> Image Number",
    ranges={"points": (2, 1000), "radius": positive, "inner": positive},
    example="sdf_star(5, 1.6, 0.7)",
    source=_SOURCE,
)
def sdf_star(points: int, radius: Any, inner: Any) -> Image:
    """The distance to a star about the origin, with points at one radius, one of them on top, and notches at another.

    >>> sdf_star(5, 2.0, 1.0).at(0, [2, 3])
    array([0., 1.], dtype=float32)
    """
    half = math.pi / points
    tip, notch = Point(radius, 0.0), Point(inner * math.cos(half), inner * math.sin(half))

    def field(p: Point) -> Any:
        q = _sector(p, points, 0.0)
        # Both sides of a point are one.
        q = Point(q.x, abs(q.y))
        distance = F.sqrt(_to_segment(q, tip, notch))
        return where((notch - tip).cross(q - tip) > 0.0, -distance, distance)

    return Image(field)


@word("Length -> Image Number", ranges={"width": positive}, example="sdf_heart(3)", source=_SOURCE)
def sdf_heart(width: Any) -> Image:
    """The distance to a heart about the origin: a square on its tip, and half a disk on each of its upper sides."""
    # For a square whose diagonal is 1, and whose tip is the origin.
    radius = math.sqrt(0.125)
    wide, high = 0.5 + 2.0 * radius, 0.75 + radius
    scale = width * (1.0 / wide)

    def field(p: Point) -> Any:
        q = p / scale
        x, y = abs(q.x), q.y + 0.5 * high
        lobe = _length(x - 0.25, y - 0.75) - radius
        # Below the lobes: the notch between them, or the lower side, of which the tip is an end.
        along = F.max(x + y, 0.0) * 0.5
        below = F.sqrt(F.min(_square(x, y - 1.0), _square(x - along, y - along)))
        return where(x + y > 1.0, lobe, where(x > y, below, -below)) * scale

    return Image(field)


# ---- combinations ----


@word("Image Number... -> Image Number", example="sdf_union(sdf_disk(1), sdf_box(3, 0.5))", source=_SOURCE)
def sdf_union(*fields: Image) -> Image:
    """The distance to what is in any of several shapes; inside of two of them it may be understated.

    >>> sdf_union(sdf_disk(1), sdf_disk(2)).at(5, 0)
    array(3., dtype=float32)
    """
    _some(fields, "sdf_union")
    return Image(lambda p: reduce(F.min, [f(p) for f in fields]))


@word(
    "Image Number... -> Image Number",
    example="sdf_intersection(sdf_disk(1), sdf_box(3, 0.5))",
    source=_SOURCE,
)
def sdf_intersection(*fields: Image) -> Image:
    """The distance to what is in all of several shapes; outside of two of them it may be understated."""
    _some(fields, "sdf_intersection")
    return Image(lambda p: reduce(F.max, [f(p) for f in fields]))


def _some(fields: tuple[Image, ...], name: str) -> None:
    if not fields:
        from ..base.errors import VocabularyError

        raise VocabularyError("has no shapes", place=name, fix="give at least one")


@word(
    "Image Number -> Image Number -> Image Number",
    receiver="field",
    example="sdf_subtraction(sdf_disk(1.5), sdf_box(4, 0.5))",
    source=_SOURCE,
)
def sdf_subtraction(field: Image, other: Image) -> Image:
    """The distance to what is in one shape and not in the other; it may be understated."""
    return Image(lambda p: F.max(field(p), -other(p)))


def _rounding(k: Any, a: Any, b: Any) -> Any:
    """The amount by which two distances that differ by less than k exceed the nearer: at most k / 4."""
    overlap = F.max(k - abs(a - b), 0.0)
    return overlap * overlap * (0.25 / k)


@word(
    "Length -> Image Number -> Image Number -> Image Number",
    ranges={"softness": positive},
    example="sdf_smooth_union(0.5, sdf_disk(1), sdf_box(3, 0.5))",
    source=_SOURCE,
)
def sdf_smooth_union(softness: Any, first: Image, second: Image) -> Image:
    """The distance to two shapes with the notch between filled, as far as distances differ by less than `softness`."""

    def field(p: Point) -> Any:
        a, b = first(p), second(p)
        return F.min(a, b) - _rounding(softness, a, b)

    return Image(field)


@word(
    "Length -> Image Number -> Image Number -> Image Number",
    ranges={"softness": positive},
    example="sdf_smooth_intersection(0.5, sdf_disk(1.2), sdf_box(3, 1))",
    source=_SOURCE,
)
def sdf_smooth_intersection(softness: Any, first: Image, second: Image) -> Image:
    """The distance to what is in both shapes, with the edge between them rounded off."""

    def field(p: Point) -> Any:
        a, b = first(p), second(p)
        return F.max(a, b) + _rounding(softness, a, b)

    return Image(field)


@word(
    "Length -> Image Number -> Image Number",
    example="sdf_offset(0.3, sdf_box(2, 1))",
    source=_SOURCE,
)
def sdf_offset(distance: Any, field: Image) -> Image:
    """The shape grown by a distance, its outer corners rounded; shrunk if the distance is negative."""
    return Image(lambda p: field(p) - distance)


@word(
    "Length -> Image Number -> Image Number",
    ranges={"thickness": positive},
    example="sdf_onion(0.2, sdf_onion(0.6, sdf_heart(3)))",
    source=_SOURCE,
)
def sdf_onion(thickness: Any, field: Image) -> Image:
    """The shell of a shape: half of the thickness on either side of its outline."""
    return Image(lambda p: abs(field(p)) - 0.5 * thickness)


@word(
    "Number -> Image Number -> Image Number",
    ranges={"factor": positive},
    example="sdf_scale(2, sdf_star(5, 1, 0.4))",
    source=_SOURCE,
)
def sdf_scale(factor: Any, field: Image) -> Image:
    """The shape made larger by a factor, with distances that remain right (stretching a field alone leaves them)."""
    return Image(lambda p: field(p / factor) * factor)


# ---- pictures of a distance ----


@word("Image Number -> Image Bool", example="sdf_inside(sdf_heart(3))", source=_SOURCE)
def sdf_inside(field: Image) -> Image:
    """The region inside of a shape, its outline included."""
    return Image(lambda p: field(p) <= 0.0).measured(field)


@word(
    "Length -> Image Number -> Image Bool",
    ranges={"width": positive},
    example="sdf_stroke(0.1, sdf_star(5, 1.6, 0.7))",
    source=_SOURCE,
)
def sdf_stroke(width: Any, field: Image) -> Image:
    """The region along the outline of a shape, half of the width on either side."""
    return Image(lambda p: abs(field(p)) <= 0.5 * width).measured(sdf_onion(width, field))


@word(
    "Image Color -> Image Number -> Length -> Image Color",
    ranges={"softness": _AT_LEAST_0},
    receiver="field",
    example="sdf_fill(tomato, sdf_heart(3), 0.05)",
    source=_SOURCE,
)
def sdf_fill(paint: Image, field: Image, softness: Any = 0.0) -> Image:
    """A shape filled with a color or a picture, fading across its outline over a width of `softness`.

    With the size of a pixel as softness, the outline is antialiased.

    >>> from .color import Color
    >>> sdf_fill(Color(1, 0, 0), sdf_disk(1), 1.0).at([0, 1, 2], 0)[:, 3]
    array([1. , 0.5, 0. ], dtype=float32)
    """

    def color(p: Point) -> Any:
        distance = field(p)
        sharp = where(distance <= 0.0, 1.0, 0.0)
        if static(softness) is not None:
            cover = clamp(0.5 - distance * (1.0 / softness), 0.0, 1.0) if softness else sharp
        else:
            cover = where(softness > 0.0, clamp(0.5 - distance / softness, 0.0, 1.0), sharp)
        return paint(p) * cover

    return Image(color)
