"""Continuations inside of continuations: when a code that is handed them makes control stacks of them.

An interpreter that branches over its own recursion hands on the same continuations in every order, and each order would
be a pattern: they are permutations of each other. As long as a code gets each set of continuations in one order, they
are kept, since what they are given is as known as it can be. From the first one in another order on they become control
stacks for that code, which return what is dynamic. There are finitely many sets, so this ends.
"""

from __future__ import annotations

from pellucid.staging.root.program import RootCode
from pellucid.staging.times.lattice import STATIC, Constant, Pointer, Stack, Time, TimeGraph


class Nesting:
    """The orders in which codes were handed continuations."""

    def __init__(self) -> None:
        self._orders: dict[tuple[RootCode, frozenset[RootCode]], tuple[RootCode, ...]] = {}
        """The first order of each set of continuations, by the code that they were handed to."""
        self._permuted: set[RootCode] = set()
        """The codes that were handed some in another order."""

    def is_generalized(self, callee: RootCode, time: Time) -> bool:
        """Whether an argument of a code is a continuation that becomes a control stack there."""
        if not isinstance(time, TimeGraph) or not _is_nested(time, callee):
            return False
        order = _codes(time)
        if self._orders.setdefault((callee, frozenset(order)), order) != order:
            self._permuted.add(callee)
        return callee in self._permuted


def _codes(time: TimeGraph) -> tuple[RootCode, ...]:
    """The codes of the closures in a time, from the outermost one on."""
    found: list[RootCode] = []
    for node in time.nodes:
        head = node.car if node.closure else None
        if isinstance(head, Pointer):
            found.append(head.code)
        elif isinstance(head, Constant) and isinstance(head.value, RootCode):
            found.append(head.value)
    return tuple(found)


def _is_nested(time: TimeGraph, callee: RootCode) -> bool:
    """Whether a time is that of a continuation in a recursion: of others inside of others, or with a control stack."""
    if time.packed or time.code in {None, callee}:
        return False
    fields = [field for node in time.nodes for field in (node.car, node.cdr)]
    stacks = [one for one in fields if isinstance(one, Stack)]
    if any(one is STATIC for stack in stacks for one in stack.returns):
        # What it leads to wants to know its value: a control stack of ours would forget that.
        return False
    return sum(node.closure for node in time.nodes) > 2 or bool(stacks)
