"""Programs of registers (`.vm` files, as Fidget writes and reads them) as fields.

One instruction to the line: a name, an operation, its operands by name; the last line is the result. Such files hold
pictures of thousands of operations, made by programs that model solids; a shape is inside where the value is below 0.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from ..base.errors import FileError, InputError, did_you_mean
from ..ir import expr as E
from ..ir.expr import Expr
from ..tracing import Point, Value, convert, real_type, where
from ..tracing import functions as F
from ..tracing.tracer import lift
from .image import Image
from .word import word

MOST_BYTES = 1 << 26
"""The longest program that is read."""


def _round(a: Any) -> Any:
    # Halves away from zero.
    return where(a < 0.0, F.ceil(a - 0.5), F.floor(a + 0.5))


def _compare(a: Any, b: Any) -> Any:
    return where(a < b, -1.0, where(b < a, 1.0, where((a == a) & (b == b), 0.0, a + b)))  # noqa: PLR0124 - NaN


def _modulo(a: Any, b: Any) -> Any:
    # The remainder of Euclid, which is not negative.
    size = abs(b)
    return a - size * F.floor(a / size)


_FUNCTION_OF_ONE: dict[str, Callable[[Any], Any]] = {
    "square": lambda a: a * a,
    "recip": lambda a: 1.0 / a,
    "round": _round,
    "not": lambda a: where(a == 0.0, 1.0, 0.0),
}
_FUNCTION_OF_TWO: dict[str, Callable[[Any, Any], Any]] = {
    "mod": _modulo,
    "compare": _compare,
    "and": lambda a, b: where(a == 0.0, a, b),
    "or": lambda a, b: where(a == 0.0, b, a),
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
)
_ROW_OF_TWO = ("add", "sub", "mul", "div", "min", "max", "atan2")

FUNCTIONS: dict[str, Callable[..., Any]] = {**_FUNCTION_OF_ONE, **_FUNCTION_OF_TWO}
"""What takes several rows of the operator table. A truth is a number, false if it is 0."""
ROWS = {name: name for name in (*_ROW_OF_ONE, *_ROW_OF_TWO)} | {"ln": "log"}
"""What is one row of the operator table."""
OPERANDS = (
    {"const": 1, "var-x": 0, "var-y": 0, "var-z": 0}
    | dict.fromkeys((*_ROW_OF_ONE, *_FUNCTION_OF_ONE), 1)
    | dict.fromkeys((*_ROW_OF_TWO, *_FUNCTION_OF_TWO), 2)
)
"""How many operands an operation takes."""


_Instruction = tuple[str, tuple[int, ...], float]
"""One line: its operation, operands by the number of their instruction, and the value of a constant."""


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
        path = Path(os.fspath(cast("str", source)))
        place, text = str(path), _text(path)
    else:
        raise InputError(
            f"{type(source).__name__} is not a file",
            place="read_vm",
            fix="give a path, or the lines of a program",
        )
    program = _parse(text, place)
    return Image(lambda p: _run(program, p, z))


def _text(path: Path) -> str:
    problem, fix = "is not there", "check the name"
    try:
        if path.is_file():
            if path.stat().st_size <= MOST_BYTES:
                return path.read_text(encoding="utf-8")
            problem, fix = f"has more than {MOST_BYTES} bytes", "give a program of registers"
        elif path.exists():
            problem, fix = "is not a file", "give the path of a .vm file"
    except UnicodeDecodeError:
        problem, fix = "is not text", "give a program of registers"
    except (OSError, ValueError) as error:
        problem, fix = f"cannot be read ({getattr(error, 'strerror', None) or error})", "check the path"
    raise FileError(problem, place=str(path), fix=fix)


def _parse(text: str, place: str) -> list[_Instruction]:
    program: list[_Instruction] = []
    registers: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = (line.partition("#")[0] if "#" in line else line).split()
        if not words:
            continue
        if len(words) < 2:
            raise FileError(
                f"{words[0]!r} has no operation",
                place=f"{place}:{number}",
                fix="write: name operation operands",
            )
        name, operation, *operands = words
        try:
            program.append(_instruction(operation, operands, registers))
        except (KeyError, ValueError):
            raise _wrong(operation, operands, registers, f"{place}:{number}") from None
        registers[name] = len(program) - 1
    if not program:
        raise FileError(
            "has no instructions", place=place, fix="write: name operation operands, line by line"
        )
    return program


def _instruction(operation: str, operands: list[str], registers: dict[str, int]) -> _Instruction:
    """One line; KeyError or ValueError if it is wrong, in a way that `_wrong` finds words for."""
    if operation == "const":
        (number,) = operands
        return operation, (), float(number)
    if len(operands) != OPERANDS[operation]:
        raise ValueError
    return operation, tuple([registers[o] for o in operands]), 0.0


def _wrong(operation: str, operands: list[str], registers: dict[str, int], at: str) -> FileError:
    if operation not in OPERANDS:
        fix = did_you_mean(operation, OPERANDS) or f"use {', '.join(OPERANDS)}"
        return FileError(f"no operation is called {operation!r}", place=at, fix=fix)
    if len(operands) != OPERANDS[operation]:
        return FileError(
            f"{operation} takes {OPERANDS[operation]} operands, not {len(operands)}",
            place=at,
            fix="write one instruction to the line",
        )
    if operation == "const":
        return FileError(f"{operands[0]!r} is not a number", place=at, fix="write one such as 2.95")
    operand = next(o for o in operands if o not in registers)
    fix = did_you_mean(operand, registers) or "a register has its value from an earlier line"
    return FileError(f"no earlier register is called {operand!r}", place=at, fix=fix)


def _run(program: list[_Instruction], p: Point, z: Any) -> Any:
    real = real_type()
    # Nodes at once: numbers are rounded as the program's own arithmetic would, not as Python's.
    leaves = {name: convert(x, real).expr for name, x in (("var-x", p.x), ("var-y", p.y), ("var-z", z))}
    nodes: list[Expr] = []
    for operation, operands, value in program:
        row = ROWS.get(operation)
        if row is not None:
            node = E.make(row, tuple([nodes[k] for k in operands]), real)
        elif operation == "const":
            node = E.const(value, real)
        elif operation in leaves:
            node = leaves[operation]
        else:
            node = lift(FUNCTIONS[operation](*[Value(nodes[k]) for k in operands]), real)
        nodes.append(node)
    return Value(nodes[-1])
