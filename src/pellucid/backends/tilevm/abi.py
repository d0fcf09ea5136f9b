"""The frame ABI: how the memory of the tile machine is laid out, for the machine and for those who fill it in.

References of a tape are numbers: those below zero are entries of the pool (constants, uniforms, and what boxes
pinned), the first few are inputs (column and row), and the rest are its instructions in order.
"""

from __future__ import annotations

from enum import IntEnum, auto

from ..jit.assembly import POINTER, Function, Value
from .sizes import LANES

INPUTS = 4
"""References of the inputs: column, row, and two that are spare."""
BESIDE, UNUSED = 2, 3
"""Inputs that hardly anybody has: where the second of two results waits, and what stands for no operand at all."""
TRUTH_TABLE = (0xAAAA, 0xCCCC, 0xF0F0)
"""Truths in every lane of a vector, so that there are all cases of so many."""
MAX_OWN_SLOTS = 48
"""The most instructions of a tape each of which has a slot of its own in leaves: more would leave the near caches."""
LEAF = 4
"""The logarithm of a leaf's side."""
MIN_SHARING_LEAVES = 4
"""So many leaves of a square at least share their lines, which are then as long as its side."""
STEP = 2
"""The logarithm of how much smaller a child is than its square."""
ROOTS = 3
"""How many values the first instruction that keeps some keeps; each one behind it keeps one less."""
TRACED = 16
"""Bytes of a traced tile: column, row, side, and the length of its tape, which is 0 if it was filled."""
MAX_VALUES = 8
"""How many values a sample may have."""
MAX_LISTED = 64
"""How many pixels a list may hold, of which the means are worked out together."""
INSTRUCTION = 16
"""Bytes of an instruction: opcode, flags (or in a leaf's tape the slot of the result), and three operands."""
OBSERVED = {4: 1, 8: 2}
"""Flags: somebody looks at the sign of this float of so many bytes, should it be zero."""
UNCOPIED = 4
"""Flag: it must not be replaced by an operand."""
TRUTH = 8
"""Flag: the result is a truth."""
TABULATED = 64
"""Flag: the result changes with truths only."""
INVARIANT, BY_ROW = 16, 32
"""Flags: one vector holds the result, which is the same in all rows or in all columns; in all columns."""
MAX_STREAK, RETRY_PERIOD = 2, 8
"""After so many squares in which next to nothing was decided, only every so many are asked."""
NOWHERE = -(1 << 31)
"""The place of what is in no slot."""
CHILD_THRESHOLD, LEAF_THRESHOLD = 85, 70
"""So many hundredths of the present tape a child's own must be shorter than: of a square, and of a leaf."""


class FrameWord(IntEnum):
    """The words of a frame, as `machine.running` fills them in."""

    OUT = 0
    WIDTH = auto()
    HEIGHT = auto()
    BATCH_KERNELS = auto()
    INTERVAL_KERNELS = auto()
    # Records of the whole tape: as tiles run it, and as bands do, without lines.
    TOP = auto()
    BAND = auto()
    POOL = auto()
    POOLED = auto()
    STAMP = auto()
    SHIFT = auto()
    ACROSS = auto()
    NODES = auto()
    ORDER = auto()
    FIRST_NODE = auto()
    WORKSPACES = auto()
    WORKSPACE_BYTES = auto()
    WORKSPACE_COUNT = auto()
    BASE = auto()
    LIVE = auto()
    CHOICE_TRACE = auto()
    MAP = auto()
    PLACES = auto()
    BATCHED = auto()
    LIST = auto()
    POINTS = auto()
    FORWARDS = auto()
    ARENA = auto()
    ARENA_BYTES = auto()
    MAX_POOL = auto()
    SLOTS_AT = auto()
    MAX_SLOTS = auto()
    INVARIANTS_AT = auto()
    SPLAT = auto()
    COLUMNS = auto()
    ROWS = auto()
    ROWS_TRUTH = auto()
    FAILED = auto()
    # Whether the frame is written past the caches.
    STREAMED = auto()
    # Of traced frames: a word that counts tiles, another word, and `TRACED` bytes for each tile.
    TRACE = auto()
    # Of frames with many samples to a pixel:
    SIDE = auto()
    SAMPLES = auto()
    AT_ONCE = auto()
    SMALLEST = auto()
    SLACK = auto()
    WANTED = auto()
    KEPT = auto()
    SUM = auto()
    FINISH = auto()
    BOUNDS = auto()
    PIXEL_MEANS = auto()
    MODEL_KERNELS = auto()
    MODELS = auto()
    MAX_MODELS = auto()


class WorkspaceWord(IntEnum):
    """The words at the beginning of a workspace."""

    BUSY = 0
    STAMP = auto()
    POOLED = auto()
    ARENA = auto()
    PENDING = auto()
    LEAVES = auto()
    LEAF_STEPS = auto()
    SQUARES = auto()
    INTERVAL_STEPS = auto()
    FILLED = auto()
    SAMPLED = auto()
    STREAK = auto()
    # How many squares in a row surfaces were no use for: of 4 by 4 pixels, of 2 by 2, and single ones.
    STREAK_4 = auto()
    STREAK_2 = auto()
    STREAK_1 = auto()
    # Whether there are lines that leaves of a square share (1), and what is flat in all cases (2).
    SHARED = auto()
    COUNTS = 16


class TapeRecord(IntEnum):
    """The words of a tape's record: the tape, of which the first are lines and the last flat, and its form for leaves.

    That is made when a leaf asks for it, which has no root before: lines; from another place on what makes batches of
    lines, and the rest; which inputs are wanted as batches; and if what is flat is worked out for all cases of a few
    truths, a mask of those.
    """

    TAPE = 0
    LENGTH = auto()
    ROOT = auto()
    INVARIANTS = auto()
    TABULATED = auto()
    LEAF_TAPE = auto()
    LEAF_BATCHES = auto()
    LEAF_ROOT = auto()
    LEAF_INPUTS = auto()
    LEAF_TRUTHS = auto()


RECORD = 8 * len(TapeRecord)
FILL_WORDS = 8 * WorkspaceWord.COUNTS + 4 * LANES
"""Where a workspace has the words of a task's cells, and below, which of them there are."""
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
        """A part of a workspace, which begins at an offset that a word of the frame tells."""
        return space + self.word(which)

    def operands(self, tape: Value, index: Value) -> tuple[Value, ...]:
        """An instruction's place and its three operands, as references."""
        at = tape + (index << 4)
        return at, *(self.f.load("i32", at, k).signed("i64") for k in (4, 8, 12))

    def entry(self, base: Value, reference: Value) -> Value:
        """Where a reference's box is."""
        return base + (reference << self.unit)

    def add(self, space: Value, which: WorkspaceWord, more: Value | int) -> None:
        """Count something in a workspace."""
        self.f.store(self.f.load("i64", space, 8 * which) + more, space, 8 * which)

    def trace(self, x: Value, y: Value, side: Value, length: Value) -> None:
        """Note a tile, if tiles are to be noted."""
        if not self.traced:
            return
        place = self.word(FrameWord.TRACE, POINTER)
        number = self.f.let(f"atomicrmw add ptr {place.name}, i64 1 monotonic", "i64")
        for k, what in enumerate((x, y, side, length)):
            self.f.store(what.to("i32"), place + ((number + 1) << 4), 4 * k)
