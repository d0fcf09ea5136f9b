"""The default optimizer: an ordinary script of tactics over the same moves that a person can call.

Simplify by rules, expand the elementary functions, then the structure of the loops, then the places. Every step goes
into the ledger, and `explain` prints the program after each stage.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..base.record import record
from ..ir.expr import Expr
from ..ir.facts import Facts
from ..ir.nest import For, Kernel
from ..ir.verify import checking
from ..loops.core.elements import index_facts
from ..loops.core.ledger import Ledger
from ..loops.core.registry import named
from ..loops.core.tactic import State, Tactic, attempt, everywhere, make, sequence
from ..loops.scripts.borders import borders
from ..loops.scripts.cycles import take_cycles
from ..loops.scripts.passes import if_any, keeping, rules
from ..loops.scripts.splitting import split_rows, unswitch_rows
from ..loops.scripts.strategies import attempted, wherever
from ..loops.scripts.widths import by_lanes
from ..reasoning.infer import Ranges
from .options import Options

Stage = tuple[str, Tactic]
ROWS_OF_A_BLOCK = 4
"""Rows of pixels of a block of threads, which is 32 wide: four warps keep a GPU's registers and its schedulers busy."""


def simplification(options: Options) -> Tactic:
    """The pass that brings expressions into simplest form by the rules that the numerics allow."""
    from ..rewriting.simplify import simplify

    more = "" if options.numerics == "exact" else ", reassociating or approximate"
    return rules(
        "simplify",
        lambda old, ranges, order, trace: simplify(
            old, ranges=ranges, numerics=options.numerics, order=order, trace=trace
        ),
        f"rules labelled exact{more}",
    )


def expansion(options: Options) -> Tactic:
    """The pass that replaces rows by their bodies; what the rows' facts say of the bodies is kept for the back end."""
    from ..rewriting.expand import expand

    return keeping(
        "expand",
        lambda proved, old, ranges, order, trace: expand(
            old, options.numerics, ranges=ranges, order=order, trace=trace, proved=proved
        ),
        "a row means its body",
    )


def fusion(options: Options) -> Tactic:
    """The pass that gives expressions their final form, bit for bit, but for the bodies of rows, which stay whole."""
    from ..rewriting.expand import expand

    return rules(
        "fuse",
        lambda old, ranges, order, trace: expand(
            old, options.numerics, ranges=ranges, order=order, trace=trace, whole=True
        ),
        "products fused with sums where the numerics allow it",
    )


def cyclic(again: Tactic) -> Tactic:
    """Cycles taken at once; then, if there are any, what is constant now is worked out."""

    def tactic(state: State) -> State:
        new = take_cycles(state)
        if new.kernel is state.kernel:
            return state
        return again(replace(new, ranges=index_facts(new.kernel, new.ranges)))

    return tactic


def script(options: Options, lanes: int) -> list[Stage]:
    """The stages of the default optimizer, in order, each under the name that `explain` shows.

    For the tile machine, which has its own way of drawing a frame, there are only those that change expressions.
    """
    from ..rewriting.narrow import narrow

    first, simplified = _simplified(options)
    narrowed = keeping(
        "narrow",
        lambda proved, old, ranges, _, trace: narrow(old, ranges=ranges, proved=proved, trace=trace),
        "facts show that 16 bits hold what is in 32",
    )
    if options.backend == "tiles":
        return [first, ("fused", fusion(options))]
    if options.backend == "cuda":
        return grid_script(options)
    if options.backend == "wgpu":
        return shader_script(options)
    return [
        first,
        ("cycles", cyclic(simplified)),
        ("lookups", lambda state: attempted(state, "look_up", ()) or state),
        ("expanded", expansion(options)),
        ("narrowed", if_any(narrowed)),
        ("regions", _grouped()),
        ("tabulated", everywhere("tabulate", limit=4)),
        # The interpreter in NumPy takes whole frames at once; a C compiler has stages of its own.
        *([("rows", split_rows)] if lanes > 1 and options.backend != "c" else []),
        ("spread", attempt("spread", band=8)),
        *(
            _plain_loops(lanes)
            if options.backend == "c"
            else [
                (
                    "vectorized",
                    by_lanes(lanes, options.real.bits) if lanes > 1 else attempt("lanes", count=1),
                ),
                ("placed", attempt("place")),
            ]
        ),
    ]


def _plain_loops(lanes: int) -> list[Stage]:
    """The last stages for a C compiler, which makes vectors of plain loops: all steps of iterations are such loops.

    What leaves a loop is computed at once, and so are both sides of choices. With `lanes`, so many pixels are a block.
    """
    block = {"size": lanes} if lanes > 1 else {}
    return [
        ("rows", unswitch_rows),
        ("arms", wherever("skip_arm", **block)),
        ("lockstep", wherever("lockstep", **block)),
        ("placed", attempt("place", defer=False, threshold=math.inf)),
        ("joined", wherever("join_loops")),
    ]


