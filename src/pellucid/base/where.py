"""Finds the line of the user's own program that led here, so that an error can name it."""

from __future__ import annotations

import inspect
import linecache
import os
import sys
import traceback
from pathlib import Path

_PACKAGE = str(Path(__file__).resolve().parent.parent)
_STANDARD = str(Path(os.__file__).resolve().parent) + os.sep
_LONGEST = 100


def caller() -> tuple[str, str]:
    """The nearest place on the stack that is the user's own, as ``("file.py:12", "the source line")``.

    >>> caller()[0].endswith(":1")
    True
    """
    frame = inspect.currentframe()
    outside: tuple[str, int] | None = None
    while frame is not None:
        name, line = frame.f_code.co_filename, frame.f_lineno
        if not name.startswith((_PACKAGE, "<frozen")):
            # What others call for the user, such as a function of NumPy, is second best.
            outside = outside or (name, line)
            if not _of_others(name):
                outside = name, line
                break
        frame = frame.f_back
    return _told(*outside) if outside else ("unknown place", "")


def innermost(error: BaseException) -> str | None:
    """The last place on the way to an error that is the user's own, as ``file.py:12``.

    >>> try:
    ...     [][0]
    ... except IndexError as error:
    ...     innermost(error).endswith(":2")
    True
    """
    place: str | None = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if not name.startswith((_PACKAGE, "<frozen")) and not _of_others(name):
            place = _told(name, line)[0]
    return place


def _told(name: str, line: int) -> tuple[str, str]:
    text = linecache.getline(name, line).strip()
    return f"{Path(name).name}:{line}", text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _of_others(name: str) -> bool:
    """Whether a file belongs to Python itself or to NumPy."""
    if name.startswith(_STANDARD) and "-packages" not in name:
        return True
    numpy = getattr(sys.modules.get("numpy"), "__file__", None)
    return numpy is not None and name.startswith(str(Path(numpy).parent))
