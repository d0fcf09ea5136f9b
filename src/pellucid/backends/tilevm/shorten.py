"""Shortening: tapes on boxes, and the shorter tapes of those children for which boxes decide something.

In `tilevm` between `words` and `machine`. A tape runs on 16 boxes at once; backward, each instruction learns in which
of them it is wanted; and a child gets a tape of what it wants, in which what is pinned has become a uniform.
"""

from __future__ import annotations

from collections.abc import Callable

from .assembly import POINTER, Assembly, Function, Value
from .kernels import VARIANTS
from .sizes import LANES
from .words import (
    BY_ROW,
    FIRST_TRUTH,
    INPUTS,
    INSTRUCTION,
    LINE,
    NOWHERE,
    OBSERVED,
    TRUTH,
    UNCOPIED,
    UNUSED,
    Record,
    Space,
    Word,
    Writer,
)

FORMS = 3 * INSTRUCTION
"""Bytes of an instruction of a tape and of its form for leaves, where a line may be two."""


def functions(asm: Assembly, half: int) -> None:
    """Write them all; `half` is the bytes of a vector."""
    for build in (_pool, _boxes, _mark, _wanted, _emit, _allocate):
        build(asm, half)


def _pool(asm: Assembly, half: int) -> None:
    with asm.function("pool", frame=POINTER, space=POINTER) as f:
        w = Writer(f, half)
        stamp = w.word(Word.STAMP)
        count = w.word(Word.POOLED)
        with f.when(f.load("i64", f.space, 8 * Space.STAMP).differs(stamp)):
            size = count << w.unit
            base = w.place(f.space, Word.BASE)
            f.call("llvm.memcpy.p0.p0.i64", w.entry(base, f.number(0) - count), w.word(Word.POOL, POINTER), size,
                   f.number(0, "i1"))  # fmt: skip
            f.store(stamp, f.space, 8 * Space.STAMP)
        f.store(count, f.space, 8 * Space.POOLED)
        f.store(f.number(0), f.space, 8 * Space.ARENA)


def _boxes(asm: Assembly, half: int) -> None:
    """Run a tape on 16 boxes."""
    with asm.function("run_boxes", frame=POINTER, space=POINTER, tape=POINTER, length="i64") as f:
        w = Writer(f, half)
        base, choice = w.place(f.space, Word.BASE), w.place(f.space, Word.CHOICE)
        table = w.word(Word.BOXES, POINTER)
        with f.count(f.length) as i:
            at, *operands = w.operands(f.tape, i)
            code = f.load(POINTER, table + (f.load("i16", at).to("i64") << 3))
            places = [w.entry(base, x) for x in (i + INPUTS, *operands)]
            f.store(f.call(code.name, *places, result="i64"), choice + (i << 3))
        w.add(f.space, Space.SQUARES, 1)
        w.add(f.space, Space.BOX_STEPS, f.length)


def _mark(asm: Assembly, half: int) -> None:
    """Backward: in which children each instruction is wanted, and how many instructions each child wants."""
    with asm.function(
        "mark", frame=POINTER, space=POINTER, tape=POINTER, length="i64", root="i64", wanted="i16"
    ) as f:
        w = Writer(f, half)
        base, choice = w.place(f.space, Word.BASE), w.place(f.space, Word.CHOICE)
        live = w.place(f.space, Word.LIVE)
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
                pinned = f.variable("i16", word.to("i16"))
                for bytes_, flag in OBSERVED.items():
                    with f.when((flags & flag).differs(0)):
                        pinned.set(pinned() & _nonzero(f, w.entry(base, i + INPUTS), bytes_, half))
                copies = f.choose((flags & UNCOPIED).differs(0), 0, word >> 16)
                rest = f.variable("i16", lanes & ~pinned())
                result = f.variable("i64", pinned().to("i64"))
                wants: list[Value] = []
                for k in range(3):
                    mine = rest() & (copies >> (16 * k)).to("i16")
                    rest.set(rest() & ~mine)
                    result.set(result() | (mine.to("i64") << (16 * (k + 1))))
                    wants.append(mine)
                f.store(result(), choice + (i << 3))
                kept = rest()
                for mine, operand in zip(wants, operands, strict=True):
                    cell = live + (operand << 1)
                    f.store(f.load("i16", cell) | mine | kept, cell)
                counts.set(counts() + kept.read_as(f"<{LANES} x i1>").to(f"<{LANES} x i32>"))
        f.store(counts(), f.space, 8 * Space.COUNTS, align=4)


