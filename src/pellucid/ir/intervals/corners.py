"""Interval arithmetic: endpoints of sums, products, quotients and minima, at the right corners of the operands.

The rows are in `ir.prims.arith`. Rounding keeps order, so nothing is widened here. Where infinities may meet, or zero
meets one, the result is the whole line; where an integer may wrap in one place of an interval and not in another, it
is the whole type.
"""

from __future__ import annotations

from itertools import pairwise

from .. import types as T
from .interval import Choice, Endpoints, Interval, all_of, at, magnitude, only, open_where_nan
from .notation import Term, choose, convert, fma, maximum, minimum

Pair = tuple[Choice | None, Choice | None]


def unwrapped(*way: Term) -> Endpoints:
    """The first and the last of some integers, each the one before plus less than the whole range, modulo the range.

    Where each is at least the one before, nothing has wrapped on the way, or everything equally often.
    """
    return only(all_of(*(x <= y for x, y in pairwise(way))), way[0], way[-1])


# ---- sums ----


def add(t: T.Type, a: Interval, b: Interval) -> Endpoints:
    """The endpoints of a sum."""
    if t.is_float:
        return open_where_nan(a.lo + b.lo, a.hi + b.hi)
    return unwrapped(a.lo + b.lo, a.hi + b.lo, a.hi + b.hi)


def sub(t: T.Type, a: Interval, b: Interval) -> Endpoints:
    """The endpoints of a difference."""
    if t.is_float:
        return open_where_nan(a.lo - b.hi, a.hi - b.lo)
    return unwrapped(a.lo - b.hi, a.hi - b.hi, a.hi - b.lo)


def neg(t: T.Type, a: Interval) -> Endpoints:
    """The endpoints of a negation."""
    return (-a.hi, -a.lo) if t.is_float else unwrapped(-a.hi, -a.lo)


def add_choices(a: Interval, b: Interval) -> Pair:
    """A sum with nothing: of floats, -0 becomes +0."""
    exact = not a.type.is_float
    return Choice(b.holds(0), exact), Choice(a.holds(0), exact)


def sub_choices(a: Interval, b: Interval) -> Pair:
    """A difference from nothing."""
    return Choice(b.holds(0), not a.type.is_float), None


# ---- products ----


def mul(t: T.Type, a: Interval, b: Interval) -> Endpoints:
    """The endpoints of a product; of one value with itself if the intervals are one object."""
    if a is b and t.kind != "unsigned":
        return _square(t, a)
    if t.kind == "unsigned":
        fits = _fits(t, convert(a.hi, T.f32) * convert(b.hi, T.f32))
        return only(fits | (a.is_point & b.is_point), a.lo * b.lo, a.hi * b.hi)
    p, q, r, s = a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi
    lo, hi = minimum(minimum(p, q), minimum(r, s)), maximum(maximum(p, q), maximum(r, s))
    if t.is_float:
        # NaN among the products, or infinities of both signs, which are the whole line anyway.
        total = (p + q) + (r + s)
        return only(total.equals(total), lo, hi)
    return only(_fits(t, _size(a) * _size(b)) | (a.is_point & b.is_point), lo, hi)


def _size(a: Interval) -> Term:
    """The magnitude of an integer, but for rounding."""
    return maximum(abs(convert(a.lo, T.f32)), abs(convert(a.hi, T.f32)))


def _fits(t: T.Type, product: Term) -> Term:
    """Whether a product of integers that is known but for three roundings to f32 is in the range of their type."""
    bits = t.bits - (t.kind == "signed")
    return product <= 2.0**bits * (1 - 2.0**-20)


def _square(t: T.Type, a: Interval) -> Endpoints:
    m = magnitude(a)
    if t.is_float:
        return only(a.nan_free, m.lo * m.lo, m.hi * m.hi)
    size = _size(a)
    return only(_fits(t, size * size) | a.is_point, m.lo * m.lo, m.hi * m.hi)


def mul_choices(a: Interval, b: Interval) -> Pair:
    """A product with one."""
    return Choice(b.holds(1), True), Choice(a.holds(1), True)


def fused(_: T.Type, a: Interval, b: Interval, c: Interval) -> Endpoints:
    """The endpoints of a product plus something, rounded once; of a square if `a` and `b` are one object."""
    if a is b:
        m = magnitude(a)
        lo, hi = open_where_nan(fma(m.lo, m.lo, c.lo), fma(m.hi, m.hi, c.hi))
        return only(a.nan_free, lo, hi)
    low = [open_where_nan(y, y)[0] for y in _fused(a, b, c.lo)]
    high = [open_where_nan(y, y)[1] for y in _fused(a, b, c.hi)]
    return (
        minimum(minimum(low[0], low[1]), minimum(low[2], low[3])),
        maximum(maximum(high[0], high[1]), maximum(high[2], high[3])),
    )


def _fused(a: Interval, b: Interval, c: Term) -> list[Term]:
    return [fma(x, y, c) for x in a for y in b]


