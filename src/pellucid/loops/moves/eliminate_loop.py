"""eliminate_loop: a loop that runs no iteration goes; of one that runs a single one the body stays (White 4.3.1).

A loop without bounds goes where its condition does not hold at first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...ir.nest import For, Kernel, While
from ...ir.path import Path
from ...ir.path import walk as paths
from ...reasoning.bounds import decide, difference
from ...reasoning.effects import effects, loads, shown
from ...reasoning.prove import Proved, Refuted, Unknown, Verdict, decided
from ...reasoning.separate import apart
from ..analysis.adjacent import loop, replaced, told, unbounded
from ..analysis.iteration import minus
from ..core.build import with_value
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Every loop."""
    return (path for path, s in paths(kernel.body) if isinstance(s, For | While))


def _is_loop(site: Site) -> Verdict:
    return decided(isinstance(site.statement, For), "the site is a loop", f"{told(site)} is none")


def _count(site: Site, least: int, most: int, premise: str) -> Verdict:
    """Whether the number of iterations, before what is below zero counts as none, is in a range."""
    s = loop(site)
    found = difference(s.hi, s.lo, site.known)
    if least <= found.lo and found.hi <= most:
        return Proved(premise)
    words = f"{minus(s.hi, s.lo)} is in {found.lo} .. {found.hi}"
    return Refuted(premise, words) if found.hi < least or found.lo > most else Unknown(premise, words)


def _none(site: Site) -> Verdict:
    return _count(site, -(1 << 64), 0, "there is no iteration")


def _one(site: Site) -> Verdict:
    return _count(site, 1, 1, "there is one iteration")


def _start_kept(site: Site) -> Verdict:
    s = loop(site)
    found = effects((s,))
    return apart(found.sets, loads([s.lo]), site.known.while_changing(a.buffer for a in found.sets))


def _without_bounds(site: Site) -> Verdict:
    return decided(
        isinstance(site.statement, While), "the site is a loop without bounds", f"{told(site)} is none"
    )


def _never_holds(site: Site) -> Verdict:
    condition, premise = unbounded(site).condition, "the condition does not hold"
    found = decide(condition, site.known)
    if found is None:
        return Unknown(premise, f"whether {shown(condition)}")
    return decided(not found, premise, f"{shown(condition)} holds")


A_LOOP = Clause("a-loop", "the site is a loop", _is_loop)
NONE = Theorem(
    "White 4.3.1",
    "A loop that runs no iteration changes nothing.",
    (Clause("no-iterations", "the loop runs no iteration", _none),),
    lemma="loop_elimination",
    shape=A_LOOP,
)
ONE = Theorem(
    "White 4.3.1 for one iteration",
    "A loop that runs one iteration is its body at the lower bound.",
    (
        Clause("one-iteration", "the loop runs one iteration", _one),
        Clause("start-kept", "the body sets nothing that the lower bound loads", _start_kept),
    ),
    lemma="single_iteration",
    shape=A_LOOP,
)
ENDED = Theorem(
    "a loop whose condition does not hold does nothing",
    "A loop without bounds whose condition does not hold at first changes nothing.",
    (Clause("never-holds", "the condition does not hold when the loop begins", _never_holds),),
    shape=Clause("a-while", "the site is a loop without bounds", _without_bounds),
)


def apply(kernel: Kernel, path: Path, **options: Any) -> Applied:
    """Nothing, or the body."""
    site = Site(kernel, path, options.pop("ranges", {}), options)
    if isinstance(site.statement, While):
        return replaced(kernel, path, 1, ())
    s = loop(site)
    empty = isinstance(_none(site), Proved)
    new = () if empty else with_value(s.body, s.index, s.lo)

    def inside(_: int, below: Path) -> tuple[int, Path] | None:
        return (below[0][1], below[1:]) if new and below else None

    return replaced(kernel, path, 1, new, inside)


MOVE = Move(
    "eliminate_loop", "Leave out a loop that runs at most one iteration.", find, apply, (NONE, ONE, ENDED)
)
