"""What a person gets who wrote an interpreter that cannot be compiled: the variable, its line, what to write."""

from dataclasses import dataclass

import numpy as np
import pytest

from pellucid.base.errors import InputError, StagingError
from pellucid.staging import DYNAMIC, STATIC, cogen, interpreter, lift


def line(function, text):
    first = function.source.tree.lineno
    found = next(at for at, one in enumerate(function.source.lines) if text in one)
    return f"test_messages.py:{function.source.first + found}" if first else ""


def told(function, *statics, **times):
    with pytest.raises(StagingError) as caught:
        cogen(function, **times)(*statics)
    return str(caught.value)


@interpreter
def sums(tree, x):
    if tree[0] == "x":
        return x
    if tree[0] == "number":
        return tree[1]
    return sums(tree[1], x) + sums(tree[2], x)


def test_a_dynamic_program() -> None:
    error = told(sums, 3, tree=DYNAMIC, x=STATIC)
    assert error.startswith(line(sums, "return sums("))
    assert "'return sums(tree[1], x) + sums(tree[2], x)' is unfolded without end" in error
    assert "write dynamic_call(...) around that call" in error


def test_an_error_of_the_program_has_the_line_of_the_interpreter() -> None:
    error = told(sums, ("+", ("x",)), tree=STATIC, x=DYNAMIC)
    assert error == f"{line(sums, 'return sums(')}: no item 2 of 2; change the program that is compiled"
    assert told(sums, 5, tree=STATIC, x=DYNAMIC).startswith("test_messages.py")


@interpreter
def checked(name, x):
    names = {"x": x}
    if name not in names:
        raise NameError(f"nothing is called {name}")
    if x < 0:
        raise ValueError("it is negative")
    return names[name]


def test_errors_that_the_interpreter_raises() -> None:
    error = told(checked, "y", name=STATIC, x=DYNAMIC)
    assert error == f"{line(checked, 'NameError')}: nothing is called y; change the program that is compiled"
    f = cogen(checked, name=STATIC, x=DYNAMIC)("x")
    assert f(3) == 3
    with pytest.raises(StagingError, match="it is negative") as caught:
        f(-3)
    assert str(caught.value).startswith(line(checked, "ValueError"))


@interpreter
def counts(by, x):
    i = 0
    while i < x:
        i = i + by
    return i


@interpreter
def collects(by, x):
    out = []
    while x > 0:
        out.append(x)
        x = x - by
    return len(out)


@interpreter
def waits(flag, x):
    while flag:
        pass
    return x


def test_what_grows_is_named_with_what_to_write() -> None:
    error = told(counts, 3, by=STATIC, x=DYNAMIC)
    assert error.startswith(f"{line(counts, 'while')}: counts: the loop is unrolled without end")
    assert "new values of i (such as " in error
    assert error.endswith("lift i: write i = lift(i) before the loop")
    error = told(collects, 3, by=STATIC, x=DYNAMIC)
    assert "there are ever new values of out; end the loop at something static, or lift out" in error
    error = told(waits, 1, flag=STATIC, x=DYNAMIC)
    assert error.startswith(
        f"{line(waits, 'while')}: waits: the loop is unrolled without end, and nothing changes"
    )


@interpreter
def calls_itself(tree, x):
    return calls_itself(tree, x)


def test_a_function_that_only_calls_itself() -> None:
    error = told(calls_itself, 1, tree=STATIC, x=DYNAMIC)
    assert "$" not in error


@interpreter
def registers(code, x):
    frames = [0]
    found = [[x, 0, 0]]
    while frames:
        name, to = code[frames[-1]]
        frames[-1] += 1
        if name == "call":
            frames.append(to)
            found.append([found[-1][to], 0, 0])
        else:
            frames.pop()
    return found[0][0]


def test_lists_that_grow_by_calls_of_the_program() -> None:
    error = told(registers, (("call", 0),), code=STATIC, x=DYNAMIC)
    assert error.startswith("test_messages.py:")
    assert "registers: the loop is unrolled without end: there are ever new " in error
    assert "frames" in error
    assert "nth" not in error


@dataclass
class Circle:
    radius: float


@dataclass
class Scaled:
    shape: object
    by: float


@dataclass
class Ratio:
    one: object
    other: object


def circle(tree, x):
    match tree:
        case Scaled(shape, by):
            return Circle(circle(shape, x).radius * by)
    return Circle(x)


