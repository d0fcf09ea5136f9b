"""Loads as LLVM text: clamped or proved; one element, a run of neighbors, or one element per lane.

Gathers are written as scalar loads: on many machines a hardware gather is slower, and two gathers from neighboring
elements become one load of both.
"""

from __future__ import annotations

from abc import ABC
from functools import cached_property

from ...ir import types as T
from ...ir.expr import Buffer, Expr
from ..affine import Sum, as_sum, index_is_whole
from .memory import Memory
from .spelling import SCALAR, STORED, WIDEST, element_mangled, sequence, stored, typed


class Loads(Memory, ABC):
    """Writes loads."""

    def load(self, node: Expr) -> None:
        """Compute a load; a vector load brings its neighbors along."""
        (position,) = node.args
        buffer: Buffer = node.attr
        if not self.is_wide(node):
            at = self.names[position]
            if not self.inside(position, buffer):
                at = self.clamp(at, position.type, buffer, 0)
            self.define(node, self.element(buffer, at, position.type))
            return
        base = self.run_start(position)
        if base is not None:
            self.define(node, self.load_run(node, base))
            return
        partners = self.partners(node)
        if partners is not None:
            self.load_pair(partners)
            return
        at = self.names[position]
        if not self.inside(position, buffer):
            at = self.clamp(at, position.type, buffer, self.lanes)
        self.define(node, self.from_memory(node.type, self.gather(buffer, at, position.type, buffer.type)))

    def load_run(self, node: Expr, base: str) -> str:
        """Neighbors in memory by one vector load; where the run may leave the buffer, clamped."""
        (position,) = node.args
        buffer: Buffer = node.attr
        if self.inside(position, buffer):
            return self.from_memory(node.type, self.run(buffer, base, position.type))
        if self.cheap_masks:
            return self.from_memory(node.type, self.run_under_mask(buffer, base, position))
        fast, slow, after = self.new_label(), self.new_label(), self.new_label()
        self.branch(self.run_fits(buffer, base, position.type), fast, slow)
        self.open(fast)
        quick = self.run(buffer, base, position.type)
        self.jump(after)
        self.open(slow)
        at = self.clamp(self.names[position], position.type, buffer, self.lanes)
        gathered = self.gather(buffer, at, position.type, buffer.type)
        self.jump(after)
        self.open(after)
        word = stored(buffer.type, self.lanes)
        return self.from_memory(
            node.type, self.let(f"phi {word} [ {quick}, %{fast} ], [ {gathered}, %{slow} ]")
        )

    def run(self, buffer: Buffer, base: str, type_: T.Type) -> str:
        """One vector load from a run that is inside as far as lanes count; the others repeat lane 0."""
        where = self.place(buffer, base, type_)
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
            self.spread_stored(buffer, self.stored_element(buffer, k, type_))
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

    def gather(self, buffer: Buffer, at: str, type_: T.Type, wide: T.Type) -> str:
        """One element of type `wide` per lane, from positions (counted in elements of the buffer) that are inside."""
        element, word = STORED[wide], stored(wide, self.lanes)
        step, pointer = STORED[buffer.type], self.pointer(buffer)
        align = buffer.type.dtype.itemsize
        self.count += 1
        g = f"%g{self.count}"
        lines: list[str] = []
        before = "poison"
        for k, i in enumerate(self.indices(at, type_)):
            lines.append(f"{g}.a{k} = getelementptr {step}, ptr {pointer}, {SCALAR[type_]} {i}")
            lines.append(f"{g}.e{k} = load {element}, ptr {g}.a{k}, align {align}")
            lines.append(f"{g}.w{k} = insertelement {word} {before}, {element} {g}.e{k}, i64 {k}")
            before = f"{g}.w{k}"
        self.emit("\n".join(lines))
        return before

    def indices(self, at: str, type_: T.Type) -> list[str]:
        """The lanes of a vector of positions as scalars, by way of the stack."""
        word = SCALAR[type_]
        self.count += 1
        slot = f"%slot{self.count}"
        self.enter(f"{slot} = alloca {typed(type_, self.lanes)}, align {WIDEST}")
        self.emit(f"store {typed(type_, self.lanes)} {at}, ptr {slot}, align {WIDEST}")
        found: list[str] = []
        lines: list[str] = []
        for k in range(self.lanes):
            lines.append(f"{slot}.p{k} = getelementptr {word}, ptr {slot}, i64 {k}")
            lines.append(f"{slot}.i{k} = load {word}, ptr {slot}.p{k}, align {type_.bits // 8}")
            found.append(f"{slot}.i{k}")
        self.emit("\n".join(lines))
        return found

    # ---- pairs of neighbors ----

    @cached_property
    def neighbors(self) -> dict[tuple[Buffer, Sum], list[Expr]]:
        """All loads, by buffer and shape of position."""
        found: dict[tuple[Buffer, Sum], list[Expr]] = {}
        for n in self.loads:
            found.setdefault((n.attr, self.shape(n.args[0])), []).append(n)
        return found

    def partners(self, node: Expr) -> tuple[list[Expr], list[Expr]] | None:
        """The loads of this element and of the next, if both are wanted and one wide load can bring both."""
        buffer: Buffer = node.attr
        if buffer.type.bits not in (8, 16, 32) or self.proofs.least[buffer] < 2:
            return None
        shape = self.shape(node.args[0])
        here, after, before = (self.alike(node, shape.shifted(by)) for by in (0, 1, -1))
        if after:
            return here, after
        return (before, here) if before else None

    def shape(self, position: Expr) -> Sum:
        """A position as a sum of everything that can be taken apart."""
        return as_sum(position, stop=lambda n: False, whole=index_is_whole)

    def alike(self, node: Expr, shape: Sum) -> list[Expr]:
        """The loads from a node's buffer at positions of a shape that can be computed where the node can."""
        return [n for n in self.neighbors.get((node.attr, shape), ()) if n.free == node.free]

    def load_pair(self, partners: tuple[list[Expr], list[Expr]]) -> None:
        """Two neighbors by one wide load per lane."""
        first, second = partners
        buffer: Buffer = first[0].attr
        low, high = first[0].args[0], second[0].args[0]
        at, above = self.value(low), self.value(high)
        type_, n = low.type, self.lanes
        proved = self.inside(low, buffer) and self.inside(high, buffer)
        start = at if proved else self.clamp(at, type_, buffer, n, 2)
        self.proofs.needed[buffer] = max(2, self.proofs.needed.get(buffer, 1))
        # As doubles, two lanes are joined by one instruction that loads the second.
        both = T.f64 if buffer.type.bits == 32 else T.integer(2 * buffer.type.bits, signed=False)
        pairs = self.gather(buffer, start, type_, both)
        part = T.integer(buffer.type.bits, signed=False)
        word = stored(part, 2 * n)
        flat = self.let(f"bitcast {stored(both, n)} {pairs} to {word}")
        halves: list[str] = []
        for k in (0, 1):
            picks = sequence(T.i32, list(range(k, 2 * n, 2)))
            half = self.let(f"shufflevector {word} {flat}, {word} poison, <{n} x i32> {picks}")
            if buffer.type.is_float:
                half = self.let(f"bitcast {stored(part, n)} {half} to {stored(buffer.type, n)}")
            halves.append(half)
        if not proved:
            halves = self.mend(buffer, type_, at, above, halves)
        for nodes, half in zip(partners, halves, strict=True):
            for node in nodes:
                if node not in self.names:
                    self.define(node, half)

    def mend(self, buffer: Buffer, type_: T.Type, at: str, above: str, halves: list[str]) -> list[str]:
        """The two elements of clamped positions, from the pair at the first position clamped to leave room for both."""
        word, values = typed(type_, self.lanes), stored(buffer.type, self.lanes)
        mask = f"<{self.lanes} x i1>"
        room = self.once_wide(self.last(buffer, type_, 2), type_)
        past = self.let(f"icmp sgt {word} {at}, {room}")
        first = self.let(f"select {mask} {past}, {values} {halves[1]}, {values} {halves[0]}")
        # The next position is zero or less either because this one is below zero or because adding one wrapped.
        under = self.let(f"icmp sle {word} {above}, zeroinitializer")
        zero = self.element(buffer, "0", type_)
        second = self.let(
            f"select {mask} {under}, {values} {self.spread_here(buffer.type, zero)}, {values} {halves[1]}"
        )
        return [first, second]
