"""Deferred tile fills: a task records its tiles of one word, and writes them row by row at its end.

A square of 16 by 16 pixels lies in 16 pages of memory, 64 bytes in each: writing such squares one by one takes three
times as long as writing longer rows. So a task has a word and a bit for each of its tiles of a leaf's size.
"""

from __future__ import annotations

from ...jit.assembly import POINTER, Assembly, Function, Value
from ..abi import FILL_BITS, FILL_WORDS, LEAF, STEP, FrameWord, FrameWriter
from ..sizes import LANES
from .rows import StoreMode, store_row, store_rows

SIDE = 16
"""Tiles in a row of the largest task."""
FOUR = 1 << STEP
"""Tiles in a row of a square of leaves."""


def defer_fills(
    f: Function, space: Value, which: Value, x: Value, y: Value, shift: Value, values: Value
) -> None:
    """Record the words of some children of a square, which are leaves or squares of leaves."""
    column, row = ((start >> LEAF) & (SIDE - 1) for start in (x, y))

    def note(words: Value, bits: Value, column: Value, row: Value) -> None:
        f.store(words, space + (((row << 4) + column) << 2), FILL_WORDS, align=4)
        at = space + (row << 1)
        f.store(f.load("i16", at, FILL_BITS) | (bits << column).to("i16"), at, FILL_BITS)

    with f.when(shift.same(LEAF)):
        for k in range(FOUR):
            lanes = ", ".join(f"i32 {FOUR * k + n}" for n in range(FOUR))
            part = f"shufflevector {values.type} {values.name}, {values.type} poison, <4 x i32> <{lanes}>"
            bits = (which.to("i64") >> (FOUR * k)) & (SIDE - 1)
            note(f.let(part, "<4 x i32>"), bits, column, row + k)
    with f.when(shift > LEAF):
        found = f.block(4 * LANES)
        f.store(values, found, align=64)
        with f.bits(which.to("i64")) as child:
            words = f.splat(f.load("i32", found + (child << 2)), FOUR)
            right, down = column + ((child & 3) << STEP), row + ((child >> 2) << STEP)
            for k in range(FOUR):
                note(words, f.number(SIDE - 1), right, down + k)


def write_fills(asm: Assembly, half: int) -> None:
    """Write the recorded fills of the task at (x, y), and clear them."""
    with asm.function("fills", frame=POINTER, space=POINTER, x="i64", y="i64") as f:
        w = FrameWriter(f, half)
        wide, high = w.word(FrameWord.WIDTH), w.word(FrameWord.HEIGHT)
        left, top = ((start & -(SIDE << LEAF)) for start in (f.x, f.y))
        out = w.word(FrameWord.OUT, POINTER)
        # A square of leaves may extend past the frame.
        inside = (f.number(1) << ((wide - left + (LANES - 1)) >> LEAF).least(SIDE)) - 1
        with f.count(SIDE) as row:
            at = f.space + (row << 1)
            bits = f.load("i16", at, FILL_BITS).to("i64") & inside
            with f.when(bits.differs(0)):
                first = top + (row << LEAF)
                rows = (high - first).least(f.number(1 << LEAF))
                place = out + ((first * wide + left) << 2)
                words = f.space + (row << 6)

                def write(mode: StoreMode) -> None:
                    with f.count(rows) as k:
                        line = place + ((k * wide) << 2)
                        with f.bits(bits) as tile:
                            value = f.splat(f.load("i32", words + (tile << 2), FILL_WORDS), LANES)
                            rest = wide - left - (tile << LEAF)
                            store_row(f, value, line + (tile << 6), rest, mode)

                store_rows(f, w, write)
            f.store(f.number(0, "i16"), at, FILL_BITS)
