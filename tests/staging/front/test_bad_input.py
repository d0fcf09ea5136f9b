"""Interpreters that cannot be compiled away: one message with the variable, its line, and what to lift."""

import pytest

from pellucid.base.errors import StagingError
from pellucid.staging import DYNAMIC, STATIC, cogen, interpreter


@interpreter
def counts(p, x):
    n = 0
    while x > 0:
        n = n + 1
        x = x - 1
    return n + p


@interpreter
def turns(p, x):
    while True:
        p = p + 1
    return x


@interpreter
def recurs(p, x):
    return factorial(x) + p


def factorial(x):
    if x == 0:
        return 1
    return x * factorial(x - 1)


@interpreter
def pushes(p, x):
    stack = []
    while x > 0:
        stack.append(x)
        x = x - 1
    return len(stack)


@interpreter
def repeats(p, x):
    found = []
    while x > 0:
        found.append(p)
        x = x - 1
    return found


@interpreter
def obeys(p, x):
    for op in p:
        if op == "add":
            x = x + 1
        else:
            raise ValueError(f"unknown instruction {op!r}")
    return x


@interpreter
def divides(p, x):
    return x + 1 // p


@interpreter
def picks(p, x):
    return x + p[3]


@pytest.mark.parametrize(
    ("function", "static", "line", "message", "fix"),
    [
        (counts, 1, 2, "new values of n ", "lift n: write"),
        (turns, 1, 1, "new values of p ", "lift p: write"),
        (pushes, 1, 2, "new values of stack", "items of stack in a Memory"),
        (repeats, 1, 2, "new values of found", "items of found in a Memory"),
        (obeys, ["add", "fly"], 5, "unknown instruction 'fly'", "change the program that is compiled"),
        (divides, 0, 0, "division or modulo by zero", "change the program that is compiled"),
        (picks, (1, 2), 0, "no item 3 of 2", "change the program that is compiled"),
    ],
)
def test_what_does_not_end_or_is_wrong_names_variable_line_and_fix(
    function, static, line, message, fix
) -> None:
    compiler = cogen(function, p=STATIC, x=DYNAMIC)
    with pytest.raises(StagingError) as caught:
        compiler(static)
    # What a program does wrong is told at the interpreter's first line.
    assert caught.value.place == f"test_bad_input.py:{function.source.tree.lineno + line}"
    assert message in caught.value.message
    assert fix in (caught.value.fix or "")


def test_a_recursion_over_something_dynamic_names_the_function_to_call_dynamically() -> None:
    with pytest.raises(
        StagingError, match=r"test_bad_input.py:\d+: .*factorial.*unfolded without end.*dynamic_call"
    ):
        cogen(recurs, p=STATIC, x=DYNAMIC)(1)


def test_times_that_a_value_cannot_have_are_refused() -> None:
    with pytest.raises(StagingError, match=r"1 where \(list S S\) is expected; give a pair"):
        cogen(picks, p="(list S S)", x=DYNAMIC)(1)
    with pytest.raises(StagingError, match=r"x: 3 for a cyclic integer; give \(base, remainder\)"):
        cogen(counts, p=STATIC, x="cyc")(1, 3)


def test_a_compiler_that_is_used_for_long_does_not_end_for_that() -> None:
    compiler = cogen(obeys, p=STATIC, x=DYNAMIC, most=5)
    for _ in range(20):
        assert compiler(["add", "add"])(1) == 3
