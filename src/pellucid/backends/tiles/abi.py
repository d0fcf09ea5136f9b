"""The frame ABI: the layout of the tile machine's memory, for its native code and for the Python that fills it in.

References of a tape are numbers: those below zero are entries of the pool (constants, uniforms, and results whose
interval is a point), the first few are inputs (column and row), and the rest are its instructions in order.
"""

from __future__ import annotations

from enum import IntEnum

from ..jit.assembly import POINTER, Function, Value
from .sizes import LANES

INPUTS = 4
"""References of the inputs: column, row, and two that are spare."""
BESIDE, UNUSED = 2, 3
"""Spare inputs: the place of the second of two results (see `tape.sincos`), and the reference of an absent operand."""
TRUTH_TABLE = (0xAAAA, 0xCCCC, 0xF0F0)
"""Words of 16 truths: the columns of a truth table of three inputs, one row to a lane."""
MAX_OWN_SLOTS = 48
"""Maximum instructions of a leaf's tape in which each has a slot of its own: more slots leave the first-level cache."""
LEAF = 4
"""The logarithm of a leaf's side."""
MIN_SHARING_LEAVES = 4
"""Minimum leaves of a square that share invariant vectors, which are then as long as the square's side."""
STEP = 2
"""The logarithm of the ratio of a square's side to its children's."""
ROOTS = 3
"""Values that the first `keep` instruction keeps; each later one keeps one less and takes the one before it."""
TRACED = 16
"""Bytes of a traced tile: column, row, side, and the length of its tape, which is 0 if it was filled."""
MAX_VALUES = 8
"""Maximum values of a sample."""
MAX_LISTED = 64
"""Maximum pixels of a list whose means are computed together."""
INSTRUCTION = 16
"""Bytes of an instruction: opcode, flags (or in a leaf's tape the slot of the result), and three operands."""
OBSERVED = {4: 1, 8: 2}
"""Flags: the sign of a zero of this float, of 4 or 8 bytes, is observed."""
NOT_FORWARDED = 4
"""Flag: the instruction is not replaced by an operand."""
TRUTH = 8
"""Flag: the result is a truth."""
TABULATED = 64
"""Flag: the result depends on truths only, so that a truth table holds it."""
INVARIANT, BY_ROW = 16, 32
"""Flags: the result is the same in all rows or in all columns, so that one vector holds it; in all columns."""
MAX_STREAK, RETRY_PERIOD = 2, 8
"""After 2 squares in a row in which intervals decide next to nothing, only every 8th is evaluated on intervals."""
NOWHERE = -(1 << 31)
"""The place of a result without a slot."""
CHILD_THRESHOLD, LEAF_THRESHOLD = 85, 70
"""Percentages of the present tape that a child's own tape stays below: of a square, and of a leaf."""


FrameWord = IntEnum(
    "FrameWord",
    "OUT WIDTH HEIGHT BATCH_KERNELS INTERVAL_KERNELS TOP BAND POOL POOLED STAMP SHIFT ACROSS NODES ORDER "
    "FIRST_NODE WORKSPACES WORKSPACE_BYTES WORKSPACE_COUNT BASE LIVE CHOICE_TRACE MAP PLACES BATCHED LIST "
    "POINTS FORWARDS ARENA ARENA_BYTES MAX_POOL SLOTS_AT MAX_SLOTS INVARIANTS_AT SPLAT COLUMNS ROWS "
    "ROWS_TRUTH FAILED STREAMED TRACE SIDE SAMPLES AT_ONCE SMALLEST SLACK WANTED KEPT SUM FINISH BOUNDS "
    "PIXEL_MEANS MODEL_KERNELS MODELS MAX_MODELS",
    start=0,
)
"""The words of a frame, as `machine.running` fills them in.

TOP and BAND   records of the whole tape: as tiles run it, and as bands do, without invariant vectors.
STREAMED       whether the frame is written past the caches.
TRACE          in traced frames: a word that counts tiles, a spare word, and `TRACED` bytes for each tile.
SIDE and on    in frames with many samples to a pixel.
"""


