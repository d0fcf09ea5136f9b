"""A tracing session: the type of real numbers.

Below `tracer`, which asks for the type of reals whenever a Python number meets a symbolic one.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Generator
from dataclasses import dataclass

from ..ir import types as T
from ..ir.expr import count


@dataclass(slots=True)
class TraceState:
    """One tracing session: the type of real numbers, and how many nodes there were before."""

    real: T.Type = T.f32
    before: int = 0


_OUTSIDE = TraceState()
_current: contextvars.ContextVar[TraceState] = contextvars.ContextVar("trace", default=_OUTSIDE)


@contextlib.contextmanager
def tracing(real: T.Type = T.f32) -> Generator[TraceState]:
    """Trace with that type for real numbers; yields the session.

    >>> with tracing(T.f64):
    ...     real_type()
    f64
    """
    session = TraceState(real, count())
    token = _current.set(session)
    try:
        yield session
    finally:
        _current.reset(token)


MAX_NODES = 200_000
"""Nodes that the tracing of one picture may make: about a second of work, 25 times the largest known picture."""
MAX_USES = 50_000
"""Uses of pictures at points that the tracing of one picture may take: about a second of work as well, also where each
use makes few nodes."""


def has_grown_too_far(uses: int) -> bool:
    """Whether the current session has made more nodes than a picture may have, or more uses of pictures at points."""
    session = _current.get()
    return session is not _OUTSIDE and (uses >= MAX_USES or count() - session.before > MAX_NODES)


def real_type() -> T.Type:
    """The type of real numbers in the current session, f32 unless told otherwise."""
    return _current.get().real


_as_compiled: contextvars.ContextVar[bool] = contextvars.ContextVar("as_compiled", default=False)


@contextlib.contextmanager
def as_compiled() -> Generator[None]:
    """Within it functions of plain numbers give the bits that compiled code gives, and are slow.

    >>> with as_compiled():
    ...     gives_compiled_bits()
    True
    """
    token = _as_compiled.set(True)
    try:
        yield
    finally:
        _as_compiled.reset(token)


def gives_compiled_bits() -> bool:
    """Whether functions of plain numbers are to give what compiled code gives."""
    return _as_compiled.get()
