"""In-bounds loop versioning, as LLVM text: the iterations that stay inside of their buffers test nothing.

The size of an array is known when a loop begins. Up to the first iteration that leaves an array, accesses that walk
along the loop need no test and no clamp. The iterations that are left, most often none, test as ever; loops by lanes in
them run in order.
"""

from __future__ import annotations

from dataclasses import replace

from ...ir.expr import Expr, topological
from ...ir.facts import Facts
from ...ir.nest import SEQ, Block, For, Once, Repeat, Statement, Store, While, all_roots, transform, walk
from ...reasoning.infer import FactsOf
from ...reasoning.linear import Sum, as_sum, index_is_whole
from ..jit.spelling import SCALAR
from .addressing import Addressing
from .bounds import Access, Bounds
from .values import Reads

MIN_ITERATIONS = 16
"""Iterations below which a loop is not written twice."""
MAX_NODES = 1000
"""Nodes in a body above which a loop is not written twice."""
MAX_ELEMENTS = 1 << 48
"""A bound of the elements of any array."""


class Versioning:
    """Finds and bounds the iterations of a loop whose accesses are in bounds."""

    def __init__(self, addressing: Addressing, bounds: Bounds, reads: Reads) -> None:
        self.out, self.scope = addressing.out, addressing.scope
        self.addressing, self.bounds, self.reads = addressing, bounds, reads

    def unproved(self, s: For) -> dict[Access, Sum]:
        """The accesses that walk up along a loop and are not proved in bounds, with their positions.

        The loop is an innermost one, or around loops by lanes of constant bounds.
        """
        index, loop = s.index, self.scope.loop
        facts = loop.facts
        if loop.lanes or loop.branch is not None or index.type.kind != "signed":
            return {}
        inner = [x for x in walk(s.body) if isinstance(x, For)]
        if facts(s.hi).hi - facts(s.lo).lo < MIN_ITERATIONS or any(
            isinstance(x, While | Repeat | Once) for x in walk(s.body)
        ):
            return {}
        if inner:
            if not all(_is_block(x) for x in inner):
                return {}
            facts = FactsOf({**facts.known, **_ranges(inner)})
        nodes = topological(all_roots(s.body))
        if len(nodes) > MAX_NODES or any(n.op == "iterate" for n in nodes):
            return {}
        accesses = [(n.args[0], n.attr) for n in nodes if n.op == "load"]
        accesses += [(x.position, x.buffer) for x in walk(s.body) if isinstance(x, Store)]
        changing = {n for n in nodes if n in self.reads.stale}
        own = index.free
        for x in inner:
            own |= x.index.free
        found: dict[Access, Sum] = {}
        for position, buffer in dict.fromkeys(accesses):
            if not position.free & index.free or facts(position).lo < 0:
                continue
            # The facts of the loops inside: their ranges may prove what the loop's own facts do not.
            if self.bounds.is_proved(position, buffer, facts):
                continue
            split = as_sum(position, stop=lambda n: not n.free & index.free, whole=index_is_whole)
            step = dict(split.terms).get(index, 0)
            rest = [n for n, _ in split.terms if n is not index]
            steady = not any(n.free & index.free or n in changing for n in rest)
            near = all(abs(bound) < MAX_ELEMENTS for n in rest for bound in (facts(n).lo, facts(n).hi))
            if step > 0 and steady and near and split.fits(position.type, facts):
                found[position, buffer] = _farthest(split, own & ~index.free, facts)
        return found

    def in_order(self, body: Block) -> Block:
        """The body of the iterations that are left: loops by lanes, whose accesses are tested, run in order."""

        def change(s: Statement) -> Block:
            if isinstance(s, For):
                return (replace(s, how=SEQ),)
            # Another store than that by lanes, which may be one of a group.
            return (replace(s),) if isinstance(s, Store) else (s,)

        return transform(body, change)

    def end(self, s: For, accesses: dict[Access, Sum], first: str, end: str) -> str:
        """The iteration before which all of these accesses are in bounds, within the bounds of the loop."""
        let, value = self.out.let, self.addressing.values.value
        word, wide = SCALAR[s.index.type], s.index.type.bits == 64
        found = end if wide else let(f"sext {word} {end} to i64")
        for (_, buffer), split in accesses.items():
            left = let(f"sub i64 {self.addressing.buffers.size(buffer)}, {split.constant}")
            for n, count in split.terms:
                if n is not s.index:
                    name = value(n)
                    if n.type.bits < 64:
                        kind = "sext" if n.type.kind == "signed" else "zext"
                        name = let(f"{kind} {SCALAR[n.type]} {name} to i64")
                    left = let(f"sub i64 {left}, {let(f'mul i64 {name}, {count}')}")
            step = dict(split.terms)[s.index]
            if step > 1:
                # Rounded up: the last element that is inside may be followed by fewer than a step.
                left = let(f"sdiv i64 {let(f'add i64 {left}, {step - 1}')}, {step}")
            found = let(f"call i64 @llvm.smin.i64(i64 {found}, i64 {left})")
        if not wide:
            # The iterations in bounds may end before the least number of the type.
            found = let(f"call i64 @llvm.smax.i64(i64 {found}, i64 0)")
            found = let(f"trunc i64 {found} to {word}")
        return let(f"call {word} @llvm.smax.{word}({word} {found}, {word} {first})")


def _is_block(s: For) -> bool:
    """Whether a loop runs by lanes as often as constants say."""
    return s.how.kind == "lanes" and s.lo.op == s.hi.op == "const" and s.lo.attr < s.hi.attr


def _ranges(loops: list[For]) -> dict[Expr, Facts]:
    """The ranges of the indices of loops of constant bounds; loops one after the other may share an index."""
    found: dict[Expr, Facts] = {}
    for s in loops:
        low, high = s.lo.attr, s.hi.attr - 1
        if s.index in found:
            low, high = min(low, found[s.index].lo), max(high, found[s.index].hi)
        found[s.index] = Facts(low, high)
    return found


def _farthest(split: Sum, inner: int, facts: FactsOf) -> Sum:
    """A sum without its terms in the indices of loops inside, each of which is taken at its largest."""
    constant = split.constant
    terms: list[tuple[Expr, int]] = []
    for n, count in split.terms:
        if n.free & inner:
            constant += max(count * int(facts(n).lo), count * int(facts(n).hi))
        else:
            terms.append((n, count))
    return Sum(tuple(terms), constant)
