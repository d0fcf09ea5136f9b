"""What tests ask of a system: a mark for what only Linux has, and the lesser processors that it can stand for."""

from __future__ import annotations

import sys

import pytest

from pellucid.backends.jit.engine import machine

#: Files of `/proc` and `/dev/full`, files without names, reserved space, threads that are bound to processors.
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has it")

_FEATURES = {"x86-64-v2": "+sse4.2", "x86-64-v3": "+avx2", "x86-64-v4": "+avx512vl"}

LEVELS = ("x86-64", *_FEATURES)
"""The levels of x86-64, of which code of a processor may be compiled for some."""


def levels() -> tuple[str, ...]:
    """The levels of x86-64 that code of this processor may be compiled for; none on another one."""
    has = machine().features.split(",")
    return tuple(level for level in LEVELS if _FEATURES.get(level, "+sse2") in has)
