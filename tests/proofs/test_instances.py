"""The proved moves on instances, by a solver: right for all contents of memory, and wrong without each clause.

Each valid program has bounds that are not known, two or three iterations, and right-hand sides that are any functions
of what they load. Each broken one is a program that kills a mutation of a clause: the solver finds a memory by itself.
"""

from __future__ import annotations

import pytest
import z3
from tests.proofs.symbolic import differ
from tools import mutations as killers
from tools.mutations import CHANGES, FOLDER, NAMED
from tools.ties import CATALOGUE, read

from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.ir.facts import Facts
from pellucid.ir.parse import parse_nest
from pellucid.ir.path import walk
from pellucid.loops.analysis.overtaken import overtaken
from pellucid.loops.core.registry import named, theorems
from pellucid.reasoning.prove import Proved

LEMMAS = read(CATALOGUE.read_text(encoding="utf-8"))
HEAD = """kernel k(n: i32, m: i32):
  output a: i32[60]
  output b: i32[60]
  output x: i32[1]
  output y: i32[1]
"""
RANGES = {E.param("n", T.i32): Facts(0, 3), E.param("m", T.i32): Facts(0, 3)}
TILES = "nested loops may go over blocks"
"""Four loops within each other are too many to write out."""
NUMBERS = "a value that one number decides can be computed before it is known"
"""A table has more elements than loops have iterations here, and a solver does not know the range of a sample."""
LAST, FIRST, MOST = {}, {"end": "first"}, 3

