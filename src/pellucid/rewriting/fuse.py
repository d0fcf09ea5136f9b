"""Fused multiply-add: which products become one operation with the sum around them.

A pass of `expand` in mode "relaxed". A product that changes less often than the sum stays by itself, so that it can be
computed outside of the inner loop; a product with several users is computed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..ir.bits import whole_states
from ..ir.expr import Expr, make, rebuild, topological

if TYPE_CHECKING:
    from .builder import Trace


def fuse(roots: Sequence[Expr], order: Sequence[int] = (), trace: Trace | None = None) -> list[Expr]:
    """The expressions with x*y + z, z - x*y and x*y - z as fused operations where that saves one per evaluation.

    `order` gives the index bits of the loops from the outermost in: a product that can leave a loop of the sum stays.

    >>> from pellucid.ir.parse import parse_expr
    >>> fuse(parse_expr("$x:f32 * $y:f32 + 1.0"))
    [fma($x:f32, $y:f32, 1.0)]
    """
    nodes = topological(roots)
    counts: dict[Expr, int] = dict.fromkeys(roots, 1)
    for node in nodes:
        for a in node.args:
            counts[a] = counts.get(a, 0) + 1
    done: dict[Expr, Expr] = {}
    for node in nodes:
        if not node.args:
            done[node] = node
            continue
        if node.op in ("add", "sub") and node.type.is_float:
            fused = _fused(node, counts, done, order)
            if fused is not None:
                done[node] = fused
                if trace is not None:
                    trace.note("fuse", node, fused)
                continue
        done[node] = rebuild(node, tuple([done[a] for a in node.args]))
    return [done[r] for r in roots]


def _level(free: int, order: Sequence[int]) -> tuple[int, int]:
    """The innermost loop that a value changes with, and the indices of no known loop (iterations, for example)."""
    deepest, rest = -1, free
    for k, bit in enumerate(order):
        if free & bit:
            deepest = k
            rest &= ~bit
    return deepest, rest and whole_states(rest)


def _fused(node: Expr, counts: dict[Expr, int], done: dict[Expr, Expr], order: Sequence[int]) -> Expr | None:
    """The fused form of a sum or difference, if one of its operands is a product to be fused."""
    a, b = node.args
    level = _level(node.free, order)
    # Of two products the second is fused; the first, which changes less often, may be computed earlier.
    if b.op == "mul" and counts[b] == 1 and _level(b.free, order) == level:
        x, y = (done[p] for p in b.args)
        if node.op == "sub":
            x, y = _negated(x, y)
        return make("fma", (x, y, done[a]), node.type)
    if a.op == "mul" and counts[a] == 1 and _level(a.free, order) == level:
        x, y = (done[p] for p in a.args)
        rest = done[b]
        if node.op == "sub":
            rest = _negative(rest)
        return make("fma", (x, y, rest), node.type)
    return None


def _negated(x: Expr, y: Expr) -> tuple[Expr, Expr]:
    """The factors of -(x * y), with the sign on a constant where there is one."""
    if y.op == "const":
        return x, _negative(y)
    return _negative(x), y


def _negative(x: Expr) -> Expr:
    from ..ir.expr import const

    if x.op == "const":
        return const(-x.attr, x.type)
    return x.args[0] if x.op == "neg" else make("neg", (x,), x.type)
