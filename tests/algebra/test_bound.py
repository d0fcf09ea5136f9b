"""A program bound to its arrays computes with what is in them when it is called, and holds them."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from pellucid import algebra as alg
from pellucid.base.errors import InputError

BACKENDS = ["auto", "numpy", "llvm", "c"]


def numbers(count: int = 6) -> np.ndarray:
    return np.arange(count, dtype=np.float32)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_call_sees_what_has_changed(backend):
    a = numbers()
    program = alg.compile(2 * alg.array("a", 6) + alg.scalar("k"), backend=backend)
    bound = program.bind(a=a, k=1.0)
    first = bound()
    np.testing.assert_array_equal(first, program(a=a, k=1.0))
    a[::2] = -7
    assert bound() is first
    np.testing.assert_array_equal(first, program(a=a, k=1.0))


@pytest.mark.parametrize("threads", [None, 1, 2])
@pytest.mark.parametrize("shape", [(3, 4), (480, 640)])
def test_loops_that_are_handed_out_and_memory_between(shape, threads):
    """A histogram has scratch memory, and is counted by several threads where it is large."""
    h, i = alg.array("h", 256, "i64"), alg.index("i", 256)
    a = alg.array("a", shape, "u8")
    h[i] = alg.sum(alg.chi(a == i))
    levels = np.random.default_rng(3).integers(0, 256, shape, np.uint8)
    bound = alg.compile(h).bind(a=levels, threads=threads)
    for _ in range(3):
        np.testing.assert_array_equal(bound(), np.bincount(levels.ravel(), minlength=256))
        levels += 1


def test_results_are_stored_in_arrays_that_are_given():
    a, out = numbers(), {"double": np.zeros(6, np.float32), "less": np.zeros(6, np.float32)}
    x = alg.array("a", 6)
    bound = alg.compile({"double": 2 * x, "less": x - 1}).bind(a=a, out=out)
    found = bound()
    assert found["double"] is out["double"]
    assert found["less"] is out["less"]
    np.testing.assert_array_equal(out["double"], 2 * a)
    np.testing.assert_array_equal(out["less"], a - 1)


def test_arrays_are_held_as_long_as_they_are_bound():
    a = numbers()
    held = weakref.ref(a)
    bound = alg.compile(alg.array("a", 6) + 1).bind(a=a)
    del a
    gc.collect()
    assert held() is not None
    np.testing.assert_array_equal(bound(), numbers() + 1)
    del bound
    gc.collect()
    assert held() is None


def test_threads_may_call_it_at_once():
    from concurrent.futures import ThreadPoolExecutor

    levels = np.random.default_rng(4).integers(0, 256, (64, 64), np.uint8)
    h, i = alg.array("h", 256, "i64"), alg.index("i", 256)
    h[i] = alg.sum(alg.chi(alg.array("a", levels.shape, "u8") == i))
    program = alg.compile(h)
    own = [program.bind(a=levels) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda bound: [bound().copy() for _ in range(50)], own))
    expected = np.bincount(levels.ravel(), minlength=256)
    assert all(np.array_equal(one, expected) for each in found for one in each)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "'a' is missing"),
        ({"b": numbers()}, "takes no 'b'"),
        ({"a": numbers(5)}, "give f32 and shape"),
        ({"a": [1, 2, 3, 4, 5, 6]}, "is no NumPy array"),
        ({"a": numbers(12)[::2]}, "program, a: would be a copy, without later changes; give a contiguous"),
    ],
)
def test_what_cannot_be_bound_is_refused(given, message):
    program = alg.compile(alg.array("a", 6) + 1)
    with pytest.raises(InputError, match=message):
        program.bind(**given)


def test_an_output_is_no_input():
    a = numbers()
    with pytest.raises(InputError, match="shares memory"):
        alg.compile(alg.array("a", 6) + 1).bind(a=a, out=a)
