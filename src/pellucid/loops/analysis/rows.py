"""Rows: a scratch array that one loop alone uses, a row of it in each iteration.

Below `moves/contract_array`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ...base.record import record
from ...ir import nest as N
from ...ir.expr import Buffer, Expr
from ...ir.facts import Facts
from ...ir.nest import Alloc, For, Kernel
from ...ir.path import Path, at
from ...reasoning.effects import Access, effects
from ...reasoning.known import Known
from ...reasoning.linear import exact_sum
from ..core.elements import touching


@record
class RowScratch:
    """An array in rows: the loop whose iterations have one each, where it stands, and how long a row is."""

    array: Buffer
    loop: For
    path: Path
    length: int

    @property
    def bytes(self) -> int:
        """The bytes of a row."""
        return self.length * self.array.type.dtype.itemsize

    def accesses(self) -> tuple[Access, ...]:
        """Every load and store of the array."""
        found = effects(self.loop.body)
        return tuple(a for a in (*found.sets, *found.uses) if a.buffer is self.array)

    def rest(self, access: Access, ranges: Mapping[Expr, Facts]) -> Expr | None:
        """The position within the row; None if it is not surely in the row of the iteration."""
        return within(access, self.loop, self.length, ranges)


def within(access: Access, loop: For, length: int, ranges: Mapping[Expr, Facts]) -> Expr | None:
    """The position of an access within a part of that length of its iteration; None if it is not surely in it."""
    facts = Known(ranges, (loop, *access.scope)).facts
    split = exact_sum(access.position, facts)
    if split is None or dict(split.terms).get(loop.index) != length:
        return None
    others = tuple([term for term in split.terms if term[0] is not loop.index])
    found = replace(split, terms=others).node(access.position.type)
    return found if facts(found).within(0, length - 1) else None


def rows_at(kernel: Kernel, path: Path, array: str | None = None) -> Iterator[RowScratch]:
    """The rows of each scratch array at a path that one loop alone uses; of one only, if it is named."""
    s = at(kernel.body, path) if path else None
    for buffer in s.sizes if isinstance(s, Alloc) else ():
        rows = _rows(s, path, buffer) if isinstance(s, Alloc) and array in (None, buffer.name) else None
        if rows is not None:
            yield rows


def _rows(around: Alloc, path: Path, buffer: Buffer) -> RowScratch | None:
    size = around.sizes[buffer]
    found = touching(around, path, buffer) if size.op == "const" else []
    if len(found) != 1:
        return None
    inner, loop = found[0]
    if not isinstance(loop, For) or loop.lo.op != "const" or loop.lo.attr != 0 or loop.hi.op != "const":
        return None
    count, length = int(loop.hi.attr), int(size.attr)
    whole = loop.how == N.SEQ and count > 0 and length % count == 0
    return RowScratch(buffer, loop, inner, length // count) if whole else None
