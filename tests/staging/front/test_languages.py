"""Interpreters of small languages that a stranger would write: compiled, by every tier, they mean what they mean."""

import random
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np
import pytest

import pellucid
from pellucid.base.errors import StagingError
from pellucid.staging import DYNAMIC, STATIC, Memory, cogen, interpreter, lift


def by_every_tier(f, args):
    """The results of a compiled program for numbers, by each tier."""
    made = []
    for tier in ("machine", "quick", "llvm"):
        kinds = ["integer" if isinstance(one, int) else "real" for one in args]
        made.append(pellucid.compile_code(f.code, *kinds, tier=tier)(*args))
    return made


# ---- brainfuck: a tape in memory, jumps by static search ----


def partner(program, pc, step):
    depth = 0
    while True:
        if program[pc] == "[":
            depth += 1
        elif program[pc] == "]":
            depth -= 1
        if depth == 0:
            return pc
        pc += step


@interpreter
def brainfuck(program, tape: Memory):
    pc = 0
    at = lift(0)
    while pc < len(program):
        op = program[pc]
        if op == ">":
            at += 1
        elif op == "<":
            at -= 1
        elif op == "+":
            tape.store(at, tape.load(at) + 1)
        elif op == "-":
            tape.store(at, tape.load(at) - 1)
        elif op == "[":
            if tape.load(at) == 0:
                pc = partner(program, pc, 1)
        elif op == "]" and tape.load(at) != 0:
            pc = partner(program, pc, -1)
        pc += 1
    return at


def test_brainfuck() -> None:
    compiler = cogen(brainfuck, program=STATIC, tape=DYNAMIC)
    for program in ("++>+++[<+>-]<", "+++[>++[>+<-]<-]", ">>+<", ""):
        f = compiler(program)
        one, other = np.zeros(16, np.uint8), np.zeros(16, np.uint8)
        assert f(one) == brainfuck(program, Memory("tape", 8, other))
        assert one.tolist() == other.tolist()
        assert not f.problem


# ---- Forth: words by `match`, a list for a stack, texts ----


@interpreter
def forth(words, x):
    stack = [x]
    for word in words:
        match word:
            case "dup":
                stack.append(stack[-1])
            case "swap":
                a = stack.pop()
                b = stack.pop()
                stack.append(a)
                stack.append(b)
            case "+" | "plus":
                stack.append(stack.pop() + stack.pop())
            case "*":
                stack.append(stack.pop() * stack.pop())
            case "drop":
                stack.pop()
            case number if number.isdigit():
                stack.append(int(number))
            case _:
                raise ValueError(f"what is {word}")
    return stack[-1]


def test_forth() -> None:
    compiler = cogen(forth, words=STATIC, x=DYNAMIC)
    draw = random.Random(1)
    for _ in range(20):
        words = [draw.choice(["dup", "3 +", "dup * 1009 swap drop", "2 *", "7 swap plus"]) for _ in range(6)]
        program = " ".join(words).split()
        x = draw.randrange(-50, 50)
        assert compiler(program)(x) == forth(program, x), program
    program = ["dup", "*", "3", "+", "dup", "plus"]
    assert by_every_tier(compiler(program), [5]) == [56] * 3
    with pytest.raises(StagingError, match=r"test_languages\.py:\d+: what is fly; change the program"):
        compiler(["fly"])


# ---- regular expressions by derivatives: a static recursion makes the automaton ----


def nullable(r):
    if r[0] in ("none", "letter"):
        return False
    if r[0] == "or":
        return nullable(r[1]) or nullable(r[2])
    return nullable(r[1]) and nullable(r[2]) if r[0] == "then" else True


def then(one, other):
    if one == ("none",) or other == ("none",):
        return ("none",)
    return other if one[0] == "empty" else ("then", one, other)


def either(one, other):
    if one[0] == "none":
        return other
    return one if one == other or other[0] == "none" else ("or", one, other)


def derived(r, letter):
    match r:
        case ("letter", own):
            return ("empty",) if own == letter else ("none",)
        case ("star", inner):
            return then(derived(inner, letter), r)
        case ("or", one, other):
            return either(derived(one, letter), derived(other, letter))
        case ("then", one, other):
            left = then(derived(one, letter), other)
            return either(left, derived(other, letter)) if nullable(one) else left
    return ("none",)


@interpreter
def matches(r, letters, text, n):
    for i in range(n):
        c = text[i]
        for letter in letters:
            if c == letter:
                r = derived(r, letter)
                break
        else:
            return False
    return nullable(r)


