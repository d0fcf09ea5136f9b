"""tile: two nested loops go over blocks, and within a block over its iterations: what is near is used while it is near.

Made of smaller moves: both loops are cut into blocks, and the loop over the iterations of an outer block changes
places with the loop over the inner blocks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir.nest import SEQ, Block, For, Kernel
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import shown, untouched
from ...reasoning.prove import Verdict, both, decided
from ..analysis.reorder import INTERCHANGEABLE
from ..analysis.strips import NO_OVERFLOW, POSITIVE, SIZE, strips
from ..core.ledger import Ledger
from ..core.move import Applied, Move
from ..core.registry import named
from ..core.tactic import State, make
from ..core.theorem import Clause, Site, Theorem


def _inner(outer: object) -> For | None:
    """The loop that is the whole body of a loop, both in order."""
    if isinstance(outer, For) and outer.how == SEQ and len(outer.body) == 1:
        inner = outer.body[0]
        if isinstance(inner, For) and inner.how == SEQ:
            return inner
    return None


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Loops in order whose body is one other loop in order."""
    for path, s in paths(kernel.body):
        if _inner(s) is not None:
            yield path


def _pair(site: Site) -> tuple[For, For]:
    outer, inner = site.statement, _inner(site.statement)
    assert isinstance(outer, For) and inner is not None  # noqa: S101, PT018 - the theorem's shape
    return outer, inner


def _of_both(clause: Clause) -> Clause:
    """A clause of cutting a loop into blocks, asked of the outer and of the inner loop."""

    def test(site: Site) -> Verdict:
        sites = ((site.path, "rows"), ((*site.path, (0, 0)), "columns"))
        return both(
            *(
                clause.test(Site(site.kernel, path, site.ranges, {"size": site.options.get(word, SIZE)}))
                for path, word in sites
            )
        )

    return Clause(clause.name, f"{clause.text}, for both loops", test)


def _bounds_unchanged(site: Site) -> Verdict:
    outer, inner = _pair(site)
    return untouched([outer.lo, outer.hi, inner.lo, inner.hi], outer.body)


def _rectangular(site: Site) -> Verdict:
    outer, inner = _pair(site)
    fixed = not (inner.lo.free | inner.hi.free) & outer.index.free
    return decided(
        fixed, "the inner bounds stay", f"{outer.index.attr} occurs in {shown(inner.lo)} .. {shown(inner.hi)}"
    )


TILES = Theorem(
    "nested loops may go over blocks",
    "Two nested loops over a rectangle may go over it block by block.",
    (
        _of_both(POSITIVE),
        Clause(
            "bounds-unchanged", "the body stores to nothing that any of the bounds load", _bounds_unchanged
        ),
        _of_both(NO_OVERFLOW),
        Clause("rectangular", "the outer index does not occur in the inner bounds", _rectangular),
        INTERCHANGEABLE,
    ),
    lemma="tiling",
    shape=Clause(
        "nested",
        "the site is a loop that runs in order, and its body another one",
        lambda s: decided(_inner(s.statement) is not None, "a loop is the body of a loop", f"{s} is not"),
    ),
)


def apply(kernel: Kernel, path: Path, *, rows: int = SIZE, columns: int = SIZE, **_: Any) -> Applied:
    """Four loops for two; `rows` is the size of a block along the outer loop, `columns` along the inner one."""
    outer = at(kernel.body, path)
    inner = _inner(outer)
    assert isinstance(outer, For) and inner is not None  # noqa: S101, PT018 - checked
    across, row = strips(kernel, outer, rows)
    along, column = strips(kernel, inner, columns)
    body: Block = inner.body
    for loop in (column, row, along, across):
        body = (replace(loop, body=body),)
    return Applied(replace(kernel, body=replace_at(kernel.body, path, body)))


def derive(kernel: Kernel, path: Path, *, rows: int = SIZE, columns: int = SIZE, **options: Any) -> Ledger:
    """The three smaller moves, on the program itself."""
    state = State(kernel, options.get("ranges") or {}, Ledger())
    state, _ = make(state, named("strip_mine"), path, size=rows)
    state, _ = make(state, named("strip_mine"), (*path, (0, 0), (0, 0)), size=columns)
    state, _ = make(state, named("interchange_loops"), (*path, (0, 0)))
    return state.ledger


MOVE = Move("tile", "Go over two nested loops block by block.", find, apply, (TILES,), derive)
