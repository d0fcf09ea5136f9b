"""The notation of intervals: bounds of a row's result as terms over the bounds of its operands.

An interval of numbers holds the numbers between its endpoints; the endpoints of an interval of booleans are must and
may. The whole line is the one interval of floats that may hold NaN, and no endpoint is ever NaN: a rule that would
shrink the line, or whose endpoints may come to inf - inf or 0 * inf, guards against that. Correctly rounded rows keep
order, so that their own results at the right endpoints are exact bounds. Approximations are widened, except for point
intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from .. import types as T
from ..expr import apply, const
from .bounds import SLACK
from .notation import Term, choose, fma, maximum, minimum

Endpoints = tuple[Term, Term]


class Interval(NamedTuple):
    """The values from `lo` to `hi`, both included.

    >>> from pellucid.ir.expr import param
    >>> Interval(Term(param("lo", T.f32)), Term(param("hi", T.f32))).is_point.expr
    $lo:f32 == $hi:f32
    """

    lo: Term
    hi: Term

    @property
    def type(self) -> T.Type:
        """The type of the value."""
        return self.lo.type

    @property
    def is_point(self) -> Term:
        """Whether the interval is a point: the value is known, except perhaps for the sign of a zero."""
        return self.lo.equals(self.hi)

    @property
    def nan_free(self) -> Term:
        """Whether a float is proved to be no NaN: only the endpoints of the whole line add up to NaN."""
        total = self.lo + self.hi
        return total.equals(total)

    def holds(self, number: float) -> Term:
        """Whether the value is proved to be that number (of either sign if it is zero)."""
        return self.lo.equals(number) & self.hi.equals(number)


class Choice(NamedTuple):
    """The condition under which the result is proved to be an operand, and whether the sign of a zero is the same."""

    condition: Term
    keeps_zero: bool


IntervalFunction = Callable[..., Endpoints]
Choices = Callable[..., tuple[Choice | None, ...]]


def whole(t: T.Type) -> Endpoints:
    """The endpoints of everything that a type holds, NaN included.

    >>> [end.expr for end in whole(T.u8)]
    [0:u8, 255:u8]
    """
    low, high = (-math.inf, math.inf) if t.is_float else (t.low, t.high)
    return Term(const(low, t)), Term(const(high, t))


def only(condition: Term, lo: Term, hi: Term) -> Endpoints:
    """These endpoints where the condition holds, and the whole type elsewhere."""
    low, high = whole(lo.type)
    return choose(condition, lo, low), choose(condition, hi, high)


def open_where_nan(lo: Term, hi: Term) -> Endpoints:
    """The endpoints; one that is NaN becomes infinite."""
    return maximum(lo, lo.lift(-math.inf)), minimum(hi, hi.lift(math.inf))


def all_of(*conditions: Term) -> Term:
    """Whether all conditions hold."""
    found, *rest = conditions
    for c in rest:
        found = found & c
    return found


def at(name: str, *operands: Term) -> Term:
    """A row's value."""
    return Term(apply(name, *(x.expr for x in operands)))


# ---- approximations ----


def below(y: Term, slack: tuple[float, float] | None = None) -> Term:
    """A number that is not above what a row computes anywhere for a function whose value it computes as y."""
    relative, absolute = slack or SLACK[y.type]
    # From infinity one step back is the largest number.
    y = minimum(y, y.lift(y.type.high))
    return y - fma(abs(y), relative, absolute)


def above(y: Term, slack: tuple[float, float] | None = None) -> Term:
    """A number that is not below what a row computes anywhere for a function whose value it computes as y."""
    relative, absolute = slack or SLACK[y.type]
    y = maximum(y, y.lift(y.type.low))
    return y + fma(abs(y), relative, absolute)


def near(
    lo: Term,
    hi: Term,
    is_point: Term,
    image: tuple[float, float] = (-math.inf, math.inf),
    *,
    slack: tuple[float, float] | None = None,
    value: Term | None = None,
) -> Endpoints:
    """The endpoints of an approximation between two of its values, widened within the image; a point stays its value.

    The value of a point is the lower one if no other is given, and the slack is that of the type if none is given.
    """
    low, high = below(lo, slack), above(hi, slack)
    if image[0] > -math.inf:
        low = maximum(low, low.lift(image[0]))
    if image[1] < math.inf:
        high = minimum(high, high.lift(image[1]))
    value = lo if value is None else value
    return choose(is_point, value, low), choose(is_point, value, high)


