"""Tiers: what a frame costs by tapes and by machine code, so that a compiler is started only where that will win.

Between the tile machine's counts and `session`, which asks. A tape is ready at once and skips what intervals decide;
machine code comes late and does everything, several times as fast. How much of a frame was skipped is counted, not
timed, so the answer does not depend on what else the computer does; which of two codes stays is then measured.
"""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..backends.tiles.sizes import LANES, VECTORS
from ..ir import prim as table
from ..ir.expr import Expr, topological

if TYPE_CHECKING:
    from ..backends.tiles.machine.running import TileCounts
    from ..backends.tiles.tape.build import Tape

BATCH = LANES * VECTORS


class Costs(NamedTuple):
    """Nanoseconds, measured on the gallery in exact numerics; only their relations matter.

    leaf      of an instruction of cost 1 on a batch of 256 pixels.
    interval  of an instruction on 16 intervals, with its share of making shorter tapes.
    code      of an operator of cost 1 on 256 pixels, by machine code.
    load      of a load on 256 pixels, by machine code; a leaf pays as much and the price of an instruction.
    pixels    of 256 pixels, besides: storing them.
    """

    leaf: float = 12.0
    interval: float = 55.0
    code: float = 3.5
    load: float = 72.0
    pixels: float = 32.0


COSTS = Costs()
COMPILE_MS = (5.0, 0.2)
"""Milliseconds to compile: for any picture, and for each unit of its operators' cost."""
SPEEDUP_THRESHOLD = 0.8
"""Machine code is made where it is predicted to take less than so much of what a tape takes."""
UNKNOWN_SHARE = 0.5
"""The time of machine code as a share of the tape's where no count tells: how many samples a pixel needs, how many
turns an iteration takes."""
EXPECTED = 16
"""For each frame that was asked for, so many more are expected: what is being looked at is looked at for a while."""
LATEST = 3
"""By how many frames a code is judged."""


class Estimate(NamedTuple):
    """An estimate of machine code: its time as a share of the tiled frame's, and the milliseconds of compiling."""

    share: float
    compile_ms: float

    def pays(self, tiled_ms: float, asked: int) -> bool:
        """Whether it is worth compiling, when so many frames were asked for and took so long.

        >>> Estimate(0.5, 100.0).pays(10.0, 1), Estimate(0.5, 100.0).pays(10.0, 2), Estimate(0.9, 1.0).pays(10.0, 99)
        (False, True, False)
        """
        saved = tiled_ms * (1.0 - self.share) * EXPECTED * asked
        return self.share < SPEEDUP_THRESHOLD and saved > self.compile_ms


class FrameCost(NamedTuple):
    """What a frame is expected to cost before anything is made of it: milliseconds for a tape, and for machine code.

    work      of its operators, each by its cost.
    loads     from tables and pictures.
    iterates  whether some of that is in loops, of which nobody knows the turns.
    """

    work: float
    loads: int
    tape_ms: float
    compile_ms: float
    iterates: bool = False

    @classmethod
    def of(cls, pixel: Expr, *, exact: bool) -> FrameCost:
        """The cost of a frame whose pixels are computed so; exact tapes are made as traced.

        >>> from ..ir import types as T
        >>> from ..ir.expr import apply, param
        >>> x = param("x", T.f32)
        >>> FrameCost.of(apply("mul", x, x), exact=False)
        FrameCost(work=1.0, loads=0, tape_ms=4.12, compile_ms=5.2, iterates=False)
        """
        rows, nodes = table.table(), topological([pixel])
        work = float(sum(rows[e.op].cost for e in nodes if e.op in rows))
        loads = sum(e.op == "load" for e in nodes)
        (tape, each), (fixed, unit) = TRACED_MS if exact else TAPE_MS, COMPILE_MS
        iterates = any(e.op == "iterate" for e in nodes)
        return cls(work, loads, tape + each * len(nodes), fixed + unit * (work + loads), iterates)

    def frame_ms(self, pixels: int, costs: Costs = COSTS) -> float:
        """The milliseconds of a frame of so many pixels by machine code, on one thread."""
        return 1e-6 * pixels / BATCH * (self.work * costs.code + self.loads * costs.load + costs.pixels)

    def tiled_ms(self, pixels: int, costs: Costs = COSTS) -> float:
        """The most milliseconds of such a frame from a tape, on one thread: those where nothing is skipped."""
        if self.iterates:
            return math.inf
        leaves = (self.work + self.loads) * costs.leaf + self.loads * costs.load
        return 1e-6 * pixels / BATCH * (leaves + costs.pixels)


