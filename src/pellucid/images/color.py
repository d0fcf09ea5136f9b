"""Colors: premultiplied red, green, blue and alpha, and what can be done to one (paper Pan, section 2.1).

A component is a number in 0 .. 1, static or symbolic, as stored in an sRGB picture file, times alpha. So red, green and
blue are at most alpha, and exactly one color is invisible. `spaces` converts to linear light and to perceptual spaces;
`palette` has the words that make colors; the level below is `tracing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..base.errors import TraceError
from ..base.record import record
from ..base.source_location import caller, in_line
from ..tracing import functions as F
from ..tracing import is_symbolic, static
from ..tracing.tracer import NoSuchPartError


def _refused(sign: str, fix: str) -> Callable[..., Any]:
    """The method of an operator that colors do not have."""

    def refuse(_: Color, *operands: object) -> Any:
        raise _no_operand(sign, fix)

    refuse.__doc__ = f"Refuse {sign}: {fix}."
    return refuse


_COMPONENTS = "change the components with color.map(function)"
_COLORS_ONLY = f"give two colors, or {_COMPONENTS}"
_ORDER = "colors have no order; compare components, as in a.r < b.r"


@record
class Color:
    """A color: premultiplied components `r`, `g`, `b` and opacity `a`, each in 0 .. 1 with r, g, b at most a.

    >>> Color(1, 0, 0).over(Color(0, 0, 1))
    Color(1, 0, 0)
    >>> 0.5 * Color(1, 0, 0)
    Color(0.5, 0.0, 0.0, 0.5)
    """

    r: Any
    g: Any
    b: Any
    a: Any = 1

    def __iter__(self) -> Iterator[Any]:
        """Unpacks as ``r, g, b, a = color``."""
        return iter((self.r, self.g, self.b, self.a))

    def __repr__(self) -> str:
        """The call that makes it."""
        parts = list(self)
        if static(self.a) == 1:
            parts.pop()
        return f"Color({', '.join(repr(c) for c in parts)})"

    def _repr_html_(self) -> str | None:
        """A swatch and the call, for notebooks; None unless all components are numbers."""
        known = [part for part in map(static, self) if part is not None]
        if len(known) < 4:
            return None
        *premultiplied, alpha = known
        straight = " ".join(f"{100 * (part / alpha if alpha else 0):g}%" for part in premultiplied)
        style = (
            "display: inline-block; width: 3em; height: 1.2em; vertical-align: middle; border: 1px solid gray"
        )
        swatch = f'<span style="{style}; background-color: rgb({straight} / {100 * alpha:g}%)"></span>'
        return f"{swatch} <code>{self!r}</code>"

    def __add__(self, other: Color) -> Color:
        """The sum of components, for weighted averages; the weights must add up to at most one."""
        _check_color("+", other)
        return self.combine(other, lambda x, y: x + y)

    def __sub__(self, other: Color) -> Color:
        """The difference of components, a step in the space of colors and not itself a color."""
        _check_color("-", other)
        return self.combine(other, lambda x, y: x - y)

    def __mul__(self, weight: Any) -> Color:
        """All four components scaled: the same color, more transparent, for a weight in 0 .. 1."""
        if isinstance(weight, Color | tuple | list):
            raise _no_operand(
                "*", "write multiply(a, b), one of the blend modes, or scale a color by a number"
            )
        return self.map(lambda x: x * weight)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Color:
        """All four components divided: the same color, more transparent, for a divisor from 1 on."""
        if isinstance(divisor, Color | tuple | list):
            raise _no_operand("/", f"divide a color by a number, or {_COMPONENTS}")
        if static(divisor) == 0:
            raise _no_operand("/", "divide a color by a number that is not 0")
        return self.map(lambda x: x / divisor)

    __radd__ = _refused("+", _COLORS_ONLY)
    __rsub__ = _refused("-", _COLORS_ONLY)
    __rtruediv__ = _refused("/", f"divide a color by a number, or {_COMPONENTS}")
    __neg__ = _refused("-", "write color.map_straight(lambda r, g, b: (1 - r, 1 - g, 1 - b)) for the inverse")
    __pow__ = __rpow__ = _refused("**", _COMPONENTS)
    __floordiv__ = __rfloordiv__ = _refused("//", _COMPONENTS)
    __mod__ = __rmod__ = _refused("%", _COMPONENTS)
    __lt__ = _refused("<", _ORDER)
    __le__ = _refused("<=", _ORDER)
    __gt__ = _refused(">", _ORDER)
    __ge__ = _refused(">=", _ORDER)

    def __getattr__(self, name: str) -> Any:
        """Refuse what a color does not have."""
        if name.startswith("_"):
            raise AttributeError(name)
        fix = "it has r, g, b and a, premultiplied, and c.straight() gives them as they are written"
        raise NoSuchPartError(f"a color has no {name!r}", place=caller()[0], fix=fix)

    def map(self, function: Callable[[Any], Any]) -> Color:
        """The color of a function of each of the four components.

        >>> Color(0.2, 0.4, 0.6).map(lambda x: x / 2)
        Color(0.1, 0.2, 0.3, 0.5)
        """
        return Color(function(self.r), function(self.g), function(self.b), function(self.a))

    def combine(self, other: Color, function: Callable[[Any, Any], Any]) -> Color:
        """The color of a function of the components of two colors, in turn.

        >>> Color(0.2, 0.4, 0.6).combine(Color(0.5, 0.1, 0.5), max)
        Color(0.5, 0.4, 0.6)
        """
        return Color(
            function(self.r, other.r),
            function(self.g, other.g),
            function(self.b, other.b),
            function(self.a, other.a),
        )

    def over(self, below: Color) -> Color:
        """This color laid over another one, as far as it is transparent: x1 + (1 - a1) x2 in every component.

        >>> Color(0.5, 0, 0, 0.5).over(Color(0, 0, 1))
        Color(0.5, 0.0, 0.5)
        """
        through = 1 - self.a
        return self.combine(below, lambda top, bottom: top + through * bottom)

    def straight(self) -> tuple[Any, Any, Any, Any]:
        """Components not multiplied by alpha, each in 0 .. 1; of the invisible color, zeros.

        >>> Color(0.25, 0.0, 0.5, 0.5).straight()
        (0.5, 0.0, 1.0, 0.5)
        """
        if static(self.a) == 1:
            return (self.r, self.g, self.b, self.a)
        # The smallest alpha of 16 bits: below it nothing can be seen, and nothing is divided by zero.
        divisor = F.max(self.a, 2.0**-16)
        return (*(F.min(c / divisor, 1.0) for c in (self.r, self.g, self.b)), self.a)

    def map_straight(self, function: Callable[[Any, Any, Any], tuple[Any, Any, Any]]) -> Color:
        """The color whose straight components are a function of this one's, clamped to 0 .. 1; alpha stays.

        >>> Color(0.25, 0.0, 0.5, 0.5).map_straight(lambda r, g, b: (1 - r, 1 - g, 1 - b))
        Color(0.25, 0.5, 0.0, 0.5)
        """
        r, g, b, a = self.straight()
        r, g, b = (F.clamp(c, 0.0, 1.0) for c in function(r, g, b))
        return Color(r, g, b, a) if static(a) == 1 else Color(r * a, g * a, b * a, a)

    @property
    def is_static(self) -> bool:
        """Whether all components are Python numbers."""
        return not any(map(is_symbolic, self))


def _check_color(sign: str, other: object) -> None:
    if not isinstance(other, Color):
        raise _no_operand(sign, _COLORS_ONLY)


def _no_operand(sign: str, fix: str) -> TraceError:
    place, line = caller()
    return TraceError(in_line(f"colors have no {sign} of this kind", line), place=place, fix=fix)


INVISIBLE = Color(0, 0, 0, 0)
"""The one fully transparent color."""


def mix(weight: Any, first: Color, second: Color) -> Color:
    """Weight parts of the first color and 1 - weight of the second (Pan's cLerp: the weight is the first's).

    >>> mix(0.25, Color(1, 0, 0), Color(0, 0, 1))
    Color(0.25, 0.0, 0.75)
    """
    return first.combine(second, lambda x, y: F.lerp(weight, y, x))
