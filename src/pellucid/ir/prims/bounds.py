"""Facts of functions that are known by their curve: monotone ones, from their values at the ends, widened.

Not a family of rows itself. The reference values come from NumPy in double precision; they are widened by more than the
stated errors of any row here, so that the bounds hold for what the rows really compute.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import types as T
from ..facts import Facts, Transfer, top

Curve = Callable[[Any], Any]
SLACK = 8
"""Units in the last place by which a bound is widened: twice the largest error that a row states, and more."""


def widened(t: T.Type, value: float, direction: float) -> float:
    """A double value in a type, moved outwards by `SLACK` units in the last place towards -inf or +inf."""
    scalar: Any = t.dtype.type
    with np.errstate(all="ignore"):
        result = scalar(value)
        for _ in range(SLACK):
            result = np.nextafter(result, scalar(direction))
    return float(result)


def increasing(
    curve: Curve,
    domain: tuple[float, float] = (-math.inf, math.inf),
    image: tuple[float, float] = (-math.inf, math.inf),
) -> Transfer:
    """Facts of an increasing function of one argument: NaN outside of its domain, and never outside of its image."""

    def facts(t: T.Type, _: tuple[T.Type, ...], a: Facts) -> Facts:
        low, high = max(float(a.lo), domain[0]), min(float(a.hi), domain[1])
        nan = a.nan or a.lo < domain[0] or a.hi > domain[1]
        if low > high:
            return top(t)
        with np.errstate(all="ignore"):
            lo, hi = float(curve(np.float64(low))), float(curve(np.float64(high)))
        lo, hi = max(widened(t, lo, -math.inf), image[0]), min(widened(t, hi, math.inf), image[1])
        return Facts(lo, hi, nan, minus_zero=a.minus_zero and lo <= 0 <= hi)

    return facts


def decreasing(curve: Curve, domain: tuple[float, float], image: tuple[float, float]) -> Transfer:
    """As `increasing`, for a decreasing function."""
    rising = increasing(lambda x: curve(-x), (-domain[1], -domain[0]), image)

    def facts(t: T.Type, types: tuple[T.Type, ...], a: Facts) -> Facts:
        return rising(t, types, Facts(-a.hi, -a.lo, a.nan))

    return facts


def even(curve: Curve, image: tuple[float, float]) -> Transfer:
    """Facts of an even function that increases with the magnitude of its argument."""
    rising = increasing(curve, (0.0, math.inf), image)

    def facts(t: T.Type, types: tuple[T.Type, ...], a: Facts) -> Facts:
        least = 0.0 if a.lo <= 0 <= a.hi else min(abs(a.lo), abs(a.hi))
        return rising(t, types, Facts(least, max(abs(a.lo), abs(a.hi)), a.nan))

    return facts


def wave(curve: Curve, peak: float, period: float) -> Transfer:
    """Facts of a sine wave from its values at the ends and the peaks and troughs between them."""

    def facts(t: T.Type, _: tuple[T.Type, ...], a: Facts) -> Facts:
        nan = not a.finite
        everything = Facts(-1.0, 1.0, nan, a.minus_zero or peak == 0)
        if nan or a.hi - a.lo >= period or max(abs(a.lo), abs(a.hi)) > 2.0**30:
            return everything
        # The places of peaks are blurred by more than the rounding of this very arithmetic.
        blur = 1e-12 * max(abs(a.lo), abs(a.hi), 1.0)

        def passes(place: float) -> bool:
            return math.floor((a.hi + blur - place) / period) > math.floor((a.lo - blur - place) / period)

        ends = [float(curve(np.float64(x))) for x in (a.lo, a.hi)]
        lo = -1.0 if passes(peak + period / 2) else max(-1.0, widened(t, min(ends), -math.inf))
        hi = 1.0 if passes(peak) else min(1.0, widened(t, max(ends), math.inf))
        return Facts(lo, hi, minus_zero=everything.minus_zero and lo <= 0 <= hi)

    return facts


def within(low: float, high: float, *, nan_at_infinity: bool = False) -> Transfer:
    """Facts of a function whose values lie in [low, high] whatever its arguments, NaN aside."""

    def facts(_: T.Type, __: tuple[T.Type, ...], *args: Facts) -> Facts:
        nan = any(a.nan or (nan_at_infinity and not a.finite) for a in args)
        return Facts(low, high, nan, minus_zero=low <= 0 <= high)

    return facts
