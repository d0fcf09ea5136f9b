"""Call linkage: the instructions by which a tape runs a loop subprogram, on batches and on intervals.

They are called as the kernels of rows are: with the places of a result and of three operands, and the bytes of a
batch. They do not interpret elements: they copy arguments and results, and run the subprogram's own instructions, which
are kernels of rows.
"""

from __future__ import annotations

from enum import IntEnum, auto

from ...jit.assembly import POINTER, Assembly, Function, Value
from ..sizes import LANES, VECTORS

INSTRUCTION_BYTES = 24
"""Bytes of a subprogram's instruction: the address of its code, and the places of result and operands, in units."""
MAX_UNPROVEN = 2
"""The interval evaluator stops after this many iterations that no pixel is proven to take."""


class LinkWord(IntEnum):
    """The words of a link's entry in the pool: the bytes from the entry to a place of the subprogram."""

    BATCH = 0
    INTERVAL = auto()


SubprogramWord = IntEnum(
    "SubprogramWord",
    "BASE LIMIT BATCH_CODE INTERVAL_CODE STOP STEP LOST BATCH_RUNNING INTERVAL_RUNNING",
    start=0,
)
"""The words of a subprogram's entry in the pool; offsets in bytes, of the base from here, others from the base."""


def text(op: str, truth: bool, batch: str, interval: str, half: int) -> str:
    """The LLVM text of an instruction's two functions, `batch` and `interval`; `batch` takes uniform operands as well.

    `truth` says that the result which is taken is a truth.
    """
    asm = Assembly()
    if op == "loop":
        _run_batches(asm, batch, half)
        _run_intervals(asm, interval, half)
    elif op == "take":
        _take(asm, batch, interval, half, truth=truth)
    else:
        _pass(asm, batch, interval, half, masked=op == "mask")
    return asm.definitions()


def _copy(f: Function, source: Value, target: Value, half: int, step: int = 1) -> None:
    """Copy a batch; or, with a step of 0, broadcast one vector to a batch."""
    vector = f"<{half} x i8>"
    with f.count(VECTORS * half, step=half) as k:
        f.store(f.load(vector, source + k * step, align=half), target + k, align=half)


def _pass(asm: Assembly, batch: str, interval: str, half: int, *, masked: bool) -> None:
    """Write `pass`: the first operand is copied to the place of the third, a link. The second orders the calls.

    A branch mask is passed on intervals as if every lane that may be active is: results are read only there.
    """
    parameters = dict.fromkeys("oabc", POINTER)
    for uniform in (False, True):
        with asm.function(f"{batch}_{int(uniform)}", **parameters, size="i64") as f:
            _copy(f, f.a, f.c + f.load("i64", f.c, 8 * LinkWord.BATCH), half, step=0 if uniform else 1)
    with asm.function(interval, "i64", **parameters) as f:
        to = f.c + f.load("i64", f.c, 8 * LinkWord.INTERVAL)
        vector = f"<{half} x i8>"
        for end in (0, half):
            f.store(f.load(vector, f.a, half if masked else end, align=half), to, end, align=half)
        f.give(f.number(0))


def _take(asm: Assembly, batch: str, interval: str, half: int, *, truth: bool) -> None:
    """Write `take`: the result is copied from the place of the second operand, a link. The first orders the calls."""
    parameters = dict.fromkeys("oabc", POINTER)
    with asm.function(f"{batch}_0", **parameters, size="i64") as f:
        _copy(f, f.b + f.load("i64", f.b, 8 * LinkWord.BATCH), f.o, half)
    with asm.function(interval, "i64", **parameters) as f:
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
    """Run instructions of a subprogram."""
    unit = (2 * half).bit_length() - 1
    start = code + first * INSTRUCTION_BYTES
    with f.count(count) as i:
        at = start + i * INSTRUCTION_BYTES
        places = [base + (f.load("i32", at, k).signed("i64") << unit) for k in (8, 12, 16, 20)]
        size = [f.number(VECTORS * half)] if result == "void" else []
        f.call(f.load(POINTER, at).name, *places, *size, result=result)


def _begun(f: Function, running: int) -> tuple[Value, Value, Value]:
    """The base of the subprogram in `f.b`, the limit of its iterations, and the place of its mask of active lanes."""
    base = f.b + f.load("i64", f.b, 8 * SubprogramWord.BASE)
    limit = f.load("i32", base + f.load("i64", f.b, 8 * SubprogramWord.LIMIT)).signed("i64")
    return base, limit, base + f.load("i64", f.b, 8 * running)


def _run_batches(asm: Assembly, name: str, half: int) -> None:
    """Write the loop that runs a subprogram on batches until no lane is active."""
    with asm.function(f"{name}_0", **dict.fromkeys("oabc", POINTER), size="i64") as f:
        base, limit, running = _begun(f, SubprogramWord.BATCH_RUNNING)
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


def _run_intervals(asm: Assembly, name: str, half: int) -> None:
    """Write the loop that runs a subprogram on intervals, which stops when it may and no pixel provably goes on.

    If it stops early, states become the intervals of their types. Its result is no point; taken results may be.
    """
    with asm.function(name, "i64", **dict.fromkeys("oabc", POINTER)) as f:
        base, limit, running = _begun(f, SubprogramWord.INTERVAL_RUNNING)
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
