"""Blend modes and the operators of Porter and Duff, as in W3C's *Compositing and Blending Level 1*.

With straight colors Cs over Cb and opacities as, ab, a mode B gives premultiplied
``co = as (1 - ab) Cs + as ab B(Cb, Cs) + (1 - as) ab Cb``, with opacity ``as + ab (1 - as)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..tracing import Point
from ..tracing import functions as F
from .color import Color
from .image import Image
from .spaces import Three
from .word import word

_SOURCE = "W3C Compositing and Blending Level 1"


# ---- modes that treat each component alone: functions of backdrop b and source s ----


def _multiply(b: Any, s: Any) -> Any:
    return b * s


def _screen(b: Any, s: Any) -> Any:
    return b + s - b * s


def _hard_light(b: Any, s: Any) -> Any:
    return F.where(s <= 0.5, _multiply(b, 2.0 * s), _screen(b, 2.0 * s - 1.0))


def _soft_light(b: Any, s: Any) -> Any:
    d = F.where(b <= 0.25, ((16.0 * b - 12.0) * b + 4.0) * b, F.sqrt(b))
    return F.where(s <= 0.5, b - (1.0 - 2.0 * s) * b * (1.0 - b), b + (2.0 * s - 1.0) * (d - b))


def _color_dodge(b: Any, s: Any) -> Any:
    bright = F.min(1.0, b / F.max(1.0 - s, 1e-6))
    return F.where(b <= 0.0, 0.0, F.where(s >= 1.0, 1.0, bright))


def _color_burn(b: Any, s: Any) -> Any:
    dark = 1.0 - F.min(1.0, (1.0 - b) / F.max(s, 1e-6))
    return F.where(b >= 1.0, 1.0, F.where(s <= 0.0, 0.0, dark))


_SEPARABLE: dict[str, Callable[[Any, Any], Any]] = {
    "normal": lambda b, s: s,
    "multiply": _multiply,
    "screen": _screen,
    "overlay": lambda b, s: _hard_light(s, b),
    "darken": F.min,
    "lighten": F.max,
    "color-dodge": _color_dodge,
    "color-burn": _color_burn,
    "hard-light": _hard_light,
    "soft-light": _soft_light,
    "difference": lambda b, s: abs(b - s),
    "exclusion": lambda b, s: b + s - 2.0 * b * s,
}


# ---- modes that mix hue, saturation and luminosity ----


def _luminosity(c: Three) -> Any:
    return 0.3 * c[0] + 0.59 * c[1] + 0.11 * c[2]


def _saturation(c: Three) -> Any:
    return _highest(c) - _lowest(c)


def _highest(c: Three) -> Any:
    return F.max(c[0], F.max(c[1], c[2]))


def _lowest(c: Three) -> Any:
    return F.min(c[0], F.min(c[1], c[2]))


def _each(function: Callable[[Any], Any], c: Three) -> Three:
    return function(c[0]), function(c[1]), function(c[2])


def _clipped(c: Three) -> Three:
    """Moved towards its luminosity until all components are in 0 .. 1."""
    middle, low, high = _luminosity(c), _lowest(c), _highest(c)
    up = F.where(low < 0, middle / F.max(middle - low, 1e-6), 1.0)
    lifted = _each(lambda x: middle + (x - middle) * up, c)
    down = F.where(high > 1, (1.0 - middle) / F.max(high - middle, 1e-6), 1.0)
    return _each(lambda x: middle + (x - middle) * down, lifted)


def _with_luminosity(c: Three, wanted: Any) -> Three:
    step = wanted - _luminosity(c)
    return _clipped(_each(lambda x: x + step, c))


def _with_saturation(c: Three, wanted: Any) -> Three:
    # Scaling the span to the wanted one keeps the order of the components, as the specification's cases do.
    low, span = _lowest(c), _saturation(c)
    factor = F.where(span > 0, wanted / F.max(span, 1e-6), 0.0)
    return _each(lambda x: (x - low) * factor, c)


_JOINT: dict[str, Callable[[Three, Three], Three]] = {
    "hue": lambda b, s: _with_luminosity(_with_saturation(s, _saturation(b)), _luminosity(b)),
    "saturation": lambda b, s: _with_luminosity(_with_saturation(b, _saturation(s)), _luminosity(b)),
    "color": lambda b, s: _with_luminosity(s, _luminosity(b)),
    "luminosity": lambda b, s: _with_luminosity(b, _luminosity(s)),
}

MODES = (*_SEPARABLE, *_JOINT)
"""The names of the blend modes, in the order of the specification."""


def blend_colors(mode: str, top: Color, bottom: Color) -> Color:
    """The top color blended with the bottom one in a mode.

    >>> blend_colors("multiply", Color(0.5, 1.0, 0.0), Color(0.5, 0.5, 0.5))
    Color(0.25, 0.5, 0.0)
    """
    if mode == "normal":
        return top.over(bottom)
    sr, sg, sb, source_alpha = top.straight()
    br, bg, bb, backdrop_alpha = bottom.straight()
    if mode in _SEPARABLE:
        function = _SEPARABLE[mode]
        mixed: Three = (function(br, sr), function(bg, sg), function(bb, sb))
    else:
        mixed = _JOINT[mode]((br, bg, bb), (sr, sg, sb))
    both, only_top, only_bottom = source_alpha * backdrop_alpha, 1 - backdrop_alpha, 1 - source_alpha

    def joined(t: Any, b: Any, m: Any) -> Any:
        return only_top * t + only_bottom * b + both * F.clamp(m, 0.0, 1.0)

    return Color(
        joined(top.r, bottom.r, mixed[0]),
        joined(top.g, bottom.g, mixed[1]),
        joined(top.b, bottom.b, mixed[2]),
        source_alpha + backdrop_alpha * only_bottom,
    )


_EXAMPLE = (
    "crop(disk(1.4), radial_gradient((0, 0), 1.4, [gold, crimson])), checkerboard(0.5, steelblue, white))"
)


@word(
    "Text -> Image Color -> Image Color -> Image Color",
    ranges={"mode": MODES},
    example=f"blend('soft-light', {_EXAMPLE}",
    source=_SOURCE,
    receiver="top",
)
def blend(mode: str, top: Image, bottom: Image) -> Image:
    """The top image blended with the bottom one in one of the sixteen modes of the W3C."""
    return Image(lambda p: blend_colors(mode, top(p), bottom(p)))


@word(
    "Image Color -> Image Color -> Image Color",
    example=f"multiply({_EXAMPLE}",
    source=_SOURCE,
    receiver="top",
)
def multiply(top: Image, bottom: Image) -> Image:
    """The product of two images: never brighter than either, like one slide in front of another."""
    return Image(lambda p: blend_colors("multiply", top(p), bottom(p)))


@word(
    "Image Color -> Image Color -> Image Color", example=f"screen({_EXAMPLE}", source=_SOURCE, receiver="top"
)
def screen(top: Image, bottom: Image) -> Image:
    """The product of the negatives: never darker than either, like two projectors on one wall."""
    return Image(lambda p: blend_colors("screen", top(p), bottom(p)))


# ---- Porter and Duff: how much of the top and of the bottom remains, from their opacities ----

_OPERATORS: dict[str, Callable[[Any, Any], tuple[Any, Any]]] = {
    "clear": lambda top, bottom: (0, 0),
    "copy": lambda top, bottom: (1, 0),
    "destination": lambda top, bottom: (0, 1),
    "over": lambda top, bottom: (1, 1 - top),
    "destination-over": lambda top, bottom: (1 - bottom, 1),
    "in": lambda top, bottom: (bottom, 0),
    "destination-in": lambda top, bottom: (0, top),
    "out": lambda top, bottom: (1 - bottom, 0),
    "destination-out": lambda top, bottom: (0, 1 - top),
    "atop": lambda top, bottom: (bottom, 1 - top),
    "destination-atop": lambda top, bottom: (1 - bottom, top),
    "xor": lambda top, bottom: (1 - bottom, 1 - top),
    "lighter": lambda top, bottom: (1, 1),
}


@word(
    "Text -> Image Color -> Image Color -> Image Color",
    ranges={"operator": tuple(_OPERATORS)},
    example="composite('xor', crop(move((0.5, 0), disk(1)), crimson), crop(move((-0.5, 0), disk(1)), navy))",
    source=_SOURCE,
    receiver="top",
)
def composite(operator: str, top: Image, bottom: Image) -> Image:
    """The two images combined by an operator of Porter and Duff."""
    share = _OPERATORS[operator]

    def combined(p: Point) -> Color:
        a: Color = top(p)
        b: Color = bottom(p)
        of_top, of_bottom = share(a.a, b.a)
        return a.combine(b, lambda s, d: F.min(s * of_top + d * of_bottom, 1.0))

    return Image(combined)
