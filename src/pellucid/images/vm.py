"""Programs of registers (`.vm` files, as Fidget writes and reads them) as fields.

One instruction to the line: a name, an operation, its operands by name; the last line is the result. Such files hold
pictures of thousands of operations, made by programs that model solids; a shape is inside where the value is below 0.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple, cast

from ..base.errors import FileError, InputError, beginning, did_you_mean
from ..base.opening import text_of
from ..ir import expr as E
from ..ir import types as T
from ..ir.expr import Expr
from ..tracing import Point, Value, call, convert, real_type, where
from ..tracing import functions as F
from ..tracing.tracer import lift
from .image import Image
from .word import word

MAX_BYTES = 1 << 26
"""The longest program that is read."""
MAX_SHOWN = 60
"""Letters of a word that an error shows."""


def _round(a: Any) -> Any:
    # Halves away from zero.
    return where(a < 0.0, F.ceil(a - 0.5), F.floor(a + 0.5))


def _compare(a: Any, b: Any) -> Any:
    return where(a < b, -1.0, where(b < a, 1.0, where((a == a) & (b == b), 0.0, a + b)))  # noqa: PLR0124 - NaN


def _modulo(a: Any, b: Any) -> Any:
    # The remainder of Euclid, which is not negative.
    size = abs(b)
    return a - size * F.floor(a / size)


def _hash(word: Value) -> Value:
    """The permuted congruential generator of 32 bits (Jarzynski and Olano, Hash Functions for GPU Rendering, 2020)."""
    state = word * 747796405 + 2891336453
    high = call("shift_right", state, call("shift_right_in", state, 28) + 4) ^ state
    mixed = high * 277803737
    return call("shift_right_in", mixed, 22) ^ mixed


def _bits(a: Any) -> Value:
    # Programs compute in floats of 32 bits, whatever the precision here.
    return Value(E.apply("bitcast", convert(a, T.f32).expr, attr=T.u32))


def _real(word: Value) -> Value:
    return Value(E.apply("bitcast", word.expr, attr=T.f32))


def _rand(a: Any) -> Any:
    # A number from 0 to below 1, from the hash of the bits of one.
    return _real(call("shift_right_in", _hash(_bits(a)), 9) | 0x3F800000) - 1.0


def _mix(a: Any, b: Any) -> Any:
    # The float whose bits are the hash of both.
    return _real(_hash(_bits(a) + _hash(_bits(b))))


_FUNCTION_OF_ONE: dict[str, Callable[[Any], Any]] = {
    "recip": lambda a: 1.0 / a,
    "round": _round,
    "not": lambda a: where(a == 0.0, 1.0, 0.0),
    "rand": _rand,
}
_FUNCTION_OF_TWO: dict[str, Callable[[Any, Any], Any]] = {
    "mod": _modulo,
    "compare": _compare,
    "and": lambda a, b: where(a == 0.0, a, b),
    "or": lambda a, b: where(a == 0.0, b, a),
    "mix": _mix,
}
_ROW_OF_ONE = (
    "neg",
    "abs",
    "sqrt",
    "floor",
    "ceil",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "exp",
    "ln",
    "square",
)
_ROW_OF_TWO = ("add", "sub", "mul", "div", "min", "max", "atan2")

FUNCTIONS: dict[str, Callable[..., Any]] = {**_FUNCTION_OF_ONE, **_FUNCTION_OF_TWO}
"""The operations that take several rows of the operator table. A truth is a number, false if it is 0."""
ROWS = {name: name for name in (*_ROW_OF_ONE, *_ROW_OF_TWO)} | {"ln": "log", "square": "mul"}
"""The operations that are one row of the operator table; a row of two operands may take one twice."""
OPERANDS = (
    {"const": 1, "var-x": 0, "var-y": 0, "var-z": 0}
    | dict.fromkeys((*_ROW_OF_ONE, *_FUNCTION_OF_ONE), 1)
    | dict.fromkeys((*_ROW_OF_TWO, *_FUNCTION_OF_TWO), 2)
)
"""The number of operands that an operation takes."""
_OF_NONE, _OF_ONE, _OF_TWO = (
    {name: ROWS.get(name, name) for name, count in OPERANDS.items() if count == many} for many in range(3)
)
"""The operations that take so many, and what they are called among rows, if they are one."""
_UNARY, _BINARY = frozenset(ROWS[name] for name in _ROW_OF_ONE), frozenset(_ROW_OF_TWO)
"""Rows of one operand, and of two."""


class _Program(NamedTuple):
    """The lines of a program, in columns: thousands of Python's objects less than one for each line.

    operations     what a line is: a row of the operator table, or what else its operation is called.
    first, second  the lines of its operands, of one operand twice; of a constant, which of the `values` it is.
    lines          the text; `constants` tells by number which of its lines have which value.
    """

    operations: list[str]
    first: list[int]
    second: list[int]
    values: list[float]
    lines: list[str]
    constants: dict[int, int]


_latest: list[_Program] = []
"""The program that was read last: while somebody edits one, the next is the same but for a number."""
MAX_KEPT = 1 << 17
"""The most lines of a program that is kept."""


@word(
    "Any -> Number -> Image Number",
    example='read_vm("x var-x\\ny var-y\\nxx square x\\nyy square y\\nd add xx yy\\nr sqrt d\\no const 1\\nf sub r o")',
    source="Keeter, Fidget",
)
def read_vm(source: Any, z: Any = 0.0) -> Image:
    r"""The field of a program of registers: the path of a `.vm` file, or the program as a text of several lines.

    `z` is the third coordinate. Raises FileError, which names the line that is wrong.

    >>> read_vm("x var-x\n# half of it\nh const 0.5\nr mul x h").at(3, 0)
    array(1.5, dtype=float32)
    """
    if isinstance(source, str) and "\n" in source:
        place, text = "program", source
    elif isinstance(source, str | os.PathLike):
        place = os.fsdecode(cast("str", source))
        text = text_of(place, "a program of registers", max_bytes=MAX_BYTES)
    else:
        raise InputError(
            f"{type(source).__name__} is not a file",
            place="read_vm",
            fix="give a path, or the lines of a program",
        )
    lines = text.splitlines()
    program = _edited(lines) or _parse(lines, place)
    _latest[:] = [program] if len(lines) <= MAX_KEPT else []
    return Image(lambda p: _run(program, p, z))


def _edited(lines: list[str]) -> _Program | None:
    """The program read last with other numbers, if that is all in which it differs."""
    for before in _latest[:]:
        if len(lines) != len(before.lines):
            return None
        values = before.values.copy()
        for k in [k for k, (new, old) in enumerate(zip(lines, before.lines, strict=True)) if new != old]:
            new, old = lines[k].split(), before.lines[k].split()
            if k not in before.constants or len(new) != 3 or new[:2] != old[:2]:
                return None
            try:
                values[before.constants[k]] = float(new[2])
            except ValueError:
                return None
        return before._replace(values=values, lines=lines)
    return None


def _parse(lines: list[str], place: str) -> _Program:
    program = _Program([], [], [], [], lines, {})
    operations, first, second, values, _, constants = program
    registers: dict[str, int] = {}
    for number, line in enumerate(lines):
        words = (line.partition("#")[0] if "#" in line else line).split()
        try:
            if len(words) == 4:
                name, operation, a, b = words
                operations.append(_OF_TWO[operation])
                first.append(registers[a])
                second.append(registers[b])
            elif len(words) == 3:
                name, operation, a = words
                operations.append(_OF_ONE[operation])
                if operation == "const":
                    found = constants[number] = len(values)
                    values.append(float(a))
                else:
                    found = registers[a]
                first.append(found)
                second.append(found)
            elif words:
                name, operation = words
                operations.append(_OF_NONE[operation])
                first.append(0)
                second.append(0)
            else:
                continue
        except (KeyError, ValueError):
            raise _wrong(words, registers, f"{place}:{number + 1}") from None
        registers[name] = len(operations) - 1
    if not operations:
        raise FileError(
            "has no instructions", place=place, fix="write: name operation operands, line by line"
        )
    return program


def _shown(word: str) -> str:
    """A word as an error shows it: of a long one the beginning, since a file may be one word."""
    return repr(beginning(word, MAX_SHOWN))


def _wrong(words: list[str], registers: dict[str, int], at: str) -> FileError:
    if len(words) < 2:
        return FileError(
            f"{_shown(words[0])} has no operation", place=at, fix="write: name operation operands"
        )
    _, operation, *operands = words
    if operation not in OPERANDS:
        fix = did_you_mean(operation, OPERANDS) or f"use {', '.join(OPERANDS)}"
        return FileError(f"no operation is called {_shown(operation)}", place=at, fix=fix)
    if len(operands) != OPERANDS[operation]:
        return FileError(
            f"{operation} takes {OPERANDS[operation]} operands, not {len(operands)}",
            place=at,
            fix="write one instruction to the line",
        )
    if operation == "const":
        return FileError(f"{_shown(operands[0])} is not a number", place=at, fix="write one such as 2.95")
    operand = next(o for o in operands if o not in registers)
    fix = did_you_mean(operand, registers) or "a register has its value from an earlier line"
    return FileError(f"no earlier register is called {_shown(operand)}", place=at, fix=fix)


def _run(program: _Program, p: Point, z: Any) -> Any:
    real = real_type()
    # Nodes at once: numbers are rounded as the program's own arithmetic would, not as Python's.
    leaves = {name: convert(x, real).expr for name, x in (("var-x", p.x), ("var-y", p.y), ("var-z", z))}
    nodes: list[Expr] = []
    for operation, a, b in zip(program.operations, program.first, program.second, strict=True):
        if operation in _BINARY:
            node = E.make(operation, (nodes[a], nodes[b]), real)
        elif operation == "const":
            node = E.const(program.values[a], real)
        elif operation in _UNARY:
            node = E.make(operation, (nodes[a],), real)
        elif operation in leaves:
            node = leaves[operation]
        else:
            operands = [Value(nodes[k]) for k in (a, b)[: OPERANDS[operation]]]
            node = lift(FUNCTIONS[operation](*operands), real)
        nodes.append(node)
    return Value(nodes[-1])
