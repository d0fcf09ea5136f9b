"""Leaves: evaluate 256 pixels at a time, by the tape that interval evaluation has left.

Row- and column-invariant vectors come first: one vector each, or four that all leaves of a square share. Batches of 16
vectors follow. Results that depend on a few truths only come last, as a truth table: each lane of one vector is a case,
and every pixel selects the word of its case.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from ...jit.assembly import POINTER, Assembly, Function, Value, Variable
from ..abi import LEAF, STEP, TRUTH_TABLE, FrameWord, FrameWriter, TapeRecord, WorkspaceWord
from ..sizes import LANES, VECTORS
from .rows import StoreMode, store_row, store_rows

TABLE_READY = 2
"""The bit that says that the truth table is computed."""
ACROSS = 1 << STEP
"""Leaves of a square side by side, and vectors for which a slot of an invariant has room."""


def leaf_form(f: Function, w: FrameWriter) -> None:
    """Make the leaf form of a record's tape if there is none; give up if it needs too many slots."""
    with f.when(f.load("i64", f.record, 8 * TapeRecord.LEAF_ROOT) < 0):
        most = w.word(FrameWord.MAX_SLOTS)
        slots = f.call("allocate", f.frame, f.space, f.record, most, result="i64")
        with f.when(slots > most):
            f.store(f.number(1), f.frame, 8 * FrameWord.FAILED)
    with f.when(w.word(FrameWord.FAILED).differs(0)):
        f.give()


def run_leaf(
    f: Function, w: FrameWriter, base: Value, tape: Value, length: Value, *, invariants: Value | None = None
) -> None:
    """Run instructions of a leaf's tape: on a batch, or on invariants of so many vectors."""
    begin = w.entry(base, w.word(FrameWord.SLOTS_AT if invariants is None else FrameWord.INVARIANTS_AT))
    slot = w.unit + (3 if invariants is None else 1)
    size = f.number(w.half * VECTORS) if invariants is None else invariants * w.half
    table = w.word(FrameWord.BATCH_KERNELS, POINTER)
    with f.count(length) as i:
        at, *operands = w.operands(tape, i)
        code = f.load(POINTER, table + (f.load("i16", at).to("i64") << 3))
        result = begin + (f.load("i16", at, 2).to("i64") << slot)
        f.call(code.name, result, *(w.entry(base, x) for x in operands), size)


def _run_invariants(f: Function, w: FrameWriter, base: Value, tape: Value, count: Value) -> None:
    """Compute the invariants, once for all leaves of a square that share them."""
    there = f.load("i64", f.space, 8 * WorkspaceWord.SHARED)
    with f.when((there & f.shared).same(0)):
        vectors = f.choose(f.shared.differs(0), f.number(ACROSS), f.number(1))
        invariant = w.entry(base, w.word(FrameWord.INVARIANTS_AT))
        for n, (start, end) in enumerate(((f.x, FrameWord.WIDTH), (f.y, FrameWord.HEIGHT))):
            first, limit = start & (f.number(0) - (vectors << LEAF)), w.word(end)
            with f.count(vectors) as k:
                numbers = clamped(f, first + (k << LEAF), limit).to(f"<{LANES} x i{8 * w.half // LANES}>")
                f.store(numbers, invariant + k * w.half, n * ACROSS * w.half, align=w.half)
        run_leaf(f, w, base, tape, count, invariants=vectors)
        f.store(there | f.shared, f.space, 8 * WorkspaceWord.SHARED)


