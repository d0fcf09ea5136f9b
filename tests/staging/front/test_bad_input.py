"""Interpreters that cannot be compiled away: one message with the variable, its line, and what to lift."""

import importlib
import re
from unittest import mock

import pytest

from pellucid.base.errors import StagingError
from pellucid.staging import DYNAMIC, STATIC, cogen, interpreter, lift

GENERATOR = importlib.import_module("pellucid.staging.cogen.generator")


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
        (pushes, 1, 2, "new values of stack", "lift stack: write stack = lift(stack)"),
        (repeats, 1, 2, "new values of found", "lift found: write found = lift(found)"),
        (obeys, ["add", "fly"], 5, "unknown instruction 'fly'", "change the program that is compiled"),
        (divides, 0, 1, "division or modulo by zero", "change the program that is compiled"),
        (picks, (1, 2), 1, "no item 3 of 2", "change the program that is compiled"),
    ],
)
def test_what_does_not_end_or_is_wrong_names_variable_line_and_fix(
    function, static, line, message, fix
) -> None:
    compiler = cogen(function, p=STATIC, x=DYNAMIC)
    with pytest.raises(StagingError) as caught:
        compiler(static)
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


def looked_up(name, env):
    while env is not None:
        if env[0] == name:
            return env[1]
        env = env[2]
    raise ValueError(f"unbound {name}")


def given_back(k, v):
    while k is not None:
        if k[0] == "if":
            return evaluated(k[1] if v != 0 else k[2], k[3], k[4])
        if k[0] == "left":
            return evaluated(k[1], k[3], ("right", v, 0, 0, k[4]))
        if k[0] == "right":
            v = k[1] + v
            k = k[4]
        elif k[0] == "function":
            return evaluated(k[1], k[3], ("argument", v, 0, 0, k[4]))
        else:
            function = k[1]
            return evaluated(function[1], (function[0], v, function[2]), k[4])
    return v


def evaluated(e, env, k):
    if isinstance(e, int):
        return given_back(k, e)
    if isinstance(e, str):
        return given_back(k, looked_up(e, env))
    if e[0] == "lambda":
        return given_back(k, (e[1], e[2], env))
    if e[0] == "if":
        return evaluated(e[1], env, ("if", e[2], e[3], env, k))
    if e[0] == "+":
        return evaluated(e[1], env, ("left", e[2], 0, env, k))
    return evaluated(e[0], env, ("function", e[1], 0, env, k))


@interpreter
def lisp(p, x):
    return evaluated(p, ("x", x, None), None)


def returned(k, v):
    v = lift(v)
    while k is not None:
        if k[0] == "left":
            return numbered(k[1], k[3], ("right", v, 0, 0, k[4]))
        if k[0] == "right":
            v = k[1] + v
            k = k[4]
        elif k[0] == "function":
            return numbered(k[1], k[3], ("argument", v, 0, 0, k[4]))
        else:
            function = k[1]
            return numbered(function[1], (function[0], v, function[2]), k[4])
    return v


def numbered(e, env, k):
    if isinstance(e, int):
        return returned(k, e)
    if isinstance(e, str):
        return returned(k, looked_up(e, env))
    if e[0] == "lambda":
        return returned(k, (e[1], e[2], env))
    if e[0] == "+":
        return numbered(e[1], env, ("left", e[2], 0, env, k))
    return numbered(e[0], env, ("function", e[1], 0, env, k))


@interpreter
def lisp_of_numbers(p, x):
    return numbered(p, ("x", x, None), None)


APPLIED = (("lambda", "y", ("+", "y", "y")), ("+", "x", 2))


def test_patterns_that_do_not_settle_name_the_variable_to_lift_before_much_is_done() -> None:
    spent = []
    spend = counted(GENERATOR.Generator.spend, spent)
    with mock.patch.object(GENERATOR.Generator, "spend", spend), pytest.raises(StagingError) as caught:
        cogen(lisp, p=STATIC, x=DYNAMIC)
    assert len(spent) < 75_000
    assert re.match(r"test_bad_input.py:\d+: evaluated: the binding times of k ", str(caught.value))
    assert caught.value.fix == "lift k: write k = lift(k) as the first line of evaluated"
    assert "$" not in str(caught.value)


def counted(method, calls):
    """A method that notes each of its calls."""

    def call(self, *args):
        calls.append(args)
        return method(self, *args)

    return call


def test_data_that_nest_ever_deeper_are_refused_before_much_is_compared() -> None:
    compiler = cogen(lisp_of_numbers, p=STATIC, x=DYNAMIC)
    session = compiler._compiler._session
    with pytest.raises(StagingError, match=r"test_bad_input.py:\d+: \w+: .* ever new values of k"):
        compiler(APPLIED)
    assert session._walked < 1_100_000


@interpreter
def repeats(p, x):
    t = (0, 2)
    for key in {"a": 1, "b": 2}:
        t = (key * x, t[1] + 2)
    return t[1] + p


def test_a_text_that_is_repeated_by_a_number_of_the_run_is_told():
    compiled = cogen(repeats, p=STATIC, x=DYNAMIC)(1)
    with pytest.raises(StagingError, match="a text is repeated by a number of the run; repeat it where"):
        compiled(3)
