"""Codes of root as text: the S-expressions of Figure 3 of Draves (1996), of a code and of all that it reaches.

The way back is `reading`. The text of any code can be had, also of one that a program made.
"""

from __future__ import annotations

from typing import Any

from pellucid.base.errors import StagingError
from pellucid.staging.root.program import Code, Const, If, Instruction, Jump, Lift, Prim

_WORDS: dict[Any, str] = {True: "#t", False: "#f", None: "nil"}


def reached(*codes: Code) -> list[Code]:
    """Some codes and those that their constants name, each once, in the order of the text."""
    found = dict.fromkeys(codes)
    waiting = list(reversed(codes))
    while waiting:
        for code in _constants(waiting.pop().body):
            if code not in found:
                found[code] = None
                waiting.append(code)
    return list(found)


def _constants(stream: tuple[Instruction, ...]) -> list[Code]:
    """The codes among the constants of a stream."""
    found: list[Code] = []
    for instruction in stream:
        if isinstance(instruction, If):
            found += _constants(instruction.stream)
        elif isinstance(instruction, Const) and isinstance(instruction.value, Code):
            found.append(instruction.value)
    return found


def write(*codes: Code) -> str:
    """The text of codes and of all that they reach.

    >>> from pellucid.staging.root.program import Code, Jump
    >>> write(Code("loop", ("k", "f"), (Jump("f", ("k", "f")),)))
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
        case Prim(name, primitive, args):
            return f"({' '.join(('prim', name, primitive, *args))})"
        case Const(name, value):
            return f"(const {name} {_constant(value)})"
        case If(test, stream):
            return f"(if {test} {_stream(stream)})"
        case Jump(target, args):
            return f"({' '.join(('jump', target, *args))})"
        case Lift(name):
            return f"(lift {name})"


def _constant(value: Any) -> str:
    """The word of a constant."""
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    if isinstance(value, Code):
        return value.name
    if isinstance(value, int):
        return str(value)
    raise StagingError(
        f"a constant without a text: {value!r}", place="root", fix="build it of integers and pairs"
    )
