"""Generates the gallery: every file of examples, as a reader would run it, with the pictures that it makes.

A file's pictures are found as the command line finds them. A picture that cannot be drawn stops the build.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.errors import ExtensionError

import pages
from pellucid.cli.loading import pictures_of
from vocabulary import draw

if TYPE_CHECKING:
    from sphinx.application import Sphinx

SIZE = (480, 320)
#: What the command line draws without being told otherwise.
USUAL_SIZE = 512
USUAL_ZOOM = 1.0


def width_of(about: str) -> float:
    """How many units of the plane the picture shows if drawn as the first words of its file propose.

    >>> width_of("Stripes. Try: pellucid render stripes.py --zoom 64"), width_of("Stripes.")
    (8.0, 512.0)
    """
    proposed = re.search(r"--zoom (\S+)", about)
    return USUAL_SIZE / (float(proposed[1]) if proposed else USUAL_ZOOM)


def entry(path: Path, folder: Path) -> str:
    """The section of one file: its first sentence, its pictures, its code."""
    source = path.read_text(encoding="utf-8")
    words = ast.get_docstring(ast.parse(source)) or path.stem
    about = words.partition("\n\n")[0].replace("\n", " ")
    lines = [f"## {path.stem.replace('_', ' ')}", "", about, ""]
    try:
        for name, picture in pictures_of(path).items():
            target = folder / f"{path.stem}-{name}.png"
            draw(picture, target, width_of(words), SIZE)
            lines += [
                f"```{{image}} /{pages.FOLDER}/gallery/{target.name}",
                f":alt: {about}",
                ":class: whole",
                "```",
                "",
            ]
    except Exception as error:
        raise ExtensionError(f"{path.name} cannot be drawn: {error}") from error
    return "\n".join([*lines, "```python", source.rstrip(), "```", ""])


def build(app: Sphinx) -> None:
    """Draw all examples and write the page."""
    examples = Path(app.srcdir).parent / "examples"
    files = [path for path in sorted(examples.rglob("*.py")) if not path.name.startswith("_")]
    folder = Path(app.srcdir) / pages.FOLDER / "gallery"
    pages.write(app.srcdir, "gallery.md", "\n".join(entry(path, folder) for path in files))


def setup(app: Sphinx) -> dict[str, bool]:
    """Have the page written before the documents are read."""
    app.connect("builder-inited", build)
    return {"parallel_read_safe": True}
