"""Splitting: loops over pixels are divided where a condition changes, until it is decided in each, where that pays.

Part of the default script for back ends with lanes, after the expressions are final and before loops get their ways
(Elliott et al., section 7: space is partitioned by whether a condition is false, true or mixed). A condition that a row
has in common - a band, a half plane of rows, the rows of a box - leaves the row's loop. One that holds in one run of a
row's pixels - a column, a slanted edge, a convex polygon - cuts it, at bounds that are found before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ...base.record import record
from ...ir.expr import STRUCTURAL, Expr, topological
from ...ir.nest import For, all_roots, walk
from ...ir.path import Path, enclosing
from ...ir.path import walk as paths
from ...ir.prim import row
from ...reasoning.machine import PROCESSOR
from ...reasoning.prove import Proved
from ..analysis.deciding import tests
from ..analysis.outcomes import Turn
from ..core.registry import named
from ..core.tactic import State
from ..moves.unswitch import MAX_SIZE
from .strategies import attempted

MAX_PART = 0.75
"""A row that is split must cost at most so much of a whole one: its code is compiled twice.

By `bench/splitting.py`: below it, frames of a million pixels took 0.42 to 0.77 of the time (columns, half planes,
strips, crops; exact and relaxed); above it, 0.84 to 1.0 (arms that are dear, which lanes skip together, or alike)."""
STORED, SEARCH = PROCESSOR.prices["pixels"].cost, PROCESSOR.prices["bound"].cost
MIN_GAIN = PROCESSOR.prices["code"].cost
"""Each vector of pixels must gain so much for a bound that is found once a frame.

