"""What users get by default, where they ask for more or for less: exact first frames, and frames that may be off a little.

The gallery, with "auto": the first frame in exact numerics beside the relaxed one, with nothing in the cache but the
machine's own code; then settled frames of 4 x 4 samples with a tolerance, and with an error, beside all samples. Words:
columns of a frame (640), and names of pictures (all).
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

CACHE = os.environ["PELLUCID_CACHE_DIR"] = tempfile.mkdtemp(prefix="bench")

from examples import gallery
from harness import wake

import pellucid as pl
from pellucid.driver import forget

TRIES, FRAMES, SAMPLES = 3, 5, 4
SETTLING = 0.5
"""Seconds of frames, at least eight, in which a kernel settles on what draws."""
OFF = 1 / 255
"""The tolerance, and the error, of a channel."""


def first(picture: Any, numerics: str, size: tuple[int, int], view: dict[str, Any]) -> float:
    """Milliseconds from a picture to its first frame."""
    kept = {*Path(CACHE).rglob("*")}
    forget()
    wake()
    began = time.perf_counter()
    pl.render(picture, size, numerics=numerics, **view)
    ms = 1e3 * (time.perf_counter() - began)
    for file in {*Path(CACHE).rglob("*")} - kept:
        file.unlink()
    return ms


def settled(kernel: Any, size: tuple[int, int], **view: Any) -> tuple[float, np.ndarray]:
    """Milliseconds of a frame once nothing changes any more, and the frame."""
    out, count = kernel.render(size, **view), 0
    until = time.perf_counter() + SETTLING
    while time.perf_counter() < until or count < 8:
        kernel.render(size, out=out, **view)
        count += 1
    times: list[float] = []
    for _ in range(FRAMES):
        began = time.perf_counter()
        kernel.render(size, out=out, **view)
        times.append(1e3 * (time.perf_counter() - began))
    return min(times), out


def main() -> None:
    """Print a line for each picture, and the median and the worst of each ratio."""
    width = int(sys.argv[1]) if len(sys.argv) > 1 else 640
    size, wanted = (width, width * 3 // 4), sys.argv[2:]
    found: dict[str, list[tuple[float, str]]] = {"exact": [], "tolerance": [], "error": []}
    print(
        f"{size[0]}x{size[1]}; milliseconds\n{'':24}{'first frame':^26}{f'{SAMPLES} x {SAMPLES} samples':^36}"
    )
    print(
        f"{'':24}{'relaxed':>9}{'exact':>9}{'ratio':>8}{'all':>9}{'tolerance':>11}{'error':>9}{'ratios':>13}"
    )
    for path in gallery.files():
        if wanted and path.stem not in wanted:
            continue
        shown = gallery.load(path)
        picture, view = (
            shown.picture,
            {"zoom": width / shown.width, "center": shown.center, "time": shown.time},
        )
        firsts: list[float] = []
        for numerics in ("relaxed", "exact"):
            # Once for nothing: kernels of operators are the machine's, and are made only once.
            pl.render(picture, (64, 48), numerics=numerics, samples=1, **view)
            firsts.append(min(first(picture, numerics, size, {**view, "samples": 1}) for _ in range(TRIES)))
        kernel = pl.compile(picture)
        ways: tuple[dict[str, float], ...] = ({}, {"tolerance": OFF}, {"error": OFF})
        frames = [settled(kernel, size, samples=SAMPLES, **view, **way) for way in ways]
        off = np.abs(frames[1][1].astype(int) - frames[0][1]).max()
        assert off <= 1, (path.stem, off)
        times = [ms for ms, _ in frames]
        ratios = [firsts[1] / firsts[0], times[1] / times[0], times[2] / times[0]]
        for name, ratio in zip(found, ratios, strict=True):
            found[name].append((ratio, path.stem))
        told = "".join(f"{ms:9.1f}" for ms in firsts) + f"{ratios[0]:8.2f}"
        told += f"{times[0]:9.2f}{times[1]:11.2f}{times[2]:9.2f}{ratios[1]:8.2f}{ratios[2]:7.2f}"
        print(f"{path.stem:24}{told}", flush=True)
    for name, ratios in found.items():
        worst, where = max(ratios)
        print(f"{name}: median {statistics.median(r for r, _ in ratios):.2f}, worst {worst:.2f} ({where})")


if __name__ == "__main__":
    main()
