"""Global moves refuse: one program for each clause of each theorem, and the words name what failed."""

import pytest

from pellucid.ir.parse import parse_nest
from pellucid.ir.path import walk
from pellucid.loops.core.registry import named
from pellucid.loops.core.theorem import Site
from pellucid.loops.moves.move_code import CODE_MOTION_OUT_OF_WHILE
from pellucid.reasoning.prove import Proved

HEAD = """kernel k(n: i32, s: i32):
  output a: i32[100]
  output b: i32[100]
  output t: i32[1]
  output h: i64[9]
  output f: f32[1]
  input c: f32[100]
"""
MOVES = ("join_loops", "split_loop", "interchange_loops", "move_code", "join_conditional")


def loop(*lines: str, head: str = "for i in 0 .. n:") -> str:
    return f"  {head}\n" + "".join(f"    {line}\n" for line in lines)


PLAIN = loop("a[i] := 1")
MOVING_BOUNDS = loop("for j in 0 .. t[0]:", "  t[0] := i")
CROSSING = loop("for j in 1 .. 9:", "  a[10 * i + j] := a[10 * i + j - 9]", head="for i in 1 .. 9:")
STORED_CONDITION = loop("if i < t[0]:", "  t[0] := i")
SQUARE = loop("if i * i < s:", "  a[i] := 1")
REFUSALS = [
    # move, statement counted from 1, clause, program
    ("join_loops", 1, "two-loops", loop("a[i] := 1") + "  t[0] := 1\n"),
    ("join_loops", 1, "two-loops", "  t[0] := 1\n" + loop("a[i] := 1")),
    ("join_loops", 1, "two-loops", loop("a[i] := 1", head="for i in 0 .. n by 4 lanes:") + loop("b[i] := 1")),
    ("join_loops", 1, "same-bounds", loop("a[i] := 1") + loop("b[i] := 1", head="for i in 0 .. s:")),
    (
        "join_loops",
        1,
        "bounds-kept",
        loop("t[0] := i", head="for i in 0 .. t[0]:") + loop("b[i] := 1", head="for i in 0 .. t[0]:"),
    ),
    (
        "join_loops",
        1,
        "index-free",
        loop("a[i] := 1") + loop("for i in 0 .. 3:", "  b[10 * j + i] := 1", head="for j in 0 .. n:"),
    ),
    # An iteration of the second loop reads what a later one of the first stores.
    (
        "join_loops",
        1,
        "iterations-interchangeable",
        loop("a[i] := 1", head="for i in 0 .. 50:") + loop("b[i] := a[i + 1]", head="for i in 0 .. 50:"),
    ),
    # The values agree at entry, but not in all states: the condition as printed would allow it.
    ("join_loops", 1, "iterations-interchangeable", loop("t[0] := t[0] + 1") + loop("a[i] := t[0]")),
    # Sums of floats are not the same in another order, nor are a sum and a product.
    ("split_loop", 3, "iterations-interchangeable", loop("f[0] := f[0] + c[i]", "f[0] := f[0] + c[i + 50]")),
    ("split_loop", 3, "iterations-interchangeable", loop("t[0] := t[0] + i", "t[0] := t[0] * 3")),
    # What is gathered is looked at on the way.
    (
        "split_loop",
        3,
        "iterations-interchangeable",
        loop("t[0] := t[0] + i", "if t[0] < 3:", "  t[0] := t[0] + 1"),
    ),
    ("split_loop", 2, "a-cut", loop("a[i] := 1", "b[i] := 1")),
    ("split_loop", 1, "a-cut", loop("a[i] := 1", "b[i] := 1")),
    ("split_loop", 3, "a-cut", loop("a[i] := 1", "b[i] := 1", head="for i in 0 .. n by 4 lanes:")),
    ("split_loop", 3, "bounds-kept", loop("t[0] := i", "b[i] := 1", head="for i in 0 .. t[0]:")),
    ("split_loop", 3, "iterations-interchangeable", loop("t[0] := i", "b[i] := t[0]")),
    (
        "split_loop",
        3,
        "iterations-interchangeable",
        loop("a[i + 1] := b[i]", "b[i + 1] := a[i]", head="for i in 0 .. 50:"),
    ),
    ("interchange_loops", 1, "nested", PLAIN),
    ("interchange_loops", 1, "nested", loop("for j in 0 .. n:", "  a[j] := i", "t[0] := 1")),
    (
        "interchange_loops",
        1,
        "nested",
        loop("for j in 0 .. 9 by 4 lanes:", "  a[10 * i + j] := i", head="for i in 0 .. 9:"),
    ),
    (
        "interchange_loops",
        1,
        "rectangular",
        loop("for j in 0 .. i * i:", "  a[50 * i + j] := i", head="for i in 0 .. 2:"),
    ),
    ("interchange_loops", 1, "bounds-kept", MOVING_BOUNDS),
    (
        "interchange_loops",
        1,
        "iterations-interchangeable",
        CROSSING,
    ),
    ("move_code", 1, "in-a-loop", "  t[0] := 1\n"),
    ("move_code", 2, "in-a-loop", loop("t[0] := 1", head="for i in 0 .. n by 4 lanes:")),
    ("move_code", 2, "index-absent", loop("t[0] := i", "a[i] := 1")),
    ("move_code", 2, "bounds-kept", loop("t[0] := 3", "a[i] := 1", head="for i in 0 .. t[0]:")),
    ("move_code", 2, "undisturbed", loop("t[0] := a[5]", "a[i] := 1")),
    ("move_code", 2, "undisturbed", loop("t[0] := 7", "a[i] := t[0]", "t[0] := i")),
    ("move_code", 3, "not-awaited", loop("a[i] := t[0]", "t[0] := 7")),
    ("move_code", 2, "idempotent", loop("t[0] := t[0] + 1", "a[i] := 1")),
    ("join_conditional", 1, "one-arm", PLAIN),
    ("join_conditional", 1, "one-arm", loop("if s < n:", "  a[i] := 1")),
    ("join_conditional", 1, "one-arm", loop("if i < s:", "  a[i] := 1", "t[0] := 1")),
    ("join_conditional", 1, "condition-kept", STORED_CONDITION),
    ("join_conditional", 1, "index-alone", SQUARE),
    ("join_conditional", 1, "index-alone", loop("if i + s < 3:", "  a[i] := 1")),
    ("join_conditional", 1, "index-alone", loop("if c[i] < 3.0:", "  a[i] := 1")),
    ("join_conditional", 1, "index-alone", loop("if convert.f32(i) * c[0] < 3.0:", "  a[i] := 1")),
]
OTHER_THEOREMS = [
    (
        "interchange_loops",
        "loops over a triangle change places",
        "bounds-by-steps",
        loop("for j in 0 .. 2 * i:", "  a[10 * i + j] := i", head="for i in 0 .. 5:"),
    ),
    ("interchange_loops", "loops over a triangle change places", "bounds-kept", MOVING_BOUNDS),
    (
        "interchange_loops",
        "loops over a triangle change places",
        "iterations-interchangeable",
        CROSSING,
    ),
    # Each row is one iteration, and all of them store to one element.
    (
        "interchange_loops",
        "loops over a triangle change places",
        "iterations-interchangeable",
        loop("for j in 1 - i .. 2 - i:", "  a[i + j] := j", head="for i in 2 .. n:"),
    ),
    ("interchange_loops", "loops over a triangle change places", "nested", PLAIN),
    ("join_conditional", "a monotone condition bounds a loop", "one-arm", PLAIN),
    ("join_conditional", "a monotone condition bounds a loop", "condition-kept", STORED_CONDITION),
    ("join_conditional", "a monotone condition bounds a loop", "one-run", SQUARE),
    # The test fails in one run of iterations and holds on both sides of it.
    ("join_conditional", "a monotone condition bounds a loop", "one-run", loop("if i != s:", "  a[i] := 1")),
    ("join_conditional", "a loop is cut where its condition changes", "a-conditional", PLAIN),
    (
        "join_conditional",
        "a loop is cut where its condition changes",
        "condition-kept",
        loop("if i < t[0]:", "  t[0] := i", "else:", "  a[i] := 1"),
    ),
    (
        "join_conditional",
        "a loop is cut where its condition changes",
        "bounds-kept",
        loop("if i < s:", "  t[0] := i", "else:", "  a[i] := 1", head="for i in 0 .. t[0]:"),
    ),
    (
        "join_conditional",
        "a loop is cut where its condition changes",
        "one-run",
        loop("if (i & 1) == 0:", "  a[i] := 1", "else:", "  b[i] := 1"),
    ),
]

