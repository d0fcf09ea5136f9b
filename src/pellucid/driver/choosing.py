"""Choosing: a picture is drawn from its tape or by machine code, as is expected to be sooner, then as was measured.

Beside `kernel`, for the back end "auto". Both draw the same bits. A tape is made sooner and skips what intervals
decide; machine code is up to six times as fast where there is nothing to skip. What is not made yet is made once the
frames so far took as long as making it, so that a choice that turns out wrong costs no more than what it tried to save.
"""

from __future__ import annotations

import math
import threading
import time as clock
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..backends.port import Arguments, Code, Memory
from ..base.deep_stack import with_deep_stack
from ..base.errors import BackendError
from ..base.gc_pause import gc_paused
from .compiled import begun
from .frame import OUT, Frame
from .kernel import at_hand, code_of, optimized
from .lending import make_backend
from .offloading import MIN_FRAME_MS, MIN_SPENT_MS, Offload
from .options import Options
from .tiers import FrameCost, Timing, estimate

if TYPE_CHECKING:
    # The tile machine is loaded by whoever draws from a tape.
    from ..backends.tiles.machine.running import TileCode, TileCounts

TILES, LLVM = "tiles", "llvm"
PROBES = (64, 128)
"""Sides of the small frames by which it is estimated how much of a large one intervals decide."""
MAX_AHEAD_MS = 300.0
"""Milliseconds up to which machine code is made before the first frame is asked for, as `compile` does."""
MIN_GAIN = 0.125
"""The share of the tape's time that machine code is hoped to save, where an estimate says that it saves less: nobody
has measured it, so that it is made once it costs an eighth of what the frames took."""
TRIES = 2
"""Frames by which each of two codes is measured: the first one of a tape makes its memory."""
SHORT_MS, SHORT_TRIES = 2.0, 6
"""Milliseconds of a frame that so many are measured of: whatever else goes on easily doubles a short one."""
SLOWER = 2.0
"""How many times as long some frames in a row must take until it is chosen again."""


class _Settled(NamedTuple):
    """The code that draws from here on, and the milliseconds that it took for a pixel."""

    code: Code
    ms: float


