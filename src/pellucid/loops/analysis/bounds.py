"""The clauses that moves share which split or count the iterations of a loop: its bounds stay, and nothing wraps."""

from __future__ import annotations

from ...ir.nest import For
from ...reasoning.effects import shown, untouched
from ...reasoning.known import known_at
from ...reasoning.prove import Verdict, decided
from ..core.theorem import Clause, Site


def loop_at(site: Site) -> For:
    """The loop at a site, once the shape of a theorem has said that there is one."""
    assert isinstance(site.statement, For)  # noqa: S101 - the theorem's shape
    return site.statement


def countable(site: Site, beyond: int = 0, most: float | None = None) -> Verdict:
    """Whether a loop's count, and its upper bound and so much `beyond`, are at most `most`: what the index can be."""
    loop = loop_at(site)
    facts = known_at(site.kernel.body, site.path, site.ranges).facts
    lo, hi, type_ = facts(loop.lo), facts(loop.hi), loop.index.type
    greatest = max(hi.hi if beyond else 0, hi.hi - lo.lo) + beyond
    fits = greatest <= (type_.high if most is None else most) and hi.lo - lo.hi >= type_.low
    words = f"{shown(loop.lo)} is within {lo.lo} .. {lo.hi}, {shown(loop.hi)} within {hi.lo} .. {hi.hi}"
    return decided(fits, "the number of iterations is in the range of the index", words)


def _bounds_unchanged(site: Site) -> Verdict:
    loop = loop_at(site)
    return untouched([loop.lo, loop.hi], loop.body)


BOUNDS_UNCHANGED = Clause(
    "bounds-unchanged", "the loop stores to nothing that its bounds load", _bounds_unchanged
)
COUNTED = Clause("counted", "the number of iterations is in the range of the index", countable)
