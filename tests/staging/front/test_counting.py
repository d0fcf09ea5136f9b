"""Loops that count: ranges of any bounds and steps, and memories that know their length."""

import numpy as np
import pytest
from tests.staging.front.agreeing import agrees

from pellucid import compile_code
from pellucid.base.errors import InputError, PellucidError, StagingError
from pellucid.staging import DYNAMIC, STATIC, Memory, cogen, dynamic_call, interpreter, lift, load_compiler


@interpreter
def ranges(p, a, b, s):
    total = 0
    i = -1
    for i in range(a, b, s):
        if i == p:
            continue
        if i > 20:
            break
        total += i
    else:
        total += 1000
    return total, i


BOUNDS = [{"a": a, "b": b, "s": s} for a, b in ((0, 9), (5, 5), (-3, 30), (9, -4)) for s in (1, 3, -1, -2, 0)]


@pytest.mark.parametrize("static", ["p", "ps", "pab", "pabs"])
def test_a_range_has_any_bounds_and_steps(static) -> None:
    for case in BOUNDS:
        every = {"p": 3, **case}
        dynamic = {name: one for name, one in every.items() if name not in static}
        agrees(ranges, {name: every[name] for name in static}, [dynamic])


def test_a_range_is_refused_a_step_of_zero_in_its_line() -> None:
    line = ranges.source.tree.lineno + 3
    with pytest.raises(StagingError, match=rf"test_counting.py:{line}: range\(\) arg 3 must not be zero"):
        cogen(ranges, p=STATIC, a=DYNAMIC, b=DYNAMIC, s=STATIC)(3, 0)


@interpreter
def long(p, x):
    for i in range(p):
        x += i
    return x


def test_a_range_that_is_too_long_to_unroll_is_named() -> None:
    line = long.source.tree.lineno + 1
    with pytest.raises(StagingError, match=rf":{line}: .*over a range is unrolled.*range\(lift\(n\)\)"):
        cogen(long, p=STATIC, x=DYNAMIC, most=50)(1_000_000)
    assert agrees(long, {"p": 40}, [{"x": 3}])


def mean(words):
    return total(words, lift(0)) // len(words) if len(words) > 1 else words[0]


def total(words, at):
    if at == len(words):
        return 0
    return words[at] + dynamic_call(total(words, at + 1))


@interpreter
def lengths(p, words, more: Memory):
    found = 0
    for i in range(len(words)):
        found += words[i] * p
    for i, word in enumerate(words):
        found += i * word
        words[i] = word + 1
    for one, other in zip(words, more, strict=False):
        found = found * 3 + one - other
    for word in reversed(more):
        found = found * 2 + word
    return found, mean(words), len(more)


ARRAYS = [
    {"words": np.array(one, np.uint16), "more": np.array(other, np.uint8)}
    for one, other in (([1, 2, 3], [4, 5]), ([7], [1, 2, 3]), ([9, 8], [1]))
]


def test_a_memory_has_a_length(tmp_path) -> None:
    f = agrees(lengths, {"p": 2}, ARRAYS)
    assert not f.problem
    assert repr(f).startswith("program of lengths(words_")
    compiler = cogen(lengths, p=STATIC, words=DYNAMIC, more=DYNAMIC)
    compiler.save(tmp_path / "lengths")
    loaded = load_compiler(tmp_path / "lengths")(2)
    for one in ARRAYS:
        assert loaded(one["words"].copy(), one["more"]) == f(one["words"].copy(), one["more"])
    with pytest.raises(InputError, match=r"words is 5, and is used as an array in '.*'; give words an array"):
        f(5, ARRAYS[0]["more"])
    with pytest.raises(InputError, match="lengths: 5 has no words for words; give an array"):
        loaded(5, ARRAYS[0]["more"])


TABLE = Memory("table", 8, np.array([3, 4, 5], np.uint8))


@interpreter
def constant(p, x):
    return len(TABLE) * p + x


@interpreter
def sums(p, words):
    found = p
    for word in words:
        found += word
    return found


def test_what_has_a_length_must_be_known_to_be_a_memory() -> None:
    agrees(constant, {"p": 2}, [{"x": 4}])
    f = cogen(sums, p=STATIC, words=DYNAMIC)(1)
    assert f((1, 2, 3)) == 7
    line = sums.source.tree.lineno + 2
    with pytest.raises(
        InputError, match=rf"test_counting.py:{line}: words is an array, .*; write words: Memory in the param"
    ):
        f(np.array([1, 2], np.uint8))


@interpreter
def ends(p, x):
    total = 0
    for i in range(p, x):
        total += i
    for i in range(p):
        total += i
    return total


@pytest.mark.parametrize("tier", ["machine", "quick", "llvm", "nest"])
def test_a_range_ends_at_integers(tier: str) -> None:
    program = agrees(ends, {"p": 2}, [{"x": x} for x in (5, True, 2.5, 0)])
    kinds = {"nest": ("integer",), "quick": ("integer", "boolean")}.get(tier, ("integer", "boolean", "real"))
    for kind in kinds:
        value = {"integer": 5, "boolean": True, "real": 2.5}[kind]
        compiled = compile_code(program.code, kind, tier=tier)
        if kind == "real":
            with pytest.raises(PellucidError, match=r"index-of|interpreted as an integer"):
                compiled(value)
        else:
            assert compiled(value) == ends(2, value)
    with pytest.raises(StagingError, match="'float' object cannot be interpreted as an integer"):
        cogen(ends, p=STATIC, x=DYNAMIC)(2.5)
