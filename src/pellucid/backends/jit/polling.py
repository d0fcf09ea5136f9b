"""Interrupt polling: loops of unbounded length call Python now and then, so that Ctrl-C ends a loop that never ends.

A signal handler runs in Python's main thread, and only between its own instructions: while that thread waits for
machine code, no handler runs. `calling` gives the code the address of the poll function.
"""

from __future__ import annotations

import ctypes
from collections.abc import Generator
from functools import partial

POLL_INTERVAL = 1 << 20
"""Iterations of a loop between two polls, a power of two: they take milliseconds."""
POLL_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int32)
_yes = POLL_FUNCTION(int)
NEVER_STOP: int = ctypes.cast(_yes, ctypes.c_void_p).value or 0
"""Address of a poll function that never asks for a stop, for threads in which no signal is handled."""


class Poll:
    """The poll function of one call, at the address `place`; it returns 1 for a stop, and `check` says why.

    >>> poll = Poll()
    >>> POLL_FUNCTION(poll.place)()
    0
    >>> poll.check()
    """

    def __init__(self) -> None:
        self._raised: BaseException | None = None
        answers = self._answers()
        next(answers)
        self._function = POLL_FUNCTION(partial(next, answers))
        self.place: int = ctypes.cast(self._function, ctypes.c_void_p).value or 0

    def _answers(self) -> Generator[int]:
        # A handler runs as soon as Python goes on, which is here: a function would not have reached its `try`, and what
        # is raised outside of one is lost on the way through machine code.
        while True:
            try:
                while True:
                    yield 0
            except GeneratorExit:
                return
            except BaseException as problem:  # noqa: BLE001 - whatever a handler raises is raised by the call
                self._raised = problem
            yield 1

    def check(self) -> None:
        """Raise the exception that a handler raised while the code polled, if there was one."""
        if self._raised is not None:
            raise self._raised
