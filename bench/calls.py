"""What a call costs when nothing is left to compile: `render` beside its kernel, algebra, and a small histogram beside C."""

from __future__ import annotations

import ctypes

import numpy as np
from harness import Race, reference

import pellucid as pl
from pellucid import algebra as alg
from pellucid import images as im

SIDE = 64


def rendering() -> None:
    """A picture that was drawn before, by the verb and by its kernel."""
    picture = im.swirl(100, im.checkerboard(10, im.black, im.white))
    kernel = pl.compile(picture)
    out = np.empty((SIDE, SIDE, 4), np.uint8)
    expected = kernel.render(SIDE)
    race = Race(f"a known picture, {SIDE} x {SIDE}")
    calls = {
        "kernel.render": lambda: kernel.render(SIDE, threads=1, out=out),
        "pl.render": lambda: pl.render(picture, SIDE, threads=1, out=out),
    }
    for name, call in calls.items():
        for _ in range(400):
            call()
        assert np.array_equal(out, expected)
        race.add(name, call, "the same bits")
    found = race.run("kernel.render", calls=200)
    print(f"  pl.render takes {1e3 * (found['pl.render'][0] - found['kernel.render'][0]):.1f} us more")


def operations() -> None:
    """A program of one operation on four numbers."""
    numbers = np.arange(4, dtype=np.float32)
    a = alg.array("a", (4,))
    program = alg.compile(a + 1)
    assert program(a=numbers).tolist() == [1, 2, 3, 4]
    race = Race("algebra, 4 numbers")
    race.add("program(a=...)", lambda: program(a=numbers, threads=1), "1 more")
    bound = program.bind(a=numbers, threads=1)
    assert bound().tolist() == [1, 2, 3, 4]
    race.add("program.bind(a=...)()", bound, "1 more")
    race.add("NumPy", lambda: numbers + 1, "1 more")
    race.run("NumPy", calls=200)


def counting() -> None:
    """A histogram of few bytes, which are counted before a thread could be woken."""
    levels = np.random.default_rng(5).integers(0, 256, (SIDE, SIDE), np.uint8)
    expected = np.bincount(levels.ravel(), minlength=256)
    a, h, i = alg.array("a", levels.shape, "u8"), alg.array("h", 256, "i64"), alg.index("i", 256)
    h[i] = alg.sum(alg.chi(a == i))
    program = alg.compile(h)
    assert np.array_equal(program(a=levels), expected)
    library, counts = reference("histogram"), np.zeros(256, np.uint32)
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in (levels, counts)]
    size = ctypes.c_size_t(levels.size)

    def by_hand() -> None:
        library.one_pass(pointers[0], size, pointers[1], 1)

    by_hand()
    assert np.array_equal(counts, expected)
    race = Race(f"histogram of {SIDE} x {SIDE} bytes")
    race.add("C by hand", by_hand, "the same counts")
    race.add("pellucid", lambda: program(a=levels, threads=1), "the same counts")
    bound = program.bind(a=levels, threads=1)
    assert np.array_equal(bound(), expected)
    race.add("pellucid, bound", bound, "the same counts")
    race.run("C by hand", calls=200)


if __name__ == "__main__":
    rendering()
    operations()
    counting()