A frame of a million pixels takes 0.04 ms less then, so that a second of frames has repaid compiling."""
MAX_CONDITIONS = 3
"""Conditions that are split at; each may double the code."""
MAX_GROWTH = 2
"""Loops that are unswitched have at most so many times the values that they had."""
MAX_WEIGHED = 1500
"""Values that are looked at to weigh the tests of one loop, outermost choices first."""


def split_rows(state: State) -> State:
    """Inner loops divided at the conditions of their choices, one after the other, as long as each split pays.

    >>> from pellucid.ir.parse import parse_nest
    >>> from pellucid.ir.text import print_nest
    >>> from pellucid.loops.core.tactic import run
    >>> rows = parse_nest('''
    ... kernel k(n: i32):
    ...   output out: i32[100]
    ...   for j in 0 .. 10:
    ...     for i in 0 .. 10:
    ...       out[10 * j + i] := if j < n then i * i * i * i * i * i * i * i * i * i * i * i * i else 7
    ... ''')
    >>> print(print_nest(run(split_rows, rows).kernel))
    kernel k(n: i32):
      output out: i32[100]
      for j in 0 .. 10:
        if j < n:
          for i in 0 .. 10:
            out[10 * j + i] := i * i * i * i * i * i * i * i * i * i * i * i * i
        else:
          for i in 0 .. 10:
            out[10 * j + i] := 7
    <BLANKLINE>
    """
    seen: list[For] = []
    for _ in range(MAX_CONDITIONS):
        new = None
        for path, loop in inner(state):
            if any(loop is s for s in seen):
                continue
            new = next((s for split in weighed(loop) if (s := _made(state, path, split))), None)
            if new is not None:
                state = new
                break
            seen.append(loop)
        if new is None:
            break
    return state


def unswitch_rows(state: State) -> State:
    r"""Inner loops of which whole rows decide a choice, as a loop for each outcome, where that is little more code.

    For C compilers, which make vectors of no loop that has branches.

    >>> from pellucid.ir.parse import parse_nest
    >>> from pellucid.loops.core.tactic import run
    >>> choice = "kernel k(n: i32):\n  output out: i32[9]\n  for j in 0 .. 3:\n    for i in 0 .. 3:\n      "
    >>> rows = parse_nest(choice + "out[3 * j + i] := if j < n then i * i else i + j\n")
    >>> [type(s).__name__ for s in walk(run(unswitch_rows, rows).kernel.body)]
    ['For', 'If', 'For', 'Store', 'For', 'Store']
    """
    most = MAX_GROWTH * _size(state)
    while (new := min(_unswitched(state), key=_size, default=state)) is not state and _size(new) <= most:
        state = new
    return state


def _unswitched(state: State) -> Iterator[State]:
    """The states after one choice of whole rows is made before their loop."""
    for path, loop in inner(state):
        for test in row_tests(loop):
            new = attempted(state, "unswitch", path, by=(test,))
            if new is not None:
                yield new


def row_tests(loop: For) -> list[Expr]:
    """The conditions of choices in a loop that its index does not change."""
    along = loop.index.free
    chosen = [n for n in topological(all_roots(loop.body)) if n.op == "choose" and n.free & along]
    tests = dict.fromkeys(n.args[0] for n in chosen)
    return [test for test in tests if test.op != "const" and not test.free & along]


def _size(state: State) -> int:
    return sum(len(topological(all_roots(loop.body))) for _, loop in inner(state))


@record
class _Split:
    """A test, the part of the cost of whole rows that split ones have, and the turn that it is in."""

    test: Expr
    part: float
    turn: Turn


def inner(state: State) -> Iterator[tuple[Path, For]]:
    """The loops inside of others, which have none inside; the outermost is what threads share."""
    body = state.kernel.body
    for path, s in paths(body):
        if not isinstance(s, For) or any(isinstance(x, For) for x in walk(s.body)):
            continue
        if any(isinstance(x, For) for x in enclosing(body, path)):
            yield path, s


def weighed(loop: For) -> list[_Split]:
    """The tests that pay in a loop, the best one first."""
    turn = Turn(loop)
    if len(turn.nodes) > MAX_SIZE:
        return []
    found: list[_Split] = []
    for test in islice(turn.tests(), max(1, MAX_WEIGHED // (2 * len(turn.nodes)))):
        bounds = _bounds(test, loop)
        part = None if bounds is None else _part(turn, test, bounds)
        if part is not None and part <= MAX_PART:
            found.append(_Split(test, part, turn))
    return sorted(found, key=lambda split: split.part)


def _bounds(test: Expr, loop: For) -> int | None:
    """The number of bounds of a test in a row; None if it may change to and fro.

    None as well if a part of it is the same in the whole row: that part leaves the loop first.
    """
    along = loop.index.free
    if not test.free & along:
        return 0
    leaves = [t for t in tests(test) if t.op not in ("and", "or", "not")]
    if not all(t.op in ("lt", "le") and t.free & along and _goes_one_way(t, along) for t in leaves):
        return None
    return sum(2 if any(a.op == "abs" for a in t.args) else 1 for t in leaves)


def _goes_one_way(comparison: Expr, along: int) -> bool:
    """Whether a comparison looks as if it changed at most once in a row, or twice if it is with an absolute value."""
    stack = [a.args[0] if a.op == "abs" else a for a in comparison.args]
    seen: set[Expr] = set()
    while stack:
        n = stack.pop()
        if n in seen or not n.free & along or n.op == "index":
            continue
        seen.add(n)
        signs = "" if n.op in STRUCTURAL else row(n.op).monotone
        moving = [(a, sign) for a, sign in zip(n.args, signs, strict=False) if a.free & along]
        # A factor has a sign, if it stays the same.
        if not signs or "." in (ways := [sign for _, sign in moving]) or ways.count("*") > 1:
            return False
        stack += [a for a, _ in moving]
    return True


def _part(turn: Turn, test: Expr, bounds: int) -> float | None:
    """The part of the cost of whole rows that rows have which are split at a test; None if it is surely too much."""
    found = turn.outcomes(test, MAX_PART)
    if found is None or found[0] - found[1] < MIN_GAIN * bounds:
        return None
    whole, split = ((cost + STORED) * PROCESSOR.count / PROCESSOR.lanes for cost in found)
    return (split + (SEARCH * bounds if test.free & ~turn.wide else 0.0)) / whole


def _made(state: State, path: Path, split: _Split) -> State | None:
    """The state after a split; None if it is not proved, or would not keep what the back end counts on."""
    if _keeps_facts(state, split):
        steps = len(state.ledger)
        by = (split.test,)
        if split.test.free & split.turn.wide:
            branched = attempted(state, "branch_store", (*path, (0, 0)), by=by)
            new = None if branched is None else attempted(branched, "join_conditional", path)
        else:
            new = attempted(state, "unswitch", path, by=by)
        if new is not None and _runs_fast(state, new):
            return new
        del state.ledger.steps[steps:]
    return None


def _keeps_facts(state: State, split: _Split) -> bool:
    """Whether nothing is known of the values that a split changes but what can be seen from their operands."""
    changed = {split.test}
    for n in split.turn.nodes:
        if any(a in changed for a in n.args):
            changed.add(n)
            if n in state.ranges:
                return False
    return True


def _runs_fast(old: State, new: State) -> bool:
    """Whether all loops that were made are still proved to run in lanes, and those around on threads."""
    known = [loop for _, loop in inner(old)]
    made = [path for path, loop in inner(new) if not any(loop is s for s in known)]
    ways = [("lanes", path) for path in made] + [("spread", path) for path in {path[:1] for path in made}]
    return all(isinstance(named(w).check(new.kernel, p, ranges=new.ranges), Proved) for w, p in ways)
