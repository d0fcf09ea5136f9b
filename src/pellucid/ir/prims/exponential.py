"""Powers of e and of two, and the hyperbolic functions.

The argument is taken apart into n*ln(2) + r with |r| <= ln(2)/2, a polynomial gives exp(r), and n is added to its
exponent bits. Arguments whose result could overflow, or be subnormal, take a longer way under one ``choose``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .. import types as T
from ..intervals.bounds import even, increasing
from ..intervals.interval import even as even_interval
from ..intervals.interval import rising
from ..intervals.notation import (
    Term,
    as_float,
    bits,
    bits_of,
    body,
    cast,
    choose,
    fma,
    minimum,
    polynomial,
    with_sign,
)
from ..prim import Prim
from ..reduction import MAGIC

# On [-ln(2)/2, ln(2)/2]: exp(r) - 1 = r + r*r*P(r); on [-1/2, 1/2]: 2**f = 1 + f*P(f).
EXP = {
    T.f32: (
        0.4999999701976776,
        0.1666654646396637,
        0.04166744276881218,
        0.008366257883608341,
        0.0013869795948266983,
    ),
    T.f64: (
        0.5000000000000006,
        0.1666666666666665,
        0.04166666666657631,
        0.008333333333360499,
        0.001388888893137239,
        0.00019841269769177634,
        2.480150563390806e-05,
        2.7557370595490586e-06,
        2.7625878426016537e-07,
        2.5063648491174794e-08,
    ),
}
EXP2 = {
    T.f32: (
        0.6931471824645996,
        0.24022647738456726,
        0.05550359934568405,
        0.009618505835533142,
        0.0013390806270763278,
        0.00015326468565035611,
    ),
    T.f64: (
        0.6931471805599453,
        0.2402265069591007,
        0.055504108664823505,
        0.00961812910762988,
        0.0013333558145979967,
        0.0001540353039029294,
        1.5252734235487585e-05,
        1.3215489591865052e-06,
        1.0177898272677625e-07,
        7.0537918895775066e-09,
        4.479063213400534e-10,
        2.7329325188504153e-11,
    ),
}
# On [0, 1]: sinh x = x + x*z*P(z), z = x * x.
SINH = {
    T.f32: (
        0.1666666716337204,
        0.00833331048488617,
        0.00019842895562760532,
        2.7822131869470468e-06,
    ),
    T.f64: (
        0.16666666666666666,
        0.008333333333333573,
        0.00019841269841061154,
        2.7557319310096876e-06,
        2.5052089410183566e-08,
        1.606133965164785e-10,
        7.503223374209477e-13,
        6.476696467855501e-15,
    ),
}
# On [0, 0.55]: tanh x = x + x*z*P(z).
TANH = {
    T.f32: (
        -0.33333316445350647,
        0.13332544267177582,
        -0.0538475476205349,
        0.02105071395635605,
        -0.0062428489327430725,
    ),
    T.f64: (
        -0.333333333333333,
        0.1333333333332658,
        -0.05396825396373666,
        0.02186948838515759,
        -0.008863232589781018,
        0.0035920919104276273,
        -0.0014555420590035332,
        0.0005884411938282253,
        -0.00023337305371873407,
        8.330406547065681e-05,
        -1.9486937559407717e-05,
    ),
}

LOG2_E = {T.f32: 1.4426950216293335, T.f64: 1.4426950408889634}
LN_2 = {
    T.f32: (0.6931471824645996, -1.9046542121259336e-09),
    T.f64: (0.6931471805599453, 2.3190468138462996e-17),
}


class Float(NamedTuple):
    """The constants of a floating type."""

    fraction: int  # bits of it
    bias: int  # of the exponent
    exp_safe: float  # up to this magnitude, exp and expm1 + 1 are normal
    exp_range: tuple[float, float]  # below it exp is 0, above it infinite, and both surely
    exp2_safe: float
    exp2_range: tuple[float, float]
    half_top: float  # the largest number of which sinh and cosh are finite
    tanh_one: float  # from here on tanh is 1


FLOAT = {
    T.f32: Float(23, 127, 87.0, (-104.0, 89.0), 126.0, (-151.0, 129.0), 89.41598510742188, 10.0),
    T.f64: Float(52, 1023, 708.0, (-746.0, 710.0), 1022.0, (-1076.0, 1025.0), 710.4758600739439, 20.0),
}


def scaled(value: Term, exponent: Term) -> Term:
    """The value times two to the exponent (low bits of an unsigned integer), where value and result are normal."""
    return as_float(bits(value) + (exponent << FLOAT[value.type].fraction))


def scaled_in_steps(value: Term, exponent: Term) -> Term:
    """The value times two to the exponent (a signed integer), rounded once where the result is subnormal."""
    shape = FLOAT[value.type]
    half = exponent >> 1
    first, second = (as_float((h + shape.bias) << shape.fraction) for h in (half, exponent - half))
    return value * first * second


def bounded_power(x: Term, value: Term, shifted: Term, limits: tuple[float, float]) -> Term:
    """value * 2**n for any x, n in the low bits of `shifted`: 0 for x below the limits, infinite above them."""
    sign = T.integer(x.type.bits, signed=True)
    n = cast(bits(shifted), sign) - bits_of(MAGIC[x.type], x.type)
    power = scaled_in_steps(value, n)
    return choose(x > limits[1], x.lift(math.inf), choose(x < limits[0], x.lift(0.0), power))


def reduce_exp(x: Term) -> tuple[Term, Term]:
    """x as (r, shifted): x = r + n*ln(2), |r| <= ln(2)/2, n in the low bits of `shifted`."""
    t = x.type
    shifted = fma(x, LOG2_E[t], MAGIC[t])
    n = shifted - MAGIC[t]
    high, low = LN_2[t]
    return fma(n, -low, fma(n, -high, x)), shifted


def reduce_exp2(x: Term) -> tuple[Term, Term]:
    """x as (f, shifted): x = f + n, |f| <= 1/2, n in the low bits of `shifted`."""
    shifted = x + MAGIC[x.type]
    return x - (shifted - MAGIC[x.type]), shifted


def power_of_two(f: Term) -> Term:
    """2**f for |f| <= 1/2."""
    return fma(polynomial(f, EXP2[f.type]), f, 1.0)


def _power_of_e(r: Term) -> Term:
    return fma(fma(polynomial(r, EXP[r.type]), r, 1.0), r, 1.0)


def _exp(x: Term) -> Term:
    r, shifted = reduce_exp(x)
    value, shape = _power_of_e(r), FLOAT[x.type]
    far = bounded_power(x, value, shifted, shape.exp_range)
    return choose(abs(x) <= shape.exp_safe, scaled(value, bits(shifted)), far)


def _exp2(x: Term) -> Term:
    f, shifted = reduce_exp2(x)
    value, shape = power_of_two(f), FLOAT[x.type]
    far = bounded_power(x, value, shifted, shape.exp2_range)
    return choose(abs(x) <= shape.exp2_safe, scaled(value, bits(shifted)), far)


def _expm1_within(x: Term) -> Term:
    """exp(x) - 1 where exp(x) is normal; of -0, +0."""
    high, low = LN_2[x.type]
    r, shifted = reduce_exp(x)
    n = shifted - MAGIC[x.type]
    # What rounding took from r counts here, where 1 is taken away from a result near to it.
    lost = fma(n, -low, fma(n, -high, x) - r)
    rest = r + fma(polynomial(r, EXP[x.type]), r * r, lost)
    scale = scaled(x.lift(1.0), bits(shifted))
    return fma(scale, rest, scale - 1.0)


def _expm1(x: Term) -> Term:
    near = choose(x.equals(0.0), x, _expm1_within(x))
    far = choose(x < 0.0, x.lift(-1.0), _exp(x))
    return choose(abs(x) <= FLOAT[x.type].exp_safe, near, far)


def _half_exp(x: Term) -> Term:
    """exp(x) / 2 for 0 <= x <= half_top."""
    r, shifted = reduce_exp(x)
    return scaled(_power_of_e(r), bits(shifted) - 1)


def _sinh(x: Term) -> Term:
    a = abs(x)
    half = _half_exp(a)
    z = x * x
    small = fma(polynomial(z, SINH[x.type]), x * z, x)
    large = choose(a <= FLOAT[x.type].half_top, half - 0.25 / half, a * math.inf)
    return choose(a < 1.0, small, with_sign(large, x))


def _cosh(x: Term) -> Term:
    a = abs(x)
    half = _half_exp(a)
    return choose(a <= FLOAT[x.type].half_top, half + 0.25 / half, a * math.inf)


def _tanh(x: Term) -> Term:
    a = abs(x)
    z = a * a
    small = fma(polynomial(z, TANH[x.type]), a * z, a)
    # minimum gives its second operand when that is NaN; a NaN then takes the side of the polynomial, which keeps it.
    half = _half_exp(minimum(FLOAT[x.type].tanh_one, a) * 2.0)
    large = 1.0 - 1.0 / (half + 0.5)
    return with_sign(choose(a >= 0.55, large, small), x)


ROWS = (
    Prim(
        "exp",
        "e to the x.",
        "F -> F",
        body=body(_exp),
        facts=increasing(np.exp, image=(0.0, math.inf)),
        ulp={"f32": 1.0, "f64": 1.0},
        interval=rising("exp", (0.0, math.inf)),
        zero_sign="kill",
        cost=14,
    ),
    Prim(
        "exp2",
        "Two to the x.",
        "F -> F",
        body=body(_exp2),
        facts=increasing(np.exp2, image=(0.0, math.inf)),
        ulp={"f32": 1.0, "f64": 1.0},
        interval=rising("exp2", (0.0, math.inf)),
        zero_sign="kill",
        cost=13,
    ),
    Prim(
        "expm1",
        "e to the x, less 1, precisely near 0.",
        "F -> F",
        body=body(_expm1),
        facts=increasing(np.expm1, image=(-1.0, math.inf), odd=True),
        ulp={"f32": 1.7, "f64": 1.8},
        interval=rising("expm1", (-1.0, math.inf)),
        zero_sign="pass",
        cost=20,
    ),
    Prim(
        "sinh",
        "The hyperbolic sine of x.",
        "F -> F",
        body=body(_sinh),
        facts=increasing(np.sinh, odd=True),
        ulp={"f32": 1.8, "f64": 1.8},
        interval=rising("sinh"),
        zero_sign="pass",
        cost=40,
    ),
    Prim(
        "cosh",
        "The hyperbolic cosine of x.",
        "F -> F",
        body=body(_cosh),
        facts=even(np.cosh, (1.0, math.inf)),
        ulp={"f32": 1.6, "f64": 1.6},
        interval=even_interval("cosh", (1.0, math.inf)),
        zero_sign="kill",
        cost=27,
    ),
    Prim(
        "tanh",
        "The hyperbolic tangent of x.",
        "F -> F",
        body=body(_tanh),
        facts=increasing(np.tanh, image=(-1.0, 1.0), odd=True),
        ulp={"f32": 1.7, "f64": 1.7},
        interval=rising("tanh", (-1.0, 1.0)),
        zero_sign="pass",
        cost=40,
    ),
)
