"""The supersampling machine: the native code that draws frames with many samples to a pixel, as LLVM text.

It works as `machine.tiles`: squares of 16 children each, down to single pixels. The interval of a child holds all
samples of its pixels, so that a child of one word needs no samples. Other pixels are collected in lists that share a
tape; each is a lane, its samples are added in order, and the sums become words.
"""

from __future__ import annotations

from functools import cache

from ...jit.assembly import POINTER, Assembly, Function, Value
from ..abi import (
    CHILD_THRESHOLD,
    LEAF,
    MAX_LISTED,
    MAX_STREAK,
    MAX_VALUES,
    RETRY_PERIOD,
    STEP,
    FrameWord,
    FrameWriter,
    TapeRecord,
    WorkspaceWord,
)
from ..machine.leaves import leaf_form, run_leaf
from ..machine.tiles import (
    Task,
    child_corner,
    child_intervals,
    child_tapes,
    fill_children,
    machine_text,
)
from ..sizes import LANES, VECTORS
from ..taylor.tiles import TILE, functions, kept_by, place_in_tile, places_kept

SUMS = MAX_VALUES * 8 * LANES
"""Bytes for the sums of 16 pixels."""
COUNT, STREAK, COLUMNS = 0, 8, 64
"""Offsets in a list: its length; the squares in a row without a fill; the columns of its pixels, and then the rows."""
ROWS = COLUMNS + 4 * (MAX_LISTED + LANES)
LIST = ROWS + 4 * (MAX_LISTED + LANES)
SHORT_LIST_THRESHOLD = 50
"""Percentage of the present tape that a tape for a list of few pixels stays below."""
MANY_SAMPLES = 64
"""Samples of a pixel from which on intervals of single pixels are always evaluated."""


@cache
def text(width: int, *, traced: bool = False) -> str:
    """The machine's text for elements of so many bytes, 4 or 8; with `traced` it records the tiles that it draws."""
    parts = functions, _flush, _append, _node
    return machine_text(parts, _look, _is_worth, _draw, _draw_band, width, traced=traced)


def _flush(asm: Assembly, half: int) -> None:
    """Write `flush`, which draws the first pixels of a list."""
    lane = f"i{8 * half // LANES}"
    vector = f"<{LANES} x {lane}>"
    with asm.function("flush", frame=POINTER, space=POINTER, record=POINTER, list=POINTER, pixels="i64") as f:
        w = FrameWriter(f, half, traced=asm.traced)
        leaf_form(f, w)
        base = w.place(f.space, FrameWord.BASE)
        begin = w.entry(base, w.word(FrameWord.SLOTS_AT))
        tape = f.load(POINTER, f.record, 8 * TapeRecord.LEAF_TAPE)
        kept, instructions = kept_by(f, w, f.record, tape)
        length = f.load("i64", f.record, 8 * TapeRecord.LENGTH) - instructions
        side, samples = w.word(FrameWord.SIDE), w.word(FrameWord.SAMPLES)
        groups = (f.pixels + (LANES - 1)) >> 4
        # Spare lanes draw the last pixel again.
        for at in (COLUMNS, ROWS):
            last = f.load("i32", f.list + ((f.pixels - 1) << 2), at)
            with f.count(groups << 4, begin=f.pixels) as k:
                f.store(last, f.list + (k << 2), at)
        most = MAX_LISTED // LANES * SUMS
        sums, colors = f.block(most), f.block(4 * LANES)
        places, strides = f.block(8 * MAX_VALUES), f.block(8 * MAX_VALUES)
        f.call("llvm.memset.p0.i64", sums, f.number(0, "i8"), groups * SUMS, f.number(0, "i1"))
        places_kept(f, w, base, kept, places, strides)
        total = groups * samples
        across, down, group = (f.variable("i64", 0) for _ in range(3))
        adding, sample = f.variable("i64", 0), f.variable("i64", 0)
        with f.count(total, step=VECTORS) as first:
            left = (total - first).least(f.number(VECTORS))
            with f.count(VECTORS) as k:
                place = begin + k * half
                for n, at in enumerate((COLUMNS, ROWS)):
                    pixels = f.load(f"<{LANES} x i32>", f.list + (group() << 6), at, align=64)
                    f.store(pixels.to(vector), place, n * VECTORS * half, align=half)
                for n, which in enumerate((across(), down())):
                    f.store(f.splat(which.to(lane), LANES), place, (n + 2) * VECTORS * half, align=half)
                # After the last sample it is repeated: the result is safe to compute, and not used.
                with f.when((first + k) < (total - 1)):
                    across.set(across() + 1)
                    with f.when(across().same(side)):
                        across.set(0)
                        down.set(down() + 1)
                        with f.when(down().same(side)):
                            down.set(0)
                            group.set(group() + 1)
            run_leaf(f, w, base, tape, length)
            done = f.variable("i64", 0)
            with f.repeat() as loop:
                f.leave(loop, done() >= left)
                count = (samples - sample()).least(left - done())
                f.call(
                    w.word(FrameWord.SUM, POINTER).name,
                    sums + adding() * SUMS,
                    places,
                    strides,
                    done(),
                    count,
                )
                done.set(done() + count)
                sample.set(sample() + count)
                with f.when(sample().same(samples)):
                    sample.set(0)
                    adding.set(adding() + 1)
            w.add(f.space, WorkspaceWord.LEAVES, 1)
            w.add(f.space, WorkspaceWord.LEAF_STEPS, length)
        w.add(f.space, WorkspaceWord.SAMPLED, f.pixels * samples)
        out, wide = w.word(FrameWord.OUT, POINTER), w.word(FrameWord.WIDTH)
        with f.count(groups) as g:
            f.call(w.word(FrameWord.FINISH, POINTER).name, sums + g * SUMS, base, colors)
            with f.count((f.pixels - (g << 4)).least(f.number(LANES))) as k:
                at = f.list + (((g << 4) + k) << 2)
                column, row = (f.load("i32", at, which).to("i64") for which in (COLUMNS, ROWS))
                f.store(f.load("i32", colors + (k << 2)), out + ((row * wide + column) << 2))


