"""Blending: the weighted mean of two values, kept whole until code is emitted so that its bounds are not lost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..facts import Facts, top
from ..prim import Prim, row
from ..types import Type

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
    # The exact mean lies between a and b; the rounded difference, and then the sum, are off by one half step each at most.
    lo, hi = min(a.lo, b.lo), max(a.hi, b.hi)
    reach = max(abs(lo), abs(hi))
    with np.errstate(all="ignore"):
        step = 2 * float(np.spacing(t.dtype.type(reach)))
    lo, hi = lo - step, hi + step
    if (
        not t.low <= lo <= hi <= t.high
        or not math.isfinite(b.hi - a.lo)
        or b.hi - a.lo > t.high
        or a.hi - b.lo > t.high
    ):
        return top(t)
    return Facts(lo, hi, minus_zero=lo <= 0 <= hi)


ROWS = (
    Prim(
        "lerp",
        "a + w * (b - a): a at w = 0, b (within a step) at w = 1.",
        "F F F -> F",
        body=_lerp,
        facts=_lerp_facts,
    ),
)
