"""C's words for types, constants and rows: templates of the operator table filled in with operands.

Below `source`. A text is *closed* if it can stand as an operand anywhere without parentheses.
"""

from __future__ import annotations

import math
import re
from functools import cache

import numpy as np

from ...base.record import record
from ...ir import types as T
from ...ir.expr import LEAVES, Expr
from ...ir.prim import Prim
from ..obligations import require_spelling
from ..pieces import HOLE, Piece, counts_of, joined, pieces_of

KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        """
        auto break case char const continue default do double else enum extern float for goto if inline int long
        register restrict return short signed sizeof static struct switch typedef union unsigned void volatile
        while bool true false asm typeof main inside errno stdin stdout stderr begin end params buffers sizes
        """,
    )
)
"""Words that cannot name a value: those of C, and those that the code around uses."""


def typed(type_: T.Type) -> str:
    """The C type of a value, and of an element in memory.

    >>> typed(T.u8), typed(T.f64), typed(T.boolean)
    ('uint8_t', 'double', 'bool')
    """
    if type_ is T.boolean:
        return "bool"
    if type_.is_float:
        return "float" if type_ is T.f32 else "double"
    return f"{'' if type_.kind == 'signed' else 'u'}int{type_.bits}_t"


def unsigned(type_: T.Type) -> str:
    """The unsigned type in which wrapping arithmetic is done: at least 32 bits, so that nothing is promoted."""
    return f"uint{max(32, type_.bits)}_t"


def identifier(name: str) -> str:
    """A name as C may spell it.

    >>> identifier("center x"), identifier("float"), identifier("2d")
    ('center_x', 'float_', '_2d')
    """
    found = re.sub(r"\W", "_", name, flags=re.ASCII)
    if not found or found[0].isdigit():
        found = f"_{found}"
    # Leave t1, s1 and the like to values without a name of their own.
    return f"{found}_" if found in KEYWORDS or re.fullmatch(r"[tsnk]\d+(_\d+)?", found) else found


@record
class Text:
    """An expression in C; `closed` if it needs no parentheses as an operand, `plain` if it may be repeated."""

    text: str
    closed: bool = False
    plain: bool = False

    @property
    def operand(self) -> str:
        """As an operand."""
        return self.text if self.closed else f"({self.text})"

    @property
    def bare(self) -> str:
        """As a whole: without parentheses around all of it."""
        return (
            self.text[1:-1] if self.text.startswith("(") and _end(self.text) == len(self.text) else self.text
        )


def _end(text: str) -> int:
    """The place where the parenthesis that opens a text is closed."""
    depth = end = 0
    while end == 0 or depth:
        depth += (text[end] == "(") - (text[end] == ")")
        end += 1
    return end


def literal(node: Expr) -> Text:
    """A constant that C reads back exactly: the shortest decimal that rounds to it.

    >>> from pellucid.ir.expr import const
    >>> literal(const(0.1, T.f32)).text, literal(const(-1, T.i64)).text, literal(const(-3, T.i32)).operand
    ('0.1f', 'INT64_C(-1)', '(-3)')
    """
    value, type_ = node.attr, node.type
    if type_ is T.boolean:
        return Text("true" if value else "false", closed=True, plain=True)
    if type_.is_integer:
        return _integer(value, type_)
    text = _magnitude(abs(value), type_)
    negative = math.copysign(1.0, value) < 0 and not math.isnan(value)
    return Text(f"-{text}" if negative else text, closed=not negative, plain=True)


def _integer(value: int, type_: T.Type) -> Text:
    if value == type_.low and type_.kind == "signed":
        return Text(f"INT{type_.bits}_MIN", closed=True, plain=True)
    if type_.bits == 64:
        return Text(f"{'U' if type_.kind == 'unsigned' else ''}INT64_C({value})", closed=True, plain=True)
    suffix = "u" if type_ is T.u32 else ""
    return Text(f"{value}{suffix}", closed=value >= 0, plain=True)


def _magnitude(value: float, type_: T.Type) -> str:
    if math.isnan(value):
        return "NAN" if type_ is T.f32 else "(double)NAN"
    if math.isinf(value):
        return "INFINITY" if type_ is T.f32 else "(double)INFINITY"
    text = str(np.float32(value)) if type_ is T.f32 else repr(value)
    if "." not in text and "e" not in text:
        text += ".0"
    return text + ("f" if type_ is T.f32 else "")


