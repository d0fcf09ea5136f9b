"""What "auto" chooses, beside the tile machine and machine code alone: the first frame, and a frame once it has settled.

Every picture of the gallery, pictures of 1 to 1,000 layers and of 100 to 30,000 operators, and noise, of which nothing
can be skipped. The first frame is timed from a picture that nobody has drawn yet, with the machine's own code on the
disk and that of no picture. Words: columns of a frame (768), and names of pictures (all).
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

CACHE = os.environ["PELLUCID_CACHE_DIR"] = tempfile.mkdtemp(prefix="bench")

from examples import gallery
from harness import wake

import pellucid as pl
from pellucid import images as im
from pellucid.driver import forget

WAYS = ("tiles", "llvm", "auto")
LAYERS, OPERATORS = (1, 10, 100, 1000), (100, 1000, 10_000, 30_000)
FRAMES = 7
MAX_SETTLING = 3.0
"""Seconds of frames in which a kernel settles on what draws."""


def layers(count: int) -> Any:
    """Disks over each other."""
    draw = np.random.default_rng(7)
    picture = im.const(im.white)
    for _ in range(count):
        disk = im.move(tuple(draw.uniform(-4, 4, 2)), im.disk(draw.uniform(0.1, 0.7)))
        picture = im.over(im.fill(im.Color(*draw.random(3)), disk), picture)
    return picture


def sines(count: int) -> Any:
    """A sum of waves in directions of their own, of so many operators."""
    numbers = np.random.default_rng(9).uniform(-3, 3, (max(1, count // 6), 3)).tolist()

    @pl.image
    def wave(p: Any) -> Any:
        total = 0.0 * p.x
        for a, b, c in numbers:
            total = total + im.sin(a * p.x + b * p.y + c)
        return im.lerp(0.5 + 0.5 * im.sin(total), im.navy, im.gold)

    return wave


def pictures() -> Iterator[tuple[str, Any, Any]]:
    """The name of each picture, the picture, and its view."""
    for path in gallery.files():
        shown = gallery.load(path)
        yield path.stem, shown.picture, {"center": shown.center, "time": shown.time, "wide": shown.width}
    for count in LAYERS:
        yield f"{count} layers", layers(count), {"wide": 8.0}
    for count in OPERATORS:
        yield f"{count} operators", sines(count), {"wide": 8.0}
    yield "noise", im.lerp(im.fbm(im.perlin_noise(), 3), im.black, im.white), {"wide": 30.0}


def first(picture: Any, way: str, size: tuple[int, int], view: dict[str, Any]) -> tuple[float, np.ndarray]:
    """Milliseconds from a picture to its first frame, and the frame."""
    kept = {*Path(CACHE).rglob("*")}
    forget()
    wake()
    began = time.perf_counter()
    frame = pl.render(picture, size, backend=way, **view)
    ms = 1e3 * (time.perf_counter() - began)
    for file in {*Path(CACHE).rglob("*")} - kept:
        file.unlink()
    return ms, frame


def settled(picture: Any, way: str, size: tuple[int, int], view: dict[str, Any]) -> float:
    """Milliseconds of a frame once nothing changes any more."""
    kernel = pl.compile(picture, backend=way)
    out = kernel.render(size, **view)
    until = time.perf_counter() + MAX_SETTLING
    for _ in range(1000):
        kernel.render(size, **view, out=out)
        if time.perf_counter() > until:
            break
    times: list[float] = []
    for _ in range(FRAMES):
        began = time.perf_counter()
        kernel.render(size, **view, out=out)
        times.append(1e3 * (time.perf_counter() - began))
    return min(times)


def main() -> None:
    """Print a line for each picture, and how many are within a fifth of the better one."""
    width = int(sys.argv[1]) if len(sys.argv) > 1 else 768
    wanted = sys.argv[2:]
    size = (width, width * 3 // 4)
    ratios: list[tuple[float, float]] = []
    print(f"{size[0]}x{size[1]}; milliseconds\n{'':24}{'first frame':^33}{'settled':^33}")
    print(f"{'':24}" + 2 * (f"{'tiles':>8}{'llvm':>8}{'auto':>8}{'ratio':>9}"))
    for name, picture, seen in pictures():
        if wanted and name not in wanted:
            continue
        view = {"zoom": width / seen.pop("wide"), **seen}
        # Once for nothing: kernels of operators are the machine's, and are made only once.
        pl.render(picture, (64, 48), backend="tiles", **view)
        starts: list[float] = []
        shown: list[np.ndarray] = []
        for way in (*WAYS, *WAYS):
            ms, frame = first(picture, way, size, view)
            starts.append(ms)
            shown.append(frame)
        assert all(np.array_equal(frame, shown[0]) for frame in shown), name
        starts = [min(pair) for pair in zip(starts[:3], starts[3:], strict=True)]
        ends = [settled(picture, way, size, view) for way in WAYS]
        ratios.append((starts[2] / min(starts[:2]), ends[2] / min(ends[:2])))
        told = "".join(
            f"{a:8.1f}{b:8.1f}{c:8.1f}{ratio:9.2f}"
            for (a, b, c), ratio in zip((starts, ends), ratios[-1], strict=True)
        )
        print(f"{name:24}{told}", flush=True)
    for what, found in zip(("first frame", "settled"), zip(*ratios, strict=True), strict=True):
        near = sum(ratio <= 1.2 for ratio in found)
        print(
            f"{what}: {near} of {len(found)} within 1.2 of the better, median {statistics.median(found):.2f}"
        )


if __name__ == "__main__":
    main()
