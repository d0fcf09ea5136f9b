"""What cannot be specialized, bound or joined is refused in one sentence that names the place and the way out."""

from __future__ import annotations

import random
import re
import time

import numpy as np
import pytest

from pellucid import signals as sg
from pellucid.base.errors import InputError, StagingError
from pellucid.driver.program import compile_program
from pellucid.staging import (
    Memory,
    Samples,
    choose,
    cyclic,
    fork,
    lift,
    load_sample,
    loop,
    set_base,
    specialize,
    stream,
    unknown,
    value,
)
from pellucid.staging.folding import node

from .programs import words


def swapped(x):
    return choose(x == 1, lambda: (1, 2), lambda: (1, 2, 3))


def worded(x):
    return choose(x == 1, lambda: "yes", lambda: "no")


def uneven(x):
    return loop(lambda a, b: a == x, lambda a, b: a + 1, lift(0), 5)


def scalar(x):
    return loop(lambda a, b: a == x, lambda a, b: (a + 1, b, 3), lift(0), 5)


def growing(x):
    return loop(lambda a, path: a == x, lambda a, path: (a + 1, path + 2), lift(0), 5)


def endless(x):
    return loop(lambda a, n: n < 0, lambda a, n: (a * x, n + 1), x, 0)


def stepped_over(x):
    return loop(lambda a: a == 8 * x + 3, lambda a: a + 2, 8 * x)


def twice(x):
    return Memory("m").load(x) + Memory("m", 16).load(x)


@pytest.mark.parametrize(
    ("program", "why", "fix"),
    [
        (swapped, "the arms of a choice give structures of different shape", ""),
        (worded, "the arms of a choice give 'yes' and 'no'", "go on in each arm with fork"),
        (uneven, "a step of a loop over 2 values returns a + 1|returns .*", "return as many"),
        (scalar, "a step of a loop over 2 values returns", "return as many"),
        (growing, r"64 variants\): path goes on as 5, 7, 9, 11", r"lift\(path\)"),
        (endless, r"4096 turns without a test at run time\): n goes on as 0, 1, 2, 3", r"lift\(n\)"),
        (stepped_over, "the loop never ends", "let its test become true"),
        (twice, "m: two memories have this name", "rename one"),
    ],
)
def test_a_program_that_cannot_be_specialized_is_refused(program, why, fix):
    with pytest.raises(StagingError, match=why) as refused:
        specialize(program, unknown("x"))
    assert re.search(fix, str(refused.value))
    assert refused.value.place is not None


@pytest.mark.parametrize("word", [0, 33])
def test_a_word_has_one_to_thirty_two_bits(word):
    with pytest.raises(StagingError, match=f"a word has 1 to 32 bits, not {word}"):
        Memory("m", word)


@pytest.mark.parametrize("data", [np.zeros(4, np.uint8), np.zeros((2, 2), np.uint32)])
def test_data_are_words(data):
    with pytest.raises(StagingError, match="m: data is not a one-dimensional array of u32"):
        Memory("m", 32, data)


def test_unstaged_programs_need_data():
    with pytest.raises(StagingError, match="the memory m has no data") as refused:
        Memory("m").load(0)
    assert "test_refusals.py" in str(refused.value)


def copied():
    return specialize(lambda a, b, p: b.store(p, a.load(p)), Memory("a"), Memory("b"), unknown("p"))


@pytest.mark.parametrize(
    ("arrays", "why"),
    [
        ({"c": words(4)}, "no memory is called 'c'; it has b, a|it has a, b"),
        ({"a": words(4)}, "memory b: is missing"),
        ({"a": words(4).astype(np.uint8)}, "memory a: is not a one-dimensional array of u32"),
        ({"a": words(4).reshape(2, 2)}, "memory a: is not a one-dimensional array of u32"),
        ({"a": words(4), "b": None}, "the memories a and b overlap"),
    ],
)
def test_a_call_is_checked(arrays, why):
    if arrays.get("b", 0) is None:
        arrays = {"a": arrays["a"], "b": arrays["a"][1:]}
    with pytest.raises(InputError, match=why):
        copied()(arrays, p=0)


def test_memories_that_are_only_read_may_be_one_array():
    program = specialize(lambda a, b, p: a.load(p) * b.load(p + 1), Memory("a"), Memory("b"), unknown("p"))
    data = words(4)
    expected = int(data[1]) * int(data[2])
    assert program({"a": data, "b": data}, p=1) == compile_program(program)({"a": data, "b": data}, p=1)
    assert program({"a": data, "b": data}, p=1) == program({"a": data, "b": data.copy()}, p=1) == expected


@pytest.mark.parametrize("by", [-1, 4097, 10**9, -(10**30)])
def test_a_static_shift_has_a_bound(by):
    for program in (lambda x: x << by, lambda x: x >> by):
        with pytest.raises(StagingError, match=r"an integer is shifted by .*shift by 0 to 4096") as refused:
            specialize(program, unknown("x"))
        assert "test_refusals.py" in str(refused.value.place)
    assert specialize(lambda x: (x << 4096) + (x >> 4096), unknown("x"))(x=7) == 0


def test_out_of_the_memory_nothing_is_stored():
    def program(memory, p):
        memory.store(p, 7)
        return memory.load(p + 1)

    residual = specialize(program, Memory("m"), unknown("p"))
    for p in (-3, -1, 4, 9):
        found = words(4)
        assert residual({"m": found}, p=p) in words(4)
        assert (found == words(4)).all()
        with pytest.raises(InputError, match=f"word {p} is not in the memory m of 4 words"):
            program(Memory("m", 32, found), p)


