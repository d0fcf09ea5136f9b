"""Stages: two loops over the same iterations, of which one fills scratch arrays for the other.

Below `moves/compute_at`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping

from ...base.record import record
from ...ir.expr import LOADS, Buffer, Expr, const, topological
from ...ir.facts import Facts
from ...ir.nest import SEQ, Alloc, For
from ...reasoning.effects import Access, effects
from ...reasoning.known import Known
from .rows import within


@record(eq=False)
class Stages:
    """Scratch arrays, the loop that fills them, the loop that loads from them, and how long a part of each array is."""

    first: For
    second: For
    lengths: Mapping[Buffer, int]

    @property
    def bytes(self) -> int:
        """The bytes of a part of each array."""
        return sum(n * b.type.dtype.itemsize for b, n in self.lengths.items())

    def accesses(self) -> Iterable[tuple[For, Access]]:
        """The loads and stores of the arrays, equal ones once, each with the loop that makes it."""
        return _accesses(self)

    def within(self, loop: For, access: Access, ranges: Mapping[Expr, Facts]) -> Expr | None:
        """The position from where the part of the iteration begins; None if it is not known."""
        found = self._written(loop, access)
        return within(access, loop, self.lengths[access.buffer], ranges) if found is None else found

    def inside(self, loop: For, access: Access, known: Known) -> bool:
        """Whether an access is surely in the part of its own iteration."""
        length, position = self.lengths[access.buffer], access.position
        if position.holds & LOADS and any(
            n.op == "load" and n.attr in self.lengths for n in topological([position])
        ):
            return False
        rest = self._written(loop, access)
        if rest is None:
            return within(access, loop, length, known.ranges) is not None
        wraps = loop.hi.attr * length - 1 > position.type.high
        if rest.op == "const" and not wraps:
            return 0 <= rest.attr < length
        return not wraps and known.inside((loop, *access.scope)).facts(rest).within(0, length - 1)

    def _written(self, loop: For, access: Access) -> Expr | None:
        """The position in a part, where it is written as such: ``index * length + rest``."""
        position = access.position
        base, rest = position.args if position.op == "add" else (position, const(0, position.type))
        index, by = base.args if base.op == "mul" else (base, const(1, base.type))
        index = index.args[0] if index.op == "convert" else index
        mine = index is loop.index and by.op == "const" and by.attr == self.lengths[access.buffer]
        return rest if mine else None


# A move asks more than once.
@functools.lru_cache(maxsize=4)
def _accesses(s: Stages) -> tuple[tuple[For, Access], ...]:
    found: dict[tuple[Buffer, Expr, tuple[For, ...]], tuple[For, Access]] = {}
    for loop in (s.first, s.second):
        of_loop = effects(loop.body)
        for a in (*of_loop.sets, *of_loop.uses):
            # Many statements load the same elements.
            if a.buffer in s.lengths:
                found.setdefault((a.buffer, a.position, (loop, *a.scope)), (loop, a))
    return tuple(found.values())


def stages(s: object) -> Stages | None:
    """The stages that have scratch memory to themselves: two loops over the same iterations, from 0 to a constant."""
    return _stages(s) if isinstance(s, Alloc) and len(s.body) == 2 else None


@functools.lru_cache(maxsize=4)
def _stages(s: Alloc) -> Stages | None:
    first, second = s.body
    if not isinstance(first, For) or not isinstance(second, For) or first.how != SEQ or second.how != SEQ:
        return None
    same = first.index is second.index and first.lo is second.lo and first.hi is second.hi
    if not same or first.lo is not const(0, first.lo.type) or first.hi.op != "const" or first.hi.attr < 1:
        return None
    lengths: dict[Buffer, int] = {}
    for b, n in s.sizes.items():
        if n.op != "const" or n.attr % first.hi.attr or n.attr < 1:
            return None
        lengths[b] = int(n.attr // first.hi.attr)
    return Stages(first, second, lengths)
