"""Tiles: the native code that draws a frame by intervals and batches, as LLVM text for each width of elements.

A frame is cut into squares of 16 children, each of which is cut into 16 again, down to leaves of 16 by 16 pixels. A
child whose interval is a point is filled; a child for which much is decided gets a shorter tape; and leaves run the
rest of the tape on 256 pixels at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

from ...jit.assembly import POINTER, Assembly, Function, Value
from ..abi import (
    CHILD_THRESHOLD,
    INPUTS,
    LEAF,
    LEAF_THRESHOLD,
    MIN_SHARING_LEAVES,
    RECORD,
    RETRY_PERIOD,
    STEP,
    FrameWord,
    FrameWriter,
    TapeRecord,
    WorkspaceWord,
)
from ..sizes import LANES
from ..tape import simplify
from .fills import defer_fills, write_fills
from .leaves import leaf
from .rows import StoreMode, finish_stores, store_row, store_rows

CLASSES = 5
"""Classes of tasks by the length of their tapes, each of half the length of the one before."""


@cache
def text(width: int, *, traced: bool = False) -> str:
    """The machine's text for elements of so many bytes, 4 or 8; with `traced` it records the tiles that it draws."""
    return machine_text((leaf, _node), _look, is_shorter, _draw, _draw_band, width, traced=traced)


def machine_text(
    parts: tuple[Callable[[Assembly, int], None], ...],
    look: Look,
    worth: Worth,
    draw: Callable[[Function, Task], None],
    draw_band: Callable[[Function, FrameWriter, Value, Value, Value], None],
    width: int,
    *,
    traced: bool,
) -> str:
    """The text of a machine: the functions that all machines have, and `parts` of its own."""
    half = LANES * width
    asm = Assembly(traced=traced)
    declare(asm)
    for write in (simplify.functions, fill, write_fills, *parts):
        write(asm, half)
    prepare(asm, half, look)
    arrange(asm)
    tiles(asm, half, worth, draw)
    bands(asm, half, draw_band)
    return asm.text()


