"""Random interpreters in Python: compiled, they give what they give when they are called, or are refused.

A case is the body of a function of static numbers and of two dynamic ones, which computes with lists, dictionaries,
tuples and objects that are changed in place, in loops that are static or dynamic. What Python refuses must be refused.
"""

from __future__ import annotations

import json
import linecache
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tests.fuzz.contract import NotACase, demand_soon

from pellucid.base.errors import PellucidError
from pellucid.staging import DYNAMIC, STATIC, cogen, interpreter, lift

SECONDS = 10.0
"""Processor time after which a refusal comes too late, on any machine."""
MAX_LINES = 100_000
"""Lines that a call in plain Python may run: what runs more, as a loop without its count, is no case."""
PROGRAMS: tuple[Any, ...] = ((2, 1), [3, 2, 4])
VALUES = ((0, 1), (5, -3), (-7, 2))
_FAILURES = (ArithmeticError, AssertionError, LookupError, NameError, PellucidError, TypeError, ValueError)
_LARGE = ("too large", "bits", "a text is repeated")
"""Words of refusals of numbers and texts that Python has, and machine code has not."""
_HEAD = """
class Box:
    def __init__(self, a, b):
        self.a = a
        self.items = [b]
        self.env = {}

    def put(self, v):
        self.items.append(v)
        self.a += 1
        return len(self.items)

    def take(self):
        return self.items.pop()

    def named(self, k):
        return self.env.get(k, self.a)

    def walk(self, n):
        if n > 0:
            self.items.append(n)
            self.walk(n - 1)
            self.a += self.items[-1]


def push(xs, v):
    xs.append(v)
    return len(xs)


def swap(xs):
    a = xs.pop()
    b = xs.pop()
    xs.append(a)
    xs.append(b)


def product(n, made):
    if n <= 0:
        return made
    return product(n - 1, made * n)


def bounded(v, low=-50, high=50):
    return max(low, min(high, v))


TABLE = [[1, -2], (3, 4, 5), [0, 1]]


def run(p, x, y):
    xs = [x, 1]
    t = (x, y, (1, 2))
    env = {"a": x}
    box = Box(y, x)
    st = {"n": 0, "xs": [x], "in": {"z": y, "y": 0}}
    out = []
    last = None
    name = "a"
    cut = TABLE[0]
    q = 0
    i0 = 0
"""
_ATOMS = ("x", "y", "p[0]", "q", "1", "2", "-3", "i0", "len(p)")
_PARTS = (
    "xs[-1]", "xs[0]", "len(xs)", "xs[1]", "t[0]", "t[1]", "t[-2]", "t[2][0]", 'env["a"]', 'env.get("b", 4)',
    'env["b"]', "len(env)", "env.get(p[1], 0)", "box.a", "box.items[-1]", "len(box.items)", 'box.named("k")', 'st["n"]',
    'st["xs"][-1]', 'st["in"]["z"]', 'len(st["xs"])', "p[x & 1]", "p[-1 - (y & 1)]",
    "TABLE[x & 1][y & 1]", "TABLE[y % 3][x]",
    "len(TABLE[x % 3])", "len(TABLE[x % 3][y:])", "TABLE[y % 3][1:][x % 2]", "len(TABLE[x % 3][-2:y])",
    "cut[-1]", "len(cut)",
)  # fmt: skip
_TRUTHS = (
    "xs", "not xs", "cut", "p", "t", "env", "box.items", "x", "not q", '"a" in env', '"b" not in env', "p[1] in env",
    'name == "a"', "t[2] == (1, 2)", "t == 4", "last is None", "last is not None", "isinstance(p, list)", "xs is None",
    "isinstance(name, str)", "isinstance(t, tuple)",
)  # fmt: skip
_CHANGES = (
    "x = xs.pop()", "y = xs.pop() - x", "xs.append(xs.pop())", "a, b, c = t", "a, *b = t", "x, y = y, x",
    "(a, b) = t[2]", "x, *cut = TABLE[y & 1]", "cut = TABLE[x % 3][:y]", "x, *cut = cut", "cut = cut[1:]",
    "x = box.take()", "box.items[0] = x", "box.a -= box.put(y)", "swap(xs)", "push(box.items, box.items.pop())",
    "push(xs, len(xs))", 'st["in"]["y"] += 1', 'x = st["xs"].pop()', "last = None", "last = x", "name = 'b'",
    "box.walk(2)", "push(xs, xs.pop() + len(xs))", "last = t", "last = (x, y)[1:]",
)  # fmt: skip
_FILLED = (
    "xs.append({})", "xs[0] = {}", "xs[-1] = {}", "xs[1] = {}", "xs[-1] += {}", "t = ({}, x, ({}, 2))", 'env["b"] = {}',
    'env["a"] -= {}', "env[p[1]] = {}", "box.put({})", "box.a = {}", 'box.env["k"] = {}', "y = push(xs, {})",
    'st["n"] += {}', 'st["xs"].append({})', 'st["in"]["z"] = {}', "out.append({})", "out.append(({}, name))", "x = {}",
    "y = {}", "q = {}", "x += {}", "y -= {}", "q *= {}",
)  # fmt: skip
_LOOPS = (
    "p", "range(3)", "range(len(p))", "range(2, 0, -1)", "(4, x)", "reversed(p)", "xs", "range(lift(2))",
    "range(y, x, q - 2)", "env", "st['xs']",
)  # fmt: skip
_PAIRS = ("env.items()", "enumerate(p)", "zip(p, xs)", "enumerate(xs, 1)")
_PATTERNS = (
    "2", "1 | 3", '"a"', "(a0, b0, _)", "int()", "[_, _, (1, c0)]", "(d0, *_)", "y0 if y0 == 4", "None", "[*_]",
)  # fmt: skip
_ENDS = (
    "return x, y, q, xs, out",
    "return out, t, last",
    "return box.a, box.items, xs, env",
    "return st, x, name",
    "return xs, i0, x",
)


