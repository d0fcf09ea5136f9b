"""Predicates that a rule may name after ``when``: each asks the inferred facts or looks at a node; none guesses."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..ir import prim as table
from ..ir.expr import STRUCTURAL, Expr
from ..ir.reduction import LIMIT

if TYPE_CHECKING:
    from .builder import Builder

Guard = Callable[..., bool]
GUARDS: dict[str, Guard] = {}
WHOLE = frozenset({"floor", "ceil", "round", "trunc"})
# Sums and products of whole floats are whole: beyond 2**24 every float is.
_KEEPS_WHOLE = frozenset({"add", "sub", "mul", "neg", "abs", "min", "max"})


def guard(function: Guard) -> Guard:
    """Put a predicate into the table under its own name."""
    GUARDS[function.__name__] = function
    return function


@guard
def not_minus_zero(b: Builder, x: Expr) -> bool:
    """x is not -0.0."""
    return not b.facts(x).minus_zero


@guard
def not_nan(b: Builder, x: Expr) -> bool:
    """x is not NaN."""
    return not b.facts(x).nan


@guard
def finite(b: Builder, x: Expr) -> bool:
    """x is neither NaN nor infinite."""
    return b.facts(x).finite


@guard
def at_most_half(b: Builder, x: Expr) -> bool:
    """The magnitude of x is at most half of the largest float, so that differences of two such are finite."""
    half = x.type.high / 2
    return b.facts(x).within(-half, half)


@guard
def nonnegative(b: Builder, x: Expr) -> bool:
    """x >= 0, no NaN, and not -0.0."""
    f = b.facts(x)
    return f.lo >= 0 and not f.nan and not f.minus_zero


@guard
def at_least_zero(b: Builder, x: Expr) -> bool:
    """x >= 0 and no NaN; it may be -0.0."""
    f = b.facts(x)
    return f.lo >= 0 and not f.nan


@guard
def never_negative(b: Builder, x: Expr) -> bool:
    """x < 0 never holds; x may be NaN or -0.0."""
    return b.facts(x).lo >= 0


@guard
def negative(b: Builder, x: Expr) -> bool:
    """x < 0."""
    f = b.facts(x)
    return f.hi < 0 and not f.nan


@guard
def nonzero(b: Builder, x: Expr) -> bool:
    """x is not zero."""
    return b.facts(x).nonzero


@guard
def below(b: Builder, x: Expr, y: Expr) -> bool:
    """x <= y, and where they are equal they are so in every bit; neither is NaN."""
    f, g = b.facts(x), b.facts(y)
    if f.nan or g.nan or f.hi > g.lo:
        return False
    return f.hi < g.lo or f.hi != 0 or not (f.minus_zero or g.minus_zero)


@guard
def at_most(b: Builder, x: Expr, y: Expr) -> bool:
    """x <= y, and neither is NaN; zeros may differ in sign."""
    f, g = b.facts(x), b.facts(y)
    return not (f.nan or g.nan) and f.hi <= g.lo


@guard
def never_below(b: Builder, x: Expr, y: Expr) -> bool:
    """x < y never holds."""
    return b.facts(x).lo >= b.facts(y).hi


@guard
def never_above(b: Builder, x: Expr, y: Expr) -> bool:
    """x > y never holds."""
    return b.facts(x).hi <= b.facts(y).lo


@guard
def power_of_two(b: Builder, k: Expr) -> bool:
    """The integer constant is a positive power of two."""
    return k.attr > 0 and k.attr & (k.attr - 1) == 0


@guard
def in_width(b: Builder, x: Expr) -> bool:
    """x is an amount by which a word of its type can be shifted."""
    return b.facts(x).within(0, x.type.bits - 1)


@guard
def out_of_width(b: Builder, k: Expr) -> bool:
    """The constant is no amount by which a word of its type can be shifted."""
    return not 0 <= k.attr < k.type.bits


@guard
def whole(b: Builder, x: Expr, depth: int = 6) -> bool:
    """The float x has no fraction (it may be infinite or NaN)."""
    if x.op in WHOLE:
        return True
    if x.op == "convert":
        return not x.args[0].type.is_float
    if x.op == "const":
        return not math.isfinite(x.attr) or x.attr == math.floor(x.attr)
    if depth and x.op in _KEEPS_WHOLE:
        return all(whole(b, a, depth - 1) for a in x.args)
    return bool(depth) and x.op == "choose" and all(whole(b, a, depth - 1) for a in x.args[1:])


@guard
def fraction_kept(b: Builder, x: Expr, k: Expr) -> bool:
    """A sum of the whole float x and k, at most 1/2 and not below 0, is rounded to less than x + 1; x is not -0.0."""
    most = 2.0**22 if x.type.bits == 32 else 2.0**51
    f = b.facts(x)
    return 0 <= k.attr <= 0.5 and f.within(-most, most) and not f.minus_zero


@guard
def cheap(b: Builder, x: Expr) -> bool:
    """x takes so little work that a branch around it would cost more."""
    budget = 8.0
    stack = [x]
    while stack and budget >= 0:
        node = stack.pop()
        if node.op in STRUCTURAL:
            budget -= 8 if node.op in ("load", "get") else 0
            continue
        budget -= table.row(node.op).cost
        stack += node.args
    return budget >= 0


def _bits_within(b: Builder, x: Expr, mask: int) -> bool:
    f = b.facts(x)
    return f.lo >= 0 and int(f.hi) <= mask


@guard
def fits_mask(b: Builder, x: Expr, k: Expr) -> bool:
    """The mask 2**n - 1 has all bits that the word x may have."""
    value: Any = k.attr
    return value >= 0 and value & (value + 1) == 0 and _bits_within(b, x, value)


@guard
def nonzero_constant(b: Builder, k: Expr) -> bool:
    """The constant is neither a zero nor NaN."""
    return k.attr != 0 and not math.isnan(k.attr)


@guard
def ordered(b: Builder, k: Expr, m: Expr) -> bool:
    """True if the first of two constants is less than the second, or equal."""
    return k.attr <= m.attr


@guard
def misses_mask(b: Builder, y: Expr, k: Expr) -> bool:
    """The word y has none of the bits of the mask."""
    mask: Any = k.attr
    if y.op == "shift_left_in" and y.args[1].op == "const":
        return 0 <= mask < 1 << y.args[1].attr
    f = b.facts(y)
    return f.lo >= 0 and mask >= 0 and mask & ((1 << int(f.hi).bit_length()) - 1) == 0


@guard
def in_residues(b: Builder, x: Expr, k: Expr) -> bool:
    """0 <= x < k."""
    f = b.facts(x)
    return f.lo >= 0 and f.hi < k.attr


@guard
def maybe_far(b: Builder, x: Expr) -> bool:
    """The facts do not bound the angle x by what the common path of its reduction takes."""
    limit = LIMIT[x.type]
    return not b.facts(x).within(-limit, limit)


@guard
def power_may_be_near(b: Builder, x: Expr, y: Expr) -> bool:
    """x >= 0, and where x may be zero, y is so large that the smallest normal number to the y is next to nothing."""
    f = b.facts(x)
    smallest = 2.0**-126 if x.type.bits == 32 else 2.0**-1022
    return not f.nan and f.lo >= 0 and (f.lo >= smallest or b.facts(y).lo >= 0.25)


@guard
def negative_constant(b: Builder, k: Expr) -> bool:
    """The constant is below zero, or above the middle of an unsigned type; its opposite is not."""
    if k.type.kind == "unsigned":
        return k.attr > k.type.high // 2 + 1
    return k.attr < 0 and k.attr != (k.type.low if k.type.is_integer else None)


@guard
def cut_by_truncation(b: Builder, x: Expr, k: Expr) -> bool:
    """k is whole and not negative, and x is below k + 1."""
    f = b.facts(x)
    return not f.nan and 0 <= k.attr < 2**23 and k.attr == math.floor(k.attr) and f.hi < k.attr + 1


@guard
def positive_scale(b: Builder, k: Expr) -> bool:
    """The constant is above zero, and not extreme."""
    return 1e-30 < k.attr < 1e30


@guard
def negative_scale(b: Builder, k: Expr) -> bool:
    """The constant is below zero, and not extreme."""
    return -1e30 < k.attr < -1e-30
