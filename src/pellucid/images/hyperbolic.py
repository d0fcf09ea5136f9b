"""Tilings of the hyperbolic plane in the unit disc of Poincaré: the mathematics of Escher's *Circle Limit* prints.

A tiling {p, q} has q polygons of p sides around each corner. A point is brought into the basic triangle by turning
about the origin, reflecting in the x axis, and inverting in the circle that carries a side, until it is not beyond it.
"""

from __future__ import annotations

import math
from typing import Any

from ..base.errors import VocabularyError
from ..tracing import Point
from ..tracing import functions as F
from .color import INVISIBLE
from .image import Image
from .word import word

_STEPS = 60


def _folded(p: Point, sides: int, around: int) -> tuple[Point, Any]:
    """The point in the basic triangle, and whether it got there by an odd number of reflections."""
    beyond = math.cos(math.pi / around) ** 2 - math.sin(math.pi / sides) ** 2
    center = math.cos(math.pi / around) / math.sqrt(beyond)
    square = math.sin(math.pi / sides) ** 2 / beyond
    wedge = 2 * math.pi / sides

    def into_wedge(q: Point, odd: Any) -> tuple[Point, Any]:
        turned = q.rotate(-wedge * F.round(q.theta / wedge))
        return Point(turned.x, abs(turned.y)), odd ^ (turned.y < 0)

    def distance(q: Point) -> Any:
        return (q.x - center) * (q.x - center) + q.y * q.y

    def step(state: tuple[Point, Any]) -> tuple[Point, Any]:
        q, odd = state
        factor = square / F.max(distance(q), 1e-9)
        return into_wedge(Point(center + (q.x - center) * factor, q.y * factor), ~odd)

    start = into_wedge(p, p.x != p.x)
    return F.iterate(step, start, until=lambda s: distance(s[0]) >= square, limit=_STEPS)


def _check_angles(sides: int, around: int) -> None:
    if (sides - 2) * (around - 2) <= 4:
        raise VocabularyError(
            f"{around} polygons of {sides} sides about a corner do not fit the hyperbolic plane",
            place="hyperbolic",
            fix="give more sides, or more around: (sides - 2) · (around - 2) must be above 4",
        )


@word(
    "Count -> Count -> Image Bool",
    ranges={"sides": (3, 64), "around": (3, 64)},
    example="hyperbolic_checker(7, 3)",
    width=2.1,
)
def hyperbolic_checker(sides: int, around: int) -> Image:
    """The triangles that a tiling and its mirrors cut the unit disc into, alternately inside and outside."""
    _check_angles(sides, around)

    def parity(p: Point) -> Any:
        _, odd = _folded(p, sides, around)
        return odd & (p.dot(p) < 1.0)

    return Image(parity)


@word(
    "Count -> Count -> Image Color -> Image Color",
    ranges={"sides": (3, 64), "around": (3, 64)},
    example="hyperbolic(5, 4, radial_gradient((0, 0), 0.6, [gold, crimson, midnightblue]))",
    width=2.1,
)
def hyperbolic(sides: int, around: int, image: Image) -> Image:
    """The image in the basic polygon's first triangle, mirrored over the unit disc; invisible outside."""
    _check_angles(sides, around)

    def mirrored(p: Point) -> Any:
        q, _ = _folded(p, sides, around)
        return F.where(p.dot(p) < 1.0, image(q), INVISIBLE)

    return Image(mirrored)
