"""Dilation and erosion by 5 x 5 of 1920 x 1080 bytes, as image algebra, against C, and OpenCV if it is there."""

from __future__ import annotations

import ctypes

import numpy as np
from harness import Race, reference
from median import HEIGHT, THREADS, WIDTH, opencv

from pellucid import algebra as alg


def race(name: str) -> None:
    """Check, measure, print: for "dilate" or "erode"."""
    picture = np.random.default_rng(1).integers(0, 256, (HEIGHT, WIDTH), dtype=np.uint8)
    framed = np.pad(picture, 2, mode="edge")
    parts = np.stack([framed[i : i + HEIGHT, j : j + WIDTH] for i in range(5) for j in range(5)])
    exact = parts.max(axis=0) if name == "dilate" else parts.min(axis=0)
    a = alg.array("a", (HEIGHT, WIDTH), "u8")
    program = alg.compile(alg.dilate(a, 5) if name == "dilate" else alg.erode(a, 5))
    out, own, other = (np.zeros_like(picture) for _ in range(3))
    function = getattr(reference("morphology"), name)
    where = [x.ctypes.data_as(ctypes.c_void_p) for x in (picture, out)]

    def c() -> None:
        function(*where, WIDTH, HEIGHT, THREADS)

    def pellucid() -> None:
        program(a=picture, threads=THREADS, out=own)

    contest = Race(f"{name} by 5 x 5, {WIDTH} x {HEIGHT} u8, {THREADS} threads")
    for peer, call, result in (("C", c, out), ("pellucid, image algebra", pellucid, own)):
        call()
        contest.add(peer, call, "exact" if np.array_equal(result, exact) else "WRONG")
    cv2 = opencv()
    if cv2 is not None:
        square, border = np.ones((5, 5), np.uint8), cv2.BORDER_REPLICATE

        def peer() -> None:
            getattr(cv2, name)(picture, square, dst=other, borderType=border)

        peer()
        contest.add(f"OpenCV {name}", peer, "exact" if np.array_equal(other, exact) else "WRONG")
    contest.run("C")


if __name__ == "__main__":
    race("dilate")
    race("erode")
