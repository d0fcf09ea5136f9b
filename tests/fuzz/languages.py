"""Interpreters and random programs for them: over closures, over a memory, in Python, and recur.

A language says how its interpreter is made, what its parameters may be, and how a random program is made as JSON.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tests.staging.interpreters import RPN, TREES

from pellucid.staging import interpreter, lift
from pellucid.staging.front.statements import program_of
from pellucid.staging.front.vectors import static_data
from pellucid.staging.root import recur
from pellucid.staging.root.program import RootCode, linked
from pellucid.staging.root.reading import read_sugar

FUNCTIONS = """
value(k e env funs) {
  op = (car e)
  if (= op 'const) (car k)(k (car (cdr e)))
  if (= op 'var) lookup(k (car (cdr e)) env)
  one = (car (cdr e))
  other = (cdr (cdr e))
  if (= op 'let) {
    cl = (close bound (list k one other env funs))
    value(cl (car other) env funs)
  }
  if (= op 'fun) {
    fun = (close entered (list (car other) env funs))
    value(k (car (cdr other)) env (cons:funs (cons:named one fun) funs))
  }
  if (= op 'call) {
    cl = (close argued (list k one funs))
    value(cl (car other) env funs)
  }
  if (= op 'if) {
    cl = (close chosen (list k other env funs))
    value(cl one env funs)
  }
  cl = (close first (list k op other env funs))
  value(cl one env funs)
}
lookup(k name env) {
  if (= (car (car env)) name) (car k)(k (cdr (car env)))
  lookup(k name (cdr env))
}
bound(self v) {
  (k name rest env funs) = (cdr self)
  value(k (car (cdr rest)) (cons:env (cons:entry name v) env) funs)
}
argued(self v) {
  (k name funs) = (cdr self)
  find(k name funs v)
}
find(k name funs v) {
  fun = (cdr (car funs))
  if (= (car (car funs)) name) (car fun)(fun k v)
  find(k name (cdr funs) v)
}
entered(self k v) {
  (body env funs) = (cdr self)
  value(k body (cons:env (cons:entry 'x v) env) funs)
}
chosen(self v) {
  (k arms env funs) = (cdr self)
  if (< 0 v) value(k (car arms) env funs)
  value(k (car (cdr arms)) env funs)
}
first(self v) {
  (k op rest env funs) = (cdr self)
  cl = (close second (list k op v))
  value(cl (car rest) env funs)
}
second(self w) {
  (k op v) = (cdr self)
  (car k)(k (apply op (list v w)))
}
start(k e x y) {
  value(k e (cons:env (cons:entry 'x x) (cons:env (cons:entry 'y y) nil)) nil)
}
"""
"""Expressions with let, if and functions, whose closures are closures of root that hold their environments."""

STACK = """
steps(k prog pc stack x n) {
  now = (vref prog pc)
  op = (vref now 0)
  c = (vref now 1)
  next = (+ pc 1)
  if (= op 'push) steps(k prog next (cons:stack c stack) x n)
  if (= op 'x) steps(k prog next (cons:stack x stack) x n)
  if (= op 'end) (car k)(k (car stack))
  if (= op 'again) {
    if (< n 1) steps(k prog next stack x n)
    steps(k prog (+ pc c) stack x (- n 1))
  }
  top = (car stack)
  below = (cdr stack)
  if (= op 'dup) steps(k prog next (cons:stack top stack) x n)
  if (= op 'set) steps(k prog next below top n)
  if (= op 'load) steps(k prog next (cons:stack (load@m (& top 7)) below) x n)
  if (= op 'skip) {
    if (< 9 top) steps(k prog (+ next c) below x n)
    steps(k prog next below x n)
  }
  if (= op 'store) {
    done = (store@m (& top 7) (car below))
    steps(k prog next (cdr below) x n)
  }
  steps(k prog next (cons:stack (apply op (list (car below) top)) (cdr below)) x n)
}
"""
"""A stack machine over a memory: loops go back as often as a dynamic number says, tests skip forward."""


def tree_value(tree: Any, a: Any, b: Any, packet: Any) -> Any:
    """The value of an expression over two registers and a memory."""
    op = tree[0]
    if op == "number":
        return tree[1]
    if op == "register":
        return a if tree[1] == 0 else b
    one = tree_value(tree[1], a, b, packet)
    if op == "load":
        return packet.load(one % 8)
    other = tree_value(tree[2], a, b, packet)
    if op == "+":
        return one + other
    if op == "-":
        return one - other
    if op == "*":
        return one * other % 10007
    if op == "?":
        return one if one > other else tree_value(tree[3], a, b, packet)
    return max(one, other)


@interpreter
def lines(program: Any, packet: Any, x: Any, n: Any) -> Any:
    """Assignments, stores, tests that skip, and loops that a number bounds."""
    a = lift(x)
    b = lift(3)
    seen = []
    pc = 0
    while pc < len(program):
        line = program[pc]
        pc += 1
        value = lift(tree_value(line[2], a, b, packet))
        if line[0] == "a":
            a = value
        elif line[0] == "b":
            b = value
        elif line[0] == "store":
            packet.store(line[1], value)
        elif line[0] == "show":
            seen.append(value)
        elif line[0] == "skip":
            if value > 9:
                pc = pc + line[1]
        elif n > 0:
            n = n - 1
            pc = pc + line[1]
    for one in seen:
        b = b + one
    return a, b


class Parameter(NamedTuple):
    """What a parameter may be: its times, the likely one first, and its value, None for the program."""

    times: tuple[str, ...]
    value: Callable[[random.Random], Any]


class Language(NamedTuple):
    """An interpreter and its programs.

    code       makes the interpreter in root, anew.
    data       a program, given as JSON, as the interpreter takes it.
    draw       a random program as JSON.
    params     what the parameters after the continuation may be; the program is one.
    plain      the interpreter as a function of Python, where it is one.
    static     variables that must stay static, or the interpreter is not compiled away.
    numbers    variables that hold integers and nothing else, which may be cyclic.
    grows      whether a program's loops can make ever new static values, so that its compiler does not end.
    """

    code: Callable[[], RootCode]
    data: Callable[[Any], Any]
    draw: Callable[[random.Random], Any]
    params: Mapping[str, Parameter]
    plain: Callable[..., Any] | None = None
    static: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    grows: bool = False


_BINARY = ["+", "-", "*", "min", "max", "&", "|", "^"]
_PROGRAM = Parameter(("S",), lambda _: None)
_NIL = Parameter(("nil",), lambda _: None)
_INPUT = Parameter(("D", "D", "S", "cyc"), lambda draw: draw.choice([0, 1, 7, 64, draw.randint(-99, 99)]))
_COUNT = Parameter(("D", "D", "S"), lambda draw: draw.randrange(5))
_START = Parameter(("S",), lambda _: 0)
_WORDS = Parameter(("D",), lambda _: None)


def _pairs(program: Any) -> Any:
    """JSON as lists of root."""
    return linked(*map(_pairs, program)) if isinstance(program, list) else program


def _vector(program: Any) -> Any:
    """JSON as vectors of root."""
    return tuple(map(_vector, program)) if isinstance(program, list) else program


def _tree(draw: random.Random, names: Sequence[str], funs: Sequence[str], depth: int) -> list[Any]:
    """An expression with functions, and without recursion."""
    kind = draw.randrange(9) if depth else draw.randrange(2)
    if kind == 0:
        return ["const", draw.randrange(-9, 99)]
    if kind == 1:
        return ["var", draw.choice(names)]
    if kind == 2:
        name = draw.choice("abxy")
        return [
            "let",
            name,
            _tree(draw, names, funs, depth - 1),
            _tree(draw, [*names, name], funs, depth - 1),
        ]
    if kind == 3:
        return ["if", *(_tree(draw, names, funs, depth - 1) for _ in range(3))]
    if kind == 4:
        name = draw.choice("fgh")
        body = _tree(draw, names, funs, depth - 1)
        return ["fun", name, body, _tree(draw, names, [*funs, name], depth - 1)]
    if kind < 7 and funs:
        return ["call", draw.choice(funs), _tree(draw, names, funs, depth - 1)]
    return [draw.choice(_BINARY), *(_tree(draw, names, funs, depth - 1) for _ in range(2))]


def _plain_tree(draw: random.Random, depth: int = 4) -> list[Any]:
    """An expression without functions."""
    kind = draw.randrange(7) if depth else draw.randrange(2)
    if kind < 2:
        return ["const", draw.randrange(-9, 99)] if kind else ["var", draw.choice("xy")]
    if kind == 2:
        return ["let", draw.choice("xy"), _plain_tree(draw, depth - 1), _plain_tree(draw, depth - 1)]
    if kind == 3:
        return ["if", *(_plain_tree(draw, depth - 1) for _ in range(3))]
    return [draw.choice(_BINARY), *(_plain_tree(draw, depth - 1) for _ in range(2))]


def _rpn(draw: random.Random) -> list[Any]:
    """Words that leave something."""
    out: list[Any] = []
    depth = 0
    for _ in range(draw.randrange(1, 25)):
        kind = draw.randrange(9)
        if depth >= 3 and kind == 0:
            out.append("?")
            depth -= 2
        elif depth >= 2 and kind < 4:
            out.append(draw.choice(_BINARY))
            depth -= 1
        elif depth >= 2 and kind == 4:
            out.append("swap")
        else:
            out.append(draw.choice(["x", "y", [draw.randrange(-9, 99)], *(["dup"] if depth else [])]))
            depth += 1
    return out


def _pushed(draw: random.Random, depth: int) -> list[list[Any]]:
    """Instructions of the stack machine that leave one value more."""
    kind = draw.randrange(6) if depth else draw.randrange(2)
    if kind == 0:
        return [["push", draw.randrange(-3, 70)]]
    if kind == 1:
        return [["x", 0]]
    if kind == 2:
        return [*_pushed(draw, depth - 1), ["load", 0]]
    if kind == 3:
        return [*_pushed(draw, depth - 1), ["dup", 0], [draw.choice(_BINARY), 0]]
    return [*_pushed(draw, depth - 1), *_pushed(draw, depth - 1), [draw.choice(_BINARY), 0]]


def _stack(draw: random.Random, depth: int = 2) -> list[list[Any]]:
    """Instructions that leave the stack as it is; now and then, they do not."""
    out: list[list[Any]] = []
    for _ in range(draw.randrange(1, 4)):
        kind = draw.randrange(5)
        if kind == 0:
            out += [*_pushed(draw, 1), *_pushed(draw, 1), ["store", 0]]
        elif kind == 1 and depth:
            body = _stack(draw, depth - 1)
            out += [*body, ["again", -len(body)]]
        elif kind == 2 and depth:
            body = _stack(draw, depth - 1)
            out += [*_pushed(draw, 1), ["skip", len(body)], *body]
        elif kind == 3 and draw.random() < 0.05:
            out += [["dup", 0]]
        else:
            out += [*_pushed(draw, 2), ["set", 0]]
    return out


def _term(draw: random.Random, depth: int) -> list[Any]:
    """An expression of `lines`."""
    kind = draw.randrange(7) if depth else draw.randrange(2)
    if kind == 0:
        return ["number", draw.randrange(-3, 70)]
    if kind == 1:
        return ["register", draw.randrange(2)]
    if kind == 2:
        return ["load", _term(draw, depth - 1)]
    if kind == 3:
        return ["?", *(_term(draw, depth - 1) for _ in range(3))]
    return [draw.choice("+-*m"), _term(draw, depth - 1), _term(draw, depth - 1)]


def _lines(draw: random.Random) -> list[Any]:
    """A program of `lines`."""
    size = draw.randrange(1, 9)
    out: list[Any] = []
    for at in range(size):
        word = draw.choice(["a", "b", "a", "b", "store", "show", "skip", "again"])
        number = {"skip": draw.randrange(size - at), "again": -draw.randrange(at + 2)}.get(
            word, draw.randrange(8)
        )
        out.append([word, number, _term(draw, 2)])
    return out


def _equation(draw: random.Random, names: Sequence[str], depth: int) -> str:
    """A term of recur: calls go to equations with less fuel."""
    kind = draw.randrange(10) if depth else draw.randrange(2)
    if kind == 0:
        return str(draw.randrange(-9, 99))
    if kind == 1:
        return draw.choice(names)

    def inner() -> str:
        return _equation(draw, names, depth - 1)

    if kind == 2:
        name = draw.choice("uv")
        return f"(let {name} {inner()} {_equation(draw, [*names, name], depth - 1)})"
    if kind == 3:
        return f"(if (< {inner()} {inner()}) {inner()} {inner()})"
    if kind == 4:
        return f"(car (cons {inner()} {inner()}))"
    if kind == 5:
        return f"({draw.choice('fg')} (- n 1) {inner()})"
    if kind == 6:
        return f"((lambda (w) {_equation(draw, [*names, 'w'], depth - 1)}) {inner()})"
    if kind == 7:
        # One of two functions is chosen when it runs; without fuel, it is none of the equations.
        one, other = ("f", draw.choice(["g", "max"])) if "n" in names else ("max", "+")
        return f"((if (< {inner()} {inner()}) {one} {other}) (- n 1) {inner()})"
    return f"({draw.choice(['+', '-', 'min', 'max', '&', '^'])} {inner()} {inner()})"


def _equations(draw: random.Random) -> str:
    """Two equations that call each other."""
    return "\n".join(
        f"({name} (n x) (if (< n 1) {_equation(draw, ['x'], 1).replace('(f ', '(+ ').replace('(g ', '(+ ')}"
        f" {_equation(draw, ['n', 'x'], 3)}))"
        for name in "fg"
    )


LANGUAGES = {
    "functions": Language(
        lambda: read_sugar(FUNCTIONS)["start"], _pairs, lambda draw: _tree(draw, ["x", "y"], [], 4),
        {"e": _PROGRAM, "x": _INPUT, "y": _INPUT}, None,
        frozenset(["e", "op", "one", "other", "rest", "name", "arms", "body", "fun", "funs", "self", "env"]),
        frozenset("xyvw"),
    ),
    "trees": Language(
        lambda: read_sugar(TREES)["start"], _pairs, _plain_tree, {"e": _PROGRAM, "x": _INPUT, "y": _INPUT}, None,
        frozenset(["e", "op", "one", "other", "rest", "name", "arms", "self"]),
        frozenset("xyvw"),
    ),
    "words": Language(
        lambda: read_sugar(RPN)["expr"], _pairs, _rpn, {"prog": _PROGRAM, "stack": _NIL, "x": _INPUT, "y": _INPUT},
        None, frozenset(["prog", "op", "rest"]), frozenset("xy"),
    ),
    "stack": Language(
        lambda: read_sugar(STACK)["steps"], _vector, lambda draw: [*_stack(draw), ["x", 0], ["end", 0]],
        {"prog": _PROGRAM, "pc": _START, "stack": _NIL, "x": _INPUT, "n": _COUNT}, None,
        frozenset(["prog", "pc", "now", "op", "c", "next", "stack", "below"]), frozenset("xn"), True,
    ),
    "lines": Language(
        lambda: program_of(lines.source, ["program"])[0], lambda program: static_data(program, "program"), _lines,
        {"program": _PROGRAM, "packet": _WORDS, "x": _INPUT, "n": _COUNT}, lines.function,
        frozenset(), frozenset("abn"), True,
    ),
    "recur": Language(
        recur.interpreter, recur.read_recur, _equations, {
            "f": Parameter(("S",), lambda draw: draw.choice("fg")),
            "args": Parameter(("D list",), lambda draw: [draw.randrange(4), draw.randint(-9, 99)]),
            "prog": _PROGRAM,
        },
    ),
}  # fmt: skip
