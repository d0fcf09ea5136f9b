"""The part of a loop that surely stays inside of its buffers, as LLVM text: there, no iteration asks.

Between `iterations` and `control`. How large an array is, is known when a loop begins: up to the first iteration that
leaves one, accesses that walk along the loop need no test and no clamp. What is left, most often nothing, asks as ever.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Generator
from contextlib import contextmanager

from ...ir.expr import Buffer, Expr, topological
from ...ir.nest import For, Once, Repeat, Store, While, all_roots, walk
from ..affine import Sum, as_sum, index_is_whole
from ..jit.spelling import SCALAR
from .iterations import Iterations

LEAST = 16
"""Iterations below which a loop is not written twice."""
LONGEST = 1000
"""Nodes in a body beyond which it is not, either."""
FAR = 1 << 48
"""Elements beyond which no array reaches."""
Access = tuple[Expr, Buffer]


class Prefixes(Iterations, ABC):
    """Finds and bounds the part of a loop whose accesses are inside."""

    def unproved(self, s: For) -> dict[Access, Sum]:
        """The accesses that walk up along an innermost loop and are not proved to be inside, with their positions."""
        index, facts = s.index, self.facts
        if self.lanes or self.care is not None or s.index.type.kind != "signed":
            return {}
        if facts(s.hi).hi - facts(s.lo).lo < LEAST or any(
            isinstance(x, For | While | Repeat | Once) for x in walk(s.body)
        ):
            return {}
        nodes = topological(all_roots(s.body))
        if len(nodes) > LONGEST or any(n.op == "iterate" for n in nodes):
            return {}
        accesses = [(n.args[0], n.attr) for n in nodes if n.op == "load"]
        accesses += [(x.position, x.buffer) for x in walk(s.body) if isinstance(x, Store)]
        changing = {n for n in nodes if n in self.stale}
        found: dict[Access, Sum] = {}
        for position, buffer in dict.fromkeys(accesses):
            if not position.free & index.free or facts(position).lo < 0 or self.inside(position, buffer):
                continue
            split = as_sum(position, stop=lambda n: not n.free & index.free, whole=index_is_whole)
            step = dict(split.terms).get(index, 0)
            rest = [n for n, _ in split.terms if n is not index]
            steady = not any(n.free & index.free or n in changing for n in rest)
            near = all(abs(bound) < FAR for n in rest for bound in (facts(n).lo, facts(n).hi))
            if step > 0 and steady and near and self.whole(split, position.type):
                found[position, buffer] = split
        return found

    def prefix(self, s: For, accesses: dict[Access, Sum], first: str, beyond: str) -> str:
        """Before which iteration all of these accesses are inside, and not beyond the end of the loop."""
        word, wide = SCALAR[s.index.type], s.index.type.bits == 64
        end = beyond if wide else self.let(f"sext {word} {beyond} to i64")
        for (_, buffer), split in accesses.items():
            left = self.let(f"sub i64 {self.size(buffer)}, {split.constant}")
            for n, count in split.terms:
                if n is not s.index:
                    name = self.value(n)
                    if n.type.bits < 64:
                        kind = "sext" if n.type.kind == "signed" else "zext"
                        name = self.let(f"{kind} {SCALAR[n.type]} {name} to i64")
                    left = self.let(f"sub i64 {left}, {self.let(f'mul i64 {name}, {count}')}")
            step = dict(split.terms)[s.index]
            if step > 1:
                # Rounded up: the last element that is inside may be followed by fewer than a step.
                left = self.let(f"sdiv i64 {self.let(f'add i64 {left}, {step - 1}')}, {step}")
            end = self.let(f"call i64 @llvm.smin.i64(i64 {end}, i64 {left})")
        if not wide:
            # What is inside may end before the least number of the type.
            end = self.let(f"call i64 @llvm.smax.i64(i64 {end}, i64 0)")
            end = self.let(f"trunc i64 {end} to {word}")
        return self.let(f"call {word} @llvm.smax.{word}({word} {end}, {word} {first})")

    @contextmanager
    def granted(self, accesses: dict[Access, Sum]) -> Generator[None]:
        """While these accesses are known to be inside."""
        self.sure |= accesses.keys()
        yield
        self.sure -= accesses.keys()
