"""Tables in registers, as LLVM text: a table of a few registers is read in all lanes by shuffles.

Above `bounds` and `shuffles`. The registers are filled where the vector loop begins, and the numbers of the lanes are
the order of the shuffle. Any element is read so: its bytes are those at neighboring numbers of bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...ir.expr import Buffer, Expr
from ..jit.spelling import stored, typed
from .bounds import Bounds
from .shuffles import REGISTER, Shuffles
from .values import Reads, Values

MAX_REGISTERS = 4
"""Maximum registers of a table: more leave too few for everything else."""
MIN_BYTES = 16
"""Minimum bytes of all lanes together: for fewer, elements are read one by one."""


@dataclass(frozen=True, slots=True)
class TableRegisters:
    """The registers of a table in a vector loop, which begins at a line."""

    buffer: Buffer
    count: int
    entry: int
    names: list[str]


class RegisterReads:
    """Writes reads of tables that fit into registers, on a processor whose shuffles reach over two of them."""

    def __init__(
        self, values: Values, bounds: Bounds, shuffles: Shuffles, reads: Reads, *, permutes: bool
    ) -> None:
        self.out, self.scope, self.values = values.out, values.scope, values
        self.bounds, self.buffers, self.shuffles, self.reads = bounds, bounds.buffers, shuffles, reads
        self._permutes = permutes
        self._filled: list[TableRegisters] = []

    def takes(self, node: Expr) -> bool:
        """Whether a load is read from registers: at a number for each lane, proved to be in a small part of a table."""
        if not self._permutes or self.reads.is_changing(node):
            return False
        size, (position,) = node.attr.type.dtype.itemsize, node.args
        if self.scope.lanes * size < MIN_BYTES or not self.scope.is_wide(position):
            return False
        # An array may have more elements than its buffer declares: a position beyond those may still be in bounds.
        if self.scope.facts(position).hi >= node.attr.size:
            return False
        return self._count(node) * size <= MAX_REGISTERS * REGISTER and self.bounds.is_proved(
            position, node.attr
        )

    def read(self, node: Expr) -> None:
        """Compute a load that it takes."""
        let, lanes, buffer = self.out.let, self.scope.lanes, node.attr
        size, (position,) = buffer.type.dtype.itemsize, node.args
        numbers, vector = self.values.wide(position), f"<{lanes} x i8>"
        if position.type.bits > 8:
            numbers = let(f"trunc {typed(position.type, lanes)} {numbers} to {vector}")
        if size > 1:
            numbers = self._of_bytes(numbers, size)
        registers, many, pieces = self._registers(node), lanes * size, list[tuple[str, int]]()
        for start in range(0, many, REGISTER):
            count = min(REGISTER, many - start)
            part = self.shuffles.resized(self.shuffles.slice(numbers, many, start, count), count, REGISTER)
            pieces.append((self.shuffles.slice(self._chosen(registers, part), REGISTER, 0, count), count))
        name = self.shuffles.row_of(pieces)
        if size > 1 or buffer.type.is_float:
            name = let(f"bitcast <{many} x i8> {name} to {stored(buffer.type, lanes)}")
        self.scope.define(node, self.buffers.from_memory(node.type, name))

    def _count(self, node: Expr) -> int:
        """The number of elements from the first of a table to the last that is read."""
        return int(self.scope.facts(node.args[0]).hi) + 1

    def _of_bytes(self, numbers: str, size: int) -> str:
        """The numbers of the bytes of elements, from the numbers of elements in bytes."""
        let, lanes, word = self.out.let, self.scope.lanes, f"i{8 * size}"
        wide = let(f"zext <{lanes} x i8> {numbers} to <{lanes} x {word}>")
        everywhere = sum(size << 8 * k for k in range(size))
        within = sum(k << 8 * k for k in range(size))
        first = let(f"mul <{lanes} x {word}> {wide}, splat ({word} {everywhere})")
        each = let(f"or <{lanes} x {word}> {first}, splat ({word} {within})")
        return let(f"bitcast <{lanes} x {word}> {each} to <{lanes * size} x i8>")

    def _registers(self, node: Expr) -> list[str]:
        """The registers of a table, filled before the vector loop around: one, two or four of them."""
        buffer, count, entry = node.attr, self._count(node), self.scope.loop.entry
        for f in self._filled:
            if f.buffer is buffer and f.count == count and f.entry == entry:
                return f.names
        pointer = self.buffers.pointer(buffer)
        lines = len(self.out.lines)
        size = count * buffer.type.dtype.itemsize
        names = list[str]()
        for start in range(0, size, REGISTER):
            many = min(REGISTER, size - start)
            at = self.out.let(f"getelementptr i8, ptr {pointer}, i64 {start}")
            names.append(self.shuffles.widened(self.shuffles.exact(at, many), many))
        # They belong before the loop, where they stay in registers.
        text = self.out.lines[lines:]
        del self.out.lines[lines:]
        self.out.append(entry, "\n".join(text))
        names += [names[-1]] * ((1 << (len(names) - 1).bit_length()) - len(names))
        self._filled.append(TableRegisters(buffer, count, entry, names))
        return names

    def _chosen(self, registers: list[str], at: str) -> str:
        """The bytes of one, two or four registers at the numbers in a register."""
        let, whole = self.out.let, f"<{REGISTER} x i8>"
        if len(registers) == 1:
            return let(f"call {whole} @llvm.x86.avx512.permvar.qi.512({whole} {registers[0]}, {whole} {at})")
        found = [
            let(f"call {whole} @llvm.x86.avx512.vpermi2var.qi.512({whole} {a}, {whole} {at}, {whole} {b})")
            for a, b in zip(registers[::2], registers[1::2], strict=True)
        ]
        if len(found) == 1:
            return found[0]
        # The highest bit of a number tells which two registers it is in.
        upper = let(f"icmp slt {whole} {at}, zeroinitializer")
        return let(f"select <{REGISTER} x i1> {upper}, {whole} {found[1]}, {whole} {found[0]}")
