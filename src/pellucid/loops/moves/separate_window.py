"""separate_window: a window whose weights are a product of rows and columns is computed in two passes.

The first pass combines along the outer axes into a new array, the second along the inner ones: 2 n loads instead of n².
For sums this reassociates, so it is done where `numerics` is "relaxed", or on integers, whose sums are the same in any
order; max and min are the same without weights, and with weights where no sum with one wraps or rounds.
Source: Ritter, Wilson and Davidson, decomposition of templates.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir import expr as E
from ...ir.expr import const, topological
from ...ir.nest import Alloc, For, Kernel, Statement, Store, position_type
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.known import Known
from ...reasoning.prove import Proved, Refuted, Unknown, Verdict, decided
from ..analysis.windows import Window, combined, factors, windowed
from ..core.build import fresh_buffer
from ..core.elements import Filled, position, within
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Nests that fill an array with windows of more than one row and column."""
    for path, s in paths(kernel.body):
        if isinstance(s, For) and windowed(s) is not None:
            yield path


def _of(site: Site) -> tuple[Filled, Window]:
    found = windowed(site.statement)
    assert found is not None  # noqa: S101 - the theorem's shape
    return found


def _shape(site: Site) -> Verdict:
    found = windowed(site.statement) is not None
    return decided(found, "a window of rows and columns fills an array", "the value is no such window")


def _rank_one(site: Site) -> Verdict:
    _, w = _of(site)
    return decided(factors(w) is not None, "the weights are a product", "the rank of the table is not 1")


def _any_order(site: Site) -> Verdict:
    nest, w = _of(site)
    whole, idle = w.array.type.is_integer, w.scale == "add" and not w.table.any()
    if idle or (whole and w.join == "add"):
        return Proved("the order does not matter")
    if whole:
        # A maximum is that of sums only as long as none of them wraps.
        facts, type_ = Known(site.ranges, nest.loops).facts, w.array.type
        low, high = float(w.table.min()), float(w.table.max())
        loads = [n for n in topological([nest.store.value]) if n.op == "load" and n.attr is w.array]
        fits = all(facts(n).lo + low >= type_.low and facts(n).hi + high <= type_.high for n in loads)
        return Proved("no sum wraps") if fits else Unknown("no sum wraps", f"the range of {w.array.name}")
    numerics = site.options.get("numerics", "exact")
    if numerics == "relaxed":
        return Proved("sums may be reassociated")
    return Refuted("sums may be reassociated", f"numerics are {numerics}")


def _inside(site: Site) -> Verdict:
    nest, w = _of(site)
    facts = Known(site.ranges, nest.loops).facts
    for point in w.columns:
        if not within(point, nest.extents[w.cut :], facts):
            return Unknown("the columns are inside", f"{', '.join(map(repr, point))} may not be")
    return Proved("the columns are inside")


def _apart(site: Site) -> Verdict:
    nest, w = _of(site)
    return decided(
        w.array is not nest.store.buffer, "another array is filled", f"it is {w.array.name} itself"
    )


SEPARATE = Theorem(
    "a window of rank 1 is one of columns after one of rows",
    "If the weights are a product, what is combined along the rows can be stored and combined along the columns.",
    (
        Clause("rank-one", "the table of weights is a product of rows and columns", _rank_one),
        Clause("any-order", "values may be combined in any order", _any_order),
        Clause("inside", "the inner coordinates of the loads are inside of the array", _inside),
        Clause("apart", "the array that is filled is not the one that is loaded", _apart),
    ),
    shape=Clause("window", "a nest fills an array with windows of several rows and columns", _shape),
)


def apply(kernel: Kernel, path: Path, **_: Any) -> Applied:
    """Two nests in place of one, with an array between them."""
    statement = at(kernel.body, path)
    found = windowed(statement)
    assert found is not None  # noqa: S101 - checked
    nest, w = found
    weights = factors(w)
    assert weights is not None  # noqa: S101 - checked
    between = fresh_buffer(kernel, f"{w.array.name}_rows", w.array.type, w.array.size)
    inner = nest.indices[w.cut :]
    first = combined(w, [E.load(w.array, position((*r, *inner), w.extents)) for r in w.rows], weights[0])
    outer = nest.indices[: w.cut]
    second = combined(w, [E.load(between, position((*outer, *q), w.extents)) for q in w.columns], weights[1])
    size = const(between.size, position_type(between.size))
    body = (
        _nest(nest, replace(nest.store, buffer=between, value=first)),
        _nest(nest, replace(nest.store, value=second)),
    )
    changed = replace_at(kernel.body, path, body)
    around = changed[0] if len(changed) == 1 else None
    if isinstance(around, Alloc):
        # Beside the scratch memory that is around the program already.
        new = (replace(around, sizes={**around.sizes, between: size}),)
        return Applied(replace(kernel, body=new), lambda old: _later(old, path))
    new = replace(kernel, body=(Alloc({between: size}, changed),))
    return Applied(new, lambda old: ((0, 0), *_later(old, path)))


def _later(old: Path, path: Path) -> Path:
    """The path of a statement after one was inserted behind another path."""
    depth = len(path) - 1
    if len(old) <= depth or old[:depth] != path[:depth] or old[depth][0] != path[depth][0]:
        return old
    behind = old[depth][1] > path[depth][1]
    return (*old[:depth], (old[depth][0], old[depth][1] + behind), *old[depth + 1 :])


def _nest(like: Filled, store: Store) -> Statement:
    found: Statement = store
    for loop in reversed(like.loops):
        found = replace(loop, body=(found,))
    return found


MOVE = Move(
    "separate_window",
    "Compute a window whose weights are a product in two passes, rows first.",
    find,
    apply,
    (SEPARATE,),
)
