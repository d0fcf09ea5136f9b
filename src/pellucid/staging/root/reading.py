"""Codes of root from text: the S-expressions of Figure 3 of Draves (1996), and the sugar of the other figures.

A program is read whole, since its codes name each other. `writing` is the way back.
"""

from __future__ import annotations

import json
import re
from typing import Any

from pellucid.base.errors import TextError
from pellucid.staging.root.forms import Form, expressions
from pellucid.staging.root.program import (
    LIFT_RULES,
    Const,
    Instruction,
    Jump,
    Lift,
    Pair,
    RootCode,
    RootIf,
    RootPrim,
    check,
    linked,
)
from pellucid.staging.times.lattice import DYNAMIC, Stack
from pellucid.staging.times.text import time_of

_HEAD = re.compile(r"([^\s(){}]+)\(([^()]*)\)\s*\{")
_WORDS: dict[str, Any] = {
    "#t": True,
    "#f": False,
    "nil": None,
    "#inf": float("inf"),
    "#-inf": float("-inf"),
    "#nan": float("nan"),
}
_NUMBER = re.compile(r"-?\d{1,4000}|-?\d+\.\d+(e[-+]?\d+)?|-?\d+e[-+]?\d+")
INFIX = frozenset({"+", "-", "*", "/", "=", "<", "idiv", "imod", "&", "|", "^", "<<", ">>"})


def read(text: str) -> dict[str, RootCode]:
    """The codes of a program in S-expressions, by name.

    >>> read("(code inc (k n) ((const one 1) (prim m + n one) (prim c car k) (jump c k m)))")
    {'inc': inc}
    """
    found: list[tuple[RootCode, list[Form]]] = []
    for form in expressions(text):
        match form:
            case ["code", str(name), list(params), list(body)]:
                found.append((RootCode(name, _names(params)), body))
            case _:
                raise TextError(
                    f"no code: {form!r}",
                    place="root",
                    fix="write (code name (parameter ...) (instruction ...))",
                )
    codes = _named([code for code, _ in found])
    for code, body in found:
        code.body = _stream(body, codes)
        check(code)
    return codes


def _named(found: list[RootCode]) -> dict[str, RootCode]:
    """Codes by name."""
    codes = {code.name: code for code in found}
    if len(codes) < len(found):
        raise TextError("two codes have one name", place="root", fix="rename one")
    for name in filter(_is_constant, codes):
        raise TextError("a code has the name of a constant", place=name, fix="rename it")
    return codes


def _names(forms: list[Form]) -> tuple[str, ...]:
    """Forms as names."""
    names = tuple(one for one in forms if isinstance(one, str))
    if len(names) < len(forms):
        raise TextError(
            f"an expression where a name belongs: {forms!r}", place="root", fix="bind it to a name before"
        )
    return names


def _stream(body: list[Form], codes: dict[str, RootCode]) -> tuple[Instruction, ...]:
    """The instructions of a list of S-expressions."""
    return tuple(_instruction(form, codes) for form in body)


def _instruction(form: Form, codes: dict[str, RootCode]) -> Instruction:
    """The instruction of an S-expression."""
    match form:
        case ["if", str(test), list(then)]:
            return RootIf(test, _stream(then, codes))
        case ["const", str(name), value]:
            return Const(name, _constant(value, codes))
        case ["prim", str(name), str(primitive), *args]:
            return RootPrim(name, primitive, _names(args))
        case ["prim", str(name), [str(primitive), str(point)], *args]:
            return RootPrim(name, primitive, _names(args), point)
        case ["jump", str(target), *args]:
            return Jump(target, _names(args))
        case ["lift" | "later", *_]:
            return _lift(form, codes)
        case _:
            pass
    raise TextError(f"no instruction: {form!r}", place="root", fix="write prim, const, if, jump or lift")


def _lift(form: Form, codes: dict[str, RootCode]) -> Lift:
    """The lift of a form: of a variable to dynamic, to a time, or to what a code makes of the times of others."""
    match form:
        case ["later", *rest]:
            lift = _lift(rest, codes)
            return lift._replace(delay=lift.delay + 1)
        case ["lift", str(name)]:
            return Lift(name)
        case ["lift", str(name), list(args), str(word)] if word in codes:
            return Lift(name, codes[word], _names(args))
        case ["lift", str(name), list(args), "by", str(word), *more] if word in LIFT_RULES:
            return Lift(name, LIFT_RULES[word](*map(str, more)), _names(args))
        case ["lift", str(name), "stack", *returns]:
            return Lift(name, Stack(tuple(map(time_of, returns)) or (DYNAMIC,)))
        case ["lift", str(name), to]:
            return Lift(name, time_of(to))
        case ["lift", str(name), to, "list"]:
            return Lift(name, time_of([to, "list"]))
        case _:
            raise TextError(
                f"no lift: {form!r}",
                place="root",
                fix="write (lift v), (lift v time), (lift v stack time ...) or (lift v (u ...) code)",
            )


def _is_constant(word: str) -> bool:
    """Whether a word is a constant by its looks."""
    return word in _WORDS or word[0] in "'\"" or _NUMBER.fullmatch(word) is not None


