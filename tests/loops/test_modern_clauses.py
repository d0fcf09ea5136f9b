"""No clause of a modern move can be left out: for each there is a program that the move would change without it."""

from dataclasses import replace

import numpy as np
import pytest
from tests.loops.test_modern_goldens import MODERN
from tests.loops.test_modern_refusals import GATHER, HEAD, REFUSALS, by, loop

from pellucid.base.errors import PellucidError
from pellucid.ir import nest as N
from pellucid.ir.interp import run
from pellucid.ir.parse import parse_nest
from pellucid.ir.path import walk
from pellucid.ir.verify import verify_kernel
from pellucid.loops.move import Proved, named
from pellucid.loops.theorem import Site

WORDS = {
    ("unroll_and_jam", "at-least-two"): "one iteration at once is the loop itself",
    ("peel", "side"): "any other word would mean the back",
    ("eliminate_dead", "declared"): "a name that is no output keeps nothing alive",
    ("lanes", "one-way"): "no machine has lanes of lanes",
    ("lanes", "rectangular"): "no machine has lanes of different lengths",
    ("lanes", "no-scratch"): "lanes share what is not in registers",
    ("spread", "outermost"): "threads are woken once",
}
"""Clauses about what is asked for: without them the meaning is kept, but somebody's mistake is not told."""

HIGH, LOW = 2147483647, -2147483640
NONE = f"for i in {HIGH} .. {LOW}:"
"""A loop without iterations, whose bounds are so far apart that their difference wraps to a small number."""
LATE = f"for i in {HIGH - 7} .. {HIGH}:"
MOVING = "min(max(t[0], 0), 9)"
SHORTER = "  t[0] := 9\n" + loop("t[0] := 1", "a[i] := 7", head=f"for i in 0 .. {MOVING}:")
NEXT = loop("a[i + 1] := a[i]", head="for i in 0 .. 9:")
BOUND_OF_ROW = "  b[60] := 9\n" + loop(
    "for j in 0 .. min(max(b[60], 0), 9):", "  b[9 * i + j] := 1", head="for i in 0 .. 9:"
)

COUNTEREXAMPLES = [
    # move, statement, options, clause, program
    ("strip_mine", 1, {}, "no-overflow", loop(f"a[i - {HIGH - 7}] := 7", head=LATE)),
    ("strip_mine", 2, {"size": 2}, "bounds-unchanged", SHORTER),
    ("peel", 2, {}, "bounds-unchanged", SHORTER),
    ("unroll_and_jam", 2, {}, "bounds-unchanged", SHORTER),
    ("unroll_and_jam", 1, {}, "counted", loop("a[3] := 7", head=NONE)),
    ("tile", 2, {"rows": 2, "columns": 2}, "bounds-unchanged", BOUND_OF_ROW),
    ("tile", 1, {}, "no-overflow", loop("for j in 0 .. 3:", f"  a[i - {HIGH - 7} + 9 * j] := 7", head=LATE)),
    (
        "tile",
        1,
        {"rows": 2, "columns": 2},
        "iterations-interchangeable",
        loop("for j in 0 .. 8:", "  a[i * 9 + j] := a[i * 9 + j - 8]", head="for i in 1 .. 9:"),
    ),
    ("privatize", 1, {}, "inside", loop("a[i - 20] := a[i - 20] + 1")),
    ("privatize", 1, by("%i - 1"), "few-copies", loop(GATHER)),
    ("privatize", 1, by("%j & 3"), "in-scope", loop(GATHER)),
    ("replace_scalar", 1, {}, "inside", loop("a[n + 96] := i", "b[i] := a[n + 96]")),
    ("accumulate", 1, {}, "counted", loop("a[3] := a[3] + 1", head=NONE)),
    ("eliminate_induction", 1, {}, "counted", loop("t[0] := t[0] + 3", head=NONE)),
    (
        "eliminate_induction",
        1,
        {},
        "bounds-unchanged",
        loop("t[0] := t[0] + 3", "b[0] := 0", head="for i in 0 .. min(max(b[0], 0), 9):"),
    ),
    ("lanes", 1, {}, "no-flow", NEXT),
    ("spread", 1, {}, "no-flow", NEXT),
    ("spread", 1, {}, "apart", loop("a[i] := 1", "a[i + 1] := 2")),
]


def cases():
    """The programs above, and for other clauses those that they refuse."""
    own = {(move, clause) for move, _, _, clause, _ in COUNTEREXAMPLES}
    yield from COUNTEREXAMPLES
    for case in REFUSALS:
        move, clause = case[0], case[3]
        if (
            clause != named(move).theorems[0].shape.name
            and (move, clause) not in WORDS
            and (move, clause) not in own
        ):
            yield case


def meaning(kernel: N.Kernel, seed: int) -> list[bytes]:
    rng = np.random.default_rng(seed)
    names = sorted({b.name: b for b in (*kernel.outputs, *N.inputs(kernel))}.items())
    given = {name: rng.integers(0, 9, b.size).astype(b.type.dtype) for name, b in names}
    memory = {b: given[b.name] for b in (*kernel.outputs, *N.inputs(kernel))}
    run(kernel, {"n": 5 + seed, "m": -3 * seed}, memory)
    return [memory[b].tobytes() for b in kernel.outputs]


def differs(move: str, number: int, options: dict, clause: str, text: str) -> bool | None:
    """Whether the move without the clause changes the meaning; None if another clause refuses as well."""
    kernel = parse_nest(HEAD + text)
    path = [(), *(p for p, _ in walk(kernel.body))][number]
    theorem = named(move).theorems[0].without(clause)
    if not isinstance(theorem.prove(Site(kernel, path, {}, options)), Proved):
        return None
    try:
        after = named(move).apply(kernel, path, **options).kernel
        verify_kernel(after)
        kept = replace(after, outputs=kernel.outputs)
        return any(meaning(kernel, seed) != meaning(kept, seed) for seed in range(3))
    except (PellucidError, AssertionError, ArithmeticError):
        return True


@pytest.mark.parametrize(("move", "number", "options", "clause", "text"), COUNTEREXAMPLES)
def test_without_the_clause_the_meaning_changes(move, number, options, clause, text):
    assert differs(move, number, options, clause, text)


def test_no_clause_can_be_left_out():
    noticed = {(case[0], case[3]) for case in cases() if differs(*case)}
    for move in sorted(MODERN):
        for clause in named(move).theorems[0].clauses:
            assert (move, clause.name) in noticed or (move, clause.name) in WORDS, (move, clause.name)
