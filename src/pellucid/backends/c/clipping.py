"""Loops that end where their store would leave its buffer: nothing is tested in them, and C makes vectors of them.

Beside `source`. An iteration whose one store is left out does nothing, so a loop may begin and end where the store is
inside: from ``-base`` to ``size - base``, for a store to ``base + index``.
"""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

from ...ir import types as T
from ...ir.expr import Buffer, Expr, topological
from ...ir.nest import Alloc, For, Once, Repeat, Store, While, all_roots, walk
from ...reasoning.infer import FactsOf
from ..obligations import stored_buffers

MAX_BASE = 1 << 48
"""A bound of positions of 64 bits: what is added to them does not wrap."""
PRAGMA = "#pragma omp simd"
HELPER_PRAGMA = """/* Compile with -fopenmp-simd, or each element is computed by itself. */
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#endif
#if defined(__GNUC__) && !defined(__clang__)
/* Where jumps or truths are computed ahead, gcc makes no vectors of choices. */
#pragma GCC optimize("no-thread-jumps", "no-tree-pre")
#endif
"""
HELPER_BEGIN = """static inline int64_t begin_inside(int64_t begin, int64_t end, int64_t base)
{
    begin = begin < -base ? -base : begin;
    return begin < end ? begin : end;
}
"""
HELPER_END = """static inline int64_t end_inside(int64_t end, int64_t base, int64_t size, int64_t most)
{
    size = size < most ? size : most;
    return size - base < end ? size - base : end;
}
"""


class ClippedLoop(NamedTuple):
    """The store of a loop, its index, and what is added to it for the position, if anything is."""

    store: Store
    along: Expr
    base: Expr | None


def clipped(loop: For, facts: FactsOf) -> ClippedLoop | None:
    """The loop as one that can be clipped: its one effect is a store to a position that goes up by one."""
    stores = [s for s in walk(loop.body) if isinstance(s, Store)]
    if len(stores) != 1 or stores[0] is not loop.body[-1]:
        return None
    (last,) = stores
    position, index = last.position, loop.index
    if position is index:
        return ClippedLoop(last, index, None)
    if position.op != "add" or index.type not in (T.i32, T.i64):
        return None
    one, other = position.args
    base = other if one is index else one if other is index else None
    # An index below 0 could wrap around to a position that is inside.
    if base is None or base.free & index.free or facts(loop.lo).lo < 0:
        return None
    if any(n.op == "load" for n in topological([base])):
        return None
    held = facts(base)
    if index.type is T.i64 and not (-MAX_BASE < held.lo and held.hi < MAX_BASE):
        return None
    return ClippedLoop(last, index, base)


def is_parallel(loop: For) -> bool:
    """Whether iterations do not depend on each other, and have no loop: C may make vectors of them."""
    stores = [s for s in walk(loop.body) if isinstance(s, Store)]
    stored = {s.buffer for s in stores}
    if not stored or any(isinstance(s, Alloc | For | Once | Repeat | While) for s in walk(loop.body)):
        return False
    nodes = topological(all_roots(loop.body))
    loads = [n for n in nodes if n.op == "load" and n.attr in stored]
    if any(n.op == "iterate" for n in nodes):
        return False
    # Of several stores, and of what is loaded as well, each iteration has its own element.
    places = [*(s.position for s in stores), *(n.args[0] for n in loads)]
    return len(places) == 1 or all(position is loop.index for position in places)


def loaded_first(loop: For, arrays: Container[Buffer]) -> list[Expr]:
    """The loads of its own element that an iteration has of some arrays before it stores to them."""
    found: dict[Expr, None] = {}
    stored: set[Buffer] = set()
    for s in loop.body:
        for n in topological(all_roots((s,))):
            if n.op == "load" and n.args[0] is loop.index and n.attr in arrays and n.attr not in stored:
                found[n] = None
        stored |= stored_buffers((s,))
    return list(found)
