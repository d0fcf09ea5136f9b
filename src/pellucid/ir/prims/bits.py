"""Bits: and, or, exclusive or, complement and shifts.

Shifting by the width or more gives what shifting one place at a time would: zeros, or copies of the sign. The bare
machine shifts are the partial rows `shift_left_in` and `shift_right_in`, whose amount must be proved to be in range.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import types as T
from ..facts import ANY_BOOLEAN, FALSE, TRUE, Facts, top, wrap
from ..prim import Laws, Prim

if TYPE_CHECKING:
    from ..expr import Expr

Array = np.ndarray[Any, Any]
WORDS = ("integer", "bool")


def _and_facts(t: T.Type, _: tuple[T.Type, ...], a: Facts, b: Facts) -> Facts:
    if t is T.boolean:
        return Facts(min(a.lo, b.lo), min(a.hi, b.hi))
    for x, mask in ((a, b), (b, a)):
        if mask.exact and mask.lo >= 0:
            # A mask of low bits that the residue knows gives one number.
            low = x.modulus & -x.modulus if x.modulus else 1 << t.bits
            if mask.lo < low:
                value = x.residue & int(mask.lo)
                return Facts(value, value, modulus=0, residue=value)
    positives = [int(x.hi) for x in (a, b) if x.lo >= 0]
    return Facts(0, min(positives)) if positives else top(t)


def _or_facts(t: T.Type, _: tuple[T.Type, ...], a: Facts, b: Facts) -> Facts:
    if t is T.boolean:
        return Facts(max(a.lo, b.lo), max(a.hi, b.hi))
    if a.lo >= 0 and b.lo >= 0:
        return Facts(max(a.lo, b.lo), (1 << max(int(a.hi), int(b.hi)).bit_length()) - 1)
    return top(t)


def _xor_facts(t: T.Type, _: tuple[T.Type, ...], a: Facts, b: Facts) -> Facts:
    if t is T.boolean:
        known = a.lo == a.hi and b.lo == b.hi
        return ANY_BOOLEAN if not known else TRUE if a.lo != b.lo else FALSE
    if a.lo >= 0 and b.lo >= 0:
        return Facts(0, (1 << max(int(a.hi), int(b.hi)).bit_length()) - 1)
    return top(t)


def _not_facts(t: T.Type, _: tuple[T.Type, ...], a: Facts) -> Facts:
    if t is T.boolean:
        return Facts(1 - a.hi, 1 - a.lo)
    ones = -1 if t.kind == "signed" else int(t.high)
    return wrap(t, ones - int(a.hi), ones - int(a.lo), a.modulus, ones - a.residue)


def _left_facts(t: T.Type, _: tuple[T.Type, ...], a: Facts, s: Facts) -> Facts:
    if not s.exact or not 0 <= s.lo < t.bits:
        return top(t)
    k = 1 << int(s.lo)
    return wrap(t, int(a.lo) * k, int(a.hi) * k, a.modulus * k, a.residue * k)


def _right_facts(t: T.Type, _: tuple[T.Type, ...], a: Facts, s: Facts) -> Facts:
    if not 0 <= s.lo <= s.hi < t.bits:
        return top(t)
    ends = [int(x) >> int(n) for x in (a.lo, a.hi) for n in (s.lo, s.hi)]
    return Facts(min(ends), max(ends))


def _in_range(types: tuple[T.Type, ...], _: Facts, amount: Facts) -> bool:
    return amount.within(0, types[0].bits - 1)


def _amount(b: Array) -> Array:
    # Any amount outside of the width, negative ones among them, shifts everything out.
    bits = b.dtype.itemsize * 8
    return np.where((b < 0) | (b >= bits), b.dtype.type(bits - 1), b)


def _left(a: Array, b: Array) -> Array:
    return np.left_shift(a, _amount(b))


def _right(a: Array, b: Array) -> Array:
    return np.right_shift(a, _amount(b))


def _shift_left(a: Expr, b: Expr) -> Expr:
    from ..expr import apply, const

    bits = const(a.type.bits, a.type)
    zero = const(0, a.type)
    inside = apply("and", apply("le", zero, b), apply("lt", b, bits))
    amount = apply("and", b, const(a.type.bits - 1, a.type))
    return apply("choose", inside, apply("shift_left_in", a, amount), zero)


def _shift_right(a: Expr, b: Expr) -> Expr:
    from ..expr import apply, const

    bits = const(a.type.bits, a.type)
    zero = const(0, a.type)
    inside = apply("and", apply("le", zero, b), apply("lt", b, bits))
    amount = apply("and", b, const(a.type.bits - 1, a.type))
    out = zero if a.type.kind == "unsigned" else apply("shift_right_in", a, const(a.type.bits - 1, a.type))
    return apply("choose", inside, apply("shift_right_in", a, amount), out)


def _logic(name: str, doc: str, ref: Any, facts: Any, laws: Laws, symbol: tuple[str, int]) -> Prim:
    return Prim(
        name,
        doc,
        "L L -> L",
        ref=ref,
        facts=facts,
        laws=laws,
        llvm={"any": f"{name} {{T}} {{0}}, {{1}}"},
        c={"any": f"({{T}})({{0}} {symbol[0]} {{1}})"},
        zero_sign="kill",
        symbol=symbol,
    )


ROWS = (
    _logic(
        "and",
        "The bits set in both x and y.",
        np.bitwise_and,
        _and_facts,
        Laws(WORDS, WORDS, {"integer": -1, "bool": True}, {"integer": 0, "bool": False}, WORDS),
        ("&", 3),
    ),
    _logic(
        "or",
        "The bits set in x or y.",
        np.bitwise_or,
        _or_facts,
        Laws(WORDS, WORDS, {"integer": 0, "bool": False}, {"integer": -1, "bool": True}, WORDS),
        ("|", 1),
    ),
    _logic(
        "xor",
        "The bits set in one of x and y.",
        np.bitwise_xor,
        _xor_facts,
        Laws(WORDS, WORDS, {"integer": 0, "bool": False}),
        ("^", 2),
    ),
    Prim(
        "not",
        "The bits not set in x.",
        "L -> L",
        ref=np.invert,
        facts=_not_facts,
        llvm={"integer": "xor {T} {0}, {#-1}", "bool": "xor {T} {0}, {#-1}"},
        c={"integer": "({T})({0} ^ ({T})-1)", "bool": "!{0}"},
        zero_sign="kill",
    ),
    Prim(
        "shift_left",
        "x times two to the y; 0 when y is negative or at least the width.",
        "I I -> I",
        body=_shift_left,
        facts=_left_facts,
        monotone="+.",
        zero_sign="kill",
        symbol=("<<", 5),
    ),
    Prim(
        "shift_right",
        "x shifted right, keeping the sign of signed types; all out when y is negative or at least the width.",
        "I I -> I",
        body=_shift_right,
        facts=_right_facts,
        monotone="+.",
        zero_sign="kill",
        symbol=(">>", 5),
    ),
    Prim(
        "shift_left_in",
        "x times two to the y, for y proved to be within the width.",
        "I I -> I",
        ref=_left,
        facts=_left_facts,
        domain=_in_range,
        total="shift_left",
        llvm={"any": "shl {T} {0}, {1}"},
        c={"any": "({T})(({U}){0} << {1})"},
        monotone="+.",
        zero_sign="kill",
    ),
    Prim(
        "shift_right_in",
        "x shifted right, keeping the sign of signed types, for y proved to be within the width.",
        "I I -> I",
        ref=_right,
        facts=_right_facts,
        domain=_in_range,
        total="shift_right",
        llvm={"signed": "ashr {T} {0}, {1}", "unsigned": "lshr {T} {0}, {1}"},
        c={"any": "({T})({0} >> {1})"},
        monotone="+.",
        zero_sign="kill",
    ),
)
