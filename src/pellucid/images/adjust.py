"""Changing the colors of an image: opacity, light, saturation, hue; and taking fields out of it.

Amounts may be fields, so an adjustment can differ from place to place (paper Pan, section 2: real-valued images).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..tracing import Point
from ..tracing import functions as F
from .color import Color
from .image import Image
from .signature import positive
from .spaces import Three, from_linear, from_oklab, to_linear, to_oklab
from .spaces import luminance as light
from .word import word

_SHOWN = "swirl(2, checkerboard(0.5, tomato, gold))"
_PHOTO = "lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r)"


def _adjusted(amount: Image, image: Image, change: Callable[[Any, Three], Three]) -> Image:
    def sample(p: Point) -> Color:
        k = amount(p)
        below: Color = image(p)
        return below.map_straight(lambda r, g, b: change(k, (r, g, b)))

    return Image(sample)


@word(
    "Image Number -> Image Color -> Image Color",
    ranges={"opacity": (0, 1)},
    example="fade(0.5, checkerboard(1, crimson, gold))",
)
def fade(opacity: Image, image: Image) -> Image:
    """The image made transparent: its opacity multiplied by a number or a field in 0 .. 1."""
    return Image(lambda p: image(p) * F.clamp(opacity(p), 0.0, 1.0))


@word(
    "Image Number -> Color -> Image Color -> Image Color",
    ranges={"amount": (0, 1)},
    example="tint(0.5, teal, checkerboard(1, white, gray))",
)
def tint(amount: Image, tone: Color, image: Image) -> Image:
    """The image mixed with a color, as far as it is opaque: not at all for 0, all of it for 1."""

    def sample(p: Point) -> Color:
        below: Color = image(p)
        k = F.clamp(amount(p), 0.0, 1.0)
        return below.combine(tone * below.a, lambda x, y: F.lerp(k, x, y))

    return Image(sample)


@word(
    "Image Number -> Image Color -> Image Color",
    ranges={"factor": (0, math.inf)},
    example=f"brighten(1.5, {_PHOTO})",
    width=2.5,
)
def brighten(factor: Image, image: Image) -> Image:
    """The image with its light multiplied: darker below 1, brighter above, black for 0."""
    return _adjusted(factor, image, lambda k, c: (_lit(k, c[0]), _lit(k, c[1]), _lit(k, c[2])))


def _lit(factor: Any, x: Any) -> Any:
    return from_linear(F.clamp(to_linear(x) * factor, 0.0, 1.0))


@word(
    "Image Number -> Image Color -> Image Color",
    ranges={"amount": (0, math.inf)},
    example=f"contrast(2, {_PHOTO})",
    width=2.5,
)
def contrast(amount: Image, image: Image) -> Image:
    """The image with the distance of its components from the middle gray multiplied: flat below 1, hard above."""
    return _adjusted(
        amount, image, lambda k, c: (0.5 + k * (c[0] - 0.5), 0.5 + k * (c[1] - 0.5), 0.5 + k * (c[2] - 0.5))
    )


@word(
    "Image Number -> Image Color -> Image Color",
    ranges={"amount": (0, math.inf)},
    example=f"saturate(0.4, {_PHOTO})",
    width=2.5,
)
def saturate(amount: Image, image: Image) -> Image:
    """The image with its chroma multiplied, at the same perceptual lightness and hue: gray for 0, the same for 1."""

    def change(k: Any, c: Three) -> Three:
        lightness, a, b = to_oklab(*c)
        return from_oklab(lightness, a * k, b * k)

    return _adjusted(amount, image, change)


@word("Image Number -> Image Color -> Image Color", example=f"turn_hue(pi / 2, {_PHOTO})", width=2.5)
def turn_hue(angle: Image, image: Image) -> Image:
    """The image with its hues turned by an angle, at the same perceptual lightness and chroma."""

    def change(k: Any, c: Three) -> Three:
        lightness, a, b = to_oklab(*c)
        turned = Point(a, b).rotate(k)
        return from_oklab(lightness, turned.x, turned.y)

    return _adjusted(angle, image, change)


@word(
    "Image Number -> Image Color -> Image Color",
    ranges={"exponent": positive},
    example=f"gamma(2.2, {_PHOTO})",
    width=2.5,
)
def gamma(exponent: Image, image: Image) -> Image:
    """The image with each component raised to a power: darker middle tones above 1, brighter below."""
    return _adjusted(exponent, image, lambda k, c: (_raised(c[0], k), _raised(c[1], k), _raised(c[2], k)))


def _raised(x: Any, k: Any) -> Any:
    return F.where(x > 0, F.max(x, 1e-6) ** k, 0.0)


@word("Image Color -> Image Color", example=f"grayscale({_PHOTO})", width=2.5)
def grayscale(image: Image) -> Image:
    """The image in grays of the same light."""

    def gray(p: Point) -> Color:
        def same(r: Any, g: Any, b: Any) -> Three:
            level = from_linear(light(to_linear(r), to_linear(g), to_linear(b)))
            return level, level, level

        return image(p).map_straight(same)

    return Image(gray)


@word("Image Color -> Image Color", example=f"invert({_PHOTO})", width=2.5)
def invert(image: Image) -> Image:
    """The negative of the image: each component c becomes 1 - c, at the same opacity."""

    def negative(p: Point) -> Color:
        r, g, b, a = image(p)
        return Color(a - r, a - g, a - b, a)

    return Image(negative)


@word(
    "Count -> Image Color -> Image Color",
    ranges={"levels": (2, 256)},
    example=f"posterize(4, {_PHOTO})",
    width=2.5,
)
def posterize(levels: int, image: Image) -> Image:
    """The image with only that many levels of each component."""
    steps = levels - 1.0

    def coarse(p: Point) -> Color:
        below: Color = image(p)
        return below.map_straight(
            lambda r, g, b: (
                F.round(r * steps) / steps,
                F.round(g * steps) / steps,
                F.round(b * steps) / steps,
            )
        )

    return Image(coarse)


# ---- fields of an image ----


@word("Image Color -> Image Number", example="alpha(fade(0.5, crop(disk(1), red)))")
def alpha(image: Image) -> Image:
    """The field of the opacity of the image."""
    return Image(lambda p: image(p).a)


@word("Image Color -> Image Number", example=f"luminance({_PHOTO})", width=2.5)
def luminance(image: Image) -> Image:
    """The field of the light of the image, as the eye weighs it, in 0 .. 1; of what is invisible, 0."""

    def sample(p: Point) -> Any:
        r, g, b, a = image(p).straight()
        return light(to_linear(r), to_linear(g), to_linear(b)) * a

    return Image(sample)