TAPE_MS, TRACED_MS = (4.0, 0.06), (1.0, 0.015)
"""Milliseconds to make a tape by the rules, and as traced: for any, and for each node."""
REWRITING_MS = (2.0, 0.03)
"""Milliseconds to make a tape by the rules: for any, and for each instruction of the tape as it was traced."""
REWRITING_SAVES = 0.5
"""The saving of such a tape: minima that are only compared become truths, of which intervals decide more."""


def rewriting_pays(length: int, tiled_ms: float, asked: int) -> bool:
    """Whether a tape of such a length is worth being made again by the rules, when so many frames took so long.

    >>> rewriting_pays(6000, 4.0, 1), rewriting_pays(6000, 4.0, 9), rewriting_pays(30, 0.2, 1)
    (False, True, False)
    """
    fixed, each = REWRITING_MS
    return tiled_ms * REWRITING_SAVES * EXPECTED * asked > fixed + each * length


def estimate(tape: Tape, counts: TileCounts, pixels: int, costs: Costs = COSTS) -> Estimate:
    """The estimate of machine code for a tape, of which a frame of so many pixels took these counts."""
    rows = table.table()
    loads, work, is_known = 0, 0.0, not counts.samples
    for key, many in zip(tape.keys, np.bincount(tape.codes, minlength=len(tape.keys)).tolist(), strict=True):
        is_known = is_known and key.op != "loop"
        if key.op in rows:
            work += rows[key.op].cost * many
        elif key.op == "load":
            loads += many
    length = len(tape)
    step = (work * costs.leaf + loads * (costs.leaf + costs.load)) / length
    batches = pixels / BATCH
    tiled = counts.leaf_steps * step + counts.interval_steps * costs.interval + batches * costs.pixels
    compiled = batches * (work * costs.code + loads * costs.load + costs.pixels)
    fixed, each = COMPILE_MS
    return Estimate(compiled / tiled if is_known else UNKNOWN_SHARE, fixed + each * work)


class Timing:
    """The times of frames by each of some codes, by name; times are per pixel, so that sizes may change.

    Of the `latest` frames the shortest counts: whatever else went on made the others longer, and a code that is not
    chosen for such a one is not measured again. What is only expected counts until a frame is measured.

    >>> timing = Timing()
    >>> for name, ms in (("tiles", 4.0), ("llvm", 2.0), ("llvm", 9.0)):
    ...     timing.add(name, ms, 1000)
    >>> timing.fastest(["tiles", "llvm"]), timing.fastest(["tiles", "llvm", "new"])
    ('llvm', 'new')
    >>> timing.expect("new", 1.0, 1000, tries=2)
    >>> timing.add("new", 5.0, 1000)
    >>> timing.fastest(["tiles", "llvm", "new"]), timing.tries("new")
    ('llvm', 1)
    """

    def __init__(self, latest: int = LATEST) -> None:
        self._times: dict[str, deque[float]] = {}
        self._expected: set[str] = set()
        self._latest = latest

    def add(self, name: str, ms: float, pixels: int) -> None:
        """A frame of so many pixels took so many milliseconds."""
        if name in self._expected:
            self.forget(name)
        self._times.setdefault(name, deque(maxlen=self._latest)).append(ms / pixels)

    def expect(self, name: str, ms: float, pixels: int, tries: int) -> None:
        """A frame of so many pixels is expected to take so many milliseconds, as if it had been tried so often."""
        self._times[name] = deque([ms / pixels] * tries, maxlen=self._latest)
        self._expected.add(name)

    def tries(self, name: str) -> int:
        """How many of the last frames are known of a code."""
        return len(self._times.get(name, ()))

    def of(self, name: str, pixels: int) -> float | None:
        """The milliseconds that a frame of so many pixels takes, as far as is known."""
        times = self._times.get(name)
        if not times:
            return None
        from statistics import median

        return median(times) * pixels

    def least(self, name: str, pixels: int) -> float:
        """The milliseconds that a frame of so many pixels took at least."""
        return min(self._times[name]) * pixels

    def fastest(self, names: list[str]) -> str:
        """The fastest; one that was not yet tried is tried, the last such first."""
        for name in reversed(names):
            if not self.tries(name):
                return name
        return min(names, key=lambda name: self.least(name, 1))

    def forget(self, name: str) -> None:
        """Nothing is known of a code anymore."""
        self._expected.discard(name)
        self._times.pop(name, None)
