"""Pointwise operations, reductions, tables and coordinates against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid import algebra as alg

SHAPES = ((1,), (1, 1), (3, 50), (6, 5, 3))


def both(e: alg.Array, **given_: object) -> list[np.ndarray]:
    return [alg.compile(e, optimize=False)(**given_), alg.compile(e)(**given_)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_arithmetic_on_integers_wraps(shape: tuple[int, ...]):
    rng = np.random.default_rng(1)
    a, b = (rng.integers(0, 256, shape, dtype=np.uint8) for _ in range(2))
    x, y = alg.array("a", shape, "u8"), alg.array("b", shape, "u8")
    cases = (
        (x + y, a + b),
        (x - y, a - b),
        (x * y, a * b),
        (x & y, a & b),
        (x | y, a | b),
        (x ^ y, a ^ b),
        (~x, ~a),
        (7 - x, np.uint8(7) - a),
        (alg.minimum(x, y), np.minimum(a, b)),
        (alg.maximum(x, 9), np.maximum(a, 9)),
        (x // 7, a // 7),
        (x % 7, a % 7),
        (abs(x), a),
        (x < y, a < b),
        (x <= 7, a <= 7),
        (x > y, a > b),
        (x >= y, a >= b),
        (x == y, a == b),
        (x != 3, a != 3),
        ((x < 9) & ~(y == 3), (a < 9) & ~(b == 3)),
        (x.astype("f32"), a.astype(np.float32)),
        (x.astype("i8"), a.astype(np.int8)),
        (alg.chi(x < y), (a < b).astype(np.uint8)),
        (alg.where(x < y, x, 0), np.where(a < b, a, np.uint8(0))),
    )
    for e, wanted in cases:
        values = {n: v for n, v in (("a", a), ("b", b)) if n in alg.compile(e).inputs}
        for found in both(e, **values):
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_arithmetic_on_floats(type_: str):
    rng = np.random.default_rng(1)
    dtype = np.float32 if type_ == "f32" else np.float64
    a, b = (rng.normal(size=(4, 33)).astype(dtype) for _ in range(2))
    x, y = alg.array("a", (4, 33), type_), alg.array("b", (4, 33), type_)
    for e, wanted in (
        (x / y, a / b),
        (-x, -a),
        (abs(x), np.abs(a)),
        (1 / y, 1 / b),
        (alg.pointwise("sqrt", abs(x)), np.sqrt(np.abs(a))),
        (alg.pointwise("floor", x + y * 0), np.floor(a)),
        ((x * 100).astype("i32"), (a * 100).astype(np.int32)),
    ):
        values = {n: v for n, v in (("a", a), ("b", b)) if n in alg.compile(e).inputs}
        found = alg.compile(e, numerics="exact")(**values)
        np.testing.assert_array_equal(found, wanted)


def test_elementary_functions_are_rows_like_others():
    a = np.linspace(0.1, 3, 40)
    e = alg.pointwise("exp", alg.pointwise("sin", alg.array("a", 40, "f64")))
    np.testing.assert_allclose(alg.run(e, a=a), np.exp(np.sin(a)), rtol=1e-13)


def test_a_scalar_changes_without_compiling():
    program = alg.compile(alg.array("a", 5) * alg.scalar("s") + alg.scalar("t"))
    a = np.arange(5, dtype=np.float32)
    np.testing.assert_array_equal(program(a=a, s=2, t=1), 2 * a + 1)
    np.testing.assert_array_equal(program(a=a, s=-1, t=0.5), 0.5 - a)


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1, (0, 1), (0, 2), (0, 1, 2)])
@pytest.mark.parametrize("type_", ["u8", "i16", "f64"])
def test_reductions(type_: str, axis: int | tuple[int, ...] | None):
    rng = np.random.default_rng(1)
    a = rng.integers(0, 100, (4, 5, 6)).astype(alg.array("a", 1, type_).type.dtype)
    x = alg.array("a", a.shape, type_)
    for found in both(alg.sum(x, axis), a=a):
        np.testing.assert_array_equal(found, a.sum(axis=axis, dtype=found.dtype))
    for found in both(alg.max(x, axis), a=a):
        np.testing.assert_array_equal(found, a.max(axis=axis))
    for found in both(alg.min(x, axis), a=a):
        np.testing.assert_array_equal(found, a.min(axis=axis))


def test_the_type_of_a_sum():
    a = np.full((3, 100), 200, np.uint8)
    x = alg.array("a", a.shape, "u8")
    assert alg.run(alg.sum(x), a=a) == 60000
    assert alg.run(alg.sum(x, type="u8"), a=a) == 60000 % 256
    assert alg.run(alg.sum(x, type="f32"), a=a).dtype == np.float32


def test_least_and_greatest_of_nothing_but_infinities():
    a = np.full((2, 3), -np.inf, np.float32)
    assert alg.run(alg.max(alg.array("a", (2, 3))), a=a) == -np.inf
    assert alg.run(alg.min(alg.array("a", (2, 3))), a=a) == -np.inf


def test_a_reduction_goes_on_as_a_scalar():
    a = np.random.default_rng(1).normal(size=(5, 40))
    x = alg.array("a", a.shape, "f64")
    e = (x - alg.min(x)) / (alg.max(x) - alg.min(x))
    for found in both(e, a=a):
        np.testing.assert_allclose(found, (a - a.min()) / (a.max() - a.min()), rtol=1e-14)


def test_coordinates_are_values():
    x = alg.array("a", (4, 7), "f32")
    y, z = alg.coordinate(x, 0), alg.coordinate(x, 1)
    rows, columns = np.mgrid[0:4, 0:7]
    for found in both(y * 10 + z):
        np.testing.assert_array_equal(found, rows * 10 + columns)
    moved = alg.coordinate(alg.translate(x, (5, -2)), 1)
    for found in both(moved):
        np.testing.assert_array_equal(found, columns - 2)


def test_translation_and_restriction_meet():
    a = np.arange(48, dtype=np.int32).reshape(6, 8)
    x = alg.array("a", a.shape, "i32")
    # The difference of every element and its right neighbor, on the points where both are.
    e = alg.restrict(x, (0, 0), (6, 7)) - alg.restrict(alg.translate(x, (0, -1)), (0, 0), (6, 7))
    for found in both(e, a=a):
        np.testing.assert_array_equal(found, a[:, :-1] - a[:, 1:])


def test_tables_of_scalars_and_of_rows():
    a = np.arange(12, dtype=np.int32).reshape(3, 4)
    x, i = alg.array("a", a.shape, "i32"), alg.index("i", 5)
    g, h = alg.array("g", 5, "i64"), alg.array("h", (5, 3, 4), "i32")
    g[i] = alg.sum(x * i)
    h[i] = x + i
    program = alg.compile({"g": g, "h": h})
    for found in (program(a=a), alg.compile({"g": g, "h": h}, optimize=False)(a=a)):
        np.testing.assert_array_equal(found["g"], a.sum() * np.arange(5))
        np.testing.assert_array_equal(found["h"], a + np.arange(5).reshape(5, 1, 1))


def test_tables_in_tables():
    x, i, j = alg.array("a", (4, 5), "i32"), alg.index("i", 3), alg.index("j", 2)
    inner, outer = alg.array("inner", 2, "i64"), alg.array("outer", (3, 2), "i64")
    inner[j] = alg.sum(alg.chi((x * j) == i))
    outer[i] = inner
    a = np.random.default_rng(1).integers(0, 4, (4, 5)).astype(np.int32)
    wanted = [[np.sum(a * j == i) for j in range(2)] for i in range(3)]
    for found in both(outer, a=a):
        np.testing.assert_array_equal(found, wanted)


def test_a_definition_by_cases_leaves_earlier_uses_alone():
    h, i = alg.array("h", 3, "i32"), alg.index("i", 3)
    before = h + 1
    h[i] = i * 10
    given_ = np.array([1, 2, 3], np.int32)
    np.testing.assert_array_equal(alg.run(before, h=given_), given_ + 1)
    np.testing.assert_array_equal(alg.run(h), [0, 10, 20])


def test_several_outputs_share_what_they_have_in_common():
    a = np.random.default_rng(1).normal(size=(9, 40)).astype(np.float32)
    x = alg.array("a", a.shape)
    blurred = alg.convolve(x, np.ones((3, 3)) / 9)
    found = alg.compile({"low": blurred, "high": x - blurred})(a=a)
    np.testing.assert_allclose(found["low"] + found["high"], a, atol=1e-6)


def test_an_output_may_be_an_input_or_be_named_twice():
    a = np.arange(6, dtype=np.float32)
    x = alg.array("a", 6)
    twice = x + x
    found = alg.compile({"same": x, "one": twice, "two": twice})(a=a)
    np.testing.assert_array_equal(found["same"], a)
    np.testing.assert_array_equal(found["one"], 2 * a)
    np.testing.assert_array_equal(found["two"], 2 * a)


def test_arrays_of_any_layout_come_in_and_results_go_where_they_are_wanted():
    a = np.arange(48, dtype=np.float32).reshape(6, 8)
    program = alg.compile(alg.array("a", (8, 6)) + 1)
    out = np.empty((8, 6), np.float32)
    assert program(a=a.T, out=out) is out
    np.testing.assert_array_equal(out, a.T + 1)


# ---- whole programs ----


@st.composite
def programs(draw: st.DrawFn) -> tuple[alg.Array, np.ndarray, dict[str, np.ndarray]]:
    """A program, what NumPy makes of it, and its inputs: integers, so that nothing is rounded."""
    shape = draw(st.sampled_from([(1, 1), (1, 70), (6, 9), (5, 40)]))
    rng = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    given_ = {n: rng.integers(-9, 9, shape).astype(np.int32) for n in "ab"}
    pool = [(alg.array(n, shape, "i32"), v) for n, v in given_.items()]
    for _ in range(draw(st.integers(1, 8))):
        (e, v), (f, w) = (pool[draw(st.integers(0, len(pool) - 1))] for _ in range(2))
        pool.append(
            draw(
                st.sampled_from(
                    [
                        lambda e=e, v=v, f=f, w=w: (e + f, v + w),
                        lambda e=e, v=v, f=f, w=w: (e - f * 3, v - w * 3),
                        lambda e=e, v=v, f=f, w=w: (alg.maximum(e, f), np.maximum(v, w)),
                        lambda e=e, v=v, f=f, w=w: (alg.where(e < f, e, 7), np.where(v < w, v, np.int32(7))),
                        lambda e=e, v=v: (
                            alg.convolve(e, [[1, 2, 1], [2, 4, 2], [1, 2, 1]], "clamp"),
                            framed(v, lambda p: np.outer([1, 2, 1], [1, 2, 1]).ravel() @ p),
                        ),
                        lambda e=e, v=v: (alg.erode(e, 3), framed(v, lambda p: p.min(axis=0))),
                        lambda e=e, v=v: (alg.shift(e, (0, 1), "wrap"), np.roll(v, 1, axis=1)),
                        lambda e=e, v=v: (e - alg.max(e), v - v.max()),
                    ]
                )
            )()
        )
    return (*pool[-1], given_)


def framed(v: np.ndarray, combine) -> np.ndarray:
    """What a function makes of the nine neighbors of every element, in one row each."""
    p = np.pad(v, 1, mode="edge")
    h, w = v.shape
    parts = np.stack([p[i : i + h, j : j + w].ravel() for i in range(3) for j in range(3)])
    return combine(parts).reshape(v.shape).astype(v.dtype)


@given(programs())
def test_any_program_is_what_numpy_makes_of_it(case: tuple[alg.Array, np.ndarray, dict[str, np.ndarray]]):
    e, wanted, values = case
    for optimize in (False, True):
        program = alg.compile(e, optimize=optimize)
        found = program(**{n: v for n, v in values.items() if n in program.inputs})
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("backend", ["numpy", "c"])
def test_other_back_ends_reduce_and_tabulate_too(backend: str):
    a = np.random.default_rng(1).integers(0, 9, (6, 30)).astype(np.uint8)
    x, h, i = alg.array("a", a.shape, "u8"), alg.array("h", 9, "i64"), alg.index("i", 9)
    h[i] = alg.sum(alg.chi(x == i))
    for optimize in (False, True):
        program = alg.compile({"rows": alg.sum(x, 1), "h": h}, backend=backend, optimize=optimize)
        found = program(a=a)
        np.testing.assert_array_equal(found["rows"], a.sum(axis=1, dtype=np.int64))
        np.testing.assert_array_equal(found["h"], np.bincount(a.ravel(), minlength=9))
