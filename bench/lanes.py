"""How many pixels to compute side by side: the gallery by one, two and four registers of lanes, on one thread.

Printed are the medians, over all pictures, of a frame's time and of the time until the first frame is there, as parts of
those by one register; and the pictures that gain and lose the most. `LlvmBackend.registers` says what is best.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parent.parent)]

from examples import gallery  # noqa: E402

import pellucid as pl  # noqa: E402
from pellucid.backends.llvm import LlvmBackend  # noqa: E402
from pellucid.driver import Options  # noqa: E402
from pellucid.driver.frame import OUT, FrameVariant  # noqa: E402
from pellucid.driver.kernel import Kernel  # noqa: E402
from pellucid.driver.lanes import lanes_of  # noqa: E402
from pellucid.driver.pipeline import optimize  # noqa: E402

REGISTERS, SIDE, TRIES = (1, 2, 4), 512, 7
OPTIONS = Options(backend="llvm", numerics="exact" if "--exact" in sys.argv else "relaxed")


def measured(kernel: Kernel, arguments: dict[str, object], registers: int) -> tuple[float, float, np.ndarray]:
    """Milliseconds of a frame and of making its code, and its pixels."""
    backend, frame = LlvmBackend(), kernel.frame(FrameVariant())
    pixels, start = np.empty(SIDE * SIDE, np.uint32), time.perf_counter()
    best = optimize(frame.kernel, frame.ranges, OPTIONS, lanes_of(backend, OPTIONS) * registers)
    code = backend.compile(best.kernel, best.ranges)
    code.run(arguments, {OUT: pixels}, threads=1)
    made, took = 1e3 * (time.perf_counter() - start), list[float]()
    for _ in range(TRIES):
        start = time.perf_counter()
        code.run(arguments, {OUT: pixels}, threads=1)
        took.append(1e3 * (time.perf_counter() - start))
    return min(took), made, pixels


def main() -> None:
    """Measure pictures, all or those that are named, in relaxed numerics or `--exact`."""
    names = [word for word in sys.argv[1:] if word != "--exact"]
    parts: dict[int, list[tuple[float, float, str]]] = {registers: [] for registers in REGISTERS}
    for path in gallery.files():
        if names and path.stem not in names:
            continue
        shown = gallery.load(path)
        kernel = Kernel(shown.picture, OPTIONS, now=False)
        view = pl.View(
            size=(SIDE, SIDE), center=shown.center, zoom=SIDE / shown.width, time=shown.time, samples=1
        )
        arguments = kernel.values(view)
        first: tuple[float, float, np.ndarray] | None = None
        for registers in REGISTERS:
            frame, made, pixels = measured(kernel, arguments, registers)
            first = first or (frame, made, pixels)
            assert np.array_equal(pixels, first[2]), path.stem
            parts[registers].append((frame / first[0], made / first[1], path.stem))
    for registers, found in parts.items():
        frames, made = (statistics.median(each[k] for each in found) for k in (0, 1))
        print(
            f"{registers} registers: frames {frames:.2f}, first frames {made:.2f}, of {len(found)} pictures"
        )
        for title, some in (("best", sorted(found)[:5]), ("worst", sorted(found)[:-6:-1])):
            print(f"  {title:6}" + ", ".join(f"{name} {part:.2f}" for part, _, name in some))


if __name__ == "__main__":
    main()
