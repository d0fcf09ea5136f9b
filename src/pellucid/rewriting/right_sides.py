"""Builders of right sides: what a rule may compute there beyond operators, such as the reciprocal of a constant.

Each gets the builder of expressions, the node that is being rewritten and its operands; None means that the rule does
not apply.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.expr import Expr, const
from ..ir.prims.convert import limits

if TYPE_CHECKING:
    from ..ir.types import Type
    from .builder import Builder

RightSide = Callable[..., Expr | None]
BUILDERS: dict[str, RightSide] = {}


def right_side(function: RightSide) -> RightSide:
    """Put a builder into the table under its own name."""
    BUILDERS[function.__name__] = function
    return function


@right_side
def exact_reciprocal(b: Builder, node: Expr, k: Expr) -> Expr | None:
    """1 / k where k is a power of two and both are normal floats, so that multiplying is dividing."""
    if k.attr == 0 or not math.isfinite(k.attr) or abs(math.frexp(k.attr)[0]) != 0.5:
        return None
    inverse = const(1 / k.attr, k.type)
    smallest = 2.0**-126 if k.type.bits == 32 else 2.0**-1022
    return inverse if math.isfinite(inverse.attr) and abs(inverse.attr) >= smallest else None


@right_side
def reciprocal(b: Builder, node: Expr, k: Expr) -> Expr | None:
    """1 / k, rounded, where neither it nor k is extreme."""
    return const(1 / k.attr, k.type) if 1e-30 < abs(k.attr) < 1e30 else None


@right_side
def log2(b: Builder, node: Expr, k: Expr) -> Expr | None:
    """The exponent of a power of two."""
    return const(int(k.attr).bit_length() - 1, k.type)


@right_side
def less_one(b: Builder, node: Expr, k: Expr) -> Expr | None:
    """k - 1, the mask below a power of two."""
    return const(int(k.attr) - 1, k.type)


@right_side
def total_shift(b: Builder, node: Expr, k: Expr, m: Expr) -> Expr | None:
    """k + m where both are amounts within the width; a sum beyond it shifts everything out."""
    width = k.type.bits
    if not (0 <= k.attr < width and 0 <= m.attr < width):
        return None
    return const(min(k.attr + m.attr, k.type.high), k.type)


@right_side
def high_mask(b: Builder, node: Expr, k: Expr) -> Expr | None:
    """All ones but the lowest k bits."""
    return const(-1 << int(k.attr), k.type) if 0 <= k.attr < k.type.bits else None


@right_side
def low_ones(b: Builder, node: Expr, k: Expr) -> Expr | None:
    """Ones where an unsigned word shifted right by k may still have bits."""
    return const((1 << (k.type.bits - int(k.attr))) - 1, k.type) if 0 <= k.attr < k.type.bits else None


@right_side
def literal_zero(b: Builder, node: Expr, x: Expr) -> Expr | None:
    """The zero of the type of x."""
    return const(0, x.type)


@right_side
def direct_conversion(b: Builder, node: Expr, x: Expr) -> Expr | None:
    """x converted to the node's type at once, where the type between loses nothing that matters."""
    middle, target = node.args[0].type, node.type
    source = x.type
    f = b.facts(x)
    if target is source and source.is_float and middle.is_float:
        return x if middle.bits > source.bits else None
    if middle.is_float:
        # Every integer of up to that many bits is a float; from there, one rounding is left either way.
        exact = 1 << (24 if middle.bits == 32 else 53)
        if source.is_float:
            return b.convert("convert", x, target) if middle.bits > source.bits and target.is_float else None
        if target.is_float:
            return b.convert("convert", x, target) if -exact <= f.lo and f.hi <= exact else None
        return None
    if source.is_float or source.kind == "bool":
        return b.convert("convert", x, target) if source.kind == "bool" else None
    fits = middle.low <= f.lo and f.hi <= middle.high
    # Wrapping in two steps is wrapping in one when the first keeps all bits that the second wants.
    if fits or (target.is_integer and target.bits <= middle.bits):
        return b.convert("convert", x, target)
    return None