class _Maker:
    """Writes the lines of a body."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.depth = 1
        self.count = 0

    def line(self, text: str) -> None:
        """Write a line."""
        self.lines.append("    " * self.depth + text)

    def number(self, deep: int = 2) -> str:
        """An expression of a number."""
        pick = self.rng.choice
        if deep == 0 or self.rng.random() < 0.15:
            return pick(_ATOMS)
        if self.rng.random() < 0.35:
            return pick(_PARTS)
        one, other, test = self.number(deep - 1), self.number(deep - 1), self.truth(deep - 1)
        by = pick(["3", "2", "-2", "(1 + abs(y))"])
        forms = [
            *(f"({one} {sign} {other})" for sign in ("+", "-", "*", "&", "|", "^", "or", "and")),
            f"({one} // {by})",
            f"({one} % {by})",
            f"({one} if {test} else {other})",
            f"abs({one})",
            f"min({one}, {other})",
            f"max({one}, {other})",
            f"bounded({one})",
            f"product({pick(['p[0]', '3', '2'])}, {one})",
            f"(-{one})",
            f"int({one} < {other})",
        ]
        return pick(forms)

    def truth(self, deep: int = 2) -> str:
        """An expression that is tested."""
        pick = self.rng.choice
        one, other = self.number(0), self.number(0)
        sign = pick(["<", ">", "<=", ">=", "==", "!="])
        if deep <= 0 or self.rng.random() < 0.35:
            return f"{one} {sign} {other}"
        forms = [
            pick(_TRUTHS),
            pick(_TRUTHS),
            f"({self.truth(deep - 1)} {pick(['and', 'or'])} {self.truth(deep - 1)})",
            f"not {self.truth(deep - 1)}",
            f"{one} in {pick(['p', 'xs', '(1, 2, 3)', 't[2]'])}",
            f"{pick(['1', '-2', '0'])} < {one} <= {other}",
        ]
        return pick(forms)

    def block(self, deep: int, *, in_loop: bool = False) -> None:
        """Write what stands under a line."""
        self.depth += 1
        for _ in range(self.rng.randrange(1, 3)):
            self.statement(deep)
        if in_loop and self.rng.random() < 0.3:
            self.line(f"if {self.truth(1)}:")
            self.line("    " + self.rng.choice(["break", "continue"]))
        self.depth -= 1

    def statement(self, deep: int) -> None:
        """Write a statement."""
        chance, pick = self.rng.random(), self.rng.choice
        self.count += 1
        name = f"v{self.count}"
        if not deep or chance < 0.6:
            filled = pick(_FILLED)
            self.line(
                pick(_CHANGES)
                if self.rng.random() < 0.4
                else filled.format(*(self.number() for _ in range(filled.count("{}"))))
            )
        elif chance < 0.7:
            self.line(f"if {self.truth()}:")
            self.block(deep - 1)
            if self.rng.random() < 0.5:
                self.line("else:")
                self.block(deep - 1)
        elif chance < 0.88:
            self._loop(deep, name)
        elif chance < 0.94:
            self.line(f"match {pick(['p[1]', 'x', 'name', 't', 'last'])}:")
            self.depth += 1
            for one in self.rng.sample(_PATTERNS, 3):
                self.line(f"case {one}:")
                self.block(deep - 1)
            self.depth -= 1
        elif chance < 0.97:
            self.line(f"if {self.truth()}:")
            self.line(f"    return {self.number(1)}")
        else:
            self.line(f"assert {self.truth()}")

    def _loop(self, deep: int, name: str) -> None:
        kind, pick = self.rng.randrange(4), self.rng.choice
        if kind == 0:
            self.line(f"{name} = {pick(['0', 'lift(0)'])}")
            self.line(f"while {name} < {pick(['2', 'len(p)', 'min(abs(x), 3)'])}:")
            self.line(f"    {name} += 1")
            self.block(deep - 1, in_loop=True)
            return
        self.line(
            f"for i{name}, {name} in {pick(_PAIRS)}:" if kind == 1 else f"for {name} in {pick(_LOOPS)}:"
        )
        self.line(f"    i0 = {name}")
        self.block(deep - 1, in_loop=True)
        if self.rng.random() < 0.2:
            self.line("else:")
            self.block(deep - 1)


def generate(rng: random.Random) -> str:
    """Make the body of a function."""
    maker = _Maker(rng)
    for _ in range(rng.randrange(3, 8)):
        maker.statement(2)
    maker.line(rng.choice(_ENDS))
    return json.dumps(maker.lines)


def check(case: str) -> Mapping[str, int]:
    """Compile the function, and compare what it gives."""
    function = _function(case)
    begin = time.process_time()
    try:
        compiler = cogen(interpreter(function), p=STATIC, x=DYNAMIC, y=DYNAMIC)
    except PellucidError:
        return {"outside of the subset": 1}
    counts = Counter[str]()
    for program in PROGRAMS:
        wanted = [_outcome(_ended(function), program, *one) for one in VALUES]
        try:
            made = compiler(program)
        except PellucidError as error:
            is_wrong = error.fix == "change the program that is compiled"
            if is_wrong and any(one[0] == "value" for one in wanted):
                raise AssertionError(f"{program} is refused: {error}") from None
            counts["fails early" if is_wrong else "grows"] += 1
            continue
        for values, one in zip(VALUES, wanted, strict=True):
            found = _outcome(made, *values)
            if found[0] == "failed" and any(word in found[1] for word in _LARGE):
                counts["large"] += 1
                continue
            if one[0] != "fails unseen":
                is_same = found == one or found[0] == one[0] == "failed"
                assert is_same, f"{program}, {values}: {found} against {one}"
            counts[found[0]] += 1
        counts["machine code" if not made.problem else "no machine code"] += 1
    demand_soon(begin, SECONDS, "compiling takes too long")
    return counts


def _function(case: str) -> Any:
    """The function of a body, with a source that can be read."""
    try:
        lines = json.loads(case)
        text = _HEAD + "\n".join(lines) + "\n"
        code = compile(text, "<front>", "exec")
    except (ValueError, SyntaxError, TypeError):
        raise NotACase(case) from None
    linecache.cache["<front>"] = (len(text), None, text.splitlines(keepends=True), "<front>")
    names: dict[str, Any] = {"lift": lift, "__name__": "front"}
    exec(code, names)
    return names["run"]


def _ended(function: Any) -> Any:
    """The function, a call of which raises NotACase after so many lines."""

    def call(*args: Any) -> Any:
        left = MAX_LINES

        def count(_frame: Any, event: str, _value: Any) -> Any:
            nonlocal left
            left -= event == "line"
            if left < 0:
                raise NotACase("it does not end soon")
            return count

        before = sys.gettrace()
        sys.settrace(count)
        try:
            return function(*args)
        finally:
            sys.settrace(before)

    return call


def _outcome(function: Any, *args: Any) -> tuple[str, str]:
    """What a function gives, or that it fails; what an operator refuses is not seen where nobody needs its value."""
    try:
        return "value", repr(function(*args))
    except (TypeError, ZeroDivisionError) as error:
        return "failed" if isinstance(error, PellucidError) else "fails unseen", str(error)
    except _FAILURES as error:
        return "failed", str(error)


def shrink(case: str) -> Iterator[str]:
    """Leave out a line with what stands under it, or put that in its place."""
    lines: list[str] = json.loads(case)
    for at, line in enumerate(lines):
        depth = len(line) - len(line.lstrip())
        end = at + 1
        while end < len(lines) and len(lines[end]) - len(lines[end].lstrip()) > depth:
            end += 1
        yield json.dumps(lines[:at] + lines[end:])
        if end > at + 1:
            yield json.dumps([*lines[:at], *(one[4:] for one in lines[at + 1 : end]), *lines[end:]])
    for at, line in enumerate(lines):
        head, sign, _ = line.partition(" = ")
        if sign:
            for value in ("x", "1"):
                if line != f"{head} = {value}":
                    yield json.dumps([*lines[:at], f"{head} = {value}", *lines[at + 1 :]])
