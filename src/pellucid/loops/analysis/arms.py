"""Dear arms: the sides of choices in a loop that are worth skipping for a block of iterations none of which wants them.

For `skip_arm`. What only one side of the choices on a condition needs is computed in a loop of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import NamedTuple

from ...ir import expr as E
from ...ir import types as T
from ...ir.bits import states_in
from ...ir.expr import Expr, substitute, topological
from ...ir.nest import Alloc, For, If, Kernel, Statement, all_roots
from ...reasoning.work import node_costs
from ..core.build import with_values
from .blocked import LaneArrays, plain_loop, wanted

MIN_COST = 40.0
"""Minimum cost of what one side alone needs. The arrays and loops of a block cost about a third of it."""


class DearArm(NamedTuple):
    """The choices on a condition of which one `side` is dear, and when that side is `wanted`."""

    chosen: tuple[Expr, ...]
    side: int
    wanted: Expr

    @classmethod
    def of(cls, s: Statement | None, least: float = MIN_COST) -> DearArm | None:
        """The dearest arm in a loop of stores, which costs at least so much by itself, and more than what it shares."""
        loop = plain_loop(s)
        if loop is None:
            return None
        roots, along = all_roots(loop.body), loop.index.free
        nodes = topological(roots)
        groups: dict[Expr, list[Expr]] = {}
        for n in nodes:
            if n.op == "choose" and not states_in(n.free):
                test = n.args[0]
                if test.free & along and not test.holds & E.ITERATIONS:
                    groups.setdefault(test, []).append(n)
        costs = node_costs(nodes)
        best: tuple[float, list[Expr], int] | None = None
        for chosen in groups.values():
            for side in (1, 2):
                alone, shared = _costs(roots, chosen, side, costs)
                if alone >= max(least, shared) and (best is None or alone > best[0]):
                    best = alone, chosen, side
        if best is None:
            return None
        _, chosen, side = best
        test = chosen[0].args[0]
        around = [wanted(n, roots) for n in chosen]
        here = E.TRUE if E.TRUE in around else reduce(lambda a, b: E.apply("or", a, b), dict.fromkeys(around))
        test = test if side == 1 else E.apply("not", test)
        return cls(tuple(chosen), side, test if here is E.TRUE else E.apply("and", here, test))

    def skipped(self, kernel: Kernel, loop: For, values: Mapping[Expr, Expr], size: int) -> Alloc:
        """The arrays, and the loops over them, for a block of a loop in which nodes have these values."""
        *chosen, test = substitute([*self.chosen, self.wanted], dict(values))
        arms = list(dict.fromkeys(n.args[self.side] for n in chosen))
        arrays = LaneArrays(kernel, loop, size, max(a.type.bits for a in arms))
        mask = arrays.new("wanted", T.boolean)
        computed = {a: arrays.new("arm", a.type) for a in arms}
        is_wanted = arrays.load(mask, T.boolean)
        results: dict[Expr, Expr] = {}
        for n in chosen:
            arm, other = n.args[self.side], n.args[3 - self.side]
            (other,) = substitute([other], results)
            results[n] = E.apply("choose", is_wanted, arrays.load(computed[arm], arm.type), other)
        body = (
            arrays.clear([mask, *computed.values()]),
            arrays.each([arrays.store(mask, test)]),
            If(arrays.any(mask), (arrays.whole(arrays.store(b, a) for a, b in computed.items()),)),
            arrays.each(with_values(loop.body, results)),
        )
        return Alloc(dict(arrays.made), body)


def _costs(
    roots: Sequence[Expr], chosen: Iterable[Expr], side: int, costs: Mapping[Expr, float]
) -> tuple[float, float]:
    """The cost of what the arms on a side of choices need by themselves, and of what else needs as well."""
    own = set(chosen)
    outside, arms = set[Expr](), set[Expr]()
    waiting = list(roots)
    while waiting:
        n = waiting.pop()
        if n not in outside:
            outside.add(n)
            waiting += (a for k, a in enumerate(n.args) if n not in own or k != side)
    waiting = [n.args[side] for n in own]
    while waiting:
        n = waiting.pop()
        if n not in arms:
            arms.add(n)
            waiting += n.args
    return sum(costs[n] for n in arms - outside), sum(costs[n] for n in arms & outside)
