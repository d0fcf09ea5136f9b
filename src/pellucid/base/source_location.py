"""Finds the line of the user's own program that led here, so that an error can name it."""

from __future__ import annotations

import inspect
import linecache
import os
import sys
from pathlib import Path
from types import FrameType

from .errors import beginning

_PACKAGE = str(Path(__file__).resolve().parent.parent) + os.sep
_STANDARD = str(Path(os.__file__).resolve().parent) + os.sep
_MAX_TEXT = 100


def caller() -> tuple[str, str]:
    """The nearest place on the stack that is the user's own, as ``("file.py:12", "the source line")``.

    >>> caller()[0].endswith(":1")
    True
    """
    frame = user_frame()
    return _told(frame.f_code.co_filename, frame.f_lineno) if frame else ("unknown place", "")


def in_line(what: str, line: str) -> str:
    """What is wrong, and in which line of the program where that is known.

    >>> in_line("points have no +", "p + q"), in_line("points have no +", "")
    ('points have no + in `p + q`', 'points have no +')
    """
    return f"{what} in `{line}`" if line else what


def user_frame() -> FrameType | None:
    """The nearest frame on the stack that is the user's own; None where others run all, as in a thread of a server.

    >>> user_frame().f_code.co_name
    '<module>'
    """
    frame = inspect.currentframe()
    while frame is not None:
        name = frame.f_code.co_filename
        if not is_own(name) and not of_others(name):
            return frame
        frame = frame.f_back
    return None


def is_own(name: str) -> bool:
    """Whether a file of code belongs to pellucid, or to what Python itself runs on the way."""
    return name.startswith((_PACKAGE, "<frozen"))


def innermost(error: BaseException) -> str | None:
    """The last place on the way to an error that is the user's own, as ``file.py:12``.

    >>> try:
    ...     [][0]
    ... except IndexError as error:
    ...     innermost(error).endswith(":2")
    True
    """
    import traceback

    place: str | None = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if not is_own(name) and not of_others(name):
            place = _told(name, line)[0]
    return place


def _told(name: str, line: int) -> tuple[str, str]:
    # Files change while a session goes on, as under an editor.
    linecache.checkcache(name)
    text = linecache.getline(name, line).strip()
    return f"{Path(name).name}:{line}", beginning(text, _MAX_TEXT)


def of_others(name: str) -> bool:
    """Whether a file belongs to Python itself or to NumPy."""
    if name.startswith(_STANDARD) and "-packages" not in name:
        return True
    numpy = getattr(sys.modules.get("numpy"), "__file__", None)
    return numpy is not None and name.startswith(str(Path(numpy).parent))