WHILE = "while t[0] < n:"
OUT_OF_WHILE = [
    (2, "in-a-while", loop("t[0] := 1", "a[i] := 1")),
    (2, "condition-kept", loop("t[0] := 9", "a[3] := 1", head=WHILE)),
    (3, "undisturbed", loop("t[0] := t[0] + 1", "a[3] := t[0]", head=WHILE)),
    (3, "not-awaited", loop("b[0] := a[3]", "a[3] := 7", "t[0] := t[0] + 1", head=WHILE)),
    (2, "idempotent", loop("a[3] := a[3] + 1", "t[0] := t[0] + 1", head=WHILE)),
]


@pytest.mark.parametrize(("move", "number", "clause", "program"), REFUSALS)
def test_the_clause_that_fails_is_named(move, number, clause, program):
    kernel = parse_nest(HEAD + program)
    path = [p for p, _ in walk(kernel.body)][number - 1]
    verdict = named(move).check(kernel, path)
    assert not isinstance(verdict, Proved)
    assert verdict.clause == clause, verdict
    assert str(verdict).endswith(f"({clause})")
    assert named(move).check(kernel, ()).clause == named(move).theorems[0].shape.name


@pytest.mark.parametrize(("move", "theorem", "clause", "program"), OTHER_THEOREMS)
def test_every_theorem_names_the_clause_that_fails(move, theorem, clause, program):
    kernel = parse_nest(HEAD + program)
    (found,) = [t for t in named(move).theorems if t.name == theorem]
    verdict = found.prove(Site(kernel, ((0, 0),)))
    assert not isinstance(verdict, Proved)
    assert verdict.clause == clause, verdict


