"""split_range: one loop becomes several over parts of its range, one after the other, each with an index of its own.

White's unrolling (Theorem 4.3.2), stopped half-way. Where a loop's ends need care and its middle does not, the middle
gets a loop of its own, whose range shows that the care is idle there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ...ir.expr import const
from ...ir.nest import For, Kernel
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import untouched
from ...reasoning.known import Known
from ...reasoning.prove import Proved, Refuted, Verdict
from ..analysis.independence import IN_ORDER
from ..core.build import index_between, with_value
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Loops that run in order between constants."""
    for path, s in paths(kernel.body):
        if isinstance(s, For) and s.how.kind == "seq" and s.lo.op == "const" and s.hi.op == "const":
            yield path


def _loop(site: Site) -> For:
    assert isinstance(site.statement, For)  # noqa: S101 - the theorem's shape
    return site.statement


def _in_range(site: Site) -> Verdict:
    loop = _loop(site)
    facts = Known(site.ranges, [s for s in site.around if isinstance(s, For)]).facts
    lo, hi = facts(loop.lo), facts(loop.hi)
    last: float = lo.hi
    for cut in site.options.get("cuts", ()):
        if not last <= cut <= hi.lo:
            return Refuted("the cuts are in order and in range", f"{cut} is not within {last} .. {hi.lo}")
        last = cut
    return Proved("the cuts are in order and in range")


def _bounds_unchanged(site: Site) -> Verdict:
    loop = _loop(site)
    return untouched([loop.lo, loop.hi], loop.body)


SPLIT = Theorem(
    "White 4.3.2, in parts",
    "A loop is the loops over the parts of its range, in their order.",
    (
        Clause("in-range", "the cuts are in order, and between the bounds", _in_range),
        Clause("bounds-unchanged", "the loop stores to nothing that its bounds load", _bounds_unchanged),
    ),
    lemma="loop_in_parts",
    shape=IN_ORDER,
)


def apply(kernel: Kernel, path: Path, *, cuts: Sequence[int] = (), **_: Any) -> Applied:
    """One loop for each part; the first keeps the index."""
    loop = at(kernel.body, path)
    assert isinstance(loop, For)  # noqa: S101 - checked
    type_ = loop.index.type
    bounds = [loop.lo, *(const(c, type_) for c in cuts), loop.hi]
    parts: list[For] = []
    for lo, hi in pairwise(bounds):
        index = loop.index
        if parts:
            index = index_between(kernel, path, str(loop.index.attr), lo, hi, parts)
        parts.append(For(index, lo, hi, with_value(loop.body, loop.index, index), loop.how))
    return Applied(replace(kernel, body=replace_at(kernel.body, path, tuple(parts))))


MOVE = Move("split_range", "Make several loops over parts of a loop's range.", find, apply, (SPLIT,))
