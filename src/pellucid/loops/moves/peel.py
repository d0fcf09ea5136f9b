"""peel: the first or the last iteration of a loop gets statements of its own, before or after it.

What is special about it, as a border, can then be simplified there and in the rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...ir.nest import SEQ, For, Kernel
from ...ir.path import Path, at
from ...ir.path import walk as paths
from ...reasoning.known import known_at
from ...reasoning.prove import Verdict, decided
from ..analysis.bounds import BOUNDS_UNCHANGED
from ..analysis.independence import IN_ORDER
from ..analysis.iteration import separated
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem

SIDES = {"front": "first", "back": "last"}
"""The iteration that stands at each side."""


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Loops that run in order."""
    for path, s in paths(kernel.body):
        if isinstance(s, For) and s.how == SEQ:
            yield path


def _side(site: Site) -> Verdict:
    side = site.options.get("side", "front")
    return decided(side in SIDES, "the side is front or back", f"it is {side!r}")


PEELING = Theorem(
    "a loop is its first iteration and the rest",
    "The first or the last iteration of a loop may stand by itself, if there is one.",
    (Clause("side", "the side is front or back", _side), BOUNDS_UNCHANGED),
    lemma="peeling",
    shape=IN_ORDER,
)


def apply(kernel: Kernel, path: Path, *, side: str = "front", **options: Any) -> Applied:
    """As `unroll` does it: under a test, where it is not known that there is an iteration."""
    loop = at(kernel.body, path)
    assert isinstance(loop, For)  # noqa: S101 - checked
    facts = known_at(kernel.body, path, options.get("ranges")).facts
    tested = facts(loop.lo).hi >= facts(loop.hi).lo
    return separated(kernel, path, SIDES[side], tested=tested)


MOVE = Move("peel", "Let the first or the last iteration of a loop stand by itself.", find, apply, (PEELING,))
