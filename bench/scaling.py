"""Time to compile from 100 to 10,000 operators: it must grow linearly, and this prints the time per operator."""

from __future__ import annotations

import os
import statistics
import time

os.environ["PELLUCID_CACHE"] = "off"

import pellucid as pl
from pellucid import images as im


def picture(operators: int, seed: int) -> object:
    """Discs united: three operators each after the center, all different."""

    def sample(p: object) -> object:
        field = p.x
        for k in range(operators // 7):
            x, y = 0.37 * k + seed * 1e-3, 0.11 * k * k % 7
            dx, dy = p.x - x, p.y - y
            field = pl.min(field, pl.sqrt(dx * dx + dy * dy) - 0.5)
        return field < 0

    return im.image(sample)


def main() -> None:
    """Measure and print."""
    pl.compile(picture(100, 99))
    print("\ncompile time by size")
    for n in (100, 300, 1000, 3000, 10000):
        took: list[float] = []
        for seed in range(3):
            start = time.perf_counter()
            pl.compile(picture(n, seed))
            took.append(1e3 * (time.perf_counter() - start))
        middle = statistics.median(took)
        print(
            f"  {n:6} operators   median {middle:8.1f} ms   min {min(took):8.1f}   {1e3 * middle / n:6.1f} us each"
        )


if __name__ == "__main__":
    main()
