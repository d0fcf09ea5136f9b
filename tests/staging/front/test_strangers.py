"""Interpreters by people who do not know how compilers are made of them: each agrees with itself compiled."""

# ruff: noqa: PERF401, PERF403, SIM110 - interpreters have loops, and no comprehensions

import itertools
import re

import numpy as np
import pytest
from tests.staging.front.agreeing import agrees

from pellucid.base.errors import StagingError
from pellucid.staging import DYNAMIC, STATIC, Memory, cogen, dynamic_call, interpreter, lift

# ---- Forth: words and the stack in one object, which a function that calls itself changes ----


class Machine:
    def __init__(self, n):
        self.stack = [n]
        self.words = {}

    def push(self, value):
        self.stack.append(value)

    def pop(self):
        return self.stack.pop()


def execute(machine, code):
    at = 0
    while at < len(code):
        token = code[at]
        if token == ":":
            end = find_end(code, at)
            machine.words[code[at + 1]] = code[at + 2 : end]
            at = end
        elif token in machine.words:
            execute(machine, machine.words[token])
        elif token == "if":
            then = find_then(code, at)
            if machine.pop() != 0:
                execute(machine, code[at + 1 : then])
            at = then
        elif token == "dup":
            value = machine.pop()
            machine.push(value)
            machine.push(value)
        elif token == "swap":
            one = machine.pop()
            other = machine.pop()
            machine.push(one)
            machine.push(other)
        elif token == "drop":
            machine.pop()
        elif token == "+":
            machine.push(machine.pop() + machine.pop())
        elif token == "*":
            machine.push(machine.pop() * machine.pop())
        elif token == "-":
            b = machine.pop()
            a = machine.pop()
            machine.push(a - b)
        elif token == "<":
            b = machine.pop()
            a = machine.pop()
            machine.push(1 if a < b else 0)
        elif isinstance(token, int):
            machine.push(token)
        else:
            raise ValueError(f"unknown word {token!r}")
        at += 1


def find_end(code, at):
    while code[at] != ";":
        at += 1
    return at


def find_then(code, at):
    depth = 0
    while True:
        if code[at] == "if":
            depth += 1
        elif code[at] == "then":
            depth -= 1
            if depth == 0:
                return at
        at += 1


@interpreter
def forth(code, n):
    machine = Machine(n)
    execute(machine, code)
    return machine.pop()


def words(text):
    return tuple(int(one) if one.lstrip("-").isdigit() else one for one in text.split())


@pytest.mark.parametrize(
    "text",
    [
        ": sq dup * ; : quad sq sq ; quad 1 +",
        ": sq dup * ; dup 3 < if drop 7 then sq",
        ": a dup ; : b a + ; dup 0 < if b then : a 1 ; a -",
        "dup frob",
        "+ +",
    ],
)
def test_a_forth_with_words_and_a_stack_in_one_object(text) -> None:
    agrees(forth, {"code": words(text)}, [{"n": 3}, {"n": -2}])


def test_calls_of_methods_of_one_object_have_few_patterns() -> None:
    compiler = cogen(forth, code=STATIC, n=DYNAMIC)
    # One for each call: the stack and the words are of any length from the first call on.
    assert sum(one.startswith("Machine.pop(") for one in compiler.trace) < 40


# ---- regular expressions over bytes, by backtracking ----


@interpreter
def match(pattern, text: Memory):
    start = lift(0)
    while start <= len(text):
        end = matched(pattern, 0, text, start)
        if end >= 0:
            return start, end
        start += 1
    return -1, -1


def matched(pattern, at, text, i):
    """Where a match of the rest of a pattern ends."""
    if at == len(pattern):
        return i
    kind, want = pattern[at]
    if kind == "one":
        if i < len(text) and fits(want, text[i]):
            return matched(pattern, at + 1, text, i + 1)
        return -1
    if kind == "star":
        return dynamic_call(starred(pattern, at, text, i))
    if kind == "opt":
        if i < len(text) and fits(want, text[i]):
            end = matched(pattern, at + 1, text, i + 1)
            if end >= 0:
                return end
        return matched(pattern, at + 1, text, i)
    if kind == "end":
        return i if i == len(text) else -1
    raise ValueError(f"unknown kind {kind!r}")


def starred(pattern, at, text, i):
    if i < len(text) and fits(pattern[at][1], text[i]):
        end = dynamic_call(starred(pattern, at, text, i + 1))
        if end >= 0:
            return end
    return matched(pattern, at + 1, text, i)


def fits(want, byte):
    for low, high in want:
        if low <= byte <= high:
            return True
    return False


LETTER = ((97, 122), (65, 90))
DIGIT = ((48, 57),)


def test_a_regular_expression_over_bytes() -> None:
    pattern = (("one", LETTER), ("star", LETTER), ("one", ((61, 61),)), ("opt", ((45, 45),)), ("star", DIGIT))
    texts = (b"ab=12", b"  x=-7;", b"==", b"", b"12 a")
    agrees(match, {"pattern": pattern}, [{"text": np.frombuffer(one, np.uint8)} for one in texts])


# ---- a small Lisp: functions by name, environments, calls when the program runs ----


@interpreter
def lisp(program, n):
    functions = {}
    for name, params, body in program:
        functions[name] = (params, body)
    return apply_function(functions, "main", [n])


def apply_function(functions, name, args):
    params, body = functions[name]
    env = {}
    for param, arg in zip(params, args, strict=True):
        env[param] = arg
    return evaluate(functions, body, env)


