"""Powers with any exponent, the cube root, and the length of a vector.

`pow` computes the logarithm to base 2 as a sum of two floats, so that the product with a large exponent is still right
in its last places; everything but positive normal bases with normal results is put right under one ``choose``.
"""

from __future__ import annotations

import math

import numpy as np

from .. import types as T
from ..facts import Facts, top
from ..intervals.bounds import corners, increasing, magnitudes
from ..intervals.corners import mul
from ..intervals.interval import Endpoints, Interval, at, magnitude, near, only, rising
from ..intervals.notation import (
    Term,
    as_float,
    bits,
    body,
    choose,
    convert,
    fma,
    maximum,
    minimum,
    polynomial,
    root,
    truncated,
    with_sign,
)
from ..prim import Prim
from ..reduction import MAGIC
from .exponential import FLOAT, bounded_power, power_of_two, reduce_exp2, scaled
from .logarithm import SMALLEST_NORMAL, is_normal, lifted_word, log2_of, take_apart

# atanh s = s + s*z/3 + s*z*z*Q(z), z = s * s, for |s| <= 3 - 2*sqrt(2).
ATANH_TAIL = {
    T.f32: (0.20000076293945312, 0.14273542165756226, 0.11709950119256973),
    T.f64: (
        0.20000000000001134,
        0.14285714285046863,
        0.11111111260529623,
        0.09090892130091123,
        0.07693381289604968,
        0.06628344277201571,
        0.06598794228980187,
    ),
}
THIRD = {
    T.f32: (0.3333333432674408, -9.934107758624577e-09),
    T.f64: (0.3333333333333333, 1.850371707708594e-17),
}
TWICE_LOG2_E = {
    T.f32: (2.885390043258667, 3.851926067000022e-08),
    T.f64: (2.8853900817779268, 4.0710547481862066e-17),
}


def _log2_in_two_parts(x: Term) -> tuple[Term, Term]:
    """The logarithm to base 2 of a positive number as a sum of two floats, the second less than 1/1000."""
    t = x.type
    word = choose(x >= SMALLEST_NORMAL[t], bits(x, signed=True), lifted_word(x))
    e, mantissa = take_apart(word, math.sqrt(0.5))
    # s = (m - 1) / (m + 1), and what its roundings and that of m + 1 lost.
    top, bottom = mantissa - 1.0, mantissa + 1.0
    inverse = 1.0 / bottom
    s = top * inverse
    bottom_low = mantissa - (bottom - 1.0)
    s_low = fma(-s, bottom_low, fma(-s, bottom, top)) * inverse
    # atanh(s) = s + s*w, w = z/3 + z*z*Q(z)
    z = s * s
    third, third_low = THIRD[t]
    w = z * third
    lost = fma(z, third_low, fma(z, third, -w))
    tail = polynomial(z, ATANH_TAIL[t]) * z
    slope = z
    if t is T.f32:
        w_low = fma(tail, z, lost)
    else:
        # Exponents reach a thousand here: more of w must be in its first part, and the slope of atanh is 1 + z + z*z.
        lost = fma(fma(s, s, -z), third, lost)
        total = fma(tail, z, w)
        w, w_low = total, fma(tail, z, w - total) + lost
        slope = fma(z, z, z)
    arc = fma(s, w, s)
    arc_low = fma(s, w, s - arc) + fma(s, w_low, fma(s_low, slope, s_low))
    # times 2/ln(2), and plus the exponent
    scale, scale_low = TWICE_LOG2_E[t]
    part = arc * scale
    part_low = fma(arc, scale, -part) + fma(arc, scale_low, arc_low * scale)
    high = e + part
    return high, (e - high) + part + part_low


def _pow(x: Term, y: Term) -> Term:
    t = x.type
    a = abs(x)
    high, low = _log2_in_two_parts(a)
    power = y * high
    power_low = fma(y, high, -power) + y * low
    shifted = (power + power_low) + MAGIC[t]
    value = power_of_two((power - (shifted - MAGIC[t])) + power_low)
    near = scaled(value, bits(shifted))
    is_near = is_normal(x) & (abs(power) <= FLOAT[t].exp2_safe - 1.0)
    return choose(is_near, near, _pow_far(x, y, y * _limit_of_log(a, high), value, shifted))


def _limit_of_log(a: Term, log: Term) -> Term:
    return choose(a.equals(0.0), a.lift(-math.inf), choose(a.equals(math.inf), a, log))