def _nonzero(f: Function, entry: Value, bytes_: int, half: int) -> Value:
    """In which lanes a box does not begin at zero."""
    width = half // LANES
    bits = f.load(f"<{LANES} x i{8 * width}>", entry, align=half)
    if bytes_ < width:
        bits = bits.to(f"<{LANES} x i{8 * bytes_}>")
    # Shifted left, the sign is gone: only a zero of either sign is zero.
    return (bits << 1).differs(0).read_as("i16")


def _wanted(asm: Assembly, half: int) -> None:
    """The instructions that a child wants, in order, as a list of their numbers in another workspace."""
    numbers = f"<{LANES} x i32>"
    truths = f"<{LANES} x i1>"
    asm.declare(f"{numbers} @llvm.experimental.vector.compress.v{LANES}i32({numbers}, {truths}, {numbers})")
    asm.declare("i16 @llvm.ctpop.i16(i16)")
    with asm.function("wanted", frame=POINTER, source=POINTER, space=POINTER, length="i64", lane="i64") as f:
        w = Writer(f, half)
        live, into = w.place(f.source, Word.LIVE) + 2 * INPUTS, w.place(f.space, Word.LIST)
        bit = f.splat((f.number(1) << f.lane).to("i16"), LANES)
        place = f.variable(POINTER, into)
        with f.count(f.length, step=LANES) as i:
            mask = (f.load(f"<{LANES} x i16>", live + (i << 1), align=2) & bit).differs(0)
            here = f.splat(i.to("i32"), LANES) + f.lanes("i32", range(LANES))
            dense = f.let(
                f"call {numbers} @llvm.experimental.vector.compress.v{LANES}i32("
                f"{numbers} {here.name}, {truths} {mask.name}, {numbers} poison)",
                numbers,
            )
            f.store(dense, place(), align=4)
            many = f.call("llvm.ctpop.i16", mask.read_as("i16"), result="i16").to("i64")
            place.set(place() + (many << 2))
        # What follows the last one ends the list.
        f.store(f.number(-1, "i32"), place())


