"""Chains of one operator, taken as a whole: what stands twice in them goes, however it is nested and ordered.

A part of `simplify`, beside `sums`, for operators that are associative and commutative and have no coefficients: in
chains of `xor` two equal operands cancel; in chains of `and`, `or`, `min` and `max` one of them is enough, and an
operand that holds another one by the dual operator is absorbed: ``min(a, max(b, a))`` is `a`.
"""

from __future__ import annotations

from collections import Counter

from ..ir.expr import Expr, const
from .builder import Builder

DUALS = {"and": "or", "or": "and", "min": "max", "max": "min", "xor": ""}
"""The operators of chains, each with that by which its operands absorb."""
MAX_OPERANDS = 32
"""The operands of a chain that are looked at; longer chains stay as they are."""


def shortened(builder: Builder, node: Expr) -> Expr:
    """The chain that a node ends without the operands that stand in it twice, or the node itself."""
    op = node.op
    if not any(a.op in (op, DUALS[op]) for a in node.args):
        # Rules know what two operands make.
        return node
    operands = _operands(node, op)
    counts = Counter(operands)
    if op == "xor":
        kept = [n for n, times in counts.items() if times % 2]
    else:
        dual = DUALS[op]
        kept = [n for n in counts if n.op != dual or counts.keys().isdisjoint(_operands(n, dual))]
    if len(kept) == len(operands):
        return node
    if not kept:
        return const(0, node.type)
    found = kept[0]
    for n in kept[1:]:
        found = builder.build(op, (found, n), node.type)
    if builder.trace is not None:
        builder.trace.note("shorten", node, found)
    return found


def _operands(node: Expr, op: str) -> list[Expr]:
    """The operands of a chain of one operator, in order; the node itself if it is no chain, or too long."""
    found: list[Expr] = []
    stack = [node]
    while stack:
        n = stack.pop()
        if n.op == op:
            stack += reversed(n.args)
        else:
            found.append(n)
        if len(found) + len(stack) > MAX_OPERANDS:
            return [node]
    return found
