"""Table reads as LLVM text: one small element per lane from anywhere in a table, a chunk of lanes per iteration.

Above `neighbors`. A loop over chunks is short code, where one load after the other for all lanes would be long. What
one block reads from one table is read by one loop.
"""

from __future__ import annotations

from ...ir import types as T
from ...ir.expr import Buffer, Expr, topological
from ...ir.nest import Block, Let, Store, all_roots
from ..jit.spelling import SCALAR, SLOT_ALIGNMENT, STORED, stored, typed
from .addressing import Addressing
from .bounds import Bounds
from .neighbors import Neighbors
from .register_reads import RegisterReads
from .values import Reads

CHUNK = 4
"""Lanes that are read in one iteration. Twice as many are no faster, and are more to compile."""
MAX_BITS = 32
"""Maximum bits of an element that is read in chunks: of larger ones, a vector of all lanes has few."""


def unwidened(position: Expr) -> Expr:
    """A position, or the narrower unsigned number that it was converted from: the same number, in fewer bits."""
    narrow = position.op == "convert" and position.args[0].type.kind == "unsigned"
    return position.args[0] if narrow and position.args[0].type.bits < position.type.bits else position


class TableReads:
    """Writes reads of tables."""

    def __init__(
        self,
        addressing: Addressing,
        bounds: Bounds,
        neighbors: Neighbors,
        reads: Reads,
        registers: RegisterReads,
    ) -> None:
        self.out, self.scope, self.values = addressing.out, addressing.scope, addressing.values
        self.addressing, self.buffers, self.bounds = addressing, addressing.buffers, bounds
        self.neighbors, self.reads, self.registers = neighbors, reads, registers
        self._together: dict[Expr, list[Expr]] = {}
        """By read: all reads that are done by the same loop."""

    def find(self, block: Block) -> None:
        """Note the reads of a vector block that one loop does: it runs where the first of them is wanted."""
        if not self._has_chunks() or not all(isinstance(s, Let | Store) for s in block):
            return
        found: dict[tuple[Buffer, T.Type], list[Expr]] = {}
        # A read at a number that was itself read comes later, by itself.
        late: set[Expr] = set()
        for n in topological(all_roots(block)):
            if n in self.scope.names or not self.scope.is_wide(n):
                continue
            if not late.isdisjoint(n.args):
                late.add(n)
            elif self.is_small(n) and self.is_read(n) and self.neighbors.is_alone(n):
                late.add(n)
                found.setdefault((n.attr, unwidened(n.args[0]).type), []).append(n)
        for nodes in found.values():
            self._together.update(dict.fromkeys(nodes, nodes))

    def is_read(self, node: Expr) -> bool:
        """Whether a value is an element per lane from anywhere in a table in memory, and has no name yet."""
        scope = self.scope
        if node.op != "load" or node in scope.names:
            return False
        if self.reads.is_changing(node) or not scope.is_wide(node) or self.registers.takes(node):
            return False
        (position,) = node.args
        terms = self.addressing.in_lanes(position).terms
        anywhere = any(scope.is_wide(n) and n is not scope.loop.index for n, _ in terms)
        return anywhere and self.bounds.is_proved(position, node.attr)

    def is_small(self, node: Expr) -> bool:
        """Whether a node loads elements that are read in chunks."""
        return node.op == "load" and node.attr.type.bits <= MAX_BITS and self._has_chunks()

    def _has_chunks(self) -> bool:
        """Whether there are so many lanes that there are several chunks."""
        return self.scope.lanes > 2 * CHUNK and self.scope.lanes % CHUNK == 0

    def read(self, node: Expr) -> None:
        """Compute small elements from positions in bounds, and all reads that are done by the same loop."""
        out, lanes = self.out, self.scope.lanes
        nodes = [n for n in self._together.get(node, ()) if n not in self.scope.names] or [node]
        buffer: Buffer = node.attr
        type_ = unwidened(node.args[0]).type
        word, element, size = SCALAR[type_], STORED[buffer.type], buffer.type.dtype.itemsize
        numbers = [self.values.wide(unwidened(n.args[0])) for n in nodes]
        slot, count = out.fresh("slot"), len(nodes) * lanes
        out.enter(f"{slot} = alloca [{count} x {word}], align {SLOT_ALIGNMENT}")
        out.enter(f"{slot}.to = alloca [{count} x {element}], align {SLOT_ALIGNMENT}")
        for k, name in enumerate(numbers):
            at = out.let(f"getelementptr {word}, ptr {slot}, i64 {k * lanes}") if k else slot
            out.emit(f"store {typed(type_, lanes)} {name}, ptr {at}, align {type_.bits // 8}")
        with out.counting(count, CHUNK) as lane:
            base = out.let(f"getelementptr {word}, ptr {slot}, i64 {lane}")
            some, vector = "poison", f"<{CHUNK} x {element}>"
            for k in range(CHUNK):
                where = out.let(f"getelementptr {word}, ptr {base}, i64 {k}") if k else base
                found = self.element_at(buffer, where, type_)
                some = out.let(f"insertelement {vector} {some}, {element} {found}, i64 {k}")
            into = out.let(f"getelementptr {element}, ptr {slot}.to, i64 {lane}")
            out.emit(f"store {vector} {some}, ptr {into}, align {size}")
        for k, n in enumerate(nodes):
            at = f"{slot}.to"
            if k:
                at = out.let(f"getelementptr {element}, ptr {at}, i64 {k * lanes}")
            values = out.let(f"load {stored(buffer.type, lanes)}, ptr {at}, align {size}")
            self.scope.define(n, self.buffers.from_memory(n.type, values))

    def element_at(self, buffer: Buffer, where: str, type_: T.Type) -> str:
        """The element at a position that is itself in memory, at an address."""
        let, word, element = self.out.let, SCALAR[type_], STORED[buffer.type]
        number = let(f"load {word}, ptr {where}, align {type_.bits // 8}")
        extended = "zext" if type_.kind == "unsigned" else "sext"
        wide = number if type_.bits == 64 else let(f"{extended} {word} {number} to i64")
        found = let(f"getelementptr {element}, ptr {self.buffers.pointer(buffer)}, i64 {wide}")
        return let(f"load {element}, ptr {found}, align {buffer.type.dtype.itemsize}")
