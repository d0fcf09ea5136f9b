"""Call linkage: the code of the instructions by which a tape runs the body of an iteration, on batches and on boxes.

They are called as the kernels of rows are: with the places of a result and of three operands, and the bytes of a
batch. They need not know what their elements mean: values that go in and out are copied, and the body's own lines,
which rows of the table made, say how the state changes.
"""

from __future__ import annotations

from enum import IntEnum, auto

from ...jit.assembly import POINTER, Assembly, Function, Value
from ..sizes import LANES, VECTORS

INSTRUCTION_BYTES = 24
"""Bytes of a line of a body: the address of its code, and where its result and operands are, in units of the base."""
MAX_UNPROVEN = 2
"""How many steps in a row boxes make of which no pixel surely makes any."""


class LinkWord(IntEnum):
    """The words of a link's entry in the pool: how many bytes there are from it to a place of the body."""

    BATCH = 0
    INTERVAL = auto()


class SubprogramWord(IntEnum):
    """The words of a body's entry in the pool; places are told in bytes, the base's from here, others from the base."""

    BASE = 0
    LIMIT = auto()
    BATCH_CODE = auto()
    INTERVAL_CODE = auto()
    STOP = auto()
    STEP = auto()
    LOST = auto()
    BATCH_RUNNING = auto()
    INTERVAL_RUNNING = auto()


def text(op: str, truth: bool, batch: str, box: str, half: int) -> str:
    """The two functions of an instruction, under such names; `batch` takes whatever is uniform as well.

    `truth` says that what is taken is one.
    """
    asm = Assembly()
    if op == "loop":
        _run_batches(asm, batch, half)
        _run_boxes(asm, box, half)
    elif op == "take":
        _take(asm, batch, box, half, truth=truth)
    else:
        _pass(asm, batch, box, half, masked=op == "mask")
    return asm.definitions()


def _copy(f: Function, source: Value, target: Value, half: int, step: int = 1) -> None:
    """A batch; or, with a step of 0, one vector as a whole batch."""
    vector = f"<{half} x i8>"
    with f.count(VECTORS * half, step=half) as k:
        f.store(f.load(vector, source + k * step, align=half), target + k, align=half)


def _pass(asm: Assembly, batch: str, box: str, half: int, *, masked: bool) -> None:
    """A value goes in: the first operand, to the place that the third tells of. The second was passed before.

    Where lanes are passed that matter, a box in which some may is passed as if all did: what comes out is wanted only
    there.
    """
    parameters = dict.fromkeys("oabc", POINTER)
    for uniform in (False, True):
        with asm.function(f"{batch}_{int(uniform)}", **parameters, size="i64") as f:
            _copy(f, f.a, f.c + f.load("i64", f.c, 8 * LinkWord.BATCH), half, step=0 if uniform else 1)
    with asm.function(box, "i64", **parameters) as f:
        to = f.c + f.load("i64", f.c, 8 * LinkWord.INTERVAL)
        vector = f"<{half} x i8>"
        for end in (0, half):
            f.store(f.load(vector, f.a, half if masked else end, align=half), to, end, align=half)
        f.give(f.number(0))


def _take(asm: Assembly, batch: str, box: str, half: int, *, truth: bool) -> None:
    """A value comes out: from the place that the second operand tells of. The first is the run of the body."""
    parameters = dict.fromkeys("oabc", POINTER)
    with asm.function(f"{batch}_0", **parameters, size="i64") as f:
        _copy(f, f.b + f.load("i64", f.b, 8 * LinkWord.BATCH), f.o, half)
    with asm.function(box, "i64", **parameters) as f:
        source = f.b + f.load("i64", f.b, 8 * LinkWord.INTERVAL)
        word = f"<{LANES} x i{8 * half // LANES}>"
        lo, hi = (f.load(word, source, end, align=half) for end in (0, half))
        f.store(lo, f.o, align=half)
        f.store(hi, f.o, half, align=half)
        same = (
            ~(f.load("i16", source) ^ f.load("i16", source, half))
            if truth
            else (~(lo ^ hi)).same(-1).read_as("i16")
        )
        f.give(same.to("i64"))


def _run_instructions(
    f: Function, base: Value, code: Value, first: Value, count: Value, half: int, result: str
) -> None:
    """Run lines of a body."""
    unit = (2 * half).bit_length() - 1
    start = code + first * INSTRUCTION_BYTES
    with f.count(count) as i:
        at = start + i * INSTRUCTION_BYTES
        places = [base + (f.load("i32", at, k).signed("i64") << unit) for k in (8, 12, 16, 20)]
        size = [f.number(VECTORS * half)] if result == "void" else []
        f.call(f.load(POINTER, at).name, *places, *size, result=result)


def _run_batches(asm: Assembly, name: str, half: int) -> None:
    """Run a body until no lane moves."""
    with asm.function(f"{name}_0", **dict.fromkeys("oabc", POINTER), size="i64") as f:
        base = f.b + f.load("i64", f.b, 8 * SubprogramWord.BASE)
        limit = f.load("i32", base + f.load("i64", f.b, 8 * SubprogramWord.LIMIT)).signed("i64")
        running = base + f.load("i64", f.b, 8 * SubprogramWord.BATCH_RUNNING)
        code, stop, step = (
            f.load(POINTER, f.b, 8 * SubprogramWord.BATCH_CODE),
            *(f.load("i64", f.b, 8 * k) for k in (SubprogramWord.STOP, SubprogramWord.STEP)),
        )
        done = f.variable("i64", 0)
        with f.repeat() as loop:
            f.leave(loop, done() >= limit)
            _run_instructions(f, base, code, f.number(0), stop, half, "void")
            some = f.load("i16", running)
            for k in range(1, VECTORS):
                some = some | f.load("i16", running, k * half)
            f.leave(loop, some.same(0))
            _run_instructions(f, base, code, stop, step, half, "void")
            done.set(done() + 1)


def _run_boxes(asm: Assembly, name: str, half: int) -> None:
    """Run a body on boxes: as long as all of some box surely moves, it costs little; else not for long.

    Who does not know when to stop may take any state. No result is ever pinned here: those are that are taken.
    """
    with asm.function(name, "i64", **dict.fromkeys("oabc", POINTER)) as f:
        base = f.b + f.load("i64", f.b, 8 * SubprogramWord.BASE)
        limit = f.load("i32", base + f.load("i64", f.b, 8 * SubprogramWord.LIMIT)).signed("i64")
        running = base + f.load("i64", f.b, 8 * SubprogramWord.INTERVAL_RUNNING)
        code, stop, step, lost = (
            f.load(POINTER, f.b, 8 * SubprogramWord.INTERVAL_CODE),
            *(
                f.load("i64", f.b, 8 * k)
                for k in (SubprogramWord.STOP, SubprogramWord.STEP, SubprogramWord.LOST)
            ),
        )
        done, unproven = f.variable("i64", 0), f.variable("i64", 0)
        with f.repeat() as loop:
            f.leave(loop, done() >= limit)
            _run_instructions(f, base, code, f.number(0), stop, half, "i64")
            must, may = f.load("i16", running), f.load("i16", running, half)
            f.leave(loop, may.same(0))
            unproven.set(f.choose(must.same(0), unproven() + 1, f.number(0)))
            gives_up = unproven() > MAX_UNPROVEN
            with f.when(gives_up):
                _run_instructions(f, base, code, stop + step, lost, half, "i64")
            f.leave(loop, gives_up)
            _run_instructions(f, base, code, stop, step, half, "i64")
            done.set(done() + 1)
        f.give(f.number(0))
