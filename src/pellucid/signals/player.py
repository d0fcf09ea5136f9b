"""Players: diagrams as machine code, played block by block.

A diagram is specialized to one loop over frames, whose dynamic arguments are the numbers that its nodes keep. They go
in with one block and come out with it for the next, so that many blocks are one long one, bit for bit.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..base.errors import InputError, brief, did_you_mean
from ..base.kinds import TEXT, TRUTH, takes
from ..base.room import with_room
from ..driver.program import NativeProgram, compile_program
from ..ir import types as T
from ..pixels import Layout
from ..staging import Dynamic, Memory, Real, Residual, choose, lift, loop, specialize, unknown
from ..staging.real import call, of_bits
from . import pcm
from .node import SignalNode
from .recording import Played
from .signal import Signal, as_number, as_signal, together
from .sources import Control

Numbers = tuple[Any, ...]
LONGEST = 1 << 31
"""Maximum frames of one block."""


class Player:
    """The channels of a sound, compiled, from their beginning on: `play` gives the next frames as bytes of a format.

    `position` is how many frames have been played, `peak` the greatest magnitude among them if there is a `meter`
    (it costs a few cycles a frame). Raises InputError for a format that is no sound, StagingError for a diagram that
    cannot be specialized.

    >>> from pellucid import signals as sg
    >>> player = Player(sg.rec(lambda y: 0.5 * sg.delay1(y, 1.0)), format="pcm_f64le")
    >>> player.play(2).view("float64"), player.play(2).view("float64")
    (array([0.5 , 0.25]), array([0.125 , 0.0625]))
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
        self.layout: Layout = pcm.pcm(format, len(channels), planar=planar)
        self.position = 0
        self.peak = 0.0
        self.signal = together(*(as_signal(c) for c in channels)).fresh()
        self._out = pcm.memories(self.layout, "out")
        self.residual, self.numbers = with_room(
            lambda: specialized(self.signal, self.layout, self._out, meter=meter)
        )
        self._program: NativeProgram = with_room(
            lambda: compile_program(self.residual, backend=backend, ranges={"frames": (0, LONGEST)})
        )
        self._reach = self.signal.reach()
        self._live = [(n, at) for n, at in places(self.signal) if isinstance(n, Played) and n.recording.live]
        self._arrays = {n: m.data for n, m in self.residual.memories.items() if m.data is not None}

    @property
    def controls(self) -> Mapping[str, Any]:
        """The controls by name, with what they are set to."""
        return {n.label: self.numbers[at] for n, at in places(self.signal) if isinstance(n, Control)}

    @takes(name=TEXT)
    def set(self, name: str, value: float) -> None:
        """Set a control for the blocks that follow.

        Raises InputError for a name that none has, for what is no finite number, or no whole one of 64 bits where the
        control began as one.
        """
        changed = list(self.numbers)
        found = [at for n, at in places(self.signal) if isinstance(n, Control) and n.label == name]
        if not found:
            known = self.controls
            fix = did_you_mean(name, known) or (f"it has {', '.join(known)}" if known else "it has none")
            raise InputError(f"no control is called {name!r}", place="set", fix=fix)
        for at in found:
            changed[at] = _set_to(name, value, changed[at])
        self.numbers = tuple(changed)

    def play(self, frames: int, out: pcm.Bytes | None = None, **live: Any) -> pcm.Bytes:
        """The next frames: their bytes, all planes one after another, in `out` if that is given.

        `live` gives the bytes of live recordings by name, as many frames. Bits of `out` that no sample has stay as they
        are. Raises InputError for a number of frames that is negative or more than a signal in memory has, for live
        bytes that are missing, unknown or of another length, and for an `out` that is not a writable array of as many
        bytes.
        """
        if not isinstance(frames, int) or not 0 <= frames <= LONGEST:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"{brief(frames)} frames", place="play", fix=f"give 0 to {LONGEST}")
        self._within(frames)
        size = frames * pcm.frame_bytes(self.layout)
        if out is None:
            out = np.zeros(size, np.uint8)
        elif (
            not isinstance(out, np.ndarray)  # pyright: ignore[reportUnnecessaryIsInstance]
            or out.dtype != np.uint8
            or out.shape != (size,)
            or not (out.flags.c_contiguous and out.flags.writeable)
        ):
            raise InputError(
                f"is not a writable array of {size} bytes",
                place="out",
                fix=f"give numpy.zeros({size}, 'uint8')",
            )
        arrays = {**self._arrays, **self._incoming(frames, live)}
        if not frames:
            return out
        planes = pcm.split(self.layout, out, frames)
        arrays |= {m.name: v for m, v in zip(self._out, pcm.views(self.layout, planes), strict=True)}
        numbers = list(self.numbers)
        for _, at in self._live:
            numbers[at : at + 2] = 0, frames
        self.numbers, self.peak = self._program(
            {n: arrays[n] for n in self.residual.memories},
            frames=frames,
            peak=_word(self.peak),
            **{f"kept{k}": _word(x) for k, x in enumerate(numbers)},
        )
        self.position += frames
        return out

    def _within(self, frames: int) -> None:
        """Refuse what is beyond the end of a signal in memory; recordings are silent there."""
        if self._reach is not None and self.position + frames > self._reach:
            raise InputError(
                f"{frames} frames from {self.position} on, and a signal in memory has {self._reach}",
                place="play",
                fix="play fewer",
            )

    def _incoming(self, frames: int, given: Mapping[str, Any]) -> dict[str, Any]:
        """The words of live recordings."""
        found: dict[str, Any] = {}
        known: set[str] = set()
        for node, _ in self._live:
            source, name = node.recording, node.recording.name
            known.add(name)
            if name not in given:
                raise InputError("is missing", place=f"play: {name}", fix="give its bytes by its name")
            data = pcm.as_bytes(given[name], f"play: {name}")
            size = pcm.frame_bytes(source.layout)
            if len(data) != frames * size:
                raise InputError(
                    f"{len(data)} bytes are not {frames} frames of {size}",
                    place=f"play: {name}",
                    fix="give as many frames as are played",
                )
            words = pcm.views(source.layout, pcm.split(source.layout, np.array(data), frames))
            found |= {m.name: w for m, w in zip(source.planes, words, strict=True)}
        unknown_ = next((n for n in given if n not in known), None)
        if unknown_ is not None:
            fix = did_you_mean(unknown_, known) or (
                f"it has {', '.join(sorted(known))}" if known else "it has none"
            )
            raise InputError(f"nothing live is called {unknown_!r}", place="play", fix=fix)
        return found


