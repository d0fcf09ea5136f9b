"""Every elementary function keeps the error that its row states, over the whole range of its arguments."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from tests.elementary import reference as R

from pellucid.ir import types as T
from pellucid.ir.prim import row, table

STATED = sorted(name for name, prim in table().items() if prim.ulp)
UNARY = [name for name in STATED if row(name).arity == 1]
BINARY = [name for name in STATED if row(name).arity == 2]
COUNT = {T.f32: 60_000, T.f64: 12_000}
RANGES = {
    "sin": (-40, 40),
    "cos": (-40, 40),
    "tan": (-40, 40),
    "sinpi": (-8, 8),
    "cospi": (-8, 8),
    "exp": (-110, 90),
    "exp2": (-155, 130),
    "expm1": (-3, 3),
    "sinh": (-3, 3),
    "cosh": (-4, 4),
    "tanh": (-4, 4),
    "log": (0.2, 4),
    "log2": (0.2, 4),
    "log10": (0.2, 20),
    "log1p": (-0.9, 3),
    "asin": (-1, 1),
    "acos": (-1, 1),
    "atan": (-3, 3),
    "cbrt": (-9, 9),
}
needs_extended = pytest.mark.skipif(
    not R.EXTENDED, reason="no type wider than double here; mpmath tests remain"
)


def check(name: str, *arguments: np.ndarray) -> None:
    type_ = T.BY_DTYPE[arguments[0].dtype]
    got, true = R.compute(name, *arguments), R.truth(name, *arguments)
    error = R.ulps(got, true)
    worst = int(np.argmax(error))
    place = ", ".join(repr(float(a[worst])) for a in arguments)
    assert error[worst] <= row(name).ulp[type_.name], (
        f"{name}({place}) in {type_}: got {float(got[worst])!r}, not {float(true[worst])!r}: {error[worst]:.3f} ulp"
    )


def test_every_row_that_states_an_error_is_measured_here():
    assert set(STATED) == set(R.NUMPY) == set(R.DIGITS) == set(RANGES) | set(BINARY)
    assert all(set(row(name).ulp) == {"f32", "f64"} for name in STATED)


def test_no_stated_error_is_above_two_units():
    assert all(bound <= 2.0 for name in STATED for bound in row(name).ulp.values())


def types() -> list:
    return [pytest.param(T.f32, id="f32"), pytest.param(T.f64, id="f64", marks=needs_extended)]


@pytest.mark.parametrize("type_", types())
@pytest.mark.parametrize("name", UNARY)
def test_spicy_and_random_arguments(name, type_):
    low, high = RANGES[name]
    n = COUNT[type_]
    ends = R.with_neighbors(np.array([low, high], type_.dtype))
    samples = [R.spicy(type_), R.random_bits(type_, n, 1), R.in_range(type_, low, high, n, 2), ends]
    check(name, np.concatenate(samples))


@pytest.mark.parametrize("type_", types())
@pytest.mark.parametrize("name", ["exp", "exp2", "expm1", "sinh", "cosh"])
def test_where_results_overflow_or_become_subnormal(name, type_):
    info = np.finfo(type_.dtype)
    base = 2.0 if name == "exp2" else np.e
    wanted = [info.max, info.max / 2, info.max * 0.999, info.tiny, info.tiny * 2, info.smallest_subnormal]
    places = np.array([np.log(np.longdouble(v)) / np.log(np.longdouble(base)) for v in wanted], type_.dtype)
    near = np.concatenate([R.with_neighbors(places, 12), places + type_.dtype.type(0.7)])
    many = np.concatenate([near + type_.dtype.type(d) for d in np.linspace(-2, 2, 41)])
    check(name, np.concatenate([near, many, -near, -many]))


@pytest.mark.parametrize("type_", types())
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_around_multiples_of_a_quarter_turn(name, type_):
    quarters = np.concatenate([np.arange(0, 3000), 2 ** np.arange(10, 40), 3 * 2 ** np.arange(10, 40)])
    places = (quarters * (np.pi / 2)).astype(type_.dtype)
    halves = ((quarters + 0.5) * (np.pi / 2)).astype(type_.dtype)
    check(name, R.with_neighbors(np.concatenate([places, -places, halves])))


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_angles_that_come_nearest_to_a_quarter_turn(name):
    # The double that is nearest of all to a multiple of pi/2 (Kahan), and others far out.
    doubles = np.array(
        [6381956970095103.0 * 2.0**797, float.fromhex("0x1.6ac5b262ca1ffp+849"), 2.2e22, 1.5e300]
    )
    for x in np.concatenate([doubles, -doubles]):
        got, true = R.compute(name, np.array([x])), R.many_digits(name, x)
        assert abs(mpmath.mpf(float(got[0])) - true) <= row(name).ulp["f64"] * spacing(true, T.f64), x
    check(name, np.array([16367173.0 * 2.0**72, 5.1e14, 1e30, 3e38]).astype(np.float32))


def spacing(value, type_: T.Type):
    info = np.finfo(type_.dtype)
    exponent = max(int(mpmath.frexp(value)[1]), info.minexp + 1)
    return mpmath.ldexp(1, exponent - info.nmant - 1)


@pytest.mark.parametrize("type_", [T.f32, T.f64], ids=str)
@pytest.mark.parametrize("name", UNARY)
def test_against_many_digits(name, type_):
    low, high = RANGES[name]
    numbers = np.concatenate([R.in_range(type_, low, high, 60, 3), R.random_bits(type_, 60, 4)])
    numbers = numbers[np.isfinite(numbers)]
    if name.startswith("log"):
        numbers = np.abs(numbers)
    if name in ("asin", "acos"):
        numbers = numbers[np.abs(numbers) <= 1]
    got = R.compute(name, numbers)
    for x, y in zip(numbers, got, strict=True):
        if abs(float(y)) == np.inf or (
            abs(float(x)) > 1e4 and name in ("exp", "exp2", "expm1", "sinh", "cosh")
        ):
            continue
        true = R.many_digits(name, float(x))
        error = abs(mpmath.mpf(float(y)) - true) / spacing(true, type_)
        assert error <= row(name).ulp[type_.name], (name, float(x), float(y), float(error))


@pytest.mark.parametrize("type_", types())
@pytest.mark.parametrize("name", BINARY)
def test_pairs_of_arguments(name, type_):
    n = COUNT[type_]
    spicy = R.spicy(type_)
    square = [a.ravel() for a in np.meshgrid(spicy, spicy)]
    check(name, *square)
    check(name, R.random_bits(type_, n, 5), R.random_bits(type_, n, 6))
    x, y = R.in_range(type_, -6, 6, n, 7), R.in_range(type_, -6, 6, n, 8)
    check(name, x, y)
    check(name, np.abs(x), y)
    # Near the diagonals, where quotients are near 1 and lengths are long.
    check(name, x, (x * (1 + y / 50)).astype(type_.dtype))


@pytest.mark.parametrize("type_", types())
def test_powers_all_over_the_range_of_results(type_):
    n = COUNT[type_]
    info = np.finfo(type_.dtype)
    result = np.random.default_rng(9).uniform(info.minexp - info.nmant - 3, info.maxexp + 3, n)
    for base in (R.in_range(type_, 0.5, 2, n, 10), np.abs(R.random_bits(type_, n, 11)),
                 1 + (R.in_range(type_, -1, 1, n, 12) * R.in_range(type_, 0, 1, n, 13) ** 8) / 2):  # fmt: skip
        x = np.where(np.isfinite(base) & (base != 1) & (base > 0), base, 3).astype(type_.dtype)
        check("pow", x, (result / np.log2(x.astype(np.float64))).astype(type_.dtype))


def test_measure_of_ulp_can_fail():
    exact = np.array([1.0])
    assert R.ulps(np.nextafter(np.float32([1]), np.float32(2)), exact)[0] == 1
    assert R.ulps(np.float32([np.nan]), exact)[0] == np.inf
    assert R.ulps(np.float32([-0.0]), np.array([0.0]))[0] == np.inf
    assert R.ulps(np.float32([np.inf]), np.array([1e38]))[0] == np.inf
    assert R.ulps(np.float32([1.0]), np.array([np.nan]))[0] == np.inf
    assert R.ulps(np.float32([np.inf]), np.array([1e39]))[0] == 0
