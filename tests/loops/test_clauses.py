"""No clause can be left out: for every theorem and each of its clauses there is a program that shows what it is for."""

import pytest
from tests.loops import test_array_moves, test_primitive_clauses
from tests.loops.clauses import CHANGED, INVALID, STOPPED, harm

from pellucid.ir.parse import parse_expr, parse_nest
from pellucid.ir.path import walk
from pellucid.loops.move import moves, named

HEAD = """kernel k(n: i32, m: i32):
  output a: i32[9]
  output b: i32[9]
  output t: i32[1]
  output f: f32[9]
  input c: u8[9]
"""


def loop(*lines: str, head: str = "for i in 0 .. 8:") -> str:
    return f"  {head}\n" + "".join(f"    {line}\n" for line in lines)


EVEN = "t[0] := t[0] + 3"
TO_A = loop(EVEN, "a[i] := 0", head="for i in 0 .. min(a[0], 8):")
BY_J = "for j in 0 .. 3:"
TOP = "for i in 2147483644 .. 2147483647:"
BLOCK = loop("for j in 0 .. 2:", "  a[2 * i + j] := 9", head="for i in 0 .. 3:")
TO_T = "for i in 0 .. t[0]:"
UP_TO_T = loop("t[0] := 9", "a[i] := 9", head="for i in 0 .. min(t[0], 9):")
MOVING = loop("t[0] := 9", "a[i] := 1", head=TO_T)
GATHER = "a[convert.i32(c[i]) & 7] := a[convert.i32(c[i]) & 7] + 1"
COLUMNS_TO_T = loop("for i in 0 .. min(t[0], 9):", "  a[i] := (i + 1) * 3", "t[0] := 9", head=BY_J)
# A row stores the bound of the rows, and no two iterations store to one place.
ROWS = loop("for j in 0 .. max(min(b[0], 5), 0):", "  b[3 * j + i] := 2", head="for i in 0 .. 3:")
# An iteration needs what the next one of the row before has stored.
WAVE = loop("for j in 0 .. 2:", "  a[3 * i + j] := a[3 * i + j - 2] + 1", head="for i in 1 .. 3:")
STORED_CONDITION = loop("if i < t[0]:", "  t[0] := i")
EVERY_OTHER = loop("if (i & 1) == 0:", "  a[i] := 1")
TRIANGLE = "loops over a triangle change places"
RUN = "a monotone condition bounds a loop"
CUT = "a loop is cut where its condition changes"
SMALL = {"rows": 2, "columns": 2}

DEAR = {"dear": 1.0}

