"""A tracing session: the type of real numbers.

Below `tracer`, which asks for the type of reals whenever a Python number meets a symbolic one.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Generator
from dataclasses import dataclass

from ..ir import types as T


@dataclass(slots=True)
class Trace:
    """One tracing session: the type of real numbers."""

    real: T.Type = T.f32


_OUTSIDE = Trace()
_current: contextvars.ContextVar[Trace] = contextvars.ContextVar("trace", default=_OUTSIDE)


@contextlib.contextmanager
def tracing(real: T.Type = T.f32) -> Generator[Trace]:
    """Trace with that type for real numbers; yields the session.

    >>> with tracing(T.f64):
    ...     real_type()
    f64
    """
    session = Trace(real)
    token = _current.set(session)
    try:
        yield session
    finally:
        _current.reset(token)


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
