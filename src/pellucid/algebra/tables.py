"""Definitions by cases, as histograms: from a search through all points for each case to one visit of each point.

A stage of `script`. For ``h[i] = sum(chi(a == i))`` the naive nest compares every pixel with every gray. White's
derivation (section 6.5) moves the loop over the cases inside, where the comparison makes it a single case: back
propagation, interchange, loop-conditional joining. What is left gathers, and a later stage does it in parts.
"""

from __future__ import annotations

from ..ir.expr import Buffer
from ..ir.nest import For, Statement, walk
from ..loops.analysis.forwarding import Arrays, arrays
from ..loops.core.registry import named
from ..loops.core.tactic import State, make, sequence
from ..loops.moves.inline_array import verdicts
from ..loops.scripts.strategies import (
    back_propagate,
    compound_optimize,
    force_lc_join,
    statement_simplify,
    wherever,
)
from ..reasoning.prove import Proved


def tables(state: State) -> State:
    """Every search that can become a visit; the kernel as it was, and nothing in the ledger, if there is none."""
    if not any(_by_cases(s) for s in walk(state.kernel.body)):
        return state
    steps = len(state.ledger.steps)
    new = sequence(
        inlined,
        statement_simplify,
        back_propagate(),
        wherever("guard_store"),
        compound_optimize(),
        force_lc_join,
        statement_simplify,
    )(state)
    if any(s.move == "join_conditional" and s.applied for s in state.ledger.steps[steps:]):
        return new
    del state.ledger.steps[steps:]
    return state


def _by_cases(s: Statement) -> bool:
    """Whether a statement does several things, one of them a loop, for each value of an index."""
    return isinstance(s, For) and len(s.body) > 1 and any(isinstance(x, For) for x in s.body)


def inlined(state: State) -> State:
    """`inline_array` for every array that is only looked at where it is stored: the loop that pays for it goes away."""
    done = True
    while done:
        found = arrays(state.kernel)
        names = [b.name for b, v in verdicts(state.kernel) if isinstance(v, Proved) and _at_points(found, b)]
        state, done = make(state, named("inline_array"), (), array=names[0]) if names else (state, False)
    return state


def _at_points(found: Arrays, buffer: Buffer) -> bool:
    """Whether an array is only loaded where it is stored: what looks at neighbors would be computed many times."""
    nest = found.known[buffer].filling
    return nest is not None and all(n.args[0] is nest.store.position for n in found.known[buffer].loads)