@interpreter
def area(tree, x):
    match tree:
        case Ratio(one, other):
            return area(one, x) / area(other, x)
        case Scaled(shape, by):
            one = circle(shape, x)
            return one.radius * one.radius * by
    return x


def test_one_name_for_a_part_of_the_program_and_an_object() -> None:
    error = told(area, ("x",), tree=STATIC, x=DYNAMIC)
    assert error.startswith(
        f"{line(area, 'case Ratio')}: Circle has no field one; static data and a Circle have"
    )
    assert error.endswith("a variable is of one kind in all of a function, as one may be")


@interpreter
def complains(tree, x):
    raise ValueError(f"{tree} {tree!r} at {tree[0]}")


def test_static_data_are_shown_as_python_shows_them() -> None:
    for tree in ((Circle(1.5),), [1, (2,)], {0: [None, "a"]}):
        error = told(complains, tree, tree=STATIC, x=DYNAMIC)
        assert f": {tree} {tree!r} at {tree[0]};" in error


@interpreter
def pops(code, x):
    stack = [x]
    for _ in code:
        x = stack.pop()
    return x


def test_a_stack_that_is_empty() -> None:
    assert told(pops, (1, 2), code=STATIC, x=DYNAMIC) == (
        f"{line(pops, 'x = stack')}: no such item, or an item of what has none; change the program that is compiled"
    )


def test_static_values_by_name() -> None:
    compiler = cogen(sums, tree=STATIC, x=DYNAMIC)
    assert compiler(tree=("x",))(4) == 4
    with pytest.raises(StagingError, match="program is no static parameter; give tree"):
        compiler(program=("x",))
    with pytest.raises(StagingError, match="tree is given twice; give tree"):
        compiler(("x",), tree=("x",))


@pytest.mark.parametrize("value", ["text", {}, [1], object(), 1j, sums])
def test_a_program_refuses_values_of_the_wrong_kind(value) -> None:
    f = cogen(sums, tree=STATIC, x=DYNAMIC)(("x",))
    with pytest.raises(
        InputError,
        match=rf"test_messages.py:{sums.source.tree.lineno}: sums: .* is no value for x; give (a number|x=STATIC)",
    ):
        f(value)
    with pytest.raises(InputError, match="sums: 0 arguments for 1 parameters; give x"):
        f()


@pytest.mark.parametrize("value", [{1}, object(), 1j, sums, [object()]])
def test_a_compiler_refuses_values_of_the_wrong_kind(value) -> None:
    with pytest.raises(
        StagingError, match=r"test_messages\.py:\d+: tree: .* is no static value; give numbers"
    ):
        cogen(sums, tree=STATIC, x=DYNAMIC)(value)


@interpreter
def first(p, words):
    return words[p - p * 2 + p] + p


@pytest.mark.parametrize("kind", ["int64", "uint64", "int8", "float32"])
def test_a_memory_is_an_array_of_unsigned_words(kind) -> None:
    f = cogen(first, p=STATIC, words=DYNAMIC)(2)
    assert f(np.array([5, 6], np.uint16)) == 7
    with pytest.raises(
        InputError, match=f"first: an array of {kind} is no memory for words; give an array of uint8"
    ):
        f(np.array([5, 6], kind))


@interpreter
def matches(pattern, text, size):
    return tried(pattern, (), text, size, lift(0))


def tried(one, rest, text, size, at):
    if one[0] == "char":
        if at >= size:
            return 0
        if text.load(at) != one[1]:
            return 0
        return after(rest, text, size, at + 1)
    if one[0] == "or":
        if tried(one[1], rest, text, size, at) == 1:
            return 1
        return tried(one[2], rest, text, size, at)
    if after(rest, text, size, at) == 1:
        return 1
    return tried(one[1], (one, rest), text, size, at)


def after(rest, text, size, at):
    return 1 if len(rest) == 0 else tried(rest[0], rest[1], text, size, at)


def test_what_comes_in_turn_is_not_what_grows() -> None:
    # Few patterns come again and again, each with more to do after it: calls grow, and no variable does.
    either = ("or", ("char", 98), ("or", ("char", 99), ("char", 100)))
    error = told(
        matches, ("many", ("or", either, ("many", either))), pattern=STATIC, text=DYNAMIC, size=DYNAMIC
    )
    assert "unfolded without end" in error
    assert "dynamic_call(" in error
    assert "lift" not in error