COUNTEREXAMPLES = [
    # move, theorem (None: its only one), clause, statement counted from 1 (0: the kernel), options, program
    ("join_loops", None, "same-bounds", 1, {}, loop("a[i] := 1") + loop("b[i] := 1", head="for i in 0 .. 3:")),
    ("join_loops", None, "bounds-kept", 1, {}, loop("t[0] := 9", head=TO_T) + loop("b[i] := 1", head=TO_T)),
    (
        "join_loops",
        None,
        "index-free",
        1,
        {},
        loop("a[i] := 1") + loop("for i in 0 .. 3:", "  b[j] := i", head="for j in 0 .. 8:"),
    ),
    ("join_loops", None, "iterations-interchangeable", 1, {}, loop("a[i] := 9") + loop("b[i] := a[i + 1]")),
    ("split_loop", None, "bounds-kept", 3, {}, loop("t[0] := 9", "b[i] := 1", head=TO_T)),
    ("split_loop", None, "iterations-interchangeable", 3, {}, loop("t[0] := i", "b[i] := t[0]")),
    (
        "interchange_loops",
        "White 5.2.2",
        "rectangular",
        1,
        {},
        loop("for j in 0 .. i * i:", "  a[3 * i + j] := i", head="for i in 0 .. 2:"),
    ),
    ("interchange_loops", "White 5.2.2", "bounds-kept", 1, {}, ROWS),
    ("interchange_loops", "White 5.2.2", "iterations-interchangeable", 1, {}, WAVE),
    (
        "interchange_loops",
        TRIANGLE,
        "bounds-by-steps",
        1,
        {},
        loop("for j in 0 .. 2 * i:", "  a[4 * i + j] := i", head="for i in 0 .. 2:"),
    ),
    ("interchange_loops", TRIANGLE, "bounds-kept", 1, {}, ROWS),
    ("interchange_loops", TRIANGLE, "iterations-interchangeable", 1, {}, WAVE),
    ("move_code", None, "index-absent", 2, {}, loop("t[0] := i", "a[i] := 1")),
    ("move_code", None, "bounds-kept", 2, {}, loop("t[0] := 3", "a[i] := 1", head=TO_T)),
    ("move_code", None, "undisturbed", 2, {}, loop("t[0] := 7", "a[i] := t[0]", "t[0] := i")),
    ("move_code", None, "not-awaited", 3, {}, loop("a[i] := t[0]", "t[0] := 7")),
    ("move_code", None, "idempotent", 2, {}, loop("t[0] := t[0] + 1", "a[i] := 1")),
    ("join_conditional", "White 5.4.1", "condition-kept", 1, {}, STORED_CONDITION),
    ("join_conditional", "White 5.4.1", "index-alone", 1, {}, EVERY_OTHER),
    ("join_conditional", RUN, "condition-kept", 1, {}, STORED_CONDITION),
    ("join_conditional", RUN, "one-run", 1, {}, EVERY_OTHER),
    (
        "join_conditional",
        CUT,
        "condition-kept",
        1,
        {},
        loop("if i < t[0]:", "  t[0] := i", "else:", "  a[i] := 9"),
    ),
    (
        "join_conditional",
        CUT,
        "bounds-kept",
        1,
        {},
        loop("if i < 2:", "  t[0] := 5", "else:", "  a[i] := 9", head=TO_T),
    ),
    (
        "join_conditional",
        CUT,
        "one-run",
        1,
        {},
        loop("if (i & 1) == 0:", "  a[i] := 9", "else:", "  b[i] := 9"),
    ),
    ("peel", None, "bounds-unchanged", 1, {}, MOVING),
    ("strip_mine", None, "positive-size", 1, {"size": -1}, loop("a[i] := 9")),
    ("strip_mine", None, "bounds-unchanged", 2, {"size": 2}, "  t[0] := 3\n" + UP_TO_T),
    ("strip_mine", None, "no-overflow", 1, {"size": 16}, loop("a[i - 2147483644] := 9", head=TOP)),
    ("tile", None, "positive-size", 1, {"rows": -1}, BLOCK),
    ("tile", None, "bounds-unchanged", 1, SMALL, ROWS),
    (
        "tile",
        None,
        "no-overflow",
        1,
        {"rows": 16},
        loop("for j in 0 .. 2:", "  a[2 * (i - 2147483644) + j] := 9", head=TOP),
    ),
    ("tile", None, "rectangular", 1, SMALL, loop("for j in 0 .. i:", "  a[3 * i + j] := 9", head="for i in 0 .. 3:")),
    ("tile", None, "iterations-interchangeable", 1, {"rows": 2, "columns": 1}, WAVE),
    ("unroll_and_jam", None, "bounds-unchanged", 1, {"factor": 2}, UP_TO_T),
    (
        "unroll_and_jam",
        None,
        "independent",
        1,
        {"factor": 2},
        loop("for j in 0 .. 3:", "  a[j] := a[j + 1] + i", head="for i in 0 .. 4:"),
    ),
    ("privatize", None, "only-gathers", 1, {}, loop(GATHER, "b[i] := a[3]")),
    ("privatize", None, "order-free", 1, {}, loop("a[3] := a[3] - i")),
    ("privatize", None, "inside", 1, {"by": parse_expr("%i & 3")}, loop("a[i * 3] := a[i * 3] + 1")),
    ("privatize", None, "in-scope", 1, {"by": parse_expr("%j & 3")}, loop(GATHER)),
    ("privatize", None, "few-copies", 1, {"by": parse_expr("%i - 1")}, loop(GATHER)),
    ("replace_scalar", None, "position-unchanged", 1, {}, loop("a[t[0] & 3] := i", "t[0] := i")),
    ("replace_scalar", None, "inside", 1, {}, loop("a[n] := i", "b[i] := a[n]")),
    ("replace_scalar", None, "others-separate", 1, {}, loop("a[3] := i", "b[i] := a[i]")),
    ("accumulate", None, "one-element", 1, {}, loop("a[3] := a[3] + a[i]")),
    ("strength_reduce", None, "memory-unchanged", 1, {}, loop("a[i] := i * t[0]", "t[0] := i")),
    ("eliminate_induction", None, "step-fixed", 1, {}, loop("t[0] := t[0] + i", "a[i] := t[0]")),
    ("eliminate_induction", None, "only-update", 1, {}, loop(EVEN, "t[0] := i")),
    ("eliminate_induction", None, "one-name", 1, {}, loop(EVEN, "a[i] := t[i]")),
    ("eliminate_induction", None, "bounds-unchanged", 1, {}, TO_A),
    ("eliminate_redundant", None, "available", 2, {}, loop("t[0] := a[i] * 2", "a[i] := 3", "b[i] := a[i] * 2")),
    ("eliminate_dead", None, "not-live", 0, {"buffer": "a"}, loop("a[i] := 1")),
    ("eliminate_dead", None, "feeds-nothing", 0, {"buffer": "a", "live": ("b",)}, loop("a[i] := 9", "b[i] := a[3]")),
    ("guard_store", None, "stays", 2, {}, loop("a[i] := if i < 3 then a[i + 1] else a[i] * 2")),
    ("unswitch", None, "no-inner-index", 1, {}, loop("for j in 0 .. 9:", "  a[i] := if j < 3 then 1 else 2")),
    ("unswitch", None, "memory-unchanged", 1, {}, loop("if t[0] < 3:", "  t[0] := i")),
    ("tabulate", None, "fixed-bounds", 1, DEAR, loop("for i in 0 .. j + 1:", "  a[i] := i * i + 3", head=BY_J)),
    ("tabulate", None, "from-zero", 1, DEAR, loop("for i in -2 .. 3:", "  a[i + 2] := i * i + 3", head=BY_J)),
    ("tabulate", None, "memory-unchanged", 1, DEAR, COLUMNS_TO_T),
    ("look_up", None, "memory-unchanged", 0, DEAR, loop("f[i] := convert.f32(convert.i32(c[i]) & 1) * (f[3] + 1.0)")),
    ("lanes", None, "positive-count", 1, {"count": 0}, loop("a[i] := 1")),
    ("spread", None, "positive-band", 1, {"band": 0}, loop("a[i] := 1")),
    ("lanes", None, "no-flow", 1, {}, loop("a[i + 1] := a[i]")),
    ("lanes", None, "apart", 1, {}, loop("a[i] := 1", "a[i + 1] := 2")),
    ("spread", None, "no-flow", 1, {}, loop("a[i + 1] := a[i]")),
    ("spread", None, "apart", 1, {}, loop("a[i] := 1", "a[i + 1] := 2")),
]  # fmt: skip

