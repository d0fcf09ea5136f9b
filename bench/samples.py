"""Supersampling on the tile tree: the gallery against all samples by machine code, bit for bit.

Printed for each picture: how many times fewer samples are computed, exactly and within 1/255, how long a frame takes as a
part of machine code's, and how far the farthest pixel is off with that tolerance. Words: samples in a row of a pixel
(4), and columns of the frame (1024).
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from examples import gallery

import pellucid as pl
from pellucid.driver import Kernel
from pellucid.driver.frame import FrameVariant
from pellucid.driver.kernel import code_of

TURNS = 3
TOLERANCE = 1 / 255


def best(draw: Callable[[], np.ndarray]) -> float:
    """Seconds of the fastest turn."""
    times: list[float] = []
    for _ in range(TURNS):
        start = time.perf_counter()
        draw()
        times.append(time.perf_counter() - start)
    return min(times)


def spent(kernel: Kernel, draw: Callable[[], np.ndarray]) -> tuple[int, np.ndarray]:
    """The samples of a frame, and the frame."""
    code: Any = code_of(kernel.frame(FrameVariant("straight", True)), kernel.options)
    before = code.counts.samples
    frame = draw()
    return code.counts.samples - before, frame


def main() -> None:
    """Print a line for each picture, and the medians."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    width = int(sys.argv[2]) if len(sys.argv) > 2 else 1024
    size = (width, width * 5 // 8)
    every = size[0] * size[1] * samples * samples
    rows: list[tuple[float, float, float]] = []
    print(f"{size[0]}x{size[1]}, {samples}x{samples} samples; one thread")
    print(f"{'':24}{'fewer':>9}{'1/255':>9}{'time':>7}{'off':>5}")
    for path in gallery.files():
        shown = gallery.load(path)
        view = {
            "size": size, "center": shown.center, "zoom": width / shown.width, "time": shown.time,
            "samples": samples, "threads": 1,
        }  # fmt: skip
        tiles = pl.compile(shown.picture, backend="tiles")
        llvm = pl.compile(shown.picture, backend="llvm")
        exact, frame = spent(tiles, lambda k=tiles, v=view: k.render(**v))
        near, rough = spent(tiles, lambda k=tiles, v=view: k.render(tolerance=TOLERANCE, **v))
        if not np.array_equal(frame, llvm.render(**view)):
            raise SystemExit(f"{shown.name}: the bits differ")
        off = int(np.abs(frame.astype(int) - rough).max())
        share = best(lambda k=tiles, v=view: k.render(**v)) / best(lambda k=llvm, v=view: k.render(**v))
        rows.append((every / max(exact, 1), every / max(near, 1), share))
        fewer, nearly, _ = (min(x, 99999.0) for x in rows[-1])
        print(f"{shown.name:24}{fewer:9.1f}{nearly:9.1f}{share:7.2f}{off:5}", flush=True)
    for title, pick in (("median", statistics.median), ("geometric mean", statistics.geometric_mean)):
        fewer, nearly, share = (pick([row[k] for row in rows]) for k in range(3))
        print(f"{title:24}{fewer:9.1f}{nearly:9.1f}{share:7.2f}")


if __name__ == "__main__":
    main()
