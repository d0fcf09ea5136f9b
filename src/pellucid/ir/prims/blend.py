"""Blending: the weighted mean of two values, kept whole until code is emitted so that its bounds are not lost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..facts import Facts, rounded, top
from ..prim import Prim, row
from ..types import Type, f32

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


ROWS = (
    Prim(
        "lerp",
        "a + w * (b - a): a at w = 0, b (within a step) at w = 1.",
        "F F F -> F",
        body=_lerp,
        facts=_lerp_facts,
        zero_sign="pass",
        cost=2,
    ),
    Prim(
        "smooth",
        "x * x * (3 - 2 * x): from 0 to 1 with level ends as x goes from 0 to 1.",
        "F -> F",
        body=_smooth,
        facts=_smooth_facts,
        zero_sign="kill",
        cost=4,
    ),
)
