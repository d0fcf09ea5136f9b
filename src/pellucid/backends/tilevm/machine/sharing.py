"""Tape deduplication: which children of a square want the same tape, so that it is made once.

Two children are alike if they want the same instructions, if the same ones are pinned and copied, and if what is
pinned has the same value: an edge that goes through several leaves often leaves all of them the same.
"""

from __future__ import annotations

from ..abi import INPUTS, TRUTH, Record, Space, Word, Writer
from ..assembly import POINTER, Assembly, Function, Value
from ..sizes import LANES
from ..tape.simplify import COPIES, listed

FIELDS = COPIES | 1
"""In a word of choices, the bits of the first child."""


def alike(asm: Assembly, half: int) -> None:
    """Of some children, given as a mask, those whose tape is that of another one, which was the last to be emitted."""
    words = f"<{LANES} x i64>"
    asm.declare(f"i64 @llvm.vector.reduce.or.v{LANES}i64({words})")
    with asm.function(
        "alike", "i64", frame=POINTER, space=POINTER, old=POINTER, lane="i64", among="i64"
    ) as f:
        w = Writer(f, half)
        tape, length = f.load(POINTER, f.old, 8 * Record.TAPE), f.load("i64", f.old, 8 * Record.LENGTH)
        live, choice = w.place(f.space, Word.LIVE) + 2 * INPUTS, w.place(f.space, Word.CHOICE)
        lane = f.splat(f.lane, LANES)
        chosen = f.variable(words, f.number(0, words))
        with f.count(length, step=LANES) as i:
            # All want the root, so where they want something else, something before it was chosen differently.
            told = f.load(f"<{LANES} x i16>", live + (i << 1), align=2).to(words)
            told = told | (told << 16)
            told = told | (told << 32)
            found = f.load(words, choice + (i << 3), align=8)
            first = (found >> lane) & FIELDS
            chosen.set(chosen() | ((found ^ ((first << 16) - first)) & told))
        fields = f.call(f"llvm.vector.reduce.or.v{LANES}i64", chosen(), result="i64")
        fields = fields | (fields >> 32)
        differing = f.variable("i16", (fields | (fields >> 16)).to("i16"))
        base, type_ = w.place(f.space, Word.BASE), f"i{8 * half // LANES}"
        with f.when((f.among & ~differing().to("i64")).same(0)):
            f.give(f.number(0))
        with listed(f, w.place(f.space, Word.PINS)) as i:
            box = w.entry(base, i + INPUTS)
            truth = (f.load("i16", tape + (i << 4), 2) & TRUTH).differs(0)
            with f.when(truth):
                bits = f.load("i16", box)
                own = f.number(0, "i16") - ((bits >> f.lane.to("i16")) & 1)
                differing.set(differing() | (bits ^ own))
            with f.when(truth ^ 1):
                values = f.load(f"<{LANES} x {type_}>", box, align=half)
                one = f.splat(f.load(type_, box + f.lane * (half // LANES)), LANES)
                differing.set(differing() | values.differs(one).read_as("i16"))
        f.give(f.among & ~differing().to("i64"))


def with_count(f: Function, space: Value, count: Value) -> Value:
    """The children that want so many instructions, as a mask."""
    counts = f.load(f"<{LANES} x i32>", space, 8 * Space.COUNTS, align=4)
    return counts.same(f.splat(count, LANES)).read_as("i16").to("i64")
