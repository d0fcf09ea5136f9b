"""The swirled checkerboard at 1024 x 1024 with 2 x 2, 4 x 4 and 8 x 8 samples a pixel against C that is written as well."""

from __future__ import annotations

import ctypes

import numpy as np
from harness import Race, reference

import pellucid as pl
from pellucid import images as im

SIDE, RADIUS, SQUARE = 1024, 100.0, 10.0


def expected(n: int) -> np.ndarray:
    """The gray values in float64."""
    light = np.zeros((SIDE, SIDE))
    for b in range(n):
        for a in range(n):
            y, x = np.mgrid[0:SIDE, 0:SIDE].astype(np.float64)
            y, x = SIDE / 2 - (y + (b + 0.5) / n), x + (a + 0.5) / n - SIDE / 2
            angle = -2 * np.pi * np.hypot(x, y) / RADIUS
            c, s = np.cos(angle), np.sin(angle)
            light += (np.floor((x * c - y * s) / SQUARE) + np.floor((y * c + x * s) / SQUARE)) % 2
    mean = light / n**2
    return np.where(mean <= 0.0031308, 12.92 * mean, 1.055 * mean ** (1 / 2.4) - 0.055) * 255


def main() -> None:
    """Check, measure, print."""
    lib = reference("supersampling")
    kernel = pl.compile(im.swirl(RADIUS, im.checkerboard(SQUARE, im.black, im.white)), backend="llvm")
    f = ctypes.c_float
    for n in (2, 4, 8):
        truth = expected(n)
        out, pixels = np.empty((SIDE, SIDE, 4), np.uint8), np.empty((SIDE, SIDE, 4), np.uint8)

        def check(found: np.ndarray, truth: np.ndarray = truth) -> str:
            off = float((np.abs(found[..., 1] - truth) > 1).mean())
            assert off < 1e-2, off
            return f"{off * 1e6:.0f} ppm are a level off"

        race = Race(f"swirl, 1024 x 1024, {n} x {n} samples")
        for threads in (1, 2):

            def by_hand(threads: int = threads, n: int = n, out: np.ndarray = out) -> None:
                lib.swirl(
                    ctypes.c_void_p(out.ctypes.data), SIDE, SIDE, n, f(1 / RADIUS), f(1 / SQUARE), threads
                )

            def ours(threads: int = threads, n: int = n, pixels: np.ndarray = pixels) -> None:
                kernel.render((SIDE, SIDE), samples=n, threads=threads, out=pixels)

            by_hand()
            race.add(f"C by hand, {threads} thread(s)", by_hand, check(out))
            ours()
            race.add(f"pellucid, {threads} thread(s)", ours, check(pixels))
        race.run("C by hand, 2 thread(s)")


if __name__ == "__main__":
    main()
