"""Generates the page of the gallery: every picture of `examples/gallery`, drawn, with the program that makes it.

A picture that cannot be drawn stops the build.
"""

from __future__ import annotations

import html
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


def entry(path: Path, folder: Path) -> tuple[str, str]:
    """A file's thumbnail for the sheet, and its section: its title, its picture, what it says, its code."""
    try:
        shown = gallery.load(path)
        seconds = shown.loop or SECONDS
        width, height = shown.view.size
        drawn = draw(shown.picture, folder / shown.name, (WIDE, round(WIDE * height / width)), seconds)
    except Exception as error:
        raise ExtensionError(f"{path.relative_to(gallery.FOLDER)} cannot be drawn: {error}") from error
    title = html.escape(shown.title)
    thumbnail = (
        f'<a href="#picture-{shown.name}"><img src="_images/{drawn.name}" alt="{title}" title="{title}"></a>'
    )
    lines = [f"(picture-{shown.name})=", f"### {shown.title}", ""]
    lines += [f"```{{image}} /{pages.FOLDER}/gallery/{drawn.name}", f":alt: {shown.title}"]
    lines += [":class: whole", "```", "", shown.about, ""]
    return thumbnail, "\n".join([*lines, "```python", shown.code.rstrip(), "```", ""])


def page(folder: Path) -> str:
    """The page: one section for each folder of the gallery, with a sheet of its pictures on top."""
    parts: list[str] = []
    for section, files in groupby(gallery.files(), key=lambda path: path.parent):
        drawn = [entry(path, folder) for path in files]
        thumbnails = "\n".join(thumbnail for thumbnail, _ in drawn)
        parts += [
            f"## {section.name.replace('_', ' ').capitalize()}\n",
            f'<div class="sheet">\n{thumbnails}\n</div>\n',
            *(text for _, text in drawn),
        ]
    return "\n".join(parts)


def build(app: Sphinx) -> None:
    """Draw all pictures and write the page."""
    pages.write(app.srcdir, "gallery.md", page(Path(app.srcdir) / pages.FOLDER / "gallery"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Have the page written before the documents are read."""
    app.connect("builder-inited", build)
    return {"parallel_read_safe": True}
