"""Gradients: colors along a line, away from a point, around a point, or along any field.

Stops are a list of colors, spread evenly over 0 .. 1, or of pairs (position, color). Between stops, colors are mixed as
they are stored (``srgb``), as light (``linear``), or in a perceptual space (``oklab``, ``oklch``).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, cast

from ..base.errors import VocabularyError
from ..tracing import Point, static
from ..tracing import functions as F
from .color import Color, mix
from .image import Image
from .palette import straight
from .signature import Refused, number, parameter_type, positive, to_color
from .spaces import Three, from_linear, from_oklab, from_oklch, to_linear, to_oklab, to_oklch
from .word import word

Stop = tuple[Any, Color]
SPACES = ("srgb", "linear", "oklab", "oklch")
SPREADS = ("pad", "repeat", "reflect")


@parameter_type("Stops", "a list of colors, or of pairs (position from 0 to 1, color)")
def _stops(x: Any) -> list[Stop]:
    if not isinstance(x, list | tuple) or len(items := cast("Sequence[Any]", x)) < 2:
        raise Refused("not a list of at least two stops", "give colors, or pairs (position, color)")
    paired = [isinstance(i, tuple) and len(cast("tuple[Any, ...]", i)) == 2 for i in items]
    if not any(paired):
        return [(k / (len(items) - 1), to_color(i)) for k, i in enumerate(items)]
    if not all(paired):
        raise Refused("a list of colors and of pairs", "give a position with every color, or with none")
    made = [(number(position), to_color(color)) for position, color in items]
    fixed = [position for position, _ in made]
    if all(isinstance(f, int | float) for f in fixed) and (
        fixed != sorted(fixed) or fixed[0] < 0 or fixed[-1] > 1
    ):
        raise Refused(f"positions {fixed}", "give positions from 0 to 1 that never fall")
    return made


def _from_linear(r: Any, g: Any, b: Any) -> Three:
    return from_linear(r), from_linear(g), from_linear(b)


def _to_linear(r: Any, g: Any, b: Any) -> Three:
    return to_linear(r), to_linear(g), to_linear(b)


_INTO: dict[str, tuple[Callable[[Any, Any, Any], Three], Callable[[Any, Any, Any], Three]]] = {
    "linear": (_to_linear, _from_linear),
    "oklab": (to_oklab, from_oklab),
    "oklch": (to_oklch, from_oklch),
}


def between(part: Any, first: Color, second: Color, space: str) -> Color:
    """The color `part` of the way from the first to the second, interpolated in a space of `SPACES`.

    >>> between(0.5, Color(0.0, 0.0, 0.0), Color(1.0, 1.0, 1.0), "srgb")
    Color(0.5, 0.5, 0.5)
    """
    if space == "srgb":
        return mix(part, second, first)
    into, out = _INTO[space]
    *c, a1 = first.straight()
    *d, a2 = second.straight()
    x, y = into(*c), into(*d)
    if space == "oklch":
        # Hues go the shorter way around; the hue of a gray is that of its partner.
        h1 = F.where(x[1] < 1e-3, y[2], x[2])
        h2 = F.where(y[1] < 1e-3, h1, y[2])
        x, y = (x[0], x[1], h1), (y[0], y[1], h1 + (h2 - h1) - math.tau * F.round((h2 - h1) / math.tau))
    alpha = F.lerp(part, a1, a2)
    # Opacity weighs the colors, so that what fades out leaves no tint behind.
    weight = part if static(a1) == static(a2) == 1 else part * a2 / F.max(alpha, 1e-6)
    return straight(*out(*(F.lerp(weight, p, q) for p, q in zip(x, y, strict=True))), alpha)


def colors_along(stops: Sequence[Stop], t: Any, space: str) -> Color:
    """The color at position t of a gradient; before the first stop and after the last, theirs."""
    result = stops[0][1]
    for (start, first), (end, second) in itertools.pairwise(stops):
        if isinstance(start, int | float) and start == end:
            piece = second
        else:
            piece = between(F.clamp((t - start) / (end - start), 0.0, 1.0), first, second, space)
        result = piece if start is stops[0][0] else F.where(t < start, result, piece)
    return result


def _spread(t: Any, spread: str) -> Any:
    if spread == "repeat":
        return F.fraction(t)
    if spread == "reflect":
        return 1.0 - abs(F.fraction(t * 0.5) * 2.0 - 1.0)
    return t


_CHOICES = {"space": SPACES, "spread": SPREADS}


@word(
    "Point -> Point -> Stops -> Text -> Text -> Image Color",
    ranges=_CHOICES,
    example="linear_gradient((-2, 0), (2, 0), [navy, crimson, gold], space='oklab')",
)
def linear_gradient(start: Point, end: Point, stops: Any, space: str = "srgb", spread: str = "pad") -> Image:
    """The colors of the stops along the line from one point to another, and square to it the same."""
    along = end - start
    square = along.dot(along)
    if static(square) == 0:
        raise VocabularyError(
            "start and end are one point, or too near to each other to divide by their distance",
            place="linear_gradient",
            fix="give two points that differ",
        )
    scale = 1 / square

    def sample(p: Point) -> Color:
        return colors_along(stops, _spread((p - start).dot(along) * scale, spread), space)

    return Image(sample)


@word(
    "Point -> Length -> Stops -> Text -> Text -> Image Color",
    ranges={**_CHOICES, "radius": positive},
    example="radial_gradient((0, 0), 1.5, [gold, crimson, midnightblue])",
)
def radial_gradient(
    center: Point, radius: Any, stops: Any, space: str = "srgb", spread: str = "pad"
) -> Image:
    """The colors of the stops from a center to a distance from it."""

    def sample(p: Point) -> Color:
        return colors_along(stops, _spread((p - center).r * (1 / radius), spread), space)

    return Image(sample)


@word(
    "Point -> Angle -> Stops -> Text -> Image Color",
    ranges={"space": SPACES},
    example="conic_gradient((0, 0), 0, [crimson, gold, teal, crimson], 'oklab')",
)
def conic_gradient(center: Point, start: Any, stops: Any, space: str = "srgb") -> Image:
    """The colors of the stops once around a center, counterclockwise from an angle."""

    def sample(p: Point) -> Color:
        return colors_along(stops, F.fraction(((p - center).theta - start) * (0.5 / math.pi)), space)

    return Image(sample)


@word(
    "Stops -> Image Number -> Text -> Text -> Image Color",
    ranges=_CHOICES,
    example="ramp([midnightblue, tomato, ivory], wave_dist, 'oklab')",
    width=6,
    receiver="field",
)
def ramp(stops: Any, field: Image, space: str = "srgb", spread: str = "pad") -> Image:
    """A field in colors: those of the stops for values from 0 to 1."""
    return Image(lambda p: colors_along(stops, _spread(field(p), spread), space))


@word(
    "Stops -> Number -> Text -> Color",
    ranges={"space": SPACES},
    example="lift(lambda x: color_at([navy, crimson, gold], x), x * 0.25 + 0.5)",
)
def color_at(stops: Any, position: Any, space: str = "srgb") -> Color:
    """The color at a position of a gradient, from 0 at the first stop to 1 at the last."""
    return colors_along(stops, position, space)
