"""Truths and regions: the same meaning, the steady tests first, and work in proportion to the size."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.ir import expr as E
from pellucid.ir import interp
from pellucid.ir import types as T
from pellucid.ir.expr import Expr, apply
from pellucid.ir.facts import Facts
from pellucid.ir.parse import parse_expr
from pellucid.ir.text import print_expr
from pellucid.rewriting.regions import regions
from pellucid.rewriting.truths import truths

X, Y, A = E.param("x", T.f32), E.param("y", T.f32), E.param("a", T.f32)
ROW, COLUMN = E.index("j"), E.index("i")
ORDER = (ROW.free, COLUMN.free, E.index("t").free)
TAME = (0.0, -0.0, 0.5, -0.5, 1.0, -2.0, 1e-40, 3.0, 100.0)
SPICE = (*TAME, 3e38, -3e38, float("inf"), float("-inf"), float("nan"))
ANYTHING = {p: Facts(float("-inf"), float("inf"), nan=True, minus_zero=True) for p in (X, Y, A)}


def shape(draw: random.Random, size: int) -> Expr:
    """A truth made of comparisons of minima, maxima and negations of cheap and dear values, with parts in common."""
    i, j = (apply("convert", n, attr=T.f32) for n in (COLUMN, ROW))
    values: list[Expr] = [X, Y, A, i, j, apply("sub", i, X), apply("sub", j, Y)]
    values.append(apply("sqrt", apply("abs", apply("mul", values[5], values[6]))))
    truths: list[Expr] = []
    for _ in range(size):
        op = draw.choice(["min", "max", "min", "max", "neg", "lt", "le", "and", "or", "or", "not"])
        if op == "neg":
            values.append(apply("neg", draw.choice(values)))
        elif op in ("min", "max"):
            values.append(apply(op, draw.choice(values), draw.choice(values[-4:])))
        elif op in ("lt", "le") or not truths:
            bound = E.const(draw.choice([0.0, -0.0, 0.25, -3.0]), T.f32) if draw.random() < 0.7 else A
            sides = [draw.choice(values[-5:]), bound]
            draw.shuffle(sides)
            truths.append(apply("le" if op == "le" else "lt", *sides))
        elif op == "not":
            truths.append(apply("not", draw.choice(truths)))
        else:
            truths.append(apply(op, draw.choice(truths), draw.choice(truths[-4:])))
    return apply("choose", truths[-1], draw.choice(values), Y)


@given(st.integers(0, 10**9), st.sampled_from(["exact", "relaxed"]))
def test_a_truth_stays_what_it_is(seed: int, numerics: str):
    draw = random.Random(seed)
    old = shape(draw, draw.randint(3, 40))
    [new] = regions(truths([old], numerics=numerics, ranges=ANYTHING), ORDER)
    # Relaxed leaves NaN aside, which infinities and overflow lead to.
    few = np.array(SPICE if numerics == "exact" else TAME, np.float32)
    x, y, a = np.meshgrid(few, few, few, indexing="ij")
    given_ = {X: x, Y: y, A: a, COLUMN: np.full(x.shape, 3, np.int32), ROW: np.full(x.shape, -1, np.int32)}
    with np.errstate(all="ignore"):
        before, after = interp.evaluate([old, new], given_)
    assert (before.view(np.uint32) == after.view(np.uint32)).all(), f"{old!r}\n became\n{new!r}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("max($x:f32, $y:f32) < 0.5", "$x:f32 < 0.5 & $y:f32 < 0.5"),
        ("0.5 < max($x:f32, $y:f32)", "0.5 < $x:f32 | 0.5 < $y:f32"),
        ("0.5 <= min($x:f32, $y:f32)", "0.5 <= $x:f32 & 0.5 <= $y:f32"),
        ("neg(min($x:f32, $y:f32)) < 0.5", "(-0.5) < $x:f32 & (-0.5) < $y:f32"),
        ("min($x:f32, $y:f32) < 0.5 & min($x:f32, $y:f32) < $a:f32", None),
    ],
)
def test_minima_are_taken_apart(before: str, after: str | None):
    [new] = truths(parse_expr(before))
    if after is not None:
        assert print_expr(new) == after
    assert "min" not in print_expr(new)


def test_a_minimum_that_serves_for_more_stays():
    old = parse_expr("choose(min($x:f32, $y:f32) < 0.5, min($x:f32, $y:f32), 0.0)")
    assert truths(old) == old


def test_exact_asks_for_numbers():
    old = parse_expr("min($x:f32 * $y:f32 - $x:f32 * $x:f32, $a:f32) < 0.5")
    assert truths(old, numerics="exact") == old, "a difference of infinities may be no number"
    [new] = truths(old, numerics="relaxed")
    assert new.op == "or"
    few = dict.fromkeys((X, Y, A), Facts(-1.0, 1.0))
    assert truths(old, numerics="exact", ranges=few) == [new]


def test_what_changes_least_often_is_tested_first():
    i, j = (apply("convert", n, attr=T.f32) for n in (COLUMN, ROW))
    dear = [
        apply("lt", apply("sqrt", apply("add", i, apply("mul", j, E.const(k, T.f32)))), X) for k in (2, 3)
    ]
    row, column = apply("lt", j, Y), apply("lt", i, A)
    old = apply("and", apply("and", apply("and", apply("or", *dear), column), dear[0]), row)
    [new] = regions([old], order=ORDER)
    assert new.op == "choose"
    assert new.args[0] is row
    tests: list[Expr] = []
    while new.op == "choose":
        assert new.args[2] is E.FALSE
        tests.append(new.args[0])
        new = new.args[1]
    assert tests[1] is column
    assert tests[2] is dear[0]


def test_parts_of_a_union_share_the_test_that_they_have_in_common():
    i, j = (apply("convert", n, attr=T.f32) for n in (COLUMN, ROW))
    row = apply("lt", j, Y)
    parts = [
        apply("lt", apply("sqrt", apply("add", i, apply("mul", j, E.const(k, T.f32)))), X)
        for k in range(2, 6)
    ]
    old = apply("and", row, parts[0])
    for part in parts[1:]:
        old = apply("or", old, apply("and", part, row))
    [new] = regions([old], order=ORDER)
    assert (new.op, new.args[0]) == ("choose", row)
    assert row not in E.topological([new.args[1]])


def test_it_takes_time_in_proportion_and_any_depth():
    counts: list[int] = []
    for size in (500, 1000, 4000):
        value = X
        for k in range(size):
            value = apply("max" if k % 2 else "min", value, apply("sub", Y, E.const(float(k), T.f32)))
        [new] = regions(truths([apply("lt", value, A)]), ORDER)
        counts.append(len(E.topological([new])))
    assert counts[2] < 4.2 * counts[1] < 8.5 * counts[0]


def test_what_was_proved_of_a_value_is_known_of_the_one_in_its_place():
    i, j = (apply("convert", n, attr=T.f32) for n in (COLUMN, ROW))
    dear = apply("lt", apply("pow", i, X), Y)
    test = apply("and", dear, apply("lt", j, Y))
    old = apply("choose", test, X, apply("neg", X))
    proved: dict[Expr, Facts] = {}
    [new] = regions([old], ORDER, ranges={old: Facts(0.0, 1.0), X: Facts(-1.0, 1.0)}, proved=proved)
    assert new is not old
    assert proved == {new: Facts(0.0, 1.0)}
