"""Samples of one depth as samples of another: the nearest whole number, by whole numbers only.

A sample n stands for a level on a straight line, (n - zero) / span, and so does the sample that is wanted. Between them
is another line with a rational slope. Floats of 32 bits are not precise enough to round it: of 12 bits to 16, one code
in 300 would be off by one. Here the line is rounded exactly, by one multiplication and one shift wherever these are
exact for every code, which is worked out when the expression is made. Below `color_model`, which knows zeros and spans.
"""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..base.record import record
from ..ir import types as T
from ..ir.expr import Expr, apply, const
from ..pixels.layout import Channel
from .access import bits_type

MAX_BITS = 32
"""Maximum bits of a sample on either side: the product of two such numbers has 64."""
MAX_TRIED = 1 << 16
"""Maximum codes for which a multiplier that no bound vouches for is tried on every one of them."""


class LevelScale(NamedTuple):
    """The number of no light, and how many more are full light."""

    zero: int
    span: int


class _Shifted(NamedTuple):
    """floor((m * factor + term) >> shift)."""

    factor: int
    term: int
    shift: int


@record
class _Steps:
    """The numbers of a conversion: start + floor((m * rise + term) / run) for m from 0 to most.

    m is the distance of the sample, clamped to low .. high, from one of the two: from high if it `falls`. What is below
    low, or above high, is the number `before` or `beyond`, if these are given.
    """

    low: int
    high: int
    falls: bool
    start: int
    rise: int
    run: int
    term: int
    before: int | None
    beyond: int | None

    @property
    def most(self) -> int:
        return self.high - self.low


def fits(given: Channel, wanted: Channel) -> bool:
    """Whether samples of one channel are converted to those of the other by whole numbers.

    >>> from ..pixels.layout import Layout
    >>> gray, real = Layout("Y:12")["Y"], Layout("Y:f32")["Y"]
    >>> fits(gray, gray), fits(gray, real)
    (True, False)
    """
    return all(c.kind != "f" and c.bits <= MAX_BITS for c in (given, wanted))


def nearest(given: Channel, first: LevelScale, wanted: Channel, second: LevelScale, sample: Expr) -> Expr:
    """The bits of the sample nearest to the level of a given one, halves up, saturated.

    >>> from ..ir.expr import param
    >>> from ..pixels.layout import Layout
    >>> ten, eight = Layout("Y:10")["Y"], Layout("Y:8")["Y"]
    >>> nearest(ten, LevelScale(0, 1023), eight, LevelScale(0, 255), param("n", T.u32))
    shift_right_in($n:u32 * 130688:u32 + 261376:u32, 19:u32)
    """
    steps = _steps(given.low, given.high, first, wanted.low, wanted.high, second)
    word, signed = bits_type(wanted), sample.type
    inside = sample
    if steps.low > given.low:
        inside = apply("max", inside, const(steps.low, signed))
    if steps.high < given.high:
        inside = apply("min", inside, const(steps.high, signed))
    m = inside if signed is T.u32 else apply("convert", inside, attr=T.u32)
    if steps.falls:
        m = apply("sub", const(steps.high % (1 << 32), T.u32), m)
    elif steps.low:
        m = apply("sub", m, const(steps.low % (1 << 32), T.u32))
    found = _line(m, steps)
    if steps.start:
        found = apply("add", found, const(steps.start % (1 << 32), T.u32))
    if wanted.kind == "s" and wanted.bits < MAX_BITS:
        found = apply("and", found, const((1 << wanted.bits) - 1, T.u32))
    ends = const(steps.low, signed), const(steps.high, signed)
    for outside, number in (((sample, ends[0]), steps.before), ((ends[1], sample), steps.beyond)):
        if number is not None:
            full = const(number % (1 << wanted.bits), T.u32)
            found = apply("choose", apply("lt", *outside), full, found)
    return found if word is T.u32 else apply("convert", found, attr=word)


