"""Players: diagrams as machine code, played block by block.

A diagram is specialized to one loop over frames (`block`). The numbers that its nodes keep stay in arrays between the
blocks, so that many blocks are one long one, bit for bit.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..base.deep_stack import with_deep_stack
from ..base.errors import InputError, brief, did_you_mean
from ..base.kinds import TEXT, TRUTH, takes
from ..driver.program import NativeProgram, compile_program
from ..ir import types as T
from ..pixels import Layout
from ..staging import Residual
from .block import Numbers, places, specialized
from .delays import DelayLine
from .fractional import VariableDelay
from .frames import frame_format
from .merging import merged
from .recording import Played
from .signal import Signal, as_signal, together
from .sources import Control

Array = np.ndarray[Any, Any]
MAX_FRAMES = 1 << 31
"""Maximum frames of one block."""


class Player:
    """The channels of a sound, compiled, from their beginning on: `play` gives the next frames.

    `format` is one of bytes, such as pcm_s16le, or float32 or float64 for arrays of NumPy of shape (frames, channels),
    which `planar` turns. `position` is how many frames have been played, `peak` the greatest magnitude among them if
    there is a `meter` (it costs a few cycles a frame). Raises InputError for a format that is no sound, StagingError
    for a diagram that cannot be specialized.

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
        self.frames = frame_format(format, len(channels), planar=planar)
        self.position = 0
        self.signal = with_deep_stack(lambda: merged(together(*(as_signal(c) for c in channels)).fresh()))
        self._out = self.frames.memories("out")
        block = with_deep_stack(lambda: specialized(self.signal, self.layout, self._out, meter=meter))
        self.residual: Residual = block.residual
        self._state = block.state
        self._program: NativeProgram = with_deep_stack(
            lambda: compile_program(self.residual, backend=backend, ranges={"frames": (0, MAX_FRAMES)})
        )
        self._reach = self.signal.reach()
        found = list(places(self.signal))
        self._controls = [(n.label, at) for n, at in found if isinstance(n, Control)]
        self._live = {
            n.recording.name: n.recording for n, _ in found if isinstance(n, Played) and n.recording.live
        }
        self._live_places = [at for n, at in found if isinstance(n, Played) and n.recording.live]
        self._arrays = {n: m.data for n, m in self.residual.memories.items() if m.data is not None}
        self._lines = [
            (s[0].data, s[0].data.copy())
            for n, s in self.signal.states.items()
            if isinstance(n, DelayLine | VariableDelay)
        ]

    @property
    def layout(self) -> Layout:
        """Where the samples of a frame are."""
        return self.frames.layout

    @property
    def numbers(self) -> Numbers:
        """The numbers that the nodes keep, in the order of the nodes."""
        return self._state.numbers

    @property
    def peak(self) -> float:
        """The greatest magnitude that was played, if there is a meter."""
        return self._state.peak

    @property
    def controls(self) -> Mapping[str, Any]:
        """The controls by name, with what they are set to."""
        return {name: self._state[at] for name, at in self._controls}

    @takes(name=TEXT)
    def set(self, name: str, value: float) -> None:
        """Set a control for the blocks that follow.

        Raises InputError for a name that none has, for what is no finite number, or no whole one of 64 bits where the
        control began as one.
        """
        found = [at for label, at in self._controls if label == name]
        if not found:
            known = self.controls
            fix = did_you_mean(name, known) or (f"it has {', '.join(known)}" if known else "it has none")
            raise InputError(f"no control is called {name!r}", place="set", fix=fix)
        values = [_set_to(name, value, self._state[at]) for at in found]
        for at, number in zip(found, values, strict=True):
            self._state[at] = number

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
        controls = [(at, self._state[at]) for _, at in self._controls]
        self._state.reset()
        for at, value in controls:
            self._state[at] = value
        for line, first in self._lines:
            line[:] = first
        self.position = 0

    def play(self, frames: int | None = None, out: Array | None = None, **live: Any) -> Array:
        """The next frames, in `out` if that is given: bytes, all planes one after another, or floats.

        `live` gives live recordings by name, as many frames: bytes, or floats where the recording is of floats. Without
        `frames` there are as many as are live. Bits of `out` that no sample has stay as they are. Raises InputError for
        a number of frames that is negative or more than a signal in memory has, for live frames that are missing,
        unknown or of another number, and for an `out` that is not a writable array of as many.
        """
        if frames is None:
            frames = self._frames_of(live)
        if not isinstance(frames, int) or not 0 <= frames <= MAX_FRAMES:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"{brief(frames)} frames", place="play", fix=f"give 0 to {MAX_FRAMES}")
        self._within(frames)
        if out is None:
            out = self.frames.zeros(frames)
        else:
            self.frames.check_output(out, frames)
        arrays = {**self._arrays, **self._incoming(frames, live, out)}
        if not frames:
            return out
        arrays |= {m.name: w for m, w in zip(self._out, self.frames.words(out, frames), strict=True)}
        state = self._state
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

    def _frames_of(self, live: Mapping[str, Any]) -> int:
        """The number of frames that are live."""
        name = next((n for n in live if n in self._live), None)
        if name is None:
            raise InputError("is missing", place="play: frames", fix="give a number of frames, such as 128")
        return self._live[name].frame_format.frames_of(live[name], f"play: {name}")

    def _within(self, frames: int) -> None:
        """Refuse what is beyond the end of a signal in memory; recordings are silent there."""
        if self._reach is not None and self.position + frames > self._reach:
            raise InputError(
                f"{frames} frames from {self.position} on, and a signal in memory has {self._reach}",
                place="play",
                fix="play fewer",
            )

    def _incoming(self, frames: int, given: Mapping[str, Any], out: Array) -> dict[str, Any]:
        """The words of live recordings, which may be where the output is."""
        found: dict[str, Any] = {}
        for name, source in self._live.items():
            if name not in given:
                raise InputError("is missing", place=f"play: {name}", fix="give its bytes by its name")
            data = source.frame_format.check_input(given[name], frames, f"play: {name}")
            if np.may_share_memory(data, out):
                data = data.copy()
            words = source.frame_format.words(data, frames)
            found |= {m.name: w for m, w in zip(source.planes, words, strict=True)}
        unknown_ = next((n for n in given if n not in self._live), None)
        if unknown_ is not None:
            known = sorted(self._live)
            fix = did_you_mean(unknown_, known) or (f"it has {', '.join(known)}" if known else "it has none")
            raise InputError(f"nothing live is called {unknown_!r}", place="play", fix=fix)
        return found


def _set_to(name: str, value: Any, before: Any) -> Any:
    """The value of a control that was another: of the same type, and finite."""
    whole = not isinstance(before, float)
    fix = f"begin it with {float(before)} for real ones" if whole else "give a number"
    if not isinstance(value, int | float):
        raise InputError(
            f"{brief(value)} is no {'whole number' if whole else 'number'}", place=f"set {name}", fix=fix
        )
    if not -_MAX_FLOAT <= value <= _MAX_FLOAT:
        raise InputError(f"{brief(value)} is not finite", place=f"set {name}", fix="give a finite number")
    if whole and (value != int(value) or not T.i64.low <= value <= T.i64.high):
        raise InputError(f"{brief(value)} is no whole number of 64 bits", place=f"set {name}", fix=fix)
    return int(value) if whole else float(value)


_MAX_FLOAT = sys.float_info.max
