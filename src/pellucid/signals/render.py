"""Voices into files: what `pl.render_audio` and the command line do.

The top of `signals`. A voice is a function from the sample rate to signals; what was asked for is checked, the signals
are compiled once, and blocks of frames flow into a file that appears whole or not at all.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from ..base.atomic import atomic_write
from ..base.errors import InputError, brief, did_you_mean
from ..base.kinds import FUNCTION, TEXT, TRUTH, instance, optional, takes, whole
from ..base.progress import Progress, ProgressLine
from ..base.record import record
from ..pixels import FORMATS
from . import pcm, wav
from .feedback import parameters_of
from .player import Player
from .recording import Recording
from .signal import Signal

_BLOCK = 1 << 15
_MAX_FRAMES = 1 << 40
_RATES = (1, 1 << 24)
_RAW = (".raw", ".pcm")


@record(eq=False, slots=False)
class Voice:
    """A function from the sample rate to a signal, or to a tuple of signals, one for each channel; made by `voice`."""

    function: Callable[[int], Any]

    def __call__(self, rate: int) -> tuple[Signal, ...]:
        """The signals at a rate, in frames per second.

        Raises InputError where the function gives something else.
        """
        return as_channels(self.function(rate), name_of(self.function))


@takes(function=FUNCTION)
def voice(function: Callable[[int], Any]) -> Voice:
    """A sound at any sample rate: the function takes it and gives a signal, or a tuple of them, one for each channel.

    Their samples are real numbers, loudest at -1 and 1.

    >>> from pellucid import signals as sg
    >>> @voice
    ... def hiss(rate):
    ...     return 0.1 * sg.noise()
    >>> len(hiss(48000))
    1
    """
    if parameters_of(function) != 1:
        raise wrong_parameters(function, "a voice takes one parameter, the sample rate", "voice(rate)")
    return Voice(function)


def name_of(function: Callable[..., Any]) -> str:
    """The name of a function, as messages have it."""
    return getattr(function, "__name__", "function")


def wrong_parameters(function: Callable[..., Any], rule: str, example: str) -> InputError:
    """The error of a function that has not the parameters of a rule."""
    return InputError(rule, place=name_of(function), fix=f"write def {example}: ...")


def is_sound(thing: object) -> bool:
    """Whether something can be rendered: a voice, a signal, a recording, or several signals."""
    return isinstance(thing, Voice | Recording) or bool(_signals(thing))


@takes(
    path=instance("a path", str, os.PathLike),
    channels=optional(whole(1, 1 << 16)),
    format=optional(TEXT),
    planar=TRUTH,
    params=optional(instance("a dictionary", Mapping)),
    backend=TEXT,
    progress=optional(FUNCTION),
)
def render_audio(
    sound: object,
    path: str | os.PathLike[str],
    *,
    seconds: float | None = None,
    rate: int | None = None,
    channels: int | None = None,
    format: str | None = None,
    planar: bool = False,
    params: Mapping[str, float] | None = None,
    backend: str = "auto",
    progress: Progress | None = None,
) -> float:
    """Render a voice, a signal, several signals or a recording into a .wav file, or a .raw one of samples alone.

    `seconds` is needed for what does not end by itself. `rate` is in frames per second: that of a recording, or 48000.
    One channel may become several `channels`, all alike. `format` is a format of sound, pcm_s16le unless told
    otherwise; `planar` puts channel after channel, in raw files; `params` sets controls by name. Returns the greatest
    magnitude that was rendered: above 1 it was cut off, unless the format holds floats. `progress` is called with the
    frames done and in all; without it, a line is shown on a terminal. The file appears whole or not at all. Raises
    InputError for a value out of its range, FileError if the file cannot be written.

    >>> import pathlib, tempfile
    >>> from pellucid import signals as sg
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "hiss.wav"
    >>> render_audio(0.5 * sg.noise(), path, seconds=0.01, rate=8000) <= 0.5
    True
    >>> sg.read_audio(path).frames
    80
    """
    name = format_named(format)
    speed = _rate(rate, sound)
    raw = _raw(path, name, planar=planar)
    signals = _channels(_at_rate(sound, speed), channels)
    frames = _frames(seconds, speed, signals)
    before = b"" if raw else wav.header(name, len(signals), speed, frames)
    player = Player(*signals, format=name, planar=planar, meter=True, backend=backend)
    for control, value in (params or {}).items():
        player.set(control, value)
    layout = pcm.pcm(name, len(signals), planar=planar)
    with atomic_write(path) as file, ProgressLine("frames") as line:
        told = progress or line
        file.write(before)
        starts = [len(before) + start for start in layout.offsets(frames, 1)]
        while player.position < frames:
            at, count = player.position, min(_BLOCK, frames - player.position)
            parts = pcm.split(layout, player.play(count), count)
            for start, plane, part in zip(starts[:-1], layout.planes, parts, strict=True):
                file.seek(start + at * plane.bits // 8)
                file.write(part.data)
            told(player.position, frames)
        if not raw and frames * pcm.frame_bytes(layout) % 2:
            file.write(b"\0")
    return player.peak


def player_of(sound: object, *, backend: str = "auto") -> Player:
    """The player by which `render_audio` renders a sound, where nothing else is said.

    Raises InputError for what is no sound.
    """
    signals = _at_rate(sound, _rate(None, sound))
    return Player(*signals, format=format_named(None), meter=True, backend=backend)


def format_named(format: str | None) -> str:
    """The format of sound of a name or of its short form; pcm_s16le if there is none.

    Raises InputError for a name that is none.

    >>> format_named("s24"), format_named("f32be")
    ('pcm_s24le', 'pcm_f32be')
    """
    name = "pcm_s16le" if format is None else format
    known = [n for n in FORMATS if n.startswith("pcm_")]
    short = f"pcm_{name}"
    if name not in known:
        name = short if short in known else f"{short}le" if f"{short}le" in known else name
    if name not in known:
        fix = did_you_mean(name, known) or f"give one of {', '.join(known)}"
        raise InputError(f"no format of sound is called {format!r}", place="format", fix=fix)
    return name


def _rate(rate: int | None, sound: object) -> int:
    own = sound.rate if isinstance(sound, Recording) else None
    speed = rate if rate is not None else own if own is not None else 48000
    low, high = _RATES
    if not isinstance(speed, int) or not low <= speed <= high:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"{brief(speed)} is out of range", place="rate", fix=f"give {low} to {high}")
    if own is not None and speed != own:
        raise InputError(
            f"the recording has {own} frames a second, not {speed}", place="rate", fix="leave the rate out"
        )
    return speed


def _raw(path: str | os.PathLike[str], format: str, *, planar: bool) -> bool:
    shown = os.fsdecode(path)
    suffix = Path(shown).suffix.lower()
    if suffix in _RAW:
        return True
    if suffix != ".wav":
        raise InputError(
            f"no file of sound ends in {suffix!r}" if suffix else "has no suffix",
            place=shown,
            fix=f"end it in .wav, {' or '.join(_RAW)}",
        )
    if planar:
        raise InputError("WAV has channels by turns", place="planar", fix="write a .raw file")
    return False


def _at_rate(sound: object, rate: int) -> tuple[Signal, ...]:
    if isinstance(sound, Voice):
        return sound(rate)
    if isinstance(sound, Recording):
        return sound.channels
    return as_channels(sound, "render_audio")


def as_channels(given: object, place: str) -> tuple[Signal, ...]:
    """The signals of one signal, or of a tuple or list of them, one for each channel.

    Raises InputError for anything else, at a place.
    """
    signals = _signals(given)
    if not signals:
        raise InputError(
            f"{brief(given)} is no sound",
            place=place,
            fix="give a signal, or a tuple of signals, one a channel",
        )
    return signals


def _signals(thing: object) -> tuple[Signal, ...]:
    """The signals of one signal, or of a tuple or list of them; none of anything else."""
    several = tuple(cast("Sequence[object]", thing)) if isinstance(thing, tuple | list) else (thing,)
    signals = tuple(x for x in several if isinstance(x, Signal))
    return signals if len(signals) == len(several) else ()


def _channels(signals: tuple[Signal, ...], channels: int | None) -> tuple[Signal, ...]:
    if channels is None or channels == len(signals):
        return signals
    if len(signals) != 1:
        raise InputError(
            f"the sound has {len(signals)} channels, not {channels}", place="channels", fix="leave them out"
        )
    # The format says how many there may be.
    return signals * channels


def _frames(seconds: float | None, rate: int, signals: tuple[Signal, ...]) -> int:
    if seconds is None:
        ends = [left for s in signals if (left := s.left()) is not None]
        if not ends:
            raise InputError("the sound has no end", place="seconds", fix="say how many, such as 2.5")
        return max(ends)
    number = float(seconds) if isinstance(seconds, int | float) and abs(seconds) < _MAX_FRAMES else math.nan  # pyright: ignore[reportUnnecessaryIsInstance]
    if not (math.isfinite(number) and number >= 0):
        raise InputError(
            f"{brief(seconds)} is not a finite number from 0 up", place="seconds", fix="give one, such as 2.5"
        )
    if number * rate > _MAX_FRAMES:
        raise InputError(f"{number:g} seconds are too many", place="seconds", fix="render it in parts")
    return round(number * rate)


@takes(backend=TEXT)
def samples(sound: object, *, frames: int, rate: int | None = None, backend: str = "auto") -> Any:
    """The first frames of a sound as an array of float64 of shape (frames, channels).

    `rate` is in frames per second: that of a recording, or 48000. Raises InputError for a value out of its range.

    >>> from pellucid import signals as sg
    >>> samples(sg.count() * 0.25, frames=3).T
    array([[0.  , 0.25, 0.5 ]])
    """
    signals = _at_rate(sound, _rate(rate, sound))
    return Player(*signals, format="float64", backend=backend).play(frames)