def test_expressions_become_automata() -> None:
    a, b = ("letter", 97), ("letter", 98)
    r = ("then", ("star", ("or", a, b)), ("then", a, b))
    f = cogen(matches, r=STATIC, letters=STATIC, text=DYNAMIC, n=DYNAMIC)(r, (97, 98))
    for text in (b"ab", b"aabab", b"ba", b"", b"abc", b"bbbab"):
        words = np.frombuffer(text + b"\0", np.uint8).copy()
        assert f(words, len(text)) == matches(r, (97, 98), words, len(text)), text
    assert not f.problem


# ---- environments as dictionaries, trees as nested tuples ----


def calculated(tree, names):
    match tree:
        case ("number", number):
            return number
        case ("name", name):
            return names[name]
        case ("let", name, bound, body):
            return calculated(body, {**names, name: calculated(bound, names)})
        case ("-", one):
            return -calculated(one, names)
        case ("+", one, other):
            return calculated(one, names) + calculated(other, names)
    raise ValueError(f"no operator {tree[0]}")


@interpreter
def calculator(tree, x):
    return calculated(tree, {"x": x, "one": 1})


def random_sum(draw, names, depth=3):
    kind = draw.randrange(5) if depth else draw.randrange(2)
    if kind == 0:
        return ("number", draw.randrange(9))
    if kind == 1:
        return ("name", draw.choice(names))
    if kind == 2:
        return ("-", random_sum(draw, names, depth - 1))
    if kind == 3:
        name = draw.choice("yzx")
        inner = random_sum(draw, (*names, name), depth - 1)
        return ("let", name, random_sum(draw, names, depth - 1), inner)
    return ("+", random_sum(draw, names, depth - 1), random_sum(draw, names, depth - 1))


def test_environments_may_be_dictionaries() -> None:
    compiler = cogen(calculator, tree=STATIC, x=DYNAMIC)
    draw = random.Random(2)
    for _ in range(40):
        tree = random_sum(draw, ("x", "one"))
        f = compiler(tree)
        for x in (draw.randrange(-99, 99), 0.5):
            assert f(x) == calculator(tree, x), tree
    assert by_every_tier(f, [3]) == [calculator(tree, 3)] * 3
    with pytest.raises(StagingError, match="no such item or entry"):
        compiler(("name", "q"))


# ---- a state machine over bytes, as a table of tables ----


@interpreter
def states(table, start, text, n):
    state, steps = start, lift(0)
    for i in range(n):
        for key, goal in table[state].items():
            if text[i] == key:
                state = goal
                steps += 1
                break
        else:
            return -1
    return steps if state == "even" else 0


def test_a_state_machine_over_bytes() -> None:
    table = {"even": {48: "even", 49: "odd"}, "odd": {48: "odd", 49: "even"}}
    f = cogen(states, table=STATIC, start=STATIC, text=DYNAMIC, n=DYNAMIC)(table, "even")
    for text in (b"0101", b"1", b"2", b"", b"1110"):
        words = np.frombuffer(text + b"\0", np.uint8).copy()
        assert f(words, len(text)) == states(table, "even", words, len(text)), text
    assert not f.problem


# ---- a Markov algorithm: rules rewrite the first place that fits ----


@interpreter
def markov(rules, a, b, c):
    tape = [a, b, c]
    for _ in (1, 2, 3, 4):
        changed = False
        for left, right in rules:
            for i in (0, 1, 2):
                if not changed and tape[i] == left:
                    tape[i] = right
                    changed = True
        if not changed:
            break
    return tape


def test_a_markov_algorithm() -> None:
    rules = ((1, 2), (2, 3))
    f = cogen(markov, rules=STATIC, a=DYNAMIC, b=DYNAMIC, c=DYNAMIC)(rules)
    for args in ((1, 2, 3), (1, 1, 1), (0, 0, 0)):
        assert f(*args) == markov(rules, *args)
    assert not f.problem


# ---- an L-system: a static recursion over texts ----


def expanded(rules, symbol, depth, total, x):
    if depth == 0:
        return total + (x if symbol == "F" else 1)
    for one in rules[symbol]:
        total = expanded(rules, one, depth - 1, total, x)
    return total


@interpreter
def lengths(rules, axiom, depth, x):
    total = 0
    for one in axiom:
        total = expanded(rules, one, depth, total, x)
    return total


def test_an_l_system() -> None:
    rules = {"F": "F+F", "+": "+"}
    f = cogen(lengths, rules=STATIC, axiom=STATIC, depth=STATIC, x=DYNAMIC)(rules, "F+", 3)
    assert f(5) == lengths(rules, "F+", 3, 5)
    assert by_every_tier(f, [7]) == [lengths(rules, "F+", 3, 7)] * 3


# ---- classes: a machine with methods, instructions as named tuples, tags as an enumeration ----


class Op(Enum):
    ADD = 1
    PUSH = 2
    STORE = 3


