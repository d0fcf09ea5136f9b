"""Affine forms mean what the expression means."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.ir import expr as E
from pellucid.ir import interp
from pellucid.ir import types as T
from pellucid.ir.expr import Expr
from pellucid.ir.parse import parse_expr
from pellucid.reasoning.affine import Affine, affine

ROW, COLUMN = E.index("j"), E.index("i")


def rebuilt(form: Affine) -> Expr:
    total = form.rest
    for index, coefficient in form.coefficients.items():
        value = index if index.type is total.type else E.apply("convert", index, attr=total.type)
        total = E.apply("add", total, E.apply("mul", coefficient, value))
    return total


def program(rng: random.Random, type_: T.Type) -> Expr:
    """A random expression in two indices and two params, mostly affine."""
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


@given(st.integers(0, 10**9))
def test_integers_keep_every_bit(seed: int):
    root = program(random.Random(seed), T.i32)
    form = affine(root, [ROW, COLUMN])
    if form is None:
        return
    rng = np.random.default_rng(seed)
    env = {
        leaf: rng.integers(-(2**31), 2**31, 50)
        for leaf in (ROW, COLUMN, E.param("a", T.i32), E.param("b", T.i32))
    }
    expected, found = interp.evaluate([root, rebuilt(form)], env)
    assert np.array_equal(np.broadcast_to(expected, 50), np.broadcast_to(found, 50))


@given(st.integers(0, 10**9))
def test_floats_up_to_rounding(seed: int):
    root = program(random.Random(seed), T.f64)
    form = affine(root, [ROW, COLUMN])
    if form is None:
        return
    rng = np.random.default_rng(seed)
    env = {leaf: rng.integers(-9, 9, 50) for leaf in (ROW, COLUMN)}
    env |= {E.param(n, T.f64): rng.uniform(-2, 2, 50) for n in "ab"}
    expected, found = interp.evaluate([root, rebuilt(form)], env)
    assert np.allclose(expected, found, rtol=1e-9, atol=1e-6)


@given(st.integers(0, 10**9), st.sampled_from([T.i32, T.f64]))
def test_coefficients_and_rest_are_uniform(seed: int, type_: T.Type):
    form = affine(program(random.Random(seed), type_), [COLUMN])
    if form is not None:
        assert not any(part.free & COLUMN.free for part in (form.rest, *form.coefficients.values()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%j * $w:i32 + %i", "($w:i32) * j + (1) * i + 0"),
        ("$z:f32 * (convert.f32(%i) + 0.5) + $p:f32", "($z:f32) * i + 0.5 * $z:f32 + $p:f32"),
        ("fma($z:f32, convert.f32(%i), convert.f32(%j))", "($z:f32) * i + (1.0) * j + 0.0"),
        ("%i << 2", "(4) * i + 0"),
        ("$a:i32 * $b:i32", "$a:i32 * $b:i32"),
    ],
)
def test_forms(text: str, expected: str):
    (root,) = parse_expr(text)
    assert str(affine(root, [ROW, COLUMN])) == expected


@pytest.mark.parametrize(
    "text", ["%i * %j", "%i & 3", "floor(convert.f32(%i))", "convert.f32(%i * 2)", "%i * (%i + 1)"]
)
def test_what_is_not_affine(text: str):
    (root,) = parse_expr(text)
    assert affine(root, [ROW, COLUMN]) is None