OPTION = "it says what an option of the move may be"
LONG = "only a loop of more than 2147483647 iterations tells, which no test can run"
PLACE = "places never change a value; a wrong one is refused by the back ends"
MACHINE = "it says what the back ends can run"
COST = "it is about the cost"
OTHERWISE = {
    ("peel", "side"): OPTION,
    ("eliminate_dead", "declared"): OPTION,
    ("unroll_and_jam", "at-least-two"): COST,
    ("unroll_and_jam", "counted"): LONG,
    ("accumulate", "counted"): LONG,
    ("eliminate_induction", "counted"): LONG,
    ("hoist", "index-absent"): PLACE,
    ("hoist", "memory-unchanged"): PLACE,
    ("place", "no-places-yet"): PLACE,
    ("place", "loads-kept"): PLACE,
    ("share", "computed-anyway"): PLACE,
    ("share", "in-scope"): PLACE,
    ("lanes", "one-way"): MACHINE,
    ("lanes", "rectangular"): MACHINE,
    ("lanes", "no-scratch"): MACHINE,
    ("spread", "outermost"): MACHINE,
}
"""Clauses that protect something else than the meaning of one program, and what."""


@pytest.mark.parametrize(
    ("move", "theorem", "clause", "number", "options", "program"),
    COUNTEREXAMPLES,
    ids=[f"{move} {clause}" for move, _, clause, *_ in COUNTEREXAMPLES],
)
def test_without_the_clause_the_move_does_harm(move, theorem, clause, number, options, program):
    kernel = parse_nest(HEAD + program)
    path = [(), *(p for p, _ in walk(kernel.body))][number]
    (found,) = [t for t in named(move).theorems if theorem in (None, t.name)]
    assert harm(named(move), found, clause, kernel, path, options) in (CHANGED, INVALID, STOPPED)


def test_every_clause_of_every_theorem_is_accounted_for():
    elsewhere = {*test_primitive_clauses.PRIMITIVE, *test_array_moves.MOVES}
    here = {(m, theorem or named(m).theorems[0].name, c) for m, theorem, c, *_ in COUNTEREXAMPLES}
    wanted = {
        (m, t.name, c.name)
        for m, move in moves().items()
        if m not in elsewhere
        for t in move.theorems
        for c in t.clauses
        if (m, c.name) not in OTHERWISE
    }
    assert wanted == here


def test_harm_is_told_from_its_absence():
    # Both loops may be joined: no clause protects anything.
    kernel = parse_nest(HEAD + loop("a[i] := 1") + loop("b[i] := 1"))
    (theorem,) = named("join_loops").theorems
    with pytest.raises(AssertionError, match="speaks for the move"):
        harm(named("join_loops"), theorem, "bounds-kept", kernel, ((0, 0),), {})