def _simplified(options: Options) -> tuple[Stage, Tactic]:
    """The first stage of every script of pictures, and the simplification that is part of it."""
    from ..rewriting.truths import truths

    simplified = simplification(options)
    taken_apart = rules(
        "truths",
        lambda old, ranges, _, trace: truths(old, ranges=ranges, numerics=options.numerics, trace=trace),
        "a minimum is below what one of its operands is below",
    )
    return ("simplified", sequence(taken_apart, simplified)), simplified


def _grouped() -> Tactic:
    """The pass that puts tests in an order in which those that decide the most come first."""
    from ..rewriting.regions import regions

    return keeping(
        "regions",
        lambda proved, old, ranges, order, trace: regions(
            old, order, ranges=ranges, proved=proved, trace=trace
        ),
        "tests that no truth depends on may come in any order",
    )


def shader_script(options: Options) -> list[Stage]:
    """The stages for a GPU, which runs the loops over pixels itself: only expressions and their places change."""
    first, simplified = _simplified(options)
    return [
        first,
        ("cycles", cyclic(simplified)),
        ("expanded", expansion(options)),
        _unfusing(folds=True),
        ("regions", _grouped()),
        ("placed", attempt("place")),
    ]


def module_script(options: Options, lanes: int) -> list[Stage]:
    """The stages for WebAssembly: one function by lanes, without threads, tables, or memory of its own.

    In relaxed numerics nothing is fused, which WebAssembly cannot do at once.
    """
    first, simplified = _simplified(options)
    return [
        first,
        ("cycles", cyclic(simplified)),
        ("expanded", expansion(options)),
        *([] if options.numerics == "exact" else [_unfusing(folds=False)]),
        ("regions", _grouped()),
        ("vectorized", by_lanes(lanes, options.real.bits)),
        ("placed", attempt("place")),
    ]


def grid_script(options: Options) -> list[Stage]:
    """The stages for a GPU that is exact: each pixel is a thread, which computes what it wants by itself."""
    first, simplified = _simplified(options)
    return [
        first,
        ("cycles", cyclic(simplified)),
        ("expanded", expansion(options)),
        ("regions", _grouped()),
        ("grid", sequence(attempt("grid", block=ROWS_OF_A_BLOCK), attempt("grid"))),
        ("placed", attempt("place")),
    ]


def _unfusing(*, folds: bool) -> Stage:
    from ..rewriting.unfused import unfused

    return (
        "unfused",
        keeping(
            "unfuse",
            lambda proved, old, ranges, _, trace: unfused(
                old, folds=folds, ranges=ranges, proved=proved, trace=trace
            ),
            "the nearest whole number and the rest of a product, without fused operations",
        ),
    )


def array_script(options: Options, lanes: int, ranges: Mapping[Expr, Facts]) -> list[Stage]:
    """The stages for loops over whole arrays: each index is known by its bounds, and borders are taken apart.

    `ranges` gives what is known of parameters.
    """

    def bounded(state: State) -> State:
        return replace(state, ranges=Ranges(index_facts(state.kernel, ranges)))

    simplified = sequence(bounded, simplification(options))
    return [
        ("simplified", simplified),
        ("split", sequence(borders, simplified)),
        ("expanded", expansion(options)),
        *(
            [("grid", on_grid)]
            if options.backend == "cuda"
            else [
                ("spread", spread),
                (
                    "vectorized",
                    by_lanes(lanes, options.real.bits) if lanes > 1 else attempt("lanes", count=1),
                ),
            ]
        ),
        ("placed", attempt("place")),
    ]


def on_grid(state: State) -> State:
    """`grid` for every loop of a kernel that is in no other one, and for the loop that is all it does."""
    move = named("grid")
    for k, s in enumerate(state.kernel.body):
        if isinstance(s, For):
            inner = len(s.body) == 1 and isinstance(s.body[0], For)
            state, done = make(state, move, ((0, k),), **({"block": ROWS_OF_A_BLOCK} if inner else {}))
            if done and inner:
                state, _ = make(state, move, ((0, k), (0, 0)))
    return state


def spread(state: State) -> State:
    """`spread` for every loop of a kernel that is in no other one."""
    move = named("spread")
    for k, s in enumerate(state.kernel.body):
        if isinstance(s, For):
            state, _ = make(state, move, ((0, k),), band=8)
    return state


@record
class Optimized:
    """The kernel after every stage, by name, and the ledger."""

    stages: dict[str, Kernel]
    ledger: Ledger
    ranges: Mapping[Expr, Facts]

    @property
    def kernel(self) -> Kernel:
        """The kernel after the last stage."""
        return list(self.stages.values())[-1]


def optimize(
    kernel: Kernel,
    ranges: Mapping[Expr, Facts],
    options: Options,
    lanes: int,
    stages: Sequence[Stage] | None = None,
) -> Optimized:
    """Run the default script on a kernel, or other stages, keeping what each stage made.

    With PELLUCID_CHECK=2 every node is verified after every stage and every proof is run again.
    """
    state = State(kernel, Ranges(ranges), Ledger())
    made = {"inlined": kernel}
    for name, tactic in script(options, lanes) if stages is None else stages:
        steps = len(state.ledger)
        state = tactic(state)
        state.ledger.mark(name, steps)
        made[name] = state.kernel
    if checking() >= 2:
        state.ledger.recheck()
    return Optimized(made, state.ledger, state.ranges)
