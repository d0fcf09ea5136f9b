"""Finds the line of the user's own program that led here, so that an error can name it."""

from __future__ import annotations

import inspect
import linecache
from pathlib import Path

_PACKAGE = str(Path(__file__).resolve().parent.parent)


def caller() -> tuple[str, str]:
    """The nearest place outside of pellucid on the stack, as ``("file.py:12", "the source line")``.

    >>> caller()[0].endswith(":1")
    True
    """
    frame = inspect.currentframe()
    if frame is None:
        return "unknown place", ""
    while frame.f_code.co_filename.startswith((_PACKAGE, "<frozen")) and frame.f_back is not None:
        frame = frame.f_back
    name, line = frame.f_code.co_filename, frame.f_lineno
    return f"{Path(name).name}:{line}", linecache.getline(name, line).strip()
