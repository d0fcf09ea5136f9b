"""Dear arms: the sides of choices in a loop that are worth skipping for a block of iterations none of which wants them.

For `skip_arm`. What only one side of the choices on a condition needs is computed in a loop of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, reduce
from typing import NamedTuple

from ...ir import expr as E
from ...ir import types as T
from ...ir.bits import states_in
from ...ir.expr import Expr, substitute, topological
from ...ir.nest import Alloc, For, If, Kernel, Statement, all_roots
from ...ir.prim import version
from ...reasoning.work import node_costs
from ..core.build import with_values
from .blocked import Blocked, LaneArrays, plain_loop, wanted

MIN_COST = 100.0
"""Minimum cost of what one side alone needs. The arrays and loops of a block cost about a third of it."""
MIN_RATIO = 2
"""What one side alone needs costs at least so many times as much as what it shares, which is computed twice."""
MAX_KNOWN = 64
"""Loops of which the dearest arm is known, of which the last asked about stay."""


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
        roots = tuple(all_roots(loop.body))
        best = _dearest(roots, loop.index.free, least, version())
        if best is None:
            return None
        chosen, side = best
        test = chosen[0].args[0]
        around = [wanted(n, roots) for n in chosen]
        here = E.TRUE if E.TRUE in around else reduce(lambda a, b: E.apply("or", a, b), dict.fromkeys(around))
        test = test if side == 1 else E.apply("not", test)
        return cls(chosen, side, test if here is E.TRUE else E.apply("and", here, test))

    def skipped(self, kernel: Kernel, loop: For, values: Mapping[Expr, Expr], size: int) -> Blocked:
        """The arrays, and the loops over them, for a block of a loop in which nodes have these values."""
        *chosen, test = substitute([*self.chosen, self.wanted], dict(values))
        arms = list(dict.fromkeys(n.args[self.side] for n in chosen))
        arrays = LaneArrays(kernel, loop, size, max(a.type.bits for a in arms))
        mask, asked = arrays.new("wanted", T.boolean), arrays.new("asked", T.boolean)
        computed = {a: arrays.new("arm", a.type) for a in arms}
        is_wanted = arrays.load(mask, T.boolean)
        results: dict[Expr, Expr] = {}
        for n in chosen:
            arm, other = n.args[self.side], n.args[3 - self.side]
            (other,) = substitute([other], results)
            results[n] = E.apply("choose", is_wanted, arrays.load(computed[arm], arm.type), other)
        body = (
            arrays.clear([mask, asked, *computed.values()]),
            arrays.each([arrays.store(mask, test), arrays.store(asked, test)]),
            If(arrays.any(asked), (arrays.whole(arrays.store(b, a) for a, b in computed.items()),)),
            arrays.each(with_values(loop.body, results)),
        )
        return Blocked(
            Alloc(dict(arrays.made), body), {arrays.load(b, a.type): a for a, b in computed.items()}
        )


@lru_cache(maxsize=MAX_KNOWN)
def _dearest(
    roots: tuple[Expr, ...], along: int, least: float, version: int
) -> tuple[tuple[Expr, ...], int] | None:
    """The choices and the side of the dearest arm, in a loop whose index has that bit in `free`.

    It is asked of every loop of a kernel whenever one of them has changed; costs are those of a version of the table.
    """
    nodes = topological(roots)
    groups: dict[Expr, list[Expr]] = {}
    for n in nodes:
        if n.op == "choose" and not states_in(n.free):
            test = n.args[0]
            if test.free & along and not test.holds & E.ITERATIONS:
                groups.setdefault(test, []).append(n)
    costs = node_costs(nodes)
    users: dict[Expr, list[Expr]] = {n: [] for n in nodes}
    for n in nodes:
        for a in dict.fromkeys(n.args):
            users[a].append(n)
    best: tuple[float, list[Expr], int] | None = None
    for chosen in groups.values():
        for side in (1, 2):
            arms = topological([n.args[side] for n in chosen])
            cost = sum([costs[n] for n in arms])
            # What an arm needs by itself costs no more than all that it needs.
            if cost < least or (best is not None and cost <= best[0]):
                continue
            alone = sum([costs[n] for n in _alone(arms, roots, chosen, side, users)])
            if alone >= max(least, MIN_RATIO * (cost - alone)) and (best is None or alone > best[0]):
                best = alone, chosen, side
    return None if best is None else (tuple(best[1]), best[2])


def _alone(
    arms: Sequence[Expr],
    roots: Sequence[Expr],
    chosen: Sequence[Expr],
    side: int,
    users: Mapping[Expr, Sequence[Expr]],
) -> set[Expr]:
    """What the arms on a side of choices, operands first, need by themselves: nothing else uses it."""
    own, outside, found = set(chosen), set(roots), set[Expr]()
    for n in reversed(arms):
        if n not in outside and all(u in found or (u in own and _only(u, side, n)) for u in users[n]):
            found.add(n)
    return found


def _only(choice: Expr, side: int, operand: Expr) -> bool:
    """Whether a node is the operand of a choice on one side and nowhere else in it."""
    return all(k == side for k, a in enumerate(choice.args) if a is operand)
