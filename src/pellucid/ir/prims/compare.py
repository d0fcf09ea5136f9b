"""Comparisons, to bool: IEEE on floats, so that anything against NaN is false and not-equal is true."""

from __future__ import annotations

import numpy as np

from ..facts import ANY_BOOLEAN, FALSE, TRUE, Facts
from ..prim import Laws, Prim
from ..types import Type


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
    step = np.gcd(a.modulus, b.modulus)
    if step > 1 and (a.residue - b.residue) % step:
        return FALSE
    return ANY_BOOLEAN


def _different(t: Type, types: tuple[Type, ...], a: Facts, b: Facts) -> Facts:
    same = _equal(t, types, a, b)
    return FALSE if same is TRUE else TRUE if same is FALSE else ANY_BOOLEAN


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
        monotone="-+",
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
        monotone="-+",
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
        zero_sign="kill",
        symbol=("!=", 4),
    ),
)
