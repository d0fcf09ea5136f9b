"""Patterns that fill the plane: stripes, checkers, rings, gaskets, waves (paper Pan, 2.3; *Functional Images*)."""

from __future__ import annotations

import math
from typing import Any

from ..tracing import Point, to_integer
from ..tracing import functions as F
from .color import Color, mix
from .image import Image
from .signature import positive
from .word import value, word

_SOURCE = "Functional Images"


def even(x: Any) -> Any:
    """Whether a whole number, held in a float, is even.

    >>> even(4.0), even(-3.0)
    (True, False)
    """
    # The parity is found in floats: converting to integers would cost more than it saves.
    half = x * 0.5
    return half == F.floor(half)


@value("Image Bool", source=_SOURCE)
def vstrip() -> Image:
    """The vertical strip of width 1 about the origin."""
    return Image(lambda p: abs(p.x) <= 0.5).measured(Image(lambda p: abs(p.x) - 0.5))


@value("Image Bool", example="checker", source="Pan 2.3", width=8)
def checker() -> Image:
    """Squares of side 1, alternately inside and outside."""
    return Image(lambda p: even(F.floor(p.x) + F.floor(p.y)))


@word(
    "Length -> Image a -> Image a -> Image a",
    ranges={"size": positive},
    example="checkerboard(1, black, white)",
    source="Pan 2.3",
    width=8,
)
def checkerboard(size: Any, first: Image, second: Image) -> Image:
    """Squares of that side, alternately of the first and of the second image or color."""
    return Image(lambda p: F.where(checker(p * (1 / size)), first(p), second(p)))


@value("Image Bool", source=_SOURCE, width=20)
def alt_rings() -> Image:
    """Rings of width 1 about the origin, alternately inside and outside."""
    return Image(lambda p: even(F.floor(p.r)))


@word(
    "Integer -> Image Bool",
    ranges={"count": (1, math.inf)},
    example="polar_checker(10)",
    source=_SOURCE,
    width=10,
)
def polar_checker(count: Any) -> Image:
    """The checker wound around the origin: rings of width 1 cut into 2 · count sectors."""
    return Image(lambda p: even(F.floor(p.r) + F.floor(p.theta * (count / math.pi))))


@value("Image Bool", example="ustretch(0.05, gasket)", source=_SOURCE)
def gasket() -> Image:
    """Sierpinski's gasket: the unit cells whose row number has no bit that their column number has not."""

    def inside(p: Point) -> Any:
        column, row = to_integer(F.floor(p.x)), to_integer(F.floor(p.y))
        return (column | row) == column

    return Image(inside)


@value("Image Number", source=_SOURCE, width=8)
def wave_dist() -> Image:
    """The field (1 + cos(pi r)) / 2: a wave about the origin, from 1 down to 0 and up again."""
    return Image(lambda p: 0.5 * (1.0 + F.cos(math.pi * p.r)))


@word(
    "Color -> Color -> Length -> Image Color",
    ranges={"width": positive},
    example="rings(yellow, blue)",
    source=_SOURCE,
    width=8,
)
def rings(first: Color, second: Color, width: Any = 1.0) -> Image:
    """Soft rings about the origin: the first color at the center, the second one `width` further out, and so on."""
    return Image(lambda p: mix(0.5 * (1.0 + F.cos(p.r * (math.pi / width))), first, second))


@value("Image Color", source=_SOURCE, width=8)
def yb_rings() -> Image:
    """Soft blue and yellow rings about the origin, which is blue."""
    return rings(Color(0.0, 0.0, 1.0), Color(1.0, 1.0, 0.0))


@word(
    "Length -> Image a -> Image a -> Image a",
    ranges={"width": positive},
    example="stripes(0.5, seagreen, white)",
    width=4,
)
def stripes(width: Any, first: Image, second: Image) -> Image:
    """Vertical stripes of that width, alternately of the first and of the second image or color."""
    return Image(lambda p: F.where(even(F.floor(p.x * (1 / width))), first(p), second(p)))


@word(
    "Integer -> Image Bool",
    ranges={"length": (1, 64)},
    example="herringbone(3)",
    width=16,
)
def herringbone(length: Any = 2) -> Image:
    """Bricks of 1 by `length` laid in a herringbone: inside where they lie across, outside where they stand."""

    def lies(p: Point) -> Any:
        # Along a row the pattern repeats after twice the length, and each row is shifted by one.
        step = (F.floor(p.x) - F.floor(p.y)) / (2.0 * length)
        return F.fraction(step) * 2.0 < 1.0

    return Image(lies)


@word("Length -> Image Bool", ranges={"size": positive}, example="grid(0.08)", width=5)
def grid(size: Any) -> Image:
    """Lines of that thickness through all points with a whole coordinate."""

    def near(c: Any) -> Any:
        return abs(c - F.floor(c + 0.5)) * 2.0 <= size

    return Image(lambda p: near(p.x) | near(p.y))


@word("Length -> Image Bool", ranges={"radius": positive}, example="dots(0.3)", width=5)
def dots(radius: Any) -> Image:
    """Disks of that radius about all points with whole coordinates."""

    def inside(p: Point) -> Any:
        q = Point(p.x - F.floor(p.x + 0.5), p.y - F.floor(p.y + 0.5))
        return q.dot(q) < radius * radius

    return Image(inside)
