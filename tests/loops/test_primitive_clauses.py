"""No clause of a primitive move can be left out: for each there is a program that the move would change without it."""

from dataclasses import replace

import pytest
from tests.loops.nests import RANGES, meaning
from tests.loops.primitive import nest

from pellucid.ir import types as T
from pellucid.ir.expr import index
from pellucid.loops.move import Proved, named
from pellucid.loops.theorem import Site

PRIMITIVE = (
    "interchange",
    "interchange_with_substitution",
    "interchange_with_back_substitution",
    "compress",
    "absorb_before",
    "absorb_after",
    "absorb_with_substitution",
    "extract_before",
    "extract_after",
    "split_if",
    "simplify_if",
    "eliminate_loop",
    "unroll",
    "unroll_all",
    "roll",
    "roll_all",
)
COSTS = {("White 4.3.2, repeated", "few-iterations")}
"""Clauses that are about the length of the code and not about its meaning."""
TOP, BOTTOM = T.i32.high, int(T.i32.low)
SELF = "min(max(a[0], 0), 6)"
PUT_BACK = "  x[0] := 7\n  if 0 < n:\n    x[0] := x[0] + 1\n    a[0] := x[0]\n    x[0] := x[0] - 1\n"
TEST = "  if x[0] < n:\n    x[0] := 5\n"
COPY_USED = "  x[0] := a[n]\n  a[n] := x[0]\n"
COPY_SET = "  a[n] := 3\n  a[n] := x[0]\n"
COPY_MOVED = "  b[0] := 3\n  a[min(max(b[0], 0), 6)] := x[0]\n"
COPY_OF_ITSELF = f"  a[0] := 0\n  x[0] := 2\n  b[0] := 3\n  a[{SELF}] := x[0]\n"
COPY_OUTSIDE = "  x[0] := 3\n  a[m] := x[0]\n"
COPY_ODD = "  x[n] := 3\n  a[n] := x[0]\n"
BACKWARD = [
    ("second-sets-apart-from-first-uses", COPY_USED, 0),
    ("sets-apart", COPY_SET, 0),
    ("location-independent", COPY_MOVED, 0),
    ("not-self-referencing", COPY_OF_ITSELF, 2),
    ("inside", COPY_OUTSIDE, 0),
    ("only-the-scalar", COPY_ODD, 0),
]
FIRST = {"end": "first"}
LAST_BOUND = "  for i in 0 .. max(1, x[0]):\n    x[0] := 2\n    a[i] := 7\n"
FIRST_BOUND = "  for i in min(0, x[0]) .. 3:\n    x[0] := 2\n    a[i + 2] := 7\n"

ROLLED = """\
  for i in 0 .. max(0, min(x[0], 9)):
    x[0] := 3
    a[i] := 9
  x[0] := 3
  a[max(0, min(x[0], 9))] := 9
"""

