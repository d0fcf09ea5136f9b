"""look_up: dear values that change with one small whole number alone are computed once for each, into a table.

A curve of intensities on samples of 12 bits is the example: 4096 values serve all pixels. The table is scratch memory
that a loop fills before everything else; it holds what would have been computed, bit for bit. Or, if `known` is asked
for and its values depend on nothing else, it is part of the program, and worked out when that is first called or kept.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...ir import expr as E
from ...ir import types as T
from ...ir.expr import Buffer, Expr, const, substitute
from ...ir.expr import apply as operator
from ...ir.interp import Array, evaluate
from ...ir.nest import Alloc, For, Kernel, Store
from ...ir.path import Path
from ...reasoning.effects import untouched
from ...reasoning.prove import Verdict, decided
from ..build import fresh_buffer, fresh_index, with_values
from ..columns import DEAR
from ..lookups import NUMBER, Lookup, lookups
from ..move import Applied, Move
from ..theorem import Clause, Site, Theorem

LARGEST, PIECE = 1 << 16, 1 << 14
"""The most elements of a table that is part of a program, and of how many values are worked out at once.

Code to fill a larger one is made sooner than its values, and values of a larger piece are too many for a cache.
"""
KEPT = 8 << 20
"""How many bytes values are worked out in."""


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """The whole kernel."""
    return [()]


def _has_lookups(site: Site) -> Verdict:
    dear = site.options.get("dear", DEAR)
    found = bool(lookups(site.kernel, site.ranges, dear))
    return decided(found, "a dear value is looked up often", f"nothing at {site} pays for a table")


def _memory_unchanged(site: Site) -> Verdict:
    tables = lookups(site.kernel, site.ranges, site.options.get("dear", DEAR))
    return untouched([t.value for t in tables], site.kernel.body)


TABLES = Theorem(
    "a value that one number decides can be computed before it is known",
    "What changes with one small whole number alone may be computed for all of them, once.",
    (
        Clause(
            "memory-unchanged",
            "the kernel stores to nothing that the values load",
            _memory_unchanged,
        ),
    ),
    shape=Clause(
        "dear-lookups",
        "a dear value of one small number is computed often in loops over constants",
        _has_lookups,
    ),
)


def apply(kernel: Kernel, path: Path, *, dear: float = DEAR, known: bool = False, **options: Any) -> Applied:
    """Fill the tables first, or work out those that can be known; then load from them."""
    sizes: dict[Buffer, Expr] = {}
    fills: dict[int, For] = {}
    values: dict[Expr, Expr] = {}
    made: list[Buffer] = []
    tables = lookups(kernel, options.get("ranges") or {}, dear)
    data = _Worked([t for t in tables if known and not t.value.holds and t.size <= LARGEST])
    for table in tables:
        seen = replace(kernel, outputs=(*kernel.outputs, *made), body=(*kernel.body, *fills.values()))
        buffer = fresh_buffer(seen, "values", table.value.type, (1 << 31) - 1)
        if table in data.tables:
            buffer = Buffer(buffer.name, buffer.type, table.size, functools.partial(data.of, table))
            made.append(buffer)
        else:
            # Tables of one size are filled together: they are often made of the same values.
            size = const(table.size, T.i32)
            fill = fills.get(table.size) or For(fresh_index(seen, "number"), const(0, T.i32), size, ())
            (value,) = substitute([table.value], {NUMBER: fill.index})
            sizes[buffer] = size
            fills[table.size] = replace(fill, body=(*fill.body, Store(buffer, fill.index, value)))
        for e, number in table.places.items():
            position = number if number.type is T.i32 else operator("convert", number, attr=T.i32)
            found = E.load(buffer, position)
            values[e] = found if found.type is e.type else operator("convert", found, attr=e.type)
    body = (*fills.values(), *with_values(kernel.body, values))
    return Applied(replace(kernel, body=(Alloc(sizes, body),) if sizes else body))


@dataclass(frozen=True, slots=True)
class _Worked:
    """Tables that the interpreter works out when one is asked for: all at once, for they have much in common."""

    tables: list[Lookup]
    found: dict[Expr, Array] = field(default_factory=dict[Expr, Array])

    def of(self, table: Lookup) -> Array:
        """What a table holds."""
        if table.value not in self.found:
            # Once a large block was freed, the allocator of the GNU library keeps smaller ones: otherwise the pages of
            # each array would go back to the system and be asked for again, which takes longer than the arithmetic.
            np.empty(KEPT, np.uint8)
            made = {t.value: np.empty(t.size, t.value.type.dtype) for t in self.tables}
            for start in range(0, max(t.size for t in self.tables), PIECE):
                mine = [t for t in self.tables if start < t.size]
                numbers = np.arange(start, min(start + PIECE, max(t.size for t in mine)), dtype=np.int32)
                for t, value in zip(mine, evaluate([t.value for t in mine], {NUMBER: numbers}), strict=True):
                    piece = made[t.value][start : start + PIECE]
                    piece[:] = np.broadcast_to(value, numbers.shape)[: len(piece)]
            self.found.update(made)
        return self.found[table.value]


MOVE = Move(
    "look_up",
    "Compute dear values of one small whole number alone once for each, into a table.",
    find,
    apply,
    (TABLES,),
)
