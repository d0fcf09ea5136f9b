"""At the edges of memory: specialized programs touch no word that is not theirs, whatever they are called with."""

from __future__ import annotations

import numpy as np
import pytest
from tests.guarded import Guarded

from pellucid import signals as sg
from pellucid.base.errors import InputError, StagingError
from pellucid.driver.program import compile_program
from pellucid.staging import Memory, cyclic, load_sample, specialize, store_sample, to_integer, unknown

from .programs import file_of, words

INT64 = np.iinfo(np.int64)


def guarded(count: int, *, at_end: bool, seed: int = 1) -> np.ndarray:
    """Random words between pages that nobody may touch."""
    found = Guarded(4 * count, at_end=at_end).bytes.view(np.uint32)
    found[:] = words(count, seed)
    return found


def convert(source, target, one, two):
    sg.copy(sg.memory(source, *one), sg.memory(target, *two))


LAYOUTS = [((8, 8), (8, 8)), ((12, 12), (16, 16)), ((6, 6), (8, 8)), ((8, 24), (5, 9)), ((1, 1), (10, 10))]


@pytest.mark.parametrize(("one", "two"), LAYOUTS)
@pytest.mark.parametrize("at_end", [False, True])
def test_words_before_and_after_a_memory_are_not_touched(one, two, at_end):
    # Eight samples begin together again, so that every layout ends at a word now and then.
    starts = 8, 16
    ends = [(cyclic(32, f"{n}0", at), cyclic(8, f"{n}1", 0)) for n, at in zip("ab", starts, strict=True)]
    code = compile_program(specialize(convert, Memory("s"), Memory("t"), (*ends[0], *one), (*ends[1], *two)))
    for count in (8, 16, 24, 64, 72):
        stops = [at + count * layout[1] for at, layout in zip(starts, (one, two), strict=True)]
        source = guarded(-(-stops[0] // 32), at_end=at_end)
        target = guarded(-(-stops[1] // 32), at_end=at_end, seed=2)
        expected = target.copy()
        code({"s": source, "t": target}, a0=0, b0=0, a1=stops[0] // 8, b1=stops[1] // 8)
        convert(
            Memory("s", 32, source), Memory("t", 32, expected),
            (starts[0], stops[0], *one), (starts[1], stops[1], *two),
        )  # fmt: skip
        assert (target == expected).all()


@pytest.mark.parametrize("at_end", [False, True])
def test_bounds_that_are_not_of_the_memory_touch_nothing(at_end):
    # A copy that begins before its memories and ends after them; what is inside is copied.
    ends = [(cyclic(32, f"{n}0"), cyclic(32, f"{n}1")) for n in "ab"]
    code = compile_program(specialize(convert, Memory("s"), Memory("t"), (*ends[0], 8, 8), (*ends[1], 8, 8)))
    source = guarded(7, at_end=at_end)
    for first, last in ((-3, 4), (5, 99), (-100, 100), (7, 2), (INT64.min // 64, INT64.min // 64 + 9)):
        target = guarded(7, at_end=at_end, seed=2)
        before = target.copy()
        if last < first:
            with pytest.raises(InputError, match="are not a whole number of strides"):
                code({"s": source, "t": target}, a0=first, a1=last, b0=first, b1=last)
            assert (target == before).all()
            continue
        code({"s": source, "t": target}, a0=first, a1=last, b0=first, b1=last)
        inside = slice(max(first, 0), max(min(last, 7), 0))
        before[inside] = source[inside]
        assert (target == before).all()


@pytest.mark.parametrize("at_end", [False, True])
def test_a_sample_anywhere_touches_its_own_words_only(at_end):
    def program(memory, p):
        found = load_sample(memory, p, 13)
        store_sample(memory, p, 13, found + 1)
        return found

    code = compile_program(specialize(program, Memory("m"), unknown("p")))
    for p in (*range(64 - 13 + 1), -1, -40, 60, 64, 10_000, INT64.max - 64, INT64.min):
        data = guarded(2, at_end=at_end)
        before = data.copy()
        found = code({"m": data}, p=p)
        if 0 <= p <= 64 - 13:
            assert found == program(Memory("m", 32, before), p)
            assert (data == before).all()


@pytest.mark.parametrize("name", ["windows", "decode", "language", "letters"])
def test_the_examples_agree_with_themselves(name, capsys):
    file_of("examples", name).main()
    told = capsys.readouterr().out
    assert "False" not in told
    assert "kernel" in told


def test_a_memory_that_is_shorter_than_it_promised_is_refused():
    memory = Memory("m", least=9)
    residual = specialize(lambda m, p: m.load(p), memory, unknown("p"))
    code = compile_program(residual, ranges={"p": (0, 8)})
    data = words(9)
    assert code({"m": data}, p=8) == residual({"m": data}, p=8) == data[8]
    for call in (code, residual):
        with pytest.raises(InputError, match="memory m: has 8 words, and needs at least 9"):
            call({"m": data[:8]}, p=0)
    with pytest.raises(InputError, match="p"):
        code({"m": data}, p=9)
    with pytest.raises(StagingError, match="a memory has at least 1 word, not 0"):
        Memory("m", least=0)


def test_what_is_proved_inside_is_not_asked_at_run_time():
    texts = []
    for least in (1, 64):
        residual = specialize(
            lambda m, n: sg.reduce(sg.memory(m, 0, n, 8, 8), 0, lambda r, x: r + x),
            Memory("m", least=least), cyclic(32, "n"),
        )  # fmt: skip
        texts.append(compile_program(residual, ranges={"n": (0, 64)}).code.text)
    assert len(texts[1].splitlines()) < len(texts[0].splitlines())


@pytest.mark.parametrize(
    ("program", "why"),
    [
        (lambda m, x: m.load(x / 2), "is no address in the memory m"),
        (lambda m, x: m.load(0.5), "0.5 is no address"),
        (lambda m, x: m.store(1 << 70, x), "1180591620717411303424 is no address"),
        (lambda m, x: x // (3 << 70), "a divisor of more than 64 bits"),
        (lambda m, x: x % (3 << 70), "a divisor of more than 64 bits"),
    ],
)
def test_what_run_time_would_take_for_another_number_is_refused(program, why):
    with pytest.raises(StagingError, match=why) as refused:
        specialize(program, Memory("m"), unknown("x"))
    assert "test_edges.py" in str(refused.value)
    assert specialize(lambda x: to_integer(x / 2), unknown("x"))(x=9) == 4


def test_numbers_beyond_64_bits_are_compared_now():
    def program(x):
        return x == 1 << 70, x < 1 << 70, x > 1 << 70, -(1 << 70) < x, x != 1 << 64

    assert specialize(program, unknown("x"))() == program(5) == (False, True, False, True, True)


def test_truths_count_as_in_python():
    def program(x):
        return (x == 3) + 1, 5 - (x < 3), (x > 3) * x, sum([x == 1, x == 3, x == 5], 0), 2 * (x == 3)

    for x in range(6):
        assert specialize(program, unknown("x"))(x=x) == program(x)
