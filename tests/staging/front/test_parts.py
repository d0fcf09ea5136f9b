"""Values that are taken apart: targets, patterns, dictionaries as records, items that a loop looks at."""

import random
from dataclasses import dataclass
from typing import Optional

import numpy as np
from tests.staging.front.agreeing import agrees

from pellucid.staging import interpreter, lift


@interpreter
def targets(program, x):
    found = []
    for op, *args in program:
        first, second, *_ = (x, 7, *args)
        name, (a, b) = op
        found.append((name, a * first + b * second, len(args)))
    return found


def test_targets_have_as_many_items() -> None:
    good = ((("a", (1, 2)), 3), (("b", (3, 4)), 5, 6), (("c", (0, 1)),))
    f = agrees(targets, {"program": good}, [{"x": 3}, {"x": -1}])
    assert not f.problem
    for bad in ((("a", (1, 2, 3)), 3), (("a",), 3), (("a", (1,)), 3), (("a", 5), 3), ()):
        agrees(targets, {"program": (bad,)}, [{"x": 3}])


def both(x):
    if x > 0:
        return (x, 1)
    return (x, 1, 2)


@interpreter
def uneven(p, x):
    a, b = both(x) if p else (x, p)
    return a - b


def test_the_number_of_items_may_be_known_late() -> None:
    for p in (0, 1):
        agrees(uneven, {"p": p}, [{"x": 3}, {"x": -3}])


@dataclass(frozen=True)
class Number:
    value: int


@dataclass(frozen=True)
class Call:
    name: str
    one: object
    other: object = None


def value(tree, names):
    match tree:
        case str():
            return names[tree]
        case Number(value=number):
            return number
        case Call("-", inner, None):
            return -value(inner, names)
        case Call("+", one, other):
            return value(one, names) + value(other, names)
        case Call(name, Number(0) as zero, _) if name == "*":
            return zero.value
        case Call(one=one, other=other):
            return value(one, names) * value(other, names)
        case [first, *rest]:
            return value(first, names) + len(rest)
        case int() | float():
            return tree
    raise ValueError("no tree")


@interpreter
def trees(tree, x):
    return value(tree, {"x": x})


def random_tree(draw, depth=3):
    leaf = draw.choice(["x", 3, Number(draw.randrange(3)), ["x", "x"], (1, 2, 3), ["x"]])
    if depth == 0 or draw.random() < 0.2:
        return leaf
    other = random_tree(draw, depth - 1) if draw.random() < 0.8 else None
    return Call(draw.choice("+-*"), random_tree(draw, depth - 1), other)


def test_patterns_may_be_of_classes() -> None:
    draw = random.Random(3)
    for _ in range(40):
        agrees(trees, {"tree": random_tree(draw)}, [{"x": 5}, {"x": -2}])
    for tree in (None, [], Call("+", "y"), Call("*", Number(0), "y")):
        agrees(trees, {"tree": tree}, [{"x": 5}])


@dataclass
class Node:
    op: str
    left: Optional["Node"] = None
    right: "Node | None" = None

    def run(self, x):
        if self.op == "x":
            return x
        if self.op == "+":
            return self.left.run(x) + self.right.run(x)
        return self.left.run(x) * self.right.run(x)


@interpreter
def nodes(node: Node, x):
    return node.run(x)


def test_fields_have_the_classes_of_their_annotations() -> None:
    x = Node("x")
    agrees(nodes, {"node": Node("+", Node("*", x, x), x)}, [{"x": 5}, {"x": -2}])


# ---- dictionaries whose keys are all written are records ----


@interpreter
def states(program, x):
    state = {"acc": x, "pc": 0, "stack": [], "marks": {"low": 0}}
    while state["pc"] < len(program):
        op, arg = program[state["pc"]]
        state["pc"] += 1
        if op == "push":
            state["stack"].append(state["acc"])
        elif op == "pop":
            state["acc"] = state["acc"] * state["stack"].pop() + arg
        elif state["acc"] < arg:
            state["marks"]["low"] += 1
            state["acc"] = state["acc"] + arg
    return state


