"""No clause of a global move can be left out: for each there is a program that would change, or a move that fails."""

import pytest
from tests.loops.nests import RANGES, meaning
from tests.loops.primitive import nest

from pellucid.base.errors import IrError
from pellucid.ir.nest import Kernel
from pellucid.loops.move import Move, Proved, named
from pellucid.loops.theorem import Site

GLOBAL = ("join_loops", "split_loop", "interchange_loops", "move_code", "join_conditional")
TURNED, JOINED, CUT = (
    "loops over a triangle change places",
    "a monotone condition bounds a loop",
    "a loop is cut where its condition changes",
)
SHORT = "min(x[0], 4)"


def loop(*body: str, head: str = "for i in 0 .. 4:") -> str:
    return f"  {head}\n" + "".join(f"    {line}\n" for line in body)


BLOCKS = loop("for j in 0 .. min(b[0], 2):", "  b[i * 2 + j] := 0", head="for i in 0 .. 2:")
ORDERED = loop("for j in 1 .. 3:", "  x[0] := x[0] * 3 + i - j", head="for i in 1 .. 4:")
GROWING = loop("if i < x[0]:", "  x[0] := x[0] + 1")
ANY = loop("if a[i] < 2:", "  b[i] := 9")
COUNTEREXAMPLES = [
    # move, theorem, clause, program, statement (a path of positions)
    (
        "join_loops",
        "White 5.1.1",
        "same-bounds",
        loop("a[i] := 1") + loop("a[i] := 2", head="for i in 0 .. 6:"),
        (0,),
    ),
    (
        "join_loops",
        "White 5.1.1",
        "bounds-kept",
        loop("x[0] := 3", head=f"for i in 0 .. {SHORT}:") + loop("b[i] := 9", head=f"for i in 0 .. {SHORT}:"),
        (0,),
    ),
    (
        "join_loops",
        "White 5.1.1",
        "index-free",
        loop("a[i] := 1") + loop("for i in 0 .. 2:", "  b[j] := b[j] * 2 + i", head="for j in 0 .. 4:"),
        (0,),
    ),
    (
        "join_loops",
        "White 5.1.1",
        "iterations-interchangeable",
        loop("a[i] := 9") + loop("b[i] := a[i + 1]"),
        (0,),
    ),
    (
        "split_loop",
        "White 5.1.1, read backwards",
        "bounds-kept",
        loop("x[0] := 3", "b[i] := 9", head=f"for i in 0 .. {SHORT}:"),
        (0, 1),
    ),
    (
        "split_loop",
        "White 5.1.1, read backwards",
        "iterations-interchangeable",
        loop("x[0] := i", "b[i] := x[0]"),
        (0, 1),
    ),
    (
        "interchange_loops",
        "White 5.2.2",
        "rectangular",
        loop("for j in 0 .. i * i:", "  c[i + j] := 1:i64", head="for i in 0 .. 1:"),
        (0,),
    ),
    ("interchange_loops", "White 5.2.2", "bounds-kept", BLOCKS, (0,)),
    ("interchange_loops", "White 5.2.2", "iterations-interchangeable", ORDERED, (0,)),
    (
        "interchange_loops",
        TURNED,
        "bounds-by-steps",
        loop("for j in 0 .. i * 2:", "  a[i * 3 + j] := 1", head="for i in 0 .. 2:"),
        (0,),
    ),
    ("interchange_loops", TURNED, "bounds-kept", BLOCKS, (0,)),
    ("interchange_loops", TURNED, "iterations-interchangeable", ORDERED, (0,)),
    ("move_code", "White 5.3.1", "index-absent", loop("x[0] := i", "a[i] := 1"), (0, 0)),
    (
        "move_code",
        "White 5.3.1",
        "bounds-kept",
        loop("x[0] := 3", "b[i] := 9", head=f"for i in 0 .. {SHORT}:"),
        (0, 0),
    ),
    ("move_code", "White 5.3.1", "undisturbed", loop("x[0] := b[1]", "b[i] := 7"), (0, 0)),
    ("move_code", "White 5.3.1", "not-awaited", loop("a[i] := x[0]", "x[0] := 7"), (0, 1)),
    ("move_code", "White 5.3.1", "idempotent", loop("x[0] := x[0] + 1", "a[i] := 1"), (0, 0)),
    ("join_conditional", "White 5.4.1", "condition-kept", GROWING, (0,)),
    ("join_conditional", "White 5.4.1", "index-alone", ANY, (0,)),
    ("join_conditional", JOINED, "condition-kept", GROWING, (0,)),
    ("join_conditional", JOINED, "one-run", ANY, (0,)),
    ("join_conditional", CUT, "condition-kept", GROWING, (0,)),
    (
        "join_conditional",
        CUT,
        "bounds-kept",
        loop("if i < 1:", "  x[0] := 3", "else:", "  b[i] := 9", head=f"for i in 0 .. {SHORT}:"),
        (0,),
    ),
    ("join_conditional", CUT, "one-run", ANY, (0,)),
]


def changed(move: Move, kernel: Kernel, path: tuple[tuple[int, int], ...]) -> bool:
    """Whether the move, if it were allowed here, would change the meaning or fail."""
    try:
        after = move.apply(kernel, path, ranges=RANGES).kernel
        return meaning(kernel) != meaning(after)
    except (AssertionError, IrError):
        # There is no such program: bounds that are not found, an index outside of its loop.
        return True


@pytest.mark.parametrize(
    ("move", "theorem", "clause", "text", "positions"),
    COUNTEREXAMPLES,
    ids=[f"{theorem} {clause}" for _, theorem, clause, *_ in COUNTEREXAMPLES],
)
def test_the_clause_is_needed(move, theorem, clause, text, positions):
    found = next(t for t in named(move).theorems if t.name == theorem)
    kernel, path = nest(text), tuple((0, p) for p in positions)
    site = Site(kernel, path, RANGES)
    assert found.prove(site).clause == clause
    assert isinstance(found.without(clause).prove(site), Proved)
    assert changed(named(move), kernel, path)


def test_every_clause_has_its_counterexample():
    clauses = {(t.name, c.name) for move in GLOBAL for t in named(move).theorems for c in t.clauses}
    assert {(theorem, clause) for _, theorem, clause, *_ in COUNTEREXAMPLES} == clauses
