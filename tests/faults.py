"""Calls that fail: the n-th write, rename, opening or allocation of something, for each n in turn.

A dry run says how many of each kind there are; then one after the other fails. Writes are counted where the system is
asked to write, so that what a buffer holds back until the end fails at the end.
"""

from __future__ import annotations

import errno
import io
import os
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import numpy as np

from pellucid.base import atomic

#: Functions of the system by which files are made and moved.
SYSTEM = ("open", "link", "replace", "chmod", "fsync", "mkdir", "utime")
#: Functions that allocate what a picture or a file takes.
ALLOCATIONS = ("empty", "zeros", "full", "concatenate", "ascontiguousarray", "where", "stack")


@dataclass
class Calls:
    """Counts of calls by kind, and which of them fails, with what."""

    fails: tuple[str, int] | None = None
    error: BaseException | None = None
    counts: Counter[str] = field(default_factory=Counter[str])
    failed: bool = False

    def note(self, kind: str) -> None:
        """Count a call, and fail if it is its turn."""
        self.counts[kind] += 1
        if self.fails == (kind, self.counts[kind]):
            self.failed = True
            assert self.error is not None
            raise self.error


class _Raw(io.FileIO):
    """A file whose writes are counted."""

    calls: Calls

    def write(self, data: Any) -> int:
        self.calls.note("write")
        return super().write(data)


def _counted(calls: Calls, kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def counted(*args: Any, **named: Any) -> Any:
        calls.note(kind)
        return function(*args, **named)

    return counted


@contextmanager
def counting(calls: Calls) -> Generator[Calls]:
    """Within it, calls are counted, and one of them may fail."""

    def opened(path: str, mode: str, *, opener: Callable[[str, int], int]) -> io.BufferedRandom:
        assert mode == "w+b"
        raw = _Raw(path, "w+", opener=opener)
        raw.calls = calls
        return io.BufferedRandom(raw)

    with ExitStack() as stack:
        for name in SYSTEM:
            stack.enter_context(patch.object(os, name, _counted(calls, name, getattr(os, name))))
        for name in ALLOCATIONS:
            stack.enter_context(patch.object(np, name, _counted(calls, "allocation", getattr(np, name))))
        stack.enter_context(patch.object(atomic, "open", opened, create=True))
        yield calls


def each(work: Callable[[], object], *, most: int = 60) -> Iterator[Calls]:
    """Every call of some work failing in turn, by every error that it may meet; at most so many calls of each kind."""
    with counting(Calls()) as dry:
        work()
    assert dry.counts
    for kind, count in dry.counts.items():
        step = -(-count // most)
        errors: list[BaseException] = (
            [MemoryError("no memory")]
            if kind == "allocation"
            else [OSError(number, os.strerror(number)) for number in (errno.ENOSPC, errno.EIO)]
        )
        for number in {*range(1, count + 1, step), count}:
            yield from (Calls((kind, number), error) for error in errors)
