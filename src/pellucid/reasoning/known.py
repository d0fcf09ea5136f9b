"""What is known at a place in a nest: facts of leaves, the bounds of the loops around, the conditions that hold there.

Stands between `infer`, which knows intervals, and the checks, which also want to know that ``j < i`` in the loop
``for j in 0 .. i``.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from ..base.record import record
from ..ir import types as T
from ..ir.expr import Buffer, Expr, const, topological
from ..ir.facts import Facts
from ..ir.nest import Alloc, Block, For, If, blocks
from ..ir.path import Path
from .effects import Guard, stored
from .infer import FactsOf

Around = For | Guard


@record
class Limit:
    """``low <= node`` and ``node < high``, where either may be missing."""

    node: Expr
    low: Expr | None
    high: Expr | None


class Known:
    """The facts at a place: `facts` of nodes, `limits` by other expressions (outer first), sizes of buffers.

    Parameters: `around` are the loops and conditions around, outer first; `ranges` what is known of leaves outside of
    all of them; `changing` the buffers that may be stored to while what is asked about runs: two loads from them
    count as two values, and conditions on them tell nothing.

    >>> from pellucid.ir.expr import const, index
    >>> i = index("i")
    >>> loop = For(i, const(3, T.i32), const(9, T.i32), ())
    >>> Known(around=[loop]).facts(i).hi
    8
    """

    __slots__ = ("_inside", "allocated", "around", "changing", "facts", "limits", "ranges")

    def __init__(
        self,
        ranges: Mapping[Expr, Facts] | None = None,
        around: Sequence[Around] = (),
        *,
        changing: Iterable[Buffer] = (),
        allocated: Sequence[Alloc] = (),
    ) -> None:
        self.ranges: Mapping[Expr, Facts] = ranges if ranges is not None else {}
        self.around = tuple(around)
        self.changing = frozenset(changing)
        self.allocated = tuple(allocated)
        self.facts = FactsOf(self.ranges)
        self.limits: list[Limit] = []
        self._inside: dict[tuple[Around, ...], Known] = {}
        for s in self.around:
            if isinstance(s, For):
                self._enter(s)
            else:
                self._assume(s.condition, s.truth)

    def inside(self, around: Sequence[Around]) -> Known:
        """The facts further inside."""
        key = tuple(around)
        if not key:
            return self
        if key not in self._inside:
            scope = (*self.around, *key)
            self._inside[key] = Known(self.ranges, scope, changing=self.changing, allocated=self.allocated)
        return self._inside[key]

    def while_changing(self, buffers: Iterable[Buffer]) -> Known:
        """The facts while these buffers are stored to."""
        return Known(
            self.ranges, self.around, changing=self.changing | set(buffers), allocated=self.allocated
        )

    def least(self, buffer: Buffer) -> int:
        """The minimum number of a buffer's elements."""
        size = self.size(buffer)
        if size is None:
            return buffer.size
        return max(1, int(self.facts(size).lo))

    def size(self, buffer: Buffer) -> Expr | None:
        """The size of scratch memory that is allocated around, or None for other buffers."""
        for around in reversed(self.allocated):
            size = around.sizes.get(buffer)
            if size is not None:
                # A size that loads what has changed since tells nothing: an array has one element at least.
                changed = size.op != "const" and touches(size, stored(around.body))
                return const(1, size.type) if changed else size
        return None

    def fixed(self, node: Expr) -> bool:
        """Whether a node loads from no memory that may change."""
        return not touches(node, self.changing)

    def _enter(self, loop: For) -> None:
        """In the body of a loop there is an iteration: ``lo <= index < hi``, so ``lo < hi`` as well."""
        lo, hi = self.facts(loop.lo), self.facts(loop.hi)
        self._narrow(loop.index, lo.lo, hi.hi - 1)
        self.limits.append(limit_of(loop))
        for bound, low, high in ((loop.hi, lo.lo + 1, None), (loop.lo, None, hi.hi - 1)):
            if bound.op == "param":
                self._narrow(bound, low, high)

    def _assume(self, condition: Expr, truth: bool) -> None:
        """Take in a condition: comparisons of integers, and conjunctions of them."""
        if condition.op == "not":
            self._assume(condition.args[0], not truth)
            return
        if condition.op == ("and" if truth else "or") and condition.type is T.boolean:
            for part in condition.args:
                self._assume(part, truth)
            return
        if condition.op not in ("lt", "le", "eq", "ne") or not self.fixed(condition):
            return
        a, b = condition.args
        if not a.type.is_integer:
            return
        match condition.op, truth:
            case "lt", True:
                self._less(a, b)
            case "le", False:
                self._less(b, a)
            case "le", True:
                self._at_most(a, b)
            case "lt", False:
                self._at_most(b, a)
            case ("eq", True) | ("ne", False):
                self._at_most(a, b)
                self._at_most(b, a)
            case _:
                pass

    def _less(self, a: Expr, b: Expr) -> None:
        self.limits.append(Limit(a, None, b))
        low, high = self.facts(a).lo, self.facts(b).hi
        self._narrow(a, None, high - 1)
        self._narrow(b, low + 1, None)

    def _at_most(self, a: Expr, b: Expr) -> None:
        self.limits.append(Limit(b, a, None))
        low, high = self.facts(a).lo, self.facts(b).hi
        self._narrow(a, None, high)
        self._narrow(b, low, None)

    def _narrow(self, node: Expr, low: float | None, high: float | None) -> None:
        """Take in an interval, unless it leaves nothing: then nothing runs here, and anything may be believed."""
        old = self.facts(node)
        lo = old.lo if low is None else max(old.lo, low)
        hi = old.hi if high is None else min(old.hi, high)
        if lo <= hi and node.op != "const":
            self.facts.known[node] = old._replace(lo=lo, hi=hi)


@functools.lru_cache(maxsize=256)
def limit_of(loop: For) -> Limit:
    """The bounds of a loop as far as they still are what they were at entry: the body stores to nothing in them."""
    written = stored(loop.body)
    low, high = (None if touches(e, written) else e for e in (loop.lo, loop.hi))
    return Limit(loop.index, low, high)


def touches(node: Expr, buffers: AbstractSet[Buffer]) -> bool:
    """Whether an expression loads from one of these buffers."""
    return bool(buffers) and any(n.op == "load" and n.attr in buffers for n in topological([node]))


def known_at(
    body: Block, path: Path, ranges: Mapping[Expr, Facts] | None = None, changing: Iterable[Buffer] = ()
) -> Known:
    """The facts at a path in a nest.

    Conditions of the branches around count as far as they speak of nothing that the branch itself stores to.
    """
    around: list[Around] = []
    allocated: list[Alloc] = []
    block = body
    for step, (_, position) in enumerate(path[:-1]):
        s = block[position]
        arm = path[step + 1][0]
        match s:
            case For():
                around.append(s)
            case If(condition, selects=()) if not touches(condition, stored((s,))):
                around.append(Guard(condition, arm == 0))
            case Alloc():
                allocated.append(s)
            case _:
                pass
        block = blocks(s)[arm]
    return Known(ranges, around, changing=changing, allocated=allocated)
