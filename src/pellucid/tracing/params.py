"""Parameters: named numbers of a picture that stay arguments of its kernel, with a default and a range.

A parameter is what was declared, not its name: its node carries the declaration, so that two declarations are two nodes
wherever they meet. `named` gives the nodes of a traced program their plain names, and refuses two of one name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Self

from ..base.errors import InputError, brief
from ..base.source_location import caller
from ..ir import expr as E
from ..ir.expr import Expr
from .session import real_type
from .tracer import Value, static


class Param(Value):
    """A uniform of the compiled kernel with a default and a range: changing it never recompiles (see `param`)."""

    __slots__ = ("default", "high", "low", "name", "place")

    def __init__(
        self, name: str, default: float, low: float, high: float, place: str = "unknown place"
    ) -> None:
        self.name, self.default, self.low, self.high, self.place = name, default, low, high, place

    @property
    def expr(self) -> Expr:
        """The parameter as a node of the session's real type, which carries the declaration."""
        return E.param(_Declared(self), real_type())


class _Declared(str):
    """The identity of a parameter before its program is traced: equal for equal declarations, shown by name."""

    __slots__ = ("param",)
    param: Param

    def __new__(cls, param: Param) -> Self:
        """Write all of the declaration down."""
        found = super().__new__(cls, f"{param.name} {param.default!r} {param.low!r} {param.high!r}")
        found.param = param
        return found

    def __str__(self) -> str:
        """The parameter's name."""
        return self.param.name

    def __format__(self, spec: str) -> str:
        """The parameter's name."""
        return format(self.param.name, spec)


def declared(node: Expr) -> Param | None:
    """The parameter that a node stands for, before its program has plain names; None for any other node."""
    return node.attr.param if isinstance(node.attr, _Declared) else None


def named(roots: Iterable[Expr]) -> tuple[dict[Expr, Expr], dict[str, Param]]:
    """The nodes of declared parameters in a program with the nodes that have plain names, and the parameters by name.

    Raises InputError for two declarations of one name that differ; it shows where both are.
    """
    plain: dict[Expr, Expr] = {}
    found: dict[str, Param] = {}
    for node in E.params(roots):
        one = declared(node)
        if one is not None:
            other = found.setdefault(one.name, one)
            if (other.default, other.low, other.high) != (one.default, one.low, one.high):
                told = [f"{p.default} in {p.low} .. {p.high} ({p.place})" for p in (other, one)]
                raise InputError(
                    f"a picture has two parameters of this name, {' and '.join(told)}",
                    place=f"param {one.name}",
                    fix="make it once and use it twice, or choose another name",
                )
            plain[node] = E.param(one.name, node.type)
    return plain, found


RESERVED = frozenset(
    (
        *("time", "center_x", "center_y", "zoom", "scale", "width", "height"),
        *("left", "top", "whole_width", "whole_height", "samples"),
    )
)
"""The names of a kernel's own arguments."""


def param(
    name: str, default: float, low: float | tuple[float, float] = -math.inf, high: float = math.inf
) -> Param:
    """A named number that stays a parameter of the compiled picture, with its default and its range.

    The range may be given as two numbers or as a pair. Raises InputError for a name that is not an identifier, a
    default that is not finite or a default outside of the range.

    >>> param("radius", 0.5, 0, 1).default
    0.5
    """
    _check_name(name)
    place = f"param {name}"
    if isinstance(low, tuple):
        if len(low) != 2:
            raise InputError(
                f"{brief(low)} is not a range", place=place, fix="give the lowest and the highest value"
            )
        low, high = low
    least, most, value = (_number(place, x) for x in (low, high, default))
    if least > most:
        raise InputError(
            f"no number is in {low} .. {high}", place=place, fix="give the lowest first, then the highest"
        )
    if not math.isfinite(value) or not least <= value <= most:
        raise InputError(
            f"the default {default} is not a number in {low} .. {high}", place=place, fix="give one in range"
        )
    return Param(name, value, least, most, caller()[0])


def _check_name(name: object) -> None:
    fix = "use a name of Python, such as 'twist'"
    if isinstance(name, str):
        if name in RESERVED:
            fix = f"every picture has {name} already: choose another name"
        elif name.isidentifier():
            return
        elif (plain := re.sub(r"\W+", "_", name.strip())).isidentifier():
            fix = f"write {plain!r}, which is a name of Python"
    raise InputError(f"{brief(name)} cannot name a parameter", place="param", fix=fix)


def _number(place: str, x: object) -> float:
    number = static(x)
    if number is None or isinstance(number, bool):
        raise InputError(f"{brief(x)} is not a number", place=place, fix="give Python's own numbers")
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
