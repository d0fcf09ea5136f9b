"""Packed samples: one program of bit addresses, general, specialized and in wide registers, against C by hand."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from harness import Race, reference

from pellucid import signals as sg
from pellucid.driver.program import compile_program, compile_stream
from pellucid.staging import Memory, Samples, cyclic, specialize, stream, unknown

COUNT, THREADS = 4 << 20, 1


def total(memory: Memory, start: Any, stop: Any, size: Any, stride: Any) -> Any:
    """The sum of a signal."""
    return sg.reduce(sg.memory(memory, start, stop, size, stride), 0, lambda r, x: r + x)


def convert(source: Memory, target: Memory, one: Any, two: Any) -> None:
    """A copy from one layout to another."""
    sg.copy(sg.memory(source, *one), sg.memory(target, *two))


def sums(library: ctypes.CDLL, name: str, size: int) -> None:
    """The sum of packed samples of a size."""
    data = np.random.default_rng(1).integers(0, 1 << 32, COUNT * size // 32 // 3 * 3, dtype=np.uint32)
    count = len(data) * 32 // size
    memory = Memory("m")
    call = getattr(library, name)
    call.restype = ctypes.c_uint64
    where = data.ctypes.data_as(ctypes.c_void_p)
    general = compile_program(specialize(total, memory, *map(unknown, ("start", "stop", "size", "stride"))))
    ends = cyclic(32, "start"), cyclic(32, "stop")
    special = compile_program(specialize(total, memory, *ends, size, size))
    wide = compile_stream(stream(lambda x: x, [Samples(0, 0, size, size)]))
    given = {"start": 0, "stop": 32 * len(data), "size": size, "stride": size}
    peers = {
        "C": lambda: call(where, ctypes.c_int64(count), THREADS),
        "general": lambda: general({"m": data}, threads=THREADS, **given),
        "specialized": lambda: special({"m": data}, threads=THREADS, start=0, stop=len(data)),
        "wide registers": lambda: wide([data.view(np.uint8)], count, threads=THREADS)[0],
    }
    race = Race(f"{name}: {data.nbytes >> 10} KB, {THREADS} thread")
    expected = peers["C"]()
    for title, peer in peers.items():
        race.add(title, peer, "exact" if peer() == expected else "WRONG")
    race.run("C")


def copies(library: ctypes.CDLL, name: str, one: tuple[int, int], two: tuple[int, int], add: int = 0) -> None:
    """A copy between two layouts, of (size, stride)."""
    count = COUNT if one[1] <= 8 else COUNT // 2
    source = np.random.default_rng(1).integers(0, 256, count * one[1] // 8, dtype=np.uint8)
    found = {
        title: np.zeros(count * two[1] // 8, np.uint8) for title in ("C", "specialized", "wide registers")
    }
    call = getattr(library, name)
    ends = [(cyclic(32, f"{n}0"), cyclic(32, f"{n}1")) for n in "ab"]
    special = compile_program(
        specialize(convert, Memory("s"), Memory("t"), (*ends[0], *one), (*ends[1], *two))
    )
    wide = compile_stream(stream(lambda x: x + add, [Samples(1, 0, *one)], [Samples(0, 0, *two)]))
    words = {"a0": 0, "a1": source.size // 4, "b0": 0, "b1": found["C"].size // 4}

    def c() -> None:
        where = (x.ctypes.data_as(ctypes.c_void_p) for x in (source, found["C"]))
        call(*where, ctypes.c_int64(count), THREADS)

    def specialized() -> None:
        special(
            {"s": source.view(np.uint32), "t": found["specialized"].view(np.uint32)}, threads=THREADS, **words
        )

    peers = {
        "C": c,
        "wide registers": lambda: wide([found["wide registers"], source], count, threads=THREADS),
    }
    if not add:
        peers["specialized"] = specialized
    race = Race(f"{name}: {source.size >> 10} KB in, {found['C'].size >> 10} KB out, {THREADS} thread")
    for title, peer in peers.items():
        peer()
        race.add(title, peer, "exact" if np.array_equal(found[title], found["C"]) else "WRONG")
    race.run("C")


def main() -> None:
    """Check, measure, print."""
    library = reference("bits")
    sums(library, "sum8", 8)
    sums(library, "sum12", 12)
    copies(library, "spread16", (8, 8), (8, 16))
    copies(library, "from6", (6, 6), (8, 8))
    copies(library, "to6", (8, 8), (6, 6))
    copies(library, "add10", (16, 16), (16, 16), add=10)


if __name__ == "__main__":
    main()