def test_cases_that_never_end_are_refused_and_noted():
    def program(memory, start, stop):
        def step(p):
            memory.store(p // 32, 1, 1)
            return p + 16

        return loop(lambda p: p == stop, step, start)

    residual = specialize(program, Memory("m"), cyclic(8, "start"), cyclic(32, "stop"))
    assert any("would never end; there it is refused" in note for note in residual.notes)
    data = words(4)
    with pytest.raises(
        InputError, match="the loop never ends with these arguments: its test is stepped over"
    ):
        residual({"m": data}, start=1, stop=2)
    assert residual({"m": data.copy()}, start=4, stop=3) == 96
    assert (data == words(4)).all()


def test_a_stream_is_computed_from_its_samples_alone():
    memory = Memory("m")
    layout = [Samples(1, 0, 8, 8)], [Samples(0, 0, 8, 8)]
    for program in (memory.load, lambda x: loop(lambda i: i == x, lambda i: i + 1, lift(0))):
        with pytest.raises(StagingError, match="without loops and memory"):
            stream(program, *layout)
    chosen = stream(lambda x: choose(x > 9, lambda: x * 2, lambda: 0), *layout)
    assert [n.op for n in chosen.values] == ["choose"]


def unrolled(count):
    """A program of so many turns that are all known, each with a sample that is not."""
    return lambda memory: loop(
        lambda p, r: p == 12 * count, lambda p, r: (p + 12, r + load_sample(memory, p, 12)), 0, 0
    )


def test_work_grows_with_the_turns_and_not_faster(monkeypatch):
    made = []

    def counted(*args, **named):
        made.append(args[0])
        return node(*args, **named)

    monkeypatch.setattr(value, "node", counted)

    def work(count):
        made.clear()
        specialize(unrolled(count), Memory("m"))
        return len(made)

    assert work(400) < 2.2 * work(200)


def test_a_sum_of_many_samples_is_the_same_sum():
    data = words(200)
    residual = specialize(unrolled(400), Memory("m"))
    assert residual({"m": data}) == unrolled(400)(Memory("m", 32, data))


def test_a_static_loop_that_never_ends_names_what_grows():
    with pytest.raises(StagingError, match=r"4096 turns.*: p goes on as 0, 12, 24, 36; .*lift\(p\)"):
        specialize(unrolled(5000), Memory("m"))
    with pytest.raises(InputError, match="not a whole number of strides"):
        specialize(lambda m: sg.reduce(sg.memory(m, 0, 100, 12, 12), 0, max), Memory("m"))


def counting(turn):
    """A program that turns for ever, with a number that is known, and does something in each turn."""
    return lambda x: loop(lambda n, rest: n < 0, lambda n, rest: (n + 1, turn(n, rest, x)), 0, x)


def inner(n, rest, x):
    return loop(lambda k, b: k == 100, lambda k, b: (k + 1, b * 3 + x), 0, rest)[1]


def branching(x):
    return loop(
        lambda n, a: n < 0, lambda n, a: fork(a > n, lambda: (n + 1, a + 1), lambda: (n + 2, a)), 0, x
    )


def squared(x):
    return loop(lambda n, k: n < 0, lambda n, k: (n * n, k + x), 3, x)


def wide(x):
    return loop(lambda *s: s[0] < 0, lambda *s: tuple(a + 1 for a in s), *([0] * 200))


def structured(x):
    return loop(lambda n, d: n < 0, lambda n, d: (n + 1, {**d, n: x + n}), 0, {0: x})


def doubled(x, depth=30):
    if depth == 0:
        return x
    return choose(x > depth, lambda: doubled(x * 3 + 1, depth - 1), lambda: doubled(x * 5, depth - 1))


@pytest.mark.parametrize(
    ("program", "named"),
    [
        (counting(inner), "n goes on as 0, 1, 2, 3"),
        (counting(lambda n, rest, x: rest * x), "n goes on as 0, 1, 2, 3"),
        (branching, "n goes on as 0, 1, 2, 3"),
        (squared, "n goes on as 3, 9, 81, 6561"),
        (wide, "s goes on as 0, 1, 2, 3"),
        (structured, "n goes on as 0, 1, 2, 3"),
        (doubled, r"return choose\(x > depth"),
        (lambda x: set_base(x, 10**9, lambda i: i * 3), "1000000000 cases of"),
    ],
)
def test_a_search_without_end_has_a_budget_and_names_what_grows(program, named):
    begin = time.process_time()
    with pytest.raises(StagingError, match=named) as refused:
        specialize(program, unknown("x"))
    assert refused.value.place
    assert refused.value.fix
    # Two seconds by the benchmark of refusals; here that it is no search without a bound.
    assert time.process_time() - begin < 20


def machine(states, seed):
    """A machine that goes from state to state by what remains of its input."""
    rng = random.Random(seed)
    table = [(rng.randrange(states), rng.randrange(states)) for _ in range(states)]

    def step(s, i, x):
        a, b = table[s]
        return fork((x + i * 7) % 5 == 0, lambda: (a, i + 1, x * 3 + s), lambda: (b, i + 1, x * 3 + s))

    return lambda x: loop(lambda s, i, x: i == x, step, 0, lift(0), x)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("states", [20, 60])
def test_what_brings_nothing_is_not_tried_for_ever(states):
    program = machine(states, states + 1)
    residual = specialize(program, unknown("x"))
    assert residual(x=0) == program(0)
