"""The gallery: each file below makes one picture, and is a whole program of its own.

A file names its picture ``picture`` and tells in its docstring what it shows; the first sentence is the title. It may
say how to look at it: ``WIDTH`` of the view in units, ``CENTER``, and for an animation ``TIME`` of a telling moment and
``LOOP``, the seconds after which it begins again. Any file may be given to the command line:
``pellucid render examples/gallery/fractals/julia.py --zoom 200``.
"""

from __future__ import annotations

import ast
import runpy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Picture:
    """A picture of the gallery: `picture` as its file makes it, in a view `width` units wide about `center`."""

    name: str
    section: str
    title: str
    about: str
    code: str
    path: Path
    picture: Any
    width: float
    center: tuple[float, float]
    time: float
    loop: float | None


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
        width=float(made.get("WIDTH", 4)),
        center=made.get("CENTER", (0.0, 0.0)),
        time=float(made.get("TIME", 0)),
        loop=made.get("LOOP"),
    )


def pictures() -> Iterator[Picture]:
    """Every picture of the gallery, by section and name."""
    return (load(path) for path in files())
