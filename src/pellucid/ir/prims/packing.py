"""Packing: a word with the whole part of a number set beside what it holds, as colors are packed.

The tile machine puts these rows in place of the chains that pack a pixel (`backends.tilevm.packing`), since there every
instruction goes through memory once; nobody else writes them. Bytes are clamped before they are packed, unless it is
known that they are none too low or too high: so there is a row for each clamp that is left of one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .. import types as T
from ..facts import Facts, Transfer, exactly
from ..prim import Prim, row
from .box import Box, Ends, Interval, at
from .notation import Term, convert, maximum, minimum, to_integer

if TYPE_CHECKING:
    from ..expr import Expr

FULL = 255.0
"""The value of a byte all of whose bits are set."""


def _packed(clamp: Callable[[Term], Term]) -> Callable[..., Expr]:
    def body(w: Expr, x: Expr, n: Expr) -> Expr:
        part = convert(to_integer(clamp(Term(x)), T.i32), w.type)
        return (Term(w) | at("shift_left", part, Term(n))).expr

    return body


def _facts(*clamps: tuple[str, float]) -> Transfer:
    def facts(t: T.Type, types: tuple[T.Type, ...], w: Facts, x: Facts, n: Facts) -> Facts:
        of = types[1]
        for name, bound in clamps:
            x = row(name).transfer(of, (of, of), x, exactly(of, bound))
        part = row("to_integer").transfer(T.i32, (of,), x)
        part = row("convert").transfer(t, (T.i32,), part)
        return row("or").transfer(t, (t, t), w, row("shift_left").transfer(t, (t, t), part, n))

    return facts


def _interval(clamp: Callable[[Term], Term]) -> Interval:
    def interval(t: T.Type, w: Box, x: Box, n: Box) -> Ends:
        # What a clamp makes of NaN is one of its bounds, and the lowest number without: ends that the whole line has.
        part = Box(*(to_integer(clamp(end), T.i32) for end in x))
        return _box("or", t, w, _box("shift_left", t, _box("convert", t, part), n))

    return interval


def _box(name: str, t: T.Type, *boxes: Box) -> Box:
    rule = row(name).interval
    assert rule is not None  # noqa: S101 - these rows have one
    return Box(*rule(t, *boxes))


def _row(name: str, part: str, clamp: Callable[[Term], Term], *clamps: tuple[str, float]) -> Prim:
    return Prim(
        name,
        f"The bits of w and those of {part}, n places up.",
        "I F I -> I",
        body=_packed(clamp),
        facts=_facts(*clamps),
        interval=_interval(clamp),
        zero_sign="kill",
        cost=2,
    )


def _least(x: Term) -> Term:
    return minimum(x, x.lift(FULL))


def _most(x: Term) -> Term:
    return maximum(x, x.lift(0.0))


ROWS = (
    _row("pack", "the whole part of x", lambda x: x),
    _row("pack_below", "the whole part of the lesser of x and 255", _least, ("min", FULL)),
    _row(
        "pack_byte",
        "the whole part of x between 0 and 255",
        lambda x: _least(_most(x)),
        ("max", 0.0),
        ("min", FULL),
    ),
)
