"""The moves on conditionals: goldens, each clause by which they refuse, and that they preserve meaning."""

import random

import pytest
from hypothesis import given
from tests.loops.nests import Maker, X, agree, everywhere, makers, nests, program
from tests.loops.primitive import made, refused

from pellucid.ir import nest as N
from pellucid.loops.core.registry import named

WHOLE = """\
  if x[0] < n:
    a[0] := 1
    b[0] := 3
  else:
    a[0] := 1
    b[0] := 2
"""
ACCEPTED = [
    (
        "absorb_before",
        "  a[0] := 1\n  if x[0] < n:\n    b[0] := 3\n  else:\n    b[0] := 2\n",
        WHOLE,
    ),
    ("absorb_before", "  a[0] := 1\n  if a[1] < n:\n    x[0] := 3\n", None),
    (
        "absorb_after",
        "  if x[0] < n:\n    x[0] := 3\n  a[0] := x[0]\n",
        "  if x[0] < n:\n    x[0] := 3\n    a[0] := x[0]\n  else:\n    a[0] := x[0]\n",
    ),
    (
        "absorb_with_substitution",
        "  x[0] := a[0] + 1\n  if x[0] < n:\n    b[0] := x[0]\n",
        "  if a[0] + 1 < n:\n    x[0] := a[0] + 1\n    b[0] := x[0]\n  else:\n    x[0] := a[0] + 1\n",
    ),
    (
        "absorb_with_substitution",
        "  a[n] := 3\n  if a[n] < a[n + 1]:\n    b[0] := 1\n",
        "  if 3 < a[n + 1]:\n    a[n] := 3\n    b[0] := 1\n  else:\n    a[n] := 3\n",
    ),
    ("extract_before", WHOLE, "  a[0] := 1\n  if x[0] < n:\n    b[0] := 3\n  else:\n    b[0] := 2\n"),
    (
        "extract_after",
        "  if x[0] < n:\n    x[0] := 3\n    a[0] := x[0]\n  else:\n    a[0] := x[0]\n",
        "  if x[0] < n:\n    x[0] := 3\n  a[0] := x[0]\n",
    ),
    (
        "split_if",
        "  if x[0] < n:\n    a[0] := 3\n  else:\n    x[0] := 2\n",
        "  if x[0] < n:\n    a[0] := 3\n  if not(x[0] < n):\n    x[0] := 2\n",
    ),
    ("simplify_if", "  if 0 <= n:\n    x[0] := 1\n  else:\n    x[0] := 2\n", "  x[0] := 1\n"),
    ("simplify_if", "  if n < 0:\n    x[0] := 1\n", ""),
    ("simplify_if", "  if x[0] < n:\n    x[0] := x[0]\n  else:\n    a[n] := a[n]\n", ""),
    ("simplify_if", "  if x[0] < n:\n    x[0] := 3\n  else:\n    x[0] := 3\n", "  x[0] := 3\n"),
]


@pytest.mark.parametrize(("move", "before", "after"), ACCEPTED)
def test_golden(move, before, after):
    found = made(move, before)
    if after is not None:
        assert found == after.replace("  s1 := x[0] < n\n", "")


def test_the_other_arm_first():
    before = "  if x[0] < n:\n    x[0] := 3\n  else:\n    a[0] := 2\n"
    after = "  if not(x[0] < n):\n    a[0] := 2\n  if x[0] < n:\n    x[0] := 3\n"
    assert made("split_if", before, first="else") == after


def test_a_condition_is_known_from_the_loops_around():
    before = "  for i in 0 .. n:\n    for j in 0 .. i:\n      if j < i:\n        a[j] := i\n"
    after = "  for i in 0 .. n:\n    for j in 0 .. i:\n      a[j] := i\n"
    assert made("simplify_if", before, ((0, 0), (0, 0), (0, 0))) == after


