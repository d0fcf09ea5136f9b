"""What compiling a conversion of formats costs: from nothing, from the disk, and when it is at hand; 1920 x 1080.

Minima of all rounds, and the median of cold. Cold is with an empty folder of kept code, disk is as in another process that finds the code there; what the call itself
takes is taken off. Every output is compared bit for bit with that of the C back end, whose code another compiler made
of the same nest, and a small picture with that of the interpreter.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from harness import rest, wake

ROUNDS, SIZE, SMALL = 20, (1920, 1080), (29, 6)
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
        pairs = [Pair(source, target, Path(name)) for source, target in PAIRS]
        # In turn, so that a slow minute of the machine is not all that one of them gets.
        for k in range(ROUNDS):
            print(f"\r  round {k + 1} of {ROUNDS}", end="", file=sys.stderr, flush=True)
            for pair in pairs:
                pair.visit()
        print("\r" + 20 * " " + "\r", end="", file=sys.stderr, flush=True)
        print(
            f"  {'':<24} {'cold ms':>9} {'median':>8} {'from disk ms':>13} {'a call ms':>10}   check   ({GOALS})"
        )
        for pair in pairs:
            print(pair.line(), flush=True)


class Pair:
    """One conversion, and what it took in every round: from nothing, from the disk, and as usual."""

    def __init__(self, source: str, target: str, folder: Path) -> None:
        self.source, self.target, self.folder = source, target, folder
        self.data = self.noise(SIZE)
        self.times: list[tuple[float, float, float]] = []

    def noise(self, size: tuple[int, int]) -> Pixels:
        """Bytes of a picture."""
        from pellucid.pixels import layout_of

        return np.random.default_rng(3).integers(0, 256, layout_of(self.source).size(*size), np.uint8)

    def call(self, backend: str = "auto") -> Pixels:
        """The conversion."""
        import pellucid as pl

        return pl.convert(self.data, self.source, self.target, SIZE, backend=backend)

    def anew(self) -> float:
        """Milliseconds of a call when nothing is in memory."""
        from pellucid.driver import forget

        forget()
        rest(0.2)
        wake()
        return timed(self.call)

    def visit(self) -> None:
        """One round."""
        for path in self.folder.glob("*.code"):
            path.unlink()
        cold, disk = self.anew(), self.anew()
        self.times.append((cold, disk, min(timed(self.call) for _ in range(5))))

    def line(self) -> str:
        """What it took, and whether it is right."""
        import pellucid as pl

        cold, disk, usual = (min(column) for column in zip(*self.times, strict=True))
        middle = statistics.median(column[0] for column in self.times)
        right = np.array_equal(self.call(), self.call("c"))
        small = self.noise(SMALL)
        found = [
            pl.convert(small, self.source, self.target, SMALL, backend=b, numerics="exact")
            for b in ("auto", "numpy")
        ]
        check = "exact" if right and np.array_equal(*found) else "WRONG"
        words = f"{self.source} to {self.target}"
        return f"  {words:<24} {cold - usual:9.1f} {middle - usual:8.1f} {disk - usual:13.2f} {usual:10.2f}   {check}"


if __name__ == "__main__":
    main()
