"""Wrong rules for intervals, each of which the search for a point that is left out must see."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest

from pellucid.ir import types as T
from pellucid.ir.expr import apply
from pellucid.ir.intervals import corners
from pellucid.ir.intervals import interval as B
from pellucid.ir.intervals.interval import Choice, Interval
from pellucid.ir.intervals.notation import Term, choose, fma, maximum, minimum
from pellucid.ir.prim import Prim, row

from .intervals import registered, search

INVERSE = Prim(
    "inverse",
    "1 / x.",
    "F -> F",
    ref=lambda x: x.dtype.type(1) / x,
    llvm={"any": "{0}"},
    c={"any": "{0}"},
)


def _sine(turned: float, slack: bool) -> Callable[..., tuple[Term, Term]]:
    right = B.wave("sin", turned, 2 * np.pi)

    def interval(t: T.Type, x: Interval) -> tuple[Term, Term]:
        lo, hi = right(t, x)
        return (lo, hi) if slack else (B.at("sin", x.lo), B.at("sin", x.hi))

    return interval


def _products(count: int) -> Callable[..., tuple[Term, Term]]:
    def interval(t: T.Type, a: Interval, b: Interval) -> tuple[Term, Term]:
        found = [x * y for x in a for y in b][:count]
        lo = hi = found[0]
        for p in found[1:]:
            lo, hi = minimum(lo, p), maximum(hi, p)
        total = sum(found[1:], found[0])
        return B.only(total.equals(total), lo, hi) if count < 4 else (lo, hi)

    return interval


def _unwidened(name: str) -> Callable[..., tuple[Term, Term]]:
    return lambda t, x: B.only(x.nan_free, B.at(name, x.lo), B.at(name, x.hi))


def _lerp_without_slack(t: T.Type, w: Interval, a: Interval, b: Interval) -> tuple[Term, Term]:
    found = [fma(v, y - x, x) for v in w for x in a for y in b]
    lo = hi = found[0]
    for p in found[1:]:
        lo, hi = minimum(lo, p), maximum(hi, p)
    known = (b.hi - a.lo <= t.high) & (a.hi - b.lo <= t.high) & (w.hi - w.lo <= t.high)
    return B.only(known & a.nan_free & b.nan_free & w.nan_free, lo, hi)


def _without_guard(name: str) -> Callable[..., tuple[Term, Term]]:
    return lambda t, x: B.near(B.at(name, x.lo), B.at(name, x.hi), x.is_point, (0.0, np.inf))


def _atan2_without_cut(t: T.Type, y: Interval, x: Interval) -> tuple[Term, Term]:
    found = [B.at("atan2", v, u) for v in y for u in x]
    lo, hi = (
        minimum(minimum(*found[:2]), minimum(*found[2:])),
        maximum(maximum(*found[:2]), maximum(*found[2:])),
    )
    return B.only(y.nan_free & x.nan_free, *B.near(lo, hi, y.is_point & x.is_point))


def _over_zero(_: T.Type, a: Interval, b: Interval) -> tuple[Term, Term]:
    lo, hi = corners._quotient_ends("div", a, b)
    return B.only(((b.lo >= 0.0) | (b.hi < 0.0)) & (a.hi - a.lo <= a.type.high), lo, hi)


def _infinite_over_infinite(_: T.Type, a: Interval, b: Interval) -> tuple[Term, Term]:
    lo, hi = corners._quotient_ends("div", a, b)
    return B.only((b.lo > 0.0) | (b.hi < 0.0), *B.open_where_nan(lo, hi))


def _shifted(_: T.Type, a: Interval, s: Interval) -> tuple[Term, Term]:
    return B.only(s.is_point, B.at("shift_left", a.lo, s.lo), B.at("shift_left", a.hi, s.lo))


def _remainder(_: T.Type, a: Interval, b: Interval) -> tuple[Term, Term]:
    return B.only(b.is_point & (b.lo > 0), B.at("mod", a.lo, b.lo), B.at("mod", a.hi, b.lo))


def _converted(t: T.Type, x: Interval) -> tuple[Term, Term]:
    lo, hi = (Term(apply("convert", e.expr, attr=t)) for e in x)
    return B.only(lo <= hi, lo, hi)


def _bits(t: T.Type, x: Interval) -> tuple[Term, Term]:
    lo, hi = (Term(apply("bitcast", e.expr, attr=t)) for e in x)
    return B.only(x.lo >= 0.0, lo, hi)


def _power(swapped: bool) -> Callable[..., tuple[Term, Term]]:
    def interval(_: T.Type, x: Interval, y: Interval) -> tuple[Term, Term]:
        lo = B.at("pow", x.lo, y.hi if swapped else y.lo)
        hi = B.at("pow", x.hi, y.lo if swapped else y.hi)
        return B.only(
            (x.lo > 0.0) & (y.lo >= 0.0) & x.nan_free & y.nan_free, *B.near(lo, hi, x.is_point & y.is_point)
        )

    return interval


def _choice(_: T.Type, c: Interval, x: Interval, y: Interval) -> tuple[Term, Term]:
    return choose(c.hi, x.lo, y.lo), choose(c.hi, x.hi, y.hi)


PAIR = (T.f32, T.f32)
INTS = (T.i32, T.i32)
WRONG: dict[str, tuple[str, tuple[T.Type, ...], T.Type | None, dict[str, object]]] = {
    "a sine without widening": ("sin", (T.f32,), None, {"interval": _sine(np.pi / 2, False)}),
    "a sine with its peaks elsewhere": ("sin", (T.f32,), None, {"interval": _sine(0.0, True)}),
    "a logarithm without widening": ("log2", (T.f32,), None, {"interval": _unwidened("log2")}),
    "a logarithm of numbers below zero": ("log", (T.f32,), None, {"interval": B.rising("log")}),
    "an exponential of the whole line": ("exp", (T.f32,), None, {"interval": _without_guard("exp")}),
    "a tangent through its poles": ("tan", (T.f32,), None, {"interval": B.rising("tan")}),
    "a product with a corner missing": ("mul", PAIR, None, {"interval": _products(3)}),
    "a product of zero and infinity": ("mul", PAIR, None, {"interval": _products(4)}),
    "an integer product that wraps": ("mul", INTS, None, {"interval": _products(4)}),
    "a sum of opposite infinities": (
        "add",
        PAIR,
        None,
        {"interval": lambda t, a, b: (a.lo + b.lo, a.hi + b.hi)},
    ),
    "an integer sum that wraps": (
        "add",
        INTS,
        None,
        {"interval": lambda t, a, b: (a.lo + b.lo, a.hi + b.hi)},
    ),
    "an integer sum that wraps twice": (
        "add",
        (T.u8, T.u8),
        None,
        {"interval": lambda t, a, b: B.only(a.lo + b.lo <= a.hi + b.hi, a.lo + b.lo, a.hi + b.hi)},
    ),
    "a difference of like endpoints": (
        "sub",
        PAIR,
        None,
        {"interval": lambda t, a, b: B.open_where_nan(a.lo - b.lo, a.hi - b.hi)},
    ),
    "a negation of the lowest integer": ("neg", (T.i32,), None, {"interval": lambda t, a: (-a.hi, -a.lo)}),
    "a magnitude of the whole line": (
        "abs",
        (T.f32,),
        None,
        {"interval": lambda t, a: tuple(B.magnitude(a))},
    ),
    "a magnitude of the lowest integer": (
        "abs",
        (T.i32,),
        None,
        {"interval": lambda t, a: tuple(B.magnitude(a))},
    ),
    "a minimum with NaN": (
        "min",
        PAIR,
        None,
        {"interval": lambda t, a, b: (minimum(a.lo, b.lo), minimum(a.hi, b.hi))},
    ),
    "a maximum guarded on the wrong side": (
        "max",
        PAIR,
        None,
        {"interval": lambda t, a, b: (choose(a.nan_free, maximum(a.lo, b.lo), b.lo), maximum(a.hi, b.hi))},
    ),
    "a minimum copied where the operands touch": (
        "min",
        PAIR,
        None,
        {"choices": lambda a, b: (Choice(a.hi <= b.lo, True), Choice(b.hi <= a.lo, True))},
    ),
    "a sum with zero that keeps its sign": (
        "add",
        PAIR,
        None,
        {"choices": lambda a, b: (Choice(b.holds(0), True), None)},
    ),
    "a product with zero or one copied": (
        "mul",
        PAIR,
        None,
        {"choices": lambda a, b: (Choice((b.lo >= 0.0) & (b.hi <= 1.0) & b.is_point, True), None)},
    ),
    "a choice copied where it may be": (
        "choose",
        (T.boolean, *PAIR),
        None,
        {"choices": lambda c, x, y: (None, Choice(c.hi, True), None)},
    ),
    "a choice of what may be": ("choose", (T.boolean, *PAIR), None, {"interval": _choice}),
    "a quotient by zero": ("div", PAIR, None, {"interval": _over_zero}),
    "a quotient of infinities": ("div", PAIR, None, {"interval": _infinite_over_infinite}),
    "a fused sum with one end": (
        "fma",
        (T.f32,) * 3,
        None,
        {"interval": lambda t, a, b, c: corners.fused(t, a, b, Interval(c.lo, c.lo))},
    ),
    "a floor of one end": ("floor", (T.f32,), None, {"interval": lambda t, a: (a.lo, B.at("floor", a.hi))}),
    "a floor that is no point": (
        "floor",
        (T.f32,),
        None,
        {"interval": lambda t, a: (B.at("floor", a.lo), a.hi)},
    ),
    "a root below zero": (
        "sqrt",
        (T.f32,),
        None,
        {
            "interval": lambda t, a: (
                B.at("sqrt", maximum(a.lo, a.lo.lift(0.0))),
                maximum(B.at("sqrt", a.hi), a.hi.lift(0.0)),
            )
        },
    ),
    "an order that NaN does not keep": (
        "le",
        PAIR,
        None,
        {"interval": lambda t, a, b: (a.hi <= b.lo, a.lo <= b.hi)},
    ),
    "an order that forgets that equals may be": (
        "le",
        INTS,
        None,
        {"interval": lambda t, a, b: (a.hi <= b.lo, a.lo < b.hi)},
    ),
    "equality of intervals that touch": (
        "eq",
        PAIR,
        None,
        {"interval": lambda t, a, b: (a.hi.equals(b.lo), (a.lo <= b.hi) & (b.lo <= a.hi))},
    ),
    "a quotient of integers at like endpoints": (
        "floor_div",
        INTS,
        None,
        {
            "interval": lambda t, a, b: B.only(
                b.lo > 0, B.at("floor_div", a.lo, b.hi), B.at("floor_div", a.hi, b.lo)
            )
        },
    ),
    "a remainder of the endpoints": ("mod", INTS, None, {"interval": _remainder}),
    "a shift that loses bits": ("shift_left", INTS, None, {"interval": _shifted}),
    "bits of either within the larger": (
        "or",
        INTS,
        None,
        {
            "interval": lambda t, a, b: B.only(
                (a.lo >= 0) & (b.lo >= 0), maximum(a.lo, b.lo), maximum(a.hi, b.hi)
            )
        },
    ),
    "common bits of negative numbers": (
        "and",
        INTS,
        None,
        {"interval": lambda t, a, b: (minimum(a.lo, b.lo), minimum(a.hi, b.hi))},
    ),
    "a conversion that wraps": ("convert", (T.i32,), T.u8, {"interval": _converted}),
    "bits of a zero of either sign": ("bitcast", (T.f32,), T.i32, {"interval": _bits}),
    "an angle across the cut": ("atan2", PAIR, None, {"interval": _atan2_without_cut}),
    "a power that only grows": ("pow", PAIR, None, {"interval": _power(False)}),
    "a power that falls with its exponent": ("pow", PAIR, None, {"interval": _power(True)}),
    "a blend without widening": ("lerp", (T.f32,) * 3, None, {"interval": _lerp_without_slack}),
    "a length from the endpoints": (
        "hypot",
        PAIR,
        None,
        {
            "interval": lambda t, x, y: B.only(
                x.nan_free & y.nan_free,
                *B.near(B.at("hypot", x.lo, y.lo), B.at("hypot", x.hi, y.hi), x.is_point & y.is_point),
            )
        },
    ),
    "a zero whose sign is not looked at": ("inverse", (T.f32,), None, {"monotone": "-", "zero_sign": "pass"}),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_rule_is_seen(mistake: str):
    name, types, attr, change = WRONG[mistake]
    with registered(INVERSE) if name == INVERSE.name else nullcontext(row(name)) as right:
        wrong = replace(right, **change)
        assert search(right, types, attr) is None
        assert any(search(wrong, types, attr, seed) is not None for seed in range(3))
