"""Pictures with a condition, with their rows split at it and whole: a frame, and compilation, beside each other.

Every picture is drawn both ways, alternating, on one thread; the bytes must be equal. "timer" is the part of a row's
cost that the timer expects of its best split, and "split" says whether it takes that; `MAX_PART`, `STORED`, `SEARCH` and
`MIN_GAIN` in `loops/scripts/splitting.py` stand on this table. With `--all`, what the timer refuses is split nevertheless, once,
at the test that it likes most. Compilation is process time, cold, with nothing in the caches.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ["PELLUCID_CACHE"] = "off"

import numpy as np
from harness import rest

import pellucid as pl
from pellucid import images as im
from pellucid.driver import forget, pipeline
from pellucid.loops.scripts import splitting

SIDES = (512, 1024)
ROUNDS, COMPILATIONS = 30, 5


def plain(x: Any, y: Any) -> Any:
    """Arms of a few operations."""
    return x * x + y


def dear(x: Any, y: Any) -> Any:
    """Arms that lanes skip where none of them wants it."""
    return pl.sin(x * y)


PICTURES: dict[str, Callable[[Any], Any]] = {
    "rows": lambda p: pl.where(p.y < 0.3, plain(p.x, p.y), 0.25),
    "column": lambda p: pl.where(p.x < 0.3, plain(p.x, p.y), 0.25),
    "column of two shades": lambda p: pl.where(p.x < 0.3, 0.75, 0.25),
    "half plane": lambda p: pl.where(p.x * 0.7 + p.y * 0.4 < 0.3, plain(p.x, p.y), 0.25),
    "half plane of two shades": lambda p: pl.where(p.x * 0.7 + p.y * 0.4 < 0.3, 0.75, 0.25),
    "columns": lambda p: pl.where((p.x < 1.0) & (p.x > -1.0), plain(p.x, p.y), 0.25),
    "strip": lambda p: pl.where(abs(p.x - 0.5 * p.y) <= 0.5, plain(p.x, p.y), 0.25),
    "crop": lambda p: pl.where((abs(p.x) < 1.0) & (abs(p.y) < 0.5), plain(p.x, p.y), 0.25),
    "triangle": lambda p: pl.where(
        (p.x * 0.7 + p.y * 0.4 < 0.3) & (p.y * 0.4 - p.x * 0.7 < 0.3) & (p.y > -0.5),
        plain(p.x, p.y),
        0.25 * p.x,
    ),
    "strip of two shades": lambda p: pl.where(abs(p.x) <= 0.5, 1.0, 0.0),
    "column, both plain": lambda p: pl.where(p.x < 0.3, plain(p.x, p.y), p.y * p.y - p.x * 0.3),
    "column, one dear": lambda p: pl.where(p.x < 0.3, dear(p.x, p.y), 0.0),
    "column, both dear": lambda p: pl.where(p.x < 0.3, dear(p.x, p.y), pl.sqrt(abs(p.x + p.y))),
    "half plane, both dear": lambda p: pl.where(
        p.x * 0.7 + p.y * 0.4 < 0.3, dear(p.x, p.y), pl.sqrt(abs(p.x + p.y))
    ),
    "column, much shared": lambda p: pl.where(
        p.x < 0.3, dear(p.x, p.y) * 0.5, dear(p.x, p.y) * dear(p.x, p.y)
    ),
}


class Way:
    """A picture compiled one way: with some stage "rows", or without it."""

    def __init__(self, picture: Any, numerics: str, rows: Callable[[Any], Any] | None) -> None:
        """Compile it a few times."""
        usual = pipeline.script

        def script(options: Any, lanes: int) -> list[Any]:
            stages = [s for s in usual(options, lanes) if s[0] != "rows"]
            place = next(k for k, (name, _) in enumerate(stages) if name == "spread")
            return stages if rows is None else [*stages[:place], ("rows", rows), *stages[place:]]

        self.compiling, self.drawing = np.inf, np.inf
        pipeline.script = script
        try:
            for _ in range(COMPILATIONS):
                forget()
                start = time.process_time()
                self.kernel = pl.compile(picture, backend="llvm", numerics=numerics)
                self.compiling = min(self.compiling, 1e3 * (time.process_time() - start))
        finally:
            pipeline.script = usual

    def draw(self, side: int, out: Any) -> None:
        """Draw a frame, and keep the shortest time."""
        start = time.perf_counter()
        self.kernel.render((side, side), zoom=side / 4, threads=1, out=out)
        self.drawing = min(self.drawing, 1e3 * (time.perf_counter() - start))


class Rows:
    """The stage, with what it thought and did; `anyway` lets it split what does not pay."""

    def __init__(self, *, anyway: bool) -> None:
        """Begin with nothing."""
        self.anyway, self.part, self.taken, self.done = anyway, np.inf, False, False

    def __call__(self, state: Any) -> Any:
        """Split the rows."""
        usual = splitting.MAX_PART, splitting.MIN_GAIN, splitting.MAX_CONDITIONS
        new = splitting.split_rows(state)
        self.taken = new.kernel is not state.kernel
        try:
            splitting.MAX_PART, splitting.MIN_GAIN = 2.0, -np.inf
            found = [s.part for _, loop in splitting.inner(state) for s in splitting.weighed(loop)]
            self.part = min(found, default=np.inf)
            if self.anyway and not self.taken:
                splitting.MAX_CONDITIONS = 1
                new = splitting.split_rows(state)
        finally:
            splitting.MAX_PART, splitting.MIN_GAIN, splitting.MAX_CONDITIONS = usual
        self.done = new.kernel is not state.kernel
        return new


def main() -> None:
    """Print the table."""
    anyway = "--all" in sys.argv
    print(f"{'':27} {'':8} {'timer':>6} {'split':>6}", end="")
    print("".join(f"{f'frame {side}':>14}" for side in SIDES) + f"{'compile ms':>16}")
    for name, picture in PICTURES.items():
        for numerics in ("exact", "relaxed"):
            rows = Rows(anyway=anyway)
            new, old = Way(im.image(picture), numerics, rows), Way(im.image(picture), numerics, None)
            if rows.taken:
                # What weighing everything for the table took is not its time.
                new.compiling = Way(im.image(picture), numerics, splitting.split_rows).compiling
            if not rows.done:
                print(f"{name:27} {numerics:8} {rows.part:6.2f} {'no':>6}")
                continue
            print(f"{name:27} {numerics:8} {rows.part:6.2f} {'yes' if rows.taken else 'no':>6}", end="")
            for side in SIDES:
                outs = [np.empty((side, side, 4), np.uint8) for _ in range(2)]
                new.drawing = old.drawing = np.inf
                rest()
                for _ in range(ROUNDS):
                    for way, out in zip((new, old), outs, strict=True):
                        way.draw(side, out)
                assert np.array_equal(*outs), name
                print(f"{old.drawing:7.3f} *{new.drawing / old.drawing:5.2f}", end="", flush=True)
            print(f"{old.compiling:8.1f} *{new.compiling / old.compiling:5.2f}", flush=True)


if __name__ == "__main__":
    main()
