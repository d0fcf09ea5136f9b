"""Logarithms to base e, 2 and 10, and of 1 + x.

The argument is taken apart into 2**e * (1 + f) by integer operations on its bits, and log(1 + f) = f + rest comes from
a polynomial. Subnormal numbers are scaled up and zero, negative numbers, infinity and NaN put right, both under one
condition that normal positive numbers never meet.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .. import types as T
from ..intervals.bounds import increasing
from ..intervals.interval import Endpoints, Interval, IntervalFunction, at, near, only, rising
from ..intervals.notation import (
    Term,
    as_float,
    bits,
    bits_of,
    body,
    choose,
    convert,
    fma,
    maximum,
    polynomial,
)
from ..prim import Prim
from ..reduction import MAGIC
from .exponential import FLOAT, LN_2

# log(1+f) = f + f*f*P(f) for -1/3 <= f <= 1/3.
LOG = (
    -0.5,
    0.3333321511745453,
    -0.2499980628490448,
    0.2001042664051056,
    -0.16680195927619934,
    0.14005735516548157,
    -0.12187477946281433,
    0.13984578847885132,
    -0.12880057096481323,
)
# atanh s = s + s*z*P(z), z = s * s, for |s| <= 3 - 2*sqrt(2).
ATANH = (
    0.33333333333333676,
    0.19999999999704565,
    0.14285714371891578,
    0.11111099207214156,
    0.0909178667061663,
    0.07656900643534274,
    0.0739931097648483,
)

LOG2_E = {T.f32: 1.4426950216293335, T.f64: 1.4426950408889634}
LOG10_2 = {
    T.f32: (0.3010300099849701, -1.432098883924482e-08),
    T.f64: (0.3010299956639812, -2.8037281277851704e-18),
}
LOG10_E = {
    T.f32: (0.4342944920063019, -1.0103049952192578e-08),
    T.f64: (0.4342944819032518, 1.098319650216765e-17),
}
SMALLEST_NORMAL = {T.f32: 2.0**-126, T.f64: 2.0**-1022}


def is_normal(x: Term) -> Term:
    """Whether x is a positive normal number."""
    return (x >= SMALLEST_NORMAL[x.type]) & (x < math.inf)


def lifted_word(x: Term) -> Term:
    """The bits of a subnormal number as if there were room for its exponent, below those of all normal numbers."""
    fraction = FLOAT[x.type].fraction
    return bits(x * 2.0**fraction, signed=True) - (fraction << fraction)


def take_apart(word: Term, least: float) -> tuple[Term, Term]:
    """A positive number, by its bits, as (e, m): 2**e * m with `least` <= m < 2 * `least`."""
    t = T.f32 if word.type is T.i32 else T.f64
    fraction = FLOAT[t].fraction
    exponent = (word - bits_of(least, t)) >> fraction
    mantissa = as_float(word - (exponent << fraction))
    if t is T.f32:
        return convert(exponent, t), mantissa
    # Few machines convert 64-bit integers, and all add them.
    magic = MAGIC[t]
    return as_float(exponent + bits_of(magic, t)) - magic, mantissa


def _parts(word: Term) -> tuple[Term, Term, Term]:
    """A positive number, by its bits, as (e, f, rest): its logarithm is e*ln(2) + (f + rest), with f exact."""
    if word.type is T.i32:
        e, mantissa = take_apart(word, 2 / 3)
        f = mantissa - 1.0
        return e, f, polynomial(f, LOG) * (f * f)
    e, mantissa = take_apart(word, math.sqrt(0.5))
    f = mantissa - 1.0
    s = f / (f + 2.0)
    z = s * s
    half = f * f * 0.5
    return e, f, fma(s, fma(polynomial(z, ATANH), z * 2.0, half), -half)


def _at_most_zero(x: Term) -> Term:
    """The result of a logarithm for numbers that are not positive."""
    return choose(x.equals(0.0), x.lift(-math.inf), math.nan)


def _of_any(x: Term, of_word: Callable[[Term], Term]) -> Term:
    """A logarithm of any float, from that of a positive number by its bits."""
    rare = choose(x.equals(math.inf), x, of_word(lifted_word(x)))
    return choose(is_normal(x), of_word(bits(x, signed=True)), choose(x > 0.0, rare, _at_most_zero(x)))


def _log_of(word: Term) -> Term:
    e, f, rest = _parts(word)
    return fma(e, LN_2[f.type][0], f + rest)


def log2_of(word: Term) -> Term:
    """The logarithm to base 2 of a positive number, by its bits."""
    e, f, rest = _parts(word)
    scale = LOG2_E[f.type]
    return fma(f, scale, rest * scale) + e


def _log10_of(word: Term) -> Term:
    e, f, rest = _parts(word)
    (two, two_low), (scale, scale_low) = LOG10_2[f.type], LOG10_E[f.type]
    small = fma(e, two_low, fma(f, scale_low, rest * scale))
    return fma(e, two, fma(f, scale, small))


def _log(x: Term) -> Term:
    return _of_any(x, _log_of)


def _log2(x: Term) -> Term:
    return _of_any(x, log2_of)


def _log10(x: Term) -> Term:
    return _of_any(x, _log10_of)


def _log1p(x: Term) -> Term:
    total = x + 1.0
    lost = x - (total - 1.0)
    e, f, rest = _parts(bits(total, signed=True))
    value = fma(e, LN_2[x.type][0], f + (rest + lost / total))
    # The sum is never subnormal; x itself is the answer for zeros, whose sign the sum forgets.
    rare = choose(total > 0.0, total, _at_most_zero(total))
    return choose(x.equals(0.0), x, choose(is_normal(total), value, rare))


def _interval_of(name: str, of_word: Callable[[Term], Term]) -> IntervalFunction:
    def interval(t: T.Type, x: Interval) -> Endpoints:
        # At the far end the smallest normal number may stand for those below it: their way costs as much again.
        far = of_word(bits(maximum(x.hi, x.hi.lift(SMALLEST_NORMAL[t])), signed=True))
        lo = at(name, x.lo)
        return only(lo.equals(lo), *near(lo, choose(x.hi.equals(math.inf), x.hi, far), x.is_point))

    return interval


ROWS = (
    Prim(
        "log",
        "The natural logarithm of x.",
        "F -> F",
        body=body(_log),
        facts=increasing(np.log, domain=(0.0, math.inf)),
        ulp={"f32": 1.0, "f64": 1.3},
        interval=_interval_of("log", _log_of),
        zero_sign="kill",
        cost=20,
    ),
    Prim(
        "log2",
        "The logarithm of x to base 2.",
        "F -> F",
        body=body(_log2),
        facts=increasing(np.log2, domain=(0.0, math.inf)),
        ulp={"f32": 1.8, "f64": 1.3},
        interval=_interval_of("log2", log2_of),
        zero_sign="kill",
        cost=21,
    ),
    Prim(
        "log10",
        "The logarithm of x to base 10.",
        "F -> F",
        body=body(_log10),
        facts=increasing(np.log10, domain=(0.0, math.inf)),
        ulp={"f32": 1.6, "f64": 1.3},
        interval=_interval_of("log10", _log10_of),
        zero_sign="kill",
        cost=23,
    ),
    Prim(
        "log1p",
        "The natural logarithm of 1 + x, precisely near 0.",
        "F -> F",
        body=body(_log1p),
        facts=increasing(np.log1p, domain=(-1.0, math.inf), odd=True),
        ulp={"f32": 1.2, "f64": 1.4},
        interval=rising("log1p", partial=True),
        zero_sign="pass",
        cost=36,
    ),
)
