"""Five swirled checkerboards blended over white, 1024 x 1024, relaxed and exact, against C by hand; then first frames.

A first frame is that of a picture whose numbers no frame had before, by machine code, with nothing of it in the cache.
"""

from __future__ import annotations

import ctypes
import statistics
import time
from collections.abc import Sequence

import numpy as np
from harness import Race, reference

import pellucid as pl
from pellucid import images as im
from pellucid.images import Image

SIDE, TRIES = 1024, 12
COLORS = (im.red, im.green, im.blue, im.yellow, im.black)
ALPHAS = (0.3, 0.4, 0.5, 0.6, 0.7)
Layer = tuple[float, float]


def layers(turn: float = 0.0) -> list[Layer]:
    """The radii of the swirls and the sizes of squares."""
    return [(100.0 + 20 * k + turn, 10.0 + k) for k in range(5)]


def picture(all_layers: Sequence[Layer]) -> Image:
    """The picture of some layers."""
    found = im.const(im.white)
    for (radius, size), color, alpha in zip(all_layers, COLORS, ALPHAS, strict=True):
        found = im.over(im.fade(alpha, im.swirl(radius, im.checkerboard(size, color, im.white))), found)
    return found


def expected(all_layers: Sequence[Layer]) -> np.ndarray:
    """The picture in float64, 0 to 255."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] + 0.5 - SIDE / 2
    y, r = -y, np.hypot(x, y)
    found = np.ones((SIDE, SIDE, 3))
    for (radius, size), color, alpha in zip(all_layers, COLORS, ALPHAS, strict=True):
        c, s = np.cos(-2 * np.pi * r / radius), np.sin(-2 * np.pi * r / radius)
        odd = (np.floor((x * c - y * s) / size) + np.floor((y * c + x * s) / size)) % 2 != 0
        found = found * (1 - alpha) + alpha * np.where(
            odd[..., None], 1.0, np.array([color.r, color.g, color.b])
        )
    return found * 255


def first_frames(numerics: str) -> str:
    """The milliseconds of first frames of pictures that nothing was compiled for."""
    pixels, took = np.empty((SIDE, SIDE, 4), np.uint8), list[float]()
    for k in range(TRIES):
        made = picture(layers(0.37 + k + (0.5 if numerics == "exact" else 0.0)))
        start = time.perf_counter()
        pl.compile(made, numerics=numerics, backend="llvm").render((SIDE, SIDE), out=pixels)
        took.append(1e3 * (time.perf_counter() - start))
    return f"first frame, {numerics:8} {min(took):6.1f} ms, median {statistics.median(took):6.1f}"


def main() -> None:
    """Check, measure, print."""
    lib, truth, f = reference("layers"), expected(layers()), ctypes.c_float
    numbers = [
        [1 / radius, 1 / size, color.r, color.g, color.b, alpha]
        for (radius, size), color, alpha in zip(layers(), COLORS, ALPHAS, strict=True)
    ]
    given = (f * 30)(*[x for each in numbers for x in each])
    out = np.empty((SIDE, SIDE, 4), np.uint8)

    def check(found: np.ndarray) -> str:
        off = float((np.abs(found[..., :3] - truth).max(2) > 1).mean())
        assert off < 2e-3, off
        return f"{off * 1e6:.0f} ppm are a level off"

    race = Race("five layers, 1024 x 1024")
    kernels = {n: pl.compile(picture(layers()), numerics=n, backend="llvm") for n in ("relaxed", "exact")}
    for threads in (1, 2):

        def by_hand(threads: int = threads) -> None:
            lib.layers(ctypes.c_void_p(out.ctypes.data), SIDE, SIDE, given, threads)

        by_hand()
        race.add(f"C by hand, {threads} thread(s)", by_hand, check(out))
        for numerics, kernel in kernels.items():
            pixels = np.empty((SIDE, SIDE, 4), np.uint8)

            def ours(threads: int = threads, kernel: pl.Kernel = kernel, pixels: np.ndarray = pixels) -> None:
                kernel.render((SIDE, SIDE), threads=threads, out=pixels)

            ours()
            race.add(f"{numerics}, {threads} thread(s)", ours, check(pixels))
    race.run("C by hand, 2 thread(s)")
    print(first_frames("relaxed"), first_frames("exact"), sep="\n")


if __name__ == "__main__":
    main()
