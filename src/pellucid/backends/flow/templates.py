"""Flow graphs as instructions of x86-64 at once: a template for each operator, a slot of memory for each register.

One pass and no analysis, so that code is there in a microsecond for each instruction; only the last result and the last
comparison are known to be in the processor's registers still. Failures stand in front of all blocks, all of the
same length, so that a jump to one is written once. `text` makes the code that takes its place.

r12 is the frame, rbp the slots, r13 and r14 the free place and the limit of the arena, rbx the turns left.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from ...base.errors import BackendError
from ...ir.flow import Graph, Instruction, Stream
from ..jit.polling import POLL_INTERVAL
from .frame import FULL, PAIR_BYTES, STOPPED, FrameWord, Outline, arguments_at, heads, roots_at
from .slots import EPILOGUE, STORE, failure_place, failures, number_to_rax, slots

_i32 = struct.Struct("<i").pack
_i64 = struct.Struct("<q").pack
_put_i32 = struct.Struct("<i").pack_into
_PROLOGUE = b"".join(
    [
        bytes.fromhex("55 53 4154 4155 4156 4989fc 498b6c24"),
        bytes([8 * FrameWord.SLOTS]) + bytes.fromhex("4d8b6c24") + bytes([8 * FrameWord.FREE]),
        bytes.fromhex("4d8b7424") + bytes([8 * FrameWord.LIMIT]) + b"\xbb" + _i32(POLL_INTERVAL),
    ]
)
_LOAD_C, _LOAD_D = b"\x48\x8b\x8d", b"\x48\x8b\x95"
_WITH_SLOT = {
    "add": b"\x48\x03\x85", "sub": b"\x48\x2b\x85", "mul": b"\x48\x0f\xaf\x85", "and": b"\x48\x23\x85",
    "or": b"\x48\x0b\x85", "xor": b"\x48\x33\x85", "eq": b"\x48\x3b\x85", "lt": b"\x48\x3b\x85",
}  # fmt: skip
_WITH_NUMBER = {
    "add": b"\x48\x05", "sub": b"\x48\x2d", "mul": b"\x48\x69\xc0", "and": b"\x48\x25", "or": b"\x48\x0d",
    "xor": b"\x48\x35", "eq": b"\x48\x3d", "lt": b"\x48\x3d",
}  # fmt: skip
_WITH_C = {
    "add": b"\x48\x01\xc8", "sub": b"\x48\x29\xc8", "mul": b"\x48\x0f\xaf\xc1", "and": b"\x48\x21\xc8",
    "or": b"\x48\x09\xc8", "xor": b"\x48\x31\xc8", "eq": b"\x48\x39\xc8", "lt": b"\x48\x39\xc8",
}  # fmt: skip
_COMMUTING = frozenset(["add", "mul", "and", "or", "xor", "eq"])
_CONDITION = {"eq": 0x94, "lt": 0x9C, "is0": 0x94}
"""The instructions that set a byte; those that jump differ by 16, and the opposite of each by 1."""
_TRUTHS = {c: bytes([0x0F, c, 0xC0, 0x0F, 0xB6, 0xC0]) + STORE for c in (0x94, 0x95, 0x9C, 0x9D)}
"""Putting a condition into a slot as 0 or 1."""
_LOADS = {8: b"\x0f\xb6\x04\x01", 16: b"\x0f\xb7\x04\x41", 32: b"\x8b\x04\x81", 64: b"\x48\x8b\x04\xc1"}
_STORES = {8: b"\x88\x14\x01", 16: b"\x66\x89\x14\x41", 32: b"\x89\x14\x81", 64: b"\x48\x89\x14\xc1"}
_TABLE_FROM = 5
"""A jump through a word to so many codes or more is by a table."""


def assembled(graph: Graph, known: list[Outline]) -> tuple[bytes, int]:
    """The code of a graph with its outlines, which may stand anywhere, and the number of its slots."""
    return bytes(_Assembler(graph, known).code()), graph.registers


class _Assembler:
    """Writes one graph; what comes later is waiting, with the places that will be told where it is."""

    def __init__(self, graph: Graph, known: list[Outline]) -> None:
        self.graph, self.known = graph, known
        self.short = [_i32(n) if -(1 << 31) <= n < 1 << 31 else b"" for n in graph.constants]
        """Constants that fit into an instruction."""
        self.places, loads, self.stores = slots(graph.registers)
        # The registers of constants are below 0, and so they are found from the end.
        self.loads = [*loads, *map(number_to_rax, reversed(graph.constants))]
        self.bases: list[bytes] = []
        """For each memory, the instruction that loads its address to rcx."""
        self.bounds: list[bytes] = []
        """For each memory, the comparison of rax with its length, and a jump if that is not above."""
        for k in range(len(graph.memories)):
            first = 8 * (FrameWord.MEMORIES + 2 * k)
            self.bases.append(b"\x49\x8b\x8c\x24" + _i32(first))
            self.bounds.append(b"\x49\x3b\x84\x24" + _i32(first + 8) + b"\x0f\x83")
        bits = [type_.bits for type_ in graph.memories.values()]
        self.reads: list[bytes] = [base + _LOADS[of] for base, of in zip(self.bases, bits, strict=True)]
        self.writes: list[bytes] = [_STORES[of] for of in bits]
        self.out: bytearray = bytearray()
        self.held: int | None = None
        self.flags: tuple[int, int] | None = None
        self._blocks: dict[int, int] = {}
        self._fixes: list[tuple[int, int]] = []
        self._tables: list[tuple[int, tuple[tuple[int, tuple[int, ...]], ...]]] = []
        self._later: list[tuple[int, Callable[[], None]]] = []
        self._waiting: list[int] = []
        self._heads = heads(known)
        self._roots = roots_at(graph)

    def code(self) -> bytearray:
        """All of it."""
        out, first = self.out, arguments_at(self.graph)
        out += failures(len(self.graph.failures) + 1) + _PROLOGUE
        for k, param in enumerate(self.graph.blocks[0].params):
            out += b"\x49\x8b\x84\x24" + _i32(8 * (first + k)) + self.stores[param]
        self._waiting.append(0)
        while self._waiting or self._later:
            if self._waiting:
                number = self._waiting.pop()
                if number not in self._blocks:
                    self._block(number)
            else:
                fix, write = self._later.pop()
                self._here(fix)
                self.held = self.flags = None
                write()
        for fix, number in self._fixes:
            _put_i32(out, fix, self._blocks[number] - fix - 4)
        return out

    # ---- pieces ----

    def _here(self, fix: int) -> None:
        """Let a jump that was written come here."""
        _put_i32(self.out, fix, len(self.out) - fix - 4)

    def _jump_later(self, opcode: bytes, write: Callable[[], None]) -> None:
        """A jump to what is written later."""
        self.out += opcode + b"\0\0\0\0"
        self._later.append((len(self.out) - 4, write))

    def fail(self, opcode: bytes, failure: int) -> None:
        """A jump to where a failure is returned."""
        out = self.out
        out += opcode
        out += _i32(failure_place(failure) - len(out) - 4)

    def number_of(self, register: int) -> int:
        """The number that a register below 0 stands for."""
        return self.graph.constants[~register]

    def load(self, register: int) -> None:
        """Bring a register to rax."""
        if self.held != register:
            self.held = register
            self.out += self.loads[register]

    def _number(self, register: int, short: bytes, long: bytes) -> None:
        fitting = self.short[~register]
        self.out += short + fitting if fitting else long + _i64(self.number_of(register))

    def load_c(self, register: int) -> None:
        """Bring a register to rcx."""
        if register < 0:
            self._number(register, b"\x48\xc7\xc1", b"\x48\xb9")
        else:
            self.out += _LOAD_C + self.places[register]

    def load_d(self, register: int) -> None:
        """Bring a register to rdx."""
        if register < 0:
            self._number(register, b"\x48\xc7\xc2", b"\x48\xba")
        else:
            self.out += _LOAD_D + self.places[register]

    def keep(self, register: int) -> None:
        """Put rax into the slot of a register."""
        self.out += self.stores[register]
        self.held = register

    # ---- blocks ----

    def _block(self, number: int) -> None:
        block = self.graph.blocks[number]
        self._blocks[number] = len(self.out)
        self.held = self.flags = None
        need = self.known[number].room
        if need:
            self.out += b"\x49\x8d\x85" + _i32(need) + b"\x4c\x39\xf0"
            back = self._blocks[number]
            self._jump_later(b"\x0f\x87", lambda: self._collect(number, need, back))
        elif number in self._heads:
            self.out += b"\x48\xff\xcb"
            back = len(self.out) + 6
            self._jump_later(b"\x0f\x84", lambda: self._ask(back))
        self._stream(block.body)

    def _collect(self, number: int, need: int, back: int) -> None:
        """Call the collector, and begin the block anew."""
        out, roots = self.out, self.graph.blocks[number].roots
        for k, (word, tag) in enumerate(roots):
            place = 8 * (self._roots + 2 * k)
            self.load(word)
            out += b"\x49\x89\x84\x24" + _i32(place)
            if tag is None:
                out += b"\x48\xc7\xc0" + _i32(-1)
                self.held = None
            else:
                self.load(tag)
            out += b"\x49\x89\x84\x24" + _i32(place + 8)
        out += b"\x4d\x89\x6c\x24" + bytes([8 * FrameWord.FREE]) + b"\x4c\x89\xe7"
        out += b"\x49\x8d\xb4\x24" + _i32(8 * self._roots)
        out += b"\xba" + _i32(len(roots)) + b"\xb9" + _i32(need)
        out += b"\x41\xff\x54\x24" + bytes([8 * FrameWord.COLLECT]) + b"\x48\x85\xc0"
        self.fail(b"\x0f\x85", FULL)
        out += b"\x4d\x8b\x6c\x24" + bytes([8 * FrameWord.FREE])
        out += b"\x4d\x8b\x74\x24" + bytes([8 * FrameWord.LIMIT])
        for k, (word, _) in enumerate(roots):
            out += b"\x49\x8b\x84\x24" + _i32(8 * (self._roots + 2 * k)) + self.stores[word]
        self._ask(back)

    def _ask(self, back: int) -> None:
        """Ask whether to go on, and do so."""
        self.out += b"\x41\xff\x54\x24" + bytes([8 * FrameWord.QUESTION]) + b"\x85\xc0"
        self.fail(b"\x0f\x85", STOPPED)
        self.out += b"\xbb" + _i32(POLL_INTERVAL) + b"\xe9"
        self.out += _i32(back - len(self.out) - 4)

    def _stream(self, stream: Stream) -> None:
        for instruction in stream:
            writer = _WRITERS.get(instruction[0])
            if writer is None:
                raise BackendError(
                    f"there is no template for {instruction[2].name}",
                    place=self.graph.name,
                    fix="compile it by LLVM",
                )
            writer(self, instruction)

    # ---- instructions ----

    def two(self, instruction: Instruction) -> None:
        """An operator on two words."""
        made = self._operands(instruction)
        self.out += self.stores[made]
        self.held = made
        self.flags = None

    def checked(self, instruction: Instruction) -> None:
        """A sum or a product, which may be too large."""
        made = self._operands(instruction)
        if instruction[4]:
            self.fail(b"\x0f\x80", instruction[4])
        self.out += self.stores[made]
        self.held = made
        self.flags = None

    def compare(self, instruction: Instruction) -> None:
        """A comparison of two words."""
        self._truth(self._operands(instruction), _CONDITION[instruction[0]])

    def _operands(self, instruction: Instruction) -> int:
        """The operator on two words in rax, and the register of the result."""
        a: int
        b: int
        op, made, a, b = instruction[:4]
        held = self.held
        if (b == held or a < 0) and b >= 0 and op in _COMMUTING:
            a, b = b, a
        if a != held:
            self.out += self.loads[a]
        if b >= 0:
            self.out += _WITH_SLOT[op] + self.places[b]
        elif self.short[~b]:
            self.out += _WITH_NUMBER[op] + self.short[~b]
        else:
            self.load_c(b)
            self.out += _WITH_C[op]
        return made

    def _truth(self, made: int, condition: int) -> None:
        self.out += _TRUTHS[condition] + self.places[made]
        self.held, self.flags = made, (made, condition)

    def is_zero(self, instruction: Instruction) -> None:
        """Whether a word is 0; of a comparison that was just made, the opposite."""
        _, made, a = instruction
        if self.flags is not None and self.flags[0] == a:
            self._truth(made, self.flags[1] ^ 1)
            return
        self.load(a)
        self.out += b"\x48\x85\xc0"
        self._truth(made, 0x94)

    def _test(self, register: int) -> int:
        """The condition under which a word is not 0, as the instruction that sets a byte by it."""
        if self.flags is not None and self.flags[0] == register:
            return self.flags[1]
        self.load(register)
        self.out += b"\x48\x85\xc0"
        return 0x95

    def branch(self, instruction: Instruction) -> None:
        """Another stream under a condition."""
        condition = self._test(instruction[1])
        stream = instruction[2]
        self._jump_later(bytes([0x0F, condition - 16]), lambda: self._stream(stream))
        self.flags = None

    def require(self, instruction: Instruction) -> None:
        """Fail unless a condition holds."""
        self.fail(bytes([0x0F, (self._test(instruction[1]) ^ 1) - 16]), instruction[2])
        self.flags = None

    def shift(self, instruction: Instruction) -> None:
        """Bits moved up, where none may be lost, or down."""
        op, made, a, b, failure = instruction
        self.load(a)
        amount = b"" if b >= 0 else bytes([self.number_of(b)])
        if b >= 0:
            self.load_c(b)
        if op == "shr":
            self.out += b"\x48\xc1\xf8" + amount if amount else b"\x48\xd3\xf8"
        else:
            self.out += b"\x48\x89\xc2" + (b"\x48\xc1\xe0" + amount if amount else b"\x48\xd3\xe0")
            if failure:
                self.out += b"\x48\x89\xc6" + (b"\x48\xc1\xfe" + amount if amount else b"\x48\xd3\xfe")
                self.out += b"\x48\x39\xd6"
                self.fail(b"\x0f\x85", failure)
        self.flags = None
        self.keep(made)

    def divide(self, instruction: Instruction) -> None:
        """A quotient rounded down, or the remainder; the processor does not divide by -1, where it may trap."""
        op, made, a, b, failure = instruction
        self.load(a)
        self.flags = None
        by = self.number_of(b) if b < 0 else 0
        if 0 < by < 1 << 31 and by & (by - 1) == 0:
            shift = b"\x48\xc1\xf8" + bytes([by.bit_length() - 1])
            self.out += shift if op == "div" else b"\x48\x25" + _i32(by - 1)
            self.keep(made)
            return
        self.load_c(b)
        self.out += b"\x48\x83\xf9\xff\x0f\x85" + bytes(4)
        fix = len(self.out) - 4
        if op == "div":
            self.out += b"\x48\xf7\xd8"
            if failure:
                self.fail(b"\x0f\x80", failure)
            rest = bytes.fromhex("4899 48f7f9 4885d2 740b 4889d6 4831ce 7903 48ffc8")
        else:
            self.out += b"\x31\xc0"
            rest = bytes.fromhex("4899 48f7f9 4885d2 740b 4889d6 4831ce 7903 4801ca 4889d0")
        self.out += b"\xe9" + _i32(len(rest))
        self._here(fix)
        self.out += rest
        self.keep(made)

    def select(self, instruction: Instruction) -> None:
        """One of two words."""
        _, made, c, a, b = instruction
        self.load_c(c)
        self.load(b)
        self.load_d(a)
        self.out += b"\x48\x85\xc9\x48\x0f\x45\xc2"
        self.flags = None
        self.keep(made)

    def pair(self, instruction: Instruction) -> None:
        """A new pair."""
        made, *parts = instruction[1:]
        part: int
        for k, part in enumerate(parts):
            fitting = self.short[~part] if part < 0 else b""
            if fitting:
                self.out += b"\x49\xc7\x45" + bytes([8 * k]) + fitting
            else:
                self.load(part)
                self.out += b"\x49\x89\x45" + bytes([8 * k])
        self.out += b"\x4c\x89\xe8\x49\x83\xc5" + bytes([8 * len(parts)])
        self.flags = None
        self.keep(made)

    def fixed(self, instruction: Instruction) -> None:
        """A pair that is a constant."""
        _, made, number = instruction
        self.out += b"\x49\x8b\x44\x24" + bytes([8 * FrameWord.FIXED])
        self.out += b"\x48\x05" + _i32(PAIR_BYTES * number)
        self.flags = None
        self.keep(made)

    def half(self, instruction: Instruction) -> None:
        """A word of a pair."""
        op, made, pair = instruction[:3]
        self.load(pair)
        number = instruction[3] if op == "field" else ("car", "cdr", "tags").index(op)
        self.out += b"\x48\x8b\x40" + bytes([8 * number])
        self.keep(made)

    def _index(self, memory: int, index: int, failure: int) -> None:
        """The index of a word in a memory in rax."""
        if index != self.held:
            self.out += self.loads[index]
        if failure:
            self.fail(self.bounds[memory], failure)
        self.flags = None

    def load_word(self, instruction: Instruction) -> None:
        """A word of a memory."""
        _, made, memory, index, failure = instruction
        self._index(memory, index, failure)
        self.out += self.reads[memory] + self.stores[made]
        self.held = made

    def store_word(self, instruction: Instruction) -> None:
        """A word into a memory."""
        memory: int
        _, memory, index, value, failure = instruction
        self._index(memory, index, failure)
        self.out += self.bases[memory]
        self.load_d(value)
        self.out += self.writes[memory]
        self.held = index

    def go(self, instruction: Instruction) -> None:
        """A jump to a block."""
        self._pass(instruction[1], instruction[2])
        target = instruction[1]
        if target in self._blocks:
            self.out += b"\xe9" + _i32(self._blocks[target] - len(self.out) - 5)
            return
        if not self._waiting or self._waiting[-1] != target:
            self._waiting.append(target)
        self.out += b"\xe9\0\0\0\0"
        self._fixes.append((len(self.out) - 4, target))

    def _pass(self, target: int, args: tuple[int, ...]) -> None:
        """Give a block its parameters, all at once."""
        params = self.graph.blocks[target].params
        moves: list[tuple[int, int]] = [(p, a) for p, a in zip(params, args, strict=True) if p != a]
        while moves:
            read = {a for _, a in moves}
            later: list[tuple[int, int]] = []
            for param, arg in moves:
                if param in read:
                    later.append((param, arg))
                else:
                    self._move(param, arg)
            if len(later) == len(moves):
                break
            moves = later
        for _, arg in moves:
            self.out += b"\xff\xb5" + self.places[arg]
        for param, _ in reversed(moves):
            self.out += b"\x8f\x85" + self.places[param]

    def _move(self, param: int, arg: int) -> None:
        fitting = self.short[~arg] if arg < 0 else b""
        if fitting:
            self.out += b"\x48\xc7\x85" + self.places[param] + fitting
        else:
            self.load(arg)
            self.out += self.stores[param]

    def switch(self, instruction: Instruction) -> None:
        """A jump to the block that a word tells."""
        _, word, cases = instruction
        self.load(word)
        if len(cases) >= _TABLE_FROM:
            self._through_table(cases)
            return
        for target, args in cases[:-1]:
            self.out += b"\x48\x3d" + _i32(target)
            case = ("go", target, args)
            self._jump_later(b"\x0f\x84", lambda case=case: self.go(case))
        self.go(("go", *cases[-1]))

    def _through_table(self, cases: tuple[tuple[int, tuple[int, ...]], ...]) -> None:
        """Jump by a table of distances, which stands behind the jump."""
        lowest, highest = min(t for t, _ in cases), max(t for t, _ in cases)
        # lea rcx, [rip + 13]; movsxd rax, [rcx + 4 rax - 4 lowest]; add rax, rcx; jmp rax
        self.out += b"\x48\x8d\x0d" + _i32(13) + b"\x48\x63\x84\x81" + _i32(-4 * lowest)
        self.out += b"\x48\x01\xc8\xff\xe0"
        table = len(self.out)
        self.out += bytes(4 * (highest - lowest + 1))
        for target, args in cases:
            place = table + 4 * (target - lowest)
            case = ("go", target, args)
            self._later.append((place, lambda case=case, place=place: self._entry(case, place, table)))

    def _entry(self, case: Instruction, place: int, table: int) -> None:
        _put_i32(self.out, place, len(self.out) - table)
        self.go(case)

    def give(self, instruction: Instruction) -> None:
        """The result."""
        _, value, tag = instruction
        for register, word in ((value, FrameWord.RESULT), (tag, FrameWord.TAG)):
            self.load(register)
            self.out += b"\x49\x89\x44\x24" + bytes([8 * word])
        self.out += b"\x31\xc0" + EPILOGUE

    def fails(self, instruction: Instruction) -> None:
        """A failure without a condition."""
        self.fail(b"\xe9", instruction[1])


_WRITERS: dict[str, Callable[[_Assembler, Instruction], None]] = {
    **dict.fromkeys(["add", "sub", "mul"], _Assembler.checked), **dict.fromkeys(["eq", "lt"], _Assembler.compare),
    **dict.fromkeys(["and", "or", "xor"], _Assembler.two),
    "is0": _Assembler.is_zero, "if": _Assembler.branch, "require": _Assembler.require, "shl": _Assembler.shift,
    "shr": _Assembler.shift, "div": _Assembler.divide, "mod": _Assembler.divide, "select": _Assembler.select,
    "fixed": _Assembler.fixed, "pair": _Assembler.pair,
    "car": _Assembler.half, "cdr": _Assembler.half, "tags": _Assembler.half, "field": _Assembler.half,
    "load": _Assembler.load_word, "store": _Assembler.store_word, "go": _Assembler.go, "switch": _Assembler.switch,
    "give": _Assembler.give, "fail": _Assembler.fails,
}  # fmt: skip
