"""Stepping: the iterations in the values of a loop that differ along it, and the loops that make their steps together.

For `lockstep`. An element whose iteration has ended keeps its state, by a mask; the turns are counted once for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...ir import expr as E
from ...ir import types as T
from ...ir.bits import states_in
from ...ir.expr import Expr, const, parts, substitute, topological
from ...ir.nest import Alloc, For, Kernel, Statement, Store, While, all_roots
from ..core.build import with_values
from .blocked import Blocked, LaneArrays, plain_loop, wanted

FIRST = const(0, T.i32)


class Stepping(NamedTuple):
    """An iteration that differs along a loop, and when it is `wanted`; `even` if it ends for all indices at once."""

    node: Expr
    wanted: Expr
    even: bool

    @classmethod
    def of(cls, s: Statement | None) -> Stepping | None:
        """The first iteration that differs along a loop of stores, and belongs to the step of no other one."""
        loop = plain_loop(s)
        if loop is None:
            return None
        roots, along = all_roots(loop.body), loop.index.free
        for node in topological(roots):
            if node.op == "iterate" and node.free & along and not states_in(node.free):
                _, _, stop, limit = parts(node)
                even = stop is E.FALSE and not limit.free & along
                return cls(node, E.TRUE if even else wanted(node, roots), even)
        return None

    def together(self, kernel: Kernel, loop: For, values: Mapping[Expr, Expr], size: int) -> Blocked:
        """The arrays, and the loops over them, for a block of a loop in which nodes have these values."""
        node, wanted = substitute([self.node, self.wanted], dict(values))
        init, step, stop, limit = parts(node)
        arrays = LaneArrays(kernel, loop, size, init[0].type.bits)
        now = [arrays.new("state", a.type) for a in init]
        then = [arrays.new("following", a.type) for a in init]
        turn = arrays.new("turn", T.i32, 1)
        turns = E.load(turn, FIRST)
        held = [arrays.load(b, a.type) for b, a in zip(now, init, strict=True)]
        states = {E.state(node.attr[0], k, v.type): v for k, v in enumerate(held)}
        *step, stop = substitute([*step, stop], states)
        fills, steps = [*map(arrays.store, now, init)], [*map(arrays.store, then, step)]
        again, cleared = E.apply("lt", turns, limit), now
        if not self.even:
            going, moving = arrays.new("going", T.boolean), arrays.new("moving", T.boolean)
            moves = E.apply("and", E.apply("and", arrays.load(going, T.boolean), again), E.apply("not", stop))
            # Choices between truths are none that gcc makes vectors of.
            words = [(arrays.held(a), E.load(b, loop.index)) for a, b in zip(step, now, strict=True)]
            steps = [
                arrays.store(c, E.apply("choose", moves, *pair)) for c, pair in zip(then, words, strict=True)
            ]
            fills += [arrays.store(going, wanted), arrays.store(moving, wanted)]
            steps.append(arrays.store(moving, moves))
            now, then = [*now, going], [*then, moving]
            again = arrays.any(moving)
            cleared = [*now, moving]
        advance = Store(turn, FIRST, E.apply("add", turns, const(1, T.i32)))
        results = {E.get(node, k): value for k, value in enumerate(held)}
        body = (
            arrays.clear(cleared),
            arrays.each(fills),
            Store(turn, FIRST, FIRST),
            While(again, (arrays.whole(steps), arrays.whole(arrays.copy(now, then)), advance)),
            arrays.each(with_values(loop.body, results)),
        )
        return Blocked(Alloc(dict(arrays.made), body))
