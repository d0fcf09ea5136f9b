"""look_up: dear values that change with one small whole number alone are computed once for each, into a table.

A curve of intensities on samples of 12 bits is the example: 4096 values serve all pixels. The table is scratch memory
that a loop fills before everything else; it holds what would have been computed, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir import expr as E
from ...ir import types as T
from ...ir.expr import Buffer, Expr, const, substitute
from ...ir.expr import apply as operator
from ...ir.nest import Alloc, For, Kernel, Store
from ...ir.path import Path
from ...reasoning.effects import untouched
from ...reasoning.prove import Verdict, decided
from ..analysis.columns import TABLE_THRESHOLD
from ..analysis.lookups import NUMBER, lookups
from ..core.build import fresh_buffer, fresh_index, with_values
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """The whole kernel."""
    return [()]


def _has_lookups(site: Site) -> Verdict:
    dear = site.options.get("dear", TABLE_THRESHOLD)
    found = bool(lookups(site.kernel, site.ranges, dear))
    return decided(found, "a dear value is looked up often", f"nothing at {site} pays for a table")


def _memory_unchanged(site: Site) -> Verdict:
    tables = lookups(site.kernel, site.ranges, site.options.get("dear", TABLE_THRESHOLD))
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
    lemma="table_of_numbers",
    shape=Clause(
        "dear-lookups",
        "a dear value of one small number is computed often in loops over constants",
        _has_lookups,
    ),
)


def apply(kernel: Kernel, path: Path, *, dear: float = TABLE_THRESHOLD, **options: Any) -> Applied:
    """Fill the tables first, then load from them."""
    sizes: dict[Buffer, Expr] = {}
    fills: dict[int, For] = {}
    values: dict[Expr, Expr] = {}
    for table in lookups(kernel, options.get("ranges") or {}, dear):
        seen = replace(kernel, outputs=(*kernel.outputs, *sizes), body=(*kernel.body, *fills.values()))
        buffer = fresh_buffer(seen, "values", table.value.type, (1 << 31) - 1)
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
    return Applied(replace(kernel, body=(Alloc(sizes, body),)))


MOVE = Move(
    "look_up",
    "Compute dear values of one small whole number alone once for each, into a table.",
    find,
    apply,
    (TABLES,),
)