WorkspaceWord = IntEnum(
    "WorkspaceWord",
    "BUSY STAMP POOLED ARENA PENDING LEAVES LEAF_STEPS SQUARES INTERVAL_STEPS FILLED SAMPLED STREAK "
    "STREAK_4 STREAK_2 STREAK_1 SHARED COUNTS",
    start=0,
)
"""The words at the beginning of a workspace.

STREAK_4, _2, _1  squares in a row for which Taylor models decide nothing: of 4 by 4 pixels, 2 by 2, single pixels.
SHARED            whether the leaves of a square share invariant vectors (1) and a truth table (2), computed already.
"""


TapeRecord = IntEnum(
    "TapeRecord",
    "TAPE LENGTH ROOT INVARIANTS TABULATED LEAF_TAPE LEAF_BATCHES LEAF_ROOT LEAF_INPUTS LEAF_TRUTHS",
    start=0,
)
"""The words of a tape's record: the tape, in which invariants are first and tabulated results last, and its form.

The leaf form is made when a leaf first needs it, and `LEAF_ROOT` is negative before. It consists of the invariants,
the broadcasts that make batches of them, and the rest. `LEAF_INPUTS` says which inputs are needed as batches.
`LEAF_TRUTHS` is a mask of the truths that index the truth table, or 0 if there is none.
"""


RECORD = 8 * len(TapeRecord)
FILL_WORDS = 8 * WorkspaceWord.COUNTS + 4 * LANES
"""Offsets in a workspace of a task's deferred fills: their words, and below, a bit for each that is there."""
FILL_BITS = FILL_WORDS + 4 * LANES * LANES
HEADER = FILL_BITS + 2 * LANES


class FrameWriter:
    """Shorthand for one function on a frame and a workspace."""

    def __init__(self, f: Function, half: int, *, traced: bool = False) -> None:
        self.f, self.half, self.traced = f, half, traced
        self.unit = (2 * half).bit_length() - 1

    def word(self, which: FrameWord, type_: str = "i64") -> Value:
        """A word of the frame."""
        return self.f.load(type_, self.f.frame, 8 * which)

    def place(self, space: Value, which: FrameWord) -> Value:
        """The address of a part of a workspace, whose offset is a word of the frame."""
        return space + self.word(which)

    def tape(self, record: Value) -> tuple[Value, Value, Value]:
        """The address of a record's tape, its length, and the reference of its root."""
        length, root = (self.f.load("i64", record, 8 * x) for x in (TapeRecord.LENGTH, TapeRecord.ROOT))
        return self.f.load(POINTER, record, 8 * TapeRecord.TAPE), length, root

    def operands(self, tape: Value, index: Value) -> tuple[Value, ...]:
        """The address of an instruction, and the references of its three operands."""
        at = tape + (index << 4)
        return at, *(self.f.load("i32", at, k).signed("i64") for k in (4, 8, 12))

    def entry(self, base: Value, reference: Value) -> Value:
        """The address of a reference's interval."""
        return base + (reference << self.unit)

    def add(self, space: Value, which: WorkspaceWord, more: Value | int) -> None:
        """Add to a counter of a workspace."""
        self.f.store(self.f.load("i64", space, 8 * which) + more, space, 8 * which)

    def trace(self, x: Value, y: Value, side: Value, length: Value) -> None:
        """Record a tile, if the machine traces them."""
        if not self.traced:
            return
        place = self.word(FrameWord.TRACE, POINTER)
        number = self.f.let(f"atomicrmw add ptr {place.name}, i64 1 monotonic", "i64")
        for k, what in enumerate((x, y, side, length)):
            self.f.store(what.to("i32"), place + ((number + 1) << 4), 4 * k)
