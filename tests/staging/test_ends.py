"""How loops end: the residual program does what the program does, and refuses what it refuses, ragged ends included."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tests.turns import fewer

from pellucid import signals as sg
from pellucid.base.errors import InputError
from pellucid.driver.program import compile_program
from pellucid.staging import Memory, cyclic, lift, loop, require, specialize, unknown

from .programs import words

SUM = {
    "plain": lambda s: sg.reduce(s, 0, lambda r, x: r + x),
    "tiles": lambda s: sg.reduce(sg.sum_tile(0, s, 3), 0, lambda r, x: r * 2 + x),
    "pairs": lambda s: sg.reduce(s.next() + s, 0, lambda r, x: r + x),
}


def outcome(call, *arguments, **named):
    """What a call returns, or the kind of its refusal."""
    try:
        return call(*arguments, **named)
    except InputError as error:
        return type(error) if error.place and error.fix else error


@settings(max_examples=fewer(40), deadline=None)
@given(
    st.sampled_from(sorted(SUM)),
    st.sampled_from([8, 16, 32]),
    st.integers(1, 12),
    st.integers(0, 6),
    st.integers(-2, 14),
    st.sampled_from([1, 8, 32]),
)
@example("plain", 32, 12, 0, 7, 32)  # 224 bits are not a whole number of samples of twelve
@example("tiles", 8, 8, 0, 16, 8)
def test_ragged_ends_are_refused_alike(how, word, stride, start, length, known):
    assume(start + length >= 0)

    def program(memory, start, stop):
        return SUM[how](sg.memory(memory, start, stop, min(stride, 12), stride))

    data = words(32 * 24 // word, 3, word)
    residual = outcome(specialize, program, Memory("m", word), start * known, cyclic(known, "stop"))
    if residual is InputError:
        assert (
            outcome(program, Memory("m", word, data), start * known, (start + length) * known) is InputError
        )
        return
    stop = start + length
    expected = outcome(program, Memory("m", word, data), start * known, stop * known)
    arrays = {"m": data} if residual.memories else {}
    for run in (residual, compile_program(residual)):
        assert outcome(run, arrays, stop=stop) == expected
    if length * known % stride or length < 0:
        assert expected is InputError


def test_signals_of_different_length_are_refused():
    def program(memory, first, second):
        return SUM["plain"](sg.memory(memory, 0, first, 8, 8) + sg.memory(memory, 0, second, 8, 8))

    residual = specialize(program, Memory("m"), cyclic(32, "first"), cyclic(32, "second"))
    code = compile_program(residual)
    data = words(8)
    for first, second in ((3, 3), (3, 4), (4, 3), (0, 1)):
        plain = outcome(program, Memory("m", 32, data), 32 * first, 32 * second)
        assert outcome(residual, {"m": data}, first=first, second=second) == plain
        assert outcome(code, {"m": data}, first=first, second=second) == plain
        assert (plain is InputError) == (first != second)


@settings(max_examples=fewer(60), deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["<", "<=", ">", ">="]), st.integers(1, 3)), min_size=1, max_size=3),
    st.lists(st.integers(-9, 9), min_size=6, max_size=6),
)
def test_loops_that_end_by_order_leave_what_python_leaves(tests, numbers):
    # Each test is about a state of its own, which moves towards the end.
    begins, ends = numbers[: len(tests)], numbers[3 : 3 + len(tests)]
    compare = {
        "<": lambda a, b: b < a, "<=": lambda a, b: b <= a, ">": lambda a, b: a < b, ">=": lambda a, b: a <= b,
    }  # fmt: skip

    def program(begins, ends):
        def done(*state):
            found = True
            for (name, _), x, end in zip(tests, state, ends, strict=True):
                found = compare[name](x, end) & found
            return found

        def step(*state):
            moved = [x + d if name[0] == "<" else x - d for (name, d), x in zip(tests, state, strict=True)]
            return moved[0] if len(moved) == 1 else tuple(moved)

        return loop(done, step, *map(lift, begins))

    residual = specialize(program, [unknown(f"b{k}") for k in range(len(tests))],
                          [unknown(f"e{k}") for k in range(len(tests))])  # fmt: skip
    given_ = {f"b{k}": b for k, b in enumerate(begins)} | {f"e{k}": e for k, e in enumerate(ends)}
    assert residual(**given_) == compile_program(residual)(**given_) == program(begins, ends)


def test_a_program_states_its_conditions_once():
    def program(n):
        require(n >= 2, "the number is too small", place="halves", fix="give 2 or more")
        return n // 2

    residual = specialize(program, unknown("n"))
    for run in (program, residual, compile_program(residual)):
        assert run(n=9) == 4
        with pytest.raises(InputError, match="halves: the number is too small; give 2 or more"):
            run(n=1)
    with pytest.raises(InputError, match="too small"):
        specialize(program, 1)


def test_the_first_fault_is_told_and_other_calls_are_not_touched():
    def program(n):
        require(n >= 2, "the number is too small", place="first", fix="give 2 or more")
        require(n % 2 == 0, "the number is odd", place="second", fix="give an even one")
        return loop(lambda i: i == n, lambda i: i + 2, lift(0))

    residual = compile_program(specialize(program, unknown("n")))
    with pytest.raises(InputError, match="too small"):
        residual(n=-3)
    with pytest.raises(InputError, match="odd"):
        residual(n=5)
    assert residual(n=6) == 6


def test_tiles_of_a_recording_end_in_silence():
    recording = sg.Recording(np.full(7, 0.5, np.float32), "pcm_f32le")
    tiles = sg.sum_tile(0.0, recording.channels[0], 3)
    assert tiles.left() == 3
    assert tiles.take(3) == [1.5, 1.5, 0.5]
    assert sg.samples(tiles, frames=3)[:, 0].tolist() == [1.5, 1.5, 0.5]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("word", [8, 32])
@pytest.mark.parametrize("stride", [1, 5, 8, 12])
def test_an_end_that_is_known_beside_one_that_is_not(word, stride):
    def program(memory, out, start, stop):
        ends = 40, 40 + 8 * stride
        both = sg.memory(memory, *ends, 1, stride) + sg.memory(memory, start, stop, 1, stride)
        sg.copy(both, sg.memory(out, *ends, 1, stride))
        return SUM["plain"](sg.memory(memory, start, stop, 1, stride) + sg.memory(memory, *ends, 1, stride))

    data = words(20 * 32 // word, 3, word)
    for known in (True, False):
        first = 40 if known else cyclic(8, "start")
        residual = specialize(program, Memory("m", word), Memory("out", word), first, cyclic(8, "stop"))
        for stop in (5 + stride, 4 + stride, 5):
            found, plain = np.zeros_like(data), np.zeros_like(data)
            expected = outcome(program, Memory("m", word, data), Memory("out", word, plain), 40, 8 * stop)
            named = {"stop": stop} if known else {"start": 5, "stop": stop}
            assert outcome(residual, {"m": data, "out": found}, **named) == expected
            assert expected is InputError or (found == plain).all()
            assert (expected is InputError) == (stop != 5 + stride)
