"""A mosaic's samples line by line in scratch memory: unpacked once, and mirrored past both ends of a line.

Colors are made of neighbors; here these are whole words beside each other, whatever the layout. Samples of even columns
stand by themselves, and so do those of odd ones, so that every other sample of a line is a run. Between `access`, which
reads the layout, and `nests`, which puts the nest together; see decision 24.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..ir import nest as N
from ..ir import types as T
from ..ir.expr import Buffer, Expr, apply, const, index
from ..pixels.layout import Layout
from ..reasoning.linear import folded
from .access import PlaneMemory, in_block, parted, plus, read, times
from .scratch import Scratch

LINE, GROUP = index("line"), index("group")
WORD = T.u16
PIECE = 32
"""Words of a register. Lines begin after as many, so that the samples of a block are read as a whole register."""
MAX_BYTES = 64 << 10
"""Maximum bytes of the lines of a block: a part of the cache of a core."""


def lined(layout: Layout, width: int, tall: int) -> bool:
    """Whether the lines of a block of so many rows are kept: for whole numbers of a word, in few bytes.

    >>> lined(Layout("M:12"), 1920, 2), lined(Layout("M:12"), 100_000, 2), lined(Layout("Y:12"), 1920, 2)
    (True, False, False)
    """
    if layout.model != "mosaic" or layout["M"].kind != "u" or layout["M"].bits > WORD.bits:
        return False
    return _size(width, tall) * WORD.bits // 8 <= MAX_BYTES


def _half(width: int) -> int:
    """The samples of one parity in a line, with those past its ends: an odd number of pieces.

    With an even number, equal places of lines would fall into few sets of the cache.
    """
    return PIECE * (-(-((width + 1) // 2 + PIECE + 1) // PIECE) | 1)


def _size(width: int, tall: int) -> int:
    return 2 * _half(width) * (tall + 2)


class Lines:
    """The lines of blocks of `tall` rows, each with one line before and one after."""

    def __init__(
        self, layout: Layout, memories: Sequence[PlaneMemory], size: tuple[int, int], tall: int
    ) -> None:
        self.layout, self.channel, self.tall = layout, layout["M"], tall
        self.memory = memories[self.channel.plane]
        self.width, self.height = size
        self.words = Scratch("lines", WORD, _size(self.width, tall), self.height // tall)

    def arrays(self, block: Expr) -> list[Buffer]:
        """The array of a block of rows."""
        return [self.words.of(block)]

    def fill(self, block: Expr, tall: int) -> N.Block:
        """The lines of a block of rows, of which `tall` are in the picture, are unpacked."""
        row = self._mirrored(plus(folded("add", times(block, self.tall), LINE), -1))
        pixels = math.lcm(2, self.layout.planes[self.channel.plane].pixels)
        whole, rest = divmod(self.width, pixels)
        zero = const(0, T.i32)
        found: N.Block = ()
        if whole:
            group = self._unpacked(block, times(GROUP, pixels), row, pixels)
            found += (N.For(GROUP, zero, const(whole, T.i32), group),)
        found += self._unpacked(block, const(whole * pixels, T.i32), row, rest)
        # Mirrored at the pixel at the edge, so that the color of a place stays.
        for outside, inside in ((-1, min(1, self.width - 1)), (self.width, max(0, self.width - 2))):
            found += (
                self.words.store(
                    block,
                    self._place(LINE, const(outside, T.i32)),
                    self._word(block, LINE, const(inside, T.i32)),
                ),
            )
        return (N.For(LINE, zero, const(tall + 2, T.i32), found),)

    def near(self, column: Expr, row: Expr, across: int, down: int) -> Expr:
        """The bits of the sample that so many columns and rows away from a pixel of a block, as a number of 32 bits."""
        block, line = self._line(row, down)
        word = apply("convert", self._word(block, line, plus(column, across)), attr=T.u32)
        if self.channel.bits == WORD.bits:
            return word
        # Which tells what is in memory.
        return apply("and", word, const((1 << self.channel.bits) - 1, T.u32))

    def _line(self, row: Expr, down: int) -> tuple[Expr, Expr]:
        """The block of a row, and the line of it, or of one near to it."""
        block, within = in_block(row, self.tall)
        return block, const(within + down + 1, T.i32)

    def _unpacked(self, block: Expr, first: Expr, row: Expr, count: int) -> N.Block:
        """The stores of so many samples from a column on."""
        found: list[N.Store] = []
        for k in range(count):
            column = plus(first, k)
            bits = read(self.layout, self.channel, self.memory, column, row)
            found.append(
                self.words.store(block, self._place(LINE, column), apply("convert", bits, attr=WORD))
            )
        return tuple(found)

    def _word(self, block: Expr, line: Expr, column: Expr) -> Expr:
        return self.words.load(block, self._place(line, column))

    def _place(self, line: Expr, column: Expr) -> Expr:
        """The place of a sample in the lines; columns begin one before the first."""
        found = parted(column, 2)
        assert found is not None  # noqa: S101 - blocks are of whole groups of a mosaic
        group, odd = found
        half = _half(self.width)
        known = line.attr if line.op == "const" else 0
        place = plus(group, PIECE + odd * half + known * 2 * half)
        return place if line.op == "const" else folded("add", times(line, 2 * half), place)

    def _mirrored(self, row: Expr) -> Expr:
        """A row that may be the one before the first, or after the last."""
        if self.height == 1:
            return const(0, T.i32)
        last = const(self.height - 1, T.i32)
        return folded("sub", last, apply("abs", folded("sub", last, apply("abs", row))))
