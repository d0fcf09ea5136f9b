"""Recordings: sound that is there already, in the memory of a file that was read or coming in block by block.

Its channels are signals, which are silent after its end.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from typing import Any

import numpy as np

from ..base.errors import InputError
from ..base.kinds import TEXT, TRUTH, takes, whole
from ..pixels import Channel
from ..staging import choose
from ..staging.real import call
from . import pcm
from .frames import frame_format
from .keys import number_key
from .node import SignalNode, Tick
from .signal import Signal

_names = itertools.count(1)


class Played(SignalNode):
    """A channel of a recording; its state is at which frame it is, and how many there are."""

    name = "recording"

    def __init__(self, recording: Recording, channel: Channel) -> None:
        self.recording, self.channel = recording, channel

    def sample(self, tick: Tick) -> Any:
        """The level at that frame, or silence behind the last."""
        at, frames = tick.states[self]
        if isinstance(frames, int) and frames <= 0:
            return 0.0
        own = self.recording
        level = pcm.read(own.layout, self.channel, own.planes, call("min", at, frames - 1))
        return choose(at < frames, lambda: level, lambda: 0.0)

    def next(self, tick: Tick) -> Any:
        """One frame on."""
        at, frames = tick.states[self]
        return at + 1, frames

    def ended(self, state: Any) -> Any:
        """Whether it is behind the last frame."""
        return state[0] >= state[1]

    def known_end(self, state: Any) -> bool:
        """No: its frames are counted at run time."""
        return False

    def left(self, state: Any) -> int | None:
        """The number of frames that are left; live ones have no end."""
        return None if self.recording.live else max(state[1] - state[0], 0)

    def key(self, state: Any) -> Hashable:
        """The recording, and the channel."""
        return id(self.recording), self.channel.name, *(number_key(x) for x in state)

    def numbers(self, state: Any) -> tuple[Any, ...]:
        """Both."""
        return state

    def with_numbers(self, state: Any, numbers: tuple[Any, ...]) -> Any:
        """Others."""
        return numbers

    def rewired(self, inputs: tuple[SignalNode, ...]) -> SignalNode:
        """The same recording."""
        return Played(self.recording, self.channel)


class Recording:
    """Frames of sound at a rate, in a format; `channels` are signals of real numbers from -1 to 1.

    `data` are its bytes: frames one after another, or channels if `planar`. Raises InputError for bytes that are no
    whole number of frames, or a format that is no sound.

    >>> two = Recording(bytes([0, 0x40, 0, 0xE0]), "pcm_s16le", channels=2)
    >>> two.frames, [c.take(1) for c in two.channels]
    (1, [[0.5], [-0.25]])
    """

    @takes(format=TEXT, channels=whole(1), rate=whole(1), planar=TRUTH, name=TEXT)
    def __init__(
        self,
        data: Any,
        format: str,
        *,
        channels: int = 1,
        rate: int = 48000,
        planar: bool = False,
        name: str = "",
    ) -> None:
        self.frame_format = frame_format(format, channels, planar=planar)
        self.layout = self.frame_format.layout
        self.format, self.rate, self.planar = format, rate, planar
        # None is what comes in block by block.
        self.live = data is None
        self.name = name or f"recording{next(_names)}_"
        own = self.frame_format
        given = own.zeros(0) if data is None else own.as_input(data, "recording")
        self.frames = own.frames_of(given)
        if not self.frames:
            # Memory holds something always; it is not heard.
            given = own.zeros(1)
        flat = np.array(given).reshape(-1).view(np.uint8)
        parts = [] if data is None else pcm.split(self.layout, flat, max(self.frames, 1))
        self.planes = pcm.memories(self.layout, self.name, parts or None)

    @property
    def channels(self) -> tuple[Signal, ...]:
        """A signal for each channel, from the beginning."""
        nodes = [Played(self, channel) for channel in self.layout.channels]
        return tuple(Signal(node, {node: (0, self.frames)}) for node in nodes)

    @property
    def seconds(self) -> float:
        """Its length in seconds."""
        return self.frames / self.rate


@takes(format=TEXT, channels=whole(1), rate=whole(1), planar=TRUTH, name=TEXT)
def live(
    format: str, *, channels: int = 1, rate: int = 48000, planar: bool = False, name: str = "input"
) -> Recording:
    """A recording that comes in block by block: `Player.play` is given its bytes, or floats, under its name.

    Raises InputError for a name that is not a word of Python, or stands for something else there.

    >>> from pellucid import signals as sg
    >>> (microphone,) = live("pcm_u8").channels
    >>> softer = sg.Player(microphone * 0.5, format="pcm_u8")
    >>> softer.play(2, input=bytes([128, 228]))
    array([128, 178], dtype=uint8)
    """
    if name in ("frames", "out") or not name.isidentifier():
        raise InputError(f"{name!r} is no name for it", place="live", fix="give another word, such as input")
    return Recording(None, format, channels=channels, rate=rate, planar=planar, name=name)
