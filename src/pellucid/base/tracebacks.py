"""Tracebacks that show the user's own lines: the frames of pellucid are taken out at the door of each public function.

Ground floor. What is left of pellucid is the frame of the door itself, which IPython and pytest hide. An error that
nobody raised on purpose keeps all frames, since it is a mistake of ours; so does every error where `show_all` asked for
them, or the environment variable PELLUCID_DEBUG.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from types import TracebackType
from typing import ParamSpec, TypeVar

from .errors import PellucidError
from .source_location import is_own, of_others

P = ParamSpec("P")
R = TypeVar("R")


class _Shown:
    """Whether the frames of pellucid are shown."""

    own = bool(os.environ.get("PELLUCID_DEBUG"))


def show_all(wanted: bool = True) -> bool:
    """Show the frames of pellucid from now on, or hide them; gives what held before.

    >>> before = show_all()
    >>> show_all(before)
    True
    """
    before, _Shown.own = _Shown.own, wanted
    return before


def door(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a public function: errors leave it without the frames of pellucid on their way.

    >>> @door
    ... def refuse():
    ...     raise PellucidError("too hot")
    >>> refuse()
    Traceback (most recent call last):
        ...
    pellucid.base.errors.PellucidError: too hot
    """

    @functools.wraps(function)
    def call(*args: P.args, **named: P.kwargs) -> R:
        __tracebackhide__ = True
        try:
            return function(*args, **named)
        except Exception as error:  # noqa: BLE001 - it is raised again
            raise shortened(error)  # noqa: B904 - the same error

    return call


def shortened(error: Exception) -> Exception:
    """The error with the frames of the user's own on its way, if it is one raised on purpose or in the user's code.

    >>> shortened(ValueError("3")).__traceback__ is None
    True
    """
    frames = list[TracebackType]()
    trace = error.__traceback__
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    names = [one.tb_frame.f_code.co_filename for one in frames]
    last = next((name for name in reversed(names) if is_own(name) or not of_others(name)), "")
    if _Shown.own or (is_own(last) and not isinstance(error, PellucidError)):
        return error
    kept: TracebackType | None = None
    for one, name in zip(reversed(frames), reversed(names), strict=True):
        if not is_own(name):
            kept = TracebackType(kept, one.tb_frame, one.tb_lasti, one.tb_lineno)
    if isinstance(error, PellucidError):
        # What was met inside on the way to it says nothing to its reader.
        error.__suppress_context__ = True
        if isinstance(error.__cause__, Exception):
            shortened(error.__cause__)
    return error.with_traceback(kept)
