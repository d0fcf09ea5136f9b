"""The former place of sessions, for programs that an earlier version saved; it goes with the release after next."""

from __future__ import annotations

import warnings
from typing import Any


def __getattr__(name: str) -> Any:
    if name != "Session":
        raise AttributeError(name)
    from .hops.session import Session

    warnings.warn(
        "pellucid.loops.session is now pellucid.loops.hops.session", DeprecationWarning, stacklevel=2
    )
    return Session
