"""Comparisons, to bool: IEEE on floats, so that anything against NaN is false and not-equal is true."""

from __future__ import annotations

import math

import numpy as np

from ..facts import ANY_BOOLEAN, FALSE, TRUE, Facts
from ..intervals.interval import Endpoints, Interval
from ..intervals.notation import maximum, minimum
from ..prim import Laws, Prim
from ..types import Type, boolean


def _less(_: Type, __: tuple[Type, ...], a: Facts, b: Facts) -> Facts:
    if not (a.nan or b.nan) and a.hi < b.lo:
        return TRUE
    return FALSE if a.lo >= b.hi else ANY_BOOLEAN


def _less_equal(_: Type, __: tuple[Type, ...], a: Facts, b: Facts) -> Facts:
    if not (a.nan or b.nan) and a.hi <= b.lo:
        return TRUE
    return FALSE if a.lo > b.hi else ANY_BOOLEAN


def _equal(_: Type, __: tuple[Type, ...], a: Facts, b: Facts) -> Facts:
    if not (a.nan or b.nan) and a.lo == a.hi == b.lo == b.hi:
        return TRUE
    if a.hi < b.lo or b.hi < a.lo:
        return FALSE
    # Different residues can never meet: Draves's cyclic test of equality.
    step = math.gcd(a.modulus, b.modulus)
    if step > 1 and (a.residue - b.residue) % step:
        return FALSE
    return ANY_BOOLEAN


def _different(t: Type, types: tuple[Type, ...], a: Facts, b: Facts) -> Facts:
    same = _equal(t, types, a, b)
    return FALSE if same is TRUE else TRUE if same is FALSE else ANY_BOOLEAN


def _less_interval(_: Type, a: Interval, b: Interval) -> Endpoints:
    # Nothing is proved to be less than a value that may be NaN: its endpoints are infinite.
    return a.hi < b.lo, a.lo < b.hi


def _less_equal_interval(_: Type, a: Interval, b: Interval) -> Endpoints:
    last, first = a.hi, b.lo
    if a.type.is_float:
        # An infinite end may be that of the whole line, which may be NaN.
        last, first = maximum(last, last.lift(a.type.low)), minimum(first, first.lift(a.type.high))
    return last <= first, a.lo <= b.hi


def _equal_interval(_: Type, a: Interval, b: Interval) -> Endpoints:
    if a.type is boolean:
        return (a.lo & b.lo) | ~(a.hi | b.hi), ~((a.lo & ~b.hi) | (b.lo & ~a.hi))
    return a.lo.equals(b.hi) & a.hi.equals(b.lo), (a.lo <= b.hi) & (b.lo <= a.hi)


def _different_interval(t: Type, a: Interval, b: Interval) -> Endpoints:
    surely, possibly = _equal_interval(t, a, b)
    return ~possibly, ~surely


def _spelled(ordered: str, signed: str, unsigned: str) -> dict[str, str]:
    return {
        "float": f"fcmp {ordered} {{T}} {{0}}, {{1}}",
        "signed": f"icmp {signed} {{T}} {{0}}, {{1}}",
        "unsigned": f"icmp {unsigned} {{T}} {{0}}, {{1}}",
        "bool": f"icmp {unsigned} {{T}} {{0}}, {{1}}",
    }


ROWS = (
    Prim(
        "lt",
        "Whether x < y.",
        "N N -> B",
        ref=np.less,
        facts=_less,
        llvm=_spelled("olt", "slt", "ult"),
        c={"any": "{0} < {1}"},
        glsl={"any": "{0} < {1}"},
        monotone="-+",
        interval=_less_interval,
        zero_sign="kill",
        symbol=("<", 4),
    ),
    Prim(
        "le",
        "Whether x <= y.",
        "N N -> B",
        ref=np.less_equal,
        facts=_less_equal,
        llvm=_spelled("ole", "sle", "ule"),
        c={"any": "{0} <= {1}"},
        glsl={"any": "{0} <= {1}"},
        monotone="-+",
        interval=_less_equal_interval,
        zero_sign="kill",
        symbol=("<=", 4),
    ),
    Prim(
        "eq",
        "Whether x = y.",
        "T T -> B",
        ref=np.equal,
        facts=_equal,
        laws=Laws(commutes=("integer", "float", "bool")),
        llvm=_spelled("oeq", "eq", "eq"),
        c={"any": "{0} == {1}"},
        glsl={"any": "{0} == {1}"},
        interval=_equal_interval,
        zero_sign="kill",
        symbol=("==", 4),
    ),
    Prim(
        "ne",
        "Whether x differs from y.",
        "T T -> B",
        ref=np.not_equal,
        facts=_different,
        laws=Laws(commutes=("integer", "float", "bool")),
        llvm=_spelled("une", "ne", "ne"),
        c={"any": "{0} != {1}"},
        glsl={"any": "{0} != {1}"},
        interval=_different_interval,
        zero_sign="kill",
        symbol=("!=", 4),
    ),
)
