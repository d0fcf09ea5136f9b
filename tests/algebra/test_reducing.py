"""Parts of reductions: joined in any order they are the same, and a sum of floats is the exact one, rounded once."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from pellucid.algebra.reducing import ReductionKind, finished, joined, part_of
from pellucid.ir import types as T

F32, F64 = (ReductionKind("sum", type, (0,)) for type in (T.f32, T.f64))


def total(how: ReductionKind, parts: list[Any]) -> np.ndarray:
    return finished(how, joined(how, [part_of(how, np.asarray(p, how.type.dtype)) for p in parts]))


@pytest.mark.parametrize("how", [F32, F64], ids=["f32", "f64"])
@pytest.mark.parametrize("spread", [0, 5, 30])
def test_a_sum_of_floats_is_exact_in_any_order_and_any_parts(how: ReductionKind, spread: int):
    draw = np.random.default_rng(spread)
    numbers = (draw.normal(size=2000) * 10.0 ** draw.integers(-spread, spread + 1, 2000)).astype(
        how.type.dtype
    )
    wanted = np.asarray(math.fsum(numbers.tolist())).astype(how.type.dtype)
    for cuts in ([], [1000], [1, 7, 1999]):
        assert total(how, np.split(numbers, cuts)) == wanted
        assert total(how, np.split(draw.permutation(numbers), cuts)) == wanted


def test_what_cancels_is_kept():
    assert total(F64, [[1e300, 1.0], [-1e300], [1e-300]]) == 1.0
    assert total(F64, [[5e-324] * 3]) == 1.5e-323
    assert total(F32, [[-0.0]]) == 0.0
    assert total(F64, [[1.7e308, 1.7e308], [-1.7e308]]) == 1.7e308
    assert total(F64, [[1.7e308, 1.7e308]]) == math.inf


@pytest.mark.parametrize("order", [*itertools.permutations([math.inf, -math.inf, 1.0])])
def test_infinities_and_nan_count_in_any_order(order: tuple[float, ...]):
    assert np.isnan(total(F32, [[x] for x in order]))
    assert total(F32, [[x] for x in order if x != -math.inf]) == math.inf
    assert np.isnan(total(F32, [[x] for x in (*order[:2], math.nan)]))


@pytest.mark.parametrize("kind", ["sum", "max", "min"])
@pytest.mark.parametrize("type", [T.f32, T.f64, T.i64], ids=str)
@pytest.mark.parametrize("over", [(0,), (1,), (0, 2), (0, 1, 2)])
def test_axes_that_remain_are_reduced_by_themselves(kind: str, type: T.Type, over: tuple[int, ...]):
    how = ReductionKind(kind, type, over)
    numbers = np.random.default_rng(3).integers(-99, 99, (4, 5, 3)).astype(type.dtype)
    found = finished(how, joined(how, [part_of(how, numbers), part_of(how, numbers + 1)]))
    one, other = (getattr(np, kind)(n, axis=over) for n in (numbers, numbers + 1))
    wanted = {"sum": one + other, "max": other, "min": one}[kind]
    assert found.shape == wanted.shape
    np.testing.assert_array_equal(found, wanted)


def test_zeros_of_both_signs_and_nan_do_not_hang_on_their_order():
    how = ReductionKind("max", T.f32, (0,))
    for zeros in ([0.0, -0.0], [-0.0, 0.0], [-0.0, -0.0]):
        assert not np.signbit(total(how, [zeros]))
        assert not np.signbit(total(how, [[z] for z in zeros]))
    assert np.isnan(total(how, [[1.0], [math.nan, 2.0]]))
