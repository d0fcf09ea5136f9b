"""The thread pool: threads that stay, among which the bands of a kernel are handed out.

Waking a thread costs microseconds where starting one costs a hundred, and frames take a millisecond. The calling thread
takes part, and returns when the last band is done, not when the last thread has noticed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable


def available() -> int:
    """The number of processors that this process may use: the default number of threads.

    >>> available() >= 1
    True
    """
    count = getattr(os, "process_cpu_count", None)
    if count is not None:
        return int(count() or 1)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Job:
    """Bands of one call, handed out one by one; counts the helpers that are at work on them."""

    __slots__ = ("closed", "count", "done", "failure", "given", "helping", "lock", "task")

    def __init__(self, count: int, task: Callable[[int], None]) -> None:
        self.count, self.task = count, task
        self.given = self.helping = 0
        self.closed = False
        self.failure: BaseException | None = None
        self.lock = threading.Lock()
        self.done = threading.Lock()
        self.done.acquire()

    def work(self) -> None:
        """Run bands until none is left, or one has failed."""
        while self.failure is None:
            with self.lock:
                band = self.given
                if band >= self.count or self.closed:
                    return
                self.given += 1
            self.task(band)

    def help(self) -> None:
        """Take part from another thread, unless it is too late."""
        with self.lock:
            if self.closed:
                return
            self.helping += 1
        try:
            self.work()
        except BaseException as problem:  # noqa: BLE001 - it is raised again in the thread that called
            self.failure = self.failure or problem
        with self.lock:
            self.helping -= 1
            last = self.closed and self.helping == 0
        if last:
            self.done.release()

    def finish(self) -> None:
        """Let nobody begin, and wait for those who have; may be called again if it is interrupted."""
        with self.lock:
            self.closed = True
            if self.helping == 0:
                return
        self.done.acquire()


class ThreadPool:
    """Calls a task for each band from several threads: ``thread_pool(count, task, threads)``.

    >>> results = []
    >>> ThreadPool()(3, results.append, 2)
    >>> sorted(results)
    [0, 1, 2]
    """

    def __init__(self) -> None:
        self._reset()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        # The threads of a parent process do not exist in its child, and its locks may be held forever.
        self._busy = threading.Lock()
        self._wakes: list[threading.Lock] = []
        self._job: _Job | None = None

    def __call__(self, count: int, task: Callable[[int], None], threads: int | None = None) -> None:
        """Run ``task(0) .. task(count - 1)`` and return when all are done.

        `threads` bounds how many take part, the caller among them; None means as many as processors. What a task
        raises is raised here. A call from inside a task, or while another call is running, runs alone.
        """
        helpers = min(available() if threads is None else threads, count) - 1
        if helpers < 1 or not self._busy.acquire(blocking=False):
            for k in range(count):
                task(k)
            return
        try:
            self._share(_Job(count, task), helpers)
        finally:
            self._job = None
            self._busy.release()

    def _share(self, job: _Job, helpers: int) -> None:
        while len(self._wakes) < helpers:
            self._hire()
        self._job = job
        for wake in self._wakes[:helpers]:
            # One that has not yet seen the job before will see this one.
            if wake.locked():
                wake.release()
        try:
            job.work()
        except BaseException as problem:  # noqa: BLE001 - it is raised again below
            job.failure = job.failure or problem
        while True:
            try:
                job.finish()
                break
            except KeyboardInterrupt as interrupt:
                # The others still write to the caller's memory: let them finish what they have begun.
                job.failure = interrupt
        if job.failure is not None:
            raise job.failure

    def _hire(self) -> None:
        wake = threading.Lock()
        wake.acquire()
        self._wakes.append(wake)

        def serve() -> None:
            while True:
                wake.acquire()
                job = self._job
                if job is not None:
                    job.help()
                del job

        threading.Thread(target=serve, name=f"pellucid {len(self._wakes)}", daemon=True).start()


thread_pool = ThreadPool()
"""The thread pool of this process."""
