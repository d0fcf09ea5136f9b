"""Marks for tests of what only some of the supported systems have; all of them run on Linux on x86-64."""

from __future__ import annotations

import platform
import sys

import pytest

#: Files of `/proc` and `/dev/full`, files without names, reserved space, threads that are bound to processors.
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has it")
x86 = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="only x86-64 processors have it"
)
