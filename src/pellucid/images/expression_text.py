"""The text of a picture: the expression that made it, of which parts are left out where it would be endless.

Used for the `repr` of images and animations. A picture is a graph; written as a tree, forty words may take more room
than there is.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.errors import beginning
from ..base.source_location import is_own

MAX_PARTS = 400
MAX_DEPTH = 40
_MAX_PLACE = 60


@dataclass(slots=True)
class _Progress:
    """The number of expressions that have been written, and the depth of the present one."""

    count: int = 0
    depth: int = 0


_progress: contextvars.ContextVar[_Progress | None] = contextvars.ContextVar("progress", default=None)


def written(expression: str | Callable[[], str]) -> str:
    """The text of an expression; "…" for what is too deep within others, or comes after `MAX_PARTS` of them.

    >>> def tower(n): return written(lambda: f"f({tower(n - 1)})" if n else "x")
    >>> tower(2), tower(1000).count("…")
    ('f(f(x))', 1)
    """
    if isinstance(expression, str):
        return expression
    state = _progress.get()
    if state is None:
        token = _progress.set(_Progress())
        try:
            return written(expression)
        finally:
            _progress.reset(token)
    if state.count >= MAX_PARTS or state.depth >= MAX_DEPTH:
        return "…"
    state.count += 1
    state.depth += 1
    try:
        return expression()
    finally:
        state.depth -= 1


def short(picture: object, function: Callable[..., Any] | None = None) -> str:
    """A picture as the place of an error: the file and the line of its function, if it is the user's, and its name.

    >>> short("x" * 100)[-3:], short("mine", short), short("yours", lambda p: p)
    ('xx…', "'mine'", "<doctest ...>:1: 'yours'")
    """
    text = beginning(repr(picture), _MAX_PLACE)
    code = getattr(function, "__code__", None)
    if code is None or is_own(code.co_filename):
        return text
    return f"{Path(code.co_filename).name}:{code.co_firstlineno}: {text}"
