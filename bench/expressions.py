"""Pixel expressions on 1920 x 1080 bytes: compiled by the example, by our own algebra, by NumPy, and C by hand.

The outputs are compared. Then the time from the text of a new expression to its first frame. Nothing is in the cache of
compiled code.
"""

from __future__ import annotations

import ctypes
import os
import runpy
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["PELLUCID_CACHE"] = "off"

import numpy as np
from harness import Race, reference

from pellucid import algebra as alg

EXAMPLE = runpy.run_path(str(Path(__file__).parents[1] / "examples/expressions.py"))
WIDTH, HEIGHT = 1920, 1080
X, Y = (alg.array(name, (HEIGHT, WIDTH), "u8") for name in "xy")
F = np.float32


def moved(dx: int, dy: int) -> alg.Array:
    """A neighbor in the algebra."""
    return alg.shift(X, (-dy, -dx), "clamp").astype("f32")


def stored(value: alg.Array) -> alg.Array:
    """A value as a byte."""
    return alg.pointwise("round", value).astype("u8")


def neighbor(x: np.ndarray, dx: int, dy: int) -> np.ndarray:
    """A neighbor in NumPy."""
    padded = np.pad(x, 1, mode="edge")
    return padded[1 + dy : 1 + dy + HEIGHT, 1 + dx : 1 + dx + WIDTH].astype(F)


def edges_of(x: np.ndarray) -> np.ndarray:
    """Edges in NumPy."""
    across, down = (neighbor(x, a, b) - neighbor(x, -a, -b) for a, b in ((1, 0), (0, 1)))
    return np.maximum(np.abs(across), np.abs(down)) * F(3)


CASES: dict[str, tuple[str, Callable[[], alg.Array], Callable[[Any, Any], Any]]] = {
    "mean": (
        "x y + 2 /",
        lambda: (X.astype("f32") + Y.astype("f32")) / 2.0,
        lambda x, y: (x.astype(F) + y) / F(2),
    ),
    "levels": (
        "x 128 > y x 2 * ?",
        lambda: alg.where(X.astype("f32") > 128.0, Y.astype("f32"), X.astype("f32") * 2.0),
        lambda x, y: np.where(x > 128, y.astype(F), x * F(2)),
    ),
    "edges": (
        "x[1,0] x[-1,0] - abs x[0,1] x[0,-1] - abs max 3 *",
        lambda: alg.maximum(abs(moved(1, 0) - moved(-1, 0)), abs(moved(0, 1) - moved(0, -1))) * 3.0,
        lambda x, y: edges_of(x),
    ),
    "length_of": (
        "x dup * y dup * + sqrt 0.7 *",
        lambda: (
            alg.pointwise("sqrt", X.astype("f32") * X.astype("f32") + Y.astype("f32") * Y.astype("f32")) * 0.7
        ),
        lambda x, y: np.sqrt(x.astype(F) * x + y.astype(F) * y) * F(0.7),
    ),
}


def frames() -> None:
    """A table for each expression."""
    draw = np.random.default_rng(1)
    x, y = (draw.integers(0, 256, (HEIGHT, WIDTH), dtype=np.uint8) for _ in range(2))
    library = reference("expressions", ["-O3", "-march=native", "-fopenmp", "-fPIC", "-shared"])
    for name, (text, by_algebra, by_numpy) in CASES.items():
        mine, theirs, hand = (np.zeros_like(x) for _ in range(3))
        expression = EXAMPLE["Expression"](text, (WIDTH, HEIGHT), ("u8", "u8"), tier="nest")
        program = alg.compile(stored(by_algebra()), numerics="exact")
        given = {key: value for key, value in (("x", x), ("y", y)) if key in program.inputs}
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (x, y, hand)]

        def by_numpy_stored(by_numpy: Any = by_numpy) -> np.ndarray:
            return np.rint(by_numpy(x, y)).clip(0, 255).astype(np.uint8)

        race = Race(f"{name}: {text}, {WIDTH} x {HEIGHT}, 2 threads")
        c = getattr(library, name)
        race.add("C", lambda c=c, p=pointers: c(*p, WIDTH, HEIGHT))
        race.add("algebra", lambda f=program, g=given, o=theirs: f(**g, out=o))
        race.add("expression", lambda f=expression, o=mine: f(x, y, out=o))
        race.add("numpy", by_numpy_stored)
        for call in race.peers.values():
            call()
        meant = by_numpy_stored()
        for other in (mine, theirs, hand):
            assert (other == meant).all(), name
        race.run("algebra", rounds=5, calls=16)


SHORT = ("sqrt", "abs", "3 + 2 *", "dup *", "128 - abs", "x[1,1] +", "y max", "200 min", "x 99 > swap y ?")
"""Pieces of expressions, which take a value and leave one."""


def first_frames(pieces: int, count: int = 24) -> None:
    """From a new text to its finished frame, over expressions of so many pieces that differ in structure.

    The first two expressions meet kernels that no expression asked for before. Each frame is compared with the nest's.
    """
    x = np.random.default_rng(2).integers(0, 256, (HEIGHT, WIDTH), dtype=np.uint8)
    y, out = x[::-1].copy(), np.zeros_like(x)
    EXAMPLE["compiler"]()
    draw = np.random.default_rng(pieces)
    texts = ["x " + " ".join(SHORT), "y " + " ".join(SHORT)]
    texts += ["x " + " ".join(str(w) for w in draw.choice(SHORT, pieces)) for _ in range(count)]
    whole, made = [], []
    for text in texts:
        start = time.perf_counter()
        expression = EXAMPLE["Expression"](text, (WIDTH, HEIGHT), ("u8", "u8"))
        compiled = time.perf_counter()
        expression(x, y, out=out)
        whole.append(1e3 * (time.perf_counter() - start))
        made.append(1e3 * (compiled - start))
        assert expression.code.tier == "rows", expression.code.problem
        nest = EXAMPLE["Expression"](text, (WIDTH, HEIGHT), ("u8", "u8"), tier="nest")
        assert (nest(x, y) == out).all(), text
    lengths = statistics.median(len(text.split()) for text in texts[2:])
    print(
        f"new expressions of {lengths:.0f} words: {statistics.median(whole[2:]):.2f} ms from the text to the frame "
        f"(least {min(whole[2:]):.2f}), {statistics.median(made[2:]):.2f} ms of it until it can run "
        f"(least {min(made[2:]):.2f}); with new operators {whole[0]:.1f} ms"
    )


def main() -> None:
    """Print all."""
    frames()
    for pieces in (2, 6, 25):
        first_frames(pieces)


if __name__ == "__main__":
    main()
