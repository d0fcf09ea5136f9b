"""Point by point: constants, choices, overlays, blends, and the lifting of any function (paper Pan, 2.3.2)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..base.errors import VocabularyError
from ..base.source_location import caller
from ..tracing import Point
from ..tracing import functions as F
from .color import INVISIBLE, Color, mix
from .image import Image, constant
from .word import value, word


@word("Image a -> Image a", example="const(teal)", source="Pan 2.3")
def const(image: Image) -> Image:
    """The image that is the same everywhere: of one color, truth or number.

    >>> const(0.5).at([1, 2], 3)
    array([0.5, 0.5], dtype=float32)
    """
    return image


@value("Image Color", source="Pan 2.3")
def empty() -> Image:
    """The image that is invisible everywhere."""
    return constant(INVISIBLE)


@word(
    "Image Bool -> Image a -> Image a -> Image a",
    example="cond(checker, red, blue)",
    source="Pan 2.3.2",
    receiver="region",
)
def cond(region: Image, then: Image, orelse: Image) -> Image:
    """One image inside of the region, another one outside."""
    return Image(lambda p: F.where(region(p), then(p), orelse(p)))


@word(
    "Image Color -> Image Color -> Image Color",
    example="over(crop(disk(1.2), fade(0.6, crimson)), checkerboard(0.5, white, silver))",
    source="Pan 2.3.2",
    receiver="top",
)
def over(top: Image, bottom: Image) -> Image:
    """The top image laid over the bottom one, which shows as far as the top is transparent."""
    return Image(lambda p: top(p).over(bottom(p)))


@word(
    "Image Color... -> Image Color",
    example="stack(crop(disk(1), crimson), crop(disk(1.5), gold), navy)",
)
def stack(*images: Image) -> Image:
    """The images laid over one another, the first on top; of no images, the empty one."""

    def laid(p: Point) -> Any:
        result: Any = INVISIBLE
        for image in reversed(images):
            result = image(p).over(result) if result is not INVISIBLE else image(p)
        return result

    return Image(laid)


@word(
    "Function -> Image... -> Image",
    example="lift(lambda a, b: a ^ b, checker, move((0.5, 0.5), checker))",
    source="Pan 2.3.2",
)
def lift(function: Callable[..., Any], *images: Image) -> Image:
    """The image whose value at a point is that function of the values of the images there."""
    try:
        inspect.signature(function).bind(*images)
    except TypeError as error:
        raise VocabularyError(
            f"the function does not take {len(images)} values ({error})",
            place=f"{caller()[0]}: lift",
            fix="give as many images as the function has arguments",
        ) from None
    except ValueError:
        # Some functions of C do not tell what they take.
        pass
    return Image(lambda p: function(*(image(p) for image in images)))


@word(
    "Image Number -> Image a -> Image a -> Image a",
    ranges={"weight": (0, 1)},
    example="lerp(wave_dist, checkerboard(1, black, white), const(gold))",
    source="Functional Images",
    receiver="first",
)
def lerp(weight: Image, first: Image, second: Image) -> Image:
    """`weight` parts of the first image and 1 - weight of the second; the weight, in 0 .. 1, may be a field."""
    if first.kind not in ("color", "field"):
        raise VocabularyError(
            f"first is an image of kind {first.kind}", place="lerp", fix="give colored images, or fields"
        )

    def mixed(p: Point) -> Any:
        w, a, b = weight(p), first(p), second(p)
        return mix(w, a, b) if isinstance(a, Color) else F.lerp(w, b, a)

    return Image(mixed)


@word(
    "Color -> Color -> Color -> Color -> Image Color",
    example="bilerp(black, red, blue, white)",
    source="Pan 2.4",
    width=2,
)
def bilerp(lower_left: Color, lower_right: Color, upper_left: Color, upper_right: Color) -> Image:
    """The colors of the corners of the unit square blended inside of it, and continued outside from its edge."""

    def blended(p: Point) -> Color:
        dx, dy = F.clamp(p.x, 0.0, 1.0), F.clamp(p.y, 0.0, 1.0)
        return mix(dy, mix(dx, upper_right, upper_left), mix(dx, lower_right, lower_left))

    return Image(blended)


# ---- coordinates as fields ----


@value("Image Number", example="x < y")
def x() -> Image:
    """The field of the coordinate to the right."""
    return Image(lambda p: p.x)


@value("Image Number", example="y < x * x")
def y() -> Image:
    """The field of the coordinate upwards."""
    return Image(lambda p: p.y)


@value("Image Number", example="r % 1")
def r() -> Image:
    """The field of the distance from the origin."""
    return Image(lambda p: p.r)


@value("Image Number", example="theta * (0.5 / pi) + 0.5")
def theta() -> Image:
    """The field of the angle from the x axis, counterclockwise, in (-pi, pi]."""
    return Image(lambda p: p.theta)
