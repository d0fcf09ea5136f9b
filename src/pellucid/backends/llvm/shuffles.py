"""Constant byte shuffles as LLVM text: bytes of memory into lanes, and bytes of lanes into memory.

Above `emitter`. A register has 64 bytes: the code generator takes it apart for processors whose registers are shorter.
"""

from __future__ import annotations

from collections.abc import Sequence

from .emitter import Emitter

REGISTER = 64
"""Bytes of a register."""
Windows = list[tuple[int, int, str]]
"""Runs of bytes of memory that are in registers: the first byte of each, its length, and its name."""


def bytes_of(values: Sequence[int]) -> str:
    """Constant bytes in the instruction."""
    return "<" + ", ".join([f"i8 {v}" for v in values]) + ">"


def indices(values: Sequence[int]) -> str:
    """The mask of a shuffle; a negative element may be any byte."""
    return "<" + ", ".join(["i32 poison" if v < 0 else f"i32 {v}" for v in values]) + ">"


class Shuffles:
    """Gathers and assembles bytes; `permutes` says that the processor has `Machine.permutes`.

    Within `near` bytes any order is one instruction.
    """

    def __init__(
        self, out: Emitter, *, permutes: bool = False, near: int = REGISTER, prefix: str = ""
    ) -> None:
        self.out, self.permutes, self.near = out, permutes, near
        self._prefix = prefix
        self._constants: dict[tuple[int, ...], str] = {}

    @property
    def constants(self) -> list[str]:
        """The lines in front of the function that declare the constants it reads; their names begin with `prefix`."""
        return list(self._constants.values())

    def windows(self, pointer: str, size: int) -> Windows:
        """Registers of a run of bytes of memory, and no byte more; the last one overlaps the one before."""
        if size < REGISTER and size.bit_count() <= 2:
            # Two pieces put together cost less than shuffles of two registers.
            return [(0, size, self.widened(self.exact(pointer, size), size))]
        count = min(REGISTER, 1 << (size.bit_length() - 1))
        starts = [*range(0, size - count, count), size - count]
        found: Windows = []
        for start in starts:
            at = self.out.let(f"getelementptr i8, ptr {pointer}, i64 {start}")
            name = self.out.let(f"load <{count} x i8>, ptr {at}, align 1")
            found.append((start, count, self.widened(name, count)))
        return found

    def exact(self, pointer: str, count: int) -> str:
        """A run of bytes as one vector, by loads of powers of two: none reads further."""
        parts: list[tuple[str, int]] = []
        start = 0
        while start < count:
            size = 1 << ((count - start).bit_length() - 1)
            at = self.out.let(f"getelementptr i8, ptr {pointer}, i64 {start}")
            parts.append((self.out.let(f"load <{size} x i8>, ptr {at}, align 1"), size))
            start += size
        name, have = parts[0]
        for more, size in parts[1:]:
            name, have = self.joined(name, have, more, size), have + size
        return name

    def widened(self, name: str, have: int) -> str:
        """A vector in a whole register; the bytes after it are zero."""
        if have == REGISTER:
            return name
        order = [min(k, have) for k in range(REGISTER)]
        return self.out.let(
            f"shufflevector <{have} x i8> {name}, <{have} x i8> zeroinitializer, <{REGISTER} x i32> {indices(order)}"
        )

    def gather(self, windows: Windows, wanted: Sequence[int | None]) -> str:
        """The bytes at some positions in memory (None: zero), as one vector."""
        places = {
            p: next(
                (k, p - start) for k, (start, count, _) in enumerate(windows) if start <= p < start + count
            )
            for p in set(wanted)
            if p is not None
        }
        names = [name for _, _, name in windows]
        pieces: list[tuple[str, int]] = []
        for start in range(0, len(wanted), REGISTER):
            part = [[] if p is None else [places[p]] for p in wanted[start : start + REGISTER]]
            pieces.append((self.assemble(names, part), len(part)))
        return self.row_of(pieces)

    def gather_near(self, windows: Windows, wanted: Sequence[int | None]) -> str:
        """`gather` of no more than `near` bytes, by shuffles within that many bytes.

        A byte of which a shuffle has none is zero, so what several shuffles find is put together by `or`.
        """
        near, found = self.near, dict[tuple[int, int], list[int]]()
        for k, p in enumerate(wanted):
            if p is not None:
                window, start = next(
                    (w, start) for w, (start, count, _) in enumerate(windows) if start <= p < start + count
                )
                piece, place = divmod(p - start, near)
                found.setdefault((window, piece), [near] * len(wanted))[k] = place
        total = ""
        for (window, piece), order in found.items():
            name = self.slice(windows[window][2], REGISTER, piece * near, near)
            both = f"<{near} x i8> {name}, <{near} x i8> zeroinitializer"
            part = self.out.let(f"shufflevector {both}, <{len(wanted)} x i32> {indices(order)}")
            total = self.out.let(f"or <{len(wanted)} x i8> {total}, {part}") if total else part
        return total or "zeroinitializer"

    def row_of(self, pieces: Sequence[tuple[str, int]]) -> str:
        """Vectors one after the other."""
        left = list(pieces)
        while len(left) > 1:
            odd = left[len(left) & ~1 :]
            pairs = list(zip(left[::2], left[1::2], strict=False))
            left = [(self.joined(a, m, b, n), m + n) for (a, m), (b, n) in pairs] + odd
        return left[0][0]

    def joined(self, a: str, m: int, b: str, n: int) -> str:
        """Two vectors one after the other."""
        large = max(m, n)
        left, right = self.resized(a, m, large), self.resized(b, n, large)
        order = [*range(m), *range(large, large + n)]
        return self.out.let(
            f"shufflevector <{large} x i8> {left}, <{large} x i8> {right}, <{m + n} x i32> {indices(order)}"
        )

    def slice(self, name: str, size: int, start: int, count: int) -> str:
        """Some neighboring bytes of a vector."""
        if count == size:
            return name
        order = indices(range(start, start + count))
        both = f"<{size} x i8> {name}, <{size} x i8> poison"
        return self.out.let(f"shufflevector {both}, <{count} x i32> {order}")

    def resized(self, name: str, have: int, size: int) -> str:
        """A vector with any bytes after it."""
        if have == size:
            return name
        order = [k if k < have else -1 for k in range(size)]
        return self.out.let(
            f"shufflevector <{have} x i8> {name}, <{have} x i8> poison, <{size} x i32> {indices(order)}"
        )

    def registers(self, name: str, size: int) -> list[str]:
        """A vector as registers; bytes after its last are zero."""
        if size == REGISTER:
            return [name]
        zero = "zeroinitializer" if size % REGISTER else "poison"
        return [
            self.out.let(
                f"shufflevector <{size} x i8> {name}, <{size} x i8> {zero}, "
                f"<{REGISTER} x i32> {indices([min(k, size) for k in range(start, start + REGISTER)])}"
            )
            for start in range(0, size, REGISTER)
        ]

    def assemble(self, registers: list[str], sources: Sequence[Sequence[tuple[int, int]] | None]) -> str:
        """A vector each of whose bytes is the union of bytes of registers (register, position).

        The union of none is zero; a byte whose sources are None may be any.
        """
        if self.permutes and all(s is None or len(s) <= 1 for s in sources):
            other = next((s[0] for s in sources if s), None)
            return self.brought(registers, [other if s is None else s[0] if s else None for s in sources])
        size = len(sources)
        rest = [list(s or ()) for s in sources]
        total: str | None = None
        while any(rest):
            # The two registers that give most bytes next.
            counts: dict[int, int] = {}
            for s in rest:
                for r in dict.fromkeys([r for r, _ in s]):
                    counts[r] = counts.get(r, 0) + 1
            chosen = sorted(counts, key=lambda r: -counts[r])[:2]
            first, second = chosen[0], chosen[-1]
            order: list[int] = []
            for s in rest:
                taken = next((x for x in s if x[0] in chosen), None)
                if taken is None:
                    order.append(-1)
                    continue
                s.remove(taken)
                order.append(taken[1] + (REGISTER if taken[0] != first else 0))
            whole = f"<{REGISTER} x i8>"
            # A byte that may be any is one of these, and not poison, which would outlast every bit that is set later.
            filled = [max(k, 0) for k in order]
            both = f"{whole} {registers[first]}, {whole} {registers[second]}"
            part = self.out.let(f"shufflevector {both}, <{size} x i32> {indices(filled)}")
            kept = [-1 if k >= 0 or s is None else 0 for k, s in zip(order, sources, strict=True)]
            if 0 in kept:
                part = self.out.let(f"and <{size} x i8> {part}, {bytes_of(kept)}")
            total = part if total is None else self.out.let(f"or <{size} x i8> {total}, {part}")
        return total or "zeroinitializer"

    def brought(self, registers: list[str], sources: Sequence[tuple[int, int] | None]) -> str:
        """`assemble` for at most a byte to each place, by the instruction that brings two registers together."""
        size = len(sources)
        counts: dict[int, int] = {}
        for s in sources:
            if s is not None:
                counts[s[0]] = counts.get(s[0], 0) + 1
        left = sorted(counts, key=lambda r: -counts[r])
        total: str | None = None
        while left:
            chosen, left = left[:2], left[2:]
            first, last = chosen[0], chosen[-1]
            mine = [s is not None and s[0] in chosen for s in sources]
            if total is not None and first == last:
                # What is there already is the other of the two.
                order = [
                    REGISTER + s[1] if s and m else k
                    for k, (s, m) in enumerate(zip(sources, mine, strict=True))
                ]
                total = self.permuted_bytes(total, registers[last], order)
                continue
            order = [
                s[1] + (REGISTER if s[0] != first else 0) if s and s[0] in chosen else 0 for s in sources
            ]
            part = self.permuted_bytes(registers[first], registers[last], order)
            total = part if total is None else self.blended(total, part, mine)
        if total is None:
            return "zeroinitializer"
        if None in sources:
            # A shuffle under a mask, which costs no more.
            kept = ", ".join(["i1 false" if s is None else "i1 true" for s in sources])
            rest = ", i1 false" * (REGISTER - size)
            whole = f"<{REGISTER} x i8>"
            total = self.out.let(
                f"select <{REGISTER} x i1> <{kept}{rest}>, {whole} {total}, {whole} zeroinitializer"
            )
        return self.slice(total, REGISTER, 0, size)

    def permuted_bytes(self, a: str, b: str, order: Sequence[int]) -> str:
        """The bytes of two registers in another order."""
        if list(order) == list(range(REGISTER)):
            return a
        whole, at = f"<{REGISTER} x i8>", self.constant(order)
        if a == b:
            return self.out.let(f"call {whole} @llvm.x86.avx512.permvar.qi.512({whole} {a}, {whole} {at})")
        return self.out.let(
            f"call {whole} @llvm.x86.avx512.vpermi2var.qi.512({whole} {a}, {whole} {at}, {whole} {b})"
        )

    def constant(self, values: Sequence[int]) -> str:
        """A register of constant bytes, which are read from memory.

        For a constant in the instruction, the code generator would search at great length for something shorter.
        """
        key = (*values, *[0] * (REGISTER - len(values)))
        found = self._constants.get(key)
        if found is None:
            name, text = f"@{self._prefix}.order{len(self._constants)}", bytes(key).hex("\\")
            found = f'{name} = private constant [{REGISTER} x i8] c"\\{text}", align {REGISTER}'
            self._constants[key] = found
        name = found.split(" ", 1)[0]
        return self.out.let(f"load <{REGISTER} x i8>, ptr {name}, align {REGISTER}")

    def constant_bytes(self, values: Sequence[int]) -> str:
        """A register of constant bytes, or a part of one, in the instruction or from memory."""
        if not self.permutes:
            return bytes_of(values)
        return self.slice(self.constant(values), REGISTER, 0, len(values))

    def blended(self, a: str, b: str, second: Sequence[bool]) -> str:
        """The bytes of a register, or those of another where `second` says so."""
        words = f"<{REGISTER // 4} x i32>"
        mask = self.constant([255 if s else 0 for s in second])
        which, yes, no = (self.out.let(f"bitcast <{REGISTER} x i8> {x} to {words}") for x in (mask, b, a))
        # Bit by bit: the second operand if the first is set, else the third.
        found = self.out.let(
            f"call {words} @llvm.x86.avx512.pternlog.d.512({words} {which}, {words} {yes}, {words} {no}, i32 202)"
        )
        return self.out.let(f"bitcast {words} {found} to <{REGISTER} x i8>")

    def store_bytes(self, pointer: str, value: str, dirty: Sequence[int]) -> None:
        """Store the dirty bits of some bytes; the others stay."""
        size = len(dirty)
        if 0 in dirty and all(d in (0, 255) for d in dirty):
            mask = "<" + ", ".join(["i1 true" if d else "i1 false" for d in dirty]) + ">"
            where = f"ptr align 1 {pointer}, <{size} x i1> {mask}"
            self.out.emit(f"call void @llvm.masked.store.v{size}i8.p0(<{size} x i8> {value}, {where})")
            return
        for start, count in powers(size):
            at = self.out.let(f"getelementptr i8, ptr {pointer}, i64 {start}")
            part, word = self.slice(value, size, start, count), f"<{count} x i8>"
            mine = dirty[start : start + count]
            if any(d != 255 for d in mine):
                old = self.out.let(f"load {word}, ptr {at}, align 1")
                kept = self.out.let(f"and {word} {old}, {bytes_of([~d & 255 for d in mine])}")
                part = self.out.let(f"or {word} {kept}, {part}")
            self.out.emit(f"store {word} {part}, ptr {at}, align 1")


def powers(size: int) -> list[tuple[int, int]]:
    """A run of bytes as runs of powers of two, the largest first: (start, count) of each.

    >>> powers(12)
    [(0, 8), (8, 4)]
    """
    found: list[tuple[int, int]] = []
    start = 0
    while start < size:
        count = 1 << ((size - start).bit_length() - 1)
        found.append((start, count))
        start += count
    return found
