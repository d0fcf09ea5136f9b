"""The gallery: each file below makes one picture, and is a whole program of its own.

A file names its picture ``picture``, framed as it is worth looking at, and tells in its docstring what it shows; the
first sentence is the title. An animation may tell ``LOOP``, the seconds after which it begins again. Any file may be
given to the command line: ``pellucid render examples/gallery/fractals/julia.py -o julia.png --size 1920x1280``.
"""

from __future__ import annotations

import ast
import runpy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pellucid import View

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Picture:
    """A picture of the gallery: `picture` as its file makes it, with the view that it carries."""

    name: str
    section: str
    title: str
    about: str
    code: str
    path: Path
    picture: Any
    loop: float | None

    @property
    def view(self) -> View:
        """The view that the picture carries."""
        return self.picture.view

    @property
    def width(self) -> float:
        """The width of the view, in units."""
        return self.view.size[0] / self.view.zoom

    @property
    def center(self) -> tuple[float, float]:
        """The center of the view, in units."""
        return self.view.center

    @property
    def time(self) -> float:
        """The time of the view, in seconds."""
        return self.view.time


def files() -> list[Path]:
    """Every file of the gallery, by section and name."""
    return sorted(path for path in FOLDER.rglob("*.py") if not path.name.startswith("_"))


def load(path: Path) -> Picture:
    """The picture that a file makes; whatever goes wrong in the file is raised as it is."""
    code = path.read_text(encoding="utf-8")
    title, _, about = (ast.get_docstring(ast.parse(code)) or path.stem).partition("\n\n")
    made = runpy.run_path(str(path))
    return Picture(
        name=path.stem,
        section=path.parent.name.replace("_", " "),
        title=title.rstrip("."),
        about=about,
        code=code,
        path=path,
        picture=made["picture"],
        loop=made.get("LOOP"),
    )


def pictures() -> Iterator[Picture]:
    """Every picture of the gallery, by section and name."""
    return (load(path) for path in files())
