"""Facts of functions that are known by their curve: monotone ones, from their values at the ends, widened.

The values come from NumPy in double precision and are widened by more than any row here
states as its error, so that the bounds hold for what the rows really compute.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import types as T
from ..facts import Facts, Transfer, rounded, top

Curve = Callable[..., Any]
EVERYTHING = (-math.inf, math.inf)
SLACK = {T.f32: (2.0**-20, 2.0**-146), T.f64: (2.0**-49, 2.0**-1071)}
"""Slack of bounds, relative and minimum: eight units in the last place or more, over twice the error of any row."""


def below(t: T.Type, value: float) -> float:
    """A number of the type that is surely below what a row computes for a function of this value."""
    if value == math.inf:
        return float(t.high)
    relative, absolute = SLACK[t]
    return rounded(t, value - abs(value) * relative - absolute)


def above(t: T.Type, value: float) -> float:
    """A number of the type that is surely above what a row computes for a function of this value."""
    return -below(t, -value)


def enclosed(
    t: T.Type, values: list[float], image: tuple[float, float], *, nan: bool, minus_zero: bool
) -> Facts:
    """Facts that allow all values between the least and the greatest given, within the image."""
    lo, hi = max(below(t, min(values)), image[0]), min(above(t, max(values)), image[1])
    return Facts(lo, hi, nan, minus_zero and lo <= 0 <= hi)


def at(curve: Curve, *arguments: float) -> float:
    """The curve's value in double precision."""
    with np.errstate(all="ignore"):
        return float(curve(*map(np.float64, arguments)))


def increasing(
    curve: Curve,
    domain: tuple[float, float] = EVERYTHING,
    image: tuple[float, float] = EVERYTHING,
    *,
    odd: bool = False,
) -> Transfer:
    """Facts of an increasing function: NaN outside of its domain, -0 only of -0 and only if it is odd."""

    def facts(t: T.Type, _: tuple[T.Type, ...], a: Facts) -> Facts:
        low, high = max(float(a.lo), domain[0]), min(float(a.hi), domain[1])
        if low > high:
            return top(t)
        nan = a.nan or low > a.lo or high < a.hi
        return enclosed(t, [at(curve, low), at(curve, high)], image, nan=nan, minus_zero=odd and a.minus_zero)

    return facts


def decreasing(curve: Curve, domain: tuple[float, float], image: tuple[float, float]) -> Transfer:
    """As `increasing`, for a decreasing function that is not odd."""

    def mirrored(x: Any) -> Any:
        return curve(-x)

    rising = increasing(mirrored, (-domain[1], -domain[0]), image)

    def facts(t: T.Type, types: tuple[T.Type, ...], a: Facts) -> Facts:
        return rising(t, types, Facts(-a.hi, -a.lo, a.nan))

    return facts


def magnitudes(a: Facts) -> Facts:
    """Facts of the magnitude."""
    least = 0.0 if a.lo <= 0 <= a.hi else float(min(abs(a.lo), abs(a.hi)))
    return Facts(least, float(max(abs(a.lo), abs(a.hi))), a.nan)


def even(curve: Curve, image: tuple[float, float]) -> Transfer:
    """Facts of an even function that increases with the magnitude of its argument."""
    rising = increasing(curve, image=image)

    def facts(t: T.Type, types: tuple[T.Type, ...], a: Facts) -> Facts:
        return rising(t, types, magnitudes(a))

    return facts


def wave(curve: Curve, peak: float, period: float, *, zeros: bool = False) -> Transfer:
    """Facts of a sine wave, from its ends and the peaks and troughs between; `zeros` if it is 0 other than at 0."""

    def facts(t: T.Type, _: tuple[T.Type, ...], a: Facts) -> Facts:
        minus_zero = zeros or a.minus_zero
        if not a.finite or a.hi - a.lo >= period or max(abs(a.lo), abs(a.hi)) > 2.0**20:
            return Facts(-1.0, 1.0, not a.finite, minus_zero)
        # Neither the places of the peaks nor the values at large ends are known to the last digit.
        blur = 1e-9 * max(abs(a.lo), abs(a.hi), 1.0)

        def passes(place: float) -> bool:
            return math.floor((a.hi + blur - place) / period) > math.floor((a.lo - blur - place) / period)

        values = [at(curve, x) + shift for x in (a.lo, a.hi) for shift in (-blur, blur)]
        values += [1.0] * passes(peak) + [-1.0] * passes(peak + period / 2)
        return enclosed(t, values, (-1.0, 1.0), nan=False, minus_zero=minus_zero)

    return facts


def corners(
    curve: Curve, t: T.Type, a: Facts, b: Facts, image: tuple[float, float], *, minus_zero: bool = False
) -> Facts:
    """Facts of a function of two arguments that is monotone in each."""
    values = [at(curve, x, y) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    return enclosed(t, values, image, nan=a.nan or b.nan, minus_zero=minus_zero)
