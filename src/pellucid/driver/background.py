"""Work in the background: one thread that asks what is to be done next, whenever it has done something.

Below `session`. There is no queue: who is asked names the one job that is most useful now, so nothing that was wanted
once waits behind what is wanted now. A job that has begun is let end.
"""

from __future__ import annotations

import atexit
import sys
import threading
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager

PROMPT = 2e-4
"""Seconds after which a frame gets Python's lock from the compiler; usually it is 25 times as long."""
Job = Callable[[], None]
Plan = Callable[[], "Job | float | None"]
"""The job to do now, the seconds until there may be one, or None: there is none until `wake` is called."""


class Background:
    """The thread of one plan, a bound method, under a name; it is ended by `close`, or with the plan's owner."""

    def __init__(self, plan: Plan, name: str) -> None:
        self._plan = weakref.WeakMethod(plan)
        self._name = name
        self._signal = threading.Condition(threading.Lock())
        self._woken = self._closed = False
        self.busy = False
        weakref.finalize(plan.__self__, self._end)  # pyright: ignore[reportFunctionMemberAccess]
        _all.add(self)
        self._start()

    def _start(self) -> None:
        # At once, and not when there is work: a thread that begins holds up the one that began it.
        self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Ask for a job soon: what is to be done may have changed."""
        with self._signal:
            if self._closed:
                return
            self._woken = True
            self._signal.notify()
            if not self._thread.is_alive():
                # This process is a fork of the one that began it.
                self._start()

    def close(self) -> None:
        """Let the job that has begun end, and leave no thread behind."""
        self._end()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _end(self) -> None:
        with self._signal:
            self._closed = True
            self._signal.notify()

    def _work(self) -> None:
        while True:
            with self._signal:
                self._woken = False
                if self._closed:
                    return
            plan = self._plan()
            if plan is None:
                return
            job = plan()
            # Nothing here keeps the owner of the plan alive while it waits.
            del plan
            if callable(job):
                self.busy = True
                try:
                    job()
                finally:
                    self.busy = False
                del job
                continue
            with self._signal:
                self._signal.wait_for(lambda: self._woken or self._closed, job)


_prompt = threading.Lock()
_waiting = 0
_usual = 0.0


@contextmanager
def promptly(background: Background) -> Generator[None]:
    """While something is done in the background, whoever else needs Python's lock gets it sooner.

    >>> import sys
    >>> usual = sys.getswitchinterval()
    >>> class Busy(Background): busy = True
    >>> with promptly(Busy.__new__(Busy)):
    ...     sys.getswitchinterval() < usual
    True
    >>> sys.getswitchinterval() == usual
    True
    """
    global _waiting, _usual
    if not background.busy:
        yield
        return
    with _prompt:
        if not _waiting:
            _usual = sys.getswitchinterval()
            sys.setswitchinterval(min(_usual, PROMPT))
        _waiting += 1
    try:
        yield
    finally:
        with _prompt:
            _waiting -= 1
            if not _waiting:
                sys.setswitchinterval(_usual)


_all: weakref.WeakSet[Background] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """No thread may be inside of a compiler while the process takes itself apart."""
    for each in list(_all):
        each.close()
