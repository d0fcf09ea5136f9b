"""Table 6.1: the words of White's language and the operators of the table that they mean.

Used by `reading` and `writing` alike, so that each fact of the notation stands once. What the table of the paper does
not name is written under the name of its row: ``(sqrt x)``, ``(convert.f32 i)``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...ir import prim as rows
from ...ir import types as T
from ...ir.expr import Expr, apply, const
from ...ir.prim import Prim

ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "min": "min", "max": "max"}
COMPARISONS = {
    "<": ("lt", False),
    ">": ("lt", True),
    "<=": ("le", False),
    ">=": ("le", True),
    "=": ("eq", False),
    "<>": ("ne", False),
}
"""Each comparison as a row, and whether its operands change places."""
SYMBOLS = {row: word for word, row in ARITHMETIC.items()} | {
    "floor_div": "/",
    "div": "/",
    "neg": "-",
    "choose": "if",
}
STATEMENTS = (
    ":=",
    "for",
    "if",
    "while",
    "local",
    "lanes",
    "spread",
    "grid",
    "place",
    "repeat",
    "select",
    "once",
)
ITERATIONS = ("iterate", "get")
DECLARATIONS = (
    "MakeVariable",
    "MakeLocal",
    "MakeAbstractStatement",
    "MakeAbstractBoolean",
    "MakeAbstractExpression",
    "setq",
)
_LITERALS = {"true", "false", "nan", "inf"}
NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def why_no_name(word: str) -> str | None:
    """Why a word cannot be the name of a variable; None if it can.

    >>> why_no_name("sum"), why_no_name("min")
    (None, "'min' is a word of the language")
    """
    if not NAME.fullmatch(word):
        return f"{word!r} is not a name of letters, digits and _"
    if word in {*STATEMENTS, *ITERATIONS, *DECLARATIONS, *_LITERALS, "in", "quote"} or word in rows.table():
        return f"{word!r} is a word of the language"
    return None


def operator(word: str, count: int, kind: T.Type | None) -> tuple[Prim, T.Type | None, bool] | None:
    """The row that a word means on `count` operands of a type, the type it names, and whether operands change places.

    None if no row has that name.

    >>> operator("/", 2, T.i64)[0].name, operator(">", 2, T.i64)[::2]
    ('floor_div', (Prim..., True))
    """
    if word == "if":
        return rows.row("choose"), None, False
    if word == "-" and count == 1:
        return rows.row("neg"), None, False
    if word == "/":
        return rows.row("div" if kind is not None and kind.is_float else "floor_div"), None, False
    if word in COMPARISONS:
        name, swapped = COMPARISONS[word]
        return rows.row(name), None, swapped
    name, _, suffix = word.partition(".")
    found = rows.table().get(ARITHMETIC.get(name, name))
    if found is None or name == "choose" or (found.result == "@") != bool(suffix):
        return None
    if suffix and suffix not in T.BY_NAME:
        return None
    return found, T.BY_NAME.get(suffix), False


def words() -> list[str]:
    """Every operator that may stand at the head of an expression, for hints."""
    return [*ARITHMETIC, *COMPARISONS, "/", "in", "if", *ITERATIONS, *rows.table()]


def literal_type(
    letter: str, row: Prim, others: Sequence[T.Type | None], hint: T.Type | None
) -> T.Type | None:
    """The type that a bare number takes as an operand: that of a neighbor of the same letter, or what is wanted."""
    if letter == "B":
        return T.boolean
    for other, known in zip(row.letters, others, strict=True):
        if other == letter and known is not None:
            return known
    return hint if row.result == letter else None


# ---- bounds: inclusive in the language, half open in the nest ----


def beyond(last: Expr) -> Expr:
    """The bound of a half-open loop whose last iteration is `last`; see `last_of`.

    It wraps where `last` is the largest integer, and the loop is empty: what computes such a bound means nothing else.
    """
    if last.op == "const":
        return const(last.attr + 1, last.type)
    one = const(1, last.type)
    if last.op == "sub" and last.args[1] is one:
        return last.args[0]
    return apply("add", last, one)


def last_of(bound: Expr) -> Expr:
    """The last iteration of a loop with that half-open bound, such that ``beyond(last_of(b)) is b``.

    >>> from pellucid.ir.expr import param
    >>> n = param("n", T.i64)
    >>> last_of(n), last_of(beyond(n)), last_of(const(256, T.i64))
    ($n:i64 - 1:i64, $n:i64, 255:i64)
    """
    if bound.op == "const" and bound.attr > bound.type.low:
        return const(bound.attr - 1, bound.type)
    one = const(1, bound.type)
    if bound.op == "add" and bound.args[1] is one:
        last = bound.args[0]
        if last.op != "const" and not (last.op == "sub" and last.args[1] is one):
            return last
    return apply("sub", bound, one)
