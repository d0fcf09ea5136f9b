"""lockstep: the iterations of a block of a loop make their steps together, from arrays that hold their states.

A C compiler makes vectors of plain loops, and of none whose body repeats something until a test of its own. Cut into
blocks, such a loop is three plain ones: the first fills an array for each component of the state; the second makes a
step for all elements, again and again as long as some element wants one; the last does what follows. Sources: masks
for conditions (Allen, Kennedy and others, 1983); work items between barriers as loops (Jaaskelainen and others, 2015).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...ir.expr import Expr
from ...ir.facts import Facts
from ...ir.nest import Kernel
from ...ir.path import Path, at
from ...ir.path import walk as paths
from ...reasoning.prove import Verdict, decided
from ..analysis.blocked import MEMORY_UNCHANGED, in_blocks, in_domain
from ..analysis.bounds import BOUNDS_UNCHANGED
from ..analysis.stepping import Stepping
from ..analysis.strips import NO_OVERFLOW, POSITIVE, SIZE
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Loops that iterate, inner ones first."""
    yield from reversed([path for path, s in paths(kernel.body) if Stepping.of(s)])


def _iterates(site: Site) -> Verdict:
    found = Stepping.of(site.statement) is not None
    return decided(found, "a value of its stores iterates", "other statements are in it, or no iteration")


def apply(
    kernel: Kernel, path: Path, *, size: int = SIZE, ranges: Mapping[Expr, Facts] | None = None, **_: Any
) -> Applied:
    """The loop over blocks, and in it the arrays and the loops over a block."""
    found = Stepping.of(at(kernel.body, path))
    assert found is not None  # noqa: S101 - checked
    return in_blocks(kernel, path, size, found.together, ranges)


LOCKSTEP = Theorem(
    "steps that share nothing may be made together",
    "The iterations of a block may make their steps side by side.",
    (POSITIVE, BOUNDS_UNCHANGED, NO_OVERFLOW, MEMORY_UNCHANGED, in_domain(apply)),
    shape=Clause(
        "iterates", "the site is a loop in order of stores alone, one of whose values iterates", _iterates
    ),
)
DOC = "Make the steps of a block of iterations together, from arrays of their states."
MOVE = Move("lockstep", DOC, find, apply, (LOCKSTEP,))
