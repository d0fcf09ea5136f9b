"""Stages: two loops over the same iterations, of which one fills scratch arrays for the other.

Below `moves/compute_at`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...ir.expr import Buffer, Expr, const, topological
from ...ir.facts import Facts
from ...ir.nest import SEQ, Alloc, For
from ...reasoning.effects import Access, effects
from ...reasoning.known import Known
from .rows import within


@dataclass(frozen=True, slots=True)
class Stages:
    """Scratch arrays, the loop that fills them, the loop that loads from them, and how long a part of each array is."""

    first: For
    second: For
    lengths: Mapping[Buffer, int]

    @property
    def bytes(self) -> int:
        """How much memory a part of each array takes."""
        return sum(n * b.type.dtype.itemsize for b, n in self.lengths.items())

    def accesses(self) -> Iterable[tuple[For, Access]]:
        """The loads and stores of the arrays, equal ones once, each with the loop that makes it."""
        for loop in (self.first, self.second):
            found, met = effects(loop.body), set[tuple[Buffer, Expr, tuple[For, ...]]]()
            for a in (*found.sets, *found.uses):
                # Many statements load the same elements.
                key = (a.buffer, a.position, a.scope)
                if a.buffer in self.lengths and key not in met:
                    met.add(key)
                    yield loop, a

    def within(self, loop: For, access: Access, ranges: Mapping[Expr, Facts]) -> Expr | None:
        """The position from where the part of the iteration begins; None if it is not known."""
        found = self._written(loop, access)
        return within(access, loop, self.lengths[access.buffer], ranges) if found is None else found

    def inside(self, loop: For, access: Access, known: Known) -> bool:
        """Whether an access is surely in the part of its own iteration."""
        length, position = self.lengths[access.buffer], access.position
        if any(n.op == "load" and n.attr in self.lengths for n in topological([position])):
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


def stages(s: object) -> Stages | None:
    """The stages that have scratch memory to themselves: two loops over the same iterations, from 0 to a constant."""
    if not isinstance(s, Alloc) or len(s.body) != 2:
        return None
    first, second = s.body
    if not isinstance(first, For) or not isinstance(second, For) or first.how != SEQ or second.how != SEQ:
        return None
    same = first.index is second.index and first.lo is second.lo and first.hi is second.hi
    if (
        not same
        or first.lo.op != "const"
        or first.lo.attr != 0
        or first.hi.op != "const"
        or first.hi.attr < 1
    ):
        return None
    lengths: dict[Buffer, int] = {}
    for b, n in s.sizes.items():
        if n.op != "const" or n.attr % first.hi.attr or n.attr < 1:
            return None
        lengths[b] = int(n.attr // first.hi.attr)
    return Stages(first, second, lengths)