@functools.lru_cache(maxsize=1024)
def _steps(low: int, high: int, first: LevelScale, least: int, greatest: int, second: LevelScale) -> _Steps:
    """The steps by which samples low .. high become samples least .. greatest."""
    slope = Fraction(second.span, first.span)

    def place(n: int) -> Fraction:
        # Where the number is that is rounded down.
        return (n - first.zero) * slope + second.zero + Fraction(1, 2)

    # The samples whose numbers are in range, that of no light among them: others become what is at the end of it.
    ends = sorted(first.zero + (x - Fraction(1, 2) - second.zero) / slope for x in (least, greatest + 1))
    begin, end = max(low, -(-ends[0] // 1)), min(high, ends[1] // 1)
    if end >= begin and place(end) // 1 > greatest:
        end -= 1
    if begin <= end and place(begin) // 1 > greatest:
        begin += 1
    falls = slope < 0
    start = place(end if falls else begin)
    number = max(least, min(greatest, start // 1))
    values = [max(least, min(greatest, place(n) // 1)) for n in (begin, end)]
    outer = (greatest, least) if falls else (least, greatest)
    before, beyond = (
        wanted if n != limit and value != wanted else None
        for n, limit, value, wanted in zip((begin, end), (low, high), values, outer, strict=True)
    )
    rise, run = abs(slope.numerator), slope.denominator
    return _Steps(begin, end, falls, number, rise, run, (start - number) * run // 1, before, beyond)


def _line(m: Expr, steps: _Steps) -> Expr:
    """floor((m * rise + term) / run), by the cheapest way that is exact."""
    most, rise, run, term = steps.most, steps.rise, steps.run, steps.term
    times, rest = divmod(rise, run)
    if not rest:
        return _sum(_product(m, times), const(term // run, T.u32))
    for word in (T.u32, T.u64):
        wide = m if word is T.u32 else apply("convert", m, attr=word)
        whole = _multiplier(most, rise, run, term, word.bits)
        if whole is not None:
            return _narrow(_shifted(wide, whole))
        part = _multiplier(most, rest, run, term, word.bits) if times else None
        if part is not None:
            return _sum(_product(m, times), _narrow(_shifted(wide, part)))
    wide = apply("convert", m, attr=T.u64)
    product = _sum(_product(wide, rise), const(term, T.u64))
    return _narrow(apply("floor_div", product, const(run, T.u64)))


@functools.lru_cache(maxsize=1024)
def _multiplier(most: int, rise: int, run: int, term: int, bits: int) -> _Shifted | None:
    """The numbers that make of m from 0 to most the same as floor((m * rise + term) / run) in words of so many bits."""
    if run & (run - 1) == 0:
        found = _Shifted(rise, term, run.bit_length() - 1)
        return found if most * rise + term < 1 << bits else None
    # Rounded up, both numbers add less than (most + 1) / 2**shift; the fraction is at most 1 - 1 / run.
    shift = (run * (most + 1) - 1).bit_length()
    factor, more = (-(-(x << shift) // run) for x in (rise, term))
    if most * factor + more < 1 << bits:
        return _Shifted(factor, more, shift)
    return _tried(most, rise, run, term) if bits == T.u32.bits and most < MAX_TRIED else None


def _tried(most: int, rise: int, run: int, term: int) -> _Shifted | None:
    """As `_multiplier` for 32 bits, with a shorter shift that is tried on every m."""
    codes = np.arange(most + 1, dtype=np.int64)
    wanted = (codes * rise + term) // run
    shift = 31
    while shift and (most * rise + run + term << shift) // run >= 1 << 32:
        shift -= 1
    for factor in ((rise << shift) // run, -(-(rise << shift) // run)):
        # Each m leaves a range of terms with which it is right.
        terms = (wanted << shift) - codes * factor
        low, high = max(0, int(terms.max())), int(terms.min()) + (1 << shift) - 1
        if low <= high and most * factor + low < 1 << 32:
            return _Shifted(factor, low, shift)
    return None


def _shifted(m: Expr, numbers: _Shifted) -> Expr:
    total = _sum(_product(m, numbers.factor), const(numbers.term, m.type))
    return apply("shift_right_in", total, const(numbers.shift, m.type)) if numbers.shift else total


def _product(m: Expr, factor: int) -> Expr:
    return m if factor == 1 else apply("mul", m, const(factor, m.type))


def _sum(a: Expr, b: Expr) -> Expr:
    return a if b.op == "const" and not b.attr else apply("add", a, b)


def _narrow(found: Expr) -> Expr:
    return found if found.type is T.u32 else apply("convert", found, attr=T.u32)