def _pow_far(x: Term, y: Term, power: Term, value: Term, shifted: Term) -> Term:
    """The power by its definition case by case: `power` is y * log2|x|, value and shifted give 2**power."""
    one = x.lift(1.0)
    size = bounded_power(power, value, shifted, FLOAT[x.type].exp2_range)
    size = choose(abs(x).equals(1.0), one, size)
    half = y * 0.5
    is_whole = truncated(y).equals(y)
    is_odd = is_whole & truncated(half).differs(half)
    # Infinite exponents are whole and even; a negative base wants a whole one.
    signed = choose(is_odd, with_sign(size, x), size)
    undefined = (x < 0.0) & (x > -math.inf) & ~is_whole
    result = choose(undefined, x.lift(math.nan), signed)
    result = choose(x.differs(x) | y.differs(y), x.lift(math.nan), result)
    return choose(x.equals(1.0) | y.equals(0.0), one, result)


def _pow_near(x: Term, y: Term) -> Term:
    power = y * log2_near(x)
    is_number = x.equals(x) & power.equals(power)
    return choose(is_number, _power_near(power), math.nan)


def log2_near(x: Term) -> Term:
    """The logarithm to base 2, of the smallest normal number where x is below it."""
    return log2_of(bits(maximum(SMALLEST_NORMAL[x.type], x), signed=True))


def _power_near(power: Term) -> Term:
    """Two to a power, which is kept within what is normal."""
    limit = FLOAT[power.type].exp2_safe
    f, shifted = reduce_exp2(maximum(-limit, minimum(limit, power)))
    return scaled(power_of_two(f), bits(shifted))


def _cbrt(x: Term) -> Term:
    t = x.type
    a = abs(x)
    # Numbers are scaled away from both ends of the range; a third of the bits of exponent and fraction, read as one
    # number, is then within 4 % of the cube root.
    is_small = a < 2.0**-100
    normal = a * choose(is_small, a.lift(2.0**162 if t is T.f64 else 2.0**54), 2.0**-3)
    back = choose(is_small, a.lift(2.0**-54 if t is T.f64 else 2.0**-18), 2.0)
    word = bits(normal) if t is T.f32 else bits(normal) >> 32
    third = ((convert(word, T.u64) * 0x55555556) >> 32) + CBRT_OFFSET[t]
    guess = as_float(convert(third, T.u32) if t is T.f32 else third << 32)
    for _ in range(1 if t is T.f32 else 2):
        # Halley's step triples the digits.
        cube = guess * guess * guess
        guess = guess * ((cube + normal + normal) / (cube + cube + normal))
    # Newton's step, with the residue of the cube computed without rounding.
    square = guess * guess
    lost = fma(guess, guess, -square)
    residue = fma(square, guess, -normal) + lost * guess
    result = (guess - residue / (square * 3.0)) * back
    # Zero, infinity and NaN are their own cube roots.
    is_plain = (a > 0.0) & (a < math.inf)
    return choose(is_plain, with_sign(result, x), x)


CBRT_OFFSET = {T.f32: 0x2A5119F2, T.f64: 0x2A9F7893}


def _hypot(x: Term, y: Term) -> Term:
    t = x.type
    square = fma(x, x, y * y)
    low, high = HYPOT_SAFE[t]
    is_near = (square >= low) & (square <= high)
    return choose(is_near, root(square), _hypot_far(abs(x), abs(y)))


HYPOT_SAFE = {T.f32: (2.0**-80, 2.0**126), T.f64: (2.0**-900, 2.0**1022)}


def _hypot_far(a: Term, b: Term) -> Term:
    """The length where squares overflow or lose bits: both numbers are scaled by a power of two first."""
    shrink, grow = (2.0**-70, 2.0**90) if a.type is T.f32 else (2.0**-520, 2.0**600)
    is_large = maximum(a, b) > 1.0
    scale = choose(is_large, a.lift(shrink), grow)
    back = choose(is_large, a.lift(1.0 / shrink), 1.0 / grow)
    p, q = a * scale, b * scale
    size = root(fma(p, p, q * q)) * back
    infinite = a.equals(math.inf) | b.equals(math.inf)
    return choose(infinite, a.lift(math.inf), size)