def evaluate(functions, form, env):
    if isinstance(form, str):
        if form not in env:
            raise NameError(f"{form} is not bound")
        return env[form]
    if isinstance(form, int):
        return form
    head = form[0]
    if head == "if":
        _, test, then, other = form
        if evaluate(functions, test, env):
            return evaluate(functions, then, env)
        return evaluate(functions, other, env)
    if head == "let":
        inner = dict(env)
        for name, value in form[1]:
            inner[name] = evaluate(functions, value, env)
        return evaluate(functions, form[2], inner)
    args = []
    for one in form[1:]:
        args.append(evaluate(functions, one, env))
    if head == "+":
        return args[0] + args[1]
    if head == "-":
        return args[0] - args[1]
    if head == "*":
        return args[0] * args[1]
    if head == "<":
        return args[0] < args[1]
    return dynamic_call(apply_function(functions, head, args))


def test_a_lisp_with_functions() -> None:
    program = (
        ("main", ("n",), ("let", (("a", ("*", "n", 2)), ("b", 3)), ("fact", ("+", "a", "b")))),
        ("fact", ("n",), ("if", ("<", "n", 2), 1, ("*", "n", ("fact", ("-", "n", 1))))),
    )
    agrees(lisp, {"program": program}, [{"n": 3}, {"n": -2}])


def test_a_name_of_a_lisp_that_is_not_bound() -> None:
    with pytest.raises(StagingError, match="m is not bound"):
        cogen(lisp, program=STATIC, n=DYNAMIC)((("main", ("n",), ("+", "m", 1)),))


# ---- a state machine over bytes ----


@interpreter
def machine(table, accepting, data: Memory):
    state = "start"
    counts = lift(0)
    for at in range(len(data)):
        byte = data[at]
        found = None
        for (low, high), target in table[state]:
            if low <= byte <= high:
                found = target
                break
        if found is None:
            return -1, at
        if found == "word" and state != "word":
            counts += 1
        state = found
    if state in accepting:
        return counts, len(data)
    return -1, len(data)


def test_a_state_machine_over_bytes() -> None:
    table = {
        "start": (((97, 122), "word"), ((32, 32), "start")),
        "word": (((97, 122), "word"), ((32, 32), "gap")),
        "gap": (((32, 32), "gap"), ((97, 122), "word")),
    }
    texts = (b"ab cd", b" x  y ", b"", b"a!")
    cases = [{"data": np.frombuffer(one, np.uint8)} for one in texts]
    agrees(machine, {"table": table, "accepting": ("word", "gap")}, cases)


# ---- regular expressions with brackets: what is left to match is a list that is handed on ----


@interpreter
def begins(pattern, text, size):
    return tried(pattern, (), text, size, lift(0))


def tried(one, rest, text, size, at):
    kind = one[0]
    if kind == "char":
        if at >= size:
            return 0
        if text.load(at) != one[1]:
            return 0
        return after(rest, text, size, at + 1)
    if kind == "then":
        return tried(one[1], (one[2], rest), text, size, at)
    if kind == "or":
        if dynamic_call(tried(one[1], rest, text, size, at)) == 1:
            return 1
        return tried(one[2], rest, text, size, at)
    if dynamic_call(after(rest, text, size, at)) == 1:
        return 1
    return tried(one[1], (one, rest), text, size, at)


def after(rest, text, size, at):
    if len(rest) == 0:
        return 1
    return tried(rest[0], rest[1], text, size, at)


def parsed(text):
    """The pattern of an expression of letters, `|`, `*` and brackets."""

    def either(at):
        one, at = sequence(at)
        if at < len(text) and text[at] == "|":
            other, at = either(at + 1)
            return ("or", one, other), at
        return one, at

    def sequence(at):
        one, at = item(at)
        if at < len(text) and text[at] not in "|)":
            other, at = sequence(at)
            return ("then", one, other), at
        return one, at

    def item(at):
        if text[at] == "(":
            one, at = either(at + 1)
        else:
            one = ("char", ord(text[at]))
        if text[at + 1 : at + 2] == "*":
            return ("many", one), at + 2
        return one, at + 1

    return either(0)[0]


@pytest.mark.parametrize("pattern", ["a(b|c)*d", "(a|ab)(c|bcd)", "a*b*c", "(a*b|c)*d", "((ab)*|a)b"])
def test_regular_expressions_with_brackets(pattern: str) -> None:
    program = cogen(begins, pattern=STATIC, text=DYNAMIC, size=DYNAMIC)(parsed(pattern))
    for length in range(6):
        for letters in itertools.product("abcd", repeat=length):
            text = "".join(letters)
            words = np.frombuffer(text.encode() + b"\0", np.uint8).copy()
            assert program(words, length) == bool(re.match(pattern, text)), text


# ---- several variables in one line: lists of their own, a swap, a pair in a pair ----


@interpreter
def runs(code, x, y):
    ups, downs = [0, 0], []
    (low, high), total = (x, y), 0
    for step in code:
        low, high = high, low + step
        ups[step % 2], [last] = ups[step % 2] + low, [high]
        downs.append(last - step)
    ups.append(0)
    for one in downs:
        total, ups[2] = total * 3 + one, total
    return total + ups[0] * 5 + ups[1] * 7 + ups[2]


@interpreter
def swapped(code, x):
    first, second = [x], [code]
    first, second = second, first
    first[0] = 7
    return second[0]


def test_several_variables_are_assigned_in_one_line():
    cases = [{"x": x, "y": y} for x, y in itertools.product((-3, 0, 11), repeat=2)]
    for code in ((), (1,), (2, 3, 3, 4, 5)):
        assert agrees(runs, {"code": code}, cases) is not None
    with pytest.raises(StagingError, match="second is changed, and would have two names"):
        cogen(swapped, code=STATIC, x=DYNAMIC)
