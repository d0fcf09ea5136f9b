"""Transforms of polar coordinates: swirls, ripples, inversions, kaleidoscopes, the plane in a disc.

From *Functional Images* (Elliott). As in `warp`, images are sampled at points transformed the other way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..base.errors import VocabularyError
from ..tracing import Point
from ..tracing import functions as F
from .color import INVISIBLE
from .image import Image
from .signature import Range, positive
from .warp import Transform
from .word import word

_SOURCE = "Functional Images"

# Nothing is divided by less: the origin goes very far away instead of nowhere.
_SMALL = 1e-20


@word(
    "Function -> Transform",
    example="warp(polar_transform(lambda r, theta: (r, theta + r)), checker)",
    width=8,
)
def polar_transform(change: Callable[[Any, Any], Any]) -> Transform:
    """The transform that is a function of distance and angle, which gives a new pair of distance and angle."""

    def transform(p: Point) -> Point:
        made: Any = change(p.r, p.theta)
        try:
            r, theta = made
        except TypeError:
            raise VocabularyError(
                f"the function gives {type(made).__name__}", place="polar_transform", fix="return (r, theta)"
            ) from None
        return Point.polar(r, theta)

    return transform


@word("Image a -> Image a", example="polar(stretch((1, pi / 5), checker))", source=_SOURCE, width=10)
def polar(image: Image) -> Image:
    """The image wound around the origin: what is at (r, angle) of it shows at that distance and angle."""
    return Image(lambda p: image(Point(p.r, p.theta)))


@word("Image a -> Image a", example="ustretch(3.5, rad_invert(checker))", source=_SOURCE, width=10)
def rad_invert(image: Image) -> Image:
    """The image turned inside out: what is at distance r shows at distance 1 / r."""
    return Image(lambda p: image(p * (1 / F.max(p.dot(p), _SMALL))))


@word(
    "Integer -> Number -> Image a -> Image a",
    ranges={"amount": (-0.99, 0.99)},
    example="ripple_rad(8, 0.3, rings(yellow, blue))",
    source=_SOURCE,
    width=10,
)
def ripple_rad(waves: Any, amount: Any, image: Image) -> Image:
    """The image with `waves` petals: shows at each point what is 1 + amount · sin(waves · angle) times as far out."""
    return Image(lambda p: image(p * (1.0 + amount * F.sin(p.theta * waves))))


@word(
    "Length -> Image Color -> Image Color",
    ranges={"radius": positive},
    example="crop_rad(3, rings(yellow, blue))",
    source=_SOURCE,
    width=8,
)
def crop_rad(radius: Any, image: Image) -> Image:
    """The image within that distance of the origin, invisible beyond."""
    return Image(lambda p: F.where(p.r < radius, image(p), INVISIBLE))


@word(
    "Fraction -> Angle -> Image a -> Image a",
    ranges={"inner": Range(0, 0.999)},
    example="washer(0.5, pi / 2, checkerboard(0.2, teal, white))",
    source=_SOURCE,
    width=3,
)
def washer(inner: Any, angle: Any, image: Image) -> Image:
    """The image turned by an angle inside of distance `inner`, not at all beyond distance 1, and wrung between."""

    def wrung(p: Point) -> Any:
        part = F.clamp((1.0 - p.r) * (1 / (1 - inner)), 0.0, 1.0)
        return image(p.rotate(-angle * part))

    return Image(wrung)


@word(
    "Length -> Image Color -> Image Color",
    ranges={"radius": positive},
    example="circle_limit(10, rings(yellow, blue))",
    source=_SOURCE,
    width=22,
)
def circle_limit(radius: Any, image: Image) -> Image:
    """The whole plane within a disc of that radius: at distance r shows what is at radius · r / (radius - r)."""

    def squeezed(p: Point) -> Any:
        r = p.r
        reach = radius / F.max(radius - r, radius * 1e-6)
        return F.where(r < radius, image(p * reach), INVISIBLE)

    return Image(squeezed)


@word(
    "Integer -> Image a -> Image a",
    ranges={"folds": (1, math.inf)},
    example="kaleidoscope(6, move((1, 0.3), turn(0.4, checkerboard(1, crimson, gold))))",
    width=8,
)
def kaleidoscope(folds: Any, image: Image) -> Image:
    """The wedge of the image above the positive x axis, mirrored around the origin `folds` times two."""

    def folded(p: Point) -> Any:
        wedge = math.pi / folds
        turns = p.theta / (2 * wedge)
        return image(Point.polar(p.r, abs(turns - F.floor(turns + 0.5)) * (2 * wedge)))

    return Image(folded)


@word(
    "Integer -> Image a -> Image a",
    ranges={"copies": (1, math.inf)},
    example="rosette(5, move((2, 0), stretch((1, 0.4), disk(1.5))))",
    width=9,
)
def rosette(copies: Any, image: Image) -> Image:
    """The wedge of the image about the positive x axis, turned around the origin that many times."""

    def wound(p: Point) -> Any:
        wedge = 2 * math.pi / copies
        return image(Point.polar(p.r, p.theta - wedge * F.floor(p.theta / wedge + 0.5)))

    return Image(wound)


@word(
    "Image a -> Image a",
    example="log_polar(stretch((pi / 8, pi / 8), checkerboard(1, navy, khaki)))",
    width=8,
)
def log_polar(image: Image) -> Image:
    """The image wound around the origin so that small squares stay squares: at distance r shows what is at x = log r.

    One turn about the origin climbs 2 pi of the image's y.
    """
    return Image(lambda p: image(Point(0.5 * F.log(F.max(p.dot(p), _SMALL)), p.theta)))
