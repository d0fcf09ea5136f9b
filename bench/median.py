"""The 3 x 3 median of 1920 x 1080 bytes, as image algebra, against C written by hand, and OpenCV if it is there."""

from __future__ import annotations

import ctypes
import importlib
from types import ModuleType

import numpy as np
from harness import Race, reference

from pellucid import algebra as alg

WIDTH, HEIGHT, THREADS = 1920, 1080, 2


def opencv() -> ModuleType | None:
    """OpenCV on as many threads, if it is installed."""
    try:
        found = importlib.import_module("cv2")
    except ImportError:
        return None
    found.setNumThreads(THREADS)
    return found


def main() -> None:
    """Check, measure, print."""
    picture = np.random.default_rng(1).integers(0, 256, (HEIGHT, WIDTH), dtype=np.uint8)
    framed = np.pad(picture, 1, mode="edge")
    parts = [framed[i : i + HEIGHT, j : j + WIDTH] for i in range(3) for j in range(3)]
    exact = np.sort(np.stack(parts), axis=0)[4]
    program = alg.compile(alg.median(alg.array("a", (HEIGHT, WIDTH), "u8"), 3))
    out, own, other = (np.zeros_like(picture) for _ in range(3))
    library = reference("median")
    where = [x.ctypes.data_as(ctypes.c_void_p) for x in (picture, out)]

    def c() -> None:
        library.median(*where, WIDTH, HEIGHT, THREADS)

    def pellucid() -> None:
        program(a=picture, threads=THREADS, out=own)

    race = Race(f"median of 3 x 3, {WIDTH} x {HEIGHT} u8, {THREADS} threads")
    for name, call, result in (("C", c, out), ("pellucid, image algebra", pellucid, own)):
        call()
        race.add(name, call, "exact" if np.array_equal(result, exact) else "WRONG")
    cv2 = opencv()
    if cv2 is not None:
        cv2.medianBlur(picture, 3, dst=other)
        race.add(
            "OpenCV medianBlur",
            lambda: cv2.medianBlur(picture, 3, dst=other),
            "exact" if np.array_equal(other, exact) else "WRONG",
        )
    race.run("C")


if __name__ == "__main__":
    main()
