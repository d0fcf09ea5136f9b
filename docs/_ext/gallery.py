"""Generates the page of the gallery: every picture of `examples/gallery`, drawn, with the program that makes it.

Each has a page of its own that draws it in the browser. A picture that cannot be drawn stops the build.
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


LIVE = "_static"
"""The folder of the pages that draw pictures in the browser, beside that of the gallery."""


def entry(path: Path, folder: Path, live: Path) -> tuple[str, str]:
    """A file's thumbnail for the sheet, and its section: its title, its picture, what it says, its code."""
    import pellucid

    try:
        shown = gallery.load(path)
        seconds = shown.loop or SECONDS
        width, height = shown.view.size
        drawn = draw(shown.picture, folder / shown.name, (WIDE, round(WIDE * height / width)), seconds)
        live.mkdir(parents=True, exist_ok=True)
        page = live / f"live-{shown.name}.html"
        pellucid.export(shown.picture, page, title=shown.title, source=shown.code)
    except Exception as error:
        raise ExtensionError(f"{path.relative_to(gallery.FOLDER)} cannot be drawn: {error}") from error
    title = html.escape(shown.title)
    thumbnail = (
        f'<a href="#picture-{shown.name}"><img src="_images/{drawn.name}" alt="{title}" title="{title}"></a>'
    )
    lines = [f"(picture-{shown.name})=", f"### {shown.title}", ""]
    lines += [f"```{{image}} /{pages.FOLDER}/gallery/{drawn.name}", f":alt: {shown.title}"]
    lines += [":class: whole", "```", "", f'<a class="live" href="{LIVE}/{page.name}">Live</a>', ""]
    lines += [shown.about, ""]
    return thumbnail, "\n".join([*lines, "```python", shown.code.rstrip(), "```", ""])


def page(folder: Path, live: Path) -> str:
    """The page: one section for each folder of the gallery, with a sheet of its pictures on top."""
    parts: list[str] = []
    for section, files in groupby(gallery.files(), key=lambda path: path.parent):
        drawn = [entry(path, folder, live) for path in files]
        thumbnails = "\n".join(thumbnail for thumbnail, _ in drawn)
        parts += [
            f"## {section.name.replace('_', ' ').capitalize()}\n",
            f'<div class="sheet">\n{thumbnails}\n</div>\n',
            *(text for _, text in drawn),
        ]
    return "\n".join(parts)


def build(app: Sphinx) -> None:
    """Draw all pictures and write the page."""
    text = page(Path(app.srcdir) / pages.FOLDER / "gallery", Path(app.outdir) / LIVE)
    pages.write(app.srcdir, "gallery.md", text)


def setup(app: Sphinx) -> dict[str, bool]:
    """Have the page written before the documents are read."""
    app.connect("builder-inited", build)
    return {"parallel_read_safe": True}
