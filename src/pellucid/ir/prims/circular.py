"""Sine, cosine and tangent, of radians and of half turns, right for every float however large.

Each row is an expression of simpler rows. Sine and cosine of one argument share their reduction and both polynomials:
together they cost about 25 vector operations on the path that pictures take.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import types as T
from ..facts import Facts
from ..intervals.bounds import increasing, wave
from ..intervals.interval import branches
from ..intervals.interval import wave as wave_interval
from ..intervals.notation import Term, as_float, bits, body, choose, fma, nearest, polynomial
from ..prim import Prim
from ..reduction import HALF_PI, MAGIC, bounded_angle, reduce_in_two_parts, reduce_near, reduce_quarter_turn

# On [-pi/4, pi/4], z = r * r: sin r = r + r*z*P(z), cos r = 1 + z*P(z), tan r = r + r*z*P(z).
SIN = {
    T.f32: (-0.16666653752326965, 0.008332093246281147, -0.00019505145610310137),
    T.f64: (
        -0.1666666666666662,
        0.008333333333319702,
        -0.0001984126982760776,
        2.75573129211941e-06,
        -2.505063655793715e-08,
        1.5889711403807222e-10,
    ),
}
COS = {
    T.f32: (-0.5, 0.04166664183139801, -0.0013887130189687014, 2.4412085622316226e-05),
    T.f64: (
        -0.5,
        0.041666666666666574,
        -0.0013888888888869719,
        2.4801587286728975e-05,
        -2.7557313557957257e-07,
        2.0875615562769553e-09,
        -1.135408948467249e-11,
    ),
}
TAN = {
    T.f32: (
        0.3333335518836975,
        0.13332462310791016,
        0.054083701223134995,
        0.021155651658773422,
        0.011171161197125912,
        -0.0003429357020650059,
        0.004592512268573046,
    ),
    T.f64: (
        0.33333333333333426,
        0.1333333333331853,
        0.053968253976548856,
        0.021869488301023192,
        0.008863239488859384,
        0.0035920847677300746,
        0.0014561583356359703,
        0.0005883099394569063,
        0.00024570028855267195,
        7.864100274206635e-05,
        7.605698016402823e-05,
        -3.666062776705376e-05,
        5.772013567131762e-05,
        -2.871451006112687e-05,
        1.0774289863975784e-05,
    ),
}

NEAR_REACH = {T.f32: 2.0**20, T.f64: 2.0**48}
"""The largest magnitude for which the near rows keep within 2 units in the last place, the tangent within 3.3."""


def _sine(r: Term) -> Term:
    z = r * r
    return fma(polynomial(z, SIN[r.type]), r * z, r)


def _cosine(r: Term) -> Term:
    z = r * r
    return fma(polynomial(z, COS[r.type]), z, 1.0)


def _tangent(r: Term, low: Term) -> Term:
    z = r * r
    # The derivative of the tangent is near enough to 1 + z for the little that `low` is.
    return r + fma(polynomial(z, TAN[r.type]), r * z, fma(low, z, low))


def _is_odd(count: Term) -> Term:
    return (count & 1).differs(0)


def _signed(value: Term, word: Term) -> Term:
    """The value, negated where the highest bit of the word is set."""
    return as_float(bits(value) ^ (word & (1 << (word.type.bits - 1))))


def _to_top(count: Term) -> Term:
    """The second bit of a count of quarter turns as the highest bit."""
    return count << (count.type.bits - 2)


def _sin(x: Term) -> Term:
    rest, count = reduce_quarter_turn(abs(x))
    return _sin_of(x, rest, count)


def _cos(x: Term) -> Term:
    rest, count = reduce_quarter_turn(abs(x))
    return _cos_of(rest, count)


def _tan(x: Term) -> Term:
    rest, low, count = reduce_in_two_parts(abs(x))
    return _tan_of(x, _tangent(rest, low), count)


def _near(x: Term) -> tuple[Term, Term]:
    return reduce_near(bounded_angle(abs(x)))


def _sin_near(x: Term) -> Term:
    return _sin_of(x, *_near(x))


def _cos_near(x: Term) -> Term:
    return _cos_of(*_near(x))


def _tan_near(x: Term) -> Term:
    rest, count = _near(x)
    return _tan_of(x, _tangent(rest, rest.lift(0.0)), count)


def _sin_of(x: Term, rest: Term, count: Term) -> Term:
    value = choose(_is_odd(count), _cosine(rest), _sine(rest))
    return _signed(value, _to_top(count) ^ bits(x))


def _cos_of(rest: Term, count: Term) -> Term:
    value = choose(_is_odd(count), _sine(rest), _cosine(rest))
    # The second bit of count + 1, from the node that the sine makes as well.
    return _signed(value, _to_top(count) + (1 << (count.type.bits - 2)))


def _tan_of(x: Term, value: Term, count: Term) -> Term:
    return _signed(choose(_is_odd(count), -1.0 / value, value), bits(x))


def _half_turns(x: Term) -> tuple[Term, Term]:
    """An angle in half turns, not negative, as a rest in radians and a count of quarter turns."""
    t = x.type
    # Whole turns and then quarter turns go without any rounding.
    angle = fma(nearest(x * 0.5), -2.0, x)
    shifted = fma(angle, 2.0, MAGIC[t])
    rest = fma(shifted - MAGIC[t], -0.5, angle)
    high, low, _ = HALF_PI[t]
    return fma(rest, 2.0 * high, rest * (2.0 * low)), bits(shifted)


def _sinpi(x: Term) -> Term:
    rest, count = _half_turns(abs(x))
    value = choose(_is_odd(count), _cosine(rest), _sine(rest))
    # Adding 0 makes a zero positive, whatever the quarter; then it has the sign of x.
    return _signed(_signed(value, _to_top(count)) + 0.0, bits(x))


def _cospi(x: Term) -> Term:
    return _cos_of(*_half_turns(abs(x))) + 0.0


def _sine_of_half_turns(x: Any) -> Any:
    return np.sin(np.pi * x)


def _cosine_of_half_turns(x: Any) -> Any:
    return np.cos(np.pi * x)


def _tan_facts(t: T.Type, types: tuple[T.Type, ...], a: Facts) -> Facts:
    if a.within(-1.57, 1.57):
        return increasing(np.tan, odd=True)(t, types, a)
    return Facts(-math.inf, math.inf, not a.finite, minus_zero=True)


def _near_facts(_: T.Type, __: tuple[T.Type, ...], a: Facts) -> Facts:
    return Facts(-1.0, 1.0, not a.finite, minus_zero=True)


def _tan_near_facts(_: T.Type, __: tuple[T.Type, ...], a: Facts) -> Facts:
    return Facts(-math.inf, math.inf, not a.finite, minus_zero=True)


_NEAR = (
    "without the long way for large angles: as good up to a million (f32) or 2**48 (f64), as if x were off by half a "
    "unit in its last place up to 2**22 or 2**51, and beyond that "
)
ROWS = (
    Prim(
        "sin",
        "The sine of x radians.",
        "F -> F",
        body=body(_sin),
        facts=wave(np.sin, math.pi / 2, 2 * math.pi),
        ulp={"f32": 1.6, "f64": 1.6},
        interval=wave_interval("sin", math.pi / 2, 2 * math.pi, within="sin_near"),
        zero_sign="pass",
        cost=22,
    ),
    Prim(
        "cos",
        "The cosine of x radians.",
        "F -> F",
        body=body(_cos),
        facts=wave(np.cos, 0.0, 2 * math.pi),
        ulp={"f32": 1.6, "f64": 1.6},
        interval=wave_interval("cos", 0.0, 2 * math.pi, within="cos_near"),
        zero_sign="kill",
        cost=22,
    ),
    Prim(
        "tan",
        "The tangent of x radians.",
        "F -> F",
        body=body(_tan),
        facts=_tan_facts,
        ulp={"f32": 2.0, "f64": 1.8},
        interval=branches("tan", math.pi / 2, math.pi, within="tan_near"),
        zero_sign="pass",
        cost=42,
    ),
    Prim(
        "sin_near",
        f"The sine of x radians, {_NEAR}any number from -1 to 1.",
        "F -> F",
        body=body(_sin_near),
        facts=_near_facts,
        interval=wave_interval("sin_near", math.pi / 2, 2 * math.pi),
        zero_sign="pass",
        cost=23,
    ),
    Prim(
        "cos_near",
        f"The cosine of x radians, {_NEAR}any number from -1 to 1.",
        "F -> F",
        body=body(_cos_near),
        facts=_near_facts,
        interval=wave_interval("cos_near", 0.0, 2 * math.pi),
        zero_sign="kill",
        cost=23,
    ),
    Prim(
        "tan_near",
        f"The tangent of x radians, {_NEAR}any number.",
        "F -> F",
        body=body(_tan_near),
        facts=_tan_near_facts,
        interval=branches("tan_near", math.pi / 2, math.pi),
        zero_sign="pass",
        cost=32,
    ),
    Prim(
        "sinpi",
        "The sine of x half turns.",
        "F -> F",
        body=body(_sinpi),
        facts=wave(_sine_of_half_turns, 0.5, 2.0, zeros=True),
        ulp={"f32": 1.8, "f64": 1.8},
        interval=wave_interval("sinpi", 0.5, 2.0),
        zero_sign="pass",
        cost=25,
    ),
    Prim(
        "cospi",
        "The cosine of x half turns.",
        "F -> F",
        body=body(_cospi),
        facts=wave(_cosine_of_half_turns, 0.0, 2.0),
        ulp={"f32": 1.8, "f64": 1.8},
        interval=wave_interval("cospi", 0.0, 2.0),
        zero_sign="kill",
        cost=25,
    ),
)