def _constant(form: Form, codes: dict[str, RootCode]) -> Any:
    """The constant that a form stands for."""
    match form:
        case ["list", *parts]:
            return linked(*(_constant(one, codes) for one in parts))
        case ["vector", *parts]:
            return tuple(_constant(one, codes) for one in parts)
        case ["entries", *parts] if len(parts) % 2 == 0:
            values = [_constant(one, codes) for one in parts]
            return dict(zip(values[::2], values[1::2], strict=True))
        case ["cons" | "close" as kind, one, other]:
            return Pair(_constant(one, codes), _constant(other, codes), closure=kind == "close")
        case str(word) if word in _WORDS:
            return _WORDS[word]
        case str(word) if word in codes:
            return codes[word]
        case str(word) if word.startswith("'") and len(word) > 1:
            return word[1:]
        case str(word) if word.startswith('"') and len(word) > 1:
            return json.loads(word, strict=False)
        case str(word) if _NUMBER.fullmatch(word):
            return float(word) if re.search(r"[.e]", word) else int(word)
        case _:
            raise TextError(
                f"no constant: {form!r}",
                place="root",
                fix='write a number, #t, #f, nil, \'symbol, "text", the name of a code, or (list ...) of these',
            )


def read_sugar(text: str) -> dict[str, RootCode]:
    """The codes of a program as the paper's figures write it, one instruction a line, by name.

    A test is followed by a jump, or by `{` and lines up to `}`. A pair of the point p is `(cons:p a b)`.

    >>> read_sugar('''
    ... inc(k n) {
    ...   (car k)(k (+ n 1))
    ... }''')
    {'inc': inc}
    """
    found: list[tuple[RootCode, list[str]]] = []
    depth = 0
    for line in (line.strip() for line in text.splitlines()):
        head = _HEAD.fullmatch(line)
        if head and not line.startswith("if "):
            found.append((RootCode(head[1], tuple(head[2].split())), []))
            depth = 0
        elif line and (line != "}" or depth):
            depth += line.endswith("{") - (line == "}")
            if not found:
                raise TextError(
                    "a line outside of a code", place=line, fix="begin with name(parameter ...) {"
                )
            found[-1][1].append(line)
    codes = _named([code for code, _ in found])
    for code, lines in found:
        code.body = _Sugar(code, codes).body(lines)
        check(code)
    return codes


class _Sugar:
    """Takes the lines of one code to instructions; inner expressions get variables of their own."""

    def __init__(self, code: RootCode, codes: dict[str, RootCode]) -> None:
        self._code = code
        self._codes = codes
        self._bound = set(code.params)
        self._count = 0

    def body(self, lines: list[str]) -> tuple[Instruction, ...]:
        """The instructions of lines."""
        self._bound |= {
            word for line in lines if "=" in line for word in re.findall(r"[^\s()]+", line.split("=")[0])
        }
        streams: list[list[Instruction]] = [[]]
        tests: list[str] = []
        for line in lines:
            if line == "}":
                stream = tuple(streams.pop())
                streams[-1].append(RootIf(tests.pop(), stream))
            elif line.endswith("{"):
                match expressions(line[:-1]):
                    case ["if", test]:
                        tests.append(self._test(test, streams[-1]))
                    case _:
                        raise TextError("no test", place=line, fix="write if (...) {")
                streams.append([])
            else:
                self._line(line, streams[-1])
        if tests:
            raise TextError("a test is not closed", place=self._code.name, fix="close it with }")
        return tuple(streams[0])

    def _test(self, test: Form, out: list[Instruction]) -> str:
        """The variable that is tested."""
        return self._value(test[0] if isinstance(test, list) and len(test) == 1 else test, out)

    def _line(self, line: str, out: list[Instruction]) -> None:
        """Append what one line says."""
        match expressions(line):
            case ["lift" | "later", *_] as form:
                out.append(_lift(form, self._codes))
            case ["if", test, target, list(args)]:
                inner: list[Instruction] = []
                tested = self._test(test, out)
                self._jump(target, args, inner)
                out.append(RootIf(tested, tuple(inner)))
            case [list(names), "=", value]:
                self._destructure(names, self._value(value, out), out)
            case [str(name), "=", one, str(infix), other] if infix in INFIX:
                self._value([infix, one, other], out, name)
            case [str(name), "=", value]:
                self._value(value, out, name)
            case [target, list(args)]:
                self._jump(target, args, out)
            case _:
                raise TextError(
                    "no instruction", place=line, fix="write v = (f a ...), if (v) f(a ...), or f(a ...)"
                )

    def _fresh(self) -> str:
        """A variable that the text does not use."""
        while True:
            self._count += 1
            name = f"t{self._count}"
            if name not in self._bound and name not in self._codes:
                return name

    def _jump(self, target: Form, args: list[Form], out: list[Instruction]) -> None:
        """Append a jump and what it needs."""
        read = tuple(self._value(one, out) for one in args)
        out.append(Jump(self._value(target, out), read))

    def _destructure(self, names: list[Form], value: str, out: list[Instruction]) -> None:
        """Append what takes a list apart."""
        for at, name in enumerate(names):
            out.append(RootPrim(str(name), "car", (value,)))
            if at < len(names) - 1:
                rest = self._fresh()
                out.append(RootPrim(rest, "cdr", (value,)))
                value = rest

    def _value(self, form: Form, out: list[Instruction], name: str | None = None) -> str:
        """The variable that holds the value of an expression."""
        if isinstance(form, str):
            if not _is_constant(form) and (form in self._bound or form not in self._codes):
                if name is None:
                    return form
                out.append(RootPrim(name, "identity", (form,)))
                return name
            name = name or self._fresh()
            out.append(Const(name, _constant(form, self._codes)))
            return name
        if not form or not isinstance(form[0], str):
            raise TextError(f"no expression: {form!r}", place="root", fix="write (primitive value ...)")
        if form[0] == "list":
            folded: Form = "nil"
            for one in reversed(form[1:]):
                folded = ["cons", one, folded]
            return self._value(folded, out, name)
        read = tuple(self._value(one, out) for one in form[1:])
        name = name or self._fresh()
        word, _, point = form[0].partition(":")
        out.append(RootPrim(name, word, read, point or None))
        return name