@right_side
def back_to_integer(b: Builder, node: Expr, x: Expr) -> Expr | None:
    """The integer that was made a float, in the node's type, where both hold it."""
    middle, target = node.args[0].type, node.type
    if x.type.is_float:
        return None
    f = b.facts(x)
    exact = 1 << (24 if middle.bits == 32 else 53)
    if -exact <= f.lo and f.hi <= exact and target.low <= f.lo and f.hi <= target.high:
        return b.convert("convert", x, target)
    return None


def _factor(b: Builder, x: Expr, k: Expr, rest: int, by: int) -> Expr | None:
    """k / by where x * k + rest does not wrap and k is a multiple; neither part does, then."""
    f, type_ = b.facts(x), k.type
    ends = [int(f.lo) * int(k.attr), int(f.hi) * int(k.attr)]
    whole = by > 0 and k.attr % by == 0
    fits = type_.low <= min(ends) + min(rest, 0) and max(ends) + max(rest, 0) <= type_.high
    return const(int(k.attr) // by, type_) if whole and fits else None


@right_side
def divided_factor(b: Builder, node: Expr, x: Expr, k: Expr, rest: Expr, by: Expr) -> Expr | None:
    """The factor of x in (x * k + rest) // by, where k is a multiple of `by`."""
    return _factor(b, x, k, int(rest.attr), int(by.attr))


@right_side
def shifted_factor(b: Builder, node: Expr, x: Expr, k: Expr, rest: Expr, by: Expr) -> Expr | None:
    """The factor of x in x * k + rest shifted to the right, where k is a multiple of what that divides by."""
    inside = 0 <= by.attr < by.type.bits
    return _factor(b, x, k, int(rest.attr), 1 << int(by.attr)) if inside else None


@right_side
def truncated(b: Builder, node: Expr, x: Expr) -> Expr | None:
    """The machine's own conversion, where the facts allow it."""
    return b.convert("truncate_in", x, node.type) if b.facts(x).within(*limits(x.type, node.type)) else None


@right_side
def of_own_type(b: Builder, node: Expr, x: Expr) -> Expr | None:
    """x where it has the node's type already."""
    return x if x.type is node.type else None


@right_side
def last_place(b: Builder, node: Expr, k: Expr) -> Expr | None:
    """The largest amount by which a word can be shifted."""
    return const(k.type.bits - 1, k.type)


@right_side
def small_power(b: Builder, node: Expr, x: Expr, k: Expr) -> Expr | None:
    """x to a whole power of magnitude up to 16, by repeated squaring."""
    n = k.attr
    if not math.isfinite(n) or n != math.floor(n) or not 1 <= abs(n) <= 16:
        return None
    total = x
    for bit in f"{abs(int(n)):b}"[1:]:
        total = b.apply("mul", total, total)
        if bit == "1":
            total = b.apply("mul", total, x)
    return total if n > 0 else b.apply("div", const(1, x.type), total)


@right_side
def opposite(b: Builder, node: Expr, k: Expr) -> Expr | None:
    """-k, wrapped to its type."""
    return const(-k.attr, k.type)


@right_side
def least_of_root(b: Builder, node: Expr, k: Expr) -> Expr | None:
    """The least float whose root, rounded, is at least the constant k > 0."""
    return const(_least_of_root(k.attr, k.type), k.type) if k.attr > 0 else None


@right_side
def most_of_root(b: Builder, node: Expr, k: Expr) -> Expr | None:
    """The largest float whose root, rounded, is at most the constant k >= 0."""
    if not 0 <= k.attr < math.inf:
        return None
    real = k.type.dtype.type
    above = _least_of_root(float(np.nextafter(real(k.attr), real(math.inf))), k.type)
    return const(float(np.nextafter(real(above), real(0))), k.type)


def _least_of_root(bound: float, type_: Type) -> float:
    """The least float whose rounded root is at least a bound above zero: near the square, as roots keep the order."""
    real = type_.dtype.type
    k: Any = real(bound)
    with np.errstate(over="ignore", under="ignore"):
        found = k * k
        while found > 0 and np.sqrt(below := np.nextafter(found, real(0))) >= k:
            found = below
        while np.sqrt(found) < k:
            found = np.nextafter(found, real(math.inf))
    return float(found)
