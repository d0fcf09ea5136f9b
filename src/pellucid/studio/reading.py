"""Reading: what the text of a document means, as a picture or as problems with their places.

Used by `connection`. A `Reader` is handed in by whoever starts the studio; it makes a picture of a text. Here its
errors become problems that an editor can underline, and the picture is traced, so that what cannot be drawn is told.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pellucid.base.errors import PellucidError
from pellucid.driver import Kernel, Options
from pellucid.studio.changes import units

Reader = Callable[[str, Path], object]


@dataclass(frozen=True)
class Problem:
    """A sentence about a part of the text, from `start` to `end` in units of UTF-16."""

    start: int
    end: int
    message: str

    def told(self) -> dict[str, Any]:
        """The problem as the page reads it."""
        return {"from": self.start, "to": self.end, "message": self.message}


@dataclass(frozen=True)
class Reading:
    """What a version of a text means: a picture, or the problems that there are instead."""

    version: int
    picture: object | None
    moves: bool
    problems: tuple[Problem, ...] = ()

    def told(self) -> dict[str, Any]:
        """The reading as the page reads it."""
        return {
            "kind": "reading",
            "version": self.version,
            "ok": self.picture is not None,
            "moves": self.moves,
            "problems": [each.told() for each in self.problems],
        }


def read(version: int, text: str, path: Path, reader: Reader) -> Reading:
    """Read a text.

    >>> from pellucid import images as im
    >>> read(3, "", Path("a.py"), lambda text, path: im.const(im.red)).problems
    ()
    """
    try:
        picture = reader(text, path)
        # Parameters are known once the picture is traced.
        kernel = Kernel(picture, Options("exact"), now=False)  # pyright: ignore[reportArgumentType]
        _ = kernel.params
        return Reading(version, picture, kernel.time_varying)
    except PellucidError as error:
        return Reading(version, None, False, (_problem(text, path, str(error)),))
    except Exception as error:  # noqa: BLE001 - the text may raise anything, and its author is to be told
        return Reading(version, None, False, (_problem(text, path, f"{type(error).__name__}: {error}"),))


def _problem(text: str, path: Path, message: str) -> Problem:
    """The line that a message names, or the beginning of the text."""
    found = re.search(rf"{re.escape(path.name)}:(\d+)(?::\s*)?", message)
    lines = text.split("\n")
    number = min(max(int(found[1]), 1), len(lines)) if found else 1
    start = units("".join(line + "\n" for line in lines[: number - 1]))
    line = lines[number - 1]
    start += units(line[: len(line) - len(line.lstrip())])
    if found:
        # The place is underlined, so that the sentence need not begin with it.
        message = (message[: found.start()].rpartition(" ")[0] + " " + message[found.end() :]).strip()
    return Problem(start, max(start, start + units(line.strip())), message)
