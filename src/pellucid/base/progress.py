"""A line that tells how far a film or a sound is: plain text, only for a person who waits.

Ground floor, used by `animate` and `render_audio`. Any function of (frames done, frames in all) may take its place; the
command line has one that draws a richer bar.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self, TextIO

#: Called with the number of frames done and the number of frames in all.
Progress = Callable[[int, int], None]


class ProgressLine:
    """A bar on one line of a terminal, shown once the work has lasted longer than `patience` seconds.

    Nothing is written where `stream` (standard error) is not a terminal.

    >>> import io
    >>> stream = io.StringIO()
    >>> with ProgressLine("frames", stream) as line:
    ...     line(1, 10)
    >>> stream.getvalue()
    ''
    """

    def __init__(
        self,
        label: str = "frames",
        stream: TextIO | None = None,
        *,
        patience: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._label = label
        self._stream = sys.stderr if stream is None else stream
        self._patience = patience
        self._clock = clock
        self._began = clock()
        self._drawn_at = -1.0
        self._width = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()

    def __call__(self, done: int, total: int) -> None:
        """Show that `done` of `total` are done."""
        now = self._clock()
        spent = now - self._began
        if spent < self._patience or not self._stream.isatty() or now - self._drawn_at < 0.1:
            return
        self._drawn_at = now
        filled = 24 * done // max(total, 1)
        left = spent / max(done, 1) * (total - done)
        text = f"[{'#' * filled}{'.' * (24 - filled)}] {done}/{total} {self._label}, {left:.0f} s left"
        self._stream.write("\r" + text.ljust(self._width))
        self._stream.flush()
        self._width = max(self._width, len(text))
