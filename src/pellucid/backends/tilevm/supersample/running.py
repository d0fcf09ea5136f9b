"""Running a supersampled frame: what `supersample.machine` has to know besides a tape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....ir.expr import Expr
from ...jit.workers import WorkerPool as Hands
from ...port import Layout, Store, address
from ..abi import INPUTS, LIST_MOST, STEP, Word
from ..machine.running import Care, TileCode, whole
from ..sizes import LANES, VECTORS
from ..tape.build import Field, build_kept
from ..tape.key import PASSAGES
from ..taylor.kernels import HALVES, surfaces
from .bounds import centers
from .machine import text
from .resolve import Mean, functions

FULL = 0.8
"""Lists are so long that of the vectors of their batches this part is used, if that is possible."""
PIXELS_FROM = 4
"""From so many samples in a row on, boxes are asked down to single pixels."""

LONGEST = 1024
"""How many instructions a tape may have at most that runs on surfaces: they have to stay in a cache."""


class SampledCode(TileCode):
    """A tape of samples that can be run; `port.Code`."""

    machine = staticmethod(text)

    def __init__(
        self, plan: Layout, field: Field, mean: Mean, hands: Hands | None, threads: int, store: Store | None
    ) -> None:
        tape = build_kept(field, mean.values, {mean.across: 2, mean.down: 3}, mean.uniforms)
        super().__init__(plan, tape, hands, threads, store)
        self.mean = mean
        frame = self.memory.frame
        half = self.memory.unit // 2
        native = functions(mean.form, half, store)
        frame[Word.SUM], frame[Word.FINISH], frame[Word.BOUNDS] = native
        frame[Word.KEPT] = len(mean.values)
        self._bend(half, store)

    def _bend(self, half: int, store: Store | None) -> None:
        """Have surfaces as well as boxes, unless there is an iteration, or the form has too many steps."""
        frame = self.memory.frame
        place = 0 if any(k.op in PASSAGES for k in self.tape.keys) else centers(self.mean.form, half, store)
        if place:
            kernels = surfaces(half, store)
            kernels.want(self.opcodes)
            most = min(len(self.tape), LONGEST)
            frame[Word.CENTERS], frame[Word.SURFACES] = place, address(kernels.table)
            frame[Word.FORMS] = self.memory.reserve((INPUTS + most) * HALVES * half)
            frame[Word.FORMS_MOST] = most

    def prepare(self, params: Sequence[Expr], values: Sequence[Any], care: Care) -> None:
        """Fill in how many samples there are, and what is to be done about them."""
        side = whole(self.mean.side, params, values)
        frame = self.memory.frame
        frame[Word.SIDE], frame[Word.SAMPLES] = side, side * side
        frame[Word.SLACK] = care.slack
        frame[Word.WANTED] = 0 if care.wanted is None else address(care.wanted)
        frame[Word.AT_ONCE] = LANES * _groups(side * side)
        frame[Word.SMALLEST] = 0 if side >= PIXELS_FROM else STEP


def _groups(samples: int) -> int:
    """How many times 16 pixels go together, so that batches are full.

    >>> [_groups(n * n) for n in (2, 3, 4, 5)]
    [4, 3, 1, 3]
    """

    def used(groups: int) -> float:
        vectors = groups * samples
        return vectors / (-(-vectors // VECTORS) * VECTORS)

    choices = range(1, LIST_MOST // LANES + 1)
    return next((g for g in choices if used(g) >= FULL), max(choices, key=used))
