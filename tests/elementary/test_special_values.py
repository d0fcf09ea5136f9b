"""Zeros and their signs, infinities, NaN and exact results of the elementary functions, as IEEE 754 and C have them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.elementary import reference as R

from pellucid.ir import types as T

both = pytest.mark.parametrize("type_", T.FLOATS, ids=str)

# "argument:result", with -0 for the negative zero.
UNARY = {
    "sin": "0:0 -0:-0 inf:nan -inf:nan nan:nan",
    "cos": "0:1 -0:1 inf:nan -inf:nan nan:nan",
    "tan": "0:0 -0:-0 inf:nan -inf:nan nan:nan",
    "sin_near": "0:0 -0:-0 nan:nan",
    "cos_near": "0:1 -0:1 nan:nan",
    "tan_near": "0:0 -0:-0 nan:nan",
    "sinpi": "0:0 -0:-0 1:0 -1:-0 2:0 -2:-0 0.5:1 -0.5:-1 1.5:-1 1e30:0 -1e30:-0 inf:nan nan:nan",
    "cospi": "0:1 -0:1 0.5:0 -0.5:0 1.5:0 2.5:0 1:-1 2:1 -3:-1 1e30:1 inf:nan nan:nan",
    "exp": "0:1 -0:1 inf:inf -inf:0 nan:nan 1e30:inf -1e30:0",
    "exp2": "0:1 -0:1 inf:inf -inf:0 nan:nan 1e30:inf -1e30:0 10:1024 -1:0.5",
    "expm1": "0:0 -0:-0 inf:inf -inf:-1 nan:nan 1e30:inf -1e30:-1",
    "sinh": "0:0 -0:-0 inf:inf -inf:-inf nan:nan 1e30:inf -1e30:-inf",
    "cosh": "0:1 -0:1 inf:inf -inf:inf nan:nan 1e30:inf -1e30:inf",
    "tanh": "0:0 -0:-0 inf:1 -inf:-1 nan:nan 50:1 -50:-1",
    "log": "0:-inf -0:-inf 1:0 inf:inf -inf:nan -1:nan nan:nan",
    "log2": "0:-inf -0:-inf 1:0 inf:inf -inf:nan -1:nan nan:nan 8:3 0.125:-3",
    "log10": "0:-inf -0:-inf 1:0 inf:inf -inf:nan -1:nan nan:nan 10:1 1000:3",
    "log1p": "0:0 -0:-0 -1:-inf inf:inf -inf:nan -2:nan nan:nan",
    "asin": "0:0 -0:-0 1:pi/2 -1:-pi/2 1.5:nan -inf:nan nan:nan",
    "acos": "1:0 -1:pi 0:pi/2 -0:pi/2 1.5:nan -1.5:nan inf:nan nan:nan",
    "atan": "0:0 -0:-0 inf:pi/2 -inf:-pi/2 1:pi/4 -1:-pi/4 nan:nan",
    "cbrt": "0:0 -0:-0 inf:inf -inf:-inf nan:nan 27:3 -8:-2 1:1 0.125:0.5",
}
BINARY = {
    "atan2": """
        0,0:0      -0,0:-0      0,-0:pi      -0,-0:-pi
        0,1:0      -0,1:-0      0,-1:pi      -0,-1:-pi
        1,0:pi/2   1,-0:pi/2    -1,0:-pi/2   -1,-0:-pi/2
        1,inf:0    -1,inf:-0    1,-inf:pi    -1,-inf:-pi
        0,inf:0    -0,inf:-0    0,-inf:pi    -0,-inf:-pi
        inf,1:pi/2 inf,-1:pi/2  -inf,1:-pi/2 -inf,-1:-pi/2
        inf,0:pi/2 inf,-0:pi/2  -inf,0:-pi/2 -inf,-0:-pi/2
        inf,inf:pi/4 -inf,inf:-pi/4 inf,-inf:3*pi/4 -inf,-inf:-3*pi/4
        1,1:pi/4   1,-1:3*pi/4  nan,1:nan  1,nan:nan  nan,inf:nan  inf,nan:nan  0,nan:nan  nan,0:nan
    """,
    "pow": """
        0,0:1 -0,0:1 0,-0:1 nan,0:1 inf,-0:1 1,nan:1 1,inf:1 1,-inf:1 -1,inf:1 -1,-inf:1
        nan,1:nan 2,nan:nan 0,nan:nan nan,inf:nan
        0,1:0 0,3:0 -0,1:-0 -0,3:-0 -0,2:0 -0,0.5:0 0,-1:inf -0,-1:-inf -0,-3:-inf -0,-2:inf -0,-0.5:inf
        0,inf:0 -0,inf:0 0,-inf:inf -0,-inf:inf 0.5,inf:0 0.5,-inf:inf -0.5,inf:0 -0.5,-inf:inf
        2,inf:inf -2,inf:inf 2,-inf:0 -2,-inf:0
        inf,2:inf inf,0.5:inf inf,-2:0 -inf,3:-inf -inf,2:inf -inf,0.5:inf -inf,-3:-0 -inf,-2:0 -inf,-0.5:0
        inf,inf:inf inf,-inf:0 -inf,inf:inf -inf,-inf:0
        -8,1/3:nan -2,0.5:nan -1,0.5:nan -2,3:-8 -2,2:4 -2,-1:-0.5 3,4:81 9,0.5:3 10,3:1000
        -1,1e30:1 -3,1e30:inf -0.5,1e30:0 2,1e30:inf 2,-1e30:0
    """,
    "hypot": """
        0,0:0 -0,-0:0 -0,0:0 3,4:5 -3,4:5 inf,nan:inf nan,-inf:inf -inf,1:inf 1,inf:inf nan,1:nan 1,nan:nan
        0,-7:7 3e30,4e30:5e30 3e-30,4e-30:5e-30
    """,
}


def number(text: str) -> float:
    return eval(
        text.replace("-0", "-0.0") if text == "-0" else text,
        {"inf": math.inf, "nan": math.nan, "pi": math.pi},
    )


def cases(text: str) -> list[tuple[list[float], float]]:
    pairs = (case.split(":") for case in text.split())
    return [([number(x) for x in left.split(",")], number(right)) for left, right in pairs]


def same(got: float, wanted: float, type_: T.Type) -> bool:
    expected = float(type_.dtype.type(wanted))
    if math.isnan(expected):
        return math.isnan(got)
    if math.isinf(expected) or expected == math.floor(expected):
        return got == expected and math.copysign(1, got) == math.copysign(1, expected)
    return abs(got - expected) <= 2 * float(np.spacing(type_.dtype.type(abs(expected))))


@both
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_special_values(name, type_):
    table = cases({**UNARY, **BINARY}[name])
    columns = zip(*(arguments for arguments, _ in table), strict=True)
    got = R.compute(name, *(np.array(column, type_.dtype) for column in columns))
    results = zip(table, map(float, got), strict=True)
    wrong = [(x, "not", wanted, "but", y) for (x, wanted), y in results if not same(y, wanted, type_)]
    assert not wrong


def test_the_measure_knows_zeros_and_nan():
    assert same(-0.0, number("-0"), T.f32)
    assert not same(0.0, number("-0"), T.f32)
    assert not same(0.0, math.nan, T.f32)
    assert not same(1.0000002, 1.0, T.f32)


@both
def test_powers_of_two_are_exact_both_ways(type_):
    info = np.finfo(type_.dtype)
    exponents = np.arange(info.minexp - info.nmant, info.maxexp)
    powers = np.ldexp(np.ones(len(exponents), type_.dtype), exponents)
    whole = exponents.astype(type_.dtype)
    assert np.array_equal(R.compute("exp2", whole), powers)
    assert np.array_equal(R.compute("log2", powers), whole)
    assert np.array_equal(R.compute("pow", np.full_like(whole, 2), whole), powers)


@both
def test_small_whole_results_are_exact(type_):
    n = np.arange(1, 200).astype(type_.dtype)
    assert np.array_equal(R.compute("cbrt", n * n * n), n)
    assert np.array_equal(R.compute("hypot", 3 * n, -4 * n), 5 * n)
    assert np.array_equal(R.compute("pow", n, np.full_like(n, 2)), n * n)
    assert np.array_equal(R.compute("pow", n, np.ones_like(n)), n)
    assert np.array_equal(R.compute("pow", n * n, np.full_like(n, 0.5)), n)
    tens = np.array([10.0**k for k in range(11)], type_.dtype)
    assert np.array_equal(R.compute("log10", tens), np.arange(11).astype(type_.dtype))


@both
@pytest.mark.parametrize(
    "name", ["sin", "tan", "sinpi", "sinh", "tanh", "expm1", "log1p", "asin", "atan", "cbrt"]
)
def test_small_arguments_keep_their_digits_and_their_sign(name, type_):
    info = np.finfo(type_.dtype)
    small = np.array(
        [float(info.smallest_subnormal) * 3, float(info.tiny), float(info.eps) / 100], type_.dtype
    )
    small = np.concatenate([small, -small])
    got = R.compute(name, small)
    if name == "cbrt":
        assert np.all(np.sign(got) == np.sign(small))
    elif name == "sinpi":
        assert np.all(R.ulps(got, R.truth(name, small)) <= 1.8)
    else:
        assert np.array_equal(got, small)


@both
@pytest.mark.parametrize(
    "name", ["sin", "tan", "sin_near", "tan_near", "sinpi", "sinh", "tanh", "asin", "atan", "cbrt"]
)
def test_odd_functions_are_odd_to_the_bit(name, type_):
    x = np.concatenate([R.random_bits(type_, 3000, 20), R.in_range(type_, -5, 5, 3000, 21)])
    a, b = R.compute(name, x), R.compute(name, -x)
    fine = ~np.isnan(a)
    assert np.array_equal(np.isnan(a), np.isnan(b))
    assert np.array_equal(a[fine], -b[fine])


@both
@pytest.mark.parametrize("name", ["cos", "cos_near", "cospi", "cosh"])
def test_even_functions_are_even_to_the_bit(name, type_):
    x = np.concatenate([R.random_bits(type_, 3000, 22), R.in_range(type_, -5, 5, 3000, 23)])
    assert np.array_equal(R.compute(name, x), R.compute(name, -x), equal_nan=True)


@both
def test_results_stay_within_their_bounds(type_):
    x = np.concatenate(
        [R.random_bits(type_, 1500, 24), R.in_range(type_, -20, 20, 20_000, 25), R.spicy(type_)]
    )
    finite = x[np.isfinite(x)]
    for name in ("sin", "cos", "sinpi", "cospi", "sin_near", "cos_near", "tanh"):
        assert np.all(np.abs(R.compute(name, finite)) <= 1), name
    assert np.all(R.compute("cosh", finite) >= 1)
    assert np.all(R.compute("exp", finite) >= 0)
    assert np.all(R.compute("expm1", finite) >= -1)
    half = type_.dtype.type(math.pi / 2)
    assert np.all(np.abs(R.compute("atan", finite)) <= half)
    turned = R.compute("atan2", finite, finite[::-1].copy())
    assert np.all(np.abs(turned) <= 2 * half)
