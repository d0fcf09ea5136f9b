"""The commands that draw: `render`, `animate` and `show`.

Thin: words become arguments of `canvas`, which checks and does everything.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pellucid.base.errors import InputError
from pellucid.cli.loading import PICTURE, Chosen, ObjectKind, chosen, names_of

if TYPE_CHECKING:
    from pellucid.canvas.source import DrawArguments


def render(words: Namespace) -> int:
    """Draw a still picture into a file."""
    from pellucid.canvas.draw import save
    from pellucid.cli.progress import bar

    def draw(found: Chosen, out: str | Path) -> None:
        with bar("rows") as progress:
            picture, asked = _framed(words, found.thing)
            save(picture, out, depth=words.depth, progress=progress, **asked, **_file(words))

    return into_file(words, draw)


def animate(words: Namespace) -> int:
    """Draw a moving picture into a file."""
    from pellucid.canvas.draw import animate
    from pellucid.cli.progress import bar

    def draw(found: Chosen, out: str | Path) -> None:
        with bar() as progress:
            picture, asked = _framed(words, found.thing)
            animate(
                picture,
                out,
                seconds=words.seconds,
                fps=words.fps,
                loop=not words.once,
                progress=progress,
                **asked,
                **_file(words),
            )

    return into_file(words, draw)


def show(words: Namespace) -> int:
    """Show a picture to the person at the terminal."""
    if words.list:
        return listed(words.file)
    if words.live:
        return _live(words)
    from pellucid.canvas.show import show

    show(
        chosen(words.file).thing,
        seconds=words.seconds,
        mode=words.mode,
        **view_of(words),
    )
    return 0


def _live(words: Namespace) -> int:
    """Show the picture of a file in the browser; the file is run, as it is by `show` everywhere."""
    from pellucid.cli.studio import served

    path = Path(words.file)
    given = [name for name in view_of(words) if name not in {"numerics", "precision", "backend"}]
    for name in (*(["seconds"] if words.seconds else []), *(["mode"] if words.mode else []), *given):
        raise InputError(
            "has no meaning for a live picture", place=f"--{name}", fix="leave it out, or --live"
        )
    if path.suffix != ".py" or not path.is_file():
        raise InputError("is no file of Python", place=words.file, fix="name one that ends in .py")
    return served(path, trust=True, watch=True)


def listed(word: str, kind: ObjectKind = PICTURE) -> int:
    """Print the names of the pictures or sounds of a file, one on a line."""
    print("".join(f"{name}\n" for name in names_of(Path(word), kind)), end="")
    return 0


def into_file(
    words: Namespace, make: Callable[[Chosen, str | Path], None], kind: ObjectKind = PICTURE
) -> int:
    """Make a file of what was chosen, or send it to the next program."""
    if words.list:
        return listed(words.file, kind)
    if words.out is None:
        raise InputError(
            "no file to write was named", fix=f"add -o OUT{kind.suffix}, or -o - for standard output"
        )
    if words.out != "-":
        make(chosen(words.file, kind), words.out)
        return 0
    if sys.stdout.isatty():
        raise InputError(
            f"a {kind.suffix[1:].upper()} would garble the terminal",
            place="-o -",
            fix="name a file, or send it to a program with |",
        )
    found = chosen(words.file, kind)
    import shutil
    import tempfile

    from pellucid.base.atomic import unfinished

    with tempfile.TemporaryDirectory(prefix="pellucid-") as folder:
        unfinished.add(folder)
        try:
            # A film must be written to something that can be rewound, which a pipe is not.
            path = Path(folder) / f"out{kind.suffix}"
            make(found, path)
            with path.open("rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        finally:
            unfinished.discard(folder)
    return 0


def view_of(words: Namespace) -> dict[str, Any]:
    """The view and the options of a command line; fields that it leaves out may be those of the picture."""
    names = ("size", "center", "zoom", "time", "samples", "threads", "numerics", "precision", "backend")
    given = {name: getattr(words, name, None) for name in names}
    given["params"] = dict(getattr(words, "params", ())) or None
    return {name: value for name, value in given.items() if value is not None}


def _framed(words: Namespace, thing: object) -> tuple[object, dict[str, Any]]:
    """The picture of a file and its arguments: people look at it, so it is framed as `show` frames it."""
    from pellucid.canvas.source import drawing

    given = {**view_of(words), "tolerance": words.tolerance, "error": words.error}
    asked = drawing(thing, given.pop("size", None), None, cast("DrawArguments", given), fitted=True)
    return asked.picture, {"view": asked.view, **asked.near._asdict(), **asked.options}


def _file(words: Namespace) -> dict[str, Any]:
    names = ("quality", "background", "alpha")
    return {name: value for name in names if (value := getattr(words, name)) is not None}
