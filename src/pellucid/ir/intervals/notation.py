"""Arithmetic notation for bodies: a `Term` is an expression with Python's operators, lifted constants and no folding.

Rows whose meaning is an expression of simpler rows (the elementary functions) are written
with it, so that they read like the formulas they are; `body` turns a function of terms into the function of expressions
that a row wants. Every operator here is one node of one row, so what is written is what runs, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...base.operators import Arithmetic, Comparison
from .. import types as T
from ..expr import Expr, apply, const

Number = float | int


class Term(Arithmetic["Term"], Comparison["Term"]):
    """An expression with operators: + - * / on numbers, & | ^ ~ on words, << >> by constants, and comparisons.

    >>> from pellucid.ir.expr import param
    >>> (2.0 * Term(param("a", T.f32)) < 1.0).expr.type
    bool
    """

    __slots__ = ("expr",)

    def __init__(self, expr: Expr) -> None:
        self.expr = expr

    @property
    def type(self) -> T.Type:
        """The type of the expression."""
        return self.expr.type

    def lift(self, value: Term | Number) -> Term:
        """The value as a term of this term's type."""
        return value if isinstance(value, Term) else Term(const(value, self.type))

    def _combined(self, row: str, one: Term | Number, other: Term | Number) -> Term:
        return Term(apply(row, self.lift(one).expr, self.lift(other).expr))

    def __neg__(self) -> Term:
        """The negation."""
        return Term(apply("neg", self.expr))

    def __abs__(self) -> Term:
        """The magnitude."""
        return Term(apply("abs", self.expr))

    def __and__(self, other: Term | Number) -> Term:
        """Bitwise and; both, for conditions."""
        return self._combined("and", self, other)

    def __or__(self, other: Term | Number) -> Term:
        """Bitwise or; either, for conditions."""
        return self._combined("or", self, other)

    def __xor__(self, other: Term | Number) -> Term:
        """Bitwise exclusive or."""
        return self._combined("xor", self, other)

    def __invert__(self) -> Term:
        """Complement; negation of a condition."""
        return Term(apply("not", self.expr))

    def __lshift__(self, amount: Term | int) -> Term:
        """Shifted left by an amount that is surely within the width."""
        return self._combined("shift_left_in", self, amount)

    def __rshift__(self, amount: Term | int) -> Term:
        """Shifted right, with the sign of signed types, by an amount that is surely within the width."""
        return self._combined("shift_right_in", self, amount)

    def equals(self, other: Term | Number) -> Term:
        """Whether equal."""
        return self._combined("eq", self, other)

    def differs(self, other: Term | Number) -> Term:
        """Whether different; of floats, true when either is NaN."""
        return self._combined("ne", self, other)


def fma(x: Term, y: Term | Number, z: Term | Number) -> Term:
    """x * y + z with one rounding."""
    return Term(apply("fma", x.expr, x.lift(y).expr, x.lift(z).expr))


def minimum(x: Term | Number, y: Term) -> Term:
    """x if x < y, else y: a NaN on either side gives y."""
    return Term(apply("min", y.lift(x).expr, y.expr))


def maximum(x: Term | Number, y: Term) -> Term:
    """x if x > y, else y: a NaN on either side gives y."""
    return Term(apply("max", y.lift(x).expr, y.expr))


def root(x: Term) -> Term:
    """The square root."""
    return Term(apply("sqrt", x.expr))


def nearest(x: Term) -> Term:
    """The nearest whole number, ties to even."""
    return Term(apply("round", x.expr))


def truncated(x: Term) -> Term:
    """The whole part, towards zero."""
    return Term(apply("trunc", x.expr))


def choose(condition: Term, x: Term, y: Term | Number) -> Term:
    """x if the condition holds, else y."""
    return Term(apply("choose", condition.expr, x.expr, x.lift(y).expr))


def convert(x: Term, target: T.Type) -> Term:
    """x converted to a type."""
    return Term(apply("convert", x.expr, attr=target))


def to_integer(x: Term, target: T.Type) -> Term:
    """A float truncated to an integer type, saturating."""
    return Term(apply("to_integer", x.expr, attr=target))


def bits(x: Term, *, signed: bool = False) -> Term:
    """The bits of a float as an integer of its width."""
    return Term(apply("bitcast", x.expr, attr=T.integer(x.type.bits, signed=signed)))


def as_float(x: Term) -> Term:
    """An integer's bits as a float of its width."""
    return Term(apply("bitcast", x.expr, attr=T.f32 if x.type.bits == 32 else T.f64))


def cast(x: Term, target: T.Type) -> Term:
    """The bits of x as another type of its width."""
    return Term(apply("bitcast", x.expr, attr=target))


def with_sign(magnitude: Term, sign: Term) -> Term:
    """A number that is not negative, with the sign of another."""
    return as_float(bits(magnitude) | (bits(sign) & (1 << (sign.type.bits - 1))))


def bits_of(value: float, t: T.Type) -> int:
    """The bits of a constant of a floating type, as a number."""
    scalar: Any = t.dtype.type
    return int(np.asarray(scalar(value)).view(T.integer(t.bits, signed=False).dtype))


def polynomial(x: Term, coefficients: Sequence[float]) -> Term:
    """The polynomial with these coefficients, lowest order first, by Horner's rule with fused operations."""
    total = x.lift(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        total = fma(total, x, c)
    return total


def body(function: Callable[..., Term]) -> Callable[..., Expr]:
    """A function of terms as the function of expressions that a row takes as its body."""

    def expand(*args: Expr) -> Expr:
        return function(*map(Term, args)).expr

    expand.__name__ = function.__name__
    expand.__doc__ = function.__doc__
    return expand
