"""The words of the two languages of shaders, GLSL ES 3.00 and WGSL, for types, constants and rows.

Below `writer`. A text is *closed* if it can stand as an operand anywhere without parentheses.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache

import numpy as np

from ...base.errors import BackendError
from ...base.record import record
from ...ir import types as T
from ...ir.expr import Expr
from ...ir.prim import Prim
from ..obligations import require_spelling
from ..pieces import Piece, counts_of, joined, pieces_of


@record(eq=False)
class Language:
    """A language of shaders: its column in the operator table, its title, its types, and how it declares names."""

    column: str
    title: str
    words: Mapping[T.Type, str]
    constant: str
    variable: str
    counter: str

    def word(self, type_: T.Type, place: str) -> str:
        """The word for a type.

        Raises BackendError that names the place if the language has no such type.
        """
        found = self.words.get(type_)
        if found is None:
            raise BackendError(
                f"computes with {type_}, and {self.title} has only {', '.join(map(repr, self.words))}",
                place=place,
                fix="draw it on the CPU, or write it in numbers of 32 bits",
            )
        return found


GLSL = Language(
    "glsl",
    "GLSL ES 3.00",
    {T.boolean: "bool", T.i32: "int", T.u32: "uint", T.f32: "float"},
    "{type} {name} = {value};",
    "{type} {name};",
    "int",
)
WGSL = Language(
    "wgsl",
    "WGSL",
    {T.boolean: "bool", T.i32: "i32", T.u32: "u32", T.f32: "f32"},
    "let {name}: {type} = {value};",
    "var {name}: {type};",
    "var",
)
ELEMENTS = (T.u8, T.u16, T.u32, T.i32, T.f32)
"""The types of elements that a shader can load."""
_BITS = {
    (T.f32, T.i32): "floatBitsToInt",
    (T.f32, T.u32): "floatBitsToUint",
    (T.i32, T.f32): "intBitsToFloat",
    (T.u32, T.f32): "uintBitsToFloat",
    (T.i32, T.u32): "uint",
    (T.u32, T.i32): "int",
}
"""What reads the bits of a type as another one in GLSL."""


def identifier(name: str) -> str:
    """The name of a parameter in a shader; its beginning keeps it apart from the words of the language.

    >>> identifier("center_x"), identifier("größe"), identifier("two  words")
    ('p_center_x', 'p_gr_e', 'p_two_words')
    """
    # Two underscores in a row are reserved in GLSL.
    return re.sub("_+", "_", "p_" + re.sub(r"\W", "_", name, flags=re.ASCII))


@record
class ShaderText:
    """An expression of a shader; `closed` if it needs no parentheses, `plain` if it may be repeated."""

    text: str
    closed: bool = False
    plain: bool = False

    @property
    def operand(self) -> str:
        """As an operand."""
        return self.text if self.closed else f"({self.text})"


def literal(node: Expr, language: Language) -> ShaderText:
    """A constant as a shader reads it back exactly; infinities and NaN are made of bits, which neither language writes.

    The uniform `zero` keeps a compiler from working them out, which WGSL forbids.

    >>> from pellucid.ir.expr import const
    >>> literal(const(-0.5, T.f32), GLSL).operand, literal(const(7, T.u32), WGSL).text
    ('(-0.5)', '7u')
    >>> literal(const(math.inf, T.f32), WGSL).text
    'bitcast<f32>(2139095040u | zero)'
    """
    value, type_ = node.attr, node.type
    word = language.word(type_, "a constant")
    if type_ is T.boolean:
        return ShaderText("true" if value else "false", closed=True, plain=True)
    if type_ is T.u32:
        return ShaderText(f"{value}u", closed=True, plain=True)
    if type_ is T.i32:
        if value == T.i32.low:
            return ShaderText(f"{word}(2147483648u)", closed=True, plain=True)
        return ShaderText(str(value), closed=value >= 0, plain=True)
    if not math.isfinite(value):
        bits = int(np.float32(value).view(np.uint32))
        read = "bitcast<f32>" if language is WGSL else "uintBitsToFloat"
        return ShaderText(f"{read}({bits}u | zero)", closed=True)
    text = str(np.float32(value))
    if "." not in text and "e" not in text:
        text += ".0"
    return ShaderText(
        text + ("f" if language is WGSL else ""), closed=math.copysign(1.0, value) > 0, plain=True
    )


@record
class Spelling:
    """A row's spelling for certain types: pieces of text and operands, and how often each operand occurs."""

    pieces: tuple[Piece, ...]
    counts: tuple[int, ...]
    closed: bool
    helper: str | None

    def fill(self, operands: list[ShaderText]) -> ShaderText:
        """The text with its operands."""
        alone, closed = [o.text for o in operands], [o.operand for o in operands]
        return ShaderText(joined(self.pieces, alone, closed), self.closed)


@cache
def template(prim: Prim, first: T.Type, result: T.Type, language: Language) -> Spelling:
    """The spelling of a row for the types of its first operand and its result.

    Raises BackendError for a row that has none, and for types that the language has not.
    """
    require_spelling(prim)
    word = language.word(result, prim.name)
    # Elements of 8 and 16 bits are loaded as words, and are only converted.
    source = T.u32 if prim.name == "convert" and first in ELEMENTS and first.bits < 32 else first
    holes = {"R": word, "T": language.word(source, prim.name)}
    if prim.name == "bitcast":
        same = first is result
        holes["bits"] = f"bitcast<{word}>" if language is WGSL else word if same else _BITS[first, result]
    spelled = prim.spelling(language.column, first.kind)
    pieces = pieces_of(spelled, holes, prim.name)
    closed = spelled.endswith(")") and not spelled.startswith("{0}")
    helper = re.match(r"(floor_div|mod)_", spelled)
    return Spelling(
        pieces,
        counts_of(pieces, prim.arity),
        closed,
        HELPERS[language.column, helper[1], source] if helper else None,
    )


def _helpers() -> dict[tuple[str, str, T.Type], str]:
    """Division that rounds down and its rest, defined for every divisor as the rows say."""
    minus = {T.i32: "if (y == -1) {{ return {0}; }}\n  ", T.u32: ""}
    signed = {"floor_div": "q - {one}", "mod": "r + y"}
    found: dict[tuple[str, str, T.Type], str] = {}
    for language in (GLSL, WGSL):
        for t in (T.i32, T.u32):
            word = language.words[t]
            let = f"{word} " if language is GLSL else "let "
            zero, one = f"{word}(0)", f"{word}(1)"
            for name, at_zero, at_minus in (("floor_div", zero, "-x"), ("mod", "x", zero)):
                head = (
                    f"{word} {name}_{word}({word} x, {word} y) {{"
                    if language is GLSL
                    else f"fn {name}_{word}(x: {word}, y: {word}) -> {word} {{"
                )
                lines = [head, f"  if (y == {zero}) {{ return {at_zero}; }}"]
                lines += [f"  {minus[t].format(at_minus)}{let}q = x / y;", f"  {let}r = x - q * y;"]
                if t is T.i32:
                    lines.append(
                        f"  if (r != 0 && (r < 0) != (y < 0)) {{ return {signed[name].format(one=one)}; }}"
                    )
                lines += [f"  return {'q' if name == 'floor_div' else 'r'};", "}"]
                found[language.column, name, t] = "\n".join(lines)
    return found


HELPERS = _helpers()
"""The functions that spellings of rows call, by language, name and type."""
