"""How long ``import pellucid`` takes in a process of its own, beside Python alone and NumPy."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

PROGRAMS = {
    "python": "pass",
    "import numpy": "import numpy",
    "import pellucid": "import pellucid",
    "first picture": "import pellucid as pl; from pellucid import images as im; "
    "pl.render(im.swirl(100, im.checkerboard(10, im.black, im.white)), size=(64, 64))",
}


def main() -> None:
    """Measure and print."""
    took: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for _ in range(9):
        for name, text in PROGRAMS.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", text], check=True)
            took[name].append(1e3 * (time.perf_counter() - start))
    print("\nwhole processes")
    bare = min(took["python"])
    for name, v in took.items():
        beyond = min(v) - bare
        middle = statistics.median(v)
        print(f"  {name:<16} min {min(v):6.0f} ms   median {middle:6.0f}   beyond python {beyond:6.0f}")


if __name__ == "__main__":
    main()
