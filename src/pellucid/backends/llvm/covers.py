"""Bytes of a block of packed samples, fetched into registers, as LLVM text: few loads, and one shuffle where it can be.

Between `shuffles` and `fields`. Loads at any address cost the same, so that each register is loaded from where its
first byte is, and kept for all samples of the block.
"""

from __future__ import annotations

from abc import ABC
from bisect import bisect_left
from collections.abc import Sequence

from .shuffles import Shuffles, indices


class Covers(Shuffles, ABC):
    """Fetches bytes."""

    filled: dict[int, list[tuple[int, str]]]
    """By buffer, the registers that are loaded: from which byte of the block, and its name."""
    ends: dict[int, int]
    """By buffer, how many bytes from the beginning of a block are read."""
    pointers: dict[int, str]
    """By buffer, where a block begins."""

    def register(self, buffer: int, start: int) -> str:
        """A register of the bytes of a buffer from one on."""
        found = next((name for at, name in self.filled[buffer] if at == start), None)
        if found is None:
            where = self.let(f"getelementptr i8, ptr {self.pointers[buffer]}, i64 {start}")
            found = self.let(f"load <{self.target.reach} x i8>, ptr {where}, align 1")
            self.filled[buffer].append((start, found))
            self.ends[buffer] = max(self.ends[buffer], start + self.target.reach)
        return found

    def fetched(self, buffer: int, wanted: Sequence[int], span: tuple[int, int]) -> str:
        """The bytes at some positions of a block of a buffer, as one vector; `span` is what samples reach over."""
        reach = self.target.reach
        pieces = [wanted[k : k + reach] for k in range(0, len(wanted), reach)]
        covers = [self.cover(buffer, piece, span) for piece in pieces]
        if reach < self.target.width and all(len(c) == 1 for c in covers) and len(wanted) % reach == 0:
            # Registers side by side first: then one shuffle within each moves all.
            names = [(self.register(buffer, starts[0]), reach) for starts in covers]
            order = [k * reach + p - covers[k][0] for k, piece in enumerate(pieces) for p in piece]
            whole = f"<{len(wanted)} x i8>"
            both = f"{whole} {self.row_of(names)}, {whole} poison"
            return self.let(f"shufflevector {both}, <{len(order)} x i32> {indices(order)}")
        found: list[tuple[str, int]] = []
        for piece, starts in zip(pieces, covers, strict=True):
            names = [self.register(buffer, start) for start in starts]
            sources = [[next((k, p - s) for k, s in enumerate(starts) if s <= p < s + reach)] for p in piece]
            found.append((self.assemble(names, sources), len(piece)))
        return self.row_of(found)

    def cover(self, buffer: int, piece: Sequence[int], span: tuple[int, int]) -> list[int]:
        """Where registers begin that have all these bytes, as few as possible; those that are loaded are preferred."""
        reach = self.target.reach
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
