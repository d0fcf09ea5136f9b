"""Parameters: named numbers of a picture that stay arguments of its kernel, with a default and a range."""

from __future__ import annotations

import math
from typing import cast

from ..base.errors import InputError, brief
from ..ir import expr as E
from ..ir.expr import Expr
from .session import note, real_type
from .tracer import Value, static


class Param(Value):
    """A uniform of the compiled kernel with a default and a range: changing it never recompiles (see `param`)."""

    __slots__ = ("default", "high", "low", "name")

    def __init__(self, name: str, default: float, low: float, high: float) -> None:
        self.name, self.default, self.low, self.high = name, default, low, high

    @property
    def expr(self) -> Expr:
        """The parameter as a node of the session's real type; the session takes note of it."""
        met = note(self.name, self)
        if met is not self and (met.default, met.low, met.high) != (self.default, self.low, self.high):
            raise InputError(
                "a picture has two parameters of this name with different defaults or ranges",
                place=f"param {self.name}",
                fix="make it once and use it twice, or choose another name",
            )
        return E.param(self.name, real_type())


RESERVED = frozenset(("time", "center_x", "center_y", "zoom", "scale", "width", "height", "samples"))
"""The names of a kernel's own arguments."""

DECLARED: dict[str, Param] = {}
"""The latest declaration of each parameter, for values that were made from one outside of any session."""


def param(
    name: str, default: float, low: float | tuple[float, float] = -math.inf, high: float = math.inf
) -> Param:
    """A named number that stays a parameter of the compiled picture, with its default and its range.

    The range may be given as two numbers or as a pair. Raises InputError for a name that is not an identifier, a
    default that is not finite or a default outside of the range.

    >>> param("radius", 0.5, 0, 1).default
    0.5
    """
    if not isinstance(cast("object", name), str) or not name.isidentifier() or name in RESERVED:
        raise InputError(
            f"{brief(name)} cannot name a parameter", place="param", fix="use an identifier that is not taken"
        )
    place = f"param {name}"
    if isinstance(low, tuple):
        if len(low) != 2:
            raise InputError(
                f"{brief(low)} is not a range", place=place, fix="give the lowest and the highest value"
            )
        low, high = low
    least, most, value = (_number(place, x) for x in (low, high, default))
    if not math.isfinite(value) or not least <= value <= most:
        raise InputError(
            f"the default {default} is not a number in {low} .. {high}", place=place, fix="give one in range"
        )
    DECLARED[name] = Param(name, value, least, most)
    return DECLARED[name]


def _number(place: str, x: object) -> float:
    number = static(x)
    if number is None or isinstance(number, bool):
        raise InputError(f"{brief(x)} is not a number", place=place, fix="give Python's own numbers")
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
