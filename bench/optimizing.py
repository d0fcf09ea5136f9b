"""How long optimization takes: the unsharp mask, and programs of 100 to 3000 statements, whose time must grow as they do."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from pellucid import algebra as alg
from pellucid.algebra.naive import Lowering
from pellucid.algebra.script import optimized
from pellucid.base.deep_stack import with_deep_stack
from pellucid.driver.lending import make_backend
from pellucid.driver.options import Options
from pellucid.ir.nest import Kernel

ROUNDS = 5
LONG = 500
"""Statements from which one round takes long enough to be believed."""
SMOOTH = np.outer([1, 2, 1], [1, 2, 1]) / 16


def unsharp(radius: int) -> alg.Array:
    """The mask of bench/unsharp.py."""
    a = alg.array("a", (1080, 1920, 3), "f32")
    line = np.exp(-(np.arange(-radius, radius + 1) ** 2) / (radius * radius))
    return a + alg.scalar("amount") * (a - alg.convolve(a, np.outer(line, line) / line.sum() ** 2))


def chain(count: int) -> alg.Array:
    """So many pointwise statements, each on the ones before."""
    a, b = alg.array("a", (1080, 1920)), alg.array("b", (1080, 1920))
    for k in range(count // 2):
        a, b = a * 0.5 + b, alg.maximum(a, b) if k % 2 else a - b
    return a + b


def stages(count: int) -> alg.Array:
    """So many statements, of which every tenth looks at its neighbors."""
    a = alg.array("a", (1080, 1920))
    for k in range(count):
        a = alg.convolve(a, SMOOTH) if k % 10 == 9 else a * 0.5 + k
    return a


def smoothed(count: int) -> alg.Array:
    """So many convolutions, each of the one before."""
    a = alg.array("a", (1080, 1920))
    for _ in range(count):
        a = alg.convolve(a, SMOOTH)
    return a


def naive(e: alg.Array) -> Kernel:
    """The nest that the optimizer begins with."""
    return Lowering().kernel("algebra", [("out", e.node)])


def best(make: Callable[[], alg.Array], rounds: int = ROUNDS) -> float:
    """The least milliseconds that optimization takes, of several."""
    backend, found = make_backend("auto"), float("inf")
    for _ in range(rounds):
        kernel = naive(make())
        start = time.process_time()
        with_deep_stack(partial(optimized, kernel, Options(), backend))
        found = min(found, time.process_time() - start)
    return 1e3 * found


def main() -> None:
    """Measure, print."""
    for name, radius in (("3 x 3", 1), ("9 taps", 4)):
        print(f"unsharp mask, {name}: {best(lambda radius=radius: unsharp(radius)):.1f} ms")
    programs = (("pointwise", chain), ("every tenth a convolution", stages), ("convolutions", smoothed))
    for name, program in programs:
        for count in (100, 300, 1000, 3000):
            spent = best(partial(program, count), ROUNDS if count < LONG else 1)
            print(
                f"{count:5} statements, {name}: {spent:7.1f} ms, {1e3 * spent / count:.0f} µs each",
                flush=True,
            )


if __name__ == "__main__":
    main()