def _emit(asm: Assembly, half: int) -> None:
    """A child's own tape: what it wants, with what is pinned in the pool; 0 if there is no room for it."""
    width = half // LANES
    with asm.function(
        "emit", "i64", frame=POINTER, source=POINTER, space=POINTER, old=POINTER, lane="i64", record=POINTER
    ) as f:
        w = Writer(f, half)
        tape, length = f.load(POINTER, f.old, 8 * Record.TAPE), f.load("i64", f.old, 8 * Record.LENGTH)
        root = f.load("i64", f.old, 8 * Record.ROOT)
        base, choice = w.place(f.source, Word.BASE), w.place(f.source, Word.CHOICE)
        map_, list_ = w.place(f.space, Word.MAP), w.place(f.space, Word.LIST)
        own = w.place(f.space, Word.BASE)
        pooled = f.variable("i64", f.load("i64", f.space, 8 * Space.POOLED))
        top = f.load("i64", f.space, 8 * Space.ARENA)
        kept = f.load("i32", f.source + (f.lane << 2), 8 * Space.COUNTS).to("i64")
        # Every instruction may need one before it that makes a batch of a uniform, and so may the root; one more is
        # written beyond the last, and does not count.
        most = (kept << 1) + 3
        room = (top + most * FORMS) <= w.word(Word.ARENA_BYTES)
        fits = room & ((pooled() + length) <= w.word(Word.POOL_MOST))
        with f.when(fits ^ 1):
            f.give(f.number(0))
        f.call("wanted", f.frame, f.source, f.space, length, f.lane)
        new = w.place(f.space, Word.ARENA) + top
        count, lines = f.variable("i64", 0), f.variable("i64", 0)
        fulls = w.word(Word.FULLS, POINTER)
        splats = w.word(Word.SPLAT), w.word(Word.SPLAT_TRUTH)

        def put(opcode: Value, flags: Value, operands: list[Value]) -> None:
            at = new + (count() << 4)
            f.store(opcode.to("i16"), at)
            f.store(flags, at, 2)
            for k, operand in enumerate(operands):
                f.store(operand.to("i32"), at, 4 * (k + 1))

        def batch(reference: Value, truth: Value, line: Value) -> Value:
            """An instruction that makes a batch, or a line, of a uniform."""
            unused = f.number(UNUSED)
            flags = f.choose(truth, f.number(TRUTH | FIRST_TRUTH, "i16"), f.number(0, "i16"))
            put(f.choose(truth, splats[1], splats[0]) | 1, flags | line, [reference, unused, unused])
            count.set(count() + 1)
            lines.set(lines() + (line & LINE).differs(0).to("i64"))
            return count() + (INPUTS - 1)

        cursor = f.variable(POINTER, list_)
        with f.repeat() as loop:
            i = f.load("i32", cursor()).signed("i64")
            f.leave(loop, i < 0)
            cursor.set(cursor() + 4)
            at, *operands = w.operands(tape, i)
            flags = f.load("i16", at, 2)
            word = f.load("i64", choice + (i << 3)) >> f.lane
            mapped = [f.load("i32", map_ + (x << 2)).signed("i64") for x in operands]
            # Which operand stands for it, if one does; nobody can foretell, so there is no branch.
            copied, found = f.number(0, "i1"), mapped[2]
            for k in (2, 1, 0):
                this = ((word >> (16 * (k + 1))) & 1).differs(0)
                copied, found = copied | this, f.choose(this, mapped[k], found)
            result = f.variable("i64", found)
            with f.when((word & 1).differs(0)):
                pooled.set(pooled() + 1)
                pin = f.number(0) - pooled()
                _pin(f, w.entry(base, i + INPUTS), w.entry(own, pin), flags, width)
                for table in (map_, w.place(f.space, Word.PLACES)):
                    f.store(pin.to("i32"), table + (pin << 2))
                result.set(pin)
            with f.when((word & 1).same(0)):
                mask = f.number(0)
                for k, x in enumerate(mapped):
                    mask = mask | ((x >> 63) << k)
                opcode = f.load("i16", at).to("i64") & -VARIANTS
                full = f.load("i32", fulls + ((opcode >> 3) << 2)).to("i64")
                # What a load reads from is in the pool, but no operand.
                uniform = f.variable("i64", mask & full)
                first = f.variable("i64", mapped[0])
                splat = opcode.same(splats[0]) | opcode.same(splats[1])
                with f.when(uniform().same(full) & (copied ^ 1) & (splat ^ 1)):
                    line = flags & (LINE | BY_ROW)
                    first.set(batch(mapped[0], (flags & FIRST_TRUTH).differs(0), line))
                    uniform.set(uniform() & -2)
                put(opcode | uniform(), flags, [first(), *mapped[1:]])
                result.set(f.choose(copied, found, count() + INPUTS))
                kept = (copied ^ 1).to("i64")
                count.set(count() + kept)
                lines.set(lines() + (kept & (flags & LINE).differs(0).to("i64")))
            f.store(result().to("i32"), map_ + ((i + INPUTS) << 2))
        last = f.variable("i64", f.load("i32", map_ + (root << 2)).signed("i64"))
        with f.when(last() < 0):
            last.set(batch(last(), f.number(0, "i1"), f.number(0, "i16")))
        # All memory is for tapes no longer than the first one, and none is longer than the one it comes from.
        with f.when(count() > length):
            f.give(f.number(0))
        f.store(pooled(), f.space, 8 * Space.POOLED)
        f.store(top + count() * FORMS, f.space, 8 * Space.ARENA)
        f.store(new, f.record, 8 * Record.TAPE)
        f.store(count(), f.record, 8 * Record.LENGTH)
        f.store(last(), f.record, 8 * Record.ROOT)
        f.store(lines(), f.record, 8 * Record.LINES)
        f.store(new + (count() << 4), f.record, 8 * Record.LEAF_TAPE)
        f.store(f.number(-1), f.record, 8 * Record.LEAF_ROOT)
        f.give(f.number(1))


def _pin(f: Function, box: Value, entry: Value, flags: Value, width: int) -> None:
    """A box that is one value in a lane, as an entry of the pool."""
    half = LANES * width
    type_ = f"i{8 * width}"
    with f.when((flags & TRUTH).same(0)):
        value = f.splat(f.load(type_, box + f.lane * width), LANES)
        f.store(value, entry, align=half)
        f.store(value, entry, half, align=half)
    with f.when((flags & TRUTH).differs(0)):
        bit = (f.load("i16", box).to("i64") >> f.lane) & 1
        mask = (f.number(0) - bit).to("i16")
        f.store(mask, entry)
        f.store(mask, entry, half)