def fused_choices(a: Interval, b: Interval, c: Interval) -> tuple[Choice, Choice, Choice]:
    """Nothing added to something, or something times one plus nothing: of zeros, -0 becomes +0.

    Nothing times infinity is not nothing.
    """
    left = a.holds(0) & (maximum(b.hi, -b.lo) <= c.type.high)
    right = b.holds(0) & (maximum(a.hi, -a.lo) <= c.type.high)
    nothing = c.holds(0)
    return (
        Choice(b.holds(1) & nothing, False),
        Choice(a.holds(1) & nothing, False),
        Choice(left | right, False),
    )


# ---- quotients ----


def _quotient_ends(name: str, a: Interval, b: Interval) -> Endpoints:
    """The least and the greatest quotient for a divisor of one sign."""
    least, greatest = a.lo, a.hi
    if b.type.kind != "unsigned":
        is_negative = b.hi < 0
        least, greatest = choose(is_negative, a.hi, a.lo), choose(is_negative, a.lo, a.hi)
    # The quotient by the endpoint near to zero is farther from zero.
    return at(name, least, choose(least >= 0, b.hi, b.lo)), at(
        name, greatest, choose(greatest >= 0, b.lo, b.hi)
    )


def div(_: T.Type, a: Interval, b: Interval) -> Endpoints:
    """The endpoints of a quotient of floats: what may be divided by a zero of either sign may be anything."""
    lo, hi = _quotient_ends("div", a, b)
    # A finite dividend rules out infinity over infinity, and NaN.
    return only(((b.lo > 0.0) | (b.hi < 0.0)) & (a.hi - a.lo <= a.type.high), lo, hi)


def div_choices(_: Interval, b: Interval) -> Pair:
    """A quotient by one."""
    return Choice(b.holds(1), True), None


def floor_div(t: T.Type, a: Interval, b: Interval) -> Endpoints:
    """The endpoints of an integer quotient; by zero it is 0."""
    lo, hi = _quotient_ends("floor_div", a, b)
    known = (b.lo > 0) | b.is_point
    if t.kind == "signed":
        # The lowest number over -1 is itself, and out of order.
        known = (known | (b.hi < 0)) & (lo <= hi)
    return only(known, lo, hi)


def mod(t: T.Type, a: Interval, b: Interval) -> Endpoints:
    """The endpoints of a remainder: the operand less one multiple of the divisor, if all of it is in one period."""
    first, last = at("floor_div", a.lo, b.lo), at("floor_div", a.hi, b.lo)
    same = b.is_point & first.equals(last)
    least, most = only(b.lo > 0, a.lo.lift(0), b.hi - 1)
    if t.kind == "unsigned":
        most = minimum(most, a.hi)
    return choose(same, a.lo - first * b.lo, least), choose(same, a.hi - first * b.lo, most)


def mod_choices(a: Interval, b: Interval) -> Pair:
    """A remainder of what is less than the divisor."""
    less = a.hi < b.lo
    return Choice(less if a.type.kind == "unsigned" else less & (a.lo >= 0), True), None


# ---- magnitudes, minima and maxima ----


def absolute(t: T.Type, a: Interval) -> Endpoints:
    """The endpoints of a magnitude."""
    m = magnitude(a)
    if t.is_float:
        return only(a.nan_free, m.lo, m.hi)
    # The lowest integer is its own magnitude.
    wraps = a.lo.equals(int(t.low))
    top = choose(a.hi.equals(int(t.low)), a.hi, int(t.high))
    return choose(wraps, a.lo, m.lo), choose(wraps, top, m.hi)


def absolute_choices(a: Interval) -> tuple[Choice]:
    """A magnitude of what is not negative: of floats, -0 becomes +0."""
    return (Choice(a.lo >= 0, not a.type.is_float),)


def smaller(t: T.Type, a: Interval, b: Interval) -> Endpoints:
    """The endpoints of a minimum: a NaN on either side gives the second operand."""
    lo, hi = minimum(a.lo, b.lo), minimum(a.hi, b.hi)
    return (lo, choose(b.nan_free, hi, b.hi)) if t.is_float else (lo, hi)


def larger(t: T.Type, a: Interval, b: Interval) -> Endpoints:
    """The endpoints of a maximum: a NaN on either side gives the second operand."""
    lo, hi = maximum(a.lo, b.lo), maximum(a.hi, b.hi)
    return (choose(b.nan_free, lo, b.lo), hi) if t.is_float else (lo, hi)


def smaller_choices(a: Interval, b: Interval) -> Pair:
    """A minimum where one operand is below the other; of equals, the second is given."""
    return Choice(a.hi < b.lo, True), Choice(b.hi <= a.lo, True)


def larger_choices(a: Interval, b: Interval) -> Pair:
    """A maximum where one operand is above the other; of equals, the second is given."""
    return Choice(a.lo > b.hi, True), Choice(b.lo >= a.hi, True)
