"""Tape simplification: evaluates tapes on intervals, and makes shorter tapes for children.

A tape runs on 16 intervals at once. A backward pass marks for each instruction the children that need it. A child gets
a tape of the instructions that it needs, in which results that are points have become uniforms.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from ...jit.assembly import POINTER, Assembly, Function, Value, Variable
from ..abi import (
    BY_ROW,
    INPUTS,
    INSTRUCTION,
    MAX_OWN_SLOTS,
    NOT_FORWARDED,
    NOWHERE,
    OBSERVED,
    TRUTH,
    TRUTH_TABLE,
    UNUSED,
    FrameWord,
    FrameWriter,
    TapeRecord,
    WorkspaceWord,
)
from ..sizes import LANES
from .key import VARIANTS

FORWARDS = 1 << 16 | 1 << 32 | 1 << 48
"""The bits of a choice mask that say that a result is an operand, for the first child."""
FORM_BYTES = 3 * INSTRUCTION
"""Bytes of an instruction of a tape and of its leaf form, in which an invariant may be two instructions."""


def functions(asm: Assembly, half: int) -> None:
    """Write all functions; `half` is the bytes of a vector."""
    for build in (_pool, _intervals, _mark, _wanted, _emit, _allocate):
        build(asm, half)


def _pool(asm: Assembly, half: int) -> None:
    with asm.function("pool", frame=POINTER, space=POINTER) as f:
        w = FrameWriter(f, half)
        stamp = w.word(FrameWord.STAMP)
        count = w.word(FrameWord.POOLED)
        with f.when(f.load("i64", f.space, 8 * WorkspaceWord.STAMP).differs(stamp)):
            size = count << w.unit
            base = w.place(f.space, FrameWord.BASE)
            f.call("llvm.memcpy.p0.p0.i64", w.entry(base, f.number(0) - count), w.word(FrameWord.POOL, POINTER), size,
                   f.number(0, "i1"))  # fmt: skip
            f.store(stamp, f.space, 8 * WorkspaceWord.STAMP)
        f.store(count, f.space, 8 * WorkspaceWord.POOLED)
        f.store(f.number(0), f.space, 8 * WorkspaceWord.ARENA)


def _intervals(asm: Assembly, half: int) -> None:
    """Write `run_intervals`, which runs a tape on 16 intervals."""
    with asm.function("run_intervals", frame=POINTER, space=POINTER, tape=POINTER, length="i64") as f:
        w = FrameWriter(f, half)
        base, choice = w.place(f.space, FrameWord.BASE), w.place(f.space, FrameWord.CHOICE_TRACE)
        table = w.word(FrameWord.INTERVAL_KERNELS, POINTER)
        with f.count(f.length) as i:
            at, *operands = w.operands(f.tape, i)
            code = f.load(POINTER, table + (f.load("i16", at).to("i64") << 3))
            places = [w.entry(base, x) for x in (i + INPUTS, *operands)]
            f.store(f.call(code.name, *places, result="i64"), choice + (i << 3))
        w.add(f.space, WorkspaceWord.SQUARES, 1)
        w.add(f.space, WorkspaceWord.INTERVAL_STEPS, f.length)


def _mark(asm: Assembly, half: int) -> None:
    """Write `mark`, the backward pass: the children that need each instruction, and their number of instructions."""
    with asm.function(
        "mark", frame=POINTER, space=POINTER, tape=POINTER, length="i64", root="i64", wanted="i16"
    ) as f:
        w = FrameWriter(f, half)
        base, choice = w.place(f.space, FrameWord.BASE), w.place(f.space, FrameWord.CHOICE_TRACE)
        live = w.place(f.space, FrameWord.LIVE)
        f.call(
            "llvm.memset.p0.i64",
            live + 2 * INPUTS,
            f.number(0, "i8"),
            (f.length << 1) + 2 * LANES,
            f.number(0, "i1"),
        )
        f.store(f.wanted, live + (f.root << 1))
        counts = f.variable(f"<{LANES} x i32>", f.number(0, f"<{LANES} x i32>"))
        with f.count(f.length, step=-1) as i:
            lanes = f.load("i16", live + ((i + INPUTS) << 1))
            with f.when(lanes.differs(0)):
                at, *operands = w.operands(f.tape, i)
                flags = f.load("i16", at, 2)
                word = f.load("i64", choice + (i << 3))
                points = f.variable("i16", word.to("i16"))
                for bytes_, flag in OBSERVED.items():
                    with f.when((flags & flag).differs(0)):
                        points.set(points() & _nonzero(f, w.entry(base, i + INPUTS), bytes_, half))
                operand_masks = f.choose((flags & NOT_FORWARDED).differs(0), 0, word >> 16)
                rest = f.variable("i16", lanes & ~points())
                result = f.variable("i64", points().to("i64"))
                wants: list[Value] = []
                for k in range(3):
                    mine = rest() & (operand_masks >> (16 * k)).to("i16")
                    rest.set(rest() & ~mine)
                    result.set(result() | (mine.to("i64") << (16 * (k + 1))))
                    wants.append(mine)
                f.store(result(), choice + (i << 3))
                kept = rest()
                for mine, operand in zip(wants, operands, strict=True):
                    cell = live + (operand << 1)
                    f.store(f.load("i16", cell) | mine | kept, cell)
                counts.set(counts() + kept.read_as(f"<{LANES} x i1>").to(f"<{LANES} x i32>"))
        f.store(counts(), f.space, 8 * WorkspaceWord.COUNTS, align=4)


def _nonzero(f: Function, entry: Value, bytes_: int, half: int) -> Value:
    """A mask of the lanes in which the lower endpoint is not zero."""
    width = half // LANES
    bits = f.load(f"<{LANES} x i{8 * width}>", entry, align=half)
    if bytes_ < width:
        bits = bits.to(f"<{LANES} x i{8 * bytes_}>")
    # The shift removes the sign, so that zeros of both signs are zero.
    return (bits << 1).differs(0).read_as("i16")


def _wanted(asm: Assembly, half: int) -> None:
    """Write `wanted`, which lists the instructions that a child keeps, those that are points, and those forwarded.

    It numbers the kept instructions, and gives the number of kept invariants.
    """
    numbers, masks = f"<{LANES} x i32>", f"<{LANES} x i1>"
    asm.declare(f"{numbers} @llvm.experimental.vector.compress.v{LANES}i32({numbers}, {masks}, {numbers})")
    asm.declare(f"{numbers} @llvm.masked.expandload.v{LANES}i32(ptr, {masks}, {numbers})")
    asm.declare("i16 @llvm.ctpop.i16(i16)")
    asm.declare("i64 @llvm.ctpop.i64(i64)")
    with asm.function(
        "wanted", "i64", frame=POINTER, source=POINTER, space=POINTER, old=POINTER, lane="i64", record=POINTER
    ) as f:
        w = FrameWriter(f, half)
        length, invariants, tabulated = (
            f.load("i64", f.old, 8 * which)
            for which in (TapeRecord.LENGTH, TapeRecord.INVARIANTS, TapeRecord.TABULATED)
        )
        live = w.place(f.source, FrameWord.LIVE) + 2 * INPUTS
        choice = w.place(f.source, FrameWord.CHOICE_TRACE)
        map_ = w.place(f.space, FrameWord.MAP) + 4 * INPUTS
        bit = f.splat((f.number(1) << f.lane).to("i16"), LANES)
        point = f.splat(f.number(1) << f.lane, LANES)
        forward = f.splat(f.number(FORWARDS) << f.lane, LANES)
        ranks = f.block(4 * LANES)
        f.store(f.lanes("i32", range(LANES)), ranks, align=64)
        lists = FrameWord.LIST, FrameWord.POINTS, FrameWord.FORWARDS
        ends = [f.variable(POINTER, w.place(f.space, which)) for which in lists]
        kept = f.variable("i64", INPUTS)
        kept_invariants, kept_tabulated = f.variable("i64", 0), f.variable("i64", 0)
        end_of_invariants, last_before = (
            f.splat(x.to("i32"), LANES) for x in (invariants, length - tabulated - 1)
        )

        def many(mask: Value) -> Value:
            return f.call("llvm.ctpop.i16", mask.read_as("i16"), result="i16").to("i64")

        with f.count(length, step=LANES) as i:
            here = f.splat(i.to("i32"), LANES) + f.lanes("i32", range(LANES))
            words = f.load(f"<{LANES} x i64>", choice + (i << 3), align=8)
            wanted = (f.load(f"<{LANES} x i16>", live + (i << 1), align=2) & bit).differs(0)
            points = wanted & (words & point).differs(0)
            forwarded = wanted & (words & point).same(0) & (words & forward).differs(0)
            mine = wanted & (words & (point | forward)).same(0)
            for mask, end in zip((mine, points, forwarded), ends, strict=True):
                dense = f.let(
                    f"call {numbers} @llvm.experimental.vector.compress.v{LANES}i32("
                    f"{numbers} {here.name}, {masks} {mask.name}, {numbers} poison)",
                    numbers,
                )
                f.store(dense, end(), align=4)
                end.set(end() + (many(mask) << 2))
            rank = f.let(
                f"call {numbers} @llvm.masked.expandload.v{LANES}i32(ptr {ranks.name}, {masks} {mine.name}, "
                f"{numbers} zeroinitializer)",
                numbers,
            )
            f.store(rank + f.splat(kept().to("i32"), LANES), map_ + (i << 2), align=4)
            kept.set(kept() + many(mine))
            kept_invariants.set(kept_invariants() + many(mine & (here < end_of_invariants)))
            kept_tabulated.set(kept_tabulated() + many(mine & (here > last_before)))
        # A negative number ends a list.
        for end in ends:
            f.store(f.number(-1, "i32"), end())
        f.store(kept_tabulated(), f.record, 8 * TapeRecord.TABULATED)
        f.give(kept_invariants())


@contextmanager
def listed(f: Function, list_: Value) -> Generator[Value]:
    """Loop over the numbers of a list."""
    cursor = f.variable(POINTER, list_)
    with f.repeat() as loop:
        i = f.load("i32", cursor()).signed("i64")
        f.leave(loop, i < 0)
        cursor.set(cursor() + 4)
        yield i


def _emit(asm: Assembly, half: int) -> None:
    """Write `emit`, which makes a child's own tape, with points in the pool; gives 0 if there is no room for it.

    A short tape that only a leaf runs is written in the leaf form at once.
    """
    width = half // LANES
    with asm.function(
        "emit",
        "i64",
        frame=POINTER,
        source=POINTER,
        space=POINTER,
        old=POINTER,
        lane="i64",
        record=POINTER,
        leaf="i64",
    ) as f:
        w = FrameWriter(f, half)
        tape, length, root = w.tape(f.old)
        top = f.load("i64", f.space, 8 * WorkspaceWord.ARENA)
        pooled = f.variable("i64", f.load("i64", f.space, 8 * WorkspaceWord.POOLED))
        most = f.load("i32", f.source + (f.lane << 2), 8 * WorkspaceWord.COUNTS).to("i64") + 1
        room = (top + most * FORM_BYTES) <= w.word(FrameWord.ARENA_BYTES)
        fits = room & ((pooled() + length) <= w.word(FrameWord.MAX_POOL))
        # Memory is sized for tapes no longer than the whole one, and a child's is no longer than its parent's.
        with f.when((fits & (most <= length)) ^ 1):
            f.give(f.number(0))
        invariants = f.call("wanted", f.frame, f.source, f.space, f.old, f.lane, f.record, result="i64")
        map_ = w.place(f.space, FrameWord.MAP)
        choice = w.place(f.source, FrameWord.CHOICE_TRACE)
        _copy_points(f, w, tape, pooled, width)

        def new_of(reference: Value) -> Value:
            return f.load("i32", map_ + (reference << 2))

        with listed(f, w.place(f.space, FrameWord.FORWARDS)) as i:
            _, *operands = w.operands(tape, i)
            word = f.load("i64", choice + (i << 3)) >> f.lane
            # Select the operand that it is, without a branch, which would be mispredicted.
            source = operands[2]
            for k in (1, 0):
                source = f.choose(((word >> (16 * (k + 1))) & 1).differs(0), operands[k], source)
            f.store(new_of(source), map_ + ((i + INPUTS) << 2))
        new = w.place(f.space, FrameWord.ARENA) + top
        last = new_of(root).signed("i64")
        kept = most - 1
        f.store(pooled(), f.space, 8 * WorkspaceWord.POOLED)
        f.store(invariants, f.record, 8 * TapeRecord.INVARIANTS)
        f.store(top + most * FORM_BYTES, f.space, 8 * WorkspaceWord.ARENA)
        # A uniform root becomes a batch, by an instruction that the short leaf form has no room for.
        with f.when((f.leaf & (last >= 0).to("i64") & (kept <= MAX_OWN_SLOTS).to("i64")).differs(0)):
            _write_leaf(f, w, tape, new, kept, invariants)
            f.store(kept, f.record, 8 * TapeRecord.LENGTH)
            f.store(new, f.record, 8 * TapeRecord.LEAF_TAPE)
            f.give(f.number(1))
        end = f.variable(POINTER, new)
        with listed(f, w.place(f.space, FrameWord.LIST)) as i:
            at, *operands = w.operands(tape, i)
            four, uniform = _four(f, [new_of(x) for x in operands])
            head = (f.load("i32", at) & -VARIANTS) | uniform
            f.store(_headed(f, four, head), end(), align=4)
            end.set(end() + INSTRUCTION)
        root = f.variable("i64", last)
        with f.when(last < 0):
            f.store(w.word(FrameWord.SPLAT).to("i32") | 1, end())
            for k, x in enumerate((last, f.number(UNUSED), f.number(UNUSED))):
                f.store(x.to("i32"), end(), 4 * (k + 1))
            root.set((end().minus(new) >> 4) + INPUTS)
            end.set(end() + INSTRUCTION)
        count = end().minus(new) >> 4
        f.store(new, f.record, 8 * TapeRecord.TAPE)
        f.store(count, f.record, 8 * TapeRecord.LENGTH)
        f.store(root(), f.record, 8 * TapeRecord.ROOT)
        f.store(end(), f.record, 8 * TapeRecord.LEAF_TAPE)
        f.store(f.number(-1), f.record, 8 * TapeRecord.LEAF_ROOT)
        f.give(f.number(1))


FOUR = "<4 x i32>"
"""An instruction as a vector."""


def _four(f: Function, references: Sequence[Value]) -> tuple[Value, Value]:
    """An instruction of these operands with an empty head, and a mask of the operands that are uniform."""
    four = f.number(0, FOUR)
    for k, x in enumerate(references):
        four = f.let(f"insertelement {FOUR} {four.name}, i32 {x.name}, i64 {k + 1}", FOUR)
    below = (four < 0).read_as("i4").to("i32")
    return four, below >> 1


def _headed(f: Function, four: Value, head: Value) -> Value:
    return f.let(f"insertelement {FOUR} {four.name}, i32 {head.name}, i64 0", FOUR)


def _write_leaf(f: Function, w: FrameWriter, tape: Value, new: Value, kept: Value, invariants: Value) -> None:
    """Write the leaf form of a short tape, in which each result has its own slot."""
    map_, list_ = w.place(f.space, FrameWord.MAP), w.place(f.space, FrameWord.LIST)
    form = _LeafForm(f, w, new, invariants, kept)

    def put(i: Value, into: Value, begin: Value, size: int) -> tuple[Value, list[Value]]:
        """Write an instruction with places, `1 << size` units apart; gives its former head, and its operands."""
        number = f.load("i32", list_ + (i << 2)).signed("i64")
        at, *operands = w.operands(tape, number)
        references = [f.load("i32", map_ + (x << 2)) for x in operands]
        four, uniform = _four(f, references)
        old = f.load("i32", at)
        slot = (i + INPUTS).to("i32") << 16
        head = (old & (0x10000 - VARIANTS)) | uniform | slot
        places = (four << size) + f.splat(begin.to("i32"), 4)
        f.store(_headed(f, f.choose(four < 0, four, places), head), into + (i << 4), align=4)
        return old, [x.signed("i64") for x in references]

    slots, room = w.word(FrameWord.SLOTS_AT), w.word(FrameWord.INVARIANTS_AT)
    tabulated = f.load("i64", f.record, 8 * TapeRecord.TABULATED)
    varied = kept - tabulated
    with f.count(kept, begin=varied) as i:
        for x in put(i, form.rest, room, 1)[1]:
            form.want(x)
    root = f.load("i32", map_ + (f.load("i64", f.old, 8 * TapeRecord.ROOT) << 2)).signed("i64")
    truths = form.wanted(varied + INPUTS)
    many = f.call("llvm.ctpop.i64", truths, result="i64")
    # A tape may depend on no truth and yet be undecided, because a NaN has no interval.
    cases = (tabulated > 1) & (many > 0) & (many <= len(TRUTH_TABLE))
    f.store(f.choose(cases, truths, f.number(0)), f.record, 8 * TapeRecord.LEAF_TRUTHS)
    f.store(f.choose(cases, room + (root << 1), slots + (root << 3)), f.record, 8 * TapeRecord.LEAF_ROOT)
    with f.when(cases ^ 1):
        # No truth table: there are too many truths, or none.
        f.store(f.number(0), f.record, 8 * TapeRecord.TABULATED)
        with f.count(kept, begin=varied) as i:
            put(i, form.rest, slots, 3)
        form.want(root)
    with f.count(varied, begin=invariants) as i:
        for x in put(i, form.rest, slots, 3)[1]:
            form.want(x)
    with f.count(invariants) as i:
        form.spread(i, put(i, new, room, 1)[0], i + INPUTS)
    form.finish()


def _copy_points(f: Function, w: FrameWriter, tape: Value, pooled: Variable, width: int) -> None:
    """Copy the results that are points in a child into its pool."""
    base, own = (w.place(space, FrameWord.BASE) for space in (f.source, f.space))
    tables = [w.place(f.space, which) for which in (FrameWord.MAP, FrameWord.PLACES)]
    with listed(f, w.place(f.space, FrameWord.POINTS)) as i:
        pooled.set(pooled() + 1)
        point = f.number(0) - pooled()
        flags = f.load("i16", tape + (i << 4), 2)
        _copy_point(f, w.entry(base, i + INPUTS), w.entry(own, point), flags, width)
        for table in tables:
            f.store(point.to("i32"), table + (point << 2))
        f.store(point.to("i32"), tables[0] + ((i + INPUTS) << 2))


def _copy_point(f: Function, interval: Value, entry: Value, flags: Value, width: int) -> None:
    """Write a point, taken from one lane of an interval, as an entry of the pool."""
    half = LANES * width
    type_ = f"i{8 * width}"
    with f.when((flags & TRUTH).same(0)):
        value = f.splat(f.load(type_, interval + f.lane * width), LANES)
        f.store(value, entry, align=half)
        f.store(value, entry, half, align=half)
    with f.when((flags & TRUTH).differs(0)):
        bit = (f.load("i16", interval).to("i64") >> f.lane) & 1
        mask = (f.number(0) - bit).to("i16")
        f.store(mask, entry)
        f.store(mask, entry, half)


def _allocate(asm: Assembly, half: int) -> None:
    """Write `allocate`, which makes a tape's leaf form by a backward pass; gives the number of slots.

    A slot is free again after the last use of its result. Free slots are a stack, which begins with all of them.
    """
    with asm.function("allocate", "i64", frame=POINTER, space=POINTER, record=POINTER, most="i64") as f:
        w = FrameWriter(f, half)
        tape, length, root = w.tape(f.record)
        new = f.load(POINTER, f.record, 8 * TapeRecord.LEAF_TAPE)
        invariants = f.load("i64", f.record, 8 * TapeRecord.INVARIANTS)
        places, free = w.place(f.space, FrameWord.PLACES), w.place(f.space, FrameWord.LIST)
        begin, invariants_begin = w.word(FrameWord.SLOTS_AT), w.word(FrameWord.INVARIANTS_AT)
        numbers = f"<{LANES} x i32>"
        with f.count(length, step=LANES) as i:
            f.store(f.number(NOWHERE, numbers), places + ((i + INPUTS) << 2), align=4)
        first = f.splat(begin.to("i32"), LANES) + f.lanes("i32", [8 * (INPUTS + k) for k in range(LANES)])
        # A tape needs at most a slot per instruction, and one for a root that is no instruction.
        with f.count(f.most.least(length + 1), step=LANES) as i:
            f.store(first + f.splat((i << 3).to("i32"), LANES), free + (i << 2), align=4)
        # The top of the stack; slots before it are taken.
        next_ = f.variable(POINTER, free)
        last = f.variable(POINTER, free)

        def place(reference: Value) -> Value:
            """The place of a reference, to which a free slot is assigned if it has none."""
            cell = places + (reference << 2)
            found = f.load("i32", cell)
            nowhere = found.same(NOWHERE)
            here = f.choose(nowhere, f.load("i32", next_()), found)
            f.store(here, cell)
            next_.set(next_() + f.choose(nowhere, f.number(4), f.number(0)))
            return here

        def invariant(reference: Value) -> Value:
            """The place of a reference as an invariant; a uniform has one place."""
            here = place(reference)
            moved = ((here.signed("i64") - begin) >> 2) + invariants_begin
            return f.choose(here < 0, here, moved.to("i32"))

        def put(i: Value, into: Value, where: Callable[[Value], Value]) -> tuple[Value, Value]:
            """Write an instruction with places; gives its former head, and its slot."""
            at, *operands = w.operands(tape, i)
            # The pass is backward, so that its users have assigned its slot, which is free before it.
            mine = f.load("i32", places + ((i + INPUTS) << 2))
            next_.set(next_() + -4)
            f.store(mine, next_())
            slot = (mine.to("i64") - begin) >> 3
            f.store(f.load("i16", at), into)
            f.store(slot.to("i16"), into, 2)
            for k, x in enumerate(operands):
                f.store(where(x), into, 4 * (k + 1))
            last.set(f.choose(next_().above(last()), next_(), last()))
            return f.load("i32", at), slot

        form = _LeafForm(f, w, new, invariants, invariants)
        form.want(root)
        f.store(place(root).to("i64"), f.record, 8 * TapeRecord.LEAF_ROOT)

        def batch(reference: Value) -> Value:
            form.want(reference)
            return place(reference)

        with f.count(length, begin=invariants, step=-1) as i:
            put(i, form.rest + (i << 4), batch)
        with f.count(invariants, step=-1) as i:
            form.spread(i, *put(i, new + (i << 4), invariant))
        form.finish()
        f.store(f.number(0), f.record, 8 * TapeRecord.LEAF_TRUTHS)
        used = last().minus(free)
        f.give((used >> 2) + INPUTS)


class _LeafForm:
    """Writes the leaf form of a tape: invariants, broadcasts of those that are needed as batches, and the rest.

    A slot has room for an invariant and, elsewhere, for a batch.
    """

    def __init__(self, f: Function, w: FrameWriter, new: Value, invariants: Value, length: Value) -> None:
        self.f = f
        self._batched = w.place(f.space, FrameWord.BATCHED)
        with f.count(length + INPUTS, step=LANES) as i:
            f.store(f.number(0, f"<{LANES} x i8>"), self._batched + i, align=1)
        self._spreads = [w.word(which) for which in (FrameWord.COLUMNS, FrameWord.ROWS, FrameWord.ROWS_TRUTH)]
        self._begin = w.word(FrameWord.INVARIANTS_AT)
        self.rest = new + (invariants << 4)
        self._next = f.variable(POINTER, self.rest + (invariants << 4))

    def want(self, reference: Value) -> None:
        """Record that a reference is needed as a batch."""
        self.f.store(self.f.number(1, "i8"), self._batched + reference)

    def wanted(self, end: Value) -> Value:
        """A mask of the instructions of a short tape before `end` that are needed as batches."""
        f = self.f
        found = f.variable("i64", 0)
        with f.count(end, step=LANES) as i:
            mask = f.load(f"<{LANES} x i8>", self._batched + i, align=1).differs(0).read_as("i16")
            found.set(found() | (mask.to("i64") << i))
        return found() & ((f.number(1) << end) - 1) & -(1 << INPUTS)

    def spread(self, i: Value, head: Value, slot: Value) -> None:
        """Write the broadcast of the invariant with that head and slot, if it is needed as a batch."""
        f = self.f
        columns, rows, truths = self._spreads
        by_row = f.choose((head & (TRUTH << 16)).differs(0), truths, rows)
        kind = f.choose((head & (BY_ROW << 16)).differs(0), by_row, columns)
        # The next one overwrites it if it is not needed.
        into = self._next() + -INSTRUCTION
        f.store(kind.to("i16"), into)
        f.store(slot.to("i16"), into, 2)
        f.store((self._begin + (slot << 1)).to("i32"), into, 4)
        f.store(f.number(0), into, 8)
        wanted = f.load("i8", self._batched + i, INPUTS).to("i64")
        self._next.set(self._next() + ((f.number(0) - wanted) << 4))

    def finish(self) -> None:
        """Store in the record where broadcasts begin, and the inputs that are needed as batches."""
        f = self.f
        f.store(self._next(), f.record, 8 * TapeRecord.LEAF_BATCHES)
        f.store(f.load("i16", self._batched).to("i64"), f.record, 8 * TapeRecord.LEAF_INPUTS)
