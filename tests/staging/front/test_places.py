"""Errors name the line of the interpreter that they are of, also in straight lines and in what is called."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from pellucid.base.errors import PellucidError, StagingError
from pellucid.staging import DYNAMIC, STATIC, Memory, cogen, interpreter
from pellucid.staging.root.machine import run


class Point(NamedTuple):
    x: int


def halved(number, by):
    whole = number + 1
    return whole // by


@interpreter
def straight(p, x):
    y = x + 1

    first = (
        p["a"]
        // p["b"]
    )  # fmt: skip
    names = {"x": x}
    second = names[p["name"]]
    y += p["text"] * 2 - p["text"]
    third = halved(p["a"], p["c"])
    fourth = len(p["list"])
    fifth = (1, 2)[p["index"]]
    last, _ = p["pair"]
    return y + first + second + third + fourth + fifth + last + p["point"].y


GOOD = {
    "a": 1,
    "b": 1,
    "name": "x",
    "text": 2,
    "c": 1,
    "list": (),
    "index": 1,
    "pair": (1, 2),
    "point": Point(1),
}


def line(text: str) -> str:
    lines = Path(__file__).read_text("utf-8").splitlines()
    return f"test_places.py:{next(at for at, one in enumerate(lines, 1) if text in one)}"


@pytest.mark.parametrize(
    ("changed", "text", "message"),
    [
        ({"b": 0}, '  p["a"]', "integer division or modulo by zero"),
        ({"name": "y"}, 'names[p["name"]]', "no such item or entry"),
        ({"text": "t"}, "y += ", "unsupported operand"),
        ({"c": 0}, "return whole // by", "integer division or modulo by zero"),
        ({"list": 5}, "fourth = ", "object of type 'int' has no len()"),
        ({"index": 2}, "fifth = ", "no such item"),
        ({"pair": (1, 2, 3)}, "last, _ = ", "too many values to unpack (expected 2)"),
        ({"pair": (1,)}, "last, _ = ", "not enough values to unpack (expected 2, got 1)"),
        ({}, "return y + ", "has no field y"),
        ({"point": 4}, "return y + ", "4 has no field y"),
    ],
)
def test_the_line_of_what_fails_is_named(changed, text, message) -> None:
    with pytest.raises(StagingError) as caught:
        cogen(straight, p=STATIC, x=DYNAMIC)(GOOD | changed)
    assert caught.value.place == line(text)
    assert message in caught.value.message


@interpreter
def steps(n, x, data: Memory):
    total = x
    for at in range(n):
        total = total + at
        total = total // (x - 3)
        total += quarter(data[at], x)
    return total


def quarter(word, x):
    scaled = word * 4
    return (
        scaled
        % (x - 5)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("x", "words", "text", "message"),
    [
        (3, 4, "total = total // ", "division by zero"),
        (5, 4, "        scaled", "division by zero"),
        (7, 3, "total += quarter(", "an address is not in the memory data"),
        (-(1 << 63), 4, "total = total // ", "more than 64 bits"),
    ],
)
def test_the_line_of_what_fails_when_the_program_runs_is_named(x, words, text, message) -> None:
    program = cogen(steps, n=STATIC, x=DYNAMIC, data=DYNAMIC)(4)
    data = np.full(words, 5, np.uint8)
    for _ in range(2):
        with pytest.raises(PellucidError) as caught:
            program(x, data)
        assert caught.value.place == line(text)
        assert message in caught.value.message


def test_the_machine_names_the_line_too() -> None:
    code = cogen(steps, n=STATIC, x=DYNAMIC, data=DYNAMIC)(4).code
    with pytest.raises(StagingError) as caught:
        run(code, 3, Memory("data", 8, np.full(4, 5, np.uint8)))
    assert caught.value.place == f"steps:{line('total = total // ').partition(':')[2]}"
