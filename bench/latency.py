"""From a new expression to its first 1024 x 1024 frame: eleven variants that differ in structure and in constants.

Nothing is in the caches of compiled code; the first variant, which loads the compiler, is not counted. The C reference
is the same program through the C compiler.
"""

from __future__ import annotations

import ctypes
import math
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

os.environ["PELLUCID_CACHE"] = "off"

import numpy as np
from harness import FLAGS

import pellucid as pl
from pellucid import images as im

SIDE = 1024


def knobs(k: int) -> tuple[float, float, float, int]:
    """Radius, square, amplitude and structure of a variant."""
    return 90.0 + 7 * k, 8.0 + k, 0.1 * k + 0.05, k % 4


def picture(k: int) -> object:
    """A swirled checkerboard, bent in one of four ways."""
    radius, square, amount, shape = knobs(k)
    board = im.swirl(radius, im.checkerboard(square, im.black, im.white))
    if shape == 1:
        return im.warp(lambda p: pl.Point(p.x + 20 * amount * pl.sin(p.y * (0.02 + 0.003 * k)), p.y), board)
    if shape == 2:
        return im.warp(lambda p: pl.Point(p.x, p.y * (1 + amount) + p.x * amount), board)
    return im.turn(amount, board) if shape == 3 else board


def by_c(k: int, folder: Path) -> float:
    """Milliseconds from writing the C program of a variant to its first frame."""
    radius, square, amount, shape = knobs(k)
    bend = [
        "",
        f"x += {20 * amount}f * sinf(y * {0.02 + 0.003 * k}f);",
        f"y = y * {1 + amount}f + x * {amount}f;",
        f"float z = x, c0 = {math.cos(amount)}f, s0 = {math.sin(amount)}f; x = x * c0 + y * s0; y = y * c0 - z * s0;",
    ][shape]
    start = time.perf_counter()
    text = f"""
#include <math.h>
#include <stdint.h>
void draw(uint32_t *out) {{
#pragma omp parallel for num_threads(2)
for (int j = 0; j < {SIDE}; j++) for (int i = 0; i < {SIDE}; i++) {{
  float x = i - {SIDE / 2 - 0.5}f, y = {SIDE / 2 - 0.5}f - j; {bend}
  float a = {-2 * math.pi / radius}f * sqrtf(x * x + y * y), c = cosf(a), s = sinf(a);
  int m = (int)floorf((x * c - y * s) * {1 / square}f) + (int)floorf((y * c + x * s) * {1 / square}f);
  out[j * {SIDE} + i] = m & 1 ? 0xffffffffu : 0xff000000u; }} }}
"""
    source = folder / f"v{k}.c"
    source.write_text(text)
    compiler = shutil.which("gcc") or "cc"
    subprocess.run(
        [compiler, "-O1", *FLAGS[1:], str(source), "-o", str(source.with_suffix(".so")), "-lm"], check=True
    )
    out = np.empty((SIDE, SIDE), np.uint32)
    ctypes.CDLL(str(source.with_suffix(".so"))).draw(ctypes.c_void_p(out.ctypes.data))
    took = 1e3 * (time.perf_counter() - start)
    drawn = pl.render(picture(k), size=(SIDE, SIDE))
    wrong = float((drawn.view(np.uint32)[..., 0] != out).mean())
    assert wrong < 2e-3, (k, wrong)
    return took


def main() -> None:
    """Measure and print."""
    ours: list[float] = []
    screen = np.zeros((SIDE, SIDE, 4), np.uint8)
    for k in range(11):
        start = time.perf_counter()
        pl.render(picture(k), size=(SIDE, SIDE), out=screen)
        ours.append(1e3 * (time.perf_counter() - start))
    with tempfile.TemporaryDirectory() as folder:
        theirs = [by_c(k, Path(folder)) for k in range(11)]
    print("\nnew expression to first frame, 1024 x 1024, ten variants")
    for name, v in (("C compiler -O1", theirs[1:]), ("pellucid", ours[1:])):
        ratio = statistics.median(v) / statistics.median(theirs[1:])
        print(f"  {name:<16} median {statistics.median(v):7.1f} ms   min {min(v):7.1f}   ratio {ratio:5.2f}")
    print(f"  the very first picture of a process: {ours[0]:.0f} ms")


if __name__ == "__main__":
    main()
