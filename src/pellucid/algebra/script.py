"""The script that makes a naive nest fast: an ordinary list of tactics over the moves that a person can call.

Between `naive` and `program`. Every step is a move with its proof, or a pass over expressions with its label, and goes
into the ledger.
"""

from __future__ import annotations

from ..backends.port import Backend
from ..driver.options import Options
from ..driver.pipeline import Optimized, Stage, expansion
from ..ir.nest import Kernel
from ..loops.ledger import Ledger
from ..loops.tactic import State, attempt


def script(options: Options) -> list[Stage]:
    """The stages in order, each under the name that `explain` shows."""
    return [("placed", attempt("place"))]


def optimized(kernel: Kernel, options: Options, backend: Backend, *, optimize: bool = True) -> Optimized:
    """The nest after each stage of the script; with `optimize=False` rows are replaced by their bodies, no more."""
    state = State(kernel, {}, Ledger())
    stages = {"naive": kernel}
    chosen = script(options) if optimize else [("expanded", expansion(options, ()))]
    for name, tactic in chosen:
        state = tactic(state)
        stages[name] = state.kernel
    return Optimized(stages, state.ledger, state.ranges)
