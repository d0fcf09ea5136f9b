"""Reductions: stores that add to what an element holds already, by an operator whose order may not matter.

What `privatize` finds in a loop: a histogram, a sum of rows, the largest of each column.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from ...base.record import record
from ...ir import expr as E
from ...ir import prim as table
from ...ir import types as T
from ...ir.expr import Buffer, Expr, const, topological
from ...ir.nest import (
    Alloc,
    Block,
    For,
    Kernel,
    Statement,
    Store,
    position_type,
    roots,
    scratch,
    transform,
    walk,
)
from ...ir.path import Path, at
from ...reasoning.effects import Access, effects, shown
from ...reasoning.linear import folded
from ..core.build import fresh_buffer, fresh_index

LINE = 64
"""Bytes of a line of the cache."""


@record
class LoopReduction:
    """The loop, the buffer that it reduces into, the operator, and the numbers that tell the copies apart."""

    loop: For
    buffer: Buffer
    op: str
    by: tuple[Expr, ...]

    @property
    def stores(self) -> list[Access]:
        """The stores of the loop to the buffer."""
        return [a for a in effects(self.loop.body).sets if a.buffer is self.buffer]

    @property
    def kind(self) -> str:
        """The kind of the elements, as the laws of operators are told."""
        type_ = self.buffer.type
        return "float" if type_.is_float else "integer" if type_.is_integer else "bool"

    @property
    def identity(self) -> float | int | bool | None:
        """The value with which the operator changes nothing, or None."""
        type_ = self.buffer.type
        if self.op in ("min", "max"):
            ends = (math.inf, -math.inf) if type_.is_float else (type_.high, type_.low)
            return ends[self.op == "max"]
        return table.row(self.op).laws.identity.get(self.kind)

    @property
    def order(self) -> str:
        """The requirement on the operator, in words."""
        when = " in relaxed numerics" if self.kind == "float" else ""
        return f"the order of {self.op} does not matter{when}"


def operand_of_update(store: Store) -> tuple[str, Expr] | None:
    """The operator and the operand of ``b[p] := b[p] op e``; None for any other store."""
    own = E.load(store.buffer, store.position)
    if len(store.value.args) != 2 or own not in store.value.args or store.value.op in E.STRUCTURAL:
        return None
    a, b = store.value.args
    other = b if a is own else a
    mine = [n for n in topological([other, store.position]) if n.op == "load" and n.attr is store.buffer]
    return None if mine else (store.value.op, other)


def reduction_at(
    kernel: Kernel, path: Path, buffer: str | None = None, by: Sequence[Expr] = ()
) -> LoopReduction | None:
    """The reduction of the loop at a path into a buffer from outside: that of the name, or the first there is."""
    loop = at(kernel.body, path) if path else None
    if not isinstance(loop, For):
        return None
    own = set(scratch(loop.body))
    for s in walk(loop.body):
        if isinstance(s, Store) and buffer in (None, s.buffer.name) and s.buffer not in own:
            found = operand_of_update(s)
            if found is not None:
                return LoopReduction(loop, s.buffer, found[0], tuple(by) or (loop.index,))
    return None


def other_use(g: LoopReduction) -> str | None:
    """The accesses to the buffer that are no part of the reduction, in words; None if there are none."""
    for s in walk(g.loop.body):
        if isinstance(s, Store) and s.buffer is g.buffer:
            found = operand_of_update(s)
            if found is None or found[0] != g.op:
                return f"{shown(s.value)} is stored"
        elif any(n.op == "load" and n.attr is g.buffer for n in topological(roots(s))):
            return f"a {type(s).__name__.lower()} loads it"
    return None


def elements(g: LoopReduction, counts: Sequence[int]) -> int:
    """The elements of all copies together, with what stands between them."""
    return math.prod(counts) * (g.buffer.size + _gap(g.buffer))


def in_parts(kernel: Kernel, g: LoopReduction, counts: Sequence[int]) -> Alloc:
    """The loop with as many copies of the buffer as `by` has values: cleared before they are used, merged in order.

    If the loop's own index tells copies apart before all else, every iteration clears and merges its own.
    """
    size, copies = g.buffer.size + _gap(g.buffer), math.prod(counts)
    parts = fresh_buffer(kernel, f"{g.buffer.name}_parts", g.buffer.type, elements(g, counts))
    type_ = position_type(parts.size)
    neutral = const(0 if g.identity is None else g.identity, g.buffer.type)

    def number(k: int) -> Expr:
        return const(k, type_)

    def loop(word: str, lo: int, hi: int, inside: Callable[[Expr], Statement]) -> For:
        index = fresh_index(kernel, f"{parts.name}_{word}", type_)
        return For(index, number(lo), number(hi), (inside(index),))

    def merge(words: tuple[str, str], into: Buffer, base: Expr, lo: int, hi: int, step: int) -> For:
        """Add copies, a step apart, to what begins at a base."""

        def one(c: Expr, e: Expr) -> Store:
            at_ = folded("add", base, e)
            part = E.load(parts, folded("add", base, folded("add", folded("mul", c, number(step)), e)))
            return Store(into, at_, E.apply(g.op, E.load(into, at_), part))

        return loop(words[0], lo, hi, lambda c: loop(words[1], 0, g.buffer.size, lambda e: one(c, e)))

    def moved(s: Statement) -> Block:
        if not isinstance(s, Store) or s.buffer is not g.buffer:
            return (s,)
        position, stride = s.position, size
        for e, count in zip(reversed(g.by), reversed(counts), strict=True):
            position = folded(
                "add", position, folded("mul", _as(e, position.type), const(stride, position.type))
            )
            stride *= count
        old, new = E.load(g.buffer, s.position), E.load(parts, position)
        return (Store(parts, position, E.apply(g.op, *(new if a is old else a for a in s.value.args))),)

    body = transform(g.loop.body, moved)
    if not _own(g, counts):
        clear = loop("all", 0, parts.size, lambda k: Store(parts, k, neutral))
        end = merge(("copy", "element"), g.buffer, number(0), 0, copies, size)
        return Alloc({parts: number(parts.size)}, (clear, replace(g.loop, body=body), end))
    step = copies // counts[0] * size
    start = folded("mul", _as(g.loop.index, type_), number(step))
    clear = loop("all", 0, step, lambda k: Store(parts, folded("add", start, k), neutral))
    near = merge(("copy", "near"), parts, start, 1, step // size, size)
    body = (clear, *body, *((near,) if step > size else ()))
    end = merge(("part", "element"), g.buffer, number(0), 0, counts[0], step)
    return Alloc({parts: number(parts.size)}, (replace(g.loop, body=body), end))


def inside_of(parts: Alloc, g: LoopReduction, path: Path) -> Callable[[Path], Path]:
    """The path of a statement after its loop is divided into parts."""
    at_ = next(k for k, s in enumerate(parts.body) if isinstance(s, For) and s.index is g.loop.index)

    def forward(old: Path) -> Path:
        if old[: len(path)] != path:
            return old
        rest = old[len(path) :]
        if rest and at_ == 0:
            # Copies are cleared before the first statement of the loop.
            rest = ((rest[0][0], rest[0][1] + 1), *rest[1:])
        return (*path, (0, at_), *rest)

    return forward


def _own(g: LoopReduction, counts: Sequence[int]) -> bool:
    """Whether every copy belongs to one iteration of the loop, and every iteration has its copies."""
    lo, hi = g.loop.lo, g.loop.hi
    whole = lo.op == hi.op == "const" and (lo.attr, hi.attr) == (0, counts[0])
    return whole and g.by[0] is g.loop.index


def _as(e: Expr, type_: T.Type) -> Expr:
    return e if e.type is type_ else E.apply("convert", e, attr=type_)


def _gap(buffer: Buffer) -> int:
    """Elements between copies: so that equal elements of neighboring copies do not have the same low address bits.

    By these alone a processor guesses whether a load needs what was just stored, and waits for nothing if it is wrong.
    """
    size = buffer.type.dtype.itemsize
    return LINE // size if buffer.size * size % (4 * LINE) == 0 else 0