def _broadcast_invariants(f: Function, w: FrameWriter, base: Value, first: Value, count: Value) -> None:
    """Broadcast the invariants that are needed as batches: of each the vector of this leaf."""
    begin, table = w.entry(base, w.word(FrameWord.SLOTS_AT)), w.word(FrameWord.BATCH_KERNELS, POINTER)
    size, columns = f.number(w.half * VECTORS), w.word(FrameWord.COLUMNS)
    mask = f.shared * (ACROSS - 1)
    across, down = (((start >> LEAF) & mask) * w.half for start in (f.x, f.y))
    with f.count(count) as i:
        at, invariant, *_ = w.operands(first, i)
        kind = f.load("i16", at).to("i64")
        code = f.load(POINTER, table + (kind << 3))
        result = begin + (f.load("i16", at, 2).to("i64") << (w.unit + 3))
        vector = w.entry(base, invariant) + f.choose(kind.same(columns), across, down)
        f.call(code.name, result, vector, vector, vector, size)


def clamped(f: Function, first: Value, limit: Value) -> Value:
    """16 numbers from `first` on, each at most `limit` - 1."""
    numbers = f.splat(first.to("i32"), LANES) + f.lanes("i32", range(LANES))
    vector = f"<{LANES} x i32>"
    last = f.splat((limit - 1).to("i32"), LANES)
    return f.let(
        f"call {vector} @llvm.smin.v{LANES}i32({vector} {numbers.name}, {vector} {last.name})", vector
    )


def _batches(f: Function, w: FrameWriter, base: Value) -> None:
    """Store columns and rows as batches, if the leaf's tape needs them so."""
    half, wanted = w.half, f.load("i64", f.record, 8 * TapeRecord.LEAF_INPUTS)
    begin = w.entry(base, w.word(FrameWord.SLOTS_AT))
    with f.when((wanted & 0xFF).differs(0)):
        column = clamped(f, f.x, w.word(FrameWord.WIDTH)).to(f"<{LANES} x i{8 * half // LANES}>")
        with f.count(VECTORS) as k:
            f.store(column, begin + k * half, align=half)
    with f.when((wanted >> 8).differs(0)), f.count(VECTORS) as k:
        row = f.splat((f.y + k).least(w.word(FrameWord.HEIGHT) - 1).to(f"i{8 * half // LANES}"), LANES)
        f.store(row, begin + k * half, VECTORS * half, align=half)


class PixelRows(NamedTuple):
    """The pixels of a leaf: the first one's address, how many rows, pixels from row to row, and pixels per row."""

    out: Value
    rows: Value
    wide: Value
    left: Value


def _evaluate_table(
    f: Function, w: FrameWriter, base: Value, truths: Value, tabulated: Value, count: Value
) -> None:
    """Evaluate the truth table: the tabulated results as invariants, each lane of which is a case.

    Leaves with one tape follow one another and share the table.
    """
    there = f.load("i64", f.space, 8 * WorkspaceWord.SHARED)
    with f.when((there & TABLE_READY).same(0)):
        _evaluate(f, w, base, truths, tabulated, count)
        f.store(there | TABLE_READY, f.space, 8 * WorkspaceWord.SHARED)


def _evaluate(
    f: Function, w: FrameWriter, base: Value, truths: Value, tabulated: Value, count: Value
) -> None:
    invariants = w.entry(base, w.word(FrameWord.INVARIANTS_AT))
    case = f.variable("i64", 0)
    with f.bits(truths) as reference:
        found = f.number(TRUTH_TABLE[-1], "i16")
        for k, word in enumerate(TRUTH_TABLE[:-1]):
            found = f.choose(case().same(k), f.number(word, "i16"), found)
        f.store(found, invariants + (reference << (w.unit + 1)))
        case.set(case() + 1)
    run_leaf(f, w, base, tabulated, count, invariants=f.number(1))


