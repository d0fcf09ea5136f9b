"""A richer progress bar, where rich is installed and a person is watching.

Used by `render`, `animate` and `store`; without rich, `canvas` draws its plain line.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager

from pellucid.base.progress import Progress

#: A film that is done within so many seconds needs no bar.
_PATIENCE = 1.0


@contextmanager
def bar(what: str = "frames") -> Generator[Progress | None]:
    """A function of (frames or other things done, in all) that draws a bar, or None to leave it to `canvas`.

    >>> with bar() as progress:
    ...     progress is None or callable(progress)
    True
    """
    if not sys.stderr.isatty():
        yield None
        return
    try:
        from rich.console import Console
        from rich.progress import Progress as Bar
    except ImportError:
        yield None
        return
    drawn = Bar(console=Console(stderr=True), transient=True)
    task = drawn.add_task(what, total=None)
    began = time.monotonic()

    def advance(done: int, total: int) -> None:
        drawn.update(task, completed=done, total=total)
        if not drawn.live.is_started and time.monotonic() - began > _PATIENCE:
            drawn.start()

    try:
        yield advance
    finally:
        drawn.stop()
