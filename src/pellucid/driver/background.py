"""Work in the background: one thread that asks what is to be done next, whenever it has done something.

Below `session`. There is no queue: who is asked names the one job that is most useful now, so nothing that was wanted
once waits behind what is wanted now. A job that has begun is let end. One that fails is told of, and must not be named
again; the next one is done after it.
"""

from __future__ import annotations

import atexit
import queue
import sys
import threading
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

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
        # What ends it may be called while garbage is collected, in any thread at any place, so it takes no lock: a
        # thread would wait for what it holds itself.
        self._signal: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._starting = threading.Lock()
        self._woken = self._closed = False
        self._thread: threading.Thread | None = None
        self.busy = False
        weakref.finalize(plan.__self__, self._end)  # pyright: ignore[reportFunctionMemberAccess]
        _all.add(self)
        self._start()

    def _start(self) -> None:
        # At once, and not when there is work: a thread that begins holds up the one that began it.
        if _ended:
            return
        self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
        self._thread.start()

    @property
    def closed(self) -> bool:
        """Whether it has no thread and gets none anymore."""
        return self._closed

    def wake(self) -> None:
        """Ask for a job soon: what is to be done may have changed."""
        if self._closed:
            return
        if not self._woken:
            self._woken = True
            self._signal.put(None)
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                # This process is a fork of the one that began it.
                self._start()

    def close(self) -> None:
        """Let the job that has begun end, and leave no thread behind."""
        self._end()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _end(self) -> None:
        self._closed = True
        self._signal.put(None)

    def _work(self) -> None:
        while True:
            self._woken = False
            if self._closed:
                return
            plan = self._plan()
            if plan is None:
                return
            try:
                job = plan()
            except Exception:  # noqa: BLE001 - whoever wakes it later is not forgotten
                _tell()
                job = None
            # Nothing here keeps the owner of the plan alive while it waits.
            del plan
            if callable(job):
                self.busy = True
                try:
                    job()
                except Exception:  # noqa: BLE001 - others wait for what comes after it
                    _tell()
                finally:
                    self.busy = False
                del job
                continue
            with suppress(queue.Empty):
                self._signal.get(timeout=job)


def _tell() -> None:
    """Tell of the exception at hand as Python does where a thread ends by one."""
    threading.excepthook(threading.ExceptHookArgs([*sys.exc_info(), threading.current_thread()]))


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
_ended = False
"""Whether the process ends, so that no thread begins anymore."""


def close_all() -> None:
    """Close what works in the background; the jobs that have begun end before.

    >>> close_all()
    >>> {each.closed for each in _all} <= {True}
    True
    """
    for each in list(_all):
        each.close()


@atexit.register
def _end() -> None:
    """No thread may be inside of a compiler while the process takes itself apart."""
    global _ended
    _ended = True
    close_all()