def specialized(
    signal: Signal, layout: Layout, out: tuple[Memory, ...], *, meter: bool = False
) -> tuple[Residual, Numbers]:
    """The loop over frames of a sound, and the first states of its nodes.

    What begins as an integer and goes on as a real number is a real number from the beginning.
    """
    first = numbers_of(signal)
    types = [_type_of(x) for x in first]

    def block(frames: Any, peak: Any, numbers: Numbers) -> tuple[Numbers, Any]:
        def done(frame: Any, peak: Any, at: Signal) -> Any:
            return frame == frames

        def step(frame: Any, peak: Any, at: Signal) -> Any:
            levels, at = at.step()
            for channel, sample in zip(layout.channels, levels, strict=True):
                level = _as_level(sample)
                pcm.write(layout, channel, out, frame, level)
                if meter:
                    # What is no number is left out of it.
                    peak = call("max", abs(level), peak)
            return frame + 1, peak, at

        _, peak, at = loop(done, step, lift(0), peak, with_numbers(signal, numbers))
        kept = numbers_of(at)
        became.extend(_type_of(x) for x in kept)
        return kept, peak

    while True:
        became: list[T.Type] = []
        given = tuple(_argument(f"kept{k}", t) for k, t in enumerate(types))
        residual = specialize(block, unknown("frames"), _argument("peak", T.f64), given, name="sound")
        wider = [max(pair, key=_TYPES.index) for pair in zip(types, became, strict=True)]
        if wider == types:
            return residual, tuple(t.dtype.type(x).item() for x, t in zip(first, types, strict=True))
        types = wider


def _argument(name: str, type_: T.Type) -> Any:
    """A number that waits for the call. Reals go in as words of 64 bits, since a state may be no finite number."""
    return of_bits(unknown(name), 64) if type_ is T.f64 else unknown(name, type_)


def _word(number: Any) -> Any:
    """A number as `_argument` takes it."""
    return _WORD.unpack(_REAL.pack(number))[0] if isinstance(number, float) else number


_REAL, _WORD = struct.Struct("=d"), struct.Struct("=q")


def _set_to(name: str, value: Any, before: Any) -> Any:
    """The value of a control that was another: of the same type, and finite."""
    whole = not isinstance(before, float)
    fix = f"begin it with {float(before)} for real ones" if whole else "give a number"
    if not isinstance(value, int | float):
        raise InputError(
            f"{brief(value)} is no {'whole number' if whole else 'number'}", place=f"set {name}", fix=fix
        )
    if not -_LARGEST <= value <= _LARGEST:
        raise InputError(f"{brief(value)} is not finite", place=f"set {name}", fix="give a finite number")
    if whole and (value != int(value) or not T.i64.low <= value <= T.i64.high):
        raise InputError(f"{brief(value)} is no whole number of 64 bits", place=f"set {name}", fix=fix)
    return int(value) if whole else float(value)


_LARGEST = sys.float_info.max
_TYPES = (T.boolean, T.i64, T.f64)


def _type_of(number: Any) -> T.Type:
    if isinstance(number, float | Real):
        return T.f64
    return T.boolean if isinstance(number, bool | Dynamic) else T.i64


def _as_level(sample: Any) -> Any:
    """A sample as a level; what is true is 1."""
    level = as_number(sample, "sound")
    return choose(level, lambda: 1.0, lambda: 0.0) if _type_of(level) is T.boolean else level


def places(signal: Signal) -> Iterator[tuple[SignalNode, int]]:
    """Every node with a state, and the number of its first value among all."""
    at = 0
    for node, state in signal.states.items():
        yield node, at
        at += len(node.numbers(state))


def numbers_of(signal: Signal) -> Numbers:
    """The states of the nodes of a signal."""
    return tuple(x for node, state in signal.states.items() for x in node.numbers(state))


def with_numbers(signal: Signal, numbers: Numbers) -> Signal:
    """A signal whose nodes have these states."""
    found: dict[SignalNode, Any] = {}
    for node, at in places(signal):
        state = signal.states[node]
        found[node] = node.with_numbers(state, numbers[at : at + len(node.numbers(state))])
    return Signal(signal.node, found)