VALID = [
    # move, the theorem that licenses it, statement counted from 1, options, program
    ("interchange", "White 4.1.1a", 1, {}, "  x[0] := x[0] * n\n  x[0] := x[0] * n\n"),
    ("interchange", "White 4.1.2", 1, {}, "  x[0] := y[0] * n\n  a[n] := b[m] * y[0]\n"),
    ("interchange", "White 4.1.2", 1, {}, "  a[2 * n] := x[0] * n\n  a[2 * m + 1] := y[0] * m\n"),
    ("interchange", "White 4.1.2", 1, {}, "  for i in 0 .. n:\n    a[i] := b[i] * i\n  a[n + 1] := x[0]\n"),
    ("interchange", "White 4.1.3", 1, {}, "  x[0] := x[0] + n * m\n  x[0] := x[0] - b[m]\n"),
    ("interchange", "White 4.1.3", 1, {}, "  a[n] := a[n] + b[n]\n  a[n] := a[n] + 1\n"),
    ("interchange_with_substitution", "White 4.1.4", 1, {}, "  x[0] := y[0] * n\n  a[n] := x[0] * m\n"),
    (
        "interchange_with_substitution",
        "White 4.1.4",
        1,
        {},
        "  x[0] := x[0] * n\n  for i in 0 .. m:\n    a[i] := x[0] * i\n",
    ),
    ("interchange_with_back_substitution", "White 4.1.5", 1, {}, "  x[0] := x[0] + n * m\n  a[n] := x[0]\n"),
    ("interchange_with_back_substitution", "White 4.1.5", 1, {}, "  y[0] := x[0] * n\n  a[n] := x[0]\n"),
    (
        "interchange_with_back_substitution",
        "White 4.1.5 for statements",
        1,
        {},
        "  for i in 0 .. n:\n    if b[i] < m:\n      x[0] := x[0] * b[i]\n  a[n] := x[0]\n",
    ),
    ("compress", "White 4.1.6a", 1, {}, "  a[n] := b[n] * m\n  a[n] := y[0] * m\n"),
    ("compress", "White 4.1.6b", 1, {}, "  a[n] := a[n]\n  x[0] := a[m]\n"),
    ("absorb_before", "White 4.2.1, before", 1, {}, "  a[n] := b[n] * m\n  if x[0] < n:\n    a[m] := 1\n"),
    ("absorb_after", "White 4.2.1, after", 1, {}, "  if x[0] < n:\n    x[0] := a[n]\n  x[0] := x[0] * n\n"),
    (
        "absorb_with_substitution",
        "White 4.2.2",
        1,
        {},
        "  x[0] := x[0] * n\n  if x[0] < b[m]:\n    a[n] := x[0]\n",
    ),
    ("split_if", "White 4.2.3", 1, {}, "  if x[0] < n:\n    a[n] := x[0] * m\n  else:\n    x[0] := 3\n"),
    (
        "split_if",
        "White 4.2.4",
        1,
        {"first": "else"},
        "  if x[0] < n:\n    x[0] := 3\n  else:\n    a[n] := x[0] * m\n",
    ),
    ("simplify_if", "White 4.2.5, known condition", 1, {}, "  if 0 <= n:\n    a[n] := 3\n"),
    ("simplify_if", "White 4.2.5, nullable arms", 1, {}, "  if x[0] < n:\n    a[n] := a[n]\n"),
    (
        "simplify_if",
        "White 4.2.5, equal arms",
        1,
        {},
        "  if x[0] < n:\n    a[n] := m * n\n  else:\n    a[n] := m * n\n",
    ),
    (
        "compute_at",
        "a value may be computed at the iteration that wants it",
        1,
        {},
        (
            "  alloc t: i32[6]:\n    for i in 0 .. 3:\n      t[i * 2 + 0] := b[i] * n\n      t[i * 2 + 1] := b[i + 1]\n"
            "    for i in 0 .. 3:\n      a[i] := t[i * 2 + 1] * t[i * 2 + 0]\n"
        ),
    ),
    ("eliminate_loop", "White 4.3.1", 1, {}, "  for i in n .. 0:\n    a[i] := 3\n"),
    ("unroll", "White 4.3.2", 1, LAST, "  for i in 0 .. n + 1:\n    x[0] := x[0] * a[i]\n"),
    (
        "unroll",
        "White 4.3.2 for the first iteration",
        1,
        FIRST,
        "  for i in 0 .. n + 1:\n    x[0] := x[0] * a[i]\n",
    ),
    (
        "unroll",
        "White 4.3.2 under a test",
        1,
        {"tested": True},
        "  for i in m .. n:\n    x[0] := x[0] * a[i]\n",
    ),
    ("unroll_all", "White 4.3.2, repeated", 1, {}, "  for i in 0 .. 3:\n    x[0] := x[0] * a[i + n]\n"),
    (
        "eliminate_loop",
        "White 4.3.1 for one iteration",
        1,
        {},
        "  for i in n .. n + 1:\n    a[i] := x[0] * i\n",
    ),
    (
        "join_loops",
        "White 5.1.1",
        1,
        {},
        "  for i in m .. n:\n    a[i] := x[0] * i\n  for j in m .. n:\n    b[j] := a[j] * y[0]\n",
    ),
    (
        "split_loop",
        "White 5.1.1, read backwards",
        3,
        {},
        "  for i in m .. n:\n    a[i] := x[0] * i\n    b[i] := a[i] * y[0]\n",
    ),
    (
        "interchange_loops",
        "White 5.2.2",
        1,
        {},
        "  for i in 0 .. n:\n    for j in 0 .. 3:\n      a[3 * i + j] := b[3 * i + j] * x[0]\n",
    ),
    (
        "move_code",
        "White 5.3.1",
        3,
        {},
        "  for i in m .. n:\n    b[i] := b[i] * i\n    x[0] := y[0] * n\n    a[i] := x[0] * i\n",
    ),
    (
        "join_conditional",
        "White 5.4.1",
        1,
        {},
        "  for i in 0 .. 3:\n    if i < n:\n      a[i] := x[0] * i\n",
    ),
    (
        "join_conditional",
        "White 5.4.1",
        1,
        {},
        "  for i in 0 .. 3:\n    if i == n:\n      x[0] := x[0] * a[i]\n",
    ),
    (
        "join_conditional",
        "a loop is cut where its condition changes",
        1,
        {},
        "  for i in 0 .. 3:\n    if i < n:\n      a[i] := x[0] * i\n    else:\n      b[i] := a[i] * y[0]\n",
    ),
    (
        "peel",
        "a loop is its first iteration and the rest",
        1,
        {},
        "  for i in m .. n:\n    x[0] := x[0] * i\n",
    ),
    (
        "strip_mine",
        "a loop is its blocks, one after the other",
        1,
        {"size": 2},
        "  for i in 0 .. n:\n    x[0] := x[0] * a[i]\n",
    ),
    (
        "split_range",
        "White 4.3.2, in parts",
        1,
        {"cuts": (2,)},
        "  for i in 0 .. n + 2:\n    x[0] := x[0] * a[i]\n",
    ),
    (
        "branch_store",
        "a store of a choice is a choice between two stores",
        1,
        {},
        "  a[n] := (if x[0] < a[m] then b[n] else m) + (if x[0] < a[m] then x[0] else 2)\n",
    ),
    (
        "unswitch",
        "a condition that a loop does not change can be tested before it",
        1,
        {},
        "  for i in m .. n:\n    if x[0] < y[0]:\n      a[i] := x[0] * i\n    else:\n      b[i] := i\n",
    ),
    (
        "spread",
        "independent iterations commute, on threads",
        1,
        {},
        "  for i in m .. n:\n    a[i] := x[0] * b[i]\n    b[i] := a[i] * i\n",
    ),
    (
        "grid",
        "independent iterations commute, on a grid of threads",
        1,
        {},
        "  for i in m .. n:\n    a[i] := x[0] * b[i]\n    b[i] := a[i] * i\n",
    ),
    (
        "lanes",
        "independent iterations commute, in lanes",
        1,
        {},
        "  for i in m .. n:\n    a[i] := x[0] * b[i]\n    if a[i] < m:\n      b[i] := a[i] * i\n",
    ),
    (
        "hoist",
        "White 5.3.1 for values",
        2,
        {},
        "  for i in m .. n:\n    t1 = x[0] * b[m]\n    a[i] := t1 * i\n",
    ),
    (
        "place",
        "places change no value",
        0,
        {},
        "  for i in m .. n:\n    a[i] := x[0] * n * i + b[i] * i\n    b[i] := x[0] * n - b[i] * i\n",
    ),
    (
        "tabulate",
        "a value that a loop does not change can be computed before it",
        1,
        {"dear": 1.0},
        "  for j in m .. n:\n    for i in 0 .. 3:\n      a[3 * j + i] := (b[i] * n * i + y[0]) * j\n",
    ),
]


