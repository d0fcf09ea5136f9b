"""Cycles: where the bits of samples, or the colors of a mosaic, repeat along a loop, one turn of it takes them all.

Draves's cyclic integers, as a tactic over moves: a remainder or a quotient of an index by a constant becomes a constant
when the loop is unrolled by that, and a magnitude or a bound that only matters at an edge goes where the range is
split there. What is left has its samples at constant places, which lanes read and write as groups.
"""

from __future__ import annotations

import math

from ...ir.expr import Expr, topological
from ...ir.nest import SEQ, For, Kernel, all_roots, walk
from ...ir.path import Path, at
from ...ir.path import walk as paths
from ...reasoning.infer import FactsOf
from ...reasoning.linear import as_sum, index_is_whole
from ..core.tactic import State
from ..moves.unroll_and_jam import jammed
from .strategies import attempted

MAX_CYCLE = 8
"""Maximum iterations of a period, and maximum cuts of a loop: a longer body would be compiled too long."""
MIN_TURNS = 4
"""Minimum periods of a loop for which unrolling by the period pays."""


def divisor(node: Expr) -> int:
    """The divisor of a node that is a quotient or a remainder of a whole number; 1 for any other node.

    >>> from pellucid.ir.parse import parse_expr
    >>> [divisor(parse_expr(text)[0]) for text in ("%i & 7", "shift_right_in(%i, 2)", "%i // 6", "%i & 6")]
    [8, 4, 6, 1]
    """
    if not node.type.is_integer or len(node.args) != 2 or node.args[1].op != "const":
        return 1
    number = int(node.args[1].attr)
    match node.op:
        case "floor_div" | "mod" if number > 1:
            return number
        case "shift_right_in" if 0 < number < node.type.bits - 1:
            return 1 << number
        case "and" if number > 0 and number & (number + 1) == 0:
            return number + 1
        case _:
            return 1


def along(node: Expr, index: Expr) -> tuple[int, int] | None:
    """The coefficient and the rest of a whole number that is a constant sum along an index, else None."""
    if not node.type.is_integer or node.free != index.free:
        return None
    found = as_sum(node, stop=lambda n: False, whole=index_is_whole)
    return (found.terms[0][1], found.constant) if [n for n, _ in found.terms] == [index] else None


def cycle(loop: For) -> int:
    """The period of all quotients and remainders of the index in iterations; 1 if there are none, or if it is too long.

    >>> from pellucid.ir.parse import parse_nest
    >>> kernel = parse_nest('''
    ... kernel k():
    ...   output a: i32[60]
    ...   for i in 0 .. 60:
    ...     a[i] := (i & 1) + mod(i, 3)
    ... ''')
    >>> loop = kernel.body[0]
    >>> cycle(loop) if isinstance(loop, For) else None
    6
    """
    found = 1
    for n in topological(all_roots(loop.body)):
        by = divisor(n) if n.free & loop.index.free else 1
        if by > 1:
            step = along(n.args[0], loop.index)
            if step is not None:
                found = math.lcm(found, by // math.gcd(by, step[0]))
    return found if found <= MAX_CYCLE else 1


def edges(loop: For) -> list[int]:
    """The iterations at which a magnitude or a bound of a sum along the index turns, in order.

    Those outside of the loop are not among them, nor the first; in a very short loop they are not worth while.
    """
    if loop.lo.op != "const" or loop.hi.op != "const" or loop.hi.attr - loop.lo.attr < MIN_TURNS:
        return []
    found: set[int] = set()
    for n in topological(all_roots(loop.body)):
        if n.op == "abs" or (n.op in ("min", "max") and n.args[1].op == "const"):
            form = along(n.args[0], loop.index)
            if form is not None:
                step, rest = form
                number = rest if n.op == "abs" else rest - int(n.args[1].attr)
                # Rising, it is below zero before ceil(-number / step); falling, from floor(number / -step) + 1 on.
                found.add(-(number // step) if step > 0 else number // -step + 1)
    return sorted(k for k in found if loop.lo.attr < k < loop.hi.attr)


def _sites(kernel: Kernel, *, inner: bool) -> list[Path]:
    """Loops that run in order and have none inside, or have nothing but another inside; from the last to the first."""

    def fits(s: For) -> bool:
        loops = any(isinstance(x, For) for x in walk(s.body))
        return not loops if inner else bool(jammed(s))

    return [p for p, s in paths(kernel.body) if isinstance(s, For) and s.how == SEQ and fits(s)][::-1]


def take_cycles(state: State) -> State:
    """Loops unrolled by the cycles of their indices, outer ones around inner ones, and split at the edges of these."""
    for inner in (False, True):
        for path in _sites(state.kernel, inner=inner):
            loop = at(state.kernel.body, path)
            if isinstance(loop, For):
                trips = _trips(loop, state)
                many = cycle(loop) if trips >= 2 * MIN_TURNS else 1
                if many > 1 and trips >= MIN_TURNS * many:
                    state = attempted(state, "unroll_and_jam", path, factor=many) or state
    for path in _sites(state.kernel, inner=True):
        loop = at(state.kernel.body, path)
        cuts = edges(loop) if isinstance(loop, For) else []
        if cuts and len(cuts) <= MAX_CYCLE:
            state = attempted(state, "split_range", path, cuts=cuts) or state
    return state


def _trips(loop: For, state: State) -> float:
    """The proven minimum of iterations."""
    facts = FactsOf(state.ranges)
    return facts(loop.hi).lo - facts(loop.lo).hi
