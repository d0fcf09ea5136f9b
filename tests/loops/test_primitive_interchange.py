"""Statement interchange: its three cases, each clause by which it refuses, and that it preserves meaning."""

import random

import pytest
from hypothesis import given
from tests.loops.nests import BUFFERS, Maker, agree, everywhere, makers, nests, program
from tests.loops.primitive import made, refused

from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.loops.core.registry import named

ACCEPTED = [
    ("  x[0] := 7\n", "  a[1] := n\n"),
    ("  a[1] := a[2] + 1\n", "  a[0] := a[2]\n"),
    ("  x[0] := x[0] * 2\n", "  x[0] := x[0] * 2\n"),
    ("  x[0] := x[0] + n\n", "  x[0] := x[0] - a[1]\n"),
    ("  x[0] := x[0] * n\n", "  x[0] := x[0] * 3\n"),
    ("  x[0] := max(x[0], n)\n", "  x[0] := max(a[1], x[0])\n"),
    ("  h[n] := h[n] + 1:u8\n", "  h[n] := h[n] + 250:u8\n"),
    ("  for i in 0 .. n:\n    a[i] := i\n", "  for j in 0 .. n:\n    a[j + n] := j\n"),
    ("  if n < 3:\n    x[0] := n\n", "  a[m] := m\n"),
]


@pytest.mark.parametrize(("first", "second"), ACCEPTED)
def test_interchange(first, second):
    assert made("interchange", first + second) == second + first


REFUSED = [
    ("  x[0] := 7\n", "  a[1] := x[0]\n", "first-sets-apart-from-second-uses"),
    ("  a[1] := x[0]\n", "  x[0] := 7\n", "second-sets-apart-from-first-uses"),
    ("  x[0] := 1\n", "  x[0] := 2\n", "sets-apart"),
    ("  a[n] := 1\n", "  a[m] := 2\n", "sets-apart"),
    ("  f[0] := f[0] + 1.0\n", "  f[0] := f[0] + 2.5\n", "first-sets-apart-from-second-uses"),
    ("  for i in 0 .. n:\n    a[i] := i\n", "  a[0] := 3\n", "sets-apart"),
    ("  for i in 0 .. n:\n    a[i + 6] := i\n", "  a[0] := a[7]\n", "first-sets-apart-from-second-uses"),
]


@pytest.mark.parametrize(("first", "second", "clause"), REFUSED)
def test_interchange_refuses(first, second, clause):
    assert refused("interchange", first + second).clause == clause


def test_the_last_statement_has_nothing_to_change_places_with():
    assert refused("interchange", "  x[0] := 7\n").clause == "two-statements"


def theorem(name: str):
    return next(t for t in named("interchange").theorems if t.name == name)


@pytest.mark.parametrize(
    ("name", "text", "clause"),
    [
        ("White 4.1.1a", "  x[0] := 1\n  x[0] := 2\n", "equal-statements"),
        ("White 4.1.3", "  a[a[0]] := a[a[0]] + 1\n  a[a[0]] := a[a[0]] + 2\n", "not-self-referencing"),
        ("White 4.1.3", "  a[n] := a[n] + a[m]\n  a[n] := a[n] + 1\n", "no-other-reads"),
        ("White 4.1.3", "  x[0] := x[0] + 1\n  x[0] := x[0] * 2\n", "functions-commute"),
        ("White 4.1.3", "  x[0] := x[0] - n\n  x[0] := n - x[0]\n", "functions-commute"),
        ("White 4.1.3", "  x[0] := 1\n  a[0] := 1\n", "two-updates"),
    ],
)
def test_each_case_refuses(name, text, clause):
    from tests.loops.nests import RANGES
    from tests.loops.primitive import nest

    from pellucid.loops.core.theorem import Site

    verdict = theorem(name).prove(Site(nest(text), ((0, 0),), RANGES))
    assert verdict.clause == clause, verdict


@given(nests())
def test_interchange_preserves(kernel):
    for after in everywhere(named("interchange"), kernel):
        agree(kernel, after)


@given(makers())
def test_updates_of_one_variable_preserve(maker: Maker):
    where = E.const(0, T.i32)
    old = E.load(BUFFERS[0], where)
    stores = [
        N.Store(BUFFERS[0], where, E.apply(maker.rng.choice(("add", "sub", "mul", "max")), *parts))
        for parts in ([old, maker.leaf(())], [maker.leaf(()), old])
    ]
    maker.rng.shuffle(stores)
    kernel = program(*stores)
    for after in everywhere(named("interchange"), kernel):
        agree(kernel, after)


def test_interchange_is_found_often():
    kernels = [Maker(random.Random(seed)).kernel() for seed in range(20)]
    assert sum(1 for k in kernels for _ in everywhere(named("interchange"), k)) > 10
