"""The commands that draw: `render`, `animate` and `show`.

Thin: words become arguments of `canvas`, which checks and does everything.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pellucid.base.errors import InputError
from pellucid.cli.loading import Chosen, chosen_picture, pictures_of


def render(words: Namespace) -> int:
    """Draw a still picture into a file."""
    from pellucid.canvas import save

    return _into_file(
        words, lambda chosen, out: save(chosen.picture, out, **_view(words), **_file(words), time=words.time)
    )


def animate(words: Namespace) -> int:
    """Draw a moving picture into a file."""
    from pellucid.canvas import animate
    from pellucid.cli.progress import bar

    def draw(chosen: Chosen, out: str | Path) -> None:
        with bar() as progress:
            animate(
                chosen.picture,
                out,
                seconds=words.seconds,
                fps=words.fps,
                start=words.time,
                loop=not words.once,
                progress=progress,
                **_view(words),
                **_file(words),
            )

    return _into_file(words, draw)


def show(words: Namespace) -> int:
    """Show a picture to the person at the terminal."""
    if words.list:
        return listed(words.file)
    from pellucid.canvas import show

    show(
        chosen_picture(words.file).picture,
        time=words.time,
        seconds=words.seconds,
        mode=words.mode,
        **_view(words),
    )
    return 0


def listed(word: str) -> int:
    """Print the names of the pictures of a file, one on a line."""
    for name in pictures_of(Path(word)):
        print(name)
    return 0


def _into_file(words: Namespace, draw: Callable[[Chosen, str | Path], None]) -> int:
    if words.list:
        return listed(words.file)
    if words.out is None:
        raise InputError("no file to write was named", fix="add -o OUT.png, or -o - for standard output")
    if words.out != "-":
        draw(chosen_picture(words.file), words.out)
        return 0
    if sys.stdout.isatty():
        raise InputError(
            "a PNG would garble the terminal", place="-o -", fix="name a file, or send it to a program with |"
        )
    chosen = chosen_picture(words.file)
    from pellucid.canvas.aside import unfinished

    with tempfile.TemporaryDirectory(prefix="pellucid-") as folder:
        unfinished.add(folder)
        # A film must be written to something that can be rewound, which a pipe is not.
        path = Path(folder) / "out.png"
        draw(chosen, path)
        with path.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    return 0


def _view(words: Namespace) -> dict[str, Any]:
    return {
        "size": words.size,
        "center": words.center,
        "zoom": words.zoom,
        "samples": words.samples,
        "params": dict(words.params),
        "threads": words.threads,
        "numerics": words.numerics,
        "precision": words.precision,
        "backend": words.backend,
    }


def _file(words: Namespace) -> dict[str, Any]:
    return {"quality": words.quality, "background": words.background, "alpha": words.alpha}
