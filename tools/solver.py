"""What operators, predicates and builders mean, in the terms of a solver: stated anew, without the operator table.

`tools.rule_status` proves rules with it, for all operands of a type, and the tests of rules prove instances. Integers
are words of bits, floats are IEEE 754's with one NaN. A predicate after ``when`` means what its docstring says of the
values; that the predicate is only granted where that holds is tested with the facts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import z3

from pellucid.ir import expr as E
from pellucid.ir import interp
from pellucid.ir import types as T
from pellucid.ir.expr import Expr

Term = Any
"""A value as a term of the solver."""
Typed = tuple[T.Type, Term]

f16 = T.Type("f16", "float", 16, np.dtype(np.float16))
"""Half floats: no type of the core, but small enough that a solver decides what it cannot for wider ones."""
SORTS = {16: z3.FPSort(5, 11), 32: z3.FPSort(8, 24), 64: z3.FPSort(11, 53)}
DIGITS = {16: 11, 32: 24, 64: 53}
NEAR = z3.RNE()
_CIRCULAR = ("sin", "cos", "tan", "sinpi", "cospi", "asin", "acos", "atan", "sinh", "cosh", "tanh")
ELEMENTARY = frozenset((*_CIRCULAR, "cbrt", "exp", "exp2", "log", "log2", "pow"))
"""Rows that are any function here: their bodies are far too long for a solver."""
DIRECTIONS = {"floor": z3.RTN(), "ceil": z3.RTP(), "round": NEAR, "trunc": z3.RTZ()}


def sort(type_: T.Type) -> Any:
    """The sort of a type."""
    if type_ is T.boolean:
        return z3.BoolSort()
    return SORTS[type_.bits] if type_.is_float else z3.BitVecSort(type_.bits)


def symbol(name: str, type_: T.Type) -> Term:
    """A value of which nothing is known."""
    return z3.Const(name, sort(type_))


def constant(value: float | int | bool, type_: T.Type) -> Term:
    """A known value."""
    if type_ is T.boolean:
        return z3.BoolVal(bool(value))
    if not type_.is_float:
        return z3.BitVecVal(int(value), type_.bits)
    with np.errstate(over="ignore"):
        bits = type_.dtype.type(value).view(f"u{type_.bits // 8}")
    return z3.simplify(z3.fpBVToFP(z3.BitVecVal(int(bits), type_.bits), sort(type_)))


# ---- operators ----


def _divided(signed: bool, a: Term, b: Term) -> Term:
    """The quotient rounded down, 0 for a divisor of 0."""
    if not signed:
        return z3.If(b == 0, z3.BitVecVal(0, a.size()), z3.UDiv(a, b))
    quotient, rest = a / b, z3.SRem(a, b)
    down = z3.And(rest != 0, (rest < 0) != (b < 0))
    return z3.If(b == 0, z3.BitVecVal(0, a.size()), z3.If(down, quotient - 1, quotient))


def less(type_: T.Type, a: Term, b: Term) -> Term:
    """Whether a < b in a type of numbers."""
    if type_.is_float:
        return z3.fpLT(a, b)
    return a < b if type_.kind == "signed" else z3.ULT(a, b)


def _shifted(left: bool, signed: bool, a: Term, b: Term) -> Term:
    bits = a.size()
    out = z3.BitVecVal(0, bits) if left or not signed else a >> (bits - 1)
    inside = z3.And(b >= 0, b < bits) if signed else z3.ULT(b, bits)
    return z3.If(inside, (a << b) if left else (a >> b) if signed else z3.LShR(a, b), out)


def converted(a: Term, source: T.Type, target: T.Type) -> Term:
    """The conversion of a value to another type."""
    if source.is_float:
        if target.is_float:
            return a if source is target else z3.fpFPToFP(NEAR, a, sort(target))
        return z3.Not(z3.fpIsZero(a)) if target is T.boolean else _saturated(a, source, target)
    if target is T.boolean:
        return a if source is T.boolean else a != 0
    if source is T.boolean:
        return z3.If(a, constant(1, target), constant(0, target))
    if target.is_float:
        return (z3.fpSignedToFP if source.kind == "signed" else z3.fpUnsignedToFP)(NEAR, a, sort(target))
    if target.bits <= source.bits:
        return z3.Extract(target.bits - 1, 0, a)
    more = target.bits - source.bits
    return z3.SignExt(more, a) if source.kind == "signed" else z3.ZeroExt(more, a)


def _truncated(a: Term, target: T.Type) -> Term:
    return (z3.fpToSBV if target.kind == "signed" else z3.fpToUBV)(z3.RTZ(), a, z3.BitVecSort(target.bits))


def _saturated(a: Term, source: T.Type, target: T.Type) -> Term:
    low, beyond = constant(target.low, source), constant(int(target.high) + 1, source)
    top = z3.If(z3.fpGEQ(a, beyond), constant(target.high, target), _truncated(a, target))
    return z3.If(z3.fpGT(a, low), top, constant(target.low, target))


def _floats(op: str, first: T.Type, args: list[Term]) -> Term:
    if op in DIRECTIONS:
        return z3.fpRoundToIntegral(DIRECTIONS[op], *args)
    plain: dict[str, Callable[..., Term]] = {
        "add": lambda a, b: z3.fpAdd(NEAR, a, b),
        "sub": lambda a, b: z3.fpSub(NEAR, a, b),
        "mul": lambda a, b: z3.fpMul(NEAR, a, b),
        "div": lambda a, b: z3.fpDiv(NEAR, a, b),
        "fma": lambda a, b, c: z3.fpFMA(NEAR, a, b, c),
        "sqrt": lambda a: z3.fpSqrt(NEAR, a),
        "neg": z3.fpNeg,
        "abs": z3.fpAbs,
        "min": lambda a, b: z3.If(z3.fpLT(a, b), a, b),
        "max": lambda a, b: z3.If(z3.fpGT(a, b), a, b),
        "lt": z3.fpLT,
        "le": z3.fpLEQ,
        "eq": z3.fpEQ,
        "ne": lambda a, b: z3.Not(z3.fpEQ(a, b)),
    }
    if op in plain:
        return plain[op](*args)
    if op in ELEMENTARY:
        sorts = [a.sort() for a in args]
        return z3.Function(f"{op}.{first}", *sorts, sorts[0])(*args)
    return _body(op, [first] * len(args), None, args)


def _body(op: str, types: list[T.Type], target: T.Type | None, args: list[Term]) -> Term:
    """The meaning of a row that has a body."""
    operands = tuple(E.param(f"operand{k}", t) for k, t in enumerate(types))
    known = dict(zip(operands, args, strict=True))
    return values([interp.expand(op, operands, target)], known)[0]


def _words(op: str, first: T.Type, args: list[Term]) -> Term:
    signed, logic = first.kind == "signed", first is T.boolean
    plain: dict[str, Callable[..., Term]] = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "neg": lambda a: -a,
        "abs": lambda a: z3.If(a < 0, -a, a),
        "min": lambda a, b: z3.If(less(first, a, b), a, b),
        "max": lambda a, b: z3.If(less(first, b, a), a, b),
        "floor_div": lambda a, b: _divided(signed, a, b),
        "mod": lambda a, b: a - _divided(signed, a, b) * b,
        "and": z3.And if logic else lambda a, b: a & b,
        "or": z3.Or if logic else lambda a, b: a | b,
        "xor": z3.Xor if logic else lambda a, b: a ^ b,
        "not": z3.Not if logic else lambda a: ~a,
        "shift_left": lambda a, b: _shifted(True, signed, a, b),
        "shift_left_in": lambda a, b: _shifted(True, signed, a, b),
        "shift_right": lambda a, b: _shifted(False, signed, a, b),
        # The bare shifts are only written where the amount is known to be within the width.
        "shift_right_in": lambda a, b: _shifted(False, signed, a, b),
        "lt": lambda a, b: less(first, a, b),
        "le": lambda a, b: z3.Not(less(first, b, a)),
        "eq": lambda a, b: a == b,
        "ne": lambda a, b: a != b,
    }
    return plain[op](*args)


def meaning(op: str, types: list[T.Type], target: T.Type, args: list[Term]) -> Term:
    """What an operator does to values of some types; `target` is the type of the result."""
    first = types[0]
    match op:
        case "choose":
            return z3.If(*args)
        case "convert":
            return converted(args[0], first, target)
        case "to_integer":
            return _saturated(args[0], first, target)
        case "truncate_in":
            return _truncated(args[0], target)
        case "bitcast":
            return _read_as(args[0], first, target)
        case _:
            return (_floats if first.is_float else _words)(op, first, args)


def _read_as(a: Term, source: T.Type, target: T.Type) -> Term:
    if source.is_float == target.is_float:
        return a
    # The bits of a NaN are any that a NaN may have.
    return z3.fpToIEEEBV(a) if source.is_float else z3.fpBVToFP(a, sort(target))


def values(roots: list[Expr], known: Mapping[Expr, Term] | None = None) -> list[Term]:
    """Expressions as terms; parameters of which nothing is said are symbols."""
    found: dict[Expr, Term] = dict(known or {})
    for node in E.topological(roots):
        if node in found:
            continue
        if node.op == "const":
            found[node] = constant(node.attr, node.type)
        elif not node.args:
            found[node] = symbol(str(node.attr), node.type)
        else:
            found[node] = meaning(
                node.op, [a.type for a in node.args], node.type, [found[a] for a in node.args]
            )
    return [found[r] for r in roots]


# ---- predicates ----


def _minus_zero(x: Term) -> Term:
    return z3.And(z3.fpIsZero(x), z3.fpIsNegative(x))


def _number(t: T.Type, x: Term) -> Term:
    return z3.Not(z3.fpIsNaN(x)) if t.is_float else z3.BoolVal(True)


def _real(t: T.Type, x: Term) -> Term:
    """x is no -0.0."""
    return z3.Not(_minus_zero(x)) if t.is_float else z3.BoolVal(True)


def _at_least(t: T.Type, x: Term, y: Term) -> Term:
    return z3.fpGEQ(x, y) if t.is_float else z3.Not(less(t, x, y))


def _power(t: T.Type, k: Term) -> Term:
    return z3.And(less(t, constant(0, t), k), k & (k - 1) == 0)


def _mask(t: T.Type, k: Term) -> Term:
    return z3.And(_at_least(t, k, constant(0, t)), k & (k + 1) == 0)


def _below_or_same(t: T.Type, x: Term, y: Term) -> Term:
    if not t.is_float:
        return _at_least(t, y, x)
    return z3.Or(z3.fpLT(x, y), z3.And(x == y, z3.Not(z3.fpIsNaN(x))))


def _negative_constant(t: T.Type, k: Term) -> Term:
    if t.kind == "unsigned":
        return z3.UGT(k, constant(int(t.high) // 2 + 1, t))
    low = z3.BoolVal(True) if t.is_float else k != constant(t.low, t)
    return z3.And(less(t, k, constant(0, t)), low)


def _whole(t: T.Type, x: Term) -> Term:
    return z3.Or(z3.fpIsNaN(x), z3.fpRoundToIntegral(NEAR, x) == x)


def _fraction_kept(t: T.Type, x: Term, k: Term) -> Term:
    most = constant(2.0 ** (DIGITS[t.bits] - 2), t)
    small = z3.And(z3.fpLEQ(constant(0, t), k), z3.fpLEQ(k, constant(0.5, t)))
    return z3.And(z3.fpLEQ(z3.fpNeg(most), x), z3.fpLEQ(x, most), z3.Not(_minus_zero(x)), small)


def _cut(t: T.Type, x: Term, k: Term) -> Term:
    one = constant(1, t)
    inside = z3.And(z3.fpLEQ(constant(0, t), k), z3.fpLT(k, constant(2.0 ** (DIGITS[t.bits] - 1), t)))
    return z3.And(z3.Not(z3.fpIsNaN(x)), inside, _whole(t, k), z3.fpLT(x, z3.fpAdd(NEAR, k, one)))


def _in_width(t: T.Type, x: Term) -> Term:
    return z3.ULT(x, constant(t.bits, t))


PREDICATES: Mapping[str, Callable[..., Term]] = {
    "not_minus_zero": _real,
    "not_nan": _number,
    "finite": lambda t, x: z3.Not(z3.Or(z3.fpIsNaN(x), z3.fpIsInf(x))) if t.is_float else z3.BoolVal(True),
    "at_most_half": lambda t, x: z3.fpLEQ(z3.fpAbs(x), constant(float(t.high) / 2, t)),
    "nonnegative": lambda t, x: z3.And(_at_least(t, x, constant(0, t)), _real(t, x)),
    "at_least_zero": lambda t, x: _at_least(t, x, constant(0, t)),
    "never_negative": lambda t, x: z3.Not(less(t, x, constant(0, t))),
    "negative": lambda t, x: less(t, x, constant(0, t)),
    "below": _below_or_same,
    "never_below": lambda t, x, y: z3.Not(less(t, x, y)),
    "never_above": lambda t, x, y: z3.Not(less(t, y, x)),
    "power_of_two": _power,
    "in_width": _in_width,
    "out_of_width": lambda t, k: z3.Not(_in_width(t, k)),
    "whole": _whole,
    "fraction_kept": _fraction_kept,
    "cheap": lambda t, x: z3.BoolVal(True),
    "fits_mask": lambda t, x, k: z3.And(_mask(t, k), z3.ULE(x, k), _at_least(t, x, constant(0, t))),
    "misses_mask": lambda t, y, k: y & k == 0,
    "nonzero_constant": lambda t, k: z3.Not(z3.Or(z3.fpIsZero(k), z3.fpIsNaN(k))),
    "in_residues": lambda t, x, k: z3.And(_at_least(t, x, constant(0, t)), less(t, x, k)),
    "negative_constant": _negative_constant,
    "cut_by_truncation": _cut,
}


# ---- builders: the value, and what is known where it is made ----


def _bits_of_power(t: T.Type, k: Term) -> Typed:
    """The exponent of a power of two: the place of its one bit."""
    found = constant(0, t)
    for place in range(t.bits):
        found = z3.If(k == z3.BitVecVal(1 << place, t.bits), constant(place, t), found)
    return t, found


def _exact_reciprocal(node: T.Type, k: Typed) -> tuple[Typed, list[Term]]:
    t, x = k
    inverse = z3.fpDiv(NEAR, constant(1, t), x)
    bits = z3.BitVec("bits", t.bits)
    digits = DIGITS[t.bits] - 1
    power = [z3.fpBVToFP(bits, sort(t)) == x, z3.Extract(digits - 1, 0, bits) == 0]
    return (t, inverse), [*power, z3.fpIsNormal(inverse), z3.fpIsNormal(x)]


def _factor(k: Typed, rest: Term, by: Term, x: Typed) -> tuple[Typed, list[Term]]:
    """k / by, where x * k + rest does not wrap and k is a multiple of by > 0."""
    t, factor = k
    wide = (lambda a: z3.SignExt(t.bits, a)) if t.kind == "signed" else (lambda a: z3.ZeroExt(t.bits, a))
    product = wide(x[1]) * wide(factor)
    total = product + wide(rest)
    low, high = z3.BitVecVal(int(t.low), 2 * t.bits), z3.BitVecVal(int(t.high), 2 * t.bits)
    fits = [z3.And(low <= v, v <= high) for v in (product, total)]
    positive = less(t, constant(0, t), by)
    quotient = _divided(t.kind == "signed", factor, by)
    return (t, quotient), [positive, quotient * by == factor, *fits]


def _pure(make: Callable[..., Typed]) -> Callable[..., tuple[Typed, list[Term]]]:
    return lambda node, *args: (make(*args), [])


def _amounts(*amounts: Typed) -> list[Term]:
    return [_in_width(t, k) for t, k in amounts]


BUILDERS: Mapping[str, Callable[..., tuple[Typed, list[Term]]]] = {
    "opposite": _pure(lambda k: (k[0], z3.fpNeg(k[1]) if k[0].is_float else -k[1])),
    "log2": _pure(lambda k: _bits_of_power(*k)),
    "less_one": _pure(lambda k: (k[0], k[1] - 1)),
    "literal_zero": _pure(lambda x: (x[0], constant(0, x[0]))),
    "last_place": _pure(lambda k: (k[0], constant(k[0].bits - 1, k[0]))),
    "exact_reciprocal": _exact_reciprocal,
    "total_shift": lambda node, k, m: ((k[0], k[1] + m[1]), _amounts(k, m)),
    "high_mask": lambda node, k: ((k[0], constant(-1, k[0]) << k[1]), _amounts(k)),
    "low_ones": lambda node, k: ((k[0], z3.LShR(constant(-1, k[0]), k[1])), _amounts(k)),
    "shifted_factor": lambda node, x, k, rest, by: _shifted_factor(x, k, rest, by),
    "divided_factor": lambda node, x, k, rest, by: _factor(k, rest[1], by[1], x),
    "of_own_type": lambda node, x: (x, [z3.BoolVal(x[0] is node)]),
    "truncated": lambda node, x: ((node, _truncated(x[1], node)), _in_limits(x, node)),
}


def _shifted_factor(x: Typed, k: Typed, rest: Typed, by: Typed) -> tuple[Typed, list[Term]]:
    t = k[0]
    divisor = constant(1, t) << by[1]
    found, known = _factor(k, rest[1], divisor, x)
    return found, [*known, *_amounts(by)]


def _in_limits(x: Typed, target: T.Type) -> list[Term]:
    t, value = x
    low, beyond = constant(target.low, t), constant(int(target.high) + 1, t)
    return [z3.fpGEQ(value, low), z3.fpLT(value, beyond)]
