"""Unsharp masking of 1920 x 1080 colors, written as plain image algebra, against fused C written by hand."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
from harness import Race, reference

from pellucid import algebra as alg

WIDTH, HEIGHT, AMOUNT, THREADS = 1920, 1080, 0.8, 2


def taps(radius: int, sigma: float) -> np.ndarray:
    """A Gaussian of 2 radius + 1 taps whose sum is 1."""
    found = np.exp(-(np.arange(-radius, radius + 1) ** 2) / (2 * sigma**2))
    return found / found.sum()


def program(kernel: np.ndarray) -> alg.Array:
    """The mask as on paper: the picture, and more of what a blurred one lacks. The kernel is the whole square."""
    a, amount = alg.array("a", (HEIGHT, WIDTH, 3), "f32"), alg.scalar("amount", "f32")
    return a + amount * (a - alg.convolve(a, kernel, border="reflect"))


def expected(picture: np.ndarray, line: np.ndarray) -> np.ndarray:
    """The same in float64, one axis after the other."""
    blurred = picture.astype(np.float64)
    radius = len(line) // 2
    for axis in (0, 1):
        margin = [(radius, radius) if k == axis else (0, 0) for k in range(3)]
        framed = np.pad(blurred, margin, mode="reflect")
        parts = [
            w * np.take(framed, range(k, k + blurred.shape[axis]), axis=axis) for k, w in enumerate(line)
        ]
        blurred = np.sum(parts, axis=0)
    return picture + AMOUNT * (picture - blurred)


def opencv(line: np.ndarray, picture: np.ndarray, out: np.ndarray) -> Callable[[], None] | None:
    """The usual two calls of OpenCV, if it is installed."""
    try:
        import cv2
    except ImportError:
        return None
    cv2.setNumThreads(THREADS)
    blurred, row = np.empty_like(picture), line.astype(np.float32)

    def call() -> None:
        cv2.sepFilter2D(picture, -1, row, row, dst=blurred, borderType=cv2.BORDER_REFLECT_101)
        cv2.addWeighted(picture, 1 + AMOUNT, blurred, -AMOUNT, 0, dst=out)

    return call


def race(name: str, radius: int, sigma: float) -> None:
    """Check, measure, print."""
    rng = np.random.default_rng(3)
    picture = rng.random((HEIGHT, WIDTH, 3), dtype=np.float32)
    line = taps(radius, sigma)
    square = np.outer(line, line).astype(np.float32)
    exact = expected(picture, line)
    compiled = alg.compile(program(square))
    out, own = np.zeros_like(picture), np.zeros_like(picture)
    half = np.ascontiguousarray(line[radius:], np.float32)
    library = reference("unsharp")
    pointer = [x.ctypes.data_as(ctypes.c_void_p) for x in (picture, out, half)]

    def c() -> None:
        library.unsharp(
            pointer[0], pointer[1], WIDTH, HEIGHT, pointer[2], radius, ctypes.c_float(AMOUNT), THREADS
        )

    def pellucid() -> None:
        compiled(a=picture, amount=AMOUNT, threads=THREADS, out=own)

    contest = Race(f"unsharp mask, {name}, {WIDTH} x {HEIGHT} x 3 f32, {THREADS} threads")
    c()
    contest.add("C, fused", c, f"max error {np.abs(out - exact).max():.1e}")
    pellucid()
    contest.add("pellucid, image algebra", pellucid, f"max error {np.abs(own - exact).max():.1e}")
    peer = opencv(line, picture, out)
    if peer is not None:
        peer()
        contest.add("OpenCV, two calls", peer, f"max error {np.abs(out - exact).max():.1e}")
    contest.run("C, fused")


if __name__ == "__main__":
    race("3 x 3", 1, 0.85)
    race("9 taps", 4, 2.0)
