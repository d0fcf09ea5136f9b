"""White's heuristics (section 6.4) as tactics, under her names: fixed orders in which moves are tried on a program.

None of them can do harm to the meaning, for every step is a move with its proof; whether they gain anything is for the
timer to say. Where White hands a statement to a function, these look at a whole kernel; in place of live variables they
take the names of the outputs that are needed.

    state = tactic.run(for_optimize(live=["h"]), kernel)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...ir.expr import LEAVES, Expr
from ...ir.nest import Block, For, If, Kernel, Statement, Store, blocks
from ...ir.path import Path, at
from ...ir.path import walk as paths
from ..core.elements import index_facts
from ..core.registry import named
from ..core.tactic import State, Tactic, make, repeat, sequence
from .passes import if_any, rules

Live = Sequence[str] | None
"""Names of the outputs that are needed at the end; None for all of them."""
PEEPHOLES = ("simplify_if", "eliminate_loop", "compress")
"""The moves of White's StatementSimplify, beside the rules on expressions."""


def attempted(state: State, move: str, path: Path, **options: Any) -> State | None:
    """The state after a move at a site, or None if it is refused, which is not worth a line in the ledger here."""
    new, done = make(state, named(move), path, **options)
    if not done:
        state.ledger.steps.pop()
    return new if done else None


def wherever(move: str, **options: Any) -> Tactic:
    """A move wherever it is proved, until it is nowhere; what is refused is not written down.

    Every sweep goes from the last site to the first: what a move changes there leaves the paths of those before alone.
    """

    def tactic(state: State) -> State:
        before: Kernel | None = None
        while state.kernel is not before:
            before = state.kernel
            for path in sorted(named(move).find(state.kernel, **options), reverse=True):
                if exists(state.kernel.body, path):
                    state = attempted(state, move, path, **options) or state
        return state

    return tactic


def exists(block: Block, path: Path) -> bool:
    """Whether a statement stands at a path, or the path is that of the whole kernel.

    >>> exists((), ()), exists((), ((0, 0),))
    (True, False)
    """
    around: tuple[Block, ...] = (block,)
    for number, position in path:
        if number >= len(around) or position >= len(around[number]):
            return False
        around = blocks(around[number][position])
    return True


# ---- expressions and peepholes ----


def simplify_expressions(state: State) -> State:
    """All expressions in simplest form, by the rules labelled exact and what the bounds of loops say."""
    from ...rewriting.simplify import simplify

    exact = rules(
        "simplify",
        lambda old, ranges, _, trace: simplify(old, numerics="exact", ranges=ranges, trace=trace),
        "rules labelled exact",
    )
    new = if_any(exact)(replace(state, ranges=index_facts(state.kernel, state.ranges)))
    return state if new.kernel is state.kernel else replace(new, ranges=state.ranges)


def statement_simplify(state: State) -> State:
    """White's StatementSimplify: rules on expressions, decided and empty branches, empty loops, nullable statements."""
    return repeat(sequence(simplify_expressions, *(wherever(move) for move in PEEPHOLES)))(state)


# ---- propagation and dead variables ----


def do_all_prop(state: State) -> State:
    """White's DoAllProp: copies ``x := v`` and ``x := m`` go down as far as they can, leaving their values behind."""
    # Each of them once, as two copies could pass each other forever; the last first, which leaves earlier paths alone.
    for path in [p for p, s in paths(state.kernel.body) if _is_copy(s)][::-1]:
        state = _sunk(state, path)
    return state


def _is_copy(s: Statement) -> bool:
    return isinstance(s, Store) and s.buffer.size == 1 and (s.value.op in LEAVES or s.value.op == "load")


def _sunk(state: State, path: Path) -> State:
    below: State | None = state
    while below is not None:
        state = below
        below = attempted(state, "interchange_with_substitution", path)
        path = _moved(path, 1)
    return state


def _moved(path: Path, by: int) -> Path:
    number, position = path[-1]
    return (*path[:-1], (number, position + by))


def propagate_and_simplify(state: State) -> State:
    """White's PropagateAndSimplify: peepholes and forward propagation, once each and peepholes again."""
    return sequence(statement_simplify, do_all_prop, statement_simplify)(state)


def back_propagate(index: str | None = None) -> Tactic:
    """White's BackPropagate: in loops, ``a[i] := x`` goes up, and what was done to x is done to a[i] instead.

    Only copies of a scalar into an element that the loop's index is in, as White has it; of that index only, if named.
    """

    def tactic(state: State) -> State:
        for path in sorted((p for p, s in paths(state.kernel.body) if isinstance(s, For)), reverse=True):
            loop = at(state.kernel.body, path)
            if isinstance(loop, For) and index in (None, loop.index.attr):
                for s in [s for s in loop.body if _goes_up(s, loop)]:
                    body = blocks(at(state.kernel.body, path))[0]
                    position = next(k for k, other in enumerate(body) if other is s)
                    state = _risen(state, (*path, (0, position)))
        return state

    return tactic


def _goes_up(s: Statement, loop: For) -> bool:
    copied = isinstance(s, Store) and s.value.op == "load" and s.value.attr.size == 1
    return copied and isinstance(s, Store) and bool(s.position.free & loop.index.free)


