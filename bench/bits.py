"""Packed samples and sound: one general program, specialized, and in wide registers, against C by hand.

The C stands in `reference/bits.c`, once as compilers like it, and once in registers of 512 bits where that is not what a
compiler makes of it. After the races: how much is won by specializing, and what compiling costs.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import packed
from harness import Race, reference
from specializing import THESIS, hertz, instructions

from pellucid import signals as sg
from pellucid.backends.llvm import LlvmBackend
from pellucid.driver import forget
from pellucid.driver.program import compile_program
from pellucid.driver.streams import compile_stream, optimized
from pellucid.ir.stream import Stream
from pellucid.staging import Memory, Samples, Table, cyclic, specialize, stream, unknown
from pellucid.staging.stream_nest import stream_nest

BYTES, THREADS = 4 << 20, 2
PLAIN, WIDE = "C", "C, 512 bits"
random = np.random.default_rng(1)
NOISE = random.integers(0, 256, BYTES + 64, dtype=np.uint8)
SOUND = random.integers(-32768, 32768, BYTES // 2 + 8, dtype=np.int16)
OTHER = random.integers(-32768, 32768, BYTES // 2, dtype=np.int16)
TAPS = np.array([2000, 7000, 14000, 7000, 2000], np.int16)
SHUFFLED = random.permutation(256).astype(np.uint8)
WAVE = np.round(32767 * np.sin(2 * np.pi * np.arange(1024) / 1024)).astype(np.int16)
CARRIER, MODULATOR, INDEX = 42_949_673, 30_064_771, 20_000
PHASE = 0xFFFFFFFF
CONSTANTS = {
    "taps": TAPS, "table": SHUFFLED, "wave": WAVE, "moved": WAVE.astype(np.int32) * INDEX,
    "carrier": CARRIER, "modulator": MODULATOR,
}  # fmt: skip
"""What the nests of `packed` are given besides samples."""


def sound(buffer: int, late: int = 0) -> Samples:
    """Samples of 16 bits with a sign, some of them later."""
    return Samples(buffer, 16 * late, 16, 16, signed=True)


def filtered(*samples: Any) -> Any:
    """A sample of the filtered sound."""
    return sum(int(tap) * x for tap, x in zip(TAPS, samples, strict=True)) >> 15


SHUFFLE, SINE = Table(SHUFFLED), Table(WAVE)


def modulated(i: Any) -> Any:
    """A sample of an oscillator whose phase another one moves."""
    moved = SINE((i * MODULATOR & PHASE) >> 22) * INDEX
    return SINE((i * CARRIER + moved & PHASE) >> 22)


@dataclass(frozen=True)
class Case:
    """A race: a stream, what it reads, how many samples, the bytes it writes, and what C is given besides.

    `layouts` are (size, stride) of its input and output where the general program can do the same.
    """

    name: str
    stream: Stream
    sources: Sequence[Any]
    count: int
    written: int = 0
    extra: Sequence[Any] = ()
    wide: bool = True
    layouts: tuple[tuple[int, int], ...] = ()
    results: dict[str, Any] = field(default_factory=dict)


def one(inputs: Sequence[Samples], out: Samples, function: Callable[..., Any] = lambda x: x) -> Stream:
    """A stream of one output."""
    return stream(function, inputs, [out])


def cases() -> list[Case]:
    """All races."""
    bytes_, groups = NOISE[:BYTES], BYTES // 4
    twelves = BYTES // 48 * 48
    half, out16 = BYTES // 2, Samples(0, 0, 16, 16)
    in8, out8, in6 = Samples(1, 0, 8, 8), Samples(0, 0, 8, 8), Samples(1, 0, 6, 6)
    return [
        Case("sum8", stream(lambda x: x, [out8]), [bytes_], BYTES, layouts=((8, 8),)),
        Case(
            "sum12",
            stream(lambda x: x, [Samples(0, 0, 12, 12)]),
            [bytes_[:twelves]],
            twelves // 3 * 2,
            layouts=((12, 12),),
        ),
        Case(
            "spread16",
            one([in8], Samples(0, 0, 8, 16)),
            [bytes_],
            BYTES,
            2 * BYTES,
            layouts=((8, 8), (8, 16)),
        ),
        Case("from6", one([in6], out8), [bytes_[: 3 * groups]], 4 * groups, BYTES, layouts=((6, 6), (8, 8))),
        Case("to6", one([in8], Samples(0, 0, 6, 6)), [bytes_], BYTES, 3 * groups, layouts=((8, 8), (6, 6))),
        Case("lut8", one([in8], out8, SHUFFLE), [bytes_], BYTES, BYTES, [SHUFFLED]),
        Case("add10", one([sound(1)], out16, lambda x: x + 10), [SOUND[:half]], half, BYTES, wide=False),
        Case(
            "mix",
            one([sound(1), sound(2)], out16, lambda a, b: (a + b) >> 1),
            [SOUND[:half], OTHER],
            half,
            BYTES,
            wide=False,
        ),
        Case(
            "fir5",
            one([sound(1, k) for k in range(5)], out16, filtered),
            [SOUND],
            half,
            BYTES,
            [TAPS],
            wide=False,
        ),
        Case(
            "fm",
            stream(modulated, [], [out16], counted=True),
            [],
            half,
            BYTES,
            [WAVE, np.array([CARRIER, MODULATOR, INDEX], np.int32)],
            wide=False,
        ),
    ]


def pointer(array: np.ndarray[Any, Any]) -> ctypes.c_void_p:
    """Where an array is, for C."""
    return array.ctypes.data_as(ctypes.c_void_p)


def by_c(library: ctypes.CDLL, case: Case, kind: str, out: np.ndarray[Any, Any]) -> Callable[[], Any]:
    """The C function of a case, called on the same arrays of NumPy as we are."""
    call = getattr(library, f"{case.name}_{kind}")
    outs = [out] if case.written else []
    call.restype = None if case.written else ctypes.c_uint64
    arrays = [*case.sources, *outs]
    # What does not change from call to call is made before.
    rest = [ctypes.c_int64(case.count), *map(pointer, case.extra), THREADS]

    def run() -> Any:
        found = call(*map(pointer, arrays), *rest)
        return out if case.written else found

    return run


def by_us(case: Case, out: np.ndarray[Any, Any]) -> Callable[[], Any]:
    """The compiled stream of a case."""
    code = compile_stream(case.stream)
    buffers = [*([out] if case.written else []), *(x.view(np.uint8) for x in case.sources)]

    def run() -> Any:
        found = code(buffers, case.count, threads=THREADS)
        return out if case.written else found[0]

    return run


def by_nest(case: Case, out: np.ndarray[Any, Any], threads: int = THREADS) -> Callable[[], Any]:
    """The kernel of a case as a nest."""
    return packed.peer(case.name, case.count, CONSTANTS, list(case.sources), out, threads)


def total(memory: Memory, start: Any, stop: Any, size: Any, stride: Any) -> Any:
    """The sum of a signal."""
    return sg.reduce(sg.memory(memory, start, stop, size, stride), 0, lambda r, x: r + x)


def convert(source: Memory, target: Memory, one: Any, two: Any) -> None:
    """A copy from one layout to another."""
    sg.copy(sg.memory(source, *one), sg.memory(target, *two))


def by_words(case: Case, *, general: bool) -> Callable[[], Any]:
    """The program of bit addresses, for any layout or for the one at hand, on words of 32 bits."""
    sides = ("a", "b")[: len(case.layouts)]
    memories = [Memory(side) for side in sides]
    ends = [case.sources[0].size // 4, case.written // 4]
    given: dict[str, int] = {}
    signals: list[tuple[Any, ...]] = []
    for side, end, (size, stride) in zip(sides, ends, case.layouts, strict=False):
        names = [f"{side}{k}" for k in range(4)]
        if general:
            signals.append(tuple(unknown(name) for name in names))
            given |= dict(zip(names, (0, 32 * end, size, stride), strict=True))
        else:
            signals.append((*(cyclic(32, name) for name in names[:2]), size, stride))
            given |= {names[0]: 0, names[1]: end}
    program = (
        specialize(total, memories[0], *signals[0])
        if len(sides) == 1
        else specialize(convert, *memories, *signals)
    )
    code = compile_program(program)
    out = np.zeros(ends[1], np.uint32)
    arrays = {"a": case.sources[0].view(np.uint32), **({"b": out} if len(sides) > 1 else {})}

    def run() -> Any:
        found = code(arrays, threads=THREADS, **given)
        return out.view(np.uint8) if case.written else found

    return run


def race(library: ctypes.CDLL, case: Case) -> dict[str, tuple[float, float]]:
    """Check, measure, print."""
    # One array for all: where its pages happen to lie makes a difference of a tenth.
    out = np.zeros(case.written, np.uint8)
    peers = {PLAIN: by_c(library, case, "plain", out)}
    if case.wide:
        peers[WIDE] = by_c(library, case, "wide", out)
    peers["wide registers"] = by_us(case, out)
    peers["nest"] = by_nest(case, out)
    title = f"{case.name}: {sum(x.nbytes for x in case.sources) >> 10} KB in, {case.written >> 10} KB out"
    table = Race(f"{title}, {THREADS} threads")
    expected = np.copy(peers[PLAIN]())
    for name, peer in peers.items():
        out[:] = 0
        table.add(name, peer, "exact" if np.array_equal(peer(), expected) else "WRONG")
    return table.run(WIDE if case.wide else PLAIN)


def generality(case: Case, wide: float) -> str:
    """What is won by specializing: the times of the general and of the specialized program over those in registers."""
    found: list[float] = []
    expected = np.copy(by_us(case, np.zeros(case.written, np.uint8))())
    for general in (True, False):
        call = by_words(case, general=general)
        best = min(timed(call)[0] for _ in range(3))
        right = np.array_equal(call(), expected)
        found.append(best)
        if not right:
            return f"  {case.name:<10} WRONG"
    return (
        f"  {case.name:<10} {1e3 * found[0]:9.1f} {1e3 * found[1]:12.2f} {wide:15.3f} "
        f"{found[0] / found[1]:22.1f} {1e3 * found[0] / wide:27.0f}"
    )


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and the result."""
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def compiling(every: list[Case]) -> None:
    """What compiling costs: from nothing, and where another process has left its code."""
    print("\ncompiling: planned and emitted, or from the disk; cycles for each instruction that is emitted")
    print(f"  {'':<10} {'cold ms':>9} {'from disk ms':>13} {'instructions':>13} {'cycles each':>12}")
    speed = hertz()
    for case in every:
        cold: list[float] = []
        warm: list[float] = []
        text = ""
        for _ in range(5):
            start = time.perf_counter()
            nest = optimized(stream_nest(case.stream), packed.OPTIONS)
            text = LlvmBackend().compile(nest.kernel, nest.ranges).text
            cold.append(time.perf_counter() - start)
            forget()
            warm.append(timed(lambda case=case: compile_stream(case.stream))[0])
        count = instructions(text)
        low, quick = 1e3 * min(cold), 1e3 * min(warm)
        print(f"  {case.name:<10} {low:9.1f} {quick:13.2f} {count:13} {1e-3 * low * speed / count:12,.0f}")
    print(THESIS)


def main() -> None:
    """Races, then the two tables."""
    library = reference("bits")
    every = cases()
    times = {case.name: race(library, case)["wide registers"][0] for case in every}
    print("\ngeneral and specialized: one program of bit addresses, on words of 32 bits")
    print(
        f"  {'':<10} {'general ms':>9} {'specialized':>11} {'wide registers':>15} {'general/specialized':>22} {'general/wide':>27}"
    )
    for case in every:
        if case.layouts:
            print(generality(case, times[case.name]))
    compiling(every)


if __name__ == "__main__":
    main()
