"""Bits: and, or, exclusive or, complement and shifts.

Shifting by the width or more gives what shifting one place at a time would: zeros, or copies of the sign. The bare
machine shifts are the partial rows `shift_left_in` and `shift_right_in`, whose amount must be proved to be in range.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import types as T
from ..facts import ANY_BOOLEAN, FALSE, TRUE, Facts, top, wrap
from ..intervals.interval import Choice, Choices, Endpoints, Interval, IntervalFunction, at, only, whole
from ..intervals.notation import Term, choose, maximum, minimum
from ..prim import Laws, Prim

if TYPE_CHECKING:
    from ..expr import Expr

Array = np.ndarray[Any, Any]
WORDS = ("integer", "bool")
_OF_TRUTHS = {"&": "&&", "|": "||", "^": "!="}
"""The operators of truths in shaders, which have none of bits for them."""


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


def _and_interval(t: T.Type, a: Interval, b: Interval) -> Endpoints:
    if t is T.boolean:
        return a.lo & b.lo, a.hi & b.hi
    # What is not negative bounds the result, whatever the other is.
    low, high = whole(t)
    lo, hi = a.lo.lift(0), minimum(a.hi, b.hi)
    if t.kind == "signed":
        first, second = a.lo >= 0, b.lo >= 0
        hi = minimum(choose(first, a.hi, high), choose(second, b.hi, high))
        lo = choose(first | second, lo, low)
    return _or_value(a, b, a.lo & b.lo, lo, hi)


def _or_value(a: Interval, b: Interval, value: Term, lo: Term, hi: Term) -> Endpoints:
    """The value where both operands are known, and the endpoints elsewhere."""
    known = a.is_point & b.is_point
    return choose(known, value, lo), choose(known, value, hi)


def _not_negative(a: Interval, b: Interval, lo: Term, hi: Term) -> Endpoints:
    """The endpoints where neither operand is negative."""
    return only((a.lo | b.lo) >= 0, lo, hi) if lo.type.kind == "signed" else (lo, hi)


def _sum_of_ends(a: Interval, b: Interval) -> Term:
    """The bits of two numbers make at most their sum."""
    total = a.hi + b.hi
    return choose(total >= a.hi, total, int(total.type.high))


def _or_interval(t: T.Type, a: Interval, b: Interval) -> Endpoints:
    if t is T.boolean:
        return a.lo | b.lo, a.hi | b.hi
    return _or_value(a, b, a.lo | b.lo, *_not_negative(a, b, maximum(a.lo, b.lo), _sum_of_ends(a, b)))


def _xor_interval(t: T.Type, a: Interval, b: Interval) -> Endpoints:
    if t is T.boolean:
        return (a.lo & ~b.hi) | (b.lo & ~a.hi), (a.hi | b.hi) & ~(a.lo & b.lo)
    return _or_value(a, b, a.lo ^ b.lo, *_not_negative(a, b, a.lo.lift(0), _sum_of_ends(a, b)))


def _not_interval(_: T.Type, a: Interval) -> Endpoints:
    return ~a.hi, ~a.lo


def _left_interval(_: T.Type, a: Interval, s: Interval) -> Endpoints:
    lo, hi = at("shift_left", a.lo, s.lo), at("shift_left", a.hi, s.lo)
    kept = at("shift_right", lo, s.lo).equals(a.lo) & at("shift_right", hi, s.lo).equals(a.hi)
    return only(s.is_point & (kept | a.is_point), lo, hi)


def _right_interval(_: T.Type, a: Interval, s: Interval) -> Endpoints:
    zero = a.lo.lift(0)
    lo = choose(s.is_point, at("shift_right", a.lo, s.lo), minimum(a.lo, zero))
    return lo, choose(s.is_point, at("shift_right", a.hi, s.lo), maximum(a.hi, zero))


def _and_choices(a: Interval, b: Interval) -> tuple[Choice, Choice]:
    if a.type is T.boolean:
        return Choice(b.lo, True), Choice(a.lo, True)
    return Choice(b.holds(-1), True), Choice(a.holds(-1), True)


def _or_choices(a: Interval, b: Interval) -> tuple[Choice, Choice]:
    if a.type is T.boolean:
        return Choice(~b.hi, True), Choice(~a.hi, True)
    return Choice(b.holds(0), True), Choice(a.holds(0), True)


def _shift_choices(_: Interval, s: Interval) -> tuple[Choice | None, ...]:
    return Choice(s.holds(0), True), None


def _logic(
    name: str,
    doc: str,
    ref: Any,
    facts: Any,
    laws: Laws,
    symbol: tuple[str, int],
    interval: IntervalFunction,
    choices: Choices,
) -> Prim:
    return Prim(
        name,
        doc,
        "L L -> L",
        ref=ref,
        facts=facts,
        laws=laws,
        llvm={"any": f"{name} {{T}} {{0}}, {{1}}"},
        c={"any": f"({{T}})({{0}} {symbol[0]} {{1}})"},
        glsl={"integer": f"{{0}} {symbol[0]} {{1}}", "bool": f"{{0}} {_OF_TRUTHS[symbol[0]]} {{1}}"},
        interval=interval,
        choices=choices,
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
        _and_interval,
        _and_choices,
    ),
    _logic(
        "or",
        "The bits set in x or y.",
        np.bitwise_or,
        _or_facts,
        Laws(WORDS, WORDS, {"integer": 0, "bool": False}, {"integer": -1, "bool": True}, WORDS),
        ("|", 1),
        _or_interval,
        _or_choices,
    ),
    _logic(
        "xor",
        "The bits set in one of x and y.",
        np.bitwise_xor,
        _xor_facts,
        Laws(WORDS, WORDS, {"integer": 0, "bool": False}),
        ("^", 2),
        _xor_interval,
        _or_choices,
    ),
    Prim(
        "not",
        "The bits not set in x.",
        "L -> L",
        ref=np.invert,
        facts=_not_facts,
        llvm={"integer": "xor {T} {0}, {#-1}", "bool": "xor {T} {0}, {#-1}"},
        c={"integer": "({T})({0} ^ ({T})-1)", "bool": "!{0}"},
        glsl={"integer": "~{0}", "bool": "!{0}"},
        interval=_not_interval,
        zero_sign="kill",
    ),
    Prim(
        "shift_left",
        "x times two to the y; 0 when y is negative or at least the width.",
        "I I -> I",
        body=_shift_left,
        facts=_left_facts,
        monotone="+.",
        interval=_left_interval,
        choices=_shift_choices,
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
        interval=_right_interval,
        choices=_shift_choices,
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
        glsl={"any": "{0} << {1}"},
        wgsl={"any": "{0} << u32({1})"},
        monotone="+.",
        interval=_left_interval,
        choices=_shift_choices,
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
        glsl={"any": "{0} >> {1}"},
        wgsl={"any": "{0} >> u32({1})"},
        monotone="+.",
        interval=_right_interval,
        choices=_shift_choices,
        zero_sign="kill",
    ),
)
