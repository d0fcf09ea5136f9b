"""skip_arm: a dear side of the choices on a condition is computed for a block of iterations, if one of them wants it.

Vectors compute both sides of a choice. In a loop cut into blocks, one loop finds out who wants a side, a second one
computes it for all of the block, unless none wants it, and a third does what follows. Source: branches on conditions
of whole vectors (Shin, "Introducing Control Flow into Vectorized Code", 2007).
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
from ..analysis.arms import MIN_COST, DearArm
from ..analysis.blocked import MEMORY_UNCHANGED, in_blocks, in_domain
from ..analysis.bounds import BOUNDS_UNCHANGED
from ..analysis.strips import NO_OVERFLOW, POSITIVE, SIZE
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, *, dear: float = MIN_COST, **_: Any) -> Iterable[Path]:
    """Loops with such choices, inner ones first."""
    yield from reversed([path for path, s in paths(kernel.body) if DearArm.of(s, dear)])


def _has_arm(site: Site) -> Verdict:
    found = DearArm.of(site.statement, site.options.get("dear", MIN_COST)) is not None
    return decided(found, "a side of a choice is dear", "other statements are in it, or no side is dear")


def apply(
    kernel: Kernel,
    path: Path,
    *,
    size: int = SIZE,
    dear: float = MIN_COST,
    ranges: Mapping[Expr, Facts] | None = None,
    **_: Any,
) -> Applied:
    """The loop over blocks, and in it the arrays and the loops over a block."""
    found = DearArm.of(at(kernel.body, path), dear)
    assert found is not None  # noqa: S101 - checked
    return in_blocks(kernel, path, size, found.skipped, ranges)


SKIP = Theorem(
    "a side that is not chosen may be left out",
    "A side of choices may be computed for a block of iterations, if one of them chooses it.",
    (POSITIVE, BOUNDS_UNCHANGED, NO_OVERFLOW, MEMORY_UNCHANGED, in_domain(apply)),
    shape=Clause(
        "dear-arm",
        "the site is a loop in order of stores alone, with a choice of which a side is dear",
        _has_arm,
    ),
)
DOC = "Compute a dear side of choices for a block of iterations, if one of them wants it."
MOVE = Move("skip_arm", DOC, find, apply, (SKIP,))
