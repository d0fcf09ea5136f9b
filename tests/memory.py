"""The memory that Python objects take at most while something is done, whatever was done before in this process."""

from __future__ import annotations

import tracemalloc
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from pellucid.driver import background


@dataclass
class Traced:
    """The most bytes that were in use at once; 0 until the end of the block."""

    peak: int = 0


@contextmanager
def traced() -> Generator[Traced]:
    """Trace a block; sessions that earlier tests left behind compile no more, for theirs would be counted too."""
    background.close_all()
    found = Traced()
    tracemalloc.start()
    try:
        yield found
        found.peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
