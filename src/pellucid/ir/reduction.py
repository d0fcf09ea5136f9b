"""Reduction of any angle to an eighth of a turn around a multiple of a quarter: what sin, cos and tan have in common.

The common case takes away a multiple of pi/2 held in three parts (Cody and Waite); beyond
`LIMIT` the angle is multiplied by a window of the binary digits of 2/pi in integers (Payne and Hanek), under one
``choose`` of one condition, so that a compiler can put all of it in a branch that pictures never take.
"""

from __future__ import annotations

from . import types as T
from .intervals.notation import Term, as_float, bits, cast, choose, convert, fma, minimum

MAGIC = {T.f32: 1.5 * 2**23, T.f64: 1.5 * 2**52}
"""Added to a number, this leaves the nearest whole number in the low bits: as a float after subtracting it again."""

LIMIT = {T.f32: float(2**17), T.f64: float(2**30)}
"""The largest magnitude whose multiple of pi/2 the common path subtracts exactly enough."""

HALF_PI = {
    T.f32: (1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
    T.f64: (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
}
"""pi/2 as a sum of three floats of decreasing size."""
TWO_OVER_PI = {T.f32: 0.6366197466850281, T.f64: 0.6366197723675814}

# Binary digits of 2/pi after 8 zeros, in overlapping pairs of 32-bit words; and after 24 zeros, in 64-bit words.
_DIGITS_32 = (0xA2F983, 0x6E4E4415, 0x29FC2757, 0xD1F534DD, 0xC0DB6295, 0x993C4390, 0x41FE5163)
_DIGITS_64 = (
    0x000000A2F9836E4E,
    0x441529FC2757D1F5,
    0x34DDC0DB6295993C,
    0x439041FE5163ABDE,
    0xBBC561B7246E3A42,
    0x4DD2E006492EEA09,
    0xD1921CFE1DEB1CB1,
    0x29A73EE88235F52E,
    0xBB4484E99C7026B4,
    0x5F7E413991D63983,
    0x5339F49C845F8BBD,
    0xF9283B1FF897FFDE,
    0x05980FEF2F118B5A,
    0x0A6D1F6D367ECF27,
    0xCB09B74F463F669E,
    0x5FEA2D7527BAC7EB,
    0xE5F17B3D0739F78A,
    0x5292EA6BFB5FB11F,
    0x8D5D0856033046FC,
)


def reduce_quarter_turn(angle: Term) -> tuple[Term, Term]:
    """An angle that is not negative as (rest, count): angle = rest + count * pi/2, rest in [-pi/4, pi/4].

    The rest may overshoot by its rounding. `count` is an unsigned integer of the width of the angle of which only
    the last two bits are meant.
    """
    rest, count = reduce_near(angle)
    far_rest, _, far_count = _reduce_far(angle)
    is_far = angle > LIMIT[angle.type]
    return choose(is_far, far_rest, rest), choose(is_far, far_count, count)


def reduce_near(angle: Term) -> tuple[Term, Term]:
    """As `reduce_quarter_turn`, for angles up to `LIMIT`; beyond, any rest."""
    quarters, count, rest = _take_first_part(angle)
    for part in HALF_PI[angle.type][1:]:
        rest = fma(quarters, -part, rest)
    return rest, count


def reduce_in_two_parts(angle: Term) -> tuple[Term, Term, Term]:
    """As `reduce_quarter_turn`, with the rest as a sum of two floats: (rest, low, count)."""
    _, second, third = HALF_PI[angle.type]
    quarters, count, exact = _take_first_part(angle)
    product = quarters * second
    difference = exact - product
    lost = ((exact - difference) - product) - fma(quarters, second, -product)
    small = fma(quarters, -third, lost)
    rest = difference + small
    low = (difference - rest) + small
    is_far = angle > LIMIT[angle.type]
    near, far = (rest, low, count), _reduce_far(angle)
    rest, low, count = (choose(is_far, f, n) for f, n in zip(far, near, strict=True))
    return rest, low, count


def _take_first_part(angle: Term) -> tuple[Term, Term, Term]:
    # With a fused operation the first subtraction is exact.
    t = angle.type
    shifted = fma(angle, TWO_OVER_PI[t], MAGIC[t])
    quarters = shifted - MAGIC[t]
    return quarters, bits(shifted), fma(quarters, -HALF_PI[t][0], angle)


FARTHEST = {T.f32: 2.0**22, T.f64: 2.0**51}
"""Angles beyond which neighboring floats are more than half a radian apart."""


def bounded_angle(angle: Term) -> Term:
    """An angle of at most `FARTHEST`, NaN kept: up to there the rest is little more than an eighth of a turn."""
    return minimum(FARTHEST[angle.type], angle)


def _reduce_far(angle: Term) -> tuple[Term, Term, Term]:
    return _reduce_far_32(angle) if angle.type is T.f32 else _reduce_far_64(angle)


def _reduce_far_32(angle: Term) -> tuple[Term, Term, Term]:
    # angle = mantissa * 2**k; only digits of 2/pi that weigh between 2**(1-k) and 2**-(62+24+k) can matter.
    word = bits(angle)
    mantissa = convert((word & 0x7FFFFF) | 0x800000, T.u64)
    start = (word >> 23) - 144
    pairs = [_pair(i, angle) for i in range(len(_DIGITS_32) - 1)]
    pairs = _skip(pairs, 2, (start & 64).differs(0))
    pairs = _skip(pairs, 1, (start & 32).differs(0))
    shift = convert(start & 31, T.u64)
    high, middle, low = ((p << shift) >> 32 for p in pairs[:3])
    # Quarter turns modulo 4 in units of 2**-62.
    turns = ((mantissa * high) << 32) + mantissa * middle + ((mantissa * low) >> 32)
    count = (turns + (1 << 61)) >> 62
    rest = convert(cast(turns - (count << 62), T.i64), T.f64) * (HALF_PI[T.f64][0] * 2.0**-62)
    # An infinity has no angle: inf - inf is NaN, and for finite angles 0 is added.
    short = convert(rest, T.f32) + (angle - angle)
    return short, convert(rest - convert(short, T.f64), T.f32), convert(count, T.u32)


def _pair(i: int, angle: Term) -> Term:
    wide = convert(bits(angle), T.u64)  # any term of type u64, to lift the constant
    return wide.lift(_DIGITS_32[i] << 32 | _DIGITS_32[i + 1])


def _skip(words: list[Term], by: int, condition: Term) -> list[Term]:
    """The list without its first `by` words where the condition holds."""
    return [choose(condition, words[i + by], words[i]) for i in range(len(words) - by)]


def _reduce_far_64(angle: Term) -> tuple[Term, Term, Term]:
    word = bits(angle)
    mantissa = (word & ((1 << 52) - 1)) | (1 << 52)
    start = (word >> 52) - 1053
    words = [word.lift(w) for w in _DIGITS_64]
    for by in (8, 4, 2, 1):
        words = _skip(words, by, (start & (64 * by)).differs(0))[: 3 + by]
    shift = start & 63
    back = 63 - shift
    high, middle, low = ((words[i] << shift) | ((words[i + 1] >> 1) >> back) for i in range(3))
    # Quarter turns modulo 4, in units of 2**-62 and 2**-126.
    tail = mantissa * middle
    lower = tail + _high_product(mantissa, low)
    carry = convert(lower < tail, T.u64)
    upper = mantissa * high + _high_product(mantissa, middle) + carry
    count = (upper + (1 << 61)) >> 62
    signed = cast(upper - (count << 62), T.i64)
    sign = cast(signed >> 63, T.u64)
    upper, lower = cast(signed, T.u64) ^ sign, lower ^ sign
    # The upper 52 bits and the next 64, both exactly or nearly so as floats; the product with pi/2 in two parts.
    head = convert(upper & ~0x3FF, T.f64)
    rest = convert((upper & 0x3FF) << 54 | lower >> 10, T.f64)
    first, second, _ = HALF_PI[T.f64]
    product = head * first
    error = fma(head, first, -product)
    small = fma(head, second, fma(rest, first * 2.0**-54, error))
    total = product + small
    low = (product - total) + small
    flip = sign << 63
    magnitude = total * 2.0**-62 + (angle - angle)
    return as_float(bits(magnitude) ^ flip), as_float(bits(low * 2.0**-62) ^ flip), count


def _high_product(x: Term, y: Term) -> Term:
    """The upper half of the 128-bit product of two 64-bit words."""
    low = 0xFFFFFFFF
    x1, x0, y1, y0 = x >> 32, x & low, y >> 32, y & low
    middle = x1 * y0 + ((x0 * y0) >> 32)
    other = x0 * y1 + (middle & low)
    return x1 * y1 + (middle >> 32) + (other >> 32)
