"""Effects: what makes sound of sound, and files of files - `pl.filter_audio` and the command line.

Beside `render`, which does the work. An effect is a function of signals and of the sample rate, as a voice is one of
the rate alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from ..base.errors import InputError, brief
from ..base.kinds import FLOAT, FUNCTION, TEXT, instance, optional, takes
from ..base.progress import Progress
from ..base.record import record
from .feedback import parameters_of
from .render import as_channels, name_of, render_audio, wrong_parameters
from .signal import Signal
from .wav import read_audio


@record(eq=False, slots=False)
class Effect:
    """A function from signals and the sample rate to a signal, or to a tuple of them; made by `effect`."""

    function: Callable[..., Any]

    def __call__(self, *signals: Signal, rate: int) -> tuple[Signal, ...]:
        """The signals that it makes of others: of each by itself if the function takes one, else of all together.

        Raises InputError for another number of signals than it takes, or where the function gives something else.
        """
        name = name_of(self.function)
        many = parameters_of(self.function) - 1
        if many == 1:
            made = [as_channels(self.function(signal, rate), name) for signal in signals]
            if len(signals) > 1 and any(len(m) != 1 for m in made):
                raise InputError(
                    f"gives several signals for each of {len(signals)} channels",
                    place=name,
                    fix="give one, or take as many channels as parameters",
                )
            return tuple(s for m in made for s in m)
        if len(signals) != many:
            raise InputError(
                f"takes {many} channels, and the sound has {len(signals)}",
                place=name,
                fix=f"write def {name}({', '.join(f'x{k}' for k in range(len(signals)))}, rate), or "
                f"def {name}(x, rate) for each channel by itself",
            )
        return as_channels(self.function(*signals, rate), name)


@takes(function=FUNCTION)
def effect(function: Callable[..., Any]) -> Effect:
    """What is done to sound: a function that takes a signal for each channel, or one, and the sample rate last.

    With one signal it is done to each channel by itself. It gives a signal, or a tuple of them, one for each channel.
    Raises InputError for a function of fewer parameters.

    >>> from pellucid import signals as sg
    >>> @effect
    ... def telephone(x, rate):
    ...     return sg.biquad(sg.biquad(x, "highpass", 400, rate=rate), "lowpass", 3400, rate=rate)
    >>> len(telephone(sg.noise(1), sg.noise(2), rate=48000))
    2
    """
    if parameters_of(function) < 2:
        raise wrong_parameters(function, "an effect takes a signal and the sample rate", "effect(x, rate)")
    return Effect(function)


def is_effect(thing: object) -> bool:
    """Whether something is an effect."""
    return isinstance(thing, Effect)


@takes(
    effect=instance(
        "an effect", Effect, fix="write @pl.effect above a function of a signal and the sample rate"
    ),
    source=instance("a path", str, os.PathLike),
    path=instance("a path", str, os.PathLike),
    format=optional(TEXT),
    params=optional(instance("a dictionary", Mapping)),
    backend=TEXT,
    progress=optional(FUNCTION),
)
def filter_audio(
    effect: Effect,
    source: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    tail: float = 0.0,
    format: str | None = None,
    params: Mapping[str, float] | None = None,
    backend: str = "auto",
    progress: Progress | None = None,
) -> float:
    """Do an effect to a WAV file, and write what comes out into another one, of the same rate and as long.

    `tail` seconds more are for what rings on, such as echoes. `format` is that of the source unless told otherwise. The
    other options are those of `render_audio`, and so is what is returned: the greatest magnitude. Raises InputError for
    a value out of its range, FileError for a file that cannot be read or written.

    >>> import pathlib, tempfile
    >>> from pellucid import signals as sg
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = sg.render_audio(sg.noise() * 0.5, folder / "in.wav", seconds=0.01, rate=8000)
    >>> softer = sg.effect(lambda x, rate: 0.5 * x)
    >>> filter_audio(softer, folder / "in.wav", folder / "out.wav", tail=0.01) <= 0.25
    True
    >>> sg.read_audio(folder / "out.wav").frames
    160
    """
    if not FLOAT.test(tail) or not 0 <= tail < MAX_TAIL:
        raise InputError(
            f"{brief(tail)} is not 0 to {MAX_TAIL} seconds", place="tail", fix="give seconds, such as 2.5"
        )
    recording = read_audio(source)
    signals = effect(*recording.channels, rate=recording.rate)
    return render_audio(
        signals,
        path,
        seconds=(recording.frames + round(tail * recording.rate)) / recording.rate,
        rate=recording.rate,
        format=recording.format if format is None else format,
        params=params,
        backend=backend,
        progress=progress,
    )


MAX_TAIL = 1 << 20
"""Seconds of tail at most: twelve days."""
