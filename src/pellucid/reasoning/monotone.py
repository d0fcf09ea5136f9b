"""Directions: whether a value rises or falls along a loop, through rounded arithmetic as well.

Part of `reasoning`, for the moves that cut a loop where a condition changes. Rounding keeps order, so a chain of
monotone operators is monotone in floats exactly as it is in real numbers; what breaks it is NaN and the wrapping of
integers, and both are ruled out by facts. The signs of single operators are the column `monotone` of their rows.
"""

from __future__ import annotations

from enum import Enum

from ..ir import prim as table
from ..ir import types as T
from ..ir.expr import Expr, topological
from .infer import FactsOf


class Direction(Enum):
    """The direction of a value along a loop: not at all, never down, never up, one of these two, or in no known way."""

    FIXED = "is the same in every iteration"
    RISES = "never falls"
    FALLS = "never rises"
    EITHER = "never falls or never rises"
    UNKNOWN = "changes in no known direction"

    def reversed(self) -> Direction:
        """The direction of the negation."""
        return _REVERSED.get(self, self)

    def joined(self, other: Direction) -> Direction:
        """The direction of a sum: what two operands agree on, where both only ever push upwards.

        >>> Direction.RISES.joined(Direction.FIXED).name, Direction.RISES.joined(Direction.FALLS).name
        ('RISES', 'UNKNOWN')
        """
        if Direction.FIXED in (self, other):
            return other if self is Direction.FIXED else self
        # Of two values that each go one unknown way, the ways may differ.
        return self if self is other and self is not Direction.EITHER else Direction.UNKNOWN


_REVERSED = {Direction.RISES: Direction.FALLS, Direction.FALLS: Direction.RISES}


def direction(node: Expr, index: Expr, facts: FactsOf) -> Direction:
    """The direction in which a value changes while a loop's index grows through its range and everything else stays.

    Parameters: `facts` must hold for the index in its loop; memory counts as fixed, which is for the caller to see to.

    >>> from pellucid.ir.expr import apply, const, index, param
    >>> from pellucid.ir.facts import Facts
    >>> i, slope = index("i"), param("slope", T.i32)
    >>> steep = apply("mul", i, slope)
    >>> direction(apply("lt", steep, const(7, T.i32)), i, FactsOf({i: Facts(0, 99), slope: Facts(1, 9)})).name
    'FALLS'
    >>> direction(steep, i, FactsOf({i: Facts(0, 99), slope: Facts(-9, 9)})).name
    'EITHER'
    >>> direction(steep, i, FactsOf({i: Facts(0, 99)})).name
    'UNKNOWN'
    """
    found: dict[Expr, Direction] = {}
    for n in topological([node]):
        if not n.free & index.free:
            found[n] = Direction.FIXED
        elif n is index:
            found[n] = Direction.RISES
        else:
            found[n] = _through(n, found, facts)
    return found[node]


def _through(node: Expr, found: dict[Expr, Direction], facts: FactsOf) -> Direction:
    """The direction of a node that does depend on the index, from those of its operands."""
    operands = [found[a] for a in node.args]
    if node.op == "choose" and operands[0] is Direction.FIXED:
        return _either(operands[1], operands[2])
    if node.op in ("load", "iterate", "get", "choose"):
        return Direction.UNKNOWN
    if node.type is T.boolean and node.op in ("and", "or", "not"):
        first = operands[0]
        return first.reversed() if node.op == "not" else first.joined(operands[1])
    signs = table.row(node.op).monotone
    if not signs or not _in_order(node, facts):
        return Direction.UNKNOWN
    result = Direction.FIXED
    for k, (sign, own) in enumerate(zip(signs, operands, strict=True)):
        result = result.joined(
            own if own is Direction.FIXED else _signed(sign, own, node, k, operands, facts)
        )
    return result


def _either(a: Direction, b: Direction) -> Direction:
    """The direction of one of two values, always the same one."""
    if a is b or Direction.FIXED in (a, b):
        return a if b is Direction.FIXED else b
    return Direction.UNKNOWN if Direction.UNKNOWN in (a, b) else Direction.EITHER


def _signed(
    sign: str, own: Direction, node: Expr, position: int, operands: list[Direction], facts: FactsOf
) -> Direction:
    """The effect of one operand on the result."""
    if sign == "+":
        return own
    if sign == "-":
        return own.reversed()
    if sign == ".":
        return Direction.UNKNOWN
    factor = facts(node.args[1 - position])
    if factor.lo >= 0 and not (factor.minus_zero and node.op == "div"):
        return own
    if factor.hi < 0:
        return own.reversed()
    # The sign of a factor is known only if it stays the same.
    fixed = operands[1 - position] is Direction.FIXED
    return Direction.EITHER if fixed and own is not Direction.UNKNOWN else Direction.UNKNOWN


def _in_order(node: Expr, facts: FactsOf) -> bool:
    """Whether no NaN comes in or out, and no integer wraps: then the row's facts are narrower than the type."""
    operands = [facts(a) for a in node.args]
    types = tuple(a.type for a in node.args)
    own = table.row(node.op).transfer(node.type, types, *operands)
    if own.nan or any(a.nan for a in operands):
        return False
    if not node.type.is_integer or not all(t.is_integer for t in types):
        return True
    return own.lo > node.type.low or own.hi < node.type.high
