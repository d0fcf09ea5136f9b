"""What `pellucid render` takes as a whole process, beside one that only imports NumPy and Pillow.

A picture of 16 x 16 and one of 1024 x 1024 as PNG, with what the cache holds after the first run, and with an empty
cache. Minima and medians of processes in turn.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from harness import rest
from PIL import Image

import pellucid as pl
from pellucid import images as im

TURNS = 12
WARM = 6
"""Runs before the first one that counts: the back end is chosen, and its code kept, within a few."""
PROGRAM = """from pellucid import images as im

picture = im.swirl(100, im.checkerboard(10, im.black, im.white))
"""


def main() -> None:
    """Run the processes in turn, check what they drew, print."""
    folder = Path(tempfile.mkdtemp(prefix="bench"))
    (folder / "swirl.py").write_text(PROGRAM)
    cache = folder / "cache"
    environment = {**os.environ, "PELLUCID_CACHE_DIR": str(cache)}
    # As for users: modules are compiled once.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [str(Path(sys.executable).with_name("pellucid")), "render", str(folder / "swirl.py")]
    drawn = {f"{side} x {side}": (side, folder / f"{side}.png") for side in (16, 1024)}
    programs = {"import numpy, PIL": [sys.executable, "-c", "import numpy, PIL.Image"]}
    for name, (side, file) in drawn.items():
        programs[name] = [*command, "-o", str(file), "--size", f"{side}x{side}", "--zoom", "1"]
    programs |= {f"{name}, empty cache": programs[name] for name in drawn}
    times: dict[str, list[float]] = {name: [] for name in programs}
    for name in drawn:
        for _ in range(WARM):
            subprocess.run(programs[name], env=environment, check=True, capture_output=True)
    empty = folder / "empty"
    for turn in range(TURNS + 1):
        for name, program in programs.items():
            used = environment
            if name.endswith("empty cache"):
                shutil.rmtree(empty, ignore_errors=True)
                used = {**environment, "PELLUCID_CACHE_DIR": str(empty)}
                if turn > 3:
                    continue
            rest()
            began = time.perf_counter()
            subprocess.run(program, env=used, check=True, capture_output=True)
            if turn:
                times[name].append(1e3 * (time.perf_counter() - began))
    picture = im.swirl(100, im.checkerboard(10, im.black, im.white))
    for side, file in drawn.values():
        with Image.open(file) as found:
            expected = pl.render(picture, side)
            assert np.array_equal(np.asarray(found.convert("RGBA")), expected), file
    print(f"{'whole processes':<28}{'min ms':>9}{'median':>9}")
    for name, found in times.items():
        print(f"{name:<28}{min(found):9.0f}{statistics.median(found):9.0f}")


if __name__ == "__main__":
    main()
