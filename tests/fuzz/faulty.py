"""A fuzzer whose subject dies: what the tests of the runner run, in processes of its own only."""

from __future__ import annotations

import os
from collections.abc import Mapping

from tests.fuzz.test_fuzz import generate, shrink

__all__ = ["check", "generate", "shrink"]


def check(case: str) -> Mapping[str, int]:
    """Abort the process if there is an x."""
    if "x" in case:
        os.abort()
    return {"letters": len(case)}