def _risen(state: State, path: Path) -> State:
    while path[-1][1] > 0:
        path = _moved(path, -1)
        above = attempted(state, "interchange_with_back_substitution", path)
        if above is None:
            break
        state = above
    return state


def remove_dead_vars(live: Live = None) -> Tactic:
    """White's RemoveDeadVars: what is overwritten unseen goes, and what feeds no output that is needed."""
    return sequence(wherever("compress"), wherever("eliminate_dead", live=live), statement_simplify)


# ---- loops ----


def extract_for_stat(block: Block) -> For | None:
    """White's ExtractForStat: the first loop of a compound statement, or None."""
    return next((s for s in block if isinstance(s, For)), None)


def split_compound_around_if(index: Expr, test: If) -> Tactic:
    """White's SplitCompoundAroundIf: an `if` on an index alone in the loops between, by splitting those.

    The kernel as it was, if some statement cannot be parted from it.
    """

    def tactic(state: State) -> State:
        start, steps = state, len(state.ledger)
        while True:
            cut = _crowded(state.kernel, index, test)
            if cut is None:
                return state
            new = attempted(state, "split_loop", cut)
            if new is None:
                del state.ledger.steps[steps:]
                return start
            state = new

    return tactic


def _crowded(kernel: Kernel, index: Expr, test: If) -> Path | None:
    """The path at which to cut the innermost loop with statements before or after the branch; None if there is none."""
    path = _path_of(kernel, test)
    while path is not None and len(path) > 1:
        loop = at(kernel.body, path[:-1])
        if not isinstance(loop, For):
            return None
        position = path[-1][1]
        if position > 0:
            return path
        if position + 1 < len(loop.body):
            return _moved(path, 1)
        if loop.index is index:
            return None
        path = path[:-1]
    return None


def _path_of(kernel: Kernel, statement: Statement) -> Path | None:
    """The path of a statement: moves that only rearrange leave it the same object."""
    return next((path for path, s in paths(kernel.body) if s is statement), None)


def force_lc_join(state: State) -> State:
    """White's ForceLCJoin: split and interchange loops until a test on an index can join that index's loop.

    A join that cannot be reached leaves nothing changed behind.
    """
    before: Kernel | None = None
    while state.kernel is not before:
        before = state.kernel
        for index, test in list(_tests(state.kernel)):
            state = _joined(state, index, test) or state
    return state


def _tests(kernel: Kernel) -> Iterator[tuple[Expr, If]]:
    """Branches with an index that their condition depends on, outer indices first."""
    for path, s in paths(kernel.body):
        if isinstance(s, If) and not s.selects:
            for k in range(1, len(path)):
                loop = at(kernel.body, path[:k])
                if isinstance(loop, For) and s.condition.free & loop.index.free:
                    yield loop.index, s


def _joined(state: State, index: Expr, test: If) -> State | None:
    """The state after a test has joined the loop of an index, or None; then the ledger is as it was."""
    steps = len(state.ledger)
    state = split_compound_around_if(index, test)(state)
    while True:
        path = _loop_of(state.kernel, index, test)
        if path is None:
            # It has joined another loop in the meantime.
            return None
        body = blocks(at(state.kernel.body, path))[0]
        last = len(body) == 1 and body[0] is test
        new = attempted(state, "join_conditional" if last else "interchange_loops", path)
        if new is None:
            del state.ledger.steps[steps:]
            return None
        if last:
            return new
        state = new


def _loop_of(kernel: Kernel, index: Expr, test: If) -> Path | None:
    """The loop of an index around a statement."""
    path = _path_of(kernel, test) or ()
    for k in range(1, len(path)):
        loop = at(kernel.body, path[:k])
        if isinstance(loop, For) and loop.index is index:
            return path[:k]
    return None


def force_move_code(state: State) -> State:
    """White's ForceMoveCode: every statement that is the same in all iterations leaves its loop."""
    return wherever("move_code")(state)


def compound_optimize(live: Live = None) -> Tactic:
    """White's CompoundOptimize: propagation, simplification and the removal of what is dead, until nothing changes."""
    return repeat(sequence(propagate_and_simplify, remove_dead_vars(live)))


def for_optimize(live: Live = None) -> Tactic:
    """White's ForOptimize (Figure 6.2): simplify, propagate back, optimize inside, move code, join tests, simplify."""
    return sequence(
        statement_simplify,
        back_propagate(),
        compound_optimize(live),
        force_move_code,
        force_lc_join,
        statement_simplify,
    )


HEURISTICS: Mapping[str, Callable[..., Any]] = {
    "StatementSimplify": statement_simplify,
    "DoAllProp": do_all_prop,
    "PropagateAndSimplify": propagate_and_simplify,
    "BackPropagate": back_propagate,
    "RemoveDeadVars": remove_dead_vars,
    "CompoundOptimize": compound_optimize,
    "ForOptimize": for_optimize,
    "ExtractForStat": extract_for_stat,
    "SplitCompoundAroundIf": split_compound_around_if,
    "ForceLCJoin": force_lc_join,
    "ForceMoveCode": force_move_code,
}
"""The heuristics by the names that they have in the dissertation."""