@pytest.mark.parametrize(("number", "clause", "program"), OUT_OF_WHILE)
def test_what_stays_in_a_loop_without_bounds_is_named(number, clause, program):
    kernel = parse_nest(HEAD + program)
    path = [p for p, _ in walk(kernel.body)][number - 1]
    verdict = CODE_MOTION_OUT_OF_WHILE.prove(Site(kernel, path))
    assert not isinstance(verdict, Proved)
    assert verdict.clause == clause, verdict


def test_every_clause_has_a_program_that_it_refuses():
    refused = {(named(m).theorems[0].name, clause) for m, _, clause, _ in REFUSALS}
    refused |= {(theorem, clause) for _, theorem, clause, _ in OTHER_THEOREMS}
    refused |= {(CODE_MOTION_OUT_OF_WHILE.name, clause) for _, clause, _ in OUT_OF_WHILE}
    clauses = {
        (t.name, c.name)
        for m in MOVES
        for t in named(m).theorems
        for c in (*t.clauses, t.shape)
        if c is not None
    }
    assert refused == clauses


def test_what_may_wrap_is_said():
    kernel = parse_nest(HEAD + loop("if c[i] < 3.0:", "  a[i] := 1"))
    verdict = named("join_conditional").check(kernel, ((0, 0),))
    assert "which direction" in str(verdict) or "cannot wrap" in str(verdict)
