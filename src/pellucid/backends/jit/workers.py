"""Worker threads: a native pool that takes bands of a kernel without Python in between.

A frame lasts half a millisecond, and waking a thread or passing the interpreter's lock around costs a tenth of that.
So bands are handed out by machine code: one word holds the number of the job and how many of its bands are left, and
the thread that takes one off runs it. A worker that finds none left looks again for a moment before it goes to sleep.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import struct
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np

from .engine import machine
from .host import store

# Words of the control block; those that several processors write to are a cache line apart.
WORD, DONE, CLOSING, ALLOWED, JOB = 0, 8, 16, 17, 24
LOOKS = 20_000
"""Looks for work of an idle worker before it sleeps: some tenths of a millisecond."""
AT_ONCE = 8
"""Bands that the calling thread runs before it lets Python handle signals; that many times more ..."""
SHORT_BATCH = 1e-3
"""... where they took less than this many seconds."""

_TEXT = """
declare i64 @llvm.smin.i64(i64, i64)
define void @publish(ptr %control, i64 %word, i64 %allowed) {{
  %done = getelementptr i64, ptr %control, i64 {DONE}
  store atomic i64 0, ptr %done monotonic, align 8
  %allowed.at = getelementptr i64, ptr %control, i64 {ALLOWED}
  store atomic i64 %allowed, ptr %allowed.at monotonic, align 8
  store atomic i64 %word, ptr %control release, align 8
  ret void
}}
define i64 @work(ptr %control, i64 %limit) {{
entry:
  br label %take
take:
  %n = phi i64 [ 0, %entry ], [ %more, %run ]
  %full = icmp sge i64 %n, %limit
  br i1 %full, label %out, label %look
look:
  %first = load atomic i64, ptr %control acquire, align 8
  br label %try
try:
  %word = phi i64 [ %first, %look ], [ %seen, %swap ]
  %left = and i64 %word, 4294967295
  %none = icmp eq i64 %left, 0
  br i1 %none, label %out, label %swap
swap:
  %less = sub i64 %word, 1
  %result = cmpxchg ptr %control, i64 %word, i64 %less acq_rel acquire
  %seen = extractvalue {{ i64, i1 }} %result, 0
  %mine = extractvalue {{ i64, i1 }} %result, 1
  br i1 %mine, label %run, label %try
run:
  %job = getelementptr i64, ptr %control, i64 {JOB}
  %code = load ptr, ptr %job, align 8
  %params.at = getelementptr i64, ptr %job, i64 1
  %params = load ptr, ptr %params.at, align 8
  %buffers.at = getelementptr i64, ptr %job, i64 2
  %buffers = load ptr, ptr %buffers.at, align 8
  %sizes.at = getelementptr i64, ptr %job, i64 3
  %sizes = load ptr, ptr %sizes.at, align 8
  %count.at = getelementptr i64, ptr %job, i64 4
  %count = load i64, ptr %count.at, align 8
  %begin.at = getelementptr i64, ptr %job, i64 5
  %low.of.all = load i64, ptr %begin.at, align 8
  %end.at = getelementptr i64, ptr %job, i64 6
  %end = load i64, ptr %end.at, align 8
  %step.at = getelementptr i64, ptr %job, i64 7
  %step = load i64, ptr %step.at, align 8
  %k = sub i64 %count, %left
  %skipped = mul i64 %k, %step
  %low = add i64 %low.of.all, %skipped
  %after = add i64 %low, %step
  %high = call i64 @llvm.smin.i64(i64 %after, i64 %end)
  call void %code(ptr %params, ptr %buffers, ptr %sizes, i64 %low, i64 %high)
  %done = getelementptr i64, ptr %control, i64 {DONE}
  %before = atomicrmw add ptr %done, i64 1 acq_rel
  %more = add i64 %n, 1
  br label %take
out:
  ret i64 %n
}}
define i64 @wait(ptr %control, i64 %target, i64 %looks) {{
entry:
  %done = getelementptr i64, ptr %control, i64 {DONE}
  br label %look
look:
  %n = phi i64 [ 0, %entry ], [ %more, %rest ]
  %now = load atomic i64, ptr %done acquire, align 8
  %enough = icmp sge i64 %now, %target
  br i1 %enough, label %yes, label %rest
rest:
  {PAUSE}
  %more = add i64 %n, 1
  %late = icmp sge i64 %more, %looks
  br i1 %late, label %no, label %look
yes:
  ret i64 1
no:
  ret i64 0
}}
define void @serve(ptr %control, i64 %looks, i64 %me) {{
entry:
  %closing.at = getelementptr i64, ptr %control, i64 {CLOSING}
  %allowed.at = getelementptr i64, ptr %control, i64 {ALLOWED}
  br label %look
look:
  %n = phi i64 [ 0, %entry ], [ 0, %run ], [ %more, %rest ]
  %word = load atomic i64, ptr %control acquire, align 8
  %left = and i64 %word, 4294967295
  %some = icmp ne i64 %left, 0
  %allowed.now = load atomic i64, ptr %allowed.at monotonic, align 8
  %wanted = icmp slt i64 %me, %allowed.now
  %go = and i1 %some, %wanted
  br i1 %go, label %run, label %rest
run:
  %ran = call i64 @work(ptr %control, i64 9223372036854775807)
  br label %look
rest:
  {PAUSE}
  %more = add i64 %n, 1
  %closing = load atomic i64, ptr %closing.at monotonic, align 8
  %stop = icmp ne i64 %closing, 0
  %late = icmp sge i64 %more, %looks
  %leave = or i1 %stop, %late
  br i1 %leave, label %out, label %look
out:
  ret void
}}
define i64 @begin(ptr %control, i64 %word, i64 %allowed) {{
entry:
  %count = and i64 %word, 4294967295
  call void @publish(ptr %control, i64 %word, i64 %allowed)
  %ran = call i64 @work(ptr %control, i64 {AT_ONCE})
  %full = icmp sge i64 %ran, {AT_ONCE}
  br i1 %full, label %more, label %rest
more:
  ret i64 0
rest:
  %done = call i64 @wait(ptr %control, i64 %count, i64 {LOOKS})
  ret i64 %done
}}
define i64 @cancel(ptr %control) {{
  %word = atomicrmw and ptr %control, i64 -4294967296 acq_rel
  %left = and i64 %word, 4294967295
  ret i64 %left
}}
"""
_NUMBER, _PLACE = ctypes.c_int64, ctypes.c_void_p
_JOB = struct.Struct("8q")
_SIGNATURES = {
    "publish": (None, _PLACE, _NUMBER, _NUMBER),
    "work": (_NUMBER, _PLACE, _NUMBER),
    "wait": (_NUMBER, _PLACE, _NUMBER, _NUMBER),
    "serve": (None, _PLACE, _NUMBER, _NUMBER),
    "begin": (_NUMBER, _PLACE, _NUMBER, _NUMBER),
    "cancel": (_NUMBER, _PLACE),
}


@cache
def worker_pool(size: int) -> WorkerPool:
    """The worker pool of this process."""
    return WorkerPool(size)


def _pause(triple: str) -> tuple[str, str]:
    """The instruction that tells a processor that it waits: a declaration and a call."""
    if triple.startswith(("x86", "i386", "i686")):
        return "declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"
    if triple.startswith(("aarch64", "arm64")):
        return "declare void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"
    return "", ""


class WorkerPool:
    """Runs all bands of a call: ``pool(code, params, buffers, sizes, span, threads)``; `size` threads by default."""

    def __init__(self, size: int) -> None:
        self.size = size
        this = machine()
        names = {"DONE": DONE, "CLOSING": CLOSING, "ALLOWED": ALLOWED, "JOB": JOB}
        names |= {"AT_ONCE": AT_ONCE, "LOOKS": LOOKS}
        declaration, pause = _pause(this.triple)
        text = declaration + _TEXT.format(PAUSE=pause, **names)
        self._calls = this.kept(text, lambda: text, store(), lambda code: this.functions(code, _SIGNATURES))
        self._begin = self._calls["begin"]
        self._reset()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._reset)
        atexit.register(self._close)

    def _reset(self) -> None:
        # The threads of a parent process do not exist in its child, and its locks may be held forever.
        self._busy = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._wakes: list[threading.Lock] = []
        self._asleep: list[bool] = []
        self._control = np.zeros(32, np.int64)
        self._view = self._control.data
        self._place = int(self._control.__array_interface__["data"][0])
        self._number = 0

    def _close(self) -> None:
        """Let no thread run machine code while the process ends."""
        self._control[CLOSING] = 1
        for _ in range(100):
            if all(self._asleep):
                break
            time.sleep(1e-4)

    def __call__(
        self,
        code: Any,
        params: int,
        buffers: int,
        sizes: int,
        span: tuple[int, int, int],
        threads: int | None = None,
    ) -> None:
        """Run all bands of a span (begin, end, step) and return when all are done; the caller's thread takes part.

        A call while another one is running runs alone. Ctrl-C is raised once the bands that have begun are done.
        """
        begin, end, step = span
        count = -(-(end - begin) // step)
        helpers = min(self.size if threads is None else threads, count) - 1
        if helpers < 1 or not self._busy.acquire(blocking=False):
            for low in range(begin, end, step) or (begin,):
                code(params, buffers, sizes, low, min(low + step, end))
            return
        try:
            while len(self._wakes) < helpers:
                self._hire()
            address = getattr(code, "address", None)
            if address is None:
                address = code.address = ctypes.cast(code, _PLACE).value or 0
            _JOB.pack_into(self._view, 8 * JOB, address, params, buffers, sizes, count, begin, end, step)
            self._number = (self._number + 1) & 0x7FFFFFFF
            self._share(self._number << 32 | count, count, helpers)
        finally:
            self._busy.release()

    def _share(self, word: int, count: int, helpers: int) -> None:
        place, calls, asleep = self._place, self._calls, self._asleep
        target, done = count, False
        try:
            # Nobody to be woken: one call does it all. Who falls asleep just now misses this job, and no more.
            if True not in (asleep if len(asleep) == helpers else asleep[:helpers]):
                done = self._begin(place, word, helpers)
                if done:
                    return
            else:
                calls["publish"](place, word, helpers)
            began, many = time.perf_counter(), AT_ONCE
            sleepers = [k for k in range(helpers) if asleep[k] and self._wakes[k].locked()]
            if sleepers:
                keep_away([self._threads[k] for k in sleepers])
            for k in sleepers:
                # One that has seen the work meanwhile may have left its lock open.
                asleep[k] = False
                self._wakes[k].release()
            while True:
                now = time.perf_counter()
                if now - began < SHORT_BATCH:
                    many *= AT_ONCE
                if calls["work"](place, many) < many:
                    break
                began = now
        except BaseException:
            # The others still write to the caller's memory: let them finish what they have begun.
            target = count - calls["cancel"](place)
            raise
        finally:
            while not done and not calls["wait"](place, target, LOOKS):
                time.sleep(0)

    def _hire(self) -> None:
        wake = threading.Lock()
        wake.acquire()
        me = len(self._wakes)
        self._wakes.append(wake)
        self._asleep.append(False)
        control, place, asleep, serve = self._control, self._place, self._asleep, self._calls["serve"]

        def work() -> None:
            while True:
                serve(place, LOOKS, me)
                # Whoever publishes looks at this flag afterwards, so work that comes just now is not missed.
                asleep[me] = True
                if control[WORD] & 0xFFFFFFFF and me < control[ALLOWED] and not control[CLOSING]:
                    asleep[me] = False
                    continue
                wake.acquire()

        thread = threading.Thread(target=work, name=f"pellucid worker {me + 1}", daemon=True)
        self._threads.append(thread)
        thread.start()


@cache
def _processor() -> Callable[[], int] | None:
    """The function of the system that tells on which processor the calling thread runs, if it has one."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    return getattr(ctypes.CDLL(None), "sched_getcpu", None)


def keep_away(threads: Sequence[threading.Thread]) -> None:
    """Bid threads that are about to wake run on other processors than the calling thread.

    Left alone, a system may wake them on the very processor of the caller, and it takes several frames until it
    notices that two busy threads share one while another one is idle.
    """
    where = _processor()
    if where is None:
        return
    others = os.sched_getaffinity(0) - {where()}
    for thread in threads if others else ():
        # The thread may just have ended with its process, and a sandbox may forbid the call: all it costs is time.
        with suppress(OSError):
            os.sched_setaffinity(thread.native_id or 0, others)
