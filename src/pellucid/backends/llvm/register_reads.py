"""Tables in registers, as LLVM text: a table of a few registers is read in all lanes by shuffles.

Above `bounds` and `shuffles`. The registers are filled where the vector loop begins, and the numbers of the lanes are
the order of the shuffle. Any element is read so: its bytes are those at neighboring numbers of bytes. A processor whose
shuffles reach over whole registers takes one for each register of the table; one whose shuffles stay within 16 bytes
takes one for each 16 bytes. What the right one found is selected by the upper bits of the numbers.
"""

from __future__ import annotations

from ...ir.expr import Buffer, Expr
from ..jit.engine import Machine
from ..jit.spelling import stored, typed
from .bounds import Bounds
from .shuffles import Shuffles
from .values import Reads, Values

MAX_BYTES = 256
"""Maximum bytes of a table: the number of a byte is one itself."""
MAX_SHUFFLES = 32
"""Maximum shuffles for one of each lane: with more, elements are read one by one in less time."""
MIN_BYTES = 16
"""Minimum bytes of all lanes together: for fewer, elements are read one by one."""
_SHUFFLES = {
    16: "call <16 x i8> @llvm.x86.ssse3.pshuf.b.128(<16 x i8> {0}, <16 x i8> {1})",
    32: "call <32 x i8> @llvm.x86.avx2.pshuf.b(<32 x i8> {0}, <32 x i8> {1})",
    64: "call <64 x i8> @llvm.x86.avx512.pshuf.b.512(<64 x i8> {0}, <64 x i8> {1})",
}
"""What brings the bytes of each 16 of a register in an order, by the bytes of the register."""