def _allocate(asm: Assembly, half: int) -> None:
    """A tape's form for leaves: results in slots, each free again after its last use; how many there are.

    A slot has room for a line and, elsewhere, for a batch. Lines are made first, then batches of those that are wanted
    as such. Free slots are a stack that holds them all to begin with, so that nothing branches on what nobody can
    foretell.
    """
    with asm.function("allocate", "i64", frame=POINTER, space=POINTER, record=POINTER, most="i64") as f:
        w = Writer(f, half)
        tape, length = f.load(POINTER, f.record, 8 * Record.TAPE), f.load("i64", f.record, 8 * Record.LENGTH)
        root, new = f.load("i64", f.record, 8 * Record.ROOT), f.load(POINTER, f.record, 8 * Record.LEAF_TAPE)
        lines = f.load("i64", f.record, 8 * Record.LINES)
        places, free = w.place(f.space, Word.PLACES), w.place(f.space, Word.LIST)
        batched = w.place(f.space, Word.BATCHED)
        begin, lines_begin = w.word(Word.SLOTS_AT), w.word(Word.LINES_AT)
        numbers = f"<{LANES} x i32>"
        with f.count(length, step=LANES) as i:
            f.store(f.number(NOWHERE, numbers), places + ((i + INPUTS) << 2), align=4)
        with f.count(lines + INPUTS, step=LANES) as i:
            f.store(f.number(0, f"<{LANES} x i8>"), batched + i, align=1)
        first = f.splat(begin.to("i32"), LANES) + f.lanes("i32", [8 * (INPUTS + k) for k in range(LANES)])
        # No tape needs more than its own length, and one for a root that it does not make.
        with f.count(f.most.least(length + 1), step=LANES) as i:
            f.store(first + f.splat((i << 3).to("i32"), LANES), free + (i << 2), align=4)
        # The first that is free; what is before it is taken.
        next_ = f.variable(POINTER, free)
        last = f.variable(POINTER, free)

        def place(reference: Value) -> Value:
            """Where a reference is, in a slot that is taken now if it has none."""
            cell = places + (reference << 2)
            found = f.load("i32", cell)
            nowhere = found.same(NOWHERE)
            here = f.choose(nowhere, f.load("i32", next_()), found)
            f.store(here, cell)
            next_.set(next_() + f.choose(nowhere, f.number(4), f.number(0)))
            return here

        def batch(reference: Value) -> Value:
            """Where a reference is as a batch."""
            f.store(f.number(1, "i8"), batched + reference)
            return place(reference)

        def line(reference: Value) -> Value:
            """Where a reference is as a line; what is uniform has one place."""
            here = place(reference)
            moved = ((here.signed("i64") - begin) >> 2) + lines_begin
            return f.choose(here < 0, here, moved.to("i32"))

        def put(i: Value, into: Value, where: Callable[[Value], Value]) -> Value:
            """Write an instruction with places; its slot."""
            at, *operands = w.operands(tape, i)
            # Its user comes later, and so has been here: it has a place, which is free before it.
            mine = f.load("i32", places + ((i + INPUTS) << 2))
            next_.set(next_() + -4)
            f.store(mine, next_())
            f.store(f.load("i16", at), into)
            slot = ((mine.to("i64") - begin) >> 3).to("i16")
            f.store(slot, into, 2)
            for k, x in enumerate(operands):
                f.store(where(x), into, 4 * (k + 1))
            last.set(f.choose(next_().above(last()), next_(), last()))
            return slot

        f.store(batch(root).to("i64"), f.record, 8 * Record.LEAF_ROOT)
        beyond = new + (lines << 4)
        with f.count(length, first=lines, step=-1) as i:
            put(i, beyond + (i << 4), batch)
        spread = f.variable(POINTER, beyond + (lines << 4))
        kinds = [w.word(which) for which in (Word.COLUMNS, Word.ROWS, Word.ROWS_TRUTH)]
        with f.count(lines, step=-1) as i:
            slot = put(i, new + (i << 4), line)
            flags = f.load("i16", tape + (i << 4), 2)
            wanted = f.load("i8", batched + i, INPUTS)
            by_row = f.choose((flags & TRUTH).differs(0), kinds[2], kinds[1])
            kind = f.choose((flags & BY_ROW).differs(0), by_row, kinds[0])
            # Written over again if it is not wanted.
            into = spread() + -INSTRUCTION
            f.store(kind.to("i16"), into)
            f.store(slot, into, 2)
            f.store(lines_begin.to("i32") + (slot.to("i32") << 1), into, 4)
            f.store(f.number(0), into, 8)
            spread.set(spread() + ((f.number(0) - wanted.to("i64")) << 4))
        f.store(spread(), f.record, 8 * Record.LEAF_BATCHES)
        f.store(f.load("i16", batched).to("i64"), f.record, 8 * Record.LEAF_INPUTS)
        used = last().minus(free)
        f.give((used >> 2) + INPUTS)
