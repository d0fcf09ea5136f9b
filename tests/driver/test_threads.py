"""The thread pool: every band once, by more than one thread, whatever goes wrong."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest

from pellucid.driver.threads import ThreadPool, available, thread_pool


@pytest.mark.parametrize("count", [0, 1, 2, 7, 100, 1000])
@pytest.mark.parametrize("threads", [None, 1, 2, 5])
def test_every_band_is_run_once(count: int, threads: int | None):
    team, seen, lock = ThreadPool(), [], threading.Lock()

    def task(k: int) -> None:
        with lock:
            seen.append(k)

    team(count, task, threads)
    assert sorted(seen) == list(range(count))


def test_threads_work_side_by_side_and_the_caller_is_one_of_them():
    team = ThreadPool()
    meeting = threading.Barrier(3, timeout=20)
    who: set[int] = set()

    def task(_k: int) -> None:
        who.add(threading.get_ident())
        meeting.wait()

    team(3, task, 3)
    assert len(who) == 3
    assert threading.get_ident() in who


def test_no_more_threads_than_asked_for():
    team, who = ThreadPool(), set()
    team(200, lambda k: who.add(threading.get_ident()) or time.sleep(0.0005), 2)
    assert len(who) <= 2


def test_threads_stay():
    team, names = ThreadPool(), set()
    before = threading.active_count()
    for _ in range(50):
        team(8, lambda k: names.add(threading.current_thread().name), 3)
    assert threading.active_count() <= before + 2
    assert len(names) <= 3


def test_the_call_returns_when_all_is_done_and_not_before():
    team, done = ThreadPool(), []
    for _ in range(200):
        done.clear()
        team(6, lambda k: time.sleep(0.0002) or done.append(k), 4)
        assert len(done) == 6


@pytest.mark.parametrize("bad", [0, 3, 9])
def test_what_a_task_raises_is_raised_by_the_call(bad: int):
    team, ran = ThreadPool(), []

    def task(k: int) -> None:
        ran.append(k)
        if k == bad:
            raise ValueError(f"band {k}")

    with pytest.raises(ValueError, match=f"band {bad}"):
        team(10, task, 3)
    assert bad in ran
    again: list[int] = []
    team(10, again.append, 3)
    assert sorted(again) == list(range(10))


def test_a_call_within_a_task_runs_alone():
    team, seen = ThreadPool(), []
    team(4, lambda k: team(3, lambda m: seen.append((k, m)), 4), 4)
    assert sorted(seen) == [(k, m) for k in range(4) for m in range(3)]


def test_calls_from_several_threads_do_not_mix():
    team, results = ThreadPool(), {}

    def call(number: int) -> None:
        mine: list[int] = []
        for _ in range(30):
            mine.clear()
            team(20, mine.append, 3)
            assert sorted(mine) == list(range(20))
        results[number] = True

    callers = [threading.Thread(target=call, args=(k,)) for k in range(4)]
    for c in callers:
        c.start()
    for c in callers:
        c.join(60)
    assert results == dict.fromkeys(range(4), True)


def test_the_default_is_every_processor_that_may_be_used():
    assert available() >= 1
    if hasattr(os, "sched_getaffinity"):
        assert available() <= len(os.sched_getaffinity(0)) or hasattr(os, "process_cpu_count")


FORKED = """
import os, sys
from pellucid.driver.threads import thread_pool
seen = []
thread_pool(8, seen.append, 3)
assert sorted(seen) == list(range(8))
child = os.fork()
if child == 0:
    mine = []
    thread_pool(8, mine.append, 3)
    os._exit(0 if sorted(mine) == list(range(8)) else 1)
_, status = os.waitpid(child, 0)
thread_pool(8, seen.append, 3)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def test_a_forked_child_has_a_thread_pool_of_its_own():
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], timeout=60, check=False)
    assert done.returncode == 0


INTERRUPTED = """
import signal, threading, time
from pellucid.driver.threads import thread_pool
running = []
def task(k):
    running.append(k)
    try:
        time.sleep(0.3)
    finally:
        running.remove(k)
try:
    threading.Timer(0.45, lambda: signal.raise_signal(signal.SIGINT)).start()
    thread_pool(40, task, 3)
except KeyboardInterrupt:
    # Nothing may still be writing to the caller's memory.
    print("interrupted", running)
"""


def test_an_interrupt_waits_for_bands_that_have_begun():
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], timeout=60, check=True, capture_output=True, text=True
    )
    assert done.stdout == "interrupted []\n"


def test_the_shared_thread_pool_is_one():
    from pellucid.driver import threads

    assert threads.thread_pool is thread_pool
