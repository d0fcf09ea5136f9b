"""Sums, maxima and minima of whole arrays are done in parts, where the order may not matter."""

from __future__ import annotations

import numpy as np
import pytest

from pellucid import algebra as alg
from pellucid.ir import types as T


def parted(program: alg.Program) -> bool:
    return any(s.move == "privatize" and s.applied for s in program.stages.ledger.steps)


@pytest.mark.parametrize("backend", ["llvm", "c"])
@pytest.mark.parametrize("kind", ["u8", "i16", "i64"])
@pytest.mark.parametrize(
    ("reduce", "numpy"), [(alg.sum, np.sum), (alg.max, np.max), (alg.min, np.min)], ids=["sum", "max", "min"]
)
def test_integers_in_any_numerics_and_any_number_of_threads(reduce, numpy, kind, backend):
    a = np.random.default_rng(3).integers(0, 120, (130, 141)).astype(T.BY_NAME[kind].dtype)
    program = alg.compile(reduce(alg.array("a", a.shape, kind)), numerics="exact", backend=backend)
    assert parted(program)
    for threads in (1, 2, 3):
        assert program(a=a, threads=threads) == numpy(a)


def test_floats_only_where_sums_may_be_reassociated():
    a = np.random.default_rng(3).random((130, 141), dtype=np.float32)
    total = alg.sum(alg.array("a", a.shape, "f32"))
    exact, relaxed = alg.compile(total, numerics="exact"), alg.compile(total)
    assert (parted(exact), parted(relaxed)) == (False, True)
    assert exact(a=a) == np.cumsum(a.ravel(), dtype=np.float32)[-1]
    assert abs(relaxed(a=a) - a.sum(dtype=np.float64)) <= 1e-6 * a.size
    assert relaxed(a=a, threads=1) == relaxed(a=a, threads=2)


def test_rows_that_do_not_meet_are_spread_as_they_are():
    a = np.random.default_rng(3).integers(0, 120, (200, 100)).astype(np.int64)
    for axis in (0, 1):
        program = alg.compile(alg.sum(alg.array("a", a.shape, "i64"), axis=axis), numerics="exact")
        assert np.array_equal(program(a=a), a.sum(axis=axis))
