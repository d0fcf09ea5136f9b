"""Interpreters in Python: compiled, they mean what they mean when they are called."""

import random

import numpy as np
import pytest

from pellucid.base.errors import StagingError
from pellucid.staging import DYNAMIC, STATIC, Memory, apply, cogen, dynamic_call, interpreter, lift


@interpreter
def machine(program, x, y):
    """A machine with a stack of static depth, and jumps."""
    pc = 0
    stack = []
    while pc < len(program):
        op, number = program[pc]
        pc += 1
        if op == "push":
            stack.append(number)
        elif op == "x":
            stack.append(x)
        elif op == "y":
            stack.append(y)
        elif op == "set":
            x = stack.pop()
        elif op in ("jump", "less"):
            if op == "jump":
                y = y - 1
                if y > 0:
                    pc = number
            elif stack.pop() < stack[-1]:
                pc = pc + number
        elif op == "add":
            stack[-1] = stack.pop() + stack[-1]
        elif op == "times":
            a = stack.pop()
            stack.append(stack.pop() * a % 1009)
        else:
            raise ValueError(f"no instruction {op!r}")
    return x if not stack else stack[-1]


def tree_value(tree, names, values):
    op = tree[0]
    if op == "const":
        return tree[1]
    if op == "var":
        while names[0] != tree[1]:
            names = names[1]
            values = values[1]
        return values[0]
    if op == "let":
        value = tree_value(tree[2], names, values)
        return tree_value(tree[3], (tree[1], names), (value, values))
    if op == "if":
        if tree_value(tree[1], names, values) > 0:
            return tree_value(tree[2], names, values)
        return tree_value(tree[3], names, values)
    one = tree_value(tree[1], names, values)
    other = tree_value(tree[2], names, values)
    if op == "+":
        return one + other
    if op == "-":
        return one - other
    return min(one, other)


@interpreter
def trees(tree, x):
    """Expressions with names."""
    return tree_value(tree, ("x", None), (x, None))


def random_machine(draw):
    out, depth = [], 0
    for _ in range(draw.randrange(1, 16)):
        kind = draw.choice(["push", "x", "y", "add", "times", "set", "less"])
        need = {"add": 2, "times": 2, "set": 1, "less": 2}.get(kind, 0)
        if depth < need:
            kind, need = "x", 0
        if kind == "less":
            # Both ways have the same depth: what is skipped is two pushes that are popped again.
            out += [("less", 2), ("x", 0), ("set", 0)]
            depth -= 1
            continue
        out.append((kind, draw.randrange(50)))
        depth += {"push": 1, "x": 1, "y": 1, "add": -1, "times": -1, "set": -1}[kind]
    if depth == 0 and draw.random() < 0.5:
        out.append(("jump", 0))
    return tuple(out)


def random_tree(draw, names=("x",), depth=4):
    kind = draw.randrange(7) if depth else draw.randrange(2)
    if kind == 0:
        return ("const", draw.randrange(-9, 99))
    if kind == 1:
        return ("var", draw.choice(names))
    if kind == 2:
        name = draw.choice("abx")
        return (
            "let",
            name,
            random_tree(draw, names, depth - 1),
            random_tree(draw, (*names, name), depth - 1),
        )
    if kind == 3:
        return ("if", *(random_tree(draw, names, depth - 1) for _ in range(3)))
    return (draw.choice("+-m"), random_tree(draw, names, depth - 1), random_tree(draw, names, depth - 1))


def test_machines_mean_the_same() -> None:
    draw = random.Random(5)
    compiler = cogen(machine, program=STATIC, x=DYNAMIC, y=DYNAMIC)
    for _ in range(150):
        program = random_machine(draw)
        f = compiler(program)
        for _ in range(2):
            x, y = draw.randrange(-9, 50), draw.randrange(5)
            assert f(x, y) == machine(program, x, y), program
        assert not f.problem