# White's theorem, the clause, a program, where in it, and the options of the move.
COUNTEREXAMPLES = [
    ("interchange", "White 4.1.1a", "equal-statements", "  x[0] := 1\n  x[0] := 2\n", 0, {}),
    (
        "interchange",
        "White 4.1.2",
        "first-sets-apart-from-second-uses",
        "  x[0] := 9\n  a[1] := x[0]\n",
        0,
        {},
    ),
    (
        "interchange",
        "White 4.1.2",
        "second-sets-apart-from-first-uses",
        "  a[1] := x[0]\n  x[0] := 9\n",
        0,
        {},
    ),
    ("interchange", "White 4.1.2", "sets-apart", "  x[0] := 1\n  x[0] := 2\n", 0, {}),
    (
        "interchange",
        "White 4.1.3",
        "not-self-referencing",
        "  a[0] := 0\n  a[a[0]] := a[a[0]] + 1\n  a[a[0]] := a[a[0]] + 2\n",
        1,
        {},
    ),
    ("interchange", "White 4.1.3", "no-other-reads", "  a[n] := a[n] + a[m]\n  a[n] := a[n] + 1\n", 0, {}),
    ("interchange", "White 4.1.3", "functions-commute", "  x[0] := x[0] + 1\n  x[0] := x[0] * 2\n", 0, {}),
    ("interchange_with_substitution", "White 4.1.4", "not-assigned", PUT_BACK, 0, {}),
    (
        "interchange_with_substitution",
        "White 4.1.4",
        "value-kept",
        "  x[0] := a[1]\n  a[1] := x[0] + 1\n",
        0,
        {},
    ),
    (
        "interchange_with_substitution",
        "White 4.1.4",
        "other-loads-apart",
        "  x[0] := 9\n  a[0] := x[n]\n",
        0,
        {},
    ),
    (
        "interchange_with_substitution",
        "White 4.1.4 for elements",
        "inside",
        "  a[m] := 9\n  b[0] := a[m]\n",
        0,
        {},
    ),
    (
        "interchange_with_substitution",
        "White 4.1.4 for elements",
        "not-assigned",
        "  a[n] := 9\n  a[n] := 8\n",
        0,
        {},
    ),
    (
        "interchange_with_substitution",
        "White 4.1.4 for elements",
        "value-kept",
        "  a[n] := b[1]\n  b[1] := 9\n",
        0,
        {},
    ),
    (
        "interchange_with_substitution",
        "White 4.1.4 for elements",
        "other-loads-apart",
        "  a[n] := 9\n  b[0] := a[m]\n",
        0,
        {},
    ),
    *[("interchange_with_back_substitution", "White 4.1.5", c, text, k, {}) for c, text, k in BACKWARD],
    *[
        ("interchange_with_back_substitution", "White 4.1.5 for statements", c, text, k, {})
        for c, text, k in BACKWARD
    ],
    ("compress", "White 4.1.6a", "value-not-used", "  x[0] := 5\n  x[0] := x[0] + 1\n", 0, {}),
    (
        "compress",
        "White 4.1.6a",
        "not-self-referencing",
        "  a[0] := 0\n  a[a[0]] := 5\n  a[a[0]] := 6\n",
        1,
        {},
    ),
    ("compress", "White 4.1.6b", "nullable", "  x[0] := 9\n", 0, {}),
    (
        "absorb_before",
        "White 4.2.1, before",
        "condition-kept",
        "  x[0] := 0\n  if x[0] < n:\n    a[0] := 9\n",
        0,
        {},
    ),
    (
        "absorb_with_substitution",
        "White 4.2.2",
        "other-loads-apart",
        "  x[0] := -9\n  if x[n] < x[0] + 1:\n    b[0] := 9\n",
        0,
        {},
    ),
    (
        "absorb_with_substitution",
        "White 4.2.2 for elements",
        "inside",
        "  a[m] := -9\n  if a[m] < -5:\n    b[0] := 9\n",
        0,
        {},
    ),
    (
        "absorb_with_substitution",
        "White 4.2.2 for elements",
        "other-loads-apart",
        "  a[0] := -9\n  if a[m] < a[0] + 1:\n    b[0] := 9\n",
        0,
        {},
    ),
    (
        "extract_before",
        "White 4.2.1, before, backwards",
        "condition-kept",
        "  if x[0] < 9:\n    x[0] := 9\n    a[0] := 8\n  else:\n    x[0] := 9\n",
        0,
        {},
    ),
    (
        "split_if",
        "White 4.2.3",
        "condition-kept",
        "  if x[0] < 9:\n    x[0] := 9\n  else:\n    a[0] := 8\n",
        0,
        {},
    ),
    (
        "split_if",
        "White 4.2.4",
        "condition-kept",
        "  if x[0] < n:\n    a[0] := 8\n  else:\n    x[0] := -9\n",
        0,
        {"first": "else"},
    ),
    ("simplify_if", "White 4.2.5, known condition", "condition-known", TEST, 0, {}),
    ("simplify_if", "White 4.2.5, nullable arms", "arms-nullable", TEST, 0, {}),
    ("simplify_if", "White 4.2.5, equal arms", "equal-arms", TEST, 0, {}),
    ("eliminate_loop", "White 4.3.1", "no-iterations", "  for i in 0 .. n:\n    a[i] := 9\n", 0, {}),
    (
        "eliminate_loop",
        "White 4.3.1 for one iteration",
        "one-iteration",
        "  for i in 0 .. n:\n    a[i] := 9\n",
        0,
        {},
    ),
    (
        "eliminate_loop",
        "White 4.3.1 for one iteration",
        "start-kept",
        "  for i in min(x[0], 9) .. min(x[0], 9) + 1:\n    x[0] := 3\n    a[i] := 9\n",
        0,
        {},
    ),
    ("unroll", "White 4.3.2", "runs", "  for i in n .. m:\n    x[0] := 9\n", 0, {}),
    ("unroll", "White 4.3.2", "bound-kept", LAST_BOUND, 0, {}),
    (
        "unroll",
        "White 4.3.2 for the first iteration",
        "runs",
        "  for i in n .. m:\n    x[0] := 9\n",
        0,
        FIRST,
    ),
    ("unroll", "White 4.3.2 for the first iteration", "bounds-kept", LAST_BOUND, 0, FIRST),
    ("unroll", "White 4.3.2 under a test", "bounds-kept", LAST_BOUND, 0, {"tested": True}),
    ("roll", "White 4.3.2, backwards", "runs", "  for i in 0 .. m:\n    x[0] := 9\n  x[0] := 9\n", 0, {}),
    (
        "roll",
        "White 4.3.2, backwards",
        "no-wrap",
        f"  for i in {TOP - 1} .. {TOP}:\n    x[0] := x[0] + 1\n  x[0] := x[0] + 1\n",
        0,
        {},
    ),
    (
        "roll",
        "White 4.3.2, backwards",
        "bound-kept",
        ROLLED,
        0,
        {},
    ),
    (
        "roll",
        "White 4.3.2 for the first iteration, backwards",
        "runs",
        "  x[0] := 9\n  for i in n + 3 .. n + 1:\n    x[0] := 9\n",
        1,
        FIRST,
    ),
    (
        "roll",
        "White 4.3.2 for the first iteration, backwards",
        "no-wrap",
        f"  x[0] := x[0] + 1\n  for i in {BOTTOM} .. {BOTTOM + 1}:\n    x[0] := x[0] + 1\n",
        1,
        FIRST,
    ),
    (
        "roll",
        "White 4.3.2 for the first iteration, backwards",
        "bounds-kept",
        "  x[0] := 3\n  a[0] := 9\n  for i in 1 .. max(x[0], 1):\n    x[0] := 3\n    a[i] := 9\n",
        2,
        FIRST,
    ),
    (
        # The iteration that joins the loop counts as well: here it alone sets what a bound loads.
        "roll",
        "White 4.3.2 for the first iteration, backwards",
        "bounds-kept",
        "  a[0] := 2\n  for i in 1 .. max(a[0], 1):\n    a[i] := 2\n",
        1,
        FIRST,
    ),
    (
        "roll_all",
        "White 4.3.2, backwards, repeated",
        "in-range",
        f"  x[0] := x[0] * 3 + {TOP - 1}\n  x[0] := x[0] * 3 + {TOP}\n",
        0,
        {},
    ),
    (
        "roll_all",
        "White 4.3.2, backwards, repeated",
        "index-free",
        "".join(f"  for r in 0 .. 3:\n    x[0] := x[0] * 3 + {k}\n" for k in (0, 1)),
        0,
        {"index": index("r")},
    ),
]


@pytest.mark.parametrize(
    ("move", "theorem", "clause", "text", "position", "options"),
    COUNTEREXAMPLES,
    ids=[f"{theorem} {clause}" for _, theorem, clause, *_ in COUNTEREXAMPLES],
)
def test_the_clause_is_needed(move, theorem, clause, text, position, options):
    found = next(t for t in named(move).theorems if t.name == theorem)
    kernel, path = nest(text), ((0, position),)
    site = Site(kernel, path, RANGES, options)
    assert found.prove(site).clause == clause
    assert isinstance(found.without(clause).prove(site), Proved)
    wrong = replace(named(move), theorems=(found.without(clause),))
    after = wrong.apply(kernel, path, ranges=RANGES, **options).kernel
    assert meaning(kernel) != meaning(after)


def test_every_clause_has_its_counterexample():
    shown = {(theorem, clause) for _, theorem, clause, *_ in COUNTEREXAMPLES}
    clauses = {(t.name, c.name) for m in PRIMITIVE for t in named(m).theorems for c in t.clauses}
    assert clauses == shown | COSTS
