"""Load covers, as LLVM text: the bytes of a block of packed samples by few loads, and one shuffle where it can be.

Above `shuffles`. Loads at any address cost the same: each register is loaded from its first byte on, and kept for all
samples of the block.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from .shuffles import Shuffles, indices


class Covers:
    """Loads bytes of a block."""

    def __init__(self, shuffles: Shuffles) -> None:
        self.out, self.shuffles = shuffles.out, shuffles
        self.pointers: Mapping[int, str] = {}
        """By buffer, the address where the block begins."""
        self.ends: dict[int, int] = {}
        """By buffer, the bytes from the beginning of the block that are read."""
        self.filled: dict[int, list[tuple[int, str]]] = {}
        """By buffer, the registers that are loaded: the first byte of each in the block, and its name."""

    def begin(self, pointers: Mapping[int, str]) -> None:
        """Begin a block, of which nothing is loaded."""
        self.pointers = pointers
        self.ends = dict.fromkeys(pointers, 0)
        self.filled = {k: [] for k in pointers}

    def pointer(self, buffer: int, start: int) -> str:
        """The address of a byte of the block."""
        return self.out.let(f"getelementptr i8, ptr {self.pointers[buffer]}, i64 {start}")

    def reaches(self, buffer: int, end: int) -> None:
        """Note that the block is read up to a byte."""
        self.ends[buffer] = max(self.ends[buffer], end)

    def register(self, buffer: int, start: int) -> str:
        """A register of the bytes of a buffer from one on."""
        found = next((name for at, name in self.filled[buffer] if at == start), None)
        if found is None:
            where = self.pointer(buffer, start)
            found = self.out.let(f"load <{self.shuffles.target.reach} x i8>, ptr {where}, align 1")
            self.filled[buffer].append((start, found))
            self.reaches(buffer, start + self.shuffles.target.reach)
        return found

    def fetched(self, buffer: int, wanted: Sequence[int], span: tuple[int, int]) -> str:
        """The bytes at some positions of a block, as one vector; `span` are the bytes that samples reach over."""
        reach = self.shuffles.target.reach
        pieces = [wanted[k : k + reach] for k in range(0, len(wanted), reach)]
        covers = [self.cover(buffer, piece, span) for piece in pieces]
        if (
            reach < self.shuffles.target.width
            and all(len(c) == 1 for c in covers)
            and len(wanted) % reach == 0
        ):
            # Registers side by side first: then one shuffle within each moves all.
            names = [(self.register(buffer, starts[0]), reach) for starts in covers]
            order = [k * reach + p - covers[k][0] for k, piece in enumerate(pieces) for p in piece]
            whole = f"<{len(wanted)} x i8>"
            both = f"{whole} {self.shuffles.row_of(names)}, {whole} poison"
            return self.out.let(f"shufflevector {both}, <{len(order)} x i32> {indices(order)}")
        found: list[tuple[str, int]] = []
        for piece, starts in zip(pieces, covers, strict=True):
            names = [self.register(buffer, start) for start in starts]
            sources = [[next((k, p - s) for k, s in enumerate(starts) if s <= p < s + reach)] for p in piece]
            found.append((self.shuffles.assemble(names, sources), len(piece)))
        return self.shuffles.row_of(found)

    def cover(self, buffer: int, piece: Sequence[int], span: tuple[int, int]) -> list[int]:
        """The first bytes of registers that have all these bytes, as few as possible; loaded ones are preferred."""
        reach = self.shuffles.target.reach
        left: list[int] = sorted(set(piece))
        starts: list[int] = []
        while left:
            loaded = [at for at, _ in self.filled[buffer] if at <= left[0] < at + reach]
            # A register that would reach beyond the samples begins sooner.
            first = max(min(left[0], span[1] - reach), min(span[0], left[0]))
            best = max([*loaded, first], key=lambda at: bisect_left(left, at + reach))
            starts.append(best)
            del left[: bisect_left(left, best + reach)]
        return starts