def rising(
    name: str, image: tuple[float, float] = (-math.inf, math.inf), *, partial: bool = False
) -> IntervalFunction:
    """The interval of an approximation of an increasing function; `partial` if it is NaN outside of its domain."""

    def interval(_: T.Type, x: Interval) -> Endpoints:
        return _curve(at(name, x.lo), at(name, x.hi), x, image, partial)

    return interval


def falling(name: str, image: tuple[float, float], *, partial: bool = False) -> IntervalFunction:
    """The interval of an approximation of a decreasing function."""

    def interval(_: T.Type, x: Interval) -> Endpoints:
        return _curve(at(name, x.hi), at(name, x.lo), x, image, partial)

    return interval


def _curve(lo: Term, hi: Term, x: Interval, image: tuple[float, float], partial: bool) -> Endpoints:
    # A domain has a bound, and one endpoint of the whole line is past it.
    known = Interval(lo, hi).nan_free if partial else x.nan_free
    return only(known, *near(lo, hi, x.is_point, image))


def magnitude(x: Interval) -> Interval:
    """The interval of the magnitude of a number; of the whole line from 0, for what guards against NaN by itself."""
    lo = maximum(x.lo, -x.hi)
    return Interval(maximum(lo, lo.lift(0.0)), maximum(-x.lo, x.hi))


def even(name: str, image: tuple[float, float]) -> IntervalFunction:
    """The interval of an approximation of a function that increases with the magnitude of its operand."""

    def interval(_: T.Type, x: Interval) -> Endpoints:
        m = magnitude(x)
        return only(x.nan_free, *near(at(name, m.lo), at(name, m.hi), x.is_point, image))

    return interval


REACH = {T.f32: 2.0**14, T.f64: 2.0**30}
"""Maximum magnitude of an angle whose distance from a peak of its wave is known, and that is reduced the short way."""
BLUR = {T.f32: (2.0**-21, 2.0**-20), T.f64: (2.0**-50, 2.0**-49)}
"""Maximum error of the place of a peak in periods: relative to the angle, and minimum."""
WAVE_SLACK = {T.f32: 2.0**-21, T.f64: 2.0**-50}
"""Slack of approximations of waves: twice the maximum difference of two results with an error of a few units."""


def _passes(x: Interval, size: Term, period: float, places: tuple[float, ...]) -> list[Term]:
    """Whether an interval may hold each of some places that repeat after a period; true of far intervals."""
    relative, absolute = BLUR[x.type]
    blur = choose(size > REACH[x.type], size.lift(math.inf), fma(size, relative, absolute))
    first, last = fma(x.lo, 1 / period, -blur), fma(x.hi, 1 / period, blur)
    return [at("floor", first - p / period) < at("floor", last - p / period) for p in places]


def wave(name: str, peak: float, period: float, *, within: str = "") -> IntervalFunction:
    """The interval of an approximation of a sine wave: its values at the endpoints, and the peaks and troughs between.

    `within` names a cheaper row that is as good within `REACH`; past that only the value of a point is used.
    """

    def interval(t: T.Type, x: Interval) -> Endpoints:
        first, last, size = at(name, x.lo), at(within or name, x.hi), magnitude(x).hi
        top, bottom = _passes(x, size, period, (peak, peak - period / 2))
        lo = maximum(minimum(first, last) - WAVE_SLACK[t], x.lo.lift(-1.0))
        hi = minimum(maximum(first, last) + WAVE_SLACK[t], x.hi.lift(1.0))
        low, high = choose(bottom, lo.lift(-1.0), lo), choose(top, hi.lift(1.0), hi)
        return only(size <= t.high, choose(x.is_point, first, low), choose(x.is_point, first, high))

    return interval


def branches(name: str, pole: float, period: float, *, within: str = "") -> IntervalFunction:
    """The interval of an approximation of a function that increases from pole to pole; `within` as for `wave`."""

    def interval(t: T.Type, x: Interval) -> Endpoints:
        first, last, size = at(name, x.lo), at(within or name, x.hi), magnitude(x).hi
        (is_crossed,) = _passes(x, size, period, (pole,))
        return only((~is_crossed | x.is_point) & (size <= t.high), *near(first, last, x.is_point))

    return interval
