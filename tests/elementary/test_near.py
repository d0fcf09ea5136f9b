"""The relaxed rows: what they promise, and that they keep it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.elementary import reference as R

from pellucid.ir import types as T
from pellucid.ir.prims.circular import NEAR_REACH
from pellucid.ir.reduction import LIMIT

both = pytest.mark.parametrize("type_", T.FLOATS, ids=str)
COUNT = {T.f32: 200_000, T.f64: 20_000}


@both
@pytest.mark.parametrize(("name", "bound"), [("sin", 2.0), ("cos", 2.0), ("tan", 3.3)])
def test_as_good_as_the_full_functions_up_to_the_stated_angle(name, bound, type_):
    n, far = COUNT[type_], NEAR_REACH[type_]
    x = np.concatenate(
        [R.in_range(type_, -far, far, n, 30), R.in_range(type_, -30, 30, n, 31), R.spicy(type_)]
    )
    x = x[np.abs(x) <= far]
    if type_ is T.f64 and not R.EXTENDED:
        # No type is wider here: fewer numbers, in as many digits as it takes.
        x = x[::100]
        x = x[np.isfinite(x)]
        got = R.compute(f"{name}_near", x)
        error = [
            abs(R.many_digits(name, a) - float(g)) / np.spacing(abs(g)) for a, g in zip(x, got, strict=True)
        ]
        assert max(error) <= bound
        return
    assert np.max(R.ulps(R.compute(f"{name}_near", x), R.truth(name, x))) <= bound


@both
@pytest.mark.parametrize("name", ["sin", "cos"])
def test_the_same_bits_as_the_full_functions_up_to_their_common_path(name, type_):
    far = LIMIT[type_]
    x = R.in_range(type_, -far, far, COUNT[type_], 32)
    near, full = R.compute(f"{name}_near", x), R.compute(name, x)
    assert np.array_equal(near, full)


@both
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_beyond_it_the_error_is_that_of_a_small_change_of_the_angle(name, type_):
    # Up to where neighboring floats are half a radian apart: half a unit in the last place of the angle, at most.
    last = 2.0 ** (np.finfo(type_.dtype).nmant - 1)
    x = np.exp2(R.in_range(T.f64, np.log2(NEAR_REACH[type_]), np.log2(last), COUNT[type_], 33))
    x = x.astype(type_.dtype)
    y = R.compute(f"{name}_near", x).astype(np.float64)
    wide = x.astype(np.longdouble)
    angle = np.arctan2(np.sin(wide), np.cos(wide)).astype(np.float64)
    period = np.pi if name == "tan" else 2 * np.pi
    first = {"sin": np.arcsin, "cos": np.arccos, "tan": np.arctan}[name](y)
    second = {"sin": np.pi - first, "cos": -first, "tan": first}[name]
    change = np.minimum(*(np.abs((angle - k + period / 2) % period - period / 2) for k in (first, second)))
    assert np.max(change / np.spacing(x)) <= 0.5


@both
def test_any_finite_angle_gives_a_sine_and_a_cosine(type_):
    x = R.random_bits(type_, COUNT[type_], 34)
    x = x[np.isfinite(x)]
    for name in ("sin_near", "cos_near"):
        y = R.compute(name, x)
        assert np.all((y >= -1) & (y <= 1))
    assert np.isnan(R.compute("sin_near", np.array([np.nan], type_.dtype))[0])
    # Infinite angles count as the farthest.
    assert np.all(np.abs(R.compute("sin_near", np.array([np.inf, -np.inf], type_.dtype))) <= 1)


@both
def test_pow_near_errs_with_the_exponent_of_the_result(type_):
    n = COUNT[type_]
    x = np.exp2(R.in_range(T.f64, -60, 60, n, 35)).astype(type_.dtype)
    wanted = R.in_range(T.f64, -120, 120, n, 36)
    y = (wanted / np.log2(x.astype(np.float64))).astype(type_.dtype)
    keep = np.abs(x - 1) > 1e-3
    x, y, wanted = x[keep], y[keep], wanted[keep]
    error = R.ulps(R.compute("pow_near", x, y), R.truth("pow", x, y))
    assert np.all(error <= 2 + 1.5 * np.abs(wanted))
    curve = np.linspace(0, 1, 1001).astype(type_.dtype)
    for gamma in (2.2, 0.45, 2.4, 3.0):
        got = R.compute("pow_near", curve, np.full_like(curve, gamma))
        assert (
            np.max(np.abs(got.astype(np.float64) - curve.astype(np.float64) ** type_.dtype.type(gamma)))
            < 1e-5
        )
        assert got[0] < 1e-15


@both
def test_pow_near_is_total(type_):
    spicy = R.spicy(type_)
    x, y = (a.ravel() for a in np.meshgrid(spicy, spicy))
    got = R.compute("pow_near", x, y)
    assert np.all(np.isnan(got[np.isnan(x)]))
    assert np.all(np.isnan(got[np.isnan(y)]))
    defined = got[~np.isnan(x) & ~np.isnan(y)]
    assert np.all(np.isnan(defined) | ((defined > 0) & np.isfinite(defined)))
