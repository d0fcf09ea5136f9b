"""Moving, turning, stretching: transforms of points, and of images by their inverses (paper Pan, 2.2 and 2.3.1).

A transform is any function from points to points. To transform an image is to transform the sample points the other
way, so `move` samples to the left of where it shows, and nothing is ever resampled. `bend` has the transforms of polar
coordinates; the level below is `image`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..base.errors import VocabularyError
from ..tracing import Point
from ..tracing import functions as F
from .image import Image
from .signature import nonzero, positive
from .word import word

Transform = Callable[[Point], Point]

_POINTS = "Pan 2.2"
_IMAGES = "Pan 2.3.1"


# ---- transforms of points ----


@word("Point -> Transform", example="warp(translate((0.5, 0)), checker)", source=_POINTS, width=8)
def translate(offset: Point) -> Transform:
    """The transform that moves points by an offset.

    >>> translate((1, 2))(Point(0, 0))
    Point(x=1, y=2)
    """
    return lambda p: p + offset


@word("Point -> Transform", example="warp(scale((2, 1)), checker)", source=_POINTS, width=8)
def scale(factors: Point) -> Transform:
    """The transform that multiplies each coordinate by its own factor.

    >>> scale((2, 3))(Point(1, 1))
    Point(x=2, y=3)
    """
    return lambda p: Point(p.x * factors.x, p.y * factors.y)


@word("Number -> Transform", example="warp(uscale(2), checker)", source=_POINTS, width=8)
def uscale(factor: Any) -> Transform:
    """The transform that multiplies both coordinates by one factor."""
    return lambda p: p * factor


@word("Angle -> Transform", example="warp(rotate(pi / 8), checker)", source=_POINTS, width=8)
def rotate(angle: Any) -> Transform:
    """The transform that turns points about the origin, counterclockwise."""
    return lambda p: p.rotate(angle)


@word(
    "Length -> Transform",
    ranges={"radius": nonzero},
    example="warp(swirling(20), checker)",
    source=_POINTS,
    width=20,
)
def swirling(radius: Any) -> Transform:
    """The transform that turns a point by as much more as it is farther out: by a full turn at that distance."""
    return lambda p: p.rotate(p.r * (math.tau / radius))


@word(
    "Point -> Transform -> Transform",
    example="warp(about((2, 0), swirling(8)), checker)",
    source="Functional Images",
    width=12,
)
def about(center: Point, transform: Transform) -> Transform:
    """The transform with that point in place of the origin."""
    return lambda p: transform(p - center) + center


@word("Transform... -> Transform", example="warp(compose(rotate(0.5), scale((2, 1))), checker)", width=8)
def compose(*transforms: Transform) -> Transform:
    """The transform that applies the others one after another, the last one first.

    >>> compose(translate((1, 0)), uscale(2))(Point(3, 0))
    Point(x=7, y=0)
    """

    def composed(p: Point) -> Point:
        for transform in reversed(transforms):
            p = transform(p)
        return p

    return composed


# ---- images ----


def _measured(made: Image, image: Image, change: Callable[[Image], Image]) -> Image:
    """The image that was made of another, told the distance from it if that from the other is known."""
    return made if image.measure is None else made.measured(change(image.measure))


@word("Transform -> Image a -> Image a", example="warp(lambda p: (p.x + sin(p.y), p.y), checker)", width=12)
def warp(transform: Transform, image: Image) -> Image:
    """The image sampled at transformed points: so it is itself transformed by the inverse."""
    return Image(lambda p: image(transform(p)))


@word("Point -> Image a -> Image a", example="move((0.5, 0.5), checker)", source=_IMAGES, width=8)
def move(offset: Point, image: Image) -> Image:
    """The image moved by an offset."""
    return _measured(Image(lambda p: image(p - offset)), image, lambda distance: move(offset, distance))


@word(
    "Point -> Image a -> Image a",
    ranges={"factors": nonzero},
    example="stretch((2, 1), checker)",
    source=_IMAGES,
    width=8,
)
def stretch(factors: Point, image: Image) -> Image:
    """The image stretched by a factor in each direction; a negative one mirrors."""
    across, up = 1 / factors.x, 1 / factors.y
    return Image(lambda p: image(Point(p.x * across, p.y * up)))


@word(
    "Number -> Image a -> Image a",
    ranges={"factor": nonzero},
    example="ustretch(2, checker)",
    source=_IMAGES,
    width=8,
)
def ustretch(factor: Any, image: Image) -> Image:
    """The image stretched by one factor in all directions."""
    made = Image(lambda p: image(p * (1 / factor)))
    return _measured(made, image, lambda distance: ustretch(factor, distance) * abs(factor))


@word("Angle -> Image a -> Image a", example="turn(pi / 8, checker)", source=_IMAGES, width=8)
def turn(angle: Any, image: Image) -> Image:
    """The image turned about the origin, counterclockwise."""
    return _measured(Image(lambda p: image(p.rotate(-angle))), image, lambda distance: turn(angle, distance))


@word(
    "Length -> Image a -> Image a",
    ranges={"radius": nonzero},
    example="swirl(100, checkerboard(10, black, white))",
    source=_IMAGES,
    width=200,
)
def swirl(radius: Any, image: Image) -> Image:
    """The image turned by as much more as it is farther out: by a full turn at that distance."""
    unwound = swirling(-radius)
    return Image(lambda p: image(unwound(p)))


@word(
    "Number -> Image a -> Image a",
    example="shear(0.5, checker)",
    width=8,
)
def shear(slope: Any, image: Image) -> Image:
    """The image slanted: each point moves right by `slope` for each unit that it is up."""
    return Image(lambda p: image(Point(p.x - slope * p.y, p.y)))


@word(
    "Point -> Function -> Image a -> Image a",
    example="centered((2, 1), lambda i: swirl(8, i), checker)",
    source="Functional Images",
    width=12,
)
def centered(center: Point, change: Callable[[Image], Any], image: Image) -> Image:
    """The result of a function of images, with that point in place of the origin."""
    changed: Any = change(Image(lambda p: image(p + center)).called(f"{image!r}", image.kind))
    if not isinstance(changed, Image):
        raise VocabularyError(
            f"the function gives {type(changed).__name__}", place="centered", fix="return an image"
        )
    return Image(lambda p: changed(p - center))


@word("Image a -> Image a", example="mirror(turn(0.3, checkerboard(1, gold, navy)))", width=8)
def mirror(image: Image) -> Image:
    """The right half of the image, and its mirror image on the left."""
    return Image(lambda p: image(Point(abs(p.x), p.y)))


@word(
    "Point -> Image a -> Image a",
    ranges={"cell": positive},
    example="tile((1, 1), disk(0.4))",
    source="Functional Images",
    width=5,
)
def tile(cell: Point, image: Image) -> Image:
    """The part of the image in a cell of that width and height about the origin, again and again over the plane."""

    def wrapped(x: Any, size: Any) -> Any:
        return x - size * F.floor(x / size + 0.5)

    return Image(lambda p: image(Point(wrapped(p.x, cell.x), wrapped(p.y, cell.y))))


@word(
    "Point -> Image a -> Image a",
    ranges={"cell": positive},
    example="reflect((1, 1), swirl(1, linear_gradient((-0.5, 0), (0.5, 0), [tomato, navy])))",
    width=5,
)
def reflect(cell: Point, image: Image) -> Image:
    """The part of the image in a cell about the origin, continued over the plane by mirrors at its edges."""

    def folded(x: Any, size: Any) -> Any:
        # A triangle wave of period two cells.
        return size * (abs(F.fraction(x / (2 * size) + 0.25) - 0.5) * 2.0 - 0.5)

    return Image(lambda p: image(Point(-folded(p.x, cell.x), -folded(p.y, cell.y))))
