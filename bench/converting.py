"""What compiling a conversion of formats costs: from nothing, from the disk, and when it is at hand; 1920 x 1080.

Cold is with an empty folder of kept code, disk is as in another process that finds the code there; what the call itself
takes is taken off. Every output is compared bit for bit with that of the C back end, whose code another compiler made
of the same nest, and a small picture with that of the interpreter.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from harness import rest

ROUNDS, SIZE, SMALL = 12, (1920, 1080), (29, 6)
PAIRS = (
    ("rgb24", "bgra"),
    ("rgba", "bgra"),
    ("rgb24", "rgb565"),
    ("rgb565", "rgb24"),
    ("gray16", "gray8"),
    ("mono12p", "mono12packed"),
    ("gray1", "gray8"),
    ("pal8", "rgba"),
    ("nv12", "rgb24"),
    ("rgb24", "nv12"),
    ("yuv420p", "nv12"),
    ("uyvy422", "rgb24"),
    ("v210", "yuv422p10"),
    ("v210", "rgb24"),
    ("v210", "nv12"),
    ("rgb24", "v210"),
    ("raw12", "rgb24"),
    ("raw10", "rgb24"),
    ("raw12", "rgb565"),
    ("raw12", "nv12"),
    ("raw16", "rgb24"),
)
Pixels = np.ndarray
GOALS = "wanted: 30 ms from nothing, 2 ms from the disk"


def timed(call: Callable[[], object]) -> float:
    """Milliseconds of a call."""
    start = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - start)


def main() -> None:
    """A line for each pair of formats."""
    with tempfile.TemporaryDirectory() as name:
        # Before the program looks for its folder.
        os.environ["PELLUCID_CACHE_DIR"] = name
        folder = Path(name)
        print(f"  {'':<24} {'cold ms':>9} {'from disk ms':>13} {'a call ms':>10}   check   ({GOALS})")
        for source, target in PAIRS:
            print(line(source, target, folder), flush=True)


def line(source: str, target: str, folder: Path) -> str:
    """What one conversion takes, and whether it is right."""
    import pellucid as pl
    from pellucid.driver.kernel import forget
    from pellucid.pixels import layout_of

    conversions = sys.modules[pl.convert.__module__]

    def noise(size: tuple[int, int]) -> Pixels:
        return np.random.default_rng(3).integers(0, 256, layout_of(source).size(*size), np.uint8)

    data = noise(SIZE)

    def call() -> Pixels:
        return pl.convert(data, source, target, SIZE)

    def anew() -> float:
        forget()
        conversions.at_hand.cache_clear()
        rest(0.2)
        return timed(call)

    times: list[tuple[float, float, float]] = []
    for _ in range(ROUNDS):
        for path in folder.glob("*.code"):
            path.unlink()
        cold, disk = anew(), anew()
        times.append((cold, disk, min(timed(call) for _ in range(5))))
    cold, disk, usual = (min(column) for column in zip(*times, strict=True))
    right = np.array_equal(call(), pl.convert(data, source, target, SIZE, backend="c"))
    small = noise(SMALL)
    found = [pl.convert(small, source, target, SMALL, backend=b, numerics="exact") for b in ("auto", "numpy")]
    check = "exact" if right and np.array_equal(*found) else "WRONG"
    words = f"{source} to {target}"
    return f"  {words:<24} {cold - usual:9.1f} {disk - usual:13.2f} {usual:10.2f}   {check}"


if __name__ == "__main__":
    main()
