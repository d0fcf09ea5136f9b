"""Smoothing: frames whose pixels may be off by a little, for far fewer samples.

Beside `kernel`, for the tile machine, and for the back end "auto", which draws all samples where that takes less.
A tolerance is a promise: intervals show that no byte is farther off. An error is an estimate: pixels get so many
samples as their contrast asks for, and more while that changes them by too much.
"""

from __future__ import annotations

import math
import time as clock
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..backends.port import Code
from ..backends.tiles.machine.running import TileCode, Tolerance
from ..backends.tiles.supersample.running import SampledCode
from ..base.errors import BackendError, InputError
from .choosing import ChosenCode
from .frame import OUT
from .tiers import Timing
from .view import Smooth

FEWEST = 2
"""Samples to a row of every pixel, where their number depends on the error."""
TRIES = 2
"""Frames by which few samples are measured: the first one makes memory."""
MAY_GAIN = 4.0
"""How many times as long all samples may take while it is not settled yet what draws them."""


class SmoothCode:
    """The code of frames whose pixels may be off by a little, for the back end "auto".

    `few` makes the code that takes samples where they are needed, or raises BackendError where there is none; `every`
    takes all of them, as no tolerance forbids.
    """

    def __init__(self, few: Callable[[], Code], every: ChosenCode) -> None:
        self._make_few, self.every = few, every
        self._timings: defaultdict[tuple[bool, int], Timing] = defaultdict(Timing)

    @cached_property
    def few(self) -> SampledCode | None:
        """The tile machine's code, or None if it has none."""
        try:
            code = self._make_few()
        except BackendError:
            return None
        return code if isinstance(code, SampledCode) else None

    def draw(
        self, arguments: Mapping[str, Any], pixels: NDArray[np.uint8], smooth: Smooth, threads: int | None
    ) -> None:
        """Fill pixels by whichever took less for frames like this one."""
        timing = self._timings[smooth.error is None, int(arguments["samples"])]
        few = self.few if self._takes_few(timing) else None
        began = clock.perf_counter()
        if few is not None:
            draw(few, arguments, pixels, smooth, threads)
        else:
            self.every.run(arguments, {OUT: pixels.reshape(-1).view(np.uint32)}, threads=threads)
        name = "every" if few is None else "few"
        timing.add(name, 1e3 * (clock.perf_counter() - began), pixels.size)

    def _takes_few(self, timing: Timing) -> bool:
        """Whether few samples are expected to take less than all of them, or are to be measured."""
        if self.few is None:
            return False
        if timing.tries("few") < TRIES:
            return True
        if not timing.tries("every"):
            return False
        may_gain = timing.least("every", 1) < MAY_GAIN * timing.least("few", 1)
        return not (may_gain and not self.every.is_settled) and timing.fastest(["few", "every"]) == "few"


def draw(
    code: Code | SmoothCode,
    arguments: Mapping[str, Any],
    pixels: NDArray[np.uint8],
    smooth: Smooth,
    threads: int | None,
) -> None:
    """Fill pixels of shape (height, width, 4) with means that are as near as asked for.

    Raises InputError if the code is neither the tile machine's nor one that may draw them all.
    """
    if isinstance(code, SmoothCode):
        code.draw(arguments, pixels, smooth, threads)
        return
    memory = {OUT: pixels.reshape(-1).view(np.uint32)}
    if not isinstance(code, TileCode):
        place = "tolerance" if smooth.tolerance is not None else "error"
        raise InputError(
            "only intervals can tell how far a pixel is off",
            place=place,
            fix="leave the back end to itself, or give backend='tiles'",
        )
    if not isinstance(code, SampledCode):
        # No pixel is a mean of several colors.
        code.run(arguments, memory, threads=threads)
        return
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