def _select_by_table(
    f: Function, w: FrameWriter, base: Value, truths: Value, root: Value, place: PixelRows
) -> None:
    """Write to each pixel the word of its case."""
    batches = w.entry(base, w.word(FrameWord.SLOTS_AT))
    truths_at = [f.variable(POINTER, batches) for _ in TRUTH_TABLE]
    found = f.variable("i64", 0)
    with f.bits(truths) as reference:
        at = batches + (reference << (w.unit + 3))
        for k, truth_at in enumerate(truths_at):
            truth_at.set(f.choose(found().same(k), at, truth_at()))
        found.set(found() + 1)
    for many in range(1, len(TRUTH_TABLE) + 1):
        with f.when(found().same(many)):
            values = [f.splat(f.load("i32", root, k * w.half // LANES), LANES) for k in range(1 << many)]
            store_rows(f, w, partial(_select_rows, f, w, values, truths_at[:many], place))


def _select_rows(
    f: Function,
    w: FrameWriter,
    values: list[Value],
    truths_at: Sequence[Variable],
    place: PixelRows,
    mode: StoreMode,
) -> None:
    with f.count(place.rows) as k:
        found = values
        for truth_at in truths_at:
            truth = f.load("i16", truth_at() + k * w.half).read_as(f"<{LANES} x i1>")
            found = [f.choose(truth, b, a) for a, b in zip(found[::2], found[1::2], strict=True)]
        store_row(f, found[0], place.out + ((k * place.wide) << 2), place.left, mode)


def leaf(asm: Assembly, half: int) -> None:
    """Write `leaf`, which draws 256 pixels; `shared` says that it has the tape and the invariants of its square."""
    width = half // LANES
    with asm.function(
        "leaf", frame=POINTER, space=POINTER, record=POINTER, x="i64", y="i64", shared="i64"
    ) as f:
        w = FrameWriter(f, half, traced=asm.traced)
        wide, high = w.word(FrameWord.WIDTH), w.word(FrameWord.HEIGHT)
        out = w.word(FrameWord.OUT, POINTER) + ((f.y * wide + f.x) << 2)
        rows = (f.y + VECTORS).least(high) - f.y
        # The hardware prefetcher does not follow rows of a tile: prefetch what will be written.
        with f.when(w.word(FrameWord.STREAMED).same(0)), f.count(rows) as k:
            end = out + (((k * wide) << 2) + 4 * (LANES - 1))
            f.emit(f"call void @llvm.prefetch.p0(ptr {end.name}, i32 1, i32 3, i32 1)")
        leaf_form(f, w)
        base = w.place(f.space, FrameWord.BASE)
        _batches(f, w, base)
        tape = f.load(POINTER, f.record, 8 * TapeRecord.LEAF_TAPE)
        length, invariants = (
            f.load("i64", f.record, 8 * which) for which in (TapeRecord.LENGTH, TapeRecord.INVARIANTS)
        )
        _run_invariants(f, w, base, tape, invariants)
        first = f.load(POINTER, f.record, 8 * TapeRecord.LEAF_BATCHES)
        truths = f.load("i64", f.record, 8 * TapeRecord.LEAF_TRUTHS)
        tabulated = f.choose(truths.same(0), f.number(0), f.load("i64", f.record, 8 * TapeRecord.TABULATED))
        varied, rest = tape + (invariants << 5), tape + ((length + invariants - tabulated) << 4)
        _broadcast_invariants(f, w, base, first, varied.minus(first) >> 4)
        run_leaf(f, w, base, varied, rest.minus(varied) >> 4)
        w.add(f.space, WorkspaceWord.LEAVES, 1)
        w.trace(f.x, f.y, f.number(1 << LEAF), length)
        w.add(f.space, WorkspaceWord.LEAF_STEPS, length)
        root = w.entry(base, f.load("i64", f.record, 8 * TapeRecord.LEAF_ROOT))
        left = wide - f.x
        with f.when(truths.differs(0)):
            _evaluate_table(f, w, base, truths, rest, tabulated)
            _select_by_table(f, w, base, truths, root, PixelRows(out, rows, wide, left))
            f.give()

        def write(mode: StoreMode) -> None:
            with f.count(rows) as k:
                bits = f.load(f"<{LANES} x i{8 * width}>", root + k * half, align=half).to(f"<{LANES} x i32>")
                store_row(f, bits, out + ((k * wide) << 2), left, mode)

        store_rows(f, w, write)
