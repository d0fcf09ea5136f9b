"""extract_after: a statement with which both arms of an `if` end goes after it (White 4.2.1, backwards)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir.nest import Kernel, blocks, same
from ...ir.path import Path, at
from ...ir.path import walk as paths
from ...reasoning.prove import Verdict, decided
from ..analysis.adjacent import branch, here, is_branch, replaced, told
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Every `if` whose arms end with the same statement."""
    return (path for path, _s in paths(kernel.body) if THEOREM.fits(Site(kernel, path)))


def _same_last(site: Site) -> Verdict:
    fits = False
    if is_branch(site.statement):
        then, orelse = branch(here(site)).then, branch(here(site)).orelse
        fits = bool(then and orelse) and same(then[-1:], orelse[-1:])
    return decided(
        fits, "both arms end alike", f"{told(site)} is no if, or its arms end with different statements"
    )


THEOREM = Theorem(
    "White 4.2.1, after, backwards",
    "A statement with which both arms end may be made after the if.",
    (),
    lemma="absorption_after",
    shape=Clause("arms-end-alike", "the site is an if whose arms end with the same statement", _same_last),
)


def apply(kernel: Kernel, path: Path, **_: Any) -> Applied:
    """Put the statement after the `if`."""
    test = branch(at(kernel.body, path))
    new = replace(test, then=test.then[:-1], orelse=test.orelse[:-1])

    def inside(_: int, below: Path) -> tuple[int, Path]:
        out = bool(below) and below[0][1] + 1 == len(blocks(test)[below[0][0]])
        return (1, below[1:]) if out else (0, below)

    return replaced(kernel, path, 1, (new, test.then[-1]), inside)


MOVE = Move(
    "extract_after", "Take a statement with which both arms of an if end after it.", find, apply, (THEOREM,)
)
