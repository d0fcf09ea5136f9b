"""Expressions as residual programs are written: folded where all is known, and without operators that change nothing.

Under `value`. More is simplified later, by the rules for all programs; this keeps names few while they are compared.
"""

from __future__ import annotations

from typing import Any

from ..base.errors import StagingError, brief
from ..base.source_location import caller
from ..ir import types as T
from ..ir.expr import Expr, apply, const
from ..ir.interp import fold

WHOLE = T.i64
"""The type of dynamic integers: they are as Python's where those fit 64 bits, and wrap beyond."""
MAX_SHIFT = 1 << 12
"""Bits that a static number may shift by."""


def node(op: str, *args: Expr, attr: Any = None) -> Expr:
    """An operator on expressions, folded where all are constants or one changes nothing."""
    made = apply(op, *args, attr=attr)
    if all(a.op == "const" for a in args):
        return const(fold(op, args, made.type, attr), made.type)
    if op == "convert" and args[0].type is attr:
        return args[0]
    if op == "convert" and args[0].op == "convert" and args[0].type is T.f64:
        (narrow,) = args[0].args
        if narrow.type is attr is T.f32:
            return narrow  # widened, and made narrow again
    if op == "add" and args[0].op == "const":
        return node(op, args[1], args[0])
    if len(args) == 2 and args[1].op == "const":
        number = args[1].attr
        # A sum with zero is another number where there is -0.0.
        if (
            number == 0
            and not args[0].type.is_float
            and op in ("add", "sub", "or", "xor", "shift_left", "shift_right")
        ):
            return args[0]
        if number == 1 and op in ("mul", "floor_div", "div"):
            return args[0]
        if op == "and" and args[0].op == "and" and args[0].args[1].op == "const":
            return node("and", args[0].args[0], node("and", args[0].args[1], args[1]))
        if number < 0 and op == "add":
            return apply("sub", args[0], const(-number, made.type))
    return made


def number(value: int) -> Expr:
    """A static integer as an expression."""
    return const(value, WHOLE)


def power_of_two(by: int) -> int:
    """The factor of a static shift.

    Raises StagingError for a shift by less than no bits, or by more than `MAX_SHIFT`.
    """
    if not 0 <= by <= MAX_SHIFT:
        place, _ = caller()
        raise StagingError(
            f"an integer is shifted by {brief(by)}", place=place, fix=f"shift by 0 to {MAX_SHIFT}"
        )
    return 1 << by


def opposite(condition: Expr) -> Expr:
    """The condition that holds where another does not.

    >>> from pellucid.ir.expr import param
    >>> opposite(node("lt", param("a", WHOLE), number(3)))
    3:i64 <= $a:i64
    """
    match condition.op:
        case "eq" | "ne":
            return node("ne" if condition.op == "eq" else "eq", *condition.args)
        case "lt" | "le" if condition.args[0].type.is_integer:
            return node("le" if condition.op == "lt" else "lt", *condition.args[::-1])
        case "and" | "or" if condition.type is T.boolean:
            return node("or" if condition.op == "and" else "and", *(opposite(a) for a in condition.args))
        case _:
            return node("not", condition)