class Instruction(NamedTuple):
    op: Op
    arg: int = 0


@dataclass
class Counters:
    steps: int
    stores: int = 0


class Machine:
    def __init__(self, x):
        self.stack = [x]
        self.memory = {"a": 0, "b": x}
        self.counters = Counters(0)

    def push(self, value):
        self.stack.append(value)

    def pop(self):
        return self.stack.pop()

    def step(self, instruction):
        self.counters.steps += 1
        if instruction.op == Op.ADD:
            self.push(self.pop() + self.pop())
        elif instruction.op == Op.PUSH:
            self.push(instruction.arg)
        else:
            self.memory["ab"[instruction.arg]] = self.stack[-1]
            self.counters.stores += 1


def count(counters, by):
    counters.stores += by


@interpreter
def objects(program, x):
    machine = Machine(x)
    for instruction in program:
        machine.step(instruction)
    count(machine.counters, 10)
    return machine.pop(), machine.memory["a"], machine.counters


def test_classes_have_fields_and_methods() -> None:
    compiler = cogen(objects, program=STATIC, x=DYNAMIC)
    draw = random.Random(3)
    for _ in range(20):
        program = [Instruction(Op.PUSH, 3)]
        for _ in range(8):
            program += [
                Instruction(Op.PUSH, draw.randrange(9)),
                Instruction(draw.choice([Op.ADD, Op.STORE]), 1),
            ]
        program += [Instruction(Op.STORE)]
        f, x = compiler(program), draw.randrange(-99, 99)
        assert f(x) == objects(program, x)
    assert not f.problem


# ---- loops over several sequences, copies, slices, comparisons ----


@interpreter
def sequences(weights, names, x):
    total = 0.0
    for at, (weight, name) in enumerate(zip(weights, names, strict=True), 1):
        total += weight * at * x if name in ("u", "w") else weight
    for weight in reversed(weights):
        total -= weight
    for weight in weights[1:]:
        total += weight
    pairs = (x, total, 3)
    if pairs[1:] == (total, 3) and len(weights) == len(names) > 0:
        total += float(names.count("w")) if isinstance(names, str) else 1.0
    entries = {"k": x}
    entries["l"] = entries.get("k", 0) + entries.get("q", 5)
    for key, value in entries.items():
        total += value if key == "l" else 0
    for value in entries.values():
        total = max(total, value)
    return total, [*weights], (1, *names[:2])


def test_loops_go_over_several_sequences() -> None:
    f = cogen(sequences, weights=STATIC, names=STATIC, x=DYNAMIC)([1.0, 2.5, -3.0], ["u", "v", "w"])
    for x in (0.5, 2.0, 3):
        found, wanted = f(x), sequences([1.0, 2.5, -3.0], ["u", "v", "w"], x)
        assert found[0] == wanted[0]
        assert found[1] == wanted[1]
        assert found[2] == wanted[2]


# ---- what is changed in place has one name, also in functions ----


def push_all(stack, values):
    for value in values:
        stack.append(value)
    return len(stack)


def top(stack):
    return stack[-1]


@interpreter
def lent(values, x):
    stack = [x]
    before = top(stack)
    count_ = push_all(stack, values)
    stack[0] += 1
    return stack, count_, before


def test_functions_change_lists_in_place() -> None:
    f = cogen(lent, values=STATIC, x=DYNAMIC)((1, 2))
    assert f(5) == lent((1, 2), 5) == ([6, 1, 2], 3, 5)


# ---- texts with a parser that is an object: the position is static through the recursion ----


class Parser:
    def __init__(self, text):
        self.text = text
        self.at = 0

    def peek(self):
        return self.text[self.at] if self.at < len(self.text) else ""

    def next(self):
        letter = self.peek()
        self.at += 1
        return letter

    def sum(self, x):
        value = self.product(x)
        while self.peek() in ("+", "-"):
            value = value + self.product(x) if self.next() == "+" else value - self.product(x)
        return value

    def product(self, x):
        value = self.factor(x)
        while self.peek() == "*":
            self.next()
            value = value * self.factor(x)
        return value

    def factor(self, x):
        letter = self.next()
        if letter == "(":
            value = self.sum(x)
            self.next()
            return value
        return x if letter == "x" else int(letter)


@interpreter
def formula(text, x):
    parser = Parser(text)
    return parser.sum(x)


def test_a_parser_is_compiled_away() -> None:
    compiler = cogen(formula, text=STATIC, x=DYNAMIC)
    for text in ("2*(x+3)-x*x", "x", "((x-1)*(x+1)+7)*2"):
        f = compiler(text)
        for x in (-3, 0, 4):
            assert f(x) == formula(text, x)
        assert not f.problem
