"""Stores of packed samples, as LLVM text: the outputs of a block as whole lanes, common words, or byte by byte.

Above `fields` and `single_lanes`.
"""

from __future__ import annotations

from ...ir.expr import Expr
from ...ir.stream import Samples
from ...rewriting.lane_types import Plan
from .edges import Edges
from .fields import Fields
from .geometry import Geometry
from .single_lanes import SingleLanes


class PackedStores:
    """Writes the stores of a block."""

    def __init__(
        self, geometry: Geometry, plan: Plan, fields: Fields, single_lanes: SingleLanes, edges: Edges
    ) -> None:
        self.out, self.scope, self.values = fields.out, fields.scope, single_lanes.values
        self.fields, self.covers, self.shuffles = fields, fields.covers, fields.shuffles
        self.geometry, self.plan, self.single_lanes, self.edges = geometry, plan, single_lanes, edges
        self._width = fields.width

    def _fits(self, s: Samples, value: Expr) -> bool:
        """Whether a value has no bits beyond those of its samples."""
        facts = self.scope.facts(value)
        return 0 <= facts.lo and facts.hi < 1 << s.size

    def after_lane(self, j: int) -> None:
        """Store values of whole lanes in memory at once: to keep them would take registers."""
        for s, value in zip(self.geometry.stream.outputs, self.plan.values, strict=True):
            if (
                value in self.single_lanes.single
                and self.geometry.lies_even(s.buffer)
                and s.size in (8, 16, 32)
            ):
                at = self.geometry.span(s.buffer, self.scope.lanes)[0] + j * s.size // 8
                where = self.covers.pointer(s.buffer, at)
                name = self.single_lanes.lane(value, j)
                if s.size < self._width:
                    name = self.out.let(f"trunc i{self._width} {name} to i{s.size}")
                self.out.emit(f"store i{s.size} {name}, ptr {where}, align 1")

    def store(self, k: int, *, shared: bool) -> None:
        """The samples of all outputs of a buffer: whole lanes, common words, or byte by byte."""
        n, w = self.scope.lanes, self._width
        mine = [
            (s, v)
            for s, v in zip(self.geometry.stream.outputs, self.plan.values, strict=True)
            if s.buffer == k
        ]
        s, value = mine[0]
        first = self.geometry.span(k, self.scope.lanes)[0]
        if self.geometry.lies_even(k) and s.size in (8, 16, 32):
            if value not in self.single_lanes.single:
                at = self.covers.pointer(k, first)
                name = self.fields.cast(self.values.wide(value), n, w, s.size)
                self.out.emit(f"store <{n} x i{s.size}> {name}, ptr {at}, align 1")
            return
        if self.geometry.lies_even(k) and s.size == 1 and n % 8 == 0:
            at = self.covers.pointer(k, first)
            truths = self.fields.cast(self.values.wide(value), n, w, 1)
            self.out.emit(
                f"store i{n} {self.out.let(f'bitcast <{n} x i1> {truths} to i{n}')}, ptr {at}, align 1"
            )
            return
        outputs = [(s, self.values.wide(v), self._fits(s, v)) for s, v in mine]
        words = self.fields.into_words(outputs, first)
        if words is not None:
            name, word, meant = words
            size = n * word // 8
            dirty = [meant >> 8 * (t % (word // 8)) & 255 for t in range(size)]
            name = self.fields.seen(name, n, word, 8)
            for start in range(0, size, 64):
                count = min(64, size - start)
                while not dirty[start + count - 1]:
                    count -= 1
                part = self.shuffles.slice(name, size, start, count)
                at = self.covers.pointer(k, first + start)
                self.shuffles.store_bytes(at, part, dirty[start : start + count])
            return
        self._store_by_bytes(k, outputs, shared=shared)

    def _store_by_bytes(self, k: int, outputs: list[tuple[Samples, str, bool]], *, shared: bool) -> None:
        """Outputs of one buffer, each byte from the registers that have bits of it."""
        reach = self.shuffles.target.reach
        first, beyond = self.geometry.span(k, self.scope.lanes)
        found = self.fields.as_bytes(outputs, beyond)
        last = beyond - 1 if shared else beyond
        if shared:
            size = self.edges.carry_size(k)
            found.dirty[first] |= found.dirty[last]
            part = self.shuffles.assemble(
                found.registers, [found.sources[last], *([] for _ in range(size - 1))]
            )
            self.out.emit(f"%carry{k}.out = or <{size} x i8> {part}, zeroinitializer")
        for start in range(first, last, reach):
            end = max(
                (p + 1 for p in range(start, min(start + reach, last)) if found.dirty[p]), default=start
            )
            if shared and start == first:
                end = min(start + reach, last)
            if end == start:
                continue
            value = self.shuffles.assemble(found.registers, found.sources[start:end])
            if shared and start == first:
                value = self.out.let(f"or <{end - start} x i8> {value}, %carry{k}")
            at = self.covers.pointer(k, start)
            self.shuffles.store_bytes(at, value, found.dirty[start:end])
