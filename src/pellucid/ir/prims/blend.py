"""Blending: the weighted mean of two values, kept whole until code is emitted so that its bounds are not lost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..facts import Facts, rounded, top
from ..intervals.interval import Choice, Endpoints, Interval, all_of, at, near, only
from ..intervals.notation import Term, choose, fma, maximum, minimum
from ..prim import Prim, row
from ..types import Type, f32, f64

if TYPE_CHECKING:
    from ..expr import Expr


def _lerp(w: Expr, a: Expr, b: Expr) -> Expr:
    from ..expr import apply

    return apply("fma", w, apply("sub", b, a), a)


def _lerp_facts(t: Type, types: tuple[Type, ...], w: Facts, a: Facts, b: Facts) -> Facts:
    if not (a.finite and b.finite) or w.nan:
        return top(t)
    if not w.within(0, 1):
        span = row("sub").transfer(t, types, b, a)
        return row("fma").transfer(t, types, w, span, a)
    span = max(a.hi, b.hi) - min(a.lo, b.lo)
    if rounded(t, span) > t.high:
        return top(t)
    lo, hi = min(a.lo, b.lo), max(a.hi, b.hi)
    if lo == 0:
        # b - a >= -a, and rounding keeps the order, so the sum is not negative. Above, the difference is off by at most
        # half a step of the larger of a and b; rounding the sum undoes that, ties to even, unless the bound is odd.
        return Facts(lo, hi if _even(t, hi) else _above(t, hi), minus_zero=a.minus_zero)
    # The difference, and then the sum, are off by half a step each.
    reach = max(abs(lo), abs(hi)) * 2
    lo, hi = rounded(t, lo - _step(t, reach)), rounded(t, hi + _step(t, reach))
    return Facts(lo, hi, minus_zero=lo <= 0 <= hi)


def _step(t: Type, x: float) -> float:
    """The distance of floats near x."""
    return max(math.ulp(x) * (2.0**29 if t is f32 else 1.0), 2.0**-149 if t is f32 else 0.0)


def _above(t: Type, x: float) -> float:
    return rounded(t, x + _step(t, x))


def _even(t: Type, x: float) -> bool:
    return x / _step(t, x) % 2 == 0


def _smooth(x: Expr) -> Expr:
    from ..expr import apply, const

    # Doubling is exact, so that this is 3 - 2 * x to the last bit.
    slope = apply("fma", x, const(-2, x.type), const(3, x.type))
    return apply("mul", apply("mul", x, x), slope)


def _smooth_facts(t: Type, types: tuple[Type, ...], x: Facts) -> Facts:
    # Within 0 .. 1 the slope is exact or below 3, and what rounding the square adds is lost again in the product.
    return Facts(0.0, 1.0) if x.within(0, 1) else top(t)


_LERP_SLACK = {f32: (2.0**-22, 2.0**-147), f64: (2.0**-51, 2.0**-1072)}


def _lerp_interval(t: Type, w: Interval, a: Interval, b: Interval) -> Endpoints:
    (lo, high), (other, hi) = (_lerp_at(end, a, b) for end in w)
    lo, hi = minimum(lo, other), maximum(hi, high)
    # Between two values of a, rounding need not keep order: the difference and the sum are off by half a step each.
    relative, absolute = _LERP_SLACK[t]
    span, size = maximum(b.hi - a.lo, a.hi - b.lo), maximum(a.hi, -a.lo)
    slack = fma(maximum(w.hi, -w.lo) * (2 * relative), span, fma(size, relative, absolute))
    low, high = lo - slack, hi + slack
    # b - a is at least -a, and rounding keeps that in the sum.
    is_positive = all_of(w.lo >= 0.0, w.hi <= 1.0, a.lo >= 0.0, b.lo >= 0.0)
    low = choose(is_positive, maximum(low, low.lift(0.0)), low)
    return only(slack <= t.high, choose(a.is_point, lo, low), choose(a.is_point, hi, high))


def _lerp_at(w: Term, a: Interval, b: Interval) -> tuple[Term, Term]:
    """The least and the greatest blend by one weight; beyond 1 the first falls with a, and below 0 with b."""
    past, before = w > 1.0, w < 0.0
    first = choose(past, a.hi, a.lo), choose(before, b.hi, b.lo)
    last = choose(past, a.lo, a.hi), choose(before, b.lo, b.hi)
    lo, hi = (fma(w, y - x, x) for x, y in (first, last))
    return lo, hi


def _lerp_choices(w: Interval, a: Interval, b: Interval) -> tuple[Choice | None, ...]:
    is_finite = maximum(b.hi - a.lo, a.hi - b.lo) <= a.type.high
    return None, Choice(w.holds(0.0) & is_finite, False), Choice(w.holds(1.0) & a.holds(0.0), False)


def _smooth_interval(_: Type, x: Interval) -> Endpoints:
    lo, hi = at("smooth", x.lo), at("smooth", x.hi)
    is_rising = (x.lo >= 0.0) & (x.hi <= 1.0)
    return only(is_rising | (x.is_point & lo.equals(lo)), *near(lo, hi, x.is_point, (0.0, 1.0)))


ROWS = (
    Prim(
        "lerp",
        "a + w * (b - a): a at w = 0, b (within a step) at w = 1.",
        "F F F -> F",
        body=_lerp,
        facts=_lerp_facts,
        interval=_lerp_interval,
        choices=_lerp_choices,
        zero_sign="pass",
        cost=2,
    ),
    Prim(
        "smooth",
        "x * x * (3 - 2 * x): from 0 to 1 with level ends as x goes from 0 to 1.",
        "F -> F",
        body=_smooth,
        facts=_smooth_facts,
        interval=_smooth_interval,
        zero_sign="kill",
        cost=4,
    ),
)