REFUSED = [
    ("absorb_before", "  x[0] := 1\n  if x[0] < n:\n    b[0] := 3\n", "condition-kept"),
    ("absorb_before", "  x[0] := 1\n  b[0] := 3\n", "a-statement-and-an-if"),
    ("absorb_after", "  if x[0] < n:\n    b[0] := 3\n", "an-if-and-a-statement"),
    ("absorb_after", "  b[0] := 3\n  b[0] := 3\n", "an-if-and-a-statement"),
    ("absorb_with_substitution", "  x[0] := 2\n  if x[n] < x[0]:\n    b[0] := 3\n", "other-loads-apart"),
    ("absorb_with_substitution", "  a[n] := 2\n  if a[m] < a[n]:\n    b[0] := 3\n", "other-loads-apart"),
    ("absorb_with_substitution", "  a[m] := 2\n  if a[m] < n:\n    b[0] := 3\n", "inside"),
    ("absorb_with_substitution", "  x[0] := 2\n  b[0] := 3\n", "a-scalar-and-an-if"),
    (
        "extract_before",
        "  if x[0] < n:\n    x[0] := 1\n    a[0] := 2\n  else:\n    x[0] := 1\n",
        "condition-kept",
    ),
    ("extract_before", "  if x[0] < n:\n    x[0] := 1\n  else:\n    x[0] := 2\n", "arms-begin-alike"),
    ("extract_before", "  if x[0] < n:\n    x[0] := 1\n", "arms-begin-alike"),
    ("extract_after", "  if x[0] < n:\n    x[0] := 1\n  else:\n    x[0] := 2\n", "arms-end-alike"),
    ("split_if", "  if x[0] < n:\n    x[0] := 1\n  else:\n    a[0] := 2\n", "condition-kept"),
    ("split_if", "  if x[0] < n:\n    x[0] := 1\n", "an-if-with-two-arms"),
    ("simplify_if", "  if x[0] < n:\n    x[0] := 1\n", "condition-known"),
    ("simplify_if", "  x[0] := 1\n", "an-if"),
]


@pytest.mark.parametrize(("move", "before", "clause"), REFUSED)
def test_refusal(move, before, clause):
    assert refused(move, before).clause == clause


@pytest.mark.parametrize(
    ("name", "clause"),
    [("White 4.2.5, nullable arms", "arms-nullable"), ("White 4.2.5, equal arms", "equal-arms")],
)
def test_the_other_cases_of_simplification_refuse(name, clause):
    from tests.loops.primitive import nest

    from pellucid.loops.core.theorem import Site

    theorem = next(t for t in named("simplify_if").theorems if t.name == name)
    verdict = theorem.prove(Site(nest("  if x[0] < n:\n    x[0] := 1\n"), ((0, 0),)))
    assert verdict.clause == clause


def test_the_else_arm_first_refuses():
    verdict = refused("split_if", "  if x[0] < n:\n    a[0] := 1\n  else:\n    x[0] := 2\n", first="else")
    assert verdict.clause == "condition-kept"


# ---- preserved ----


def around_if(maker: Maker) -> N.Kernel:
    """A statement, an `if`, a statement."""
    first = maker.store()
    if maker.rng.random() < 0.3:
        first = N.Store(X, maker.position(X, ()), maker.value(X.type, ()))
    return program(first, maker.branch((), 2), maker.store())


def alike(maker: Maker) -> N.Kernel:
    """An `if` whose arms begin or end alike, or are the same."""
    s = maker.statement((), 2)
    then, orelse = maker.block((), 1), maker.block((), 1)
    condition = maker.truth(())
    arms = maker.rng.choice(
        [((s, *then), (s, *orelse)), ((*then, s), (*orelse, s)), ((s,), (s,)), (then, orelse)]
    )
    return program(maker.store(), N.If(condition, *arms), maker.store())


SHAPED = [
    ("absorb_before", around_if),
    ("absorb_after", around_if),
    ("absorb_with_substitution", around_if),
    ("extract_before", alike),
    ("extract_after", alike),
    ("split_if", alike),
    ("simplify_if", alike),
]


@pytest.mark.parametrize(("move", "shape"), SHAPED)
def test_preserves(move, shape):
    @given(makers())
    def look(maker):
        kernel = shape(maker)
        for options in ({}, {"first": "else"}) if move == "split_if" else ({},):
            for after in everywhere(named(move), kernel, **options):
                agree(kernel, after)

    look()


@pytest.mark.parametrize(("move", "shape"), SHAPED)
def test_it_is_likely_there(move, shape):
    kernels = [shape(Maker(random.Random(seed))) for seed in range(40)]
    assert sum(1 for k in kernels for _ in everywhere(named(move), k)) > 5


@given(nests())
def test_preserve_in_any_nest(kernel):
    for move, _ in SHAPED:
        for after in everywhere(named(move), kernel):
            agree(kernel, after)
