"""The commands that sound: `render-audio` and `filter`.

Thin: words become arguments of `signals.render_audio` and `signals.filter_audio`, which check and do everything.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pellucid.base.errors import InputError
from pellucid.cli.drawing import into_file
from pellucid.cli.loading import EFFECT, SOUND, Chosen

if TYPE_CHECKING:
    from pellucid.signals import Effect


def render_audio(words: Namespace) -> int:
    """Render a voice into a file of sound."""
    from pellucid.cli.progress import bar
    from pellucid.signals.render import format_named, render_audio

    def make(found: Chosen, out: str | Path) -> None:
        with bar() as progress:
            peak = render_audio(
                found.thing,
                out,
                seconds=words.seconds,
                rate=words.rate,
                channels=words.channels,
                format=words.format,
                planar=words.planar,
                params=dict(words.params),
                backend=words.backend or "auto",
                progress=progress,
            )
        _tell_if_loud(found.name, peak, format_named(words.format))

    return into_file(words, make, SOUND)


def filter_audio(words: Namespace) -> int:
    """Do an effect to a file of sound."""
    from pellucid.cli.progress import bar
    from pellucid.signals import filter_audio, read_audio
    from pellucid.signals.render import format_named

    def make(found: Chosen, out: str | Path) -> None:
        if words.source is None:
            raise InputError("no file of sound was named", fix="name one after FILE.py, such as in.wav")
        format_ = None if words.format is None else format_named(words.format)
        with bar() as progress:
            peak = filter_audio(
                cast("Effect", found.thing),
                words.source,
                out,
                tail=words.tail,
                format=format_,
                params=dict(words.params),
                backend=words.backend or "auto",
                progress=progress,
            )
        if peak > 1:
            _tell_if_loud(found.name, peak, format_ or read_audio(words.source).format)

    return into_file(words, make, EFFECT)


def _tell_if_loud(name: str, peak: float, format: str) -> None:
    from pellucid.pixels import layout_of

    if peak > 1 and layout_of(format).channels[0].kind != "f":
        print(
            f"pellucid: warning: {name} is too loud, at most {peak:.3g}, and was cut off at 1; "
            f"multiply it by {1 / peak:.2g}, or write pcm_f32le",
            file=sys.stderr,
        )
