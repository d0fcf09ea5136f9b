"""Parameters: named numbers of a picture that stay arguments of its kernel, with a default and a range."""

from __future__ import annotations

import math

from ..base.errors import InputError
from ..ir import expr as E
from ..ir.expr import Expr
from .session import note, real_type
from .tracer import Value


class Param(Value):
    """A uniform of the compiled kernel with a default and a range: changing it never recompiles (see `param`)."""

    __slots__ = ("default", "high", "low", "name")

    def __init__(self, name: str, default: float, low: float, high: float) -> None:
        self.name, self.default, self.low, self.high = name, default, low, high

    @property
    def expr(self) -> Expr:
        """The parameter as a node of the session's real type; the session takes note of it."""
        note(self.name, self)
        return E.param(self.name, real_type())


RESERVED = frozenset(
    ("time", "time_step", "center_x", "center_y", "zoom", "scale", "width", "height", "samples", "frames")
)
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
    if isinstance(low, tuple):
        low, high = low
    if not name.isidentifier() or name in RESERVED:
        raise InputError(
            f"{name!r} cannot name a parameter", place="param", fix="use an identifier that is not taken"
        )
    if not math.isfinite(default) or not low <= default <= high:
        raise InputError(
            f"the default {default} is not a number in {low} .. {high}",
            place=f"param {name}",
            fix="give one in range",
        )
    DECLARED[name] = Param(name, float(default), float(low), float(high))
    return DECLARED[name]
