"""Interrupt polling: Ctrl-C ends a loop that would never end, whatever it computes."""

import faulthandler
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pellucid.backends.jit.polling import NEVER_STOP, POLL_FUNCTION, POLL_INTERVAL
from pellucid.backends.port import Backend, Code
from pellucid.ir.nest import Kernel
from pellucid.ir.parse import parse_nest

COUNTING = parse_nest("""
kernel counting(n: i64, step: i64, times: i32):
  output out: i64[4]
  alloc x: i64[1]:
    for k in 0 .. times:
      x[0:i64] := 0:i64
      while x[0:i64] != n:
        x[0:i64] := x[0:i64] + step
      out[k] := x[0:i64]
""")


@pytest.fixture(autouse=True)
def no_longer_than_two_minutes() -> Iterator[None]:
    # Nothing in Python could end a loop that does not ask.
    faulthandler.dump_traceback_later(120, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def run(code: Code, n: int, step: int, times: int = 1, kernel: Kernel = COUNTING) -> list[int]:
    out = np.zeros(4, np.int64)
    code.run({"n": n, "step": step, "times": times}, {kernel.outputs[0]: out})
    return out.tolist()


def press(after: float = 0.2) -> None:
    threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT)).start()


def test_a_loop_that_never_ends_is_interrupted_and_the_code_runs_again(compiling_backend: Backend):
    code = compiling_backend.compile(COUNTING, {})
    for times in (1, 1 << 30):
        press()
        with pytest.raises(KeyboardInterrupt):
            run(code, 1, 0, times)
        assert run(code, 10, 2, 3) == [10, 10, 10, 0]


def test_whatever_the_handler_raises_is_raised(compiling_backend: Backend):
    def handler(*_: object) -> None:
        raise TimeoutError("enough")

    code = compiling_backend.compile(COUNTING, {})
    before = signal.signal(signal.SIGINT, handler)
    try:
        press()
        with pytest.raises(TimeoutError, match="enough"):
            run(code, 1, 0)
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_handler_that_raises_nothing_ends_nothing(compiling_backend: Backend):
    heard: list[int] = []
    code = compiling_backend.compile(COUNTING, {})
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        press(0.02)
        assert run(code, 500 * POLL_INTERVAL, 1) == [500 * POLL_INTERVAL, 0, 0, 0]
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [signal.SIGINT]


@pytest.mark.parametrize(
    "turns", [0, 1, POLL_INTERVAL - 1, POLL_INTERVAL, POLL_INTERVAL + 1, 3 * POLL_INTERVAL]
)
def test_asking_changes_nothing(compiling_backend: Backend, turns: int):
    code = compiling_backend.compile(COUNTING, {})
    assert run(code, turns, 1) == [turns, 0, 0, 0]
    with ThreadPoolExecutor(3) as threads:
        assert [*threads.map(lambda n: run(code, n, 1)[0], [turns, turns + 1, turns])] == [
            turns,
            turns + 1,
            turns,
        ]


def test_threads_of_a_pool_go_on():
    assert POLL_FUNCTION(NEVER_STOP)() == 0
