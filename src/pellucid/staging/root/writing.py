"""Codes of root as text: S-expressions, or the sugar of the figures of Draves (1996); a code and all that it reaches.

The way back is `reading`. The text of any code can be had, also of one that a program made.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, cast

from pellucid.base.errors import StagingError
from pellucid.staging.root.forms import expressions
from pellucid.staging.root.program import (
    ByRule,
    Const,
    Instruction,
    Jump,
    Lift,
    Pair,
    RootCode,
    RootIf,
    RootPrim,
)
from pellucid.staging.root.reading import INFIX
from pellucid.staging.times.lattice import Stack, Time
from pellucid.staging.times.text import show

_WORDS: dict[Any, str] = {True: "#t", False: "#f", None: "nil"}
_SYMBOL = re.compile(r"[^\s()\"']+")


def reached(*codes: RootCode) -> list[RootCode]:
    """Some codes and those that their constants name, each once, in the order of the text."""
    found = dict.fromkeys(codes)
    waiting = list(reversed(codes))
    while waiting:
        for code in _constants(waiting.pop().body):
            if code not in found:
                found[code] = None
                waiting.append(code)
    return list(found)


def _constants(stream: tuple[Instruction, ...]) -> list[RootCode]:
    """The codes among the constants of a stream."""
    found: list[RootCode] = []
    for instruction in stream:
        if isinstance(instruction, RootIf):
            found += _constants(instruction.stream)
        elif isinstance(instruction, Const):
            found += _codes(instruction.value)
        elif isinstance(instruction, Lift) and isinstance(instruction.to, RootCode):
            found.append(instruction.to)
    return found


def _codes(value: Any) -> Iterator[RootCode]:
    """The codes in a constant."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Pair):
            waiting += [value.cdr, value.car]
        elif isinstance(value, RootCode):
            yield value


def write(*codes: RootCode) -> str:
    """The text of codes and of all that they reach.

    >>> from pellucid.staging.root.program import RootCode, Jump
    >>> write(RootCode("loop", ("k", "f"), (Jump("f", ("k", "f")),)))
    '(code loop (k f) ((jump f k f)))'
    """
    found = reached(*codes)
    if len({code.name for code in found}) < len(found):
        raise StagingError(
            "two codes have one name", place=codes[0].name, fix="rename one before it is written"
        )
    return "\n".join(f"(code {code.name} ({' '.join(code.params)}) {_stream(code.body)})" for code in found)


def _stream(stream: tuple[Instruction, ...]) -> str:
    """The text of a stream."""
    return f"({' '.join(map(_instruction, stream))})"


def _instruction(instruction: Instruction) -> str:
    """The text of an instruction."""
    match instruction:
        case RootPrim(name, primitive, args, point):
            word = primitive if point is None else f"({primitive} {point})"
            return f"({' '.join(('prim', name, word, *args))})"
        case Const(name, value):
            return f"(const {name} {constant(value)})"
        case RootIf(test, stream):
            return f"(if {test} {_stream(stream)})"
        case Jump(target, args):
            return f"({' '.join(('jump', target, *args))})"
        case Lift():
            return _lift(instruction)


def _lift(lift: Lift) -> str:
    """The text of a lift."""
    words = ["lift", lift.name]
    if isinstance(lift.to, Stack):
        # What is several words is one form among others.
        texts = [show(time) for time in lift.to.returns]
        words += ["stack", *(text if len(expressions(text)) == 1 else f"({text})" for text in texts)]
    elif isinstance(lift.to, Time):
        words.append(show(lift.to))
    elif isinstance(lift.to, RootCode):
        words += [f"({' '.join(lift.args)})", lift.to.name]
    elif isinstance(lift.to, ByRule):
        words += [f"({' '.join(lift.args)})", "by", *lift.to.words]
    elif lift.to is not None:
        raise StagingError("a lift without a text", place=lift.name, fix="lift to a time, or by a code")
    return f"({'later ' * lift.delay}{' '.join(words)})"


