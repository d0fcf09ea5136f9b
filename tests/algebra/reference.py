"""The image algebra once more, in NumPy and point by point: what the tests compare with. It shares no code."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

MODES = {"reflect": "reflect", "clamp": "edge", "wrap": "wrap", "constant": "constant"}
BORDERS = tuple(MODES)


def outside(at: int, count: int, border: str) -> int | None:
    """Which element stands for a coordinate; None for the constant. Walks step by step, with no arithmetic of folds."""
    if border == "clamp":
        return min(max(at, 0), count - 1)
    if border == "wrap":
        return at % count
    if border == "constant":
        return at if 0 <= at < count else None
    while not 0 <= at < count:
        if count == 1:
            return 0
        at = -at if at < 0 else 2 * (count - 1) - at
    return at


def around(
    a: np.ndarray, offsets: Iterable[tuple[int, ...]], border: str, constant: float = 0
) -> list[np.ndarray]:
    """For every offset d the array of a(x + d)."""
    found: list[np.ndarray] = []
    for d in offsets:
        moved = np.empty_like(a)
        for at in np.ndindex(a.shape[: len(d)]):
            point = [outside(x + k, n, border) for x, k, n in zip(at, d, a.shape, strict=False)]
            moved[at] = constant if None in point else a[tuple(point)]
        found.append(moved)
    return found


def steps(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The offsets of a template of that shape about its middle."""
    return [tuple(k - n // 2 for k, n in zip(at, shape, strict=True)) for at in np.ndindex(shape)]


def weighted(a: np.ndarray, kernel: np.ndarray, border: str, constant: float = 0) -> np.ndarray:
    """The sum of kernel(d) a(x + d), in the array's own type and in the order of the kernel."""
    total = None
    parts = around(a, steps(kernel.shape), border, constant)
    for w, part in zip(kernel.ravel(), parts, strict=True):
        if w != 0:
            term = a.dtype.type(w) * part
            total = term if total is None else total + term
    assert total is not None
    return total.astype(a.dtype)


def turned(kernel: np.ndarray) -> np.ndarray:
    """The kernel turned by half a turn: what makes a convolution of a correlation."""
    return kernel[tuple(slice(None, None, -1) for _ in kernel.shape)]


def ranked(
    a: np.ndarray,
    mask: np.ndarray,
    border: str,
    choose: Callable[[np.ndarray], np.ndarray],
    constant: float = 0,
) -> np.ndarray:
    """A choice among the values under a mask, sorted along the first axis."""
    offsets = [d for d, on in zip(steps(mask.shape), mask.ravel(), strict=True) if on]
    return choose(np.sort(np.stack(around(a, offsets, border, constant)), axis=0))