def test_trees_mean_the_same() -> None:
    draw = random.Random(6)
    compiler = cogen(trees, tree=STATIC, x=DYNAMIC)
    for _ in range(150):
        tree = random_tree(draw)
        f = compiler(tree)
        for _ in range(2):
            x = draw.randrange(-9, 50)
            assert f(x) == trees(tree, x), tree
        assert not f.problem


@interpreter
def filters(program, packet, length):
    """Tests on the words of a packet."""
    pc = 0
    a = 0
    regs = [0] * 4
    for _ in range(100):
        op, k, yes, no = program[pc]
        pc = pc + 1
        if op == "load":
            if k >= length:
                return 0
            a = packet.load(k)
        elif op == "save":
            regs[k] = a
        elif op == "get":
            a = regs[k]
        elif op == "equal":
            pc = pc + (yes if a == k else no)
        elif op == "put":
            packet.store(k, a + 1)
        else:
            return k if op == "return" else a
    return -1


def test_memories_are_arrays() -> None:
    program = (
        ("load", 2, 0, 0),
        ("save", 1, 0, 0),
        ("equal", 7, 0, 2),
        ("get", 1, 0, 0),
        ("put", 0, 0, 0),
        ("get", 1, 0, 0),
        ("accept", 0, 0, 0),
    )
    f = cogen(filters, program=STATIC, packet=DYNAMIC, length=DYNAMIC)(program)
    for words in ([1, 2, 7], [1, 2, 3], [1, 2]):
        one, other = (np.array(words, np.uint8) for _ in range(2))
        assert f(one, len(words)) == filters(program, Memory("packet", 8, other), len(words))
        assert one.tolist() == other.tolist()
    assert not f.problem


def call_it(program, name, x):
    return body_of(program, program[name], x)


def body_of(program, body, x):
    if body[0] == "x":
        return x
    if body[0] == "number":
        return body[1]
    if body[0] == "call":
        return dynamic_call(call_it(program, body[1], body_of(program, body[2], x)))
    if body[0] == "if":
        if body_of(program, body[1], x) < 1:
            return body_of(program, body[2], x)
        return body_of(program, body[3], x)
    one = body_of(program, body[1], x)
    other = body_of(program, body[2], x)
    return one + other if body[0] == "+" else one * other


@interpreter
def recursive(program, x):
    """Functions that call themselves."""
    return call_it(program, "main", x)


def test_programs_may_recur() -> None:
    program = {
        "main": (
            "if",
            ("x",),
            ("number", 1),
            ("*", ("x",), ("call", "main", ("+", ("x",), ("number", -1)))),
        )
    }
    f = cogen(recursive, program=STATIC, x=DYNAMIC)(program)
    assert f(10) == recursive(program, 10) == 3628800
    assert not f.problem


@interpreter
def counted(n, x):
    total = 0
    for i in range(n):
        total = total + i * x
        if total > 1000:
            break
    return total, x


def test_a_range_may_end_at_a_dynamic_number() -> None:
    f = cogen(counted, n=DYNAMIC, x=DYNAMIC)()
    g = cogen(counted, n=STATIC, x=DYNAMIC)
    for n in (1, 5, 50):
        assert f(n, 7) == g(n)(7) == counted(n, 7)


def test_the_interpreter_refuses_programs_when_it_compiles() -> None:
    with pytest.raises(StagingError, match="no instruction 'fly'"):
        cogen(machine, program=STATIC, x=DYNAMIC, y=DYNAMIC)((("fly", 0),))


@interpreter
def endless(program, x):
    i = 0
    while i < x:
        i = i + program
    return i


@interpreter
def ended(program, x):
    i = lift(0)
    while i < x:
        i = i + program
    return i