def constant(value: Any) -> str:
    """The text of a constant.

    >>> from pellucid.staging.root.program import linked
    >>> constant("x"), constant(linked(1, None, 0.5)), constant("two words")
    ("'x", '(list 1 nil 0.5)', '"two words"')
    >>> constant((1, (2,))), constant({"a": 1})
    ('(vector 1 (vector 2))', "(entries 'a 1)")
    """
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    if isinstance(value, RootCode):
        return value.name
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isnan(value):
            return "#nan"
        return repr(value) if math.isfinite(value) else "#inf" if value > 0 else "#-inf"
    if isinstance(value, str):
        return f"'{value}" if _SYMBOL.fullmatch(value) else json.dumps(value)
    if isinstance(value, Pair):
        return _pair(value)
    if isinstance(value, tuple):
        return f"({' '.join(['vector', *map(constant, cast('tuple[Any, ...]', value))])})"
    if isinstance(value, dict):
        entries = cast("dict[Any, Any]", value).items()
        return f"({' '.join(['entries', *(constant(half) for entry in entries for half in entry)])})"
    raise StagingError(
        f"a constant without a text: {value!r}", place="root", fix="build it of numbers, texts and pairs"
    )


def _pair(value: Pair) -> str:
    """The text of a pair: a list where it ends with nil."""
    parts: list[str] = []
    rest: Any = value
    while isinstance(rest, Pair) and not rest.closure:
        parts.append(constant(rest.car))
        rest = rest.cdr
    if rest is None:
        return f"(list {' '.join(parts)})"
    if value.closure:
        return f"(close {constant(value.car)} {constant(value.cdr)})"
    text = constant(rest)
    for part in reversed(parts):
        text = f"(cons {part} {text})"
    return text


def write_sugar(*codes: RootCode) -> str:
    """The text of codes and of all that they reach, as the figures of the paper write it.

    >>> print(write_sugar(RootCode("inc", ("k", "n"), (
    ...     Const("one", 1), RootPrim("m", "+", ("n", "one")), RootPrim("c", "car", ("k",)), Jump("c", ("k", "m"))))))
    inc(k n) {
      one = 1
      m = n + one
      (car k)(k m)
    }
    """
    lines: list[str] = []
    for code in reached(*codes):
        lines.append(f"{code.name}({' '.join(code.params)}) {{")
        lines += (f"  {line}" for line in _sugar(code.body))
        lines.append("}")
    return "\n".join(lines)


def _sugar(stream: tuple[Instruction, ...]) -> Iterator[str]:
    """The lines of a stream."""
    jump = stream[-1]
    folded, target = _folded(stream)
    for instruction in stream[:-1]:
        if instruction is folded:
            continue
        match instruction:
            case RootPrim(name, primitive, (one, other)) if primitive in INFIX:
                yield f"{name} = {one} {primitive} {other}"
            case RootPrim(name, primitive, args, point):
                # Places of errors are left out.
                word = primitive if point is None or instruction.place else f"{primitive}:{point}"
                yield f"{name} = ({' '.join((word, *args))})"
            case Const(name, value):
                yield f"{name} = {constant(value)}"
            case RootIf(test, inner):
                lines = list(_sugar(inner))
                if len(lines) == 1:
                    yield f"if ({test}) {lines[0]}"
                else:
                    yield f"if ({test}) {{"
                    yield from (f"  {line}" for line in lines)
                    yield "}"
            case _:
                yield _instruction(instruction)[1:-1]
    if isinstance(jump, Jump):
        yield f"{target or jump.target}({' '.join(jump.args)})"


def _folded(stream: tuple[Instruction, ...]) -> tuple[Instruction | None, str]:
    """The instruction that binds what a stream jumps to and nothing else, and the target's text."""
    jump = stream[-1]
    if not isinstance(jump, Jump) or jump.target in jump.args:
        return None, ""
    rebound: set[str] = set()
    for instruction in reversed(stream[:-1]):
        match instruction:
            case Const(jump.target, RootCode() as code) if code.name not in rebound:
                return instruction, code.name
            case RootPrim(jump.target, "car", (pair,)) if pair not in rebound:
                return instruction, f"(car {pair})"
            case RootPrim(name) | Const(name) if name != jump.target:
                rebound.add(name)
                if isinstance(instruction, RootPrim) and jump.target in instruction.args:
                    return None, ""
            case _:
                return None, ""
    return None, ""
