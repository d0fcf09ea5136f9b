"""The boxes by themselves, each against a line of Python or of NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pellucid import signals as sg
from pellucid.base.errors import InputError, StagingError
from pellucid.signals.signal import joined, together


def words(*values: int) -> sg.Memory:
    return sg.Memory("words", 32, np.array(values, np.uint32))


def numbers(*values: int) -> sg.Signal:
    return sg.memory(words(*values), 0, 32 * len(values), 32, 32)


def unasked() -> sg.Signal:
    return sg.count()


def test_a_signal_has_the_four_functions_of_the_paper():
    memory = words(1, 2)
    signal = sg.memory(memory, 0, 64, 32, 32)
    assert sg.get(signal) == 1
    assert sg.get(sg.next(signal)) == 2
    assert [sg.endp(signal), sg.endp(sg.next(sg.next(signal)))] == [False, True]
    sg.put(sg.next(signal), 7)
    assert list(memory.data) == [1, 7]


def test_samples_have_any_size_stride_and_sign():
    memory = sg.Memory("m", 8, np.array([0x21, 0xF3, 0x80], np.uint8))
    assert sg.memory(memory, 4, 24, 4, 4).take(5) == [2, 3, 15, 0, 8]
    assert sg.memory(memory, 4, 24, 4, 4, signed=True).take(5) == [2, 3, -1, 0, -8]
    assert sg.memory(memory, 0, 24, 12, 12, signed=True).take(2) == [0x321, -0x7F1]


def test_signals_without_an_end_have_ended_so_that_others_decide():
    assert sg.endp(sg.constant(1) + sg.count()) is True
    finite = numbers(1, 2) + sg.count()
    assert sg.endp(finite) is False
    assert sg.reduce(finite, 0, lambda r, x: r + x) == 1 + 2 + 0 + 1


def test_delays_keep_the_length_and_drop_the_last():
    delayed = sg.delay1(numbers(5, 6, 7), 9)
    assert delayed.left() == 3
    assert delayed.take(3) == [9, 5, 6]
    with pytest.raises(InputError, match="the signal has 3 samples, not 4; take fewer"):
        delayed.take(4)


@pytest.mark.parametrize("length", [1, 2, 7, 127, 128, 129, 300])
def test_a_delay_line_is_as_many_delays(length: int):
    expected = [0.25] * length + [float(k) for k in range(20)]
    assert sg.delay(sg.count() * 1.0, length, 0.25).take(length + 20) == expected
    first = np.arange(length) / 8
    assert sg.delay(sg.count() * 1.0, length, first).take(length) == list(first)


def test_a_signal_taken_from_stays_as_it_is():
    line = sg.delay(sg.count(), 3, 0)
    assert line.take(6) == line.take(6) == [0, 0, 0, 0, 1, 2]


def test_scans_and_tiles():
    assert sg.scan(numbers(1, 2, 3), 10, lambda r, x: r * x).take(3) == [10, 20, 60]
    tiles = sg.sum_tile(1, numbers(1, 2, 3, 4, 5, 6), 3)
    assert tiles.left() == 2
    assert tiles.take(2) == [7, 16]


def test_a_filter_is_a_convolution():
    x = np.random.default_rng(1).integers(-99, 99, 40)
    kernel, prefix = [2, 5, 7, 5, 2], [1, 2, 3, 4, 5]
    data = sg.Memory("x", 16, x.astype(np.int16).view(np.uint16))
    found = sg.filter(sg.memory(data, 0, 16 * 40, 16, 16, signed=True), kernel, prefix).take(40)
    before = np.concatenate([prefix[::-1], x])
    assert found == list(np.convolve(before, kernel, "full")[4 : 4 + 40])


def test_oscillators_modulate_and_are_modulated():
    wave = np.round(100 * np.sin(np.arange(64) * np.pi / 32)).astype(np.int64)
    table = sg.Cells("wave", wave)
    phases = [5 * n >> 2 & 63 for n in range(50)]
    assert sg.fm_osc(sg.constant(5), 2, table, 6, sg.constant(0), 0).take(50) == [wave[p] for p in phases]
    y, expected = 0, []
    for p in phases:
        y = wave[(p + (int(y) >> 3)) & 63]
        expected.append(y)
    assert sg.wavrec(sg.constant(5), 2, table, 6, 3).take(50) == expected


def test_recursion_is_the_block_diagram():
    y = sg.rec(lambda y: sg.count() + sg.delay1(y, 0) * 2)
    expected = list(itertools.accumulate(range(10), lambda y, x: x + 2 * y))
    assert y.take(10) == expected
    # Two that lead to each other: Fibonacci's numbers.
    a, b = sg.rec(lambda a, b: (sg.delay1(b, 1), sg.delay1(a, 0) + sg.delay1(b, 1)))
    assert a.take(8) == [1, 1, 2, 3, 5, 8, 13, 21]
    assert (b - a).take(8) == [0, 1, 1, 2, 3, 5, 8, 13]


def test_what_is_wired_twice_is_computed_once():
    asked = []

    def square(x):
        asked.append(x)
        return x * x

    squares = sg.map(square, sg.count())
    total = squares + sg.delay1(squares, 0) + squares * sg.scan(squares, 0, lambda r, x: r + x)
    total.take(5)
    assert asked == [0, 1, 2, 3, 4]


def test_one_signal_at_two_moments_is_two_signals():
    s = sg.scan(numbers(3, 1, 4, 1, 5, 9), 0, lambda r, x: r + x)
    assert (s.next() - s).take(5) == [1, 4, 1, 5, 9]
    nodes, states = joined(s, s.next(), s)
    assert len(set(nodes)) == 2
    assert len(states) == 4


def test_several_signals_step_together():
    pair = together(sg.count(), sg.count(5) * 2)
    assert pair.take(2) == [(0, 10), (1, 12)]


def test_controls_and_noise():
    assert (sg.control("gain", 3) * sg.count()).take(3) == [0, 3, 6]
    loud = sg.noise(7).take(500)
    assert loud == sg.noise(7).take(500) != sg.noise(8).take(500)
    assert -1 <= min(loud) < -0.9 < 0.9 < max(loud) < 1
    assert abs(float(np.mean(loud))) < 0.1


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: sg.constant("loud"), "'loud' is not a signal; give a signal, or a number"),
        (lambda: sg.delay1(sg.count(), "x"), "a sample is 'x', and delay1 takes numbers"),
        (lambda: sg.scan(sg.count(), None, max), "a sample is None, and scan takes numbers"),
        (lambda: sg.sum_tile([], sg.count(), 2), "and sum_tile takes numbers"),
        (lambda: sg.control("gain", "loud"), "a sample is 'loud', and control takes numbers"),
        (lambda: sg.delay1(sg.count(), 1 << 63), "9223372036854775808 is not a number of 64 bits"),
        (lambda: sg.scan(sg.count(), 1 << 63, max), "9223372036854775808 is not a number of 64 bits"),
        (lambda: sg.control("gain", -(1 << 64)), "-18446744073709551616 is not a number of 64 bits"),
        (lambda: np.sin(sg.count()), "numpy.sin is asked of a signal; use pl.sin"),
        (
            lambda: sg.count() * np.zeros(3),
            "numpy.multiply is asked of a signal; .* and a Recording for an array",
        ),
        (lambda: sg.delay(sg.count(), 0), "delay: samples: 0 is not a whole number from 1 to 16777216"),
        (
            lambda: sg.delay(sg.count(), 2.5),
            "2.5 is not a whole number from 1 to 16777216; .* or use variable_delay",
        ),
        (lambda: sg.delay(sg.count(), True), "delay: samples: True is not a whole number"),
        (lambda: sg.delay(sg.count(), 3, [1, 2]), r"the first samples are \[1, 2\]; give one number, or 3"),
        (lambda: sg.delay(sg.count(), 1, "x"), "the first samples are 'x'"),
        (lambda: sg.sum_tile(0, sg.count(), 0), "a tile of 0 samples; give 1 or more"),
        (lambda: sg.sum_tile(0, sg.delay(sg.count(), 5, 0), 2), "put the delay behind the sum"),
        (lambda: sg.filter(sg.count(), [1, 2], [0]), "2 weights and 1 samples before the first"),
        (lambda: sg.filter(sg.count(), [], []), "give as many of both, and at least one"),
        (lambda: sg.rec(lambda y: y + 1), "a loop of the diagram has no delay"),
        (lambda: sg.rec(lambda a, b: (sg.delay1(b, 0), a + b)), "a loop of the diagram has no delay"),
        (lambda: sg.rec(lambda y: y.get()), "a sample is asked of a signal that is not whole yet"),
        (lambda: sg.rec(lambda a, b: a), "the body takes 2 signals and gives 1"),
        (lambda: sg.rec(unasked), "the body takes 0 signals and gives 1"),
        (lambda: sg.reduce(sg.count(), 0, lambda r, x: r + x), "the signal has no end"),
        (lambda: sg.put(sg.count(), 1), "a sample is put into a scan; only signals in memory"),
    ],
)
def test_what_cannot_be_wired_is_refused_in_a_sentence(make, why):
    with pytest.raises(InputError, match=why) as refused:
        make()
    assert "test_library.py" in str(refused.value)


def test_a_delay_line_is_not_at_two_moments():
    line = sg.delay(sg.count(), 3, 0)
    with pytest.raises(InputError, match="the delay line is needed at two different moments"):
        line + line.next()


def test_real_numbers_are_not_kept_among_integers():
    with pytest.raises(StagingError, match=r"0\.5 is stored among integers; begin with 0\.0"):
        sg.delay(sg.constant(0.5), 2, 0).take(3)
    with pytest.raises(StagingError, match="cells are a one-dimensional array of float64 or int64"):
        sg.Cells("x", np.zeros(0))
    with pytest.raises(InputError, match="word 9 is not in the memory squares of 9 words"):
        sg.lut(sg.Cells("squares", np.arange(9) ** 2), sg.count()).take(10)
