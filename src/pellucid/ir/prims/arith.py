"""Arithmetic: + - * / and their kin on integers (wrapping) and floats (IEEE, round to nearest even).

Integer division and modulo floor, and are total: x // 0 = 0 and x mod 0 = x. `min` and `max` are rows of their own,
never `choose`, and mean ``a if a < b else b`` exactly, so a NaN on either side gives the second operand, in one
instruction.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..facts import Facts, neighbor, rounded, top, wrap
from ..fused import fused_multiply_add
from ..intervals import corners
from ..prim import Laws, Prim
from ..types import Type, f32

Array = np.ndarray[Any, Any]


def _add_facts(t: Type, _: tuple[Type, ...], a: Facts, b: Facts) -> Facts:
    if t.is_float:
        if a.nan or b.nan:
            return top(t)
        if a.lo + b.hi != a.lo + b.hi or a.hi + b.lo != a.hi + b.lo:
            return top(t)
        # x + y is -0.0 only when both are.
        return _between(t, a.lo + b.lo, a.hi + b.hi, minus_zero=a.minus_zero and b.minus_zero)
    modulus = math.gcd(a.modulus, b.modulus)
    return wrap(t, int(a.lo) + int(b.lo), int(a.hi) + int(b.hi), modulus, a.residue + b.residue)


def _between(t: Type, lo: float, hi: float, *, minus_zero: bool) -> Facts:
    """The facts of a result that is monotone, from its exact values at the ends; rounding keeps the order."""
    if lo != lo or hi != hi:  # noqa: PLR0124 - only NaN differs from itself
        return top(t)
    if t is f32:
        lo, hi = rounded(t, lo), rounded(t, hi)
    return Facts(lo, hi, False, minus_zero and lo <= 0 <= hi)


def _sub_facts(t: Type, _: tuple[Type, ...], a: Facts, b: Facts) -> Facts:
    if t.is_float:
        if a.nan or b.nan:
            return top(t)
        if a.lo - b.lo != a.lo - b.lo or a.hi - b.hi != a.hi - b.hi:
            return top(t)
        # x - y is -0.0 only when x is -0.0 and y is +0.0.
        return _between(t, a.lo - b.hi, a.hi - b.lo, minus_zero=a.minus_zero)
    modulus = math.gcd(a.modulus, b.modulus)
    return wrap(t, int(a.lo) - int(b.hi), int(a.hi) - int(b.lo), modulus, a.residue - b.residue)


def _mul_facts(t: Type, _: tuple[Type, ...], a: Facts, b: Facts) -> Facts:
    if t.is_float:
        if a.nan or b.nan:
            return top(t)
        if _zero_times_infinity(a, b) or _zero_times_infinity(b, a):
            return top(t)
        if a.lo >= 0 and b.lo >= 0:
            return _between(t, a.lo * b.lo, a.hi * b.hi, minus_zero=a.minus_zero or b.minus_zero)
        ends = (a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi)
        return _between(t, min(ends), max(ends), minus_zero=True)
    ends = [int(x) * int(y) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    modulus = math.gcd(a.modulus * b.modulus, a.modulus * b.residue, b.modulus * a.residue)
    return wrap(t, min(ends), max(ends), modulus, a.residue * b.residue)


def _zero_times_infinity(a: Facts, b: Facts) -> bool:
    return a.lo <= 0 <= a.hi and (b.hi == math.inf or b.lo == -math.inf)


def _div_facts(t: Type, _: tuple[Type, ...], a: Facts, b: Facts) -> Facts:
    if a.nan or b.nan or b.lo <= 0 <= b.hi or not (a.finite or b.finite):
        return top(t)
    ends = (a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi)
    return _between(t, min(ends), max(ends), minus_zero=a.minus_zero or a.lo < 0 or b.lo < 0)


def _fma_facts(t: Type, _: tuple[Type, ...], a: Facts, b: Facts, c: Facts) -> Facts:
    if a.nan or b.nan or c.nan or _zero_times_infinity(a, b) or _zero_times_infinity(b, a):
        return top(t)
    pairs = ((a.lo, b.lo), (a.lo, b.hi), (a.hi, b.lo), (a.hi, b.hi))
    products = [x * y for x, y in pairs]
    low, high = min(products), max(products)
    if low + c.hi != low + c.hi or high + c.lo != high + c.lo:  # infinities may meet
        return top(t)
    # Products of float32 are exact in float64; those of float64 may be rounded, unless a factor is 0 or 1.
    if t is not f32 and not all(x in (-1, 0, 1) or y in (-1, 0, 1) for x, y in pairs):
        low, high = math.nextafter(low, -math.inf), math.nextafter(high, math.inf)
    lo, hi = _sum(t, low, c.lo, -math.inf), _sum(t, high, c.hi, math.inf)
    # Otherwise a sum that comes to nothing is +0.0.
    return Facts(lo, hi, minus_zero=lo <= 0 <= hi and (c.minus_zero or lo < 0))


def _sum(t: Type, x: float, y: float, outwards: float) -> float:
    """x + y in a type: exact, or one step outwards."""
    total = x + y
    result = rounded(t, total)
    back = total - x
    exact = result == total and (x - (total - back)) + (y - back) == 0
    return result if exact or math.isinf(total) else neighbor(t, result, outwards)


def _neg_facts(t: Type, _: tuple[Type, ...], a: Facts) -> Facts:
    if t.is_float:
        return Facts(-a.hi, -a.lo, a.nan, minus_zero=a.lo <= 0 <= a.hi)
    return wrap(t, -int(a.hi), -int(a.lo), a.modulus, -a.residue)


def _abs_facts(t: Type, _: tuple[Type, ...], a: Facts) -> Facts:
    lo = 0 if a.lo <= 0 <= a.hi else min(abs(a.lo), abs(a.hi))
    hi = max(abs(a.lo), abs(a.hi))
    if t.is_float:
        return Facts(float(lo), float(hi), a.nan)
    if a.lo >= 0:
        return a
    return wrap(t, int(lo), int(hi))


def _min_facts(t: Type, _: tuple[Type, ...], a: Facts, b: Facts) -> Facts:
    if t.is_float:
        # NaN on either side gives the second operand.
        hi = b.hi if a.nan or b.nan else min(a.hi, b.hi)
        return Facts(min(a.lo, b.lo), hi, b.nan, a.minus_zero or b.minus_zero)
    return _select_facts(a, b, min(a.lo, b.lo), min(a.hi, b.hi))


def _max_facts(t: Type, _: tuple[Type, ...], a: Facts, b: Facts) -> Facts:
    if t.is_float:
        lo = b.lo if a.nan or b.nan else max(a.lo, b.lo)
        return Facts(lo, max(a.hi, b.hi), b.nan, a.minus_zero or b.minus_zero)
    return _select_facts(a, b, max(a.lo, b.lo), max(a.hi, b.hi))


def _select_facts(a: Facts, b: Facts, lo: float, hi: float) -> Facts:
    both = a.union(b)
    return Facts(lo, hi, modulus=both.modulus, residue=both.residue)


def _floor_div_facts(t: Type, _: tuple[Type, ...], a: Facts, b: Facts) -> Facts:
    if b.lo <= 0 <= b.hi:
        return top(t)
    ends = [int(x) // int(y) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    if b.exact and b.lo > 0 and a.modulus and a.modulus % b.lo == 0:
        return wrap(t, min(ends), max(ends), int(a.modulus // b.lo), int(a.residue // b.lo))
    return wrap(t, min(ends), max(ends))


def _mod_facts(t: Type, _: tuple[Type, ...], a: Facts, b: Facts) -> Facts:
    if not b.exact or b.lo <= 0:
        return top(t)
    m = int(b.lo)
    if a.modulus % m == 0:
        return Facts(a.residue % m, a.residue % m, modulus=0, residue=a.residue % m)
    if 0 <= a.lo and a.hi < m:
        return a
    return Facts(0, m - 1)


def _floor_div(a: Array, b: Array) -> Array:
    zero = np.equal(b, 0)
    safe = np.where(zero, b.dtype.type(1), b)
    return np.where(zero, b.dtype.type(0), np.floor_divide(a, safe))


def _mod(a: Array, b: Array) -> Array:
    zero = np.equal(b, 0)
    safe = np.where(zero, b.dtype.type(1), b)
    return np.where(zero, a, np.mod(a, safe))


def _min(a: Array, b: Array) -> Array:
    return np.where(np.less(a, b), a, b)


def _max(a: Array, b: Array) -> Array:
    return np.where(np.greater(a, b), a, b)


INT_AND_FLOAT = ("integer", "float")

# A division of the machine must see neither zero nor the one quotient that overflows; both are computed around.
_SDIV = """{r}.z = icmp eq {T} {1}, {#0}
{r}.n = icmp eq {T} {1}, {#-1}
{r}.u = or {B} {r}.z, {r}.n
{r}.d = select {B} {r}.u, {T} {#1}, {T} {1}
{r}.q = sdiv {T} {0}, {r}.d
{r}.m = mul {T} {r}.q, {r}.d
{r}.e = sub {T} {0}, {r}.m
{r}.x = xor {T} {r}.e, {r}.d
{r}.s = icmp slt {T} {r}.x, {#0}
{r}.i = icmp ne {T} {r}.e, {#0}
{r}.f = and {B} {r}.s, {r}.i
"""
_LLVM_FLOOR_DIV = {
    "signed": _SDIV
    + """{r}.p = sub {T} {r}.q, {#1}
{r}.g = select {B} {r}.f, {T} {r}.p, {T} {r}.q
{r}.h = sub {T} {#0}, {0}
{r}.j = select {B} {r}.n, {T} {r}.h, {T} {r}.g
select {B} {r}.z, {T} {#0}, {T} {r}.j""",
    "unsigned": """{r}.z = icmp eq {T} {1}, {#0}
{r}.d = select {B} {r}.z, {T} {#1}, {T} {1}
{r}.q = udiv {T} {0}, {r}.d
select {B} {r}.z, {T} {#0}, {T} {r}.q""",
}
_LLVM_MOD = {
    "signed": _SDIV
    + """{r}.a = add {T} {r}.e, {r}.d
{r}.g = select {B} {r}.f, {T} {r}.a, {T} {r}.e
{r}.j = select {B} {r}.n, {T} {#0}, {T} {r}.g
select {B} {r}.z, {T} {0}, {T} {r}.j""",
    "unsigned": """{r}.z = icmp eq {T} {1}, {#0}
{r}.d = select {B} {r}.z, {T} {#1}, {T} {1}
{r}.q = urem {T} {0}, {r}.d
select {B} {r}.z, {T} {0}, {T} {r}.q""",
}

ROWS = (
    Prim(
        "add",
        "The sum x + y.",
        "N N -> N",
        ref=np.add,
        facts=_add_facts,
        laws=Laws(
            commutes=INT_AND_FLOAT,
            associates=("integer",),
            identity={"integer": 0, "float": -0.0},
        ),
        llvm={"float": "fadd {T} {0}, {1}", "integer": "add {T} {0}, {1}"},
        c={"float": "{0} + {1}", "integer": "({T})(({U}){0} + ({U}){1})"},
        glsl={"any": "{0} + {1}"},
        monotone="++",
        interval=corners.add,
        choices=corners.add_choices,
        zero_sign="pass",
        symbol=("+", 6),
    ),
    Prim(
        "sub",
        "The difference x - y.",
        "N N -> N",
        ref=np.subtract,
        facts=_sub_facts,
        llvm={"float": "fsub {T} {0}, {1}", "integer": "sub {T} {0}, {1}"},
        c={"float": "{0} - {1}", "integer": "({T})(({U}){0} - ({U}){1})"},
        glsl={"any": "{0} - {1}"},
        monotone="+-",
        interval=corners.sub,
        choices=corners.sub_choices,
        zero_sign="pass",
        symbol=("-", 6),
    ),
    Prim(
        "mul",
        "The product x * y.",
        "N N -> N",
        ref=np.multiply,
        facts=_mul_facts,
        laws=Laws(
            commutes=INT_AND_FLOAT,
            associates=("integer",),
            identity={"integer": 1, "float": 1.0},
            absorbing={"integer": 0},
        ),
        llvm={"float": "fmul {T} {0}, {1}", "integer": "mul {T} {0}, {1}"},
        c={"float": "{0} * {1}", "integer": "({T})(({U}){0} * ({U}){1})"},
        glsl={"any": "{0} * {1}"},
        monotone="**",
        interval=corners.mul,
        choices=corners.mul_choices,
        zero_sign="pass",
        symbol=("*", 7),
    ),
    Prim(
        "div",
        "The quotient x / y of floats.",
        "F F -> F",
        ref=np.divide,
        facts=_div_facts,
        llvm={"float": "fdiv {T} {0}, {1}"},
        c={"float": "{0} / {1}"},
        glsl={"float": "{0} / {1}"},
        monotone="*.",
        interval=corners.div,
        choices=corners.div_choices,
        zero_sign="observe",
        cost=10,
        symbol=("/", 7),
    ),
    Prim(
        "fma",
        "x * y + z with one rounding.",
        "F F F -> F",
        ref=fused_multiply_add,
        facts=_fma_facts,
        llvm={"float": "call {T} @llvm.fma.{M}({T} {0}, {T} {1}, {T} {2})"},
        c={"float": "fma{f}({0}, {1}, {2})"},
        glsl={"float": "{0} * {1} + {2}"},
        wgsl={"float": "fma({0}, {1}, {2})"},
        monotone="**+",
        interval=corners.fused,
        choices=corners.fused_choices,
        zero_sign="pass",
    ),
    Prim(
        "neg",
        "The negation -x.",
        "S -> S",
        ref=np.negative,
        facts=_neg_facts,
        llvm={"float": "fneg {T} {0}", "signed": "sub {T} {#0}, {0}"},
        c={"float": "-{0}", "signed": "({T})(0 - ({U}){0})"},
        glsl={"any": "-{0}"},
        monotone="-",
        interval=corners.neg,
        zero_sign="pass",
    ),
    Prim(
        "abs",
        "The magnitude of x; of the lowest integer, itself.",
        "S -> S",
        ref=np.abs,
        facts=_abs_facts,
        llvm={
            "float": "call {T} @llvm.fabs.{M}({T} {0})",
            "signed": "{r}.n = sub {T} {#0}, {0}\n{r}.s = icmp slt {T} {0}, {#0}\n"
            "select {B} {r}.s, {T} {r}.n, {T} {0}",
        },
        c={"float": "fabs{f}({0})", "signed": "({0} < 0 ? ({T})(0 - ({U}){0}) : {0})"},
        glsl={"any": "abs({0})"},
        interval=corners.absolute,
        choices=corners.absolute_choices,
        zero_sign="kill",
    ),
    Prim(
        "min",
        "x if x < y, else y.",
        "N N -> N",
        ref=_min,
        facts=_min_facts,
        laws=Laws(commutes=("integer",), associates=("integer",), idempotent=INT_AND_FLOAT),
        llvm={
            "float": "{r}.c = fcmp olt {T} {0}, {1}\nselect {B} {r}.c, {T} {0}, {T} {1}",
            "signed": "{r}.c = icmp slt {T} {0}, {1}\nselect {B} {r}.c, {T} {0}, {T} {1}",
            "unsigned": "{r}.c = icmp ult {T} {0}, {1}\nselect {B} {r}.c, {T} {0}, {T} {1}",
        },
        c={"any": "({0} < {1} ? {0} : {1})"},
        glsl={"any": "({0} < {1} ? {0} : {1})"},
        wgsl={"any": "select({1}, {0}, {0} < {1})"},
        monotone="++",
        interval=corners.smaller,
        choices=corners.smaller_choices,
        zero_sign="pass",
    ),
    Prim(
        "max",
        "x if x > y, else y.",
        "N N -> N",
        ref=_max,
        facts=_max_facts,
        laws=Laws(commutes=("integer",), associates=("integer",), idempotent=INT_AND_FLOAT),
        llvm={
            "float": "{r}.c = fcmp ogt {T} {0}, {1}\nselect {B} {r}.c, {T} {0}, {T} {1}",
            "signed": "{r}.c = icmp sgt {T} {0}, {1}\nselect {B} {r}.c, {T} {0}, {T} {1}",
            "unsigned": "{r}.c = icmp ugt {T} {0}, {1}\nselect {B} {r}.c, {T} {0}, {T} {1}",
        },
        c={"any": "({0} > {1} ? {0} : {1})"},
        glsl={"any": "({0} > {1} ? {0} : {1})"},
        wgsl={"any": "select({1}, {0}, {0} > {1})"},
        monotone="++",
        interval=corners.larger,
        choices=corners.larger_choices,
        zero_sign="pass",
    ),
    Prim(
        "floor_div",
        "The integer quotient rounded down; 0 when y is 0.",
        "I I -> I",
        ref=_floor_div,
        facts=_floor_div_facts,
        llvm=_LLVM_FLOOR_DIV,
        c={
            "signed": "({1} == 0 ? ({T})0 : {1} == -1 ? ({T})(0 - ({U}){0}) : "
            "({T})({0} / {1} - ({0} % {1} != 0 && ({0} < 0) != ({1} < 0))))",
            "unsigned": "({1} == 0 ? ({T})0 : ({T})({0} / {1}))",
        },
        glsl={"any": "floor_div_{T}({0}, {1})"},
        monotone="*.",
        interval=corners.floor_div,
        choices=corners.div_choices,
        zero_sign="kill",
        cost=40,
        symbol=("//", 7),
    ),
    Prim(
        "mod",
        "The integer x minus y times the floored quotient, with the sign of y; x when y is 0.",
        "I I -> I",
        ref=_mod,
        facts=_mod_facts,
        llvm=_LLVM_MOD,
        c={
            "signed": "({1} == 0 ? {0} : {1} == -1 ? ({T})0 : "
            "({T})({0} % {1} + ({0} % {1} != 0 && ({0} < 0) != ({1} < 0) ? {1} : 0)))",
            "unsigned": "({1} == 0 ? {0} : ({T})({0} % {1}))",
        },
        glsl={"any": "mod_{T}({0}, {1})"},
        interval=corners.mod,
        choices=corners.mod_choices,
        zero_sign="kill",
        cost=40,
        symbol=("%", 7),
    ),
)
