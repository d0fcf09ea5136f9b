"""Symbolic times as White printed them (White, section 6.2, Figure 6.1): sums of her constants, in prefix notation.

The same statements and counts as the timer's, written out by the structure of the program; `timer` gives the number.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..base.errors import IrError
from ..ir.expr import LEAVES, Expr, topological
from ..ir.nest import Abstract, Block, For, If, Statement, Store
from .machine import PAPER_WORDS

MAX_CHARACTERS = 1 << 20
"""Characters of the time of one value: every use of a shared value writes its time again."""


def printed_time(block: Block, words: Mapping[str, str] = PAPER_WORDS) -> str:
    r"""The symbolic time of statements, each kind of work under its word.

    A loop of constant bounds shows its iterations, one of other bounds the default count. Raises IrError for places.

    >>> from pellucid.ir.parse import parse_nest
    >>> kernel = parse_nest("kernel k():\n  output x: i64[1]\n  for i: i64 in 1:i64 .. 11:i64:\n    x[0:i64] := i\n")
    >>> print(printed_time(kernel.body))
    (+ ForStatementTime (* (+ 1 (- 10 1)) (+ AssignmentStatementTime VariableTime)))
    """
    return _block(block, words)


def _block(block: Block, words: Mapping[str, str]) -> str:
    if not block:
        return words["null"]
    inner = [_statement(s, words) for s in block]
    return inner[0] if len(inner) == 1 else f"(+ {words['compound']} (+ {' '.join(inner)}))"


def _statement(s: Statement, words: Mapping[str, str]) -> str:
    match s:
        case Store(buffer, position, value):
            simple = buffer.size == 1 and position.op == "const"
            index = [] if simple else [_value(position, words)]
            return f"(+ {' '.join([words['assignment'], *index, _value(value, words)])})"
        case For():
            return f"(+ {words['loop']} (* {_count(s, words)} {_block(s.body, words)}))"
        case If(condition, then, orelse, _):
            arms = " ".join(_block(b, words) for b in (then, orelse))
            return f"(+ {words['branch']} {_value(condition, words)} (* 1/2 (+ {arms})))"
        case Abstract(name):
            return f"{name}Time"
        case _:
            raise IrError(
                f"White's timer knows no {type(s).__name__.lower()}",
                place="printed_time",
                fix="erase the places",
            )


def _count(s: For, words: Mapping[str, str]) -> str:
    if s.lo.op == s.hi.op == "const":
        return f"(+ 1 (- {s.hi.attr - 1} {s.lo.attr}))" if s.hi.attr > s.lo.attr else "0"
    return words["count"]


def _value(node: Expr, words: Mapping[str, str]) -> str:
    texts: dict[Expr, str] = {}
    for n in topological([node]):
        if n.op in LEAVES:
            texts[n] = words["constant" if n.op == "const" else "variable"]
        elif n.op == "load":
            simple = n.attr.size == 1 and n.args[0].op == "const"
            texts[n] = words["variable"] if simple else f"(+ {words['array']} {texts[n.args[0]]})"
        else:
            texts[n] = f"(+ {' '.join([words['operator'], *(texts[a] for a in n.args)])})"
        if len(texts[n]) > MAX_CHARACTERS:
            raise IrError(
                "its time is too long to be printed", place="printed_time", fix="use Timer.symbolic"
            )
    return texts[node]