@pytest.mark.parametrize(
    ("move", "theorem", "number", "options", "program"),
    VALID,
    ids=[f"{theorem} {number}" for number, (_, theorem, *_) in enumerate(VALID)],
)
def test_the_move_is_right_for_every_memory(move, theorem, number, options, program):
    kernel = parse_nest(HEAD + program)
    path = [(), *(p for p, _ in walk(kernel.body))][number]
    verdict = named(move).check(kernel, path, ranges=RANGES, **options)
    assert isinstance(verdict, Proved), verdict
    assert verdict.theorem == theorem
    assert verdict.lemma
    after = named(move).apply(kernel, path, ranges=RANGES, **options).kernel
    assert differ(kernel, after, MOST, RANGES) == z3.unsat


def broken():
    """The killers of clauses that are hypotheses of lemmas, as programs before and after."""
    for file in sorted(FOLDER.glob("*.nest")):
        killer, outcome = killers.read(file.read_text(encoding="utf-8"))
        move, theorem, clause = killer.mutation
        needed = LEMMAS.get(theorems()[theorem].lemma or "", ())
        if clause in needed and outcome in (CHANGES, NAMED) and theorem not in (TILES, NUMBERS):
            after = named(move).apply(killer.kernel, killer.path, ranges=killer.ranges, **killer.options)
            yield theorem, clause, killer.kernel, after.kernel


BROKEN = list(broken())


@pytest.mark.parametrize(
    ("theorem", "clause", "before", "after"), BROKEN, ids=[f"{t} {c}" for t, c, *_ in BROKEN]
)
def test_without_the_clause_some_memory_tells(theorem, clause, before, after):
    # Most tell in a few iterations; a few have bounds that say how many they need.
    assert any(differ(before, after, most) == z3.sat for most in (MOST, 9))


NO_PROGRAM = {
    ("White 5.1.1", "index-free"),
    ("White 5.2.2", "rectangular"),
    ("White 5.3.1", "index-absent"),
    ("White 5.4.1", "index-alone"),
    ("a monotone condition bounds a loop", "one-run"),
    ("a loop is cut where its condition changes", "one-run"),
    ("a condition that a loop does not change can be tested before it", "no-inner-index"),
    ("a value that a loop does not change can be computed before it", "fixed-bounds"),
    ("independent iterations commute, in lanes", "rectangular"),
    ("White 5.3.1 for values", "index-absent"),
}
"""Clauses without which the move makes no program at all, so that there is nothing to compare."""


def test_every_clause_with_a_proof_has_a_broken_instance():
    # What the language itself grants has no clause that could be left out.
    needed = {
        (t.name, c)
        for t in theorems().values()
        if t.lemma
        for c in LEMMAS[t.lemma]
        if not c.startswith(("legal-", "shape-"))
    }
    missing = needed - {(theorem, clause) for theorem, clause, *_ in BROKEN}
    assert {(theorem, clause) for theorem, clause in missing if theorem not in (TILES, NUMBERS)} == NO_PROGRAM


def test_every_theorem_with_a_proof_has_a_valid_instance():
    # Read backwards, a theorem has the same instances; the bounds that are searched for are no expressions of White's.
    shown = {theorem for _, theorem, *_ in VALID}
    proved = {t.name for t in theorems().values() if t.lemma}
    backwards = {name for name in proved if name.endswith("backwards") and "read" not in name}
    assert proved - shown - backwards == {TILES, NUMBERS, "a monotone condition bounds a loop"}


def test_a_place_whose_memory_is_stored_to_is_noticed():
    text = "  t1 = b[n] * m\n  a[n] := t1\n  b[m] := 2\n  x[0] := t1\n"
    found = overtaken(parse_nest(HEAD + text).body)
    assert found is not None
    assert "b[" in repr(found)
    assert overtaken(parse_nest(HEAD + text.replace("b[m] := 2", "y[0] := 2")).body) is None
