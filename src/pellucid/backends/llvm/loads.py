"""Loads as LLVM text: clamped or proved; one element, a run of neighbors, or one element per lane."""

from __future__ import annotations

from abc import ABC

from ...ir.expr import Buffer, Expr
from ..jit.spelling import STORED, element_mangled, stored, typed
from .groups import Groups


class Loads(Groups, ABC):
    """Writes loads."""

    def load(self, node: Expr) -> None:
        """Compute a load; a vector load brings its neighbors along, and has its position computed only if it must."""
        (position,) = node.args
        buffer: Buffer = node.attr
        if not self.is_wide(node):
            if self.inside(position, buffer):
                where = self.place_of(buffer, position)
            else:
                at = self.clamp(self.names[position], position.type, buffer, 0)
                where = self.place(buffer, at, position.type)
            self.define(node, self.element(buffer, where))
            return
        if self.is_run(position):
            self.define(node, self.load_run(node))
            return
        if self.load_strided(node) or self.load_neighbors(node):
            return
        if self.by_turns(node) and self.inside(position, buffer):
            self.gather_turns(node)
            return
        at = self.value(position)
        if not self.inside(position, buffer):
            at = self.clamp(at, position.type, buffer, self.lanes)
        self.define(
            node, self.from_memory(node.type, self.gather_each(buffer, at, position.type, buffer.type))
        )

    def load_run(self, node: Expr) -> str:
        """Neighbors in memory by one vector load; where the run may leave the buffer, clamped."""
        (position,) = node.args
        buffer: Buffer = node.attr
        if self.inside(position, buffer):
            return self.from_memory(node.type, self.run(buffer, self.run_place(buffer, position)))
        at, base = self.value(position), self.run_start(position)
        if self.cheap_masks:
            return self.from_memory(node.type, self.run_under_mask(buffer, base, position))
        fast, slow, after = self.new_label(), self.new_label(), self.new_label()
        self.branch(self.run_fits(buffer, base, position.type), fast, slow)
        self.open(fast)
        quick = self.run(buffer, self.place(buffer, base, position.type))
        self.jump(after)
        self.open(slow)
        at = self.clamp(at, position.type, buffer, self.lanes)
        gathered = self.gather_each(buffer, at, position.type, buffer.type)
        self.jump(after)
        self.open(after)
        word = stored(buffer.type, self.lanes)
        return self.from_memory(
            node.type, self.let(f"phi {word} [ {quick}, %{fast} ], [ {gathered}, %{slow} ]")
        )

    def run(self, buffer: Buffer, where: str) -> str:
        """One vector load from a run that is inside as far as lanes count; the others repeat lane 0."""
        word = stored(buffer.type, self.lanes)
        if self.live is None:
            return self.let(f"load {word}, ptr {where}, align {buffer.type.dtype.itemsize}")
        first = self.let(f"load {STORED[buffer.type]}, ptr {where}, align {buffer.type.dtype.itemsize}")
        return self.masked_load(buffer, where, self.live, self.spread_stored(buffer, first))

    def run_under_mask(self, buffer: Buffer, base: str, position: Expr) -> str:
        """One vector load of the lanes that are inside; the others get the first element or the last."""
        type_, mask = position.type, f"<{self.lanes} x i1>"
        at, vector = self.names[position], typed(position.type, self.lanes)
        low = self.let(f"icmp slt {vector} {at}, zeroinitializer")
        ends = [
            self.spread_stored(buffer, self.stored_element(buffer, self.place(buffer, k, type_)))
            for k in ("0", self.last(buffer, type_))
        ]
        word = stored(buffer.type, self.lanes)
        clamped = self.let(f"select {mask} {low}, {word} {ends[0]}, {word} {ends[1]}")
        within = self.both(self.live, self.lanes_inside(buffer, at, type_))
        return self.masked_load(buffer, self.place(buffer, base, type_), within, clamped)

    def masked_load(self, buffer: Buffer, where: str, mask: str, rest: str) -> str:
        """A vector load of the lanes in a mask; the others are taken from `rest`."""
        word = stored(buffer.type, self.lanes)
        return self.let(
            f"call {word} @llvm.masked.load.v{self.lanes}{element_mangled(buffer.type)}.p0("
            f"ptr align {buffer.type.dtype.itemsize} {where}, <{self.lanes} x i1> {mask}, {word} {rest})"
        )
