"""Worker threads: asleep and awake, they take bands that machine code hands out."""

import os
import threading
import time

import numpy as np
import pytest
from tests.systems import linux

import pellucid as pl
from pellucid import images as im
from pellucid.backends.jit.workers import keep_away


def test_workers_that_have_gone_to_sleep_take_part_again():
    kernel = pl.compile(im.swirl(20, im.checkerboard(5, im.red, im.blue)))
    alone = kernel.render((130, 97), threads=1)
    for pause in (0.0, 0.03, 0.0, 0.1):
        time.sleep(pause)
        assert np.array_equal(kernel.render((130, 97), threads=3), alone)


@pytest.fixture
def idle():
    """A thread that does nothing."""
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    yield thread
    end.set()
    thread.join()


@linux
def test_a_thread_is_kept_away_from_the_caller_and_nobody_else_is_bound(idle: threading.Thread):
    before = os.sched_getaffinity(0)
    keep_away([idle])
    found = os.sched_getaffinity(idle.native_id or 0)
    assert found <= before
    assert len(found) >= max(1, len(before) - 1)
    assert os.sched_getaffinity(0) == before


@linux
def test_on_one_processor_there_is_nowhere_to_go(idle: threading.Thread):
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        keep_away([idle])
        assert os.sched_getaffinity(idle.native_id or 0) == before
    finally:
        os.sched_setaffinity(0, before)


def test_a_thread_that_has_ended_does_no_harm():
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    keep_away([thread])
