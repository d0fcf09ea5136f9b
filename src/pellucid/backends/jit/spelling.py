"""LLVM's words for types, constants and rows: templates of the operator table turned into functions that format a line.

Below `writer`: nothing here knows of blocks, names in scope or memory.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable

from ...base.errors import BackendError
from ...ir import types as T
from ...ir.expr import Expr
from ...ir.prim import Prim
from ...ir.prims.convert import cast
from ..obligations import require_spelling

SCALAR = {
    t: "i1" if t is T.boolean else {32: "float", 64: "double"}[t.bits] if t.is_float else f"i{t.bits}"
    for t in T.ALL
}
"""The type of a value."""
STORED = {**SCALAR, T.boolean: "i8"}
"""The type of an element in memory."""

SLOT_ALIGNMENT = 64
"""Alignment of stack slots in bytes."""

Form = Callable[..., str]


def typed(type_: T.Type, lanes: int) -> str:
    """The LLVM type of a value: a scalar, or a vector when there are lanes.

    >>> typed(T.u8, 0), typed(T.f32, 16)
    ('i8', '<16 x float>')
    """
    return f"<{lanes} x {SCALAR[type_]}>" if lanes else SCALAR[type_]


def stored(type_: T.Type, lanes: int) -> str:
    """The LLVM type of elements in memory."""
    return f"<{lanes} x {STORED[type_]}>" if lanes else STORED[type_]


def mangled(type_: T.Type, lanes: int) -> str:
    """The suffix of an overloaded intrinsic.

    >>> mangled(T.f32, 8), mangled(T.u16, 0)
    ('v8f32', 'i16')
    """
    word = f"{'f' if type_.is_float else 'i'}{type_.bits}"
    return f"v{lanes}{word}" if lanes else word


def element_mangled(type_: T.Type) -> str:
    """The suffix of an intrinsic on elements in memory."""
    return "i8" if type_ is T.boolean else mangled(type_, 0)


def literal(node: Expr) -> str:
    """A constant as an operand, without its type; floats by their bits, so that nothing is rounded.

    >>> from pellucid.ir.expr import const
    >>> literal(const(1, T.f32)), literal(const(-3, T.i8)), literal(const(True, T.boolean))
    ('0x3FF0000000000000', '-3', 'true')
    """
    value = node.attr
    if node.type.is_float:
        if math.isnan(value):
            return "0x7FF8000000000000"
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    if node.type is T.boolean:
        return "true" if value else "false"
    return str(value)


def sequence(type_: T.Type, values: list[int]) -> str:
    """A constant vector of integers."""
    word = SCALAR[type_]
    return "<" + ", ".join(f"{word} {v}" for v in values) + ">"


_forms: dict[tuple[Prim, T.Type, T.Type, int], Form] = {}
_BRACES = re.compile(r"\{([^{}]*)\}")


def form(prim: Prim, first: T.Type, result: T.Type, lanes: int) -> Form:
    """The function of (result name, operand names) that gives the lines of a row on scalars or vectors.

    >>> from pellucid.ir.prim import row
    >>> form(row("add"), T.f32, T.f32, 0)("%r", "%a", "%b")
    '%r = fadd float %a, %b'
    """
    key = (prim, first, result, lanes)
    found = _forms.get(key)
    if found is None:
        found = _forms[key] = _compile(prim, first, result, lanes)
    return found


def _compile(prim: Prim, first: T.Type, result: T.Type, lanes: int) -> Form:
    require_spelling(prim)

    def word(match: re.Match[str]) -> str:
        hole = match.group(1)
        match hole:
            case "r":
                return "{0}"
            case "T":
                return typed(first, lanes)
            case "R":
                return typed(result, lanes)
            case "B":
                return typed(T.boolean, lanes)
            case "M":
                return mangled(first, lanes)
            case "cast":
                return cast(first, result)
            case _:
                pass
        if hole.startswith("#"):
            return f"splat ({SCALAR[first]} {hole[1:]})" if lanes else hole[1:]
        if hole.isdigit():
            return f"{{{int(hole) + 1}}}"
        raise BackendError(f"its LLVM spelling has an unknown hole {{{hole}}}", place=prim.name)

    *before, last = prim.spelling("llvm", first.kind).split("\n")
    return _BRACES.sub(word, "\n".join([*before, "{r} = " + last])).format


def moved_on(where: str, element: str, count: int, index: str, constant: int = 0) -> str:
    """The address that is so many elements on for each step of a typed index, and then a constant.

    >>> moved_on("%p", "i16", 3, "i64 %i", 5)
    'getelementptr [3 x i16], ptr %p, i64 %i, i64 5'
    """
    # The elements of an array need not stay inside of it.
    if constant:
        return f"getelementptr [{count} x {element}], ptr {where}, {index}, i64 {constant}"
    return f"getelementptr {element if count == 1 else f'[{count} x {element}]'}, ptr {where}, {index}"
