"""Loops that data end ask Python now and then whether to go on, so that Ctrl-C ends one that never would.

What handles a signal runs in Python's main thread, and only between its own instructions: while that thread waits for
machine code, nothing does. Beside `calling`, which gives code the address of the question.
"""

from __future__ import annotations

import ctypes
from collections.abc import Generator
from functools import partial

EVERY = 1 << 20
"""How many turns a loop makes between two questions, a power of two: milliseconds."""
QUESTION = ctypes.CFUNCTYPE(ctypes.c_int32)
_yes = QUESTION(int)
GO_ON: int = ctypes.cast(_yes, ctypes.c_void_p).value or 0
"""The address of a question that is answered with no stop, for threads in which no signal is handled."""


class Asked:
    """The question of one call, at `place`; the answer is 1 for a stop, and `check` says why.

    >>> asked = Asked()
    >>> QUESTION(asked.place)()
    0
    >>> asked.check()
    """

    def __init__(self) -> None:
        self._raised: BaseException | None = None
        answers = self._answers()
        next(answers)
        self._function = QUESTION(partial(next, answers))
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
        """Raise what was raised while the code asked, if anything was."""
        if self._raised is not None:
            raise self._raised
