"""The command that sounds: `render-audio`.

Thin: words become arguments of `signals.render_audio`, which checks and does everything.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from pellucid.cli.drawing import into_file
from pellucid.cli.loading import SOUND, Chosen


def render_audio(words: Namespace) -> int:
    """Render a voice into a file of sound."""
    from pellucid.cli.progress import bar
    from pellucid.pixels import layout_of
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
        if peak > 1 and layout_of(format_named(words.format)).channels[0].kind != "f":
            print(
                f"pellucid: warning: {found.name} is too loud, at most {peak:.3g}, and was cut off at 1; "
                f"multiply it by {1 / peak:.2g}, or write pcm_f32le",
                file=sys.stderr,
            )

    return into_file(words, make, SOUND)
