"""Smoothing: frames whose pixels may be off by a little, for far fewer samples.

Beside `kernel`, for the tile machine alone. A tolerance is a promise: intervals show that no byte is farther off. An
error is an estimate: pixels get so many samples as their contrast asks for, and more while that changes them by too
much.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..backends.port import Code
from ..backends.tiles.machine.running import Tolerance
from ..backends.tiles.supersample.running import SampledCode
from ..base.errors import InputError
from .frame import OUT
from .view import Smooth

FEWEST = 2
"""Samples to a row of every pixel, where their number depends on the error."""


def draw(
    code: Code, arguments: Mapping[str, Any], pixels: NDArray[np.uint8], smooth: Smooth, threads: int | None
) -> None:
    """Fill pixels of shape (height, width, 4) with means that are as near as asked for.

    Raises InputError if the code is not the tile machine's.
    """
    if not isinstance(code, SampledCode):
        place = "tolerance" if smooth.tolerance is not None else "error"
        raise InputError(
            "only intervals can tell how far a pixel is off",
            place=place,
            fix="leave the back end to itself, or give backend='tiles'",
        )
    memory = {OUT: pixels.reshape(-1).view(np.uint32)}
    within = Tolerance(slack=2 * math.floor((smooth.tolerance or 0.0) * 255 + 1e-9))
    if smooth.error is None:
        code.run(arguments, memory, threads=threads, within=within)
        return
    most = arguments["samples"]
    sides = [min(FEWEST, most)]
    while sides[-1] < most:
        sides.append(min(2 * sides[-1], most))
    code.run({**arguments, "samples": sides[0]}, memory, threads=threads, within=within)
    goals = _goals(pixels, sides, smooth.error * 255)
    for k, side in enumerate(sides[1:], 1):
        wanted = (goals == k).astype(np.uint8)
        if not wanted.any():
            continue
        before = pixels.copy()
        code.run(
            {**arguments, "samples": side},
            memory,
            threads=threads,
            within=within._replace(wanted=wanted),
        )
        change = np.maximum(pixels, before) - np.minimum(pixels, before)
        goals[(wanted != 0) & (change.max(-1) > smooth.error * 255)] = k + 1


def _goals(pixels: NDArray[np.uint8], sides: list[int], error: float) -> NDArray[np.intp]:
    """The place in `sides` of what each pixel needs: of an edge that crosses it, so many samples miss that much.

    How much there is to be missed is the contrast of a pixel and its neighbors.
    """
    around = _beside(_beside(pixels, 0), 2)
    high: NDArray[np.uint8] = around.max(axis=(0, 1))
    contrast: NDArray[np.float64] = (high - around.min(axis=(0, 1))).max(axis=-1) / (2 * error)
    return np.searchsorted(np.array(sides[:-1], np.float64), contrast)


def _beside(pixels: NDArray[np.uint8], axis: int) -> NDArray[np.uint8]:
    """Each pixel, the one before it, and the one behind it along an axis."""
    lines = np.moveaxis(pixels, axis, 0)
    views = lines[[0, *range(len(lines) - 1)]], lines, lines[[*range(1, len(lines)), -1]]
    return np.stack([np.moveaxis(view, 0, axis) for view in views])
