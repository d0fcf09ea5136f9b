"""Chains of one operator, taken as a whole: nothing stands in them twice, constants meet, operands have one order.

A part of `simplify`, beside `sums`, for operators that are associative and commutative and have no coefficients. In
chains of `xor` two equal operands cancel. In chains of `and`, `or`, `min` and `max` one of them is enough, and an
operand that holds another one by the dual operator is absorbed: ``min(a, max(b, a))`` is `a`. The operands that change
least come first, with the constant, so that they leave inner loops together. On integers and truths all of it is exact.
Floats have it in mode "relaxed" only, and an order only where no operand is NaN: the sign of a zero may differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from ..ir.expr import Expr, const
from ..ir.types import boolean
from .builder import Builder

DUALS = {"and": "or", "or": "and", "min": "max", "max": "min", "xor": ""}
"""The operators of chains, each with that by which its operands absorb."""
COMPLEMENTED = ("and", "or")
"""The operators of chains that an operand and its complement decide."""
MAX_OPERANDS = 32
"""Maximum operands of a chain that is looked at; longer chains stay as they are."""


def is_chain(builder: Builder, node: Expr) -> bool:
    """Whether a node ends a chain of an operator whose operands may change places."""
    return node.op in DUALS and (node.type is boolean or node.type.kind in builder.gathers)


def normal(builder: Builder, node: Expr, *, whole: bool) -> Expr:
    """The chain that a node ends in normal form, or the node itself if it is that.

    Only a `whole` chain, which is no part of a longer one, gets an order: its parts then have it as well.
    """
    found = shortened(builder, node)
    if whole and is_chain(builder, found):
        found = ordered(builder, found, builder.alone)
    if found is not node and builder.trace is not None:
        builder.trace.note("chain-real" if node.type.is_float else "chain", node, found)
    return found


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
        if op in COMPLEMENTED and any(n.op == "not" and n.args[0] in counts for n in kept):
            # No bit is both, and every bit is one of them.
            lone = kept[0]
            return builder.apply(op, lone, builder.apply("not", lone))
    if len(kept) == len(operands):
        return node
    return _joined(builder, op, kept) if kept else const(0, node.type)


def ordered(builder: Builder, node: Expr, alone: Callable[[Expr], bool]) -> Expr:
    """The chain that a node ends with its operands in order, or the node itself; what others use as well is no part."""
    op, (a, b) = node.op, node.args
    longer = op in (a.op, b.op) or (op == "xor" and "not" in (a.op, b.op))
    # The builder turns two operands, but for floats.
    turned = node.type.is_float and b.op != "const" and (a.op == "const" or builder.follows(a, b))
    if not longer and not turned:
        return node
    operands = _operands(node, op, alone)
    if node.type.is_float and any(builder.facts(n).nan for n in operands):
        return node
    constants = [n for n in operands if n.op == "const"]
    varying = sorted([n for n in operands if n.op != "const"], key=builder.key)
    if constants and varying:
        least = builder.rank(varying[0].free)
        position = sum(builder.rank(n.free) == least for n in varying)
        varying.insert(position, _joined(builder, op, constants))
    return _joined(builder, op, varying or constants)


def _joined(builder: Builder, op: str, operands: list[Expr]) -> Expr:
    """The chain of some operands from left to right."""
    found = operands[0]
    for n in operands[1:]:
        found = builder.build(op, (found, n), found.type)
    return found


def _operands(node: Expr, op: str, alone: Callable[[Expr], bool] | None = None) -> list[Expr]:
    """The operands of a chain of one operator, in order; the node itself if it is no chain, or too long.

    With `alone`, inner nodes of which it is not true are operands, and complements in a chain of `xor` are constants.
    """
    found: list[Expr] = []
    stack = [node]
    while stack:
        n = stack.pop()
        if n.op == op and (n is node or alone is None or alone(n)):
            stack += reversed(n.args)
        elif n.op == "not" and op == "xor" and alone is not None and alone(n):
            stack += (n.args[0], const(-1, n.type))
        else:
            found.append(n)
        if len(found) + len(stack) > MAX_OPERANDS:
            return [node]
    return found