class ChosenCode:
    """The code of a frame, by the tile machine or by LLVM; `port.Code`.

    >>> from pellucid import images as im
    >>> from .frame import FrameVariant
    >>> from .kernel import Kernel
    >>> code = Kernel(im.udisk, Options(), now=False).code(FrameVariant())
    >>> code.cost.tape_ms < code.cost.compile_ms
    True
    """

    def __init__(self, frame: Frame, options: Options) -> None:
        self._frame, self._options = frame, options
        self.cost = cost_of(frame, options)
        self._tape: TileCode | None = None
        self._machine: Code | None = None
        self._has_tape = True
        self._timing = Timing(SHORT_TRIES)
        self._spent_ms = 0.0
        # The pixels drawn by the tape, and what it had counted before them.
        self._tiled = 0
        self._before: TileCounts | None = None
        self._drawing = 0
        self._settled: _Settled | None = None
        self._slow = 0
        self._offload = Offload(frame, options)
        self._lock = threading.RLock()

    def run(self, arguments: Arguments, memory: Memory, *, threads: int | None = None) -> None:
        """Run once; see `port.Code`."""
        # Samples are pixels to whoever draws them.
        pixels = int(arguments["width"]) * int(arguments["height"]) * int(arguments.get("samples", 1)) ** 2
        settled = self._settled
        if settled is not None and self._drew(settled, arguments, memory, pixels, threads):
            return
        with self._lock, gc_paused():
            name, code = with_deep_stack(lambda: self._chosen(arguments, pixels))
            self._drawing += name == TILES
        began = clock.perf_counter()
        try:
            code.run(arguments, memory, threads=threads)
        finally:
            ms = 1e3 * (clock.perf_counter() - began)
            with self._lock:
                self._drawing -= name == TILES
        with self._lock:
            self._timing.add(name, ms, pixels)
            self._spent_ms += ms
            self._tiled += pixels if name == TILES else 0
            self._settled = self._decided(pixels)

    def _drew(
        self, settled: _Settled, arguments: Arguments, memory: Memory, pixels: int, threads: int | None
    ) -> bool:
        """Draw by what was settled on, and say whether that could be: a GPU may be gone, as in a forked process."""
        is_offloaded = settled.code is self._offload.code
        began = clock.perf_counter()
        try:
            settled.code.run(arguments, memory, threads=threads)
        except BackendError:
            if not is_offloaded:
                raise
            with self._lock:
                self._offload.refuse()
                self._settled = None
            return False
        ms = 1e3 * (clock.perf_counter() - began)
        self._watch(settled, ms / pixels)
        if not is_offloaded and self._offload.is_due(ms, int(arguments["width"]) * int(arguments["height"])):
            with self._lock:
                offloaded, code = self._offload.tried(arguments, memory), self._offload.code
                if code is not None and offloaded is not None and offloaded < ms:
                    self._settled = _Settled(code, offloaded / pixels)
        return True

    @property
    def is_settled(self) -> bool:
        """Whether it is known what draws from here on."""
        return self._settled is not None

    def _watch(self, settled: _Settled, ms: float) -> None:
        """Choose again when frames take much longer than those by which it was chosen: another part is looked at."""
        self._slow = self._slow + 1 if ms > SLOWER * settled.ms else 0
        if self._slow > TRIES:
            with self._lock:
                self._settled, self._slow = None, 0
                for name in (TILES, LLVM):
                    self._timing.forget(name)

    def _decided(self, pixels: int) -> _Settled | None:
        """The code that draws from here on, once all that there can be were measured."""
        codes = {TILES: self._tape, LLVM: self._machine}
        names = [LLVM, TILES] if self._has_tape else [LLVM]
        if not all(self._is_measured(name, pixels) for name in names):
            return None
        name = self._timing.fastest(names)
        code, ms = codes[name], self._timing.of(name, 1)
        return None if code is None or ms is None else _Settled(code, ms)

    def _is_measured(self, name: str, pixels: int) -> bool:
        """Whether enough frames of about so many pixels were drawn by a code."""
        tries = self._timing.tries(name)
        return tries >= SHORT_TRIES or (tries >= TRIES and self._timing.least(name, pixels) >= SHORT_MS)

    def prepare(self) -> None:
        """Make what will draw, before a frame is asked for: machine code, unless that takes long."""
        with self._lock, gc_paused():
            if self.cost.compile_ms > MAX_AHEAD_MS and with_deep_stack(self._made_tape) is not None:
                return
            with_deep_stack(self._made_machine)

    # ---- the choice ----

    def _chosen(self, arguments: Arguments, pixels: int) -> tuple[str, Code]:
        """The name of the code that draws a frame of so many pixels, and the code."""
        if self._machine is None and self._tape is None:
            self._machine = at_hand(self._frame, replace(self._options, backend=LLVM))
            if self._machine is None and self._begun() * self.cost.tape_ms < self.cost.compile_ms:
                self._made_tape()
        tape, machine = self._tape, self._machine
        if tape is None and machine is not None and self._has_tape:
            # One frame is about to be drawn; what is known of it is what the others took.
            ahead = self._timing.of(LLVM, pixels) or self.cost.frame_ms(pixels)
            if self._spent_ms + ahead > self.cost.tape_ms:
                tape = self._made_tape()
        elif (
            tape is not None
            and machine is None
            and (self._drawing or self._machine_pays(tape, arguments, pixels))
        ):
            machine = self._made_machine()
        if tape is None:
            return LLVM, machine or self._made_machine()
        if machine is None:
            return TILES, tape
        # A tape draws one frame at a time.
        names = [LLVM] if self._drawing else [TILES, LLVM]
        untried = [name for name in names if not self._is_measured(name, pixels)]
        name = untried[0] if untried else self._timing.fastest(names)
        return name, tape if name == TILES else machine

    def _begun(self) -> int:
        """How many processes have begun to draw the frame: what each of them makes anew, none of them keeps."""
        return begun(self._frame.digest, self._options)

    def _machine_pays(self, tape: TileCode, arguments: Arguments, pixels: int) -> bool:
        """Whether machine code would have saved as much by this frame and those before as it takes to be made."""
        tiled = self._timing.of(TILES, pixels)
        if tiled is not None:
            counts = tape.counts
            share = estimate(
                tape.tape, _less(counts, self._before) if self._before else counts, self._tiled
            ).share
        elif self._may_pay(arguments, pixels):
            share, tiled = _probed(tape, arguments)
            self._before = tape.counts
            self._timing.expect(TILES, tiled, pixels, TRIES)
        else:
            # To draw it takes no longer than to guess, or than to make machine code.
            return False
        return (self._spent_ms + tiled) * max(1.0 - share, MIN_GAIN) > self.cost.compile_ms

    def _may_pay(self, arguments: Arguments, pixels: int) -> bool:
        """Whether it is worth guessing what a first frame takes: where it may take as long as to make machine code."""
        is_large = max(arguments["width"], arguments["height"]) > 2 * PROBES[-1]
        return is_large and self._spent_ms + self.cost.tiled_ms(pixels) > self.cost.compile_ms

    # ---- what is chosen from ----

    def _made_tape(self) -> TileCode | None:
        if self._tape is None and self._has_tape:
            self._tape = tape_of(self._frame, self._options)
            self._has_tape = self._tape is not None
        return self._tape

    def _made_machine(self) -> Code:
        if self._machine is None:
            self._machine = code_of(self._frame, replace(self._options, backend=LLVM))
        return self._machine


