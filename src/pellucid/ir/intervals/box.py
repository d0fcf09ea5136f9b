"""The notation of boxes: bounds of a row's result as terms over the bounds of its operands.

A box of numbers holds what lies between its ends; a box of booleans has must and may for
ends. The whole line is the one box of floats that may hold NaN, and no end is ever NaN: a rule that would shrink the
line, or whose ends may come to inf - inf or 0 * inf, guards against that. Correctly rounded rows keep order, so that
their own results at the right ends are exact bounds; approximations are widened, but for points.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from .. import types as T
from ..expr import apply, const
from .notation import Term, choose, fma, maximum, minimum

Ends = tuple[Term, Term]


class Box(NamedTuple):
    """The values from `lo` to `hi`, both included.

    >>> from pellucid.ir.expr import param
    >>> Box(Term(param("lo", T.f32)), Term(param("hi", T.f32))).pinned.expr
    $lo:f32 == $hi:f32
    """

    lo: Term
    hi: Term

    @property
    def type(self) -> T.Type:
        """The type of the value."""
        return self.lo.type

    @property
    def pinned(self) -> Term:
        """Whether the value is known, but perhaps for the sign of a zero."""
        return self.lo.equals(self.hi)

    @property
    def sound(self) -> Term:
        """Whether a float surely is no NaN: only of the whole line the ends add up to NaN."""
        total = self.lo + self.hi
        return total.equals(total)

    def holds(self, number: float) -> Term:
        """Whether the value surely is that number (of either sign if it is zero)."""
        return self.lo.equals(number) & self.hi.equals(number)


class Copy(NamedTuple):
    """When the result surely is an operand, and whether that is true of the sign of a zero as well."""

    condition: Term
    keeps_zero: bool


Interval = Callable[..., Ends]
Copies = Callable[..., tuple[Copy | None, ...]]


def whole(t: T.Type) -> Ends:
    """The ends of everything that a type holds, NaN included.

    >>> [end.expr for end in whole(T.u8)]
    [0:u8, 255:u8]
    """
    low, high = (-math.inf, math.inf) if t.is_float else (t.low, t.high)
    return Term(const(low, t)), Term(const(high, t))


def only(condition: Term, lo: Term, hi: Term) -> Ends:
    """These ends where the condition holds, and the whole type elsewhere."""
    low, high = whole(lo.type)
    return choose(condition, lo, low), choose(condition, hi, high)


def open_where_nan(lo: Term, hi: Term) -> Ends:
    """The ends, with one that has come to NaN left open."""
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

SLACK = {T.f32: (2.0**-20, 2.0**-146), T.f64: (2.0**-49, 2.0**-1071)}
"""By how much approximations are widened, relatively and at least: more than twice what any row states as its error."""


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
    pinned: Term,
    image: tuple[float, float] = (-math.inf, math.inf),
    *,
    slack: tuple[float, float] | None = None,
    value: Term | None = None,
) -> Ends:
    """The ends of an approximation between two of its values, widened within the image; the value where it is pinned.

    That is the lower one if no other is given; both are widened by the slack of their type if by no other.
    """
    low, high = below(lo, slack), above(hi, slack)
    if image[0] > -math.inf:
        low = maximum(low, low.lift(image[0]))
    if image[1] < math.inf:
        high = minimum(high, high.lift(image[1]))
    value = lo if value is None else value
    return choose(pinned, value, low), choose(pinned, value, high)


def rising(
    name: str, image: tuple[float, float] = (-math.inf, math.inf), *, partial: bool = False
) -> Interval:
    """The interval of an approximation of an increasing function; `partial` if it is NaN outside of its domain."""

    def interval(_: T.Type, x: Box) -> Ends:
        return _curve(at(name, x.lo), at(name, x.hi), x, image, partial)

    return interval


def falling(name: str, image: tuple[float, float], *, partial: bool = False) -> Interval:
    """The interval of an approximation of a decreasing function."""

    def interval(_: T.Type, x: Box) -> Ends:
        return _curve(at(name, x.hi), at(name, x.lo), x, image, partial)

    return interval


def _curve(lo: Term, hi: Term, x: Box, image: tuple[float, float], partial: bool) -> Ends:
    # A domain has an end, beyond which one end of the whole line lies as well.
    known = Box(lo, hi).sound if partial else x.sound
    return only(known, *near(lo, hi, x.pinned, image))


def magnitude(x: Box) -> Box:
    """The box of the magnitude of a number; of the whole line from 0, for what guards against NaN by itself."""
    lo = maximum(x.lo, -x.hi)
    return Box(maximum(lo, lo.lift(0.0)), maximum(-x.lo, x.hi))


def even(name: str, image: tuple[float, float]) -> Interval:
    """The interval of an approximation of a function that increases with the magnitude of its operand."""

    def interval(_: T.Type, x: Box) -> Ends:
        m = magnitude(x)
        return only(x.sound, *near(at(name, m.lo), at(name, m.hi), x.pinned, image))

    return interval


REACH = {T.f32: 2.0**14, T.f64: 2.0**30}
"""Up to which magnitude an angle is told from the next peak of its wave, and reduced without the long way."""
BLUR = {T.f32: (2.0**-21, 2.0**-20), T.f64: (2.0**-50, 2.0**-49)}
"""By how many periods the place of a peak may be off, as a part of the angle and at least."""
WAVE_SLACK = {T.f32: 2.0**-21, T.f64: 2.0**-50}
"""By how much approximations of waves are widened: twice what two results of a few units may differ by."""


def _passes(x: Box, size: Term, period: float, places: tuple[float, ...]) -> list[Term]:
    """Whether a box may hold one of places that come again after a period; of far boxes nobody knows."""
    relative, absolute = BLUR[x.type]
    blur = choose(size > REACH[x.type], size.lift(math.inf), fma(size, relative, absolute))
    first, last = fma(x.lo, 1 / period, -blur), fma(x.hi, 1 / period, blur)
    return [at("floor", first - p / period) < at("floor", last - p / period) for p in places]


def wave(name: str, peak: float, period: float, *, within: str = "") -> Interval:
    """The interval of an approximation of a sine wave of an angle: its ends, and the peaks and troughs between.

    `within` names a cheaper row that is as good within `REACH`: beyond, only the value of a point is asked for.
    """

    def interval(t: T.Type, x: Box) -> Ends:
        first, last, size = at(name, x.lo), at(within or name, x.hi), magnitude(x).hi
        top, bottom = _passes(x, size, period, (peak, peak - period / 2))
        lo = maximum(minimum(first, last) - WAVE_SLACK[t], x.lo.lift(-1.0))
        hi = minimum(maximum(first, last) + WAVE_SLACK[t], x.hi.lift(1.0))
        low, high = choose(bottom, lo.lift(-1.0), lo), choose(top, hi.lift(1.0), hi)
        return only(size <= t.high, choose(x.pinned, first, low), choose(x.pinned, first, high))

    return interval


def branches(name: str, pole: float, period: float, *, within: str = "") -> Interval:
    """The interval of an approximation of a function that increases from pole to pole; `within` as for `wave`."""

    def interval(t: T.Type, x: Box) -> Ends:
        first, last, size = at(name, x.lo), at(within or name, x.hi), magnitude(x).hi
        (is_crossed,) = _passes(x, size, period, (pole,))
        return only((~is_crossed | x.pinned) & (size <= t.high), *near(first, last, x.pinned))

    return interval
