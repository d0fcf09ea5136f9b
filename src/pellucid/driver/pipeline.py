"""The default optimizer: an ordinary script of tactics over the same moves that a person can call.

Simplify by rules, expand the elementary functions, then the structure of the loops, then the places. Every step goes
into the ledger, and `explain` prints the program after each stage.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from ..ir.expr import Expr
from ..ir.facts import Facts
from ..ir.nest import Kernel, all_roots, rewrite
from ..ir.verify import checking, verify_kernel
from ..loops.cycles import by_lanes, order_of, take_cycles
from ..loops.ledger import Ledger, Step
from ..loops.move import Proved
from ..loops.strategies import attempted, index_facts
from ..loops.tactic import State, Tactic, attempt, everywhere
from .options import Options

Stage = tuple[str, Tactic]


def rules(
    name: str,
    function: Callable[..., list[Expr]],
    theorem: str,
    order: tuple[int, ...] | None = None,
    **options: object,
) -> Tactic:
    """A pass over all expressions of a kernel as a tactic; it is told the order of the loops."""

    def made(state: State) -> Kernel:
        old, loops = all_roots(state.kernel.body), order_of(state.kernel) if order is None else order
        new = dict(zip(old, function(old, ranges=state.ranges, order=loops, **options), strict=True))
        body = rewrite(state.kernel.body, lambda roots: tuple(new[r] for r in roots))
        return replace(state.kernel, body=body)

    def tactic(state: State) -> State:
        kernel = made(state)
        if checking() >= 1:
            verify_kernel(kernel)
        again = partial(made, state)
        step = Step(name, f"kernel {kernel.name}", Proved(theorem), state.kernel, kernel, again=again)
        state.ledger.steps.append(step)
        return replace(state, kernel=kernel)

    return tactic


def expansion(options: Options, order: tuple[int, ...] | None = None) -> Tactic:
    """The pass that replaces rows by their bodies; what the rows' facts say of the bodies is kept for the back end."""

    def tactic(state: State) -> State:
        from ..rewriting.expand import expand

        proved: dict[Expr, Facts] = {}
        words = {"numerics": options.numerics, "proved": proved}
        state = rules("expand", expand, "a row means its body", order, **words)(state)
        return replace(state, ranges={**state.ranges, **proved})

    return tactic


def if_any(tactic: Tactic) -> Tactic:
    """A pass that is worth a line in the ledger only where it changes something."""

    def quiet(state: State) -> State:
        steps = len(state.ledger)
        new = tactic(state)
        if all_roots(new.kernel.body) != all_roots(state.kernel.body):
            return new
        del state.ledger.steps[steps:]
        return state

    return quiet


def cyclic(again: Tactic) -> Tactic:
    """Cycles taken at once; then, if there are any, what is constant now is worked out."""

    def tactic(state: State) -> State:
        new = take_cycles(state)
        if new.kernel is state.kernel:
            return state
        return again(replace(new, ranges=index_facts(new.kernel, new.ranges)))

    return tactic


def script(options: Options, lanes: int) -> list[Stage]:
    """The stages of the default optimizer, in order, each under the name that `explain` shows."""
    from ..rewriting.narrow import narrow
    from ..rewriting.regions import regions
    from ..rewriting.simplify import simplify

    labels = (
        "rules labelled exact"
        if options.numerics == "exact"
        else "rules labelled exact, reassociating or approximate"
    )
    simplified = rules("simplify", simplify, labels, numerics=options.numerics)
    return [
        ("simplified", simplified),
        ("cycles", cyclic(simplified)),
        ("lookups", lambda state: attempted(state, "look_up", ()) or state),
        ("expanded", expansion(options)),
        ("narrowed", if_any(rules("narrow", narrow, "facts show that 16 bits hold what is in 32"))),
        (
            "regions",
            rules(
                "regions",
                regions,
                "tests that no truth depends on may come in any order",
                numerics=options.numerics,
            ),
        ),
        ("tabulated", everywhere("tabulate", limit=4)),
        ("spread", attempt("spread", band=8)),
        ("vectorized", by_lanes(lanes, options.real.bits) if lanes > 1 else attempt("lanes", count=1)),
        ("placed", attempt("place")),
    ]


@dataclass(frozen=True, slots=True)
class Optimized:
    """The kernel after every stage, by name, and the ledger."""

    stages: dict[str, Kernel]
    ledger: Ledger
    ranges: Mapping[Expr, Facts]

    @property
    def kernel(self) -> Kernel:
        """The kernel after the last stage."""
        return list(self.stages.values())[-1]


def optimize(kernel: Kernel, ranges: Mapping[Expr, Facts], options: Options, lanes: int) -> Optimized:
    """Run the default script on a kernel, keeping what each stage made.

    With PELLUCID_CHECK=2 every node is verified after every stage and every proof is run again.
    """
    state = State(kernel, ranges, Ledger())
    stages = {"inlined": kernel}
    for name, tactic in script(options, lanes):
        state = tactic(state)
        stages[name] = state.kernel
    if checking() >= 2:
        state.ledger.recheck()
    return Optimized(stages, state.ledger, state.ranges)
