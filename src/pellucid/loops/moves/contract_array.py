"""contract_array: an array of which every iteration of a loop uses a row of its own becomes one row inside the loop.

What a row of pixels needs of an earlier operation then stays in the cache, and each thread has its own. Source: array
contraction after loop fusion; it is White's joining (5.1.1) that makes the rows meet in one iteration.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir import expr as E
from ...ir import nest as N
from ...ir import types as T
from ...ir.expr import Expr, const, substitute
from ...ir.nest import Alloc, Block, Kernel, Store
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.prove import Proved, Unknown, Verdict, decided
from ..analysis.room import fits
from ..analysis.rows import RowScratch, rows_at
from ..core.build import fresh_buffer
from ..core.elements import allocated
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem

MAX_ROW = 64 << 10
"""Maximum bytes of a row that is kept on the stack."""


def find(kernel: Kernel, *, most: int = MAX_ROW, array: str | None = None, **_: Any) -> Iterable[Path]:
    """Scratch arrays that one loop alone uses, in rows that fit on the stack."""
    for path, s in paths(kernel.body):
        if isinstance(s, Alloc) and any(rows.bytes <= most for rows in rows_at(kernel, path, array)):
            yield path


def _rows(site: Site) -> RowScratch | None:
    """The rows of the array that is named, or of the first that has any."""
    return next(rows_at(site.kernel, site.path, site.options.get("array")), None)


def _of(site: Site) -> RowScratch:
    found = _rows(site)
    assert found is not None  # noqa: S101 - the theorem's shape
    return found


def _one_loop(site: Site) -> Verdict:
    found = _rows(site) is not None
    return decided(
        found, "one loop uses the array", "another statement does, or it does not divide into rows"
    )


def _own_row(site: Site) -> Verdict:
    rows = _of(site)
    for a in rows.accesses():
        if rows.rest(a, site.ranges) is None:
            return Unknown(
                "every iteration uses its own row", f"whether {a} is in row {rows.loop.index.attr}"
            )
    return Proved("every iteration uses its own row")


CONTRACT = Theorem(
    "rows that never meet may share their memory",
    "If an iteration uses its own row of a scratch array and no other, one row for each iteration is enough.",
    (Clause("own-row", "every load and store is in the row of its own iteration", _own_row),),
    shape=Clause("one-loop", "the site is scratch memory that one loop alone uses, in rows", _one_loop),
)

FITS = fits(lambda site: _of(site).bytes)


def apply(kernel: Kernel, path: Path, *, array: str | None = None, ranges: Any = None, **_: Any) -> Applied:
    """A row inside of the loop, in place of the array around it."""
    rows = _of(site := Site(kernel, path, ranges or {}, {"array": array}))
    row = fresh_buffer(kernel, f"{rows.array.name}_row", rows.array.type, rows.length)
    places = {a.position: rows.rest(a, site.ranges) for a in rows.accesses()}
    loads: dict[Expr, Expr] = {}
    for position, rest in places.items():
        assert rest is not None  # noqa: S101 - checked
        loads[E.load(rows.array, position)] = E.load(row, rest)

    def stored(s: N.Statement) -> Block:
        if isinstance(s, Store) and s.buffer is rows.array:
            rest = places[s.position]
            assert rest is not None  # noqa: S101 - checked
            return (Store(row, rest, s.value),)
        return (s,)

    body = N.rewrite(N.transform(rows.loop.body, stored), lambda given: tuple(substitute(given, loads)))
    loop = replace(rows.loop, body=(Alloc({row: const(rows.length, T.i32)}, body),))
    inside = replace_at(kernel.body, rows.path, (loop,))
    around = at(inside, path)
    assert isinstance(around, Alloc)  # noqa: S101 - checked
    left = {b: n for b, n in around.sizes.items() if b is not rows.array}
    return Applied(replace(kernel, body=replace_at(inside, path, allocated(left, around.body))))


MOVE = Move(
    "contract_array",
    "Keep one row of an array inside of the loop that uses its rows.",
    find,
    apply,
    (CONTRACT,),
    limits=(FITS,),
)
