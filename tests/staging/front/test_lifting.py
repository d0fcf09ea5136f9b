"""Lists, tuples and objects that are lifted, or that dynamic calls change: they are made when the program runs."""

from dataclasses import dataclass

import numpy as np
import pytest
from tests.staging.front.agreeing import agrees

from pellucid.base.errors import InputError, StagingError
from pellucid.staging import DYNAMIC, STATIC, Memory, cogen, dynamic_call, interpreter, lift, specialize


@interpreter
def pushes(p, x):
    stack = lift([])
    while x > 0:
        stack.append(x * p)
        x = x - 1
    total = 0
    while stack:
        total = total * 2 + stack.pop()
    return total


@interpreter
def chained(p, x):
    chain = lift(None)
    while x > 0:
        chain = (x, chain)
        x = x - p
    return chain


@interpreter
def several(p, x):
    a = lift(None)
    xs = lift([x, 1, p])
    t = lift((x, p))
    text = lift("ab")
    half = lift(p * 2.5)
    if x > 2:
        a = x
        xs.append(3)
    for i in range(x):
        xs.append(i)
    return xs, t, a, half, text


@pytest.mark.parametrize("function", [pushes, chained, several])
def test_what_is_lifted_grows_when_the_program_runs(function) -> None:
    program = agrees(function, {"p": 3}, [{"x": x} for x in (0, 1, 5, 20)])
    assert program.problem == ""


@dataclass
class Turtle:
    x: int
    y: int
    heading: int


def step(turtle, canvas, width):
    turtle.x += (1, 0, -1, 0)[turtle.heading % 4]
    turtle.y += (0, 1, 0, -1)[turtle.heading % 4]
    if 0 <= turtle.x < width and 0 <= turtle.y < len(canvas) // width:
        canvas[turtle.y * width + turtle.x] += 1


def walk(rules, word, depth, turtle, canvas, width):
    for letter in word:
        if letter in rules and depth > 0:
            walk(rules, rules[letter], depth - 1, turtle, canvas, width)
        elif letter == "F":
            dynamic_call(step(turtle, canvas, width))
        elif letter == "+":
            turtle.heading += 1
        elif letter == "-":
            turtle.heading -= 1


@interpreter
def drawing(rules, word, depth, is_lifted, x, y, width, canvas: Memory):
    turtle = Turtle(x, y, 0)
    if is_lifted:
        turtle = lift(turtle)
    walk(rules, word, depth, turtle, canvas, width)
    return turtle.heading


@pytest.mark.parametrize("is_lifted", [True, False])
def test_an_object_that_dynamic_calls_change(is_lifted: bool) -> None:
    cases = [
        {"x": x, "y": y, "width": 7, "canvas": np.zeros(35, np.uint8)} for x, y in ((0, 0), (3, 2), (-2, 1))
    ]
    program = agrees(
        drawing, {"rules": {"F": "F+F-F-F+F"}, "word": "F", "depth": 2, "is_lifted": is_lifted}, cases
    )
    assert program.problem == ""


def test_the_online_specializer_lifts_numbers_only() -> None:
    with pytest.raises(InputError, match=r"lift: value.*\[1\] is not a number"):
        specialize(lambda x: lift([1]) and x, ["x"])


@interpreter
def unlifted(rules, word, depth, x):
    turtle = Turtle(x, 0, 0)
    turns(rules, word, depth, turtle)
    return turtle.heading


def turns(rules, word, depth, turtle):
    for letter in word:
        if letter in rules and depth > 0:
            turns(rules, rules[letter], depth - 1, turtle)
        else:
            moved(turtle)


def moved(turtle):
    if turtle.x > 0:
        turtle.x -= 1


def test_a_program_that_grows_too_large_names_the_function_that_is_called() -> None:
    with pytest.raises(StagingError) as caught:
        cogen(unlifted, rules=STATIC, word=STATIC, depth=STATIC, x=DYNAMIC)({"F": "FF"}, "F", 40)
    assert caught.value.place == f"test_lifting.py:{moved.__code__.co_firstlineno}"
    assert "moved: calls of it are unfolded without end or too often" in caught.value.message
    assert "write dynamic_call(moved(...))" in (caught.value.fix or "")


@interpreter
def gets_two_names(p, x):
    found = [p]
    other = lift(found)
    found.append(x)
    return other, found


def test_what_is_lifted_to_another_name_is_copied() -> None:
    with pytest.raises(StagingError, match="found is changed, and would have two names; copy it"):
        cogen(gets_two_names, p=STATIC, x=DYNAMIC)


@interpreter
def advised(p, x):
    found = [p]
    env = {"a": p}
    found = lift(found)
    env = lift(env)
    while x > 0:
        found.append(x)
        env["a"] = env["a"] + x
        x = x - 1
    return found, env["a"]


def test_lists_and_dictionaries_are_lifted_in_place() -> None:
    agrees(advised, {"p": 3}, [{"x": x} for x in (0, 1, 5)])