def test_a_dictionary_may_be_a_state() -> None:
    program = (("push", 0), ("less", 9), ("pop", 2), ("less", 4))
    f = agrees(states, {"program": program}, [{"x": 3}, {"x": 20}])
    assert not f.problem


def looked_up(name, env):
    while env is not None:
        if name in env["names"]:
            return env["names"][name]
        env = env["outer"]
    raise NameError(name)


def lets(tree, env):
    if isinstance(tree, str):
        return looked_up(tree, env)
    if isinstance(tree, int):
        return tree
    op, *args = tree
    if op == "let":
        return lets(args[2], {"outer": env, "names": {args[0]: lets(args[1], env)}})
    return lets(args[0], env) + lets(args[1], env)


@interpreter
def scopes(tree, x):
    return lets(tree, {"names": {"x": x, "one": 1}, "outer": None})


def test_environments_may_be_dictionaries_in_dictionaries() -> None:
    tree = ["let", "y", ["+", "x", 2], ["let", "x", ["+", "y", "y"], ["+", "x", ["+", "y", "one"]]]]
    f = agrees(scopes, {"tree": tree}, [{"x": 3}, {"x": -4}])
    assert not f.problem


# ---- what is taken from static data again is the same ----


@interpreter
def basic(lines, x):
    names = {"X": x}
    at = 0
    while at < len(lines):
        _, kind, *rest = lines[at]
        at += 1
        if kind == "LET":
            names[rest[0]] = computed(rest[1], names)
        elif kind == "IF" and computed(rest[0], names) > 0:
            at = found(lines, rest[1])
    return names.get("S", 0)


def found(lines, number):
    for at, line in enumerate(lines):
        if line[0] == number:
            return at
    raise ValueError(f"no line {number}")


def computed(tree, names):
    if isinstance(tree, str):
        return names.get(tree, 0)
    if isinstance(tree, int):
        return tree
    one = computed(tree[1], names)
    return one + computed(tree[2], names) if tree[0] == "+" else one - computed(tree[2], names)


def test_loops_of_a_program_are_loops() -> None:
    lines = (
        (10, "LET", "S", 0),
        (20, "LET", "S", ("+", "S", "X")),
        (30, "LET", "X", ("-", "X", 1)),
        (40, "IF", "X", 20),
    )
    agrees(basic, {"lines": lines}, [{"x": 5}, {"x": 0}])


# ---- a function that calls itself, and changes an object ----


class Forth:
    def __init__(self, x):
        self.stack = [x]
        self.words = {}

    def run(self, tokens):
        i = 0
        while i < len(tokens):
            word = tokens[i]
            if word == ":":
                self.words[tokens[i + 1]] = tokens[i + 2]
                i += 2
            elif word in self.words:
                self.run(self.words[word])
            elif word == "dup":
                self.stack.append(self.stack[-1])
            else:
                self.stack.append(self.stack.pop() + self.stack.pop())
            i += 1


@interpreter
def forth(tokens, x):
    machine = Forth(x)
    machine.run(tokens)
    return machine.stack


def test_an_object_may_be_changed_by_a_function_that_calls_itself() -> None:
    tokens = (":", "two", ("dup", "+"), ":", "four", ("two", "two"), "two", "dup", "four", "+")
    agrees(forth, {"tokens": tokens}, [{"x": 3}, {"x": -4}])


# ---- order, results, comparisons ----


def push(stack, number):
    stack.append(number)
    stack.append(number + 1)


class Held:
    def __init__(self, x):
        self.stack = [x, 1]


