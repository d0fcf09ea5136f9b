"""What prices of the cost model are worth: frames with a quarter of each, with it, and with four times as much.

A price that is right is no slower than either. Cases whose program does not change are left out. A price is read when
the optimizer is imported, so each run is a process of its own; runs take turns, on one thread, and of each case the
minimum counts.
"""

from __future__ import annotations

import hashlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

os.environ["PELLUCID_CACHE"] = "off"
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from pellucid.reasoning.machine import PROCESSOR

WORDS = ("skip", "table", "repeat", "partner")
FACTORS, ROUNDS, FRAMES, STEP = (0.25, 1.0, 4.0), 3, 5, 3
SIDE = 256
Case = tuple[str, str, Callable[[], object]]
"""A name, what tells one program from another, and what runs it."""


def pictures() -> Iterator[Case]:
    """Every third picture of the gallery by machine code."""
    from examples import gallery

    import pellucid as pl

    for path in gallery.files()[::STEP]:
        picture = gallery.load(path).picture
        kernel = pl.compile(picture)
        text = str(pl.explain(picture))
        yield path.stem, text, lambda kernel=kernel: kernel.render((SIDE, SIDE), zoom=SIDE / 8, threads=1)


def tiles() -> Iterator[Case]:
    """Every third picture of the gallery that the tile machine draws."""
    from examples import gallery

    import pellucid as pl
    from pellucid.base.errors import PellucidError

    # Nothing tells which rows are paired: all pictures count.
    text = str(PROCESSOR.prices["partner"].cost)
    for path in gallery.files()[::STEP]:
        kernel = pl.compile(gallery.load(path).picture, backend="tiles")
        try:
            kernel.render((8, 8))
        except PellucidError:
            continue
        yield path.stem, text, lambda kernel=kernel: kernel.render((SIDE, SIDE), zoom=SIDE / 8, threads=1)


def arrays() -> Iterator[Case]:
    """Means of nine values, which may be computed again for each or be stored in an array."""
    from pellucid import algebra as alg

    a = alg.array("a", (SIDE, SIDE), "f32")
    data, out = np.random.default_rng(1).random((2, SIDE, SIDE), np.float32)
    shades = {
        "sum": a + 1.0,
        "product": a * 2.0 + 1.0,
        "cube": a * a * a + a * a + 1.0,
        "ratio": (a + 1.0) / (a + 2.0),
    }
    for name, shade in shades.items():
        program = alg.compile(alg.convolve(shade, np.full((3, 3), 1 / 9, np.float32), border="reflect"))
        yield name, str(program.explain()), lambda program=program: program(a=data, out=out, threads=1)


def child(word: str, factor: float) -> None:
    """Print the programs and the milliseconds of all cases, with a price changed."""
    found = PROCESSOR.prices[word]
    PROCESSOR.prices[word] = replace(found, cost=found.cost * factor)  # pyright: ignore[reportIndexIssue]
    cases = {"repeat": arrays, "partner": tiles}.get(word, pictures)
    told: dict[str, tuple[str, float]] = {}
    for name, text, run in cases():
        run()
        times: list[float] = []
        for _ in range(FRAMES):
            start = time.perf_counter()
            run()
            times.append(1e3 * (time.perf_counter() - start))
        told[name] = hashlib.sha256(text.encode()).hexdigest(), min(times)
    print(json.dumps(told))


def main() -> None:
    """Measure and print."""
    for word in sys.argv[1:] or WORDS:
        texts: dict[tuple[str, float], str] = {}
        best: dict[tuple[str, float], float] = {}
        for _ in range(ROUNDS):
            for factor in FACTORS:
                command = [sys.executable, __file__, "--child", word, str(factor)]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                for name, (text, spent) in json.loads(done.stdout).items():
                    texts[name, factor] = text
                    best[name, factor] = min(spent, best.get((name, factor), spent))
        print(f"\n{word}: {PROCESSOR.prices[word].cost:g}, {PROCESSOR.prices[word].of}")
        names = {name for name, _ in best}
        for factor in (f for f in FACTORS if f != 1.0):
            changed = sorted(n for n in names if texts[n, factor] != texts[n, 1.0])
            ratios = {n: best[n, factor] / best[n, 1.0] for n in changed}
            middle = f"mean {statistics.geometric_mean(ratios.values()):.3f}" if ratios else "no change"
            print(f"  x {factor:<5g} {len(changed)} of {len(names)} programs change; frames: {middle}")
            order = sorted(ratios, key=lambda n: ratios[n])
            for name in dict.fromkeys([*order[:3], *order[-3:]]):
                print(f"     {name:<24} {best[name, 1.0]:8.3f} ms   x {ratios[name]:.2f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], float(sys.argv[3]))
    else:
        main()
