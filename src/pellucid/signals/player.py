"""Players: diagrams as machine code, played block by block.

A diagram is specialized to one loop over frames (`block`). The numbers that its nodes keep stay in arrays between the
blocks, so that many blocks are one long one, bit for bit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..base.deep_stack import with_deep_stack
from ..base.errors import InputError, brief, did_you_mean
from ..base.kinds import FLOAT, TEXT, TRUTH, takes, whole
from ..driver.program import compile_program, explain_program
from ..ir import types as T
from ..loops.report import Report
from .block import places, specialized
from .delays import Ring
from .frames import frame_format
from .merging import merged
from .recording import Played, Recording
from .signal import Signal, as_signal, together
from .sources import Control

Array = np.ndarray[Any, Any]
MAX_FRAMES = 1 << 31
"""Maximum frames of one block."""
_FRAMES = whole(0, MAX_FRAMES)
_RANGES = {"frames": (0, MAX_FRAMES)}


class Player:
    """The channels of a sound, compiled, from their beginning on: `play` gives the next frames.

    `format` is one of bytes, such as pcm_s16le, or float32 or float64 for arrays of NumPy of shape (frames, channels),
    which `planar` turns. `position` is the number of frames that have been played, `state` the numbers of the nodes.
    With a `meter`, which costs a few cycles a frame, `peak` is the greatest magnitude so far. Raises InputError for a
    format that is no sound, StagingError for a diagram that cannot be specialized.

    >>> from pellucid import signals as sg
    >>> player = Player(sg.rec(lambda y: 0.5 * sg.delay1(y, 1.0)), format="float64")
    >>> player.play(2).tolist(), player.play(2).tolist()
    ([[0.5], [0.25]], [[0.125], [0.0625]])
    """

    @takes(format=TEXT, planar=TRUTH, meter=TRUTH, backend=TEXT)
    def __init__(
        self,
        *channels: Signal,
        format: str = "pcm_f32le",
        planar: bool = False,
        meter: bool = False,
        backend: str = "auto",
    ) -> None:
        self.frame_format = frame_format(format, len(channels), planar=planar)
        self.position = 0
        self.signal = with_deep_stack(lambda: merged(together(*(as_signal(c) for c in channels)).fresh()))
        self._out = self.frame_format.memories("out")
        block = with_deep_stack(
            lambda: specialized(self.signal, self.frame_format.layout, self._out, meter=meter)
        )
        self.residual = block.residual
        self.state = block.state
        self._backend = backend
        self._program = with_deep_stack(
            lambda: compile_program(self.residual, backend=backend, ranges=_RANGES)
        )
        self._reach = self.signal.reach()
        self._controls: list[tuple[str, int]] = []
        self._live: dict[str, Recording] = {}
        self._live_places: list[int] = []
        for node, at in places(self.signal):
            if isinstance(node, Control):
                self._controls.append((node.label, at))
            elif isinstance(node, Played) and node.recording.live:
                self._live[node.recording.name] = node.recording
                self._live_places.append(at)
        self._arrays = {n: m.data for n, m in self.residual.memories.items() if m.data is not None}
        rings = [state[0].data for node, state in self.signal.states.items() if isinstance(node, Ring)]
        self._rings = [(data, data.copy()) for data in rings]

    @property
    def peak(self) -> float:
        """The greatest magnitude that was played, if there is a meter."""
        return self.state.peak

    @property
    def controls(self) -> Mapping[str, Any]:
        """The controls by name, with what they are set to."""
        return {name: self.state[at] for name, at in self._controls}

    @takes(name=TEXT)
    def set(self, name: str, value: float) -> None:
        """Set a control for the blocks that follow.

        Raises InputError for a name that none has, for what is no finite number, or no whole one of 64 bits where the
        control began as one.
        """
        found = [at for label, at in self._controls if label == name]
        if not found:
            raise InputError(f"no control is called {name!r}", place="set", fix=_fix(name, self.controls))
        values = [_set_to(name, value, self.state[at]) for at in found]
        for at, number in zip(found, values, strict=True):
            self.state[at] = number

    def explain(self) -> Report:
        """The report of its compilation: the loop over frames after each stage, and the ledger."""
        return replace(
            explain_program(self.residual, backend=self._backend, ranges=_RANGES),
            title="A sound, explained",
        )

    def reset(self) -> None:
        """Begin again: what follows is what a new player plays whose controls are set as they are now.

        >>> from pellucid import signals as sg
        >>> player = Player(sg.count() * sg.control("step", 0.5), format="float64")
        >>> player.set("step", 0.25)
        >>> first = player.play(3)
        >>> player.reset()
        >>> player.play(3).T
        array([[0.  , 0.25, 0.5 ]])
        """
        controls = [(at, self.state[at]) for _, at in self._controls]
        self.state.reset()
        for at, value in controls:
            self.state[at] = value
        for data, first in self._rings:
            data[:] = first
        self.position = 0

    def play(self, frames: int | None = None, out: Array | None = None, **live: Any) -> Array:
        """The next frames, in `out` if that is given: bytes, all planes one after another, or floats.

        `live` gives live recordings by name, as many frames: bytes, or floats where the recording is of floats. Without
        `frames` there are as many as are live. Bits of `out` that no sample has stay as they are. Raises InputError for
        a number of frames that is negative or more than a signal in memory has, for live frames that are missing,
        unknown or of another number, and for an `out` that is not a writable array of as many.
        """
        inputs = self._inputs(live)
        if frames is None:
            frames = self._frames_of(inputs)
        if not _FRAMES.test(frames):
            raise InputError(f"{brief(frames)} frames", place="play", fix=f"give 0 to {MAX_FRAMES}")
        frames = int(frames)
        self._within(frames)
        if out is None:
            out = self.frame_format.zeros(frames)
        else:
            self.frame_format.check_output(out, frames)
        arrays = {**self._arrays, **self._incoming(frames, inputs, out)}
        if not frames:
            return out
        arrays |= {m.name: w for m, w in zip(self._out, self.frame_format.words(out, frames), strict=True)}
        state = self.state
        for at in self._live_places:
            state[at], state[at + 1] = 0, frames
        # A program that may refuse its call has overwritten its state when it does.
        before = state.saved() if self.residual.faults else ()
        try:
            self._program({n: arrays[n] for n in self.residual.memories}, frames=frames)
        except InputError:
            if before:
                state.restore(before)
            raise
        self.position += frames
        return out

    def _inputs(self, given: Mapping[str, Any]) -> dict[str, Array]:
        """The arrays of the live recordings, by name."""
        for name in given.keys() - self._live.keys():
            raise InputError(f"nothing live is called {name!r}", place="play", fix=_fix(name, self._live))
        for name in self._live.keys() - given.keys():
            raise InputError("is missing", place=f"play: {name}", fix="give its bytes by its name")
        return {n: r.frame_format.as_input(given[n], f"play: {n}") for n, r in self._live.items()}

    def _frames_of(self, inputs: Mapping[str, Array]) -> int:
        """The number of frames that are live."""
        for name, data in inputs.items():
            return self._live[name].frame_format.frames_of(data)
        raise InputError("is missing", place="play: frames", fix="give a number of frames, such as 128")

    def _within(self, frames: int) -> None:
        """Refuse what is beyond the end of a signal in memory; recordings are silent there."""
        if self._reach is not None and self.position + frames > self._reach:
            raise InputError(
                f"{frames} frames from {self.position} on, and a signal in memory has {self._reach}",
                place="play",
                fix="play fewer",
            )

    def _incoming(self, frames: int, inputs: Mapping[str, Array], out: Array) -> dict[str, Array]:
        """The words of the live recordings, which may be where the output is."""
        found: dict[str, Array] = {}
        for name, source in self._live.items():
            data, own = inputs[name], source.frame_format
            own.check_frames(data, frames, f"play: {name}")
            if np.may_share_memory(data, out):
                data = data.copy()
            found |= {m.name: w for m, w in zip(source.planes, own.words(data, frames), strict=True)}
        return found


def _set_to(name: str, value: Any, before: Any) -> Any:
    """The value of a control that was another: of the same type, and finite."""
    is_real, is_finite = isinstance(before, float), FLOAT.test(value)
    if is_real and is_finite:
        return float(value)
    if is_finite and value == int(value) and T.i64.low <= value <= T.i64.high:
        return int(value)
    raise InputError(
        f"{brief(value)} is no {'finite number' if is_real else 'whole number of 64 bits'}",
        place=f"set {name}",
        fix="give a number such as 0.5" if is_real else f"begin it with {float(before)} for real ones",
    )


def _fix(name: str, known: Collection[str]) -> str:
    """What to write instead of a name that is not among those that are known."""
    return did_you_mean(name, known) or (f"it has {', '.join(known)}" if known else "it has none")
