"""Running a supersampled frame: the words of the frame that `supersample.machine` needs besides those of a tape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....ir.expr import Expr
from ...jit.workers import WorkerPool
from ...port import CallingPlan, CodeStore, address
from ..abi import INPUTS, MAX_LISTED, STEP, FrameWord
from ..machine.running import TileCode, Tolerance, whole
from ..sizes import LANES, VECTORS
from ..tape.build import Field, build_kept
from ..tape.key import LINKAGE
from ..taylor.kernels import PARTS, model_kernels
from .bounds import pixel_means
from .machine import text
from .resolve import Mean, functions

FULL = 0.8
"""Minimum part of the vectors of batches that a list uses, if a list of that length is possible."""
MIN_SIDE_OF_PIXELS = 4
"""Samples in a row of a pixel from which on intervals are evaluated down to single pixels."""

MAX_MODEL_TAPE = 1024
"""Maximum instructions of a tape that runs on Taylor models, which must fit into a cache."""


class SampledCode(TileCode):
    """A tape of samples that can be run; `port.Code`."""

    machine = staticmethod(text)

    def __init__(
        self,
        plan: CallingPlan,
        field: Field,
        mean: Mean,
        workers: WorkerPool | None,
        threads: int,
        store: CodeStore | None,
    ) -> None:
        tape = build_kept(field, mean.values, {mean.across: 2, mean.down: 3}, mean.uniforms)
        super().__init__(plan, tape, workers, threads, store)
        self.mean = mean
        frame = self.memory.frame
        half = self.memory.unit // 2
        native = functions(mean.form, half, store)
        frame[FrameWord.SUM], frame[FrameWord.FINISH], frame[FrameWord.BOUNDS] = native
        frame[FrameWord.KEPT] = len(mean.values)
        self._enable_models(half, store)

    def _enable_models(self, half: int, store: CodeStore | None) -> None:
        """Enable Taylor models, unless the tape has an iteration or the form has too many steps."""
        frame = self.memory.frame
        place = (
            0 if any(k.op in LINKAGE for k in self.tape.keys) else pixel_means(self.mean.form, half, store)
        )
        if place:
            kernels = model_kernels(half, store)
            kernels.want(self.opcodes)
            most = min(len(self.tape), MAX_MODEL_TAPE)
            frame[FrameWord.PIXEL_MEANS], frame[FrameWord.MODEL_KERNELS] = place, address(kernels.table)
            frame[FrameWord.MODELS] = self.memory.reserve((INPUTS + most) * PARTS * half)
            frame[FrameWord.MAX_MODELS] = most

    def prepare(self, params: Sequence[Expr], values: Sequence[Any], within: Tolerance) -> None:
        """Set the words of the frame for the samples and the tolerance."""
        side = whole(self.mean.side, params, values)
        frame = self.memory.frame
        frame[FrameWord.SIDE], frame[FrameWord.SAMPLES] = side, side * side
        frame[FrameWord.SLACK] = within.slack
        frame[FrameWord.WANTED] = 0 if within.wanted is None else address(within.wanted)
        frame[FrameWord.AT_ONCE] = LANES * _groups(side * side)
        frame[FrameWord.SMALLEST] = 0 if side >= MIN_SIDE_OF_PIXELS else STEP


def _groups(samples: int) -> int:
    """The length of a list in groups of 16 pixels, so that batches are full.

    >>> [_groups(n * n) for n in (2, 3, 4, 5)]
    [4, 3, 1, 3]
    """

    def used(groups: int) -> float:
        vectors = groups * samples
        return vectors / (-(-vectors // VECTORS) * VECTORS)

    choices = range(1, MAX_LISTED // LANES + 1)
    return next((g for g in choices if used(g) >= FULL), max(choices, key=used))
