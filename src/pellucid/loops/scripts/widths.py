"""Widths: how many lanes fill a register, by the width of the values that a loop computes.

Beside `cycles`, for scripts that end in lanes; and in which order loops stand, which tells rules what changes least.
"""

from __future__ import annotations

from collections import Counter

from ...ir import types as T
from ...ir.expr import Expr
from ...ir.nest import For, Kernel, Store, blocks, walk
from ...ir.path import at
from ...reasoning.linear import slope
from ..core.registry import named
from ..core.tactic import State, Tactic, make

MIN_NARROW = 8
"""For one wide value, which takes several registers, so many values fill theirs."""


def usual(loop: For) -> int:
    """The bits that the values of a loop have, but for a few wider ones; at least 8.

    Values are those that differ between iterations, except for positions along the loop. A position in a table that
    is a narrower number, and a constant, is taken as that number.
    """
    found = Counter({8: 0})
    stack = [s.value for s in walk(loop.body) if isinstance(s, Store)]
    seen: set[Expr] = set()
    while stack:
        n = stack.pop()
        if n in seen or not n.free & loop.index.free:
            continue
        seen.add(n)
        if n.type is not T.boolean:
            found[max(8, n.type.bits)] += 1
        if n.op != "load":
            stack += n.args
            continue
        (position,) = n.args
        if slope(position, loop.index) is None:
            if position.op == "add" and position.args[1].op == "const":
                position = position.args[0]
            stack.append(position.args[0] if position.op == "convert" else position)
    few = found.total() / MIN_NARROW
    return min(bits for bits in found if sum(found[wide] for wide in found if wide > bits) <= few)


def filled(loop: For, lanes: int) -> int:
    """The given lanes, or fewer for a loop that is known to have fewer iterations."""
    if loop.lo.op != "const" or loop.hi.op != "const" or loop.hi.attr <= loop.lo.attr:
        return lanes
    return min(lanes, 1 << (int(loop.hi.attr - loop.lo.attr).bit_length() - 1))


def by_lanes(lanes: int, bits: int) -> Tactic:
    """Every loop by that many lanes of so many bits wherever that is proved; by more where its values are narrower."""

    def tactic(state: State) -> State:
        move = named("lanes")
        while True:
            for path in move.find(state.kernel):
                loop = at(state.kernel.body, path)
                if isinstance(loop, For):
                    count = filled(loop, max(lanes, lanes * bits // usual(loop)))
                    state, done = make(state, move, path, count=count)
                    if done:
                        break
            else:
                return state

    return tactic


def order_of(kernel: Kernel) -> tuple[int, ...]:
    """The bits of the indices of loops, outermost first; those of loops side by side together."""
    found: list[int] = []
    rest = [(kernel.body, 0)]
    while rest:
        block, depth = rest.pop()
        for s in block:
            inside = depth
            if isinstance(s, For):
                if depth == len(found):
                    found.append(0)
                found[depth] |= s.index.free
                inside += 1
            rest.extend((b, inside) for b in blocks(s))
    # An index of loops at several depths counts as it does in the outermost.
    taken = 0
    for depth, bits in enumerate(found):
        found[depth] = bits & ~taken
        taken |= bits
    return tuple(found)
