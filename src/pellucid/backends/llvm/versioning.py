"""In-bounds loop versioning, as LLVM text: the iterations that stay inside of their buffers test nothing.

The size of an array is known when a loop begins. Up to the first iteration that leaves an array, accesses that walk
along the loop need no test and no clamp. The iterations that are left, most often none, test as ever.
"""

from __future__ import annotations

from ...ir.expr import topological
from ...ir.nest import For, Once, Repeat, Store, While, all_roots, walk
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
        """The accesses that walk up along an innermost loop and are not proved in bounds, with their positions."""
        index, loop = s.index, self.scope.loop
        facts = loop.facts
        if loop.lanes or loop.branch is not None or index.type.kind != "signed":
            return {}
        if facts(s.hi).hi - facts(s.lo).lo < MIN_ITERATIONS or any(
            isinstance(x, For | While | Repeat | Once) for x in walk(s.body)
        ):
            return {}
        nodes = topological(all_roots(s.body))
        if len(nodes) > MAX_NODES or any(n.op == "iterate" for n in nodes):
            return {}
        accesses = [(n.args[0], n.attr) for n in nodes if n.op == "load"]
        accesses += [(x.position, x.buffer) for x in walk(s.body) if isinstance(x, Store)]
        changing = {n for n in nodes if n in self.reads.stale}
        found: dict[Access, Sum] = {}
        for position, buffer in dict.fromkeys(accesses):
            if not position.free & index.free or facts(position).lo < 0:
                continue
            if self.bounds.is_proved(position, buffer):
                continue
            split = as_sum(position, stop=lambda n: not n.free & index.free, whole=index_is_whole)
            step = dict(split.terms).get(index, 0)
            rest = [n for n, _ in split.terms if n is not index]
            steady = not any(n.free & index.free or n in changing for n in rest)
            near = all(abs(bound) < MAX_ELEMENTS for n in rest for bound in (facts(n).lo, facts(n).hi))
            if step > 0 and steady and near and self.addressing.is_whole(split, position.type):
                found[position, buffer] = split
        return found

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