@interpreter
def ordered(program, x):
    held = Held(x)
    grid = [[x, 1], [2, 3]]
    grid[1][0] += x
    for t in program:
        push(held.stack, held.stack.pop() + t)
        held.stack[-1] += held.stack.pop()
    total = 0
    for row in grid:
        for one in row:
            total = total * 5 + one
    seen = {"x": x, "y": 2}
    for key in seen:
        total += seen.get(key, 0) + (key in seen)
    for _ in range(len(held.stack) - 1):
        total += held.stack.pop()
    return total, held.stack, grid


@interpreter
def results(program, x):
    text = "ab" + program[0]
    count = 0
    for letter in text:
        count += letter in "aeiou"
    is_list = isinstance(program, list)
    return (
        (program, program[1:], [*program], (*program,), list(program), tuple(program)),
        (is_list, isinstance(program, tuple), program == (program[0],), "ab".index("b")),
        (text[1:3], text[-1], text.split("b"), count, x),
    )


def test_arguments_are_taken_in_order() -> None:
    agrees(ordered, {"program": (1, 2)}, [{"x": 3}, {"x": -4}])


def test_static_lists_stay_lists() -> None:
    for program in (["u"], ("u",), ["ubu", "v"], ("b", "w")):
        agrees(results, {"program": program}, [{"x": 3}])


@interpreter
def rounded(p, x):
    return x // p, x % p, -x // 3


def test_reals_are_rounded_as_in_python() -> None:
    for p in (3, 0.5, -2):
        agrees(rounded, {"p": p}, [{"x": 7.25}, {"x": -7.5}, {"x": 8}])


@interpreter
def nothing(p, x):
    last = None
    empty = () if p else (x,)
    found = []
    for turn in (1, 2):
        match last:
            case [*_]:
                found.append(turn)
            case None:
                last = (x, turn)
    match x:
        case (_, *_):
            found.append(3)
        case int():
            found.append(4)
    return found, empty is None, isinstance(empty, tuple), empty == last, last == 4, not empty


def test_none_is_told_from_what_is_empty() -> None:
    for p in (0, 1):
        agrees(nothing, {"p": p}, [{"x": 3}])


@interpreter
def numbers_and_none(p, x):
    last = None
    items = [x]
    names = {"a": x}
    found = []
    if items and names:
        last = x
    match last:
        case [*_]:
            found.append(1)
        case []:
            found.append(2)
        case 0 | 3:
            found.append(3)
    while not (items and names) or found:
        found.pop()
        items.append(p)
    return len(items), last


def test_a_number_is_no_sequence_where_none_may_be() -> None:
    for p in (0, 1):
        agrees(numbers_and_none, {"p": p}, [{"x": 3}, {"x": 0}, {"x": 5}])


# ---- keys that are tuples, parts that are numbers, machines with memories ----


@interpreter
def turing(rules, tape, steps):
    state, at, count = "a", lift(0), lift(0)
    while state != "halt" and count < steps:
        for (own, symbol), (write, move, goal) in rules.items():
            if own == state and tape[at] == symbol:
                tape[at] = write
                at += move
                state = goal
                break
        count += 1
    return count


@interpreter
def keyed(rules, x):
    total, state = x, "a"
    for symbol in (0, 1, 1, 2):
        if (state, symbol) in rules:
            write, move, state = rules[(state, symbol)]
            total = total * 3 + write * 10 + move
    return total, rules.get((state, 0)), rules.get((state, 7), 5)


def test_keys_of_static_dictionaries_may_be_tuples() -> None:
    rules = {("a", 0): (1, 1, "b"), ("a", 1): (0, 1, "a"), ("b", 0): (1, 1, "a"), ("b", 1): (1, 1, "halt")}
    agrees(keyed, {"rules": rules}, [{"x": 3}])
    tape = np.array([0, 0, 1, 0, 1, 1, 1, 1], np.uint8)
    f = agrees(turing, {"rules": rules}, [{"tape": tape, "steps": steps} for steps in (0, 2, 7)])
    assert not f.problem
