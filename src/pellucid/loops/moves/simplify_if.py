"""simplify_if: an `if` whose outcome is known, or whose arms do nothing or the same, goes (White's theorem 4.2.5).

Equal arms are White's extraction followed by her third case. Her remark on conditions that fail, such as a division by
zero, does not arise: every expression has a value here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...ir.nest import Block, Kernel, same
from ...ir.path import Path
from ...ir.path import walk as paths
from ...reasoning.bounds import decide
from ...reasoning.effects import Guard, shown
from ...reasoning.prove import Proved, Unknown, Verdict, both, decided
from ..analysis.adjacent import branch, here, is_branch, replaced, told
from ..analysis.nullable import all_nullable
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Every `if`."""
    return (path for path, s in paths(kernel.body) if is_branch(s))


def _is_branch(site: Site) -> Verdict:
    return decided(is_branch(site.statement), "the site is an if", f"{told(site)} is none")


def _condition_known(site: Site) -> Verdict:
    condition = branch(here(site)).condition
    found = decide(condition, site.known)
    if found is None:
        return Unknown(
            "it is known", f"that {shown(condition)} always holds, or never, from the loops around"
        )
    return Proved("it always holds" if found else "it never holds")


def _arms_nullable(site: Site) -> Verdict:
    s = branch(here(site))
    arms = ((s.then, Guard(s.condition, True)), (s.orelse, Guard(s.condition, False)))
    return both(*(all_nullable(b, site.known.inside([g])) for b, g in arms))


def _equal_arms(site: Site) -> Verdict:
    s = branch(here(site))
    return decided(same(s.then, s.orelse), "the arms are equal", "their texts differ")


SHAPE = Clause("an-if", "the site is an if", _is_branch)
KNOWN = Theorem(
    "White 4.2.5, known condition",
    "An if whose condition always holds is its then arm; one whose condition never does, its else arm.",
    (Clause("condition-known", "the condition is known", _condition_known),),
    lemma="if_of_known_condition",
    shape=SHAPE,
)
NULLABLE = Theorem(
    "White 4.2.5, nullable arms",
    "An if whose arms change nothing changes nothing.",
    (Clause("arms-nullable", "neither arm changes anything", _arms_nullable),),
    lemma="if_of_nullable_arms",
    shape=SHAPE,
)
EQUAL = Theorem(
    "White 4.2.5, equal arms",
    "An if whose arms are equal is one of them.",
    (Clause("equal-arms", "the arms are equal", _equal_arms),),
    lemma="if_of_equal_arms",
    shape=SHAPE,
)


def apply(kernel: Kernel, path: Path, **options: Any) -> Applied:
    """The statements that are left of the `if`."""
    site = Site(kernel, path, options.pop("ranges", {}), options)
    left = _left(site)
    arm = 1 if left is branch(here(site)).orelse else 0

    def inside(_: int, below: Path) -> tuple[int, Path] | None:
        return (below[0][1], below[1:]) if left and below and below[0][0] == arm else None

    return replaced(kernel, path, 1, left, inside)


def _left(site: Site) -> Block:
    s = branch(here(site))
    known = decide(s.condition, site.known)
    if known is not None:
        return s.then if known else s.orelse
    return () if isinstance(NULLABLE.prove(site), Proved) else s.then


MOVE = Move(
    "simplify_if",
    "Leave out an if whose outcome is known, or whose arms do nothing or the same.",
    find,
    apply,
    (KNOWN, NULLABLE, EQUAL),
)
