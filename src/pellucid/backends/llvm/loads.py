"""Loads as LLVM text: clamped or proved; one element, a run of neighbors, or one element per lane.

Above all ways of loading, among which it chooses.
"""

from __future__ import annotations

from ...ir.expr import Buffer, Expr
from ..jit.spelling import STORED, element_mangled, stored, typed
from .bounds import Bounds
from .gathers import Gathers
from .interleaved import InterleavedLoads
from .tables import TableReads


class Loads:
    """Writes loads; `masks` says that vector loads under a mask cost no more than without."""

    def __init__(
        self,
        bounds: Bounds,
        gathers: Gathers,
        interleaved: InterleavedLoads,
        tables: TableReads,
        *,
        masks: bool,
    ) -> None:
        self.addressing, self.buffers = interleaved.addressing, interleaved.buffers
        self.out, self.scope, self.values = interleaved.out, interleaved.scope, self.addressing.values
        self.bounds, self.gathers, self.interleaved, self.tables = bounds, gathers, interleaved, tables
        self.neighbors = interleaved.neighbors
        self.masks = masks

    def load(self, node: Expr) -> None:
        """Compute a load; the position of a scalar load has a name.

        A vector load brings its neighbors along, and has its position computed only if it must.
        """
        (position,) = node.args
        buffer: Buffer = node.attr
        scope, addressing = self.scope, self.addressing
        if not scope.is_wide(node):
            if self.bounds.is_proved(position, buffer):
                where = addressing.element_of(buffer, position)
            else:
                at = self.bounds.clamp(scope.names[position], position.type, buffer, 0)
                where = addressing.element(buffer, at, position.type)
            scope.define(node, self.buffers.load(buffer, where))
            return
        if addressing.is_run(position):
            scope.define(node, self.buffers.from_memory(node.type, self._run(node)))
            return
        if self.interleaved.load(node):
            return
        if self.tables.registers.takes(node):
            self.tables.registers.read(node)
            return
        if self.neighbors.load(node):
            return
        if self.tables.is_small(node) and self.bounds.is_proved(position, buffer):
            self.tables.read(node)
            return
        at = self.values.value(position)
        if not self.bounds.is_proved(position, buffer):
            at = self.bounds.clamp(at, position.type, buffer, scope.lanes)
        found = self.gathers.gather(buffer, at, position.type, buffer.type)
        scope.define(node, self.buffers.from_memory(node.type, found))

    def _run(self, node: Expr) -> str:
        """Neighbors in memory by one vector load; where the run may leave the buffer, clamped."""
        (position,) = node.args
        buffer: Buffer = node.attr
        out, type_ = self.out, position.type
        if self.bounds.is_proved(position, buffer):
            return self._run_inside(buffer, self.addressing.run(buffer, position))
        at, base = self.values.value(position), self.addressing.run_start(position)
        if self.masks:
            return self._run_under_mask(buffer, base, position)
        fast, slow, after = out.new_label(), out.new_label(), out.new_label()
        out.branch(self.bounds.run_fits(buffer, base, type_), fast, slow)
        out.start_block(fast)
        quick = self._run_inside(buffer, self.addressing.element(buffer, base, type_))
        out.jump(after)
        out.start_block(slow)
        at = self.bounds.clamp(at, type_, buffer, self.scope.lanes)
        gathered = self.gathers.gather(buffer, at, type_, buffer.type)
        out.jump(after)
        out.start_block(after)
        word = stored(buffer.type, self.scope.lanes)
        return out.let(f"phi {word} [ {quick}, %{fast} ], [ {gathered}, %{slow} ]")

    def _run_inside(self, buffer: Buffer, where: str) -> str:
        """One vector load from a run whose active lanes are in bounds; the others repeat lane 0."""
        active = self.scope.loop.active
        if active is None:
            word = stored(buffer.type, self.scope.lanes)
            return self.out.let(f"load {word}, ptr {where}, align {buffer.type.dtype.itemsize}")
        first = self.out.let(f"load {STORED[buffer.type]}, ptr {where}, align {buffer.type.dtype.itemsize}")
        return self._masked_load(buffer, where, active, self.buffers.spread_stored(buffer, first))

    def _run_under_mask(self, buffer: Buffer, base: str, position: Expr) -> str:
        """One vector load of the lanes that are in bounds; the others get the first element or the last."""
        type_, lanes, addressing = position.type, self.scope.lanes, self.addressing
        at, vector, mask = self.scope.names[position], typed(type_, lanes), f"<{lanes} x i1>"
        low = self.out.let(f"icmp slt {vector} {at}, zeroinitializer")
        ends = [
            self.buffers.spread_stored(
                buffer, self.buffers.load_stored(buffer, addressing.element(buffer, k, type_))
            )
            for k in ("0", self.buffers.last(buffer, type_))
        ]
        word = stored(buffer.type, lanes)
        clamped = self.out.let(f"select {mask} {low}, {word} {ends[0]}, {word} {ends[1]}")
        within = self.scope.both(self.scope.loop.active, self.bounds.lanes_inside(buffer, at, type_))
        return self._masked_load(buffer, addressing.element(buffer, base, type_), within, clamped)

    def _masked_load(self, buffer: Buffer, where: str, mask: str, rest: str) -> str:
        """A vector load of the lanes in a mask; the others are taken from `rest`."""
        lanes = self.scope.lanes
        word = stored(buffer.type, lanes)
        return self.out.let(
            f"call {word} @llvm.masked.load.v{lanes}{element_mangled(buffer.type)}.p0("
            f"ptr align {buffer.type.dtype.itemsize} {where}, <{lanes} x i1> {mask}, {word} {rest})"
        )
