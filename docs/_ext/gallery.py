"""Generates the page of the gallery: every picture of `examples/gallery`, drawn, with the program that makes it.

A picture that cannot be drawn stops the build.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from examples import gallery
from sphinx.errors import ExtensionError

import pages
from vocabulary import SECONDS, draw

if TYPE_CHECKING:
    from sphinx.application import Sphinx

WIDE = 480
"""Pixels across of a picture on the page."""


def entry(path: Path, folder: Path) -> str:
    """The section of one file: its title, its picture, what it says, its code."""
    try:
        shown = gallery.load(path)
        seconds = shown.loop or SECONDS
        width, height = shown.view.size
        drawn = draw(shown.picture, folder / shown.name, (WIDE, round(WIDE * height / width)), seconds)
    except Exception as error:
        raise ExtensionError(f"{path.relative_to(gallery.FOLDER)} cannot be drawn: {error}") from error
    lines = [f"### {shown.title}", ""]
    lines += [f"```{{image}} /{pages.FOLDER}/gallery/{drawn.name}", f":alt: {shown.title}"]
    lines += [":class: whole", "```", "", shown.about, ""]
    return "\n".join([*lines, "```python", shown.code.rstrip(), "```", ""])


def page(folder: Path) -> str:
    """The page: one section for each folder of the gallery."""
    parts: list[str] = []
    for section, files in groupby(gallery.files(), key=lambda path: path.parent):
        parts += [
            f"## {section.name.replace('_', ' ').capitalize()}\n",
            *(entry(path, folder) for path in files),
        ]
    return "\n".join(parts)


def build(app: Sphinx) -> None:
    """Draw all pictures and write the page."""
    pages.write(app.srcdir, "gallery.md", page(Path(app.srcdir) / pages.FOLDER / "gallery"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Have the page written before the documents are read."""
    app.connect("builder-inited", build)
    return {"parallel_read_safe": True}
