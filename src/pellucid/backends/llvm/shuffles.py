"""Constant byte shuffles as LLVM text: bytes of memory into lanes, and bytes of lanes into memory.

Under `streams`. Everything is in registers of 64 bytes, two of which one shuffle reads; wider machines and narrower
ones split or join them by themselves.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from .values import Values

REGISTER = 64
"""How many bytes a register has."""
Windows = list[tuple[int, int, str]]
"""Runs of bytes of memory that are in registers: where each begins, how many bytes, and its name."""


def _bytes(values: Sequence[int]) -> str:
    return "<" + ", ".join(f"i8 {v}" for v in values) + ">"


def _indices(values: Sequence[int]) -> str:
    return "<" + ", ".join("i32 poison" if v < 0 else f"i32 {v}" for v in values) + ">"


class Shuffles(Values, ABC):
    """Gathers and assembles bytes."""

    def windows(self, pointer: str, size: int) -> Windows:
        """So many bytes from memory and no more: registers, the last of which overlaps the one before."""
        if size < REGISTER and size.bit_count() <= 2:
            # Two pieces put together cost less than shuffles of two registers.
            return [(0, size, self.widened(self.exact(pointer, size), size))]
        count = min(REGISTER, 1 << (size.bit_length() - 1))
        starts = [*range(0, size - count, count), size - count]
        found: Windows = []
        for start in starts:
            at = self.let(f"getelementptr i8, ptr {pointer}, i64 {start}")
            name = self.let(f"load <{count} x i8>, ptr {at}, align 1")
            found.append((start, count, self.widened(name, count)))
        return found

    def exact(self, pointer: str, count: int) -> str:
        """So many bytes, by loads of powers of two: none reads further."""
        parts: list[tuple[str, int]] = []
        start = 0
        while start < count:
            size = 1 << ((count - start).bit_length() - 1)
            at = self.let(f"getelementptr i8, ptr {pointer}, i64 {start}")
            parts.append((self.let(f"load <{size} x i8>, ptr {at}, align 1"), size))
            start += size
        name, have = parts[0]
        for more, size in parts[1:]:
            name, have = self.joined(name, have, more, size), have + size
        return name

    def joined(self, a: str, m: int, b: str, n: int) -> str:
        """Two vectors one after the other."""
        large = max(m, n)
        left, right = self.resized(a, m, large), self.resized(b, n, large)
        order = [*range(m), *range(large, large + n)]
        return self.let(
            f"shufflevector <{large} x i8> {left}, <{large} x i8> {right}, <{m + n} x i32> {_indices(order)}"
        )

    def resized(self, name: str, have: int, size: int) -> str:
        """A vector with more bytes after it, whatever they are."""
        if have == size:
            return name
        order = [k if k < have else -1 for k in range(size)]
        return self.let(
            f"shufflevector <{have} x i8> {name}, <{have} x i8> poison, <{size} x i32> {_indices(order)}"
        )

    def widened(self, name: str, have: int) -> str:
        """A vector in a whole register; the bytes after it are zero."""
        if have == REGISTER:
            return name
        order = [min(k, have) for k in range(REGISTER)]
        return self.let(
            f"shufflevector <{have} x i8> {name}, <{have} x i8> zeroinitializer, <{REGISTER} x i32> {_indices(order)}"
        )

    def registers(self, name: str, size: int) -> list[str]:
        """A long vector as registers."""
        if size <= REGISTER:
            return [self.widened(name, size)]
        found: list[str] = []
        for start in range(0, size, REGISTER):
            order = _indices(range(start, start + REGISTER))
            found.append(
                self.let(
                    f"shufflevector <{size} x i8> {name}, <{size} x i8> poison, <{REGISTER} x i32> {order}"
                )
            )
        return found

    def gather(self, windows: Windows, wanted: Sequence[int]) -> str:
        """The bytes at some positions in memory, as one vector."""
        places = {
            p: next(
                (k, p - start) for k, (start, count, _) in enumerate(windows) if start <= p < start + count
            )
            for p in set(wanted)
        }
        names = [name for _, _, name in windows]
        pieces: list[tuple[str, int]] = []
        for start in range(0, len(wanted), REGISTER):
            part = [[places[p]] for p in wanted[start : start + REGISTER]]
            pieces.append((self.assemble(names, part), len(part)))
        while len(pieces) > 1:
            pairs = zip(pieces[::2], pieces[1::2], strict=True)
            pieces = [(self.joined(a, m, b, n), m + n) for (a, m), (b, n) in pairs]
        return pieces[0][0]

    def assemble(self, registers: list[str], sources: Sequence[Sequence[tuple[int, int]]]) -> str:
        """A vector each of whose bytes is the union of bytes of registers (register, position), or zero."""
        size = len(sources)
        rest = [list(s) for s in sources]
        total: str | None = None
        while any(rest):
            # The two registers that give most bytes next.
            counts: dict[int, int] = {}
            for s in rest:
                for r in dict.fromkeys(r for r, _ in s):
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
            filled = [max(k, 0) for k in order]
            both = f"{whole} {registers[first]}, {whole} {registers[second]}"
            part = self.let(f"shufflevector {both}, <{size} x i32> {_indices(filled)}")
            if -1 in order:
                part = self.let(f"and <{size} x i8> {part}, {_bytes([0 if k < 0 else -1 for k in order])}")
            total = part if total is None else self.let(f"or <{size} x i8> {total}, {part}")
        return total or "zeroinitializer"

    def store_bytes(self, pointer: str, value: str, dirty: Sequence[int]) -> None:
        """Store the dirty bits of some bytes; the others stay."""
        size = len(dirty)
        if any(d not in (0, 255) for d in dirty):
            old = self.exact(pointer, size)
            kept = self.let(f"and <{size} x i8> {old}, {_bytes([~d & 255 for d in dirty])}")
            value = self.let(f"or <{size} x i8> {kept}, {value}")
        elif 0 in dirty:
            mask = "<" + ", ".join("i1 true" if d else "i1 false" for d in dirty) + ">"
            where = f"ptr align 1 {pointer}, <{size} x i1> {mask}"
            self.emit(f"call void @llvm.masked.store.v{size}i8.p0(<{size} x i8> {value}, {where})")
            return
        start = 0
        while start < size:
            count = 1 << ((size - start).bit_length() - 1)
            order = _indices(range(start, start + count))
            part = value
            if count < size:
                part = self.let(
                    f"shufflevector <{size} x i8> {value}, <{size} x i8> poison, <{count} x i32> {order}"
                )
            at = self.let(f"getelementptr i8, ptr {pointer}, i64 {start}")
            self.emit(f"store <{count} x i8> {part}, ptr {at}, align 1")
            start += count
