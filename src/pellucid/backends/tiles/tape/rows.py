"""Packing rows: set the whole part of a number in bits of a word, as colors are packed.

`tape.packing` puts these rows in place of the expressions that pack a pixel; no other part writes them. There is a row
for each clamp that may be left before packing (none, the upper, or both), each also for a fraction that is scaled to a
byte first, and each for all three channels of an opaque color at once.
"""

from __future__ import annotations

from collections.abc import Callable

from ....ir import types as T
from ....ir.expr import Expr, apply, const
from ....ir.facts import Facts, Transfer, exactly
from ....ir.intervals.interval import Endpoints, Interval, IntervalFunction, at
from ....ir.intervals.notation import Term, convert, fma, maximum, minimum, to_integer
from ....ir.prim import Prim, extend, row

FULL = 255.0
"""The largest byte."""
HALF = 0.5
"""Added before truncation, to round to the nearest."""
SCALED, OPAQUE = "_scaled", "_opaque"
"""Suffixes of rows that take fractions, and of rows that take three channels."""
ALPHA, PLACES = 0xFF000000, (0, 8, 16)
"""The alpha bits of an opaque color, and the lowest bits of its channels."""


def _packed(clamp: Callable[[Term], Term]) -> Callable[..., Expr]:
    def body(w: Expr, x: Expr, n: Expr) -> Expr:
        part = convert(to_integer(clamp(Term(x)), T.i32), w.type)
        return (Term(w) | at("shift_left", part, Term(n))).expr

    return body


def _facts(*clamps: tuple[str, float], scaled: bool) -> Transfer:
    def facts(t: T.Type, types: tuple[T.Type, ...], w: Facts, x: Facts, n: Facts) -> Facts:
        of = types[1]
        if scaled:
            x = row("fma").transfer(of, (of, of, of), x, exactly(of, FULL), exactly(of, HALF))
        for name, bound in clamps:
            x = row(name).transfer(of, (of, of), x, exactly(of, bound))
        part = row("to_integer").transfer(T.i32, (of,), x)
        part = row("convert").transfer(t, (T.i32,), part)
        return row("or").transfer(t, (t, t), w, row("shift_left").transfer(t, (t, t), part, n))

    return facts


def _interval(clamp: Callable[[Term], Term]) -> IntervalFunction:
    def interval(t: T.Type, w: Interval, x: Interval, n: Interval) -> Endpoints:
        # NaN is clamped to a bound, or truncated to the lowest integer: endpoints of the result for all numbers.
        part = Interval(*(to_integer(clamp(end), T.i32) for end in x))
        return _bounds("or", t, w, _bounds("shift_left", t, _bounds("convert", t, part), n))

    return interval


def _bounds(name: str, t: T.Type, *intervals: Interval) -> Interval:
    rule = row(name).interval
    assert rule is not None  # noqa: S101 - these rows have one
    return Interval(*rule(t, *intervals))


def _rows(
    name: str, part: str, clamp: Callable[[Term], Term], *clamps: tuple[str, float]
) -> tuple[Prim, ...]:
    """The rows that pack a number, as it is or scaled, and those that pack three of them."""

    def one(name: str, of: str, made: Callable[[Term], Term], *, scaled: bool) -> Prim:
        return Prim(
            name,
            f"The bits of w and those of the whole part of {part.format(of)}, n places up.",
            "I F I -> I",
            body=_packed(made),
            facts=_facts(*clamps, scaled=scaled),
            interval=_interval(made),
            zero_sign="kill",
            cost=2,
        )

    plain = one(name, "x", clamp, scaled=False)
    scaled = one(name + SCALED, "255 x + 1/2", lambda x: clamp(_full(x)), scaled=True)
    return plain, scaled, _opaque(plain), _opaque(scaled)


def _opaque(of: Prim) -> Prim:
    """The row that packs the three channels of an opaque color, each as `of` does."""

    def body(r: Expr, g: Expr, b: Expr, t: T.Type) -> Expr:
        word = const(ALPHA, t)
        for channel, places in zip((r, g, b), PLACES, strict=True):
            word = apply(of.name, word, channel, const(places, t))
        return word

    def facts(t: T.Type, types: tuple[T.Type, ...], *channels: Facts) -> Facts:
        word = exactly(t, ALPHA)
        for channel, places in zip(channels, PLACES, strict=True):
            word = of.transfer(t, (t, types[0], t), word, channel, exactly(t, places))
        return word

    def interval(t: T.Type, *channels: Interval) -> Endpoints:
        word = _interval_of(ALPHA, t)
        for channel, places in zip(channels, PLACES, strict=True):
            word = _bounds(of.name, t, word, channel, _interval_of(places, t))
        return word

    return Prim(
        of.name + OPAQUE,
        f"An opaque color of which each channel is set as {of.name} sets it.",
        "F F F -> @",
        body=body,
        facts=facts,
        interval=interval,
        targets=lambda _, target: target is T.u32,
        zero_sign="kill",
        cost=5,
    )


def _interval_of(value: int, t: T.Type) -> Interval:
    return Interval(*[Term(const(value, t))] * 2)


def _full(x: Term) -> Term:
    return fma(x, FULL, HALF)


def _least(x: Term) -> Term:
    return minimum(x, x.lift(FULL))


def _most(x: Term) -> Term:
    return maximum(x, x.lift(0.0))


ROWS = (
    *_rows("pack", "{}", lambda x: x),
    *_rows("pack_below", "the lesser of {} and 255", _least, ("min", FULL)),
    *_rows("pack_byte", "{} between 0 and 255", lambda x: _least(_most(x)), ("max", 0.0), ("min", FULL)),
)
extend(*ROWS)
