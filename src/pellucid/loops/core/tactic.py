"""Tactics: functions from one state of an optimization to the next, combined from moves.

A tactic takes and gives a `State`, a kernel with its ledger. `attempt` makes one move where it is first proved;
`everywhere` makes it wherever it is proved; `sequence`, `repeat`, `first` and `when` combine tactics. The default
optimizer is a script of these (`driver.pipeline`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ...base.record import record
from ...ir.expr import Expr
from ...ir.facts import Facts
from ...ir.nest import Kernel
from ...ir.path import Path, describe
from ...ir.verify import checking, verify_kernel
from ...reasoning.infer import Ranges
from ...reasoning.prove import Proved
from .ledger import Ledger, Step
from .move import Move
from .registry import named


@record
class State:
    """A kernel on its way, what is known of its parameters and other expressions, and the ledger so far."""

    kernel: Kernel
    ranges: Mapping[Expr, Facts]
    ledger: Ledger


Tactic = Callable[[State], State]


def extended(ranges: Mapping[Expr, Facts], more: Mapping[Expr, Facts]) -> Mapping[Expr, Facts]:
    """The ranges with more facts."""
    if not more:
        return ranges
    return ranges.and_more(more) if isinstance(ranges, Ranges) else {**ranges, **more}


def make(state: State, move: Move, path: Path, **options: Any) -> tuple[State, bool]:
    """Try a move at a site: check it, apply it if proved, write the ledger. Returns whether it was applied."""
    kernel, ranges = state.kernel, state.ranges
    verdict = move.check(kernel, path, ranges=ranges, **options)
    site = describe(kernel.body, path) if path else f"kernel {kernel.name}"
    if not isinstance(verdict, Proved):
        step = Step(move.name, site, verdict, kernel, kernel, path=path, options=options)
        state.ledger.steps.append(step)
        return state, False
    applied = move.apply(kernel, path, ranges=ranges, **options)
    if checking() >= 1:
        verify_kernel(applied.kernel)

    def again() -> Kernel:
        return make(State(kernel, ranges, Ledger()), move, path, **options)[0].kernel

    derive = None if move.derive is None else partial(move.derive, kernel, path, ranges=ranges, **options)
    step = Step(
        move.name, site, verdict, kernel, applied.kernel, applied.details, path, options, again, derive
    )
    state.ledger.steps.append(step)
    return replace(state, kernel=applied.kernel, ranges=extended(ranges, applied.known)), True


def attempt(name: str, **options: Any) -> Tactic:
    """The move at the first site where it is proved; the state as it was if there is none."""

    def tactic(state: State) -> State:
        move = named(name)
        for path in move.find(state.kernel, **options):
            state, done = make(state, move, path, **options)
            if done:
                break
        return state

    return tactic


def everywhere(name: str, limit: int = 100, **options: Any) -> Tactic:
    """The move again and again until no site is left where it is proved, at most `limit` times."""

    def tactic(state: State) -> State:
        move = named(name)
        for _ in range(limit):
            for path in move.find(state.kernel, **options):
                new, done = make(state, move, path, **options)
                if done:
                    break
            else:
                break
            state = new
        return state

    return tactic


def sequence(*tactics: Tactic) -> Tactic:
    """One tactic after the other."""

    def tactic(state: State) -> State:
        for t in tactics:
            state = t(state)
        return state

    return tactic


def repeat(inner: Tactic, limit: int = 100) -> Tactic:
    """A tactic until it changes nothing, at most `limit` times."""

    def tactic(state: State) -> State:
        for _ in range(limit):
            new = inner(state)
            if new.kernel is state.kernel:
                break
            state = new
        return state

    return tactic


def first(*tactics: Tactic) -> Tactic:
    """The first of several tactics that changes the kernel."""

    def tactic(state: State) -> State:
        for t in tactics:
            new = t(state)
            if new.kernel is not state.kernel:
                return new
        return state

    return tactic


def when(condition: Callable[[Kernel], bool], then: Tactic) -> Tactic:
    """A tactic only for kernels that meet a condition."""
    return lambda state: then(state) if condition(state.kernel) else state


def run(tactic: Tactic, kernel: Kernel, ranges: Mapping[Expr, Facts] | None = None) -> State:
    """Optimize a kernel by a tactic; the result holds the new kernel and the ledger."""
    return tactic(State(kernel, ranges or {}, Ledger()))