def cost_of(frame: Frame, options: Options) -> FrameCost:
    """What a frame is expected to cost before anything is made of it."""
    return FrameCost.of(frame.pixel, exact=options.numerics == "exact")


def plan_of(frame: Frame, options: Options) -> str:
    """What "auto" chooses for a frame, in words.

    >>> from pellucid import images as im
    >>> from .kernel import Kernel
    >>> kernel = Kernel(im.udisk, Options(), now=False)
    >>> plan_of(kernel.frame(), kernel.options).split(",")[0]
    'the first frame is drawn from a tape'
    """
    cost = cost_of(frame, options)
    tape, machine = (
        ("from a tape", "a tape", cost.tape_ms),
        ("by machine code", "machine code", cost.compile_ms),
    )
    (first, _, soon), (_, other, late) = sorted((tape, machine), key=lambda each: each[2])
    return (
        f"the first frame is drawn {first}, expected to be made in {soon:.0f} ms, where {other} takes {late:.0f} ms\n"
        f"{other} is made too once frames have taken as long, and from there on the faster of both draws\n"
        f"a GPU of NVIDIA, if there is one, is tried once frames of at least {MIN_FRAME_MS:.0f} ms have taken "
        f"{MIN_SPENT_MS / 1e3:.0f} s, and draws if it is faster still and its bits are the same"
    )


def _probed(tape: TileCode, arguments: Arguments) -> tuple[float, float]:
    """The time of machine code as a share of the tape's, and the milliseconds of the tape, by two small frames."""
    width, height = int(arguments["width"]), int(arguments["height"])
    largest = max(width, height)
    counts: list[TileCounts] = []
    times: list[float] = []
    for side in PROBES:
        across, down = (max(1, round(n * side / largest)) for n in (width, height))
        seen = {
            **arguments, "width": across, "height": down, "left": 0, "top": 0, "whole_width": across,
            "whole_height": down, "scale": arguments["scale"] * largest / side,
        }  # fmt: skip
        before, began = tape.counts, clock.perf_counter()
        tape.run(seen, {OUT: np.empty(across * down, np.uint32)})
        times.append(1e3 * (clock.perf_counter() - began))
        counts.append(_less(tape.counts, before))
    grown = counts[0]._make([round(_grown(a, b, largest)) for a, b in zip(*counts, strict=True)])
    return estimate(tape.tape, grown, width * height).share, _grown(times[0], times[1], largest)


def _less(counts: TileCounts, before: TileCounts) -> TileCounts:
    return counts._make([a - b for a, b in zip(counts, before, strict=True)])


def _grown(small: float, large: float, side: int) -> float:
    """What is counted in a frame of a side, by what was counted in the two small ones: by the power that they show."""
    power = min(2.0, max(0.0, math.log2(large / small))) if small and large else 2.0
    return large * (side / PROBES[-1]) ** power


def tape_of(frame: Frame, options: Options, *, rewritten: bool = False) -> TileCode | None:
    """The tape of a frame, or None where there can be none.

    In exact numerics it is made as traced, since exact rules keep every bit; `rewritten` by those rules, it is shorter
    and is made later.
    """
    options = replace(options, backend=TILES)
    backend: Any = make_backend(TILES)
    try:
        if options.numerics == "exact" and not rewritten:
            return backend.compile(frame.kernel, frame.ranges)
        best = optimized(frame, options, backend)
        return backend.compile(best.kernel, best.ranges)
    except BackendError:
        return None
