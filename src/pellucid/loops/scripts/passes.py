"""Passes: rules on all expressions of a kernel as tactics, whose steps the ledger has made again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ...ir.expr import Expr
from ...ir.facts import Facts
from ...ir.nest import Kernel, all_roots, rewrite
from ...ir.verify import checking, verify_kernel
from ...reasoning.prove import Proved
from ..core.ledger import Ledger, Step
from ..core.tactic import State, Tactic, extended
from .widths import order_of

if TYPE_CHECKING:
    from ...rewriting.builder import Trace

Rewriting = Callable[[list[Expr], Mapping[Expr, Facts], tuple[int, ...], "Trace | None"], list[Expr]]
Proving = Callable[
    [dict[Expr, Facts], list[Expr], Mapping[Expr, Facts], tuple[int, ...], "Trace | None"], list[Expr]
]
EQUALS = "equals_for_equals"
"""The lemma of every pass: an expression may stand for an equal one. That they are equal is what its rules say."""


def rules(name: str, function: Rewriting, theorem: str) -> Tactic:
    """A pass over all expressions of a kernel as a tactic.

    The function gets the expressions, what is known of their leaves, the order of the loops, and a trace if somebody
    asks which rules were applied: the ledger has the pass made again for that.
    """

    def made(state: State, trace: Trace | None = None) -> Kernel:
        old = all_roots(state.kernel.body)
        found = function(old, state.ranges, order_of(state.kernel), trace)
        if found == old:
            return state.kernel
        new = dict(zip(old, found, strict=True))
        body = rewrite(state.kernel.body, lambda roots: tuple([new[r] for r in roots]))
        return replace(state.kernel, body=body)

    def tactic(state: State) -> State:
        kernel = made(state)
        if checking() >= 1:
            verify_kernel(kernel)
        # Without the ledger, which the step is part of.
        alone = replace(state, ledger=Ledger())

        def fired() -> Mapping[str, int]:
            from ...rewriting.builder import Trace

            trace = Trace()
            made(alone, trace)
            return trace.fired

        again = partial(made, alone)
        verdict = Proved(theorem, lemma=EQUALS)
        step = Step(name, f"kernel {kernel.name}", verdict, state.kernel, kernel, again=again, rules=fired)
        state.ledger.steps.append(step)
        return replace(state, kernel=kernel)

    return tactic


def keeping(name: str, function: Proving, theorem: str) -> Tactic:
    """As `rules`, for a function that leaves what is proved of its new nodes in the mapping that it gets first."""

    def tactic(state: State) -> State:
        proved: dict[Expr, Facts] = {}
        state = rules(name, partial(function, proved), theorem)(state)
        return replace(state, ranges=extended(state.ranges, proved))

    return tactic


def if_any(tactic: Tactic) -> Tactic:
    """A pass that is worth a line in the ledger only where it changes something."""

    def quiet(state: State) -> State:
        steps = len(state.ledger)
        new = tactic(state)
        if new.kernel is not state.kernel:
            return new
        del state.ledger.steps[steps:]
        return state

    return quiet
