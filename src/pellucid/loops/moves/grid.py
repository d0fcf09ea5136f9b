"""grid: each iteration of a loop is a thread of a GPU; of a loop around another, each pair of iterations is one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir import nest as N
from ...ir.expr import buffers
from ...ir.nest import For, Kernel
from ...ir.path import Path, at, enclosing, replace_at
from ...ir.path import walk as paths
from ...reasoning.prove import Verdict, decided
from ..analysis.independence import APART, IN_ORDER, NO_FLOW
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem

BLOCK = 32
"""Threads of a block in the direction of the loop, if nobody says how many: a warp of NVIDIA's GPUs."""
MAX_BLOCK = 1024
"""Maximum threads of a block of NVIDIA's GPUs."""


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Loops that run in order and can be the first or second direction of a grid, outermost first."""
    for path, s in paths(kernel.body):
        if isinstance(s, For) and s.how.kind == "seq":
            around = [x for x in enclosing(kernel.body, path) if isinstance(x, For)]
            if not around or (len(around) == 1 and around[0].how.kind == "grid"):
                yield path


def _positive(site: Site) -> Verdict:
    block = site.options.get("block", BLOCK)
    return decided(1 <= block <= MAX_BLOCK, f"a block has 1 to {MAX_BLOCK} threads", f"it has {block}")


def _outermost(site: Site) -> Verdict:
    """Around it stands nothing, or one loop on the grid that besides it has only places of values."""
    outer = site.around[0] if site.around else None
    is_grid = len(site.around) == 1 and isinstance(outer, For) and outer.how.kind == "grid"
    alone = is_grid and all(s is site.statement or N.is_place(s) for s in site.block)
    words = "it stands alone, or alone in a loop on the grid"
    return decided(outer is None or alone, words, "something else is around it, or beside it")


def _known_bounds(site: Site) -> Verdict:
    loop = site.statement
    assert isinstance(loop, For)  # noqa: S101 - the theorem's shape
    known = not (loop.lo.free or loop.hi.free or buffers([loop.lo, loop.hi]))
    return decided(known, "its bounds follow from the parameters", "its bounds are computed on the way")


GRID = Theorem(
    "independent iterations commute, on a grid of threads",
    "Iterations that share no memory may each be a thread of a GPU.",
    (
        Clause("positive-block", f"a block has 1 to {MAX_BLOCK} threads", _positive),
        NO_FLOW,
        APART,
    ),
    lemma="iterations_in_any_order",
    shape=IN_ORDER,
)

LIMITS = (
    Clause("outermost", "it stands alone, or alone in a loop on the grid", _outermost),
    Clause("known-bounds", "its bounds are known before the kernel runs", _known_bounds),
)


def apply(kernel: Kernel, path: Path, *, block: int = BLOCK, **_: Any) -> Applied:
    """Mark the loop."""
    loop = at(kernel.body, path)
    assert isinstance(loop, For)  # noqa: S101 - checked
    new = replace_at(kernel.body, path, (replace(loop, how=N.How("grid", block)),))
    return Applied(replace(kernel, body=new))


DOC = "Make each iteration of a loop a thread of a GPU, in blocks."
MOVE = Move("grid", DOC, find, apply, (GRID,), limits=LIMITS)
