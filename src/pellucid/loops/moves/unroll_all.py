"""unroll_all: a loop of few iterations becomes its iterations, one after the other (White 4.3.2, repeated)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...ir.expr import Expr, const
from ...ir.facts import Facts
from ...ir.nest import SEQ, For, Kernel
from ...ir.path import Path, at
from ...ir.path import walk as paths
from ...reasoning.prove import Verdict, decided
from ..analysis.adjacent import loop, replaced, told
from ..analysis.iteration import in_order
from ..core.build import with_value
from ..core.ledger import Ledger
from ..core.move import Applied, Move
from ..core.registry import named
from ..core.tactic import State, make
from ..core.theorem import Clause, Site, Theorem

MAX_ITERATIONS = 64
"""Iterations beyond which the code would be too long."""


def trips(s: For) -> range:
    """The iterations of a loop with constant bounds."""
    return range(s.lo.attr, s.hi.attr)


def _constant(s: For) -> bool:
    return s.lo.op == s.hi.op == "const"


def find(kernel: Kernel, *, most: int = MAX_ITERATIONS, **_: Any) -> Iterable[Path]:
    """Loops with constant bounds and few iterations, inner ones first."""
    loops = [(p, s) for p, s in paths(kernel.body) if isinstance(s, For) and s.how == SEQ and _constant(s)]
    return [p for p, s in sorted(loops, key=lambda x: -len(x[0])) if len(trips(s)) <= most]


def _constant_bounds(site: Site) -> Verdict:
    fits = in_order(site) and _constant(loop(site))
    return decided(fits, "the loop runs in order over constants", f"{told(site)} does not")


def _few(site: Site) -> Verdict:
    count, most = len(trips(loop(site))), site.options.get("most", MAX_ITERATIONS)
    return decided(count <= most, "there are few", f"there are {count}")


THEOREM = Theorem(
    "White 4.3.2, repeated",
    "A loop over constants is its iterations, one after the other.",
    (),
    lemma="full_unrolling",
    shape=Clause("constant-bounds", "the site is a loop that runs in order over constants", _constant_bounds),
)

FEW = Clause(
    "few-iterations", lambda s: f"there are at most {s.options.get('most', MAX_ITERATIONS)} iterations", _few
)


def apply(kernel: Kernel, path: Path, *, most: int = MAX_ITERATIONS, **_: Any) -> Applied:
    """The body once for each iteration."""
    s = at(kernel.body, path)
    assert isinstance(s, For)  # noqa: S101 - checked
    copies = [with_value(s.body, s.index, const(k, s.index.type)) for k in trips(s)]
    return replaced(kernel, path, 1, tuple(x for block in copies for x in block))


def derive(kernel: Kernel, path: Path, *, ranges: Mapping[Expr, Facts] | None = None, **_: Any) -> Ledger:
    """The same, one iteration at a time from the last, and then the loop without any."""
    s = at(kernel.body, path)
    assert isinstance(s, For)  # noqa: S101 - checked
    state = State(kernel, ranges or {}, Ledger())
    for _k in trips(s):
        state, _done = make(state, named("unroll"), path, end="last")
    state, _done = make(state, named("eliminate_loop"), path)
    return state.ledger


MOVE = Move(
    "unroll_all",
    "Write out the iterations of a loop over constants.",
    find,
    apply,
    (THEOREM,),
    derive,
    (FEW,),
)
