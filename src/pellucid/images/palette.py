"""Words that make colors: from components, from hue, from perceptual coordinates, from CSS notation.

Components are straight (not multiplied by alpha) where they come in; a `Color` is premultiplied. Hues are angles in
radians.
"""

from __future__ import annotations

from typing import Any

from ..tracing import static
from .color import Color, mix
from .spaces import from_hsl, from_hsv, from_linear, from_oklab, from_oklch
from .word import word


def straight(r: Any, g: Any, b: Any, a: Any = 1.0) -> Color:
    """The color of straight components."""
    return Color(r, g, b, a) if static(a) == 1 else Color(r * a, g * a, b * a, a)


@word("Fraction -> Fraction -> Fraction -> Color", example="const(rgb(1, 0.5, 0))", source="Pan 2.1")
def rgb(red: Any, green: Any, blue: Any) -> Color:
    """The opaque color of those components.

    >>> rgb(1, 0.5, 0)
    Color(1, 0.5, 0)
    """
    return Color(red, green, blue)


@word(
    "Fraction -> Fraction -> Fraction -> Fraction -> Color",
    example="const(rgba(1, 0.5, 0, 0.5))",
    source="Pan 2.1",
)
def rgba(red: Any, green: Any, blue: Any, alpha: Any) -> Color:
    """The color of those components, which are straight, and that opacity.

    >>> rgba(1.0, 0.5, 0.0, 0.5)
    Color(0.5, 0.25, 0.0, 0.5)
    """
    return straight(red, green, blue, alpha)


@word("Fraction -> Fraction -> Color", example="const(gray_level(0.25))")
def gray_level(level: Any, alpha: Any = 1.0) -> Color:
    """The gray of that level, 0 black and 1 white."""
    return straight(level, level, level, alpha)


@word(
    "Angle -> Fraction -> Fraction -> Color",
    example="lift(lambda t, r: hsv(t, clamp(r, 0, 1), 1), theta, r)",
    width=2.5,
)
def hsv(hue: Any, saturation: Any = 1.0, value: Any = 1.0) -> Color:
    """The color of that hue, saturation and value."""
    return Color(*from_hsv(hue, saturation, value))


@word(
    "Angle -> Fraction -> Fraction -> Color",
    example="lift(lambda t, r: hsl(t, 1, clamp(r, 0, 1)), theta, r)",
    width=2.5,
)
def hsl(hue: Any, saturation: Any = 1.0, lightness: Any = 0.5) -> Color:
    """The color of that hue, saturation and lightness."""
    return Color(*from_hsl(hue, saturation, lightness))


@word(
    "Fraction -> Number -> Number -> Color",
    ranges={"a": (-0.5, 0.5), "b": (-0.5, 0.5)},
    example="lift(lambda x, y: oklab(0.75, x, y), x, y)",
    width=0.5,
)
def oklab(lightness: Any, a: Any, b: Any) -> Color:
    """The color of that perceptual lightness and opponent axes (green to red, blue to yellow), clamped to sRGB."""
    return Color(*from_oklab(lightness, a, b))


@word(
    "Fraction -> Number -> Angle -> Color",
    ranges={"chroma": (0, 0.5)},
    example="lift(lambda t: oklch(0.75, 0.12, t), theta)",
)
def oklch(lightness: Any, chroma: Any, hue: Any) -> Color:
    """The color of that perceptual lightness, chroma (0 to about 0.4) and hue, clamped to sRGB."""
    return Color(*from_oklch(lightness, chroma, hue))


@word("Fraction -> Fraction -> Fraction -> Color", example="const(linear_rgb(0.5, 0.5, 0.5))")
def linear_rgb(red: Any, green: Any, blue: Any) -> Color:
    """The opaque color of those amounts of light."""
    return Color(from_linear(red), from_linear(green), from_linear(blue))


@word("Color -> Color", example="const(color('#ff8800'))")
def color(name: Color) -> Color:
    """The color of a CSS name, or of #rgb, #rgba, #rrggbb, #rrggbbaa.

    >>> color("#ff8800").r
    1.0
    """
    return name


@word(
    "Fraction -> Color -> Color -> Color",
    example="lift(lambda x: lerp_color(clamp(x, 0, 1), red, blue), x)",
    source="Pan 2.1",
)
def lerp_color(weight: Any, first: Color, second: Color) -> Color:
    """`weight` parts of the first color and 1 - weight of the second.

    >>> lerp_color(0.25, Color(1, 0, 0), Color(0, 0, 1))
    Color(0.25, 0.0, 0.75)
    """
    return mix(weight, first, second)


@word("Color -> Color -> Color", example="const(over_color(rgba(1, 0, 0, 0.5), blue))", source="Pan 2.1")
def over_color(top: Color, bottom: Color) -> Color:
    """The top color laid over the bottom one, which shows as far as the top is transparent."""
    return top.over(bottom)