def _pow_facts(t: T.Type, _: tuple[T.Type, ...], x: Facts, y: Facts) -> Facts:
    if x.lo < 0 or (x.minus_zero and y.lo <= 0):
        return top(t)
    return corners(np.power, t, x, y, (0.0, math.inf), minus_zero=x.minus_zero)


def _pow_near_facts(_: T.Type, __: tuple[T.Type, ...], x: Facts, y: Facts) -> Facts:
    # An infinite exponent of 1 is NaN.
    return Facts(0.0, math.inf, x.nan or not y.finite)


def _hypot_facts(t: T.Type, _: tuple[T.Type, ...], x: Facts, y: Facts) -> Facts:
    return corners(np.hypot, t, magnitudes(x), magnitudes(y), (0.0, math.inf))


def _pow_interval(_: T.Type, x: Interval, y: Interval) -> Endpoints:
    # The logarithm of a base of at least 1 is not negative: the corners are those of its product with the exponent.
    is_negative = y.hi <= 0.0
    small, large = choose(is_negative, x.hi, x.lo), choose(is_negative, x.lo, x.hi)
    lo = at("pow", small, choose(small >= 1.0, y.lo, y.hi))
    hi = at("pow", large, choose(large >= 1.0, y.hi, y.lo))
    is_point = x.is_point & y.is_point
    low, high = near(lo, hi, is_point, (0.0, math.inf))
    is_mixed = (y.lo < 0.0) & (y.hi > 0.0)
    low, high = choose(is_mixed, lo.lift(0.0), low), choose(is_mixed, hi.lift(math.inf), high)
    # A negative base wants a known exponent, and a zero one that is not negative.
    known = (x.lo > 0.0) | ((x.lo >= 0.0) & (y.lo >= 0.0)) | (is_point & (x.lo < 0.0) & lo.equals(lo))
    return only(known & x.nan_free & y.nan_free, low, high)


def _pow_near_interval(t: T.Type, x: Interval, y: Interval) -> Endpoints:
    log = Interval(*near(log2_near(x.lo), log2_near(x.hi), x.is_point))
    power = Interval(*mul(t, y, log))
    lo, hi = near(_power_near(power.lo), _power_near(power.hi), power.is_point, (0.0, math.inf))
    return only(power.nan_free & x.nan_free, lo, hi)


HYPOT_SLACK = {T.f32: (2.0**-20, 2.0**-70), T.f64: (2.0**-49, 2.0**-530)}
"""Slack of bounds where squares may underflow, relative and minimum."""


def _hypot_interval(t: T.Type, x: Interval, y: Interval) -> Endpoints:
    a, b = magnitude(x), magnitude(y)
    # At the far end an overflow does no harm, and the way around it costs as much again.
    lo, hi = at("hypot", a.lo, b.lo), root(fma(a.hi, a.hi, b.hi * b.hi))
    low, high = near(lo, hi, x.is_point & y.is_point, (0.0, math.inf), slack=HYPOT_SLACK[t])
    return only(x.nan_free & y.nan_free, low, high)


ROWS = (
    Prim(
        "pow",
        "x to the y, as in IEEE 754: NaN for a negative x and a y that is not whole; 1 when y is 0 or x is 1.",
        "F F -> F",
        body=body(_pow),
        facts=_pow_facts,
        ulp={"f32": 1.4, "f64": 1.4},
        interval=_pow_interval,
        zero_sign="observe",
        cost=75,
    ),
    Prim(
        "pow_near",
        "x to the y for pictures: the error grows with the result's exponent, x counts as at least the smallest normal "
        "number, and the result stays normal.",
        "F F -> F",
        body=body(_pow_near),
        facts=_pow_near_facts,
        interval=_pow_near_interval,
        zero_sign="kill",
        cost=36,
    ),
    Prim(
        "cbrt",
        "The cube root of x.",
        "F -> F",
        body=body(_cbrt),
        facts=increasing(np.cbrt, odd=True),
        ulp={"f32": 0.6, "f64": 0.6},
        interval=rising("cbrt"),
        zero_sign="pass",
        cost=55,
    ),
    Prim(
        "hypot",
        "The length of the vector (x, y), without overflow on the way.",
        "F F -> F",
        body=body(_hypot),
        facts=_hypot_facts,
        ulp={"f32": 1.3, "f64": 1.3},
        interval=_hypot_interval,
        zero_sign="kill",
        cost=20,
    ),
)