@record
class CTemplate:
    """A row's template for certain types: pieces of text and operands, and how often each operand occurs.

    An operand is a number and whether it stands alone between commas or parentheses. `complements` says that it is
    the complement of a number narrower than C computes with, `cancels` that it is zero for two operands that are one.
    """

    pieces: tuple[Piece, ...]
    counts: tuple[int, ...]
    closed: bool
    compares: bool
    complements: bool
    cancels: bool
    divisors: frozenset[int]
    helper: tuple[T.Type, T.Type] | None

    def fill(self, operands: list[Text]) -> Text:
        """The text with its operands."""
        return Text(
            joined(self.pieces, [o.bare for o in operands], [o.operand for o in operands]), self.closed
        )


@cache
def form(prim: Prim, first: T.Type, result: T.Type) -> CTemplate:
    """The template of a row for the types of its first operand and its result.

    Raises BackendError when the row has no spelling of its own.
    """
    require_spelling(prim)
    return _template(prim.spelling("c", first.kind), prim, first, result)


@cache
def truth_form(prim: Prim, then: bool | None, orelse: bool | None) -> CTemplate:
    """The template of a choice between truths, of which some are constant: by logic, of which gcc makes vectors."""
    sides = {True: ("{0}", "!{0}"), False: ("", ""), None: ("({0} & {1})", "(!{0} & {2})")}
    template = " | ".join(filter(None, (sides[then][0], sides[orelse][1])))
    return _template(f"(bool)({template})", prim, T.boolean, T.boolean)


def _template(spelling: str, prim: Prim, first: T.Type, result: T.Type) -> CTemplate:
    template = _without_idle_casts(spelling, first)
    words = {
        "T": typed(first),
        "R": typed(result),
        "U": unsigned(first),
        "f": "f" if first is T.f32 else "",
    }
    pieces = pieces_of(template, words, prim.name)
    helper = (first, result) if "bits_{T}_{R}" in template else None
    compares = re.search(r"[^<>]([<>]=?|[=!]=)[^<>]", template) is not None
    divisors = frozenset(int(k) for k in re.findall(r"[/%] \{(\d)\}", template) if first.is_integer)
    complements = "^ ({T})-1" in template and first.kind == "unsigned" and first.bits < 32
    cancels = first.is_integer and re.search(r"\{0\} [-^] (\(\{U\}\))?\{1\}", template) is not None
    counts = counts_of(pieces, prim.arity)
    return CTemplate(pieces, counts, _is_closed(template), compares, complements, cancels, divisors, helper)


def _without_idle_casts(template: str, first: T.Type) -> str:
    """A template without the casts that do nothing for a type of at least 32 bits, which C does not promote."""
    if first.is_integer and first.bits >= 32:
        if first.kind == "unsigned":
            template = template.replace("({U})", "")
        if "{U}" not in template:
            template = template.replace("({T})(", "(")
    return template


def _is_closed(template: str) -> bool:
    """Whether a template is a call, in parentheses, or a cast of something closed."""
    text = HOLE.sub(lambda m: "0" if m.group(1).isdigit() else "w", template)
    text = re.sub(r"^\w+(?=\()", "", text) if not text.startswith("(") else text
    while text.startswith("("):
        text = text[_end(text) :]
        if text in ("", "0"):
            return True
    return False


HELPER_INSIDE = """static inline int64_t inside(int64_t position, int64_t size)
{
    return position < 0 ? 0 : position < size ? position : size - 1;
}
"""


def helper_bits(first: T.Type, result: T.Type) -> str:
    """The function that reads the bits of a value as another type."""
    a, b = typed(first), typed(result)
    return f"static inline {b} bits_{a}_{b}({a} x)\n{{\n    {b} y;\n    memcpy(&y, &x, sizeof y);\n    return y;\n}}\n"


def negates(node: Expr) -> bool:
    """Whether GCC 12 may take a difference for the negative of its operand 1, which gives the other zero.

    It does for 0.0 - (double)n, 0.0 - fabs(x), a choice between such, and what it folds to 0.0 before the minus. Of a
    variable it does not know the sign.
    """
    if node.op != "sub" or not node.type.is_float:
        return False
    zero, other = node.args
    folds = zero.op == "const" or zero.op not in (*LEAVES, "load")
    return folds and other.op not in _OF_ANY_SIGN


_OF_ANY_SIGN = ("add", "sub", "mul", "div", "neg")
"""Operators whose zeros may have either sign, as GCC knows."""


def is_of_truths(node: Expr) -> bool:
    """Whether a node is a truth that is made of truths, where a comparison makes it of other values."""
    return node.type is T.boolean and node.op in ("and", "or", "not", "choose")
