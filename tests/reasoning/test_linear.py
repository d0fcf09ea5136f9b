"""Sums and slopes mean what the expression means."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.ir import expr as E
from pellucid.ir import interp
from pellucid.ir import types as T
from pellucid.ir.expr import Expr, substitute
from pellucid.ir.facts import Facts
from pellucid.ir.parse import parse_expr
from pellucid.loops.scripts.cycles import along
from pellucid.reasoning.infer import FactsOf
from pellucid.reasoning.linear import as_sum, exact_sum, index_is_whole, slope, wrapped

ROW, COLUMN = E.index("j"), E.index("i")


def program(rng: random.Random, type_: T.Type) -> Expr:
    """A random expression in two indices and two params, mostly linear."""
    pool = [E.param("a", type_), E.param("b", type_), E.const(3, type_), E.const(-2, type_)]
    pool += [n if n.type is type_ else E.apply("convert", n, attr=type_) for n in (ROW, COLUMN)]
    for _ in range(8):
        op = rng.choice(
            ["add", "sub", "neg", "add", "sub", "mul", *(["fma"] if type_.is_float else ["shift_left"])]
        )
        args = [rng.choice(pool) for _ in range({"neg": 1, "fma": 3}.get(op, 2))]
        if op == "shift_left":
            args[1] = E.const(rng.choice([0, 1, 5, 31, 40]), type_)
        pool.append(E.apply(op, *args))
    return pool[-1]


def steps(root: Expr, environment: dict[Expr, np.ndarray]) -> list[np.ndarray]:
    """What a value grows by from each column to the next, as it says and as it is."""
    step = slope(root, COLUMN)
    assert step is not None
    (after,) = substitute([root], {COLUMN: E.apply("add", COLUMN, E.const(1, T.i32))})
    values = interp.evaluate([step, E.apply("sub", after, root)], environment)
    return [np.broadcast_to(v, 50) for v in values]


@given(st.integers(0, 10**9))
def test_integers_grow_by_their_slope_as_they_wrap(seed: int):
    root = program(random.Random(seed), T.i32)
    if slope(root, COLUMN) is not None:
        leaves = (ROW, COLUMN, E.param("a", T.i32), E.param("b", T.i32))
        rng = np.random.default_rng(seed)
        assert np.array_equal(*steps(root, {n: rng.integers(-(2**31), 2**31, 50) for n in leaves}))


@given(st.integers(0, 10**9))
def test_floats_grow_by_their_slope_up_to_rounding(seed: int):
    root = program(random.Random(seed), T.f64)
    if slope(root, COLUMN) is not None:
        rng = np.random.default_rng(seed)
        environment = {leaf: rng.integers(-9, 9, 50) for leaf in (ROW, COLUMN)}
        environment |= {E.param(n, T.f64): rng.uniform(-2, 2, 50) for n in "ab"}
        assert np.allclose(*steps(root, environment), rtol=1e-9, atol=1e-6)


@given(st.integers(0, 10**9), st.sampled_from([T.i32, T.f64]))
def test_a_slope_does_not_depend_on_the_index(seed: int, type_: T.Type):
    step = slope(program(random.Random(seed), type_), COLUMN)
    assert step is None or not step.free & COLUMN.free


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%i * $w:i32 + %j", "$w:i32"),
        ("$z:f32 * (convert.f32(%i) + 0.5) + $p:f32", "$z:f32"),
        ("fma($z:f32, convert.f32(%j), convert.f32(%i))", "1.0"),
        ("%i << 2", "4"),
        ("$a:i32 - %i * $b:i32", "$b:i32 * (-1)"),
        ("$a:i32 * %j", "0"),
    ],
)
def test_slopes(text: str, expected: str):
    (root,) = parse_expr(text)
    assert repr(slope(root, COLUMN)) == expected


@pytest.mark.parametrize(
    "text", ["%i * %i", "%i & 3", "floor(convert.f32(%i))", "convert.f32(%i * 2)", "%i * (%i + 1)"]
)
def test_what_does_not_grow_evenly(text: str):
    (root,) = parse_expr(text)
    assert slope(root, COLUMN) is None


def told(root: Expr, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The values of a number, and of the sum that it is taken apart into, as they wrap."""
    found = as_sum(root, stop=lambda n: False, whole=index_is_whole)
    leaves = (ROW, COLUMN, E.param("a", T.i32), E.param("b", T.i32))
    rng = np.random.default_rng(seed)
    environment = {n: rng.integers(-(2**31), 2**31, 50) for n in leaves}
    value, *parts = interp.evaluate([root, *(n for n, _ in found.terms)], environment)
    total = np.full(50, found.constant)
    for (_, count), part in zip(found.terms, parts, strict=True):
        total = total + np.int64(count) * part
    return np.broadcast_to(value, 50), total.astype(np.int32)


@given(st.integers(0, 10**9))
def test_a_sum_is_the_number_modulo_the_width(seed: int):
    assert np.array_equal(*told(program(random.Random(seed), T.i32), seed))


def test_what_is_added_to_itself_again_and_again_is_taken_apart_so_far():
    node = COLUMN
    for _ in range(30):
        node = E.apply("add", node, E.apply("add", node, ROW))
    assert np.array_equal(*told(node, 1))


def test_an_exact_sum_is_an_expression_of_its_value_and_does_not_wrap():
    (root,) = parse_expr("(%i + 3) * 4 - %j")
    small = FactsOf({COLUMN: Facts(0, 9), ROW: Facts(0, 9)})
    found = exact_sum(root, small)
    assert found is not None
    assert repr(found.node(T.i32)) == "%j * (-1) + (%i * 4 + 12)"
    assert found.range(small) == (3, 48)
    assert exact_sum(root, FactsOf({COLUMN: Facts(0, 1 << 30), ROW: Facts(0, 9)})) is None


def test_multiples_are_of_least_magnitude():
    found = [wrapped(k, 8) for k in range(-300, 300)]
    assert all((k - n) % 256 == 0 and -128 < n <= 128 for k, n in zip(range(-300, 300), found, strict=True))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("%i * 3 - 5", (3, -5)), ("7 - (%i << 1)", (-2, 7)), ("%i - %i", None), ("%i + $n:i32", None)],
)
def test_a_sum_along_an_index_is_its_multiple_and_a_constant(text: str, expected: tuple[int, int] | None):
    assert along(parse_expr(text)[0], COLUMN) == expected