def declare(asm: Assembly) -> None:
    """Declare the LLVM intrinsics that the machine calls."""
    vector = f"<{LANES} x i32>"
    asm.declare(f"{vector} @llvm.smin.v{LANES}i32({vector}, {vector})")
    asm.declare(f"void @llvm.masked.store.v{LANES}i32.p0({vector}, ptr, i32, <{LANES} x i1>)")
    asm.declare("void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    asm.declare("void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
    asm.declare("void @llvm.prefetch.p0(ptr, i32, i32, i32)")


def fill(asm: Assembly, half: int) -> None:
    """Write `fill`, which fills a square with one word."""
    with asm.function("fill", frame=POINTER, x="i64", y="i64", side="i64", value="i32") as f:
        w = FrameWriter(f, half, traced=asm.traced)
        wide, high = w.word(FrameWord.WIDTH), w.word(FrameWord.HEIGHT)
        value = f.splat(f.value, LANES)
        right, bottom = (f.x + f.side).least(wide), (f.y + f.side).least(high)
        out = w.word(FrameWord.OUT, POINTER)

        def rows(mode: StoreMode) -> None:
            with f.count(bottom, begin=f.y) as row:
                line = out + ((row * wide) << 2)
                with f.count(right, begin=f.x, step=LANES) as column:
                    store_row(f, value, line + (column << 2), right - column, mode)

        store_rows(f, w, rows, narrow=f.side < LANES)


def child_intervals(f: Function, w: FrameWriter, base: Value, x: Value, y: Value, shift: Value) -> Value:
    """Store the columns and rows of a square's 16 children as intervals; gives a mask of those in the frame."""
    lanes = range(LANES)
    side = f.number(1) << shift
    inside = f.number(-1, f"<{LANES} x i1>")
    for k, (start, steps, end) in enumerate(
        ((x, [n & 3 for n in lanes], FrameWord.WIDTH), (y, [n >> 2 for n in lanes], FrameWord.HEIGHT))
    ):
        last = f.splat((w.word(end) - 1).to("i32"), LANES)
        first = f.splat(start.to("i32"), LANES) + (f.lanes("i32", steps) << f.splat(shift.to("i32"), LANES))
        low = f.choose(first < last, first, last)
        high = first + f.splat((side - 1).to("i32"), LANES)
        high = f.choose(high < last, high, last)
        inside = inside & (first <= last)
        for value, offset in ((low, 0), (high, w.half)):
            f.store(
                value.to(f"<{LANES} x i{8 * w.half // LANES}>"), base, k * 2 * w.half + offset, align=w.half
            )
    return inside.read_as("i16")


def child_corner(x: Value, y: Value, k: Value, shift: Value) -> tuple[Value, Value]:
    """The first column and row of a child of a square."""
    return x + ((k & 3) << shift), y + ((k >> 2) << shift)


def fill_children(
    f: Function,
    w: FrameWriter,
    space: Value,
    which: Value,
    x: Value,
    y: Value,
    shift: Value,
    words: tuple[Value, int],
) -> None:
    """Fill some children of a square; `words` are the address of their first word and the bytes between words.

    Fills of a task that are no smaller than leaves are deferred to its end.
    """
    first, stride = words
    side = f.number(1) << shift
    noted = (shift >= LEAF) & (shift < w.word(FrameWord.SHIFT))
    with f.when(noted & which.differs(0)):
        values = f.load(f"<{LANES} x i{8 * stride}>", first, align=stride).to(f"<{LANES} x i32>")
        defer_fills(f, space, which, x, y, shift, values)
    with f.when(noted ^ 1), f.bits(which.to("i64")) as k:
        f.call("fill", f.frame, *child_corner(x, y, k, shift), side, f.load("i32", first + k * stride))
    many = f.call("llvm.ctpop.i16", which, result="i16").to("i64")
    w.add(space, WorkspaceWord.FILLED, (many << shift) << shift)
    if w.traced:
        with f.bits(which.to("i64")) as k:
            w.trace(*child_corner(x, y, k, shift), side, f.number(0))


def _children(
    f: Function, w: FrameWriter, space: Value, record: Value, x: Value, y: Value, shift: Value
) -> tuple[Value, Value]:
    """Evaluate the 16 children of a square on intervals: fill those that are points, and mark for the others.

    Gives masks of the children in the frame, and of those that are left.
    """
    base = w.place(space, FrameWord.BASE)
    there = child_intervals(f, w, base, x, y, shift)
    tape, length, root = w.tape(record)
    f.call("run_intervals", f.frame, space, tape, length)
    points = f.load("i64", w.place(space, FrameWord.CHOICE_TRACE) + ((root - INPUTS) << 3)).to("i16")
    fill_children(f, w, space, there & points, x, y, shift, (w.entry(base, root), w.half // LANES))
    rest = there & ~points
    with f.when(rest.differs(0)):
        f.call("mark", f.frame, space, tape, length, root, rest)
    return there, rest


def _look(f: Function, w: FrameWriter, space: Value, record: Value, x: Value, y: Value) -> Value:
    return _children(f, w, space, record, x, y, w.word(FrameWord.SHIFT))[1]


def is_shorter(f: Function, count: Value, length: Value, shift: Value) -> Value:
    """Whether a child's own tape is worth making: for a leaf it serves once, for a square many times."""
    part = f.choose(shift <= LEAF, f.number(LEAF_THRESHOLD), f.number(CHILD_THRESHOLD))
    return count.to("i64") * 100 < length * part


def _descend(
    f: Function, space: Value, record: Value, x: Value, y: Value, shift: Value, barren: Value
) -> None:
    """Draw a child: a leaf with its own tape, or a square."""
    leaf = shift <= LEAF
    with f.when(leaf):
        f.call("leaf", f.frame, space, record, x, y, f.number(0))
    with f.when(leaf ^ 1):
        f.call("node", f.frame, space, record, x, y, shift - STEP, barren)


def _draw(f: Function, task: Task) -> None:
    _descend(f, task.space, task.record, task.x, task.y, task.shift, task.shared)


def _copy_record(f: Function, source: Value, target: Value) -> None:
    """Copy a record."""
    for k in range(len(TapeRecord)):
        f.store(f.load("i64", source, 8 * k), target, 8 * k)


Worth = Callable[[Function, Value, Value, Value], Value]
"""Whether a child's own tape is worth making, from its length, its square's, and the logarithm of its side."""


class ChildTapes(NamedTuple):
    """Tapes of a square's children: `shared` is a mask of those that run the square's; the others are in `records`."""

    records: Value
    shared: Value

    def of(self, f: Function, k: Value) -> tuple[Value, Value]:
        """The record of a child's tape, and whether it is the child's own."""
        own = ((self.shared >> k) & 1).same(0)
        return f.choose(own, self.records + k * RECORD, f.record), own


@contextmanager
def child_tapes(f: Function, rest: Value, worth: Worth, leaf: Value) -> Generator[ChildTapes]:
    """Make tapes for those children of a square for which that pays; their memory is released afterwards.

    `leaf` says that a child runs its tape on its pixels only.
    """
    records = f.block(RECORD * LANES)
    pooled = f.load("i64", f.space, 8 * WorkspaceWord.POOLED)
    arena = f.load("i64", f.space, 8 * WorkspaceWord.ARENA)
    length = f.load("i64", f.record, 8 * TapeRecord.LENGTH)
    shared = f.variable("i64", rest.to("i64"))
    with f.bits(rest.to("i64")) as k:
        count = f.load("i32", f.space + (k << 2), 8 * WorkspaceWord.COUNTS)
        with f.when(worth(f, count, length, f.shift)):
            mine = records + k * RECORD
            made = f.call("emit", f.frame, f.space, f.space, f.record, k, mine, leaf.to("i64"), result="i64")
            shared.set(shared() & ~(made << k))
    yield ChildTapes(records, shared())
    f.store(pooled, f.space, 8 * WorkspaceWord.POOLED)
    f.store(arena, f.space, 8 * WorkspaceWord.ARENA)


def _node(asm: Assembly, half: int) -> None:
    """Write `node`, which draws a square.

    `shift` is the logarithm of its children's side; `barren` counts levels above without a decision.
    """
    with asm.function(
        "node", frame=POINTER, space=POINTER, record=POINTER, x="i64", y="i64", shift="i64", barren="i64",
    ) as f:  # fmt: skip
        w = FrameWriter(f, half, traced=asm.traced)
        wide, high = w.word(FrameWord.WIDTH), w.word(FrameWord.HEIGHT)
        finest = f.shift <= LEAF
        streak = f.load("i64", f.space, 8 * WorkspaceWord.STREAK)
        hopeless = (streak & (RETRY_PERIOD - 1)).differs(0)
        with f.when(finest & (f.barren >= 1) & hopeless):
            f.store(f.number(0), f.space, 8 * WorkspaceWord.SHARED)
            with f.count(LANES) as k:
                x, y = child_corner(f.x, f.y, k, f.shift)
                with f.when((x < wide) & (y < high)):
                    f.call("leaf", f.frame, f.space, f.record, x, y, f.number(1))
            f.store(streak + 1, f.space, 8 * WorkspaceWord.STREAK)
            f.give()
        there, rest = _children(f, w, f.space, f.record, f.x, f.y, f.shift)
        with f.when(rest.same(0)):
            f.store(f.number(0), f.space, 8 * WorkspaceWord.STREAK)
            f.give()
        with child_tapes(f, rest, is_shorter, finest) as tapes:
            shared = tapes.shared
            decided = there.to("i64") & ~shared
            barren = f.choose(decided.same(0), f.barren + 1, f.number(0))
            with f.when(finest):
                # Deciding one of 16 leaves saves less than the evaluation costs.
                in_vain = (decided & (decided + -1)).same(0)
                f.store(f.choose(in_vain, streak + 1, f.number(0)), f.space, 8 * WorkspaceWord.STREAK)
            many = f.call("llvm.ctpop.i64", shared, result="i64")
            sharing = f.choose(finest & (many >= MIN_SHARING_LEAVES), shared, f.number(0))
            f.store(f.number(0), f.space, 8 * WorkspaceWord.SHARED)
            with f.bits(sharing) as k:
                x, y = child_corner(f.x, f.y, k, f.shift)
                f.call("leaf", f.frame, f.space, f.record, x, y, f.number(1))
            with f.bits(rest.to("i64") & ~sharing) as k:
                f.store(f.number(0), f.space, 8 * WorkspaceWord.SHARED)
                record, _ = tapes.of(f, k)
                x, y = child_corner(f.x, f.y, k, f.shift)
                _descend(f, f.space, record, x, y, f.shift, barren)


def _corner(f: Function, w: FrameWriter, node: Value) -> tuple[Value, Value]:
    """The first column and row of a square of the top level."""
    across, shift = w.word(FrameWord.ACROSS), w.word(FrameWord.SHIFT) + STEP
    row = f.let(f"sdiv i64 {node.name}, {across.name}", "i64")
    return (node - row * across) << shift, row << shift


Look = Callable[[Function, FrameWriter, Value, Value, Value, Value], Value]
"""Evaluates a square's children, in a workspace, by a record, at a place; gives a mask of those that are left."""


def prepare(asm: Assembly, half: int, look: Look) -> None:
    """Write `prepare`, which evaluates squares of the top level; their children are tasks."""
    with asm.function("prepare", params=POINTER, frame=POINTER, sizes=POINTER, begin="i64", end="i64") as f:
        w = FrameWriter(f, half, traced=asm.traced)
        record = w.word(FrameWord.TOP, POINTER)
        with f.count(f.end, begin=f.begin) as k:
            space = w.word(FrameWord.NODES, POINTER) + k * w.word(FrameWord.WORKSPACE_BYTES)
            f.call("pool", f.frame, space)
            x, y = _corner(f, w, k + w.word(FrameWord.FIRST_NODE))
            f.store(look(f, w, space, record, x, y).to("i64"), space, 8 * WorkspaceWord.PENDING)
        finish_stores(f, w)


def _take_space(f: Function, w: FrameWriter) -> Value:
    """Acquire a free workspace: there are as many as threads."""
    space = f.variable(POINTER, w.word(FrameWord.WORKSPACES, POINTER))
    number = f.variable("i64", 0)
    with f.repeat() as loop:
        result = f.let(f"cmpxchg ptr {space().name}, i64 0, i64 1 acquire monotonic", "{ i64, i1 }")
        got = f.let(f"extractvalue {{ i64, i1 }} {result.name}, 1", "i1")
        f.leave(loop, got)
        number.set(number() + 1)
        wrapped = number() >= w.word(FrameWord.WORKSPACE_COUNT)
        number.set(f.choose(wrapped, f.number(0), number()))
        space.set(w.word(FrameWord.WORKSPACES, POINTER) + number() * w.word(FrameWord.WORKSPACE_BYTES))
    return space()


def _leave_space(f: Function, space: Value) -> None:
    """Release a workspace."""
    f.emit(f"store atomic i64 0, ptr {space.name} release, align 8")


class Task(NamedTuple):
    """A child of a square of the top level: its workspace, tape and corner, and the logarithm of its side.

    `shared` says that its tape is the whole one.
    """

    space: Value
    record: Value
    x: Value
    y: Value
    shift: Value
    shared: Value


def arrange(asm: Assembly) -> None:
    """Write `arrange`, which orders the children of squares of the top level that are left, and counts them.

    Long tasks come first, so that threads end together. A task is the number of a child.
    """
    with asm.function("arrange", "i64", frame=POINTER, squares="i64") as f:
        w = FrameWriter(f, 0)
        nodes, stride = w.word(FrameWord.NODES, POINTER), w.word(FrameWord.WORKSPACE_BYTES)
        order = w.word(FrameWord.ORDER, POINTER)
        length = f.load("i64", w.word(FrameWord.TOP, POINTER), 8 * TapeRecord.LENGTH)
        found = f.variable("i64", 0)
        with f.count(CLASSES) as number:
            most = f.choose(number.same(0), f.number(1 << 32), length >> number)
            least = f.choose(number.same(CLASSES - 1), f.number(-1), length >> (number + 1))
            with f.count(f.squares) as k:
                node = nodes + k * stride
                with f.bits(f.load("i64", node, 8 * WorkspaceWord.PENDING)) as child:
                    wanted = f.load("i32", node + (child << 2), 8 * WorkspaceWord.COUNTS).to("i64")
                    with f.when((wanted > least) & (wanted <= most)):
                        f.store((k << 4) + child, order + (found() << 3))
                        found.set(found() + 1)
        f.give(found())


def tiles(asm: Assembly, half: int, worth: Worth, draw: Callable[[Function, Task], None]) -> None:
    """Write `tiles`, which draws tasks in the order of `arrange`: 16 numbers to a square."""
    with asm.function("tiles", params=POINTER, frame=POINTER, sizes=POINTER, begin="i64", end="i64") as f:
        w = FrameWriter(f, half, traced=asm.traced)
        top = w.word(FrameWord.TOP, POINTER)
        mine = f.block(RECORD)
        here = _take_space(f, w)
        shift, length = w.word(FrameWord.SHIFT), f.load("i64", top, 8 * TapeRecord.LENGTH)
        order = w.word(FrameWord.ORDER, POINTER)
        with f.count(f.end, begin=f.begin) as number:
            task = f.load("i64", order + (number << 3))
            k = task & (LANES - 1)
            square = task >> 4
            node = w.word(FrameWord.NODES, POINTER) + square * w.word(FrameWord.WORKSPACE_BYTES)
            f.call("pool", f.frame, here)
            for which in (
                WorkspaceWord.STREAK,
                WorkspaceWord.STREAK_4,
                WorkspaceWord.STREAK_2,
                WorkspaceWord.STREAK_1,
                WorkspaceWord.SHARED,
            ):
                f.store(f.number(0), here, 8 * which)
            x, y = _corner(f, w, square + w.word(FrameWord.FIRST_NODE))
            _copy_record(f, top, mine)
            count = f.load("i32", node + (k << 2), 8 * WorkspaceWord.COUNTS)
            shared = f.variable("i64", 1)
            with f.when(worth(f, count, length, shift)):
                made = f.call("emit", f.frame, node, here, top, k, mine, f.number(0), result="i64")
                shared.set(made ^ 1)
            left, top = child_corner(x, y, k, shift)
            draw(f, Task(here, mine, left, top, shift, shared()))
            f.call("fills", f.frame, here, left, top)
        finish_stores(f, w)
        _leave_space(f, here)


def bands(
    asm: Assembly, half: int, draw: Callable[[Function, FrameWriter, Value, Value, Value], None]
) -> None:
    """Write `bands`, which draws bands of a leaf's height by the whole tape, without intervals, for comparison."""
    with asm.function("bands", params=POINTER, frame=POINTER, sizes=POINTER, begin="i64", end="i64") as f:
        w = FrameWriter(f, half, traced=asm.traced)
        whole = w.word(FrameWord.BAND, POINTER)
        here = _take_space(f, w)
        f.call("pool", f.frame, here)
        with f.count(f.end, begin=f.begin) as k:
            draw(f, w, here, whole, k << LEAF)
        finish_stores(f, w)
        _leave_space(f, here)


def _draw_band(f: Function, w: FrameWriter, space: Value, record: Value, y: Value) -> None:
    with f.count(w.word(FrameWord.WIDTH), step=1 << LEAF) as x:
        f.call("leaf", f.frame, space, record, x, y, f.number(0))