def test_growth_names_the_variable_and_the_line() -> None:
    line = endless.source.tree.lineno + 2
    with pytest.raises(StagingError, match=rf"test_front\.py:{line}: .*new values of i .*lift i"):
        cogen(endless, program=STATIC, x=DYNAMIC)(3)
    assert cogen(ended, program=STATIC, x=DYNAMIC)(3)(10) == ended(3, 10) == 12


@interpreter
def statements(program, x):
    """Assignments to names."""
    env = {"x": x}
    out = []
    for line in program:
        if line[0] == "set":
            env[line[1]] = env[line[2]] * line[3]
        elif line[0] == "show" and line[1] in env:
            out.append(env[line[1]])
    out[0] += 1
    return out, len(out), env["x"]


def test_dictionaries_have_static_keys() -> None:
    program = (("set", "y", "x", 3), ("set", "x", "y", 2), ("show", "x"), ("show", "z"), ("show", "y"))
    f = cogen(statements, program=STATIC, x=DYNAMIC)(program)
    for x in (5, 2.5):
        assert f(x) == statements(program, x)


@interpreter
def numbers(p, x):
    y = -x if x < 0 else abs(x) + max(x, p) - min(p, x, 3)
    t = (x, (y, p))
    return t, [x / 2, x * 2], not x, bool(x) and 1 < x <= 3, None


def test_results_are_values_of_python() -> None:
    f = cogen(numbers, p=STATIC, x=DYNAMIC)(7)
    for x in (-3, 0, 2, 2.5, -0.5):
        assert f(x) == numbers(7, x)


@interpreter
def perhaps(p, x):
    s = None
    if x > 3:
        s = (x, p)
    return s


@interpreter
def entries(p, x):
    found = {"x": x}
    found[p] = x + 1
    return found


@interpreter
def positive(p, x):
    assert x > p, "too small"
    return x


def test_results_may_be_none_or_dictionaries() -> None:
    f = cogen(perhaps, p=STATIC, x=DYNAMIC)(1)
    g = cogen(entries, p=STATIC, x=DYNAMIC)("y")
    for x in (2, 5, 3, 9):
        assert f(x) == perhaps(1, x)
        assert g(x) == entries("y", x)
    assert not f.problem


def test_errors_of_the_interpreter_have_machine_code() -> None:
    f = cogen(positive, p=STATIC, x=DYNAMIC)(4)
    assert f(5) == 5
    assert not f.problem
    with pytest.raises(StagingError, match="too small"):
        f(3)


@interpreter
def chained(names, x):
    """Operators by their names."""
    for name, more in names:
        x = apply(name, x) if more is None else apply(name, x, more)
    return x


def test_operators_are_called_by_their_names() -> None:
    names = (("add.f32", 0.1), ("sqrt.f32", None), ("max.f32", 1.25), ("to_integer.f32.i32", None))
    compiler = cogen(chained, names=STATIC, x=DYNAMIC)
    for x in (0.5, 2.0, 30.0):
        for count in range(1, len(names) + 1):
            assert compiler(names[:count])(x) == chained(names[:count], x)
    with pytest.raises(StagingError, match="unknown primitive"):
        apply("hyperbolic.f32", 1.0)


@interpreter
def shelf(program, count, x):
    """Items that are changed in place, in a list of a length that is static."""
    held = [x] * count
    for at, more in program:
        held[at] = held[at - 1] + more
    return held


def test_a_list_of_a_static_length_has_one_time_from_the_start() -> None:
    compiler = cogen(shelf, program=STATIC, count=STATIC, x=DYNAMIC)
    loop = f"shelf:{shelf.function.__code__.co_firstlineno + 4}("
    assert [one for one in compiler.trace if one.startswith(loop)] == [f"{loop}D S S D list)"]
    program = ((0, 2), (1, 5), (0, 1))
    for count in (2, 3):
        f = compiler(program, count)
        assert list(f(7)) == shelf(program, count, 7)
    assert list(compiler((), 0)(7)) == []
    with pytest.raises(StagingError, match="no such item"):
        compiler(program, 0)
