"""The histogram of 4000 x 3000 bytes, written as plain image algebra, against one-pass C written by hand.

The program says: for each gray, count the pixels that are of it. Taken by its word, that is 256 passes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
from harness import Race, reference

from pellucid import algebra as alg

WIDTH, HEIGHT, GRAYS, THREADS = 4000, 3000, 256, 2


def program() -> alg.Array:
    """The histogram as on paper (White, section 2.3)."""
    a, h, i = alg.array("a", (HEIGHT, WIDTH), "u8"), alg.array("h", GRAYS, "i64"), alg.index("i", GRAYS)
    h[i] = alg.sum(alg.chi(a == i))
    return h


def opencv(picture: np.ndarray) -> Callable[[], np.ndarray] | None:
    """OpenCV's own, if it is installed."""
    try:
        import cv2
    except ImportError:
        return None
    cv2.setNumThreads(THREADS)
    return lambda: cv2.calcHist([picture], [0], None, [GRAYS], [0, GRAYS])


def main() -> None:
    """Check, measure, print."""
    rng = np.random.default_rng(2)
    picture = np.clip(rng.normal(120, 40, (HEIGHT, WIDTH)), 0, 255).astype(np.uint8)
    truth = np.bincount(picture.ravel(), minlength=GRAYS)

    def check(found: np.ndarray) -> str:
        assert (np.asarray(found).ravel().astype(np.int64) == truth).all()
        return "exact"

    library = reference("histogram")
    counts, out = np.zeros(GRAYS, np.uint32), np.zeros(GRAYS, np.int64)
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in (picture, counts)]
    size = ctypes.c_size_t(picture.size)
    race = Race(f"histogram of {WIDTH} x {HEIGHT} bytes")
    compiled = alg.compile(program())
    for threads in (1, THREADS):

        def c(threads: int = threads) -> None:
            library.one_pass(pointers[0], size, pointers[1], threads)

        def pellucid(threads: int = threads) -> None:
            compiled(a=picture, threads=threads, out=out)

        c()
        race.add(f"C, one pass, {threads} thread(s)", c, check(counts))
        pellucid()
        race.add(f"pellucid, {threads} thread(s)", pellucid, check(out))
    call = opencv(picture)
    if call is not None:
        race.add("cv2.calcHist", call, check(call()))
    race.run(f"C, one pass, {THREADS} thread(s)")

    def by_word() -> None:
        library.naive(pointers[0], size, pointers[1], THREADS)

    by_word()
    slow = Race("the same, as it is written")
    slow.add("C, one pass", lambda: library.one_pass(pointers[0], size, pointers[1], THREADS))
    slow.add("C, 256 passes", by_word, check(counts))
    slow.run("C, one pass", rounds=3, calls=2)


if __name__ == "__main__":
    main()
