"""Calls of compiled streams: what is found once for a number of samples, and what small calls are spared."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pellucid.backends.jit.workers import WorkerPool
from pellucid.backends.port import Calling
from pellucid.base.errors import InputError
from pellucid.driver import streams
from pellucid.driver.streams import MIN_THREAD_BYTES, PARTS_PER_THREAD, compile_stream
from pellucid.ir.stream import Samples, run
from pellucid.staging import stream

RANDOM = np.random.default_rng(5)
ONE_MORE = stream(lambda x: x + 1, [Samples(1, 0, 8, 8)], [Samples(0, 0, 8, 8)])
TOTALS = stream(lambda x, y: (x, x - y), [Samples(0, 0, 12, 12), Samples(1, 0, 8, 8)])
WORDS = stream(lambda x: x * 3, [Samples(1, 8, 10, 16)], [Samples(0, 8, 16, 16)])


def noise(size: int) -> np.ndarray:
    return RANDOM.integers(0, 256, size, dtype=np.uint8)


@pytest.fixture
def handed_out(monkeypatch):
    """The spans that worker threads are given."""
    found: list[tuple[int, int, int]] = []
    real = WorkerPool.__call__

    def spy(self, code, params, buffers, sizes, span, threads=None):
        found.append(span)
        real(self, code, params, buffers, sizes, span, threads)

    monkeypatch.setattr(WorkerPool, "__call__", spy)
    return found


def test_calls_of_the_same_size_are_prepared_once(monkeypatch):
    made: list[int] = []
    real = streams.PreparedCall

    def spy(code, arguments, threads, parts):
        made.append(arguments["count"])
        return real(code, arguments, threads, parts)

    def unasked(self, memory, proved=None):
        raise AssertionError("buffers that a stream has checked are checked again")

    monkeypatch.setattr(streams, "PreparedCall", spy)
    monkeypatch.setattr(Calling, "located", unasked)
    code = compile_stream(ONE_MORE)
    for count in (100, 100, 70, 70, 100):
        given, out = noise(100), np.zeros(100, np.uint8)
        code([out, given], count)
        assert (out[:count] == given[:count] + np.uint8(1)).all()
        assert not out[count:].any()
    assert made == [100, 70, 100]


def test_sizes_are_those_of_each_call():
    code = compile_stream(ONE_MORE)
    code([np.zeros(100, np.uint8), noise(100)], 100)
    with pytest.raises(InputError, match="buffer 1: has 99 bytes where 100 are needed"):
        code([np.zeros(100, np.uint8), noise(99)], 100)
    with pytest.raises(InputError, match="-1 samples; give a number from 0 on"):
        code([np.zeros(100, np.uint8), noise(100)], -1)


def test_few_bytes_are_done_by_the_calling_thread(handed_out):
    code, size = compile_stream(ONE_MORE), 2 * MIN_THREAD_BYTES
    out = np.zeros(size, np.uint8)
    code([out, noise(size)], size - 1, threads=2)
    assert not handed_out
    code([out, noise(size)], size, threads=2)
    assert len(handed_out) == 1


@pytest.mark.parametrize("program", [ONE_MORE, TOTALS])
def test_threads_are_handed_few_parts(handed_out, program):
    code, size = compile_stream(program), 8 * MIN_THREAD_BYTES
    buffers = [noise(size + size // 2), noise(size)]
    found = [b.copy() for b in buffers]
    assert code(found, size, threads=2) == run(program, buffers, size)
    assert (found[0] == buffers[0]).all()
    ((begin, end, step),) = handed_out
    assert 2 <= -(-(end - begin) // step) <= 2 * PARTS_PER_THREAD


def test_sums_take_two_calls_of_machine_code():
    code = compile_stream(TOTALS)
    steps = code._unmoved.code.calling.bands
    assert [band is not None for band in steps] == [True, False]


def test_calls_at_once_have_memory_of_their_own():
    code, count = compile_stream(TOTALS), 3000
    given = [[noise(4500), noise(3000)] for _ in range(8)]
    expected = [run(TOTALS, buffers, count) for buffers in given]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(20):
            assert list(pool.map(lambda buffers: code(buffers, count), given)) == expected


@pytest.mark.parametrize("backend", ["llvm", "c", "numpy"])
def test_words_may_begin_anywhere(backend):
    code = compile_stream(WORDS, backend=backend)
    for begin in range(3):
        first = [noise(411)[begin:], noise(411)[begin:]]
        second = [b.copy() for b in first]
        assert code(first, 200) == run(WORDS, second, 200) == ()
        assert all((a == b).all() for a, b in zip(first, second, strict=True))
