"""The swirled checkerboard at 1024 x 1024 against hand-written C with the polynomial in it."""

from __future__ import annotations

import ctypes

import numpy as np
from harness import Race, reference

import pellucid as pl
from pellucid import images as im

SIDE, RADIUS, SQUARE = 1024, 100.0, 10.0


def expected() -> np.ndarray:
    """The picture in float64."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] + 0.5 - SIDE / 2
    y = -y
    angle = -2 * np.pi * np.hypot(x, y) / RADIUS
    c, s = np.cos(angle), np.sin(angle)
    u, v = x * c - y * s, y * c + x * s
    odd = (np.floor(u / SQUARE) + np.floor(v / SQUARE)) % 2 != 0
    return np.where(odd, 0xFFFFFFFF, 0xFF000000).astype(np.uint32)


def main() -> None:
    """Check, measure, print."""
    truth = expected()
    race = Race("swirl, 1024 x 1024")

    def check(pixels: np.ndarray) -> str:
        wrong = float((pixels.reshape(SIDE, SIDE) != truth).mean())
        assert wrong < 300e-6, wrong
        return f"{wrong * 1e6:.0f} ppm differ from float64"

    lib = reference("swirl")
    out = np.empty((SIDE, SIDE), np.uint32)
    f = ctypes.c_float
    for threads in (1, 2):

        def by_hand(threads: int = threads) -> None:
            lib.swirl(ctypes.c_void_p(out.ctypes.data), SIDE, SIDE, f(1 / RADIUS), f(1 / SQUARE), threads)

        by_hand()
        race.add(f"C by hand, {threads} thread(s)", by_hand, check(out))
    kernel = pl.compile(im.swirl(RADIUS, im.checkerboard(SQUARE, im.black, im.white)))
    pixels = np.empty((SIDE, SIDE, 4), np.uint8)
    for threads in (1, 2):

        def ours(threads: int = threads) -> None:
            kernel.render((SIDE, SIDE), threads=threads, out=pixels)

        ours()
        race.add(f"pellucid, {threads} thread(s)", ours, check(pixels.view(np.uint32)))
    race.run("C by hand, 2 thread(s)")


if __name__ == "__main__":
    main()
