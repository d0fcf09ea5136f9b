"""A tracing session: the type of real numbers, and the parameters met on the way.

Below `tracer`, which asks for the type of reals whenever a Python number meets a symbolic one.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from ..ir import types as T


@dataclass(slots=True)
class Trace:
    """One tracing session: the type of real numbers and the parameters met so far."""

    real: T.Type = T.f32
    params: dict[str, Any] = field(default_factory=dict[str, Any])


_OUTSIDE = Trace()
_current: contextvars.ContextVar[Trace] = contextvars.ContextVar("trace", default=_OUTSIDE)


@contextlib.contextmanager
def tracing(real: T.Type = T.f32) -> Generator[Trace]:
    """Trace with that type for real numbers; yields the session, which collects parameters.

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


def note(name: str, declared: Any) -> Any:
    """Take note of a parameter that the current session has met; returns the first one of that name.

    Outside of any session there are no others to meet: pictures come and go.
    """
    session = _current.get()
    return declared if session is _OUTSIDE else session.params.setdefault(name, declared)


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