def _append(asm: Assembly, half: int) -> None:
    """Write `append`, which appends a pixel to a list if it is wanted, and draws the list when it is full."""
    with asm.function(
        "append", frame=POINTER, space=POINTER, record=POINTER, list=POINTER, x="i64", y="i64"
    ) as f:
        w = FrameWriter(f, half, traced=asm.traced)
        with f.when(w.word(FrameWord.WANTED).differs(0)):
            place = w.word(FrameWord.WANTED, POINTER) + (f.y * w.word(FrameWord.WIDTH) + f.x)
            with f.when(f.load("i8", place).same(0)):
                f.give()
        count = f.load("i64", f.list, COUNT)
        at = f.list + (count << 2)
        f.store(f.x.to("i32"), at, COLUMNS)
        f.store(f.y.to("i32"), at, ROWS)
        full = (count + 1) >= w.word(FrameWord.AT_ONCE)
        with f.when(full):
            f.call("flush", f.frame, f.space, f.record, f.list, count + 1)
        f.store(f.choose(full, f.number(0), count + 1), f.list, COUNT)


def _finish(f: Function, space: Value, record: Value, pixels: Value) -> None:
    """Draw the pixels that are left in a list."""
    count = f.load("i64", pixels, COUNT)
    with f.when(count > 0):
        f.call("flush", f.frame, space, record, pixels, count)
        f.store(f.number(0), pixels, COUNT)


def _list(f: Function) -> Value:
    """An empty list."""
    made = f.block(LIST)
    _empty(f, made)
    return made


def _empty(f: Function, pixels: Value) -> None:
    for at in (COUNT, STREAK):
        f.store(f.number(0), pixels, at)


def _children(
    f: Function, w: FrameWriter, space: Value, record: Value, x: Value, y: Value, shift: Value, there: Value
) -> Value:
    """Evaluate the children in the mask on intervals, and fill those of one word; gives a mask of the others."""
    base = w.place(space, FrameWord.BASE)
    lane = f"i{8 * w.half // LANES}"
    last = f.splat((w.word(FrameWord.SIDE) - 1).to(lane), LANES)
    for n in (2, 3):
        f.store(f.number(0, last.type), base, 2 * n * w.half, align=w.half)
        f.store(last, base, (2 * n + 1) * w.half, align=w.half)
    tape, length, _ = w.tape(record)
    f.call("run_intervals", f.frame, space, tape, length)
    places, colors = f.block(8 * MAX_VALUES), f.block(4 * LANES)
    kept, _ = kept_by(f, w, record, tape)
    places_kept(f, w, base, kept, places)
    slack = w.word(FrameWord.SLACK).to("i32")
    found = f.call(
        w.word(FrameWord.BOUNDS, POINTER).name,
        places,
        base,
        w.word(FrameWord.SAMPLES),
        slack,
        colors,
        result="i16",
    )
    fill_children(f, w, space, there & found, x, y, shift, (colors, 4))
    return there & ~found


def _mark(f: Function, w: FrameWriter, space: Value, record: Value, rest: Value) -> None:
    """Mark the instructions that the children which are left need."""
    with f.when(rest.differs(0)):
        f.call("mark", f.frame, space, *w.tape(record), rest)


def _is_worth(f: Function, count: Value, length: Value, shift: Value) -> Value:
    """Whether a child's own tape is worth making: a list of few pixels leaves lanes unused."""
    part = f.choose(shift <= STEP, f.number(SHORT_LIST_THRESHOLD), f.number(CHILD_THRESHOLD))
    return count.to("i64") * 100 < length * part


