"""extract_before: a statement with which both arms of an `if` begin goes before it (White 4.2.1, backwards)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir.nest import Kernel, same
from ...ir.path import Path, at
from ...ir.path import walk as paths
from ...reasoning.effects import effects, loads
from ...reasoning.prove import Verdict, decided
from ...reasoning.separate import apart
from ..analysis.adjacent import branch, deeper, here, is_branch, replaced, told
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Every `if` whose arms begin with the same statement."""
    return (path for path, _s in paths(kernel.body) if THEOREM.fits(Site(kernel, path)))


def _same_first(site: Site) -> Verdict:
    s, fits = site.statement, False
    if is_branch(s):
        then, orelse = branch(here(site)).then, branch(here(site)).orelse
        fits = bool(then and orelse) and same(then[:1], orelse[:1])
    return decided(
        fits, "both arms begin alike", f"{told(site)} is no if, or its arms begin with different statements"
    )


def _condition_kept(site: Site) -> Verdict:
    test = branch(here(site))
    found = effects(test.then[:1])
    known = site.known.while_changing(a.buffer for a in found.sets)
    return apart(found.sets, loads([test.condition]), known)


THEOREM = Theorem(
    "White 4.2.1, before, backwards",
    "A statement with which both arms begin, and that leaves the condition as it is, may be made before.",
    (Clause("condition-kept", "the statement sets nothing that the condition loads", _condition_kept),),
    lemma="absorption_before",
    shape=Clause(
        "arms-begin-alike", "the site is an if whose arms begin with the same statement", _same_first
    ),
)


def apply(kernel: Kernel, path: Path, **_: Any) -> Applied:
    """Put the statement before the `if`."""
    test = branch(at(kernel.body, path))
    new = replace(test, then=test.then[1:], orelse=test.orelse[1:])

    def inside(_: int, below: Path) -> tuple[int, Path]:
        out = bool(below) and below[0][1] == 0
        return (0, below[1:]) if out else (1, deeper(below, -1))

    return replaced(kernel, path, 1, (test.then[0], new), inside)


MOVE = Move(
    "extract_before",
    "Take a statement with which both arms of an if begin before it.",
    find,
    apply,
    (THEOREM,),
)