class RegisterReads:
    """Writes reads of tables that fit into registers, on a processor that brings bytes in an order it is given."""

    def __init__(
        self, values: Values, bounds: Bounds, shuffles: Shuffles, reads: Reads, machine: Machine
    ) -> None:
        self.out, self.scope, self.values = values.out, values.scope, values
        self.bounds, self.buffers, self.shuffles, self.reads = bounds, bounds.buffers, shuffles, reads
        self._widest, self._reach = machine.ordered_bytes, machine.shuffled_bytes
        self._filled: dict[tuple[Buffer, int, int, int, int], list[str]] = {}
        """The registers of parts of tables, by the first element and how many, bytes, and where a loop begins."""

    def takes(self, node: Expr) -> bool:
        """Whether a load is read from registers: at a number for each lane, proved to be in a small part of a table."""
        if not self._widest or self.reads.is_changing(node):
            return False
        size, (position,) = node.attr.type.dtype.itemsize, node.args
        if self.scope.lanes * size < MIN_BYTES or not self.scope.is_wide(position):
            return False
        # An array may have more elements than its buffer declares: a position beyond those may still be in bounds.
        if self.scope.facts(position).hi >= node.attr.size:
            return False
        bytes_ = self._part(position)[1] * size
        shuffles = -(-bytes_ // self._reach) * size
        fits = bytes_ <= MAX_BYTES and shuffles <= MAX_SHUFFLES
        return fits and self.bounds.is_proved(position, node.attr)

    def read(self, node: Expr) -> None:
        """Compute a load that it takes."""
        let, lanes, buffer = self.out.let, self.scope.lanes, node.attr
        size, (position,) = buffer.type.dtype.itemsize, node.args
        first, count = self._part(position)
        numbers = self._numbers(position, first)
        if size > 1:
            numbers = self._of_bytes(numbers, size)
        many, pieces = lanes * size, list[tuple[str, int]]()
        for start in range(0, many, self._widest):
            part = min(self._widest, many - start)
            width = self._width(part)
            registers = self._registers(node, first, count, width)
            at = self.shuffles.resized(self.shuffles.slice(numbers, many, start, part), part, width)
            pieces.append((self.shuffles.slice(self._chosen(registers, at, width), width, 0, part), part))
        name = self.shuffles.row_of(pieces)
        if size > 1 or buffer.type.is_float:
            name = let(f"bitcast <{many} x i8> {name} to {stored(buffer.type, lanes)}")
        self.scope.define(node, self.buffers.from_memory(node.type, name))

    def _part(self, position: Expr) -> tuple[int, int]:
        """The first element that may be read, and the number of elements to the last."""
        facts = self.scope.facts(position)
        # A proof of the bounds may know more than the facts.
        first = max(0, int(facts.lo))
        return first, int(facts.hi) - first + 1

    def _numbers(self, position: Expr, first: int) -> str:
        """The numbers of the elements from the first one that is read, in bytes."""
        let, lanes, offset = self.out.let, self.scope.lanes, -first
        # The lowest eight bits are those of the narrowest number that it was made of, but for what was added.
        while position.op == "convert" or (position.op == "add" and position.args[1].op == "const"):
            inner = position.args[0]
            if not inner.type.is_integer:
                break
            if position.op == "add":
                offset += int(position.args[1].attr)
            position = inner
        numbers, vector = self.values.wide(position), f"<{lanes} x i8>"
        if position.type.bits > 8:
            numbers = let(f"trunc {typed(position.type, lanes)} {numbers} to {vector}")
        return let(f"add {vector} {numbers}, splat (i8 {offset % 256})") if offset % 256 else numbers

    def _of_bytes(self, numbers: str, size: int) -> str:
        """The numbers of the bytes of elements, from the numbers of elements in bytes."""
        let, lanes, word = self.out.let, self.scope.lanes, f"i{8 * size}"
        wide = let(f"zext <{lanes} x i8> {numbers} to <{lanes} x {word}>")
        everywhere = sum(size << 8 * k for k in range(size))
        within = sum(k << 8 * k for k in range(size))
        first = let(f"mul <{lanes} x {word}> {wide}, splat ({word} {everywhere})")
        each = let(f"or <{lanes} x {word}> {first}, splat ({word} {within})")
        return let(f"bitcast <{lanes} x {word}> {each} to <{lanes * size} x i8>")

    def _width(self, count: int) -> int:
        """The bytes of the register for so many bytes in an order."""
        return self._reach if self._reach > 16 else next(width for width in _SHUFFLES if width >= count)

    def _registers(self, node: Expr, first: int, count: int, width: int) -> list[str]:
        """The registers of a part of a table, filled before the vector loop around: a power of two of them."""
        buffer, entry = node.attr, self.scope.loop.entry
        part = buffer, first, count, width, entry
        if part in self._filled:
            return self._filled[part]
        pointer = self.buffers.pointer(buffer)
        lines = len(self.out.lines)
        element = buffer.type.dtype.itemsize
        begin, size, names = first * element, count * element, list[str]()
        for start in range(0, size, self._reach):
            many = min(self._reach, size - start)
            at = self.out.let(f"getelementptr i8, ptr {pointer}, i64 {begin + start}")
            row = self.shuffles.resized(self.shuffles.exact(at, many), many, self._reach)
            names.append(self.shuffles.row_of([(row, self._reach)] * (width // self._reach)))
        # They belong before the loop, where they stay in registers.
        text = self.out.lines[lines:]
        del self.out.lines[lines:]
        self.out.append(entry, "\n".join(text))
        names += [names[-1]] * ((1 << (len(names) - 1).bit_length()) - len(names))
        self._filled[part] = names
        return names

    def _chosen(self, registers: list[str], at: str, width: int) -> str:
        """The bytes of one, two, four or more registers at the numbers in a register."""
        let, whole, found, reach = self.out.let, f"<{width} x i8>", registers, self._reach
        if reach == 16:
            # A number whose highest bit is set would give zero.
            low = let(f"and {whole} {at}, splat (i8 15)") if len(found) > 8 else at
            found = [let(_SHUFFLES[width].format(register, low)) for register in registers]
        elif len(found) == 1:
            return let(f"call {whole} @llvm.x86.avx512.permvar.qi.512({whole} {found[0]}, {whole} {at})")
        else:
            pairs = zip(registers[::2], registers[1::2], strict=True)
            both = "@llvm.x86.avx512.vpermi2var.qi.512"
            found = [let(f"call {whole} {both}({whole} {a}, {whole} {at}, {whole} {b})") for a, b in pairs]
            reach *= 2
        while len(found) > 1:
            # The next bit of a number tells which of two it is in.
            bit = 8 - reach.bit_length()
            moved = let(f"shl {whole} {at}, splat (i8 {bit})") if bit else at
            upper = let(f"icmp slt {whole} {moved}, zeroinitializer")
            found = [
                let(f"select <{width} x i1> {upper}, {whole} {b}, {whole} {a}")
                for a, b in zip(found[::2], found[1::2], strict=True)
            ]
            reach *= 2
        return found[0]