def _node(asm: Assembly, half: int) -> None:
    """Write `node`, which draws a square; pixels that are left and share its tape are appended to a list.

    `shift` is the logarithm of its children's side. `tile` has the pixels that are left in the tile around the square,
    if the square is a quarter of it or less.
    """
    with asm.function(
        "node", frame=POINTER, space=POINTER, record=POINTER, list=POINTER, x="i64", y="i64", shift="i64",
        tile=POINTER,
    ) as f:  # fmt: skip
        w = FrameWriter(f, half, traced=asm.traced)
        base = w.place(f.space, FrameWord.BASE)
        there = child_intervals(f, w, base, f.x, f.y, f.shift)
        with f.when(f.shift <= w.word(FrameWord.SMALLEST)):
            _smallest(f, w, there)
            f.give()
        rest = f.variable("i16", _children(f, w, f.space, f.record, f.x, f.y, f.shift, there))
        tile = f.block(TILE)
        with f.when(rest().differs(0) & f.shift.same(STEP)):
            rest.set(_tile(f, rest(), tile))
        with f.when(rest().same(0)):
            f.give()
        _mark(f, w, f.space, f.record, rest())
        mine = _list(f)
        tapes = child_tapes(f, rest(), _is_worth, f.number(0, "i1"))
        with tapes as found, f.bits(rest().to("i64")) as k:
            record, own = found.of(f, k)
            pixels = f.choose(own, mine, f.list)
            x, y = child_corner(f.x, f.y, k, f.shift)
            f.call("node", f.frame, f.space, record, pixels, x, y, f.shift - STEP, tile)
            with f.when(own):
                _finish(f, f.space, record, mine)
                _empty(f, mine)


def _tile(f: Function, rest: Value, tile: Value) -> Value:
    """Fill pixels of a square of 16 by 16 that Taylor models decide; gives a mask of the children that are left."""
    return f.call("tile", f.frame, f.space, f.record, f.x, f.y, rest, tile, result="i16")


def _smallest(f: Function, w: FrameWriter, there: Value) -> None:
    """Draw the smallest squares: append those that are left to the list, pixel by pixel."""
    rest = f.variable("i16", there)
    tile = f.variable(POINTER, f.tile)
    is_pixel = f.shift.same(0)
    many = w.word(FrameWord.SAMPLES) >= MANY_SAMPLES
    with f.when(is_pixel):
        here = f.load(f"<{LANES} x i8>", f.tile + place_in_tile(f.x, f.y), align=LANES)
        rest.set(there & here.differs(0).read_as("i16"))
    asked = rest()
    streak = f.load("i64", f.list, STREAK)
    skipped = ~many & (streak >= MAX_STREAK) & (streak & (RETRY_PERIOD - 1)).differs(0)
    with f.when(~skipped & asked.differs(0)):
        left = _children(f, w, f.space, f.record, f.x, f.y, f.shift, asked)
        rest.set(left)
        f.store(f.choose(left.same(asked), streak, f.number(0)), f.list, STREAK)
    with f.when(rest().same(asked)):
        f.store(f.load("i64", f.list, STREAK) + 1, f.list, STREAK)
    with f.when(~is_pixel & rest().differs(0)):
        own = f.block(TILE)
        tile.set(own)
        rest.set(_tile(f, rest(), own))
    with f.when(is_pixel & many & rest().differs(0)):
        f.call("pixels", f.frame, f.space, f.record, f.x, f.y, rest(), tile())
    side = f.number(1) << f.shift
    right, bottom = w.word(FrameWord.WIDTH), w.word(FrameWord.HEIGHT)
    with f.bits(rest().to("i64")) as k:
        x, y = child_corner(f.x, f.y, k, f.shift)
        with (
            f.count((y + side).least(bottom), begin=y) as row,
            f.count((x + side).least(right), begin=x) as column,
            f.when(f.load("i8", tile() + place_in_tile(column, row)).differs(0)),
        ):
            w.trace(column, row, f.number(1), f.load("i64", f.record, 8 * TapeRecord.LENGTH))
            f.call("append", f.frame, f.space, f.record, f.list, column, row)


def _look(f: Function, w: FrameWriter, space: Value, record: Value, x: Value, y: Value) -> Value:
    shift = w.word(FrameWord.SHIFT)
    there = child_intervals(f, w, w.place(space, FrameWord.BASE), x, y, shift)
    rest = _children(f, w, space, record, x, y, shift, there)
    _mark(f, w, space, record, rest)
    return rest


def _draw(f: Function, task: Task) -> None:
    pixels = _list(f)
    nothing = Value("null", POINTER, f)
    shift = task.shift - STEP
    f.call("node", f.frame, task.space, task.record, pixels, task.x, task.y, shift, nothing)
    _finish(f, task.space, task.record, pixels)


def _draw_band(f: Function, w: FrameWriter, space: Value, record: Value, y: Value) -> None:
    pixels = _list(f)
    bottom = (y + (1 << LEAF)).least(w.word(FrameWord.HEIGHT))
    with f.count(bottom, begin=y) as row, f.count(w.word(FrameWord.WIDTH)) as column:
        f.call("append", f.frame, space, record, pixels, column, row)
    _finish(f, space, record, pixels)
