"""What is known of a value without running it: an interval, NaN, the sign of zero, and a residue.

A `Facts` is an over-approximation. For numbers: ``lo <= v <= hi`` unless `v` is NaN (only if `nan`); `v` is not -0.0
unless `minus_zero`; and for integers ``v = residue (mod modulus)``, Draves's cyclic integers. For booleans lo and
hi are must and may. Rows of the operator table carry the transfer functions; `reasoning.infer` runs them over a DAG.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from struct import Struct
from typing import NamedTuple

from .types import Type, boolean, f32


class Facts(NamedTuple):
    """Bounds, NaN, minus zero, and ``value = residue (mod modulus)``; a modulus of 0 means exactly `residue`.

    >>> Facts(0, 10).union(Facts(20, 30))
    Facts(lo=0, hi=30, nan=False, minus_zero=False, modulus=1, residue=0)
    """

    lo: float | int
    hi: float | int
    nan: bool = False
    minus_zero: bool = False
    modulus: int = 1
    residue: int = 0

    @property
    def exact(self) -> bool:
        """Whether one single value is possible (a zero of unknown sign is two)."""
        return self.lo == self.hi and not self.nan and not (self.minus_zero and self.lo == 0)

    @property
    def finite(self) -> bool:
        """Whether neither NaN nor an infinity is possible."""
        return not self.nan and math.isfinite(self.lo) and math.isfinite(self.hi)

    def within(self, low: float, high: float) -> bool:
        """Whether the value is surely in [low, high] (and so no NaN)."""
        return not self.nan and low <= self.lo and self.hi <= high

    @property
    def nonzero(self) -> bool:
        """Whether the value is surely not zero."""
        return not self.nan and (
            self.lo > 0 or self.hi < 0 or (self.modulus > 1 and self.residue % self.modulus != 0)
        )

    def contains(self, value: float | int) -> bool:
        """Whether the concrete value is allowed by these facts (the soundness test of every row)."""
        if isinstance(value, float):
            if math.isnan(value):
                return self.nan
            if value == 0.0 and math.copysign(1, value) < 0 and not self.minus_zero:
                return False
            return self.lo <= value <= self.hi
        if not self.lo <= value <= self.hi:
            return False
        if self.modulus == 0:
            return int(value) == self.residue
        return (int(value) - self.residue) % self.modulus == 0

    def intersection(self, other: Facts) -> Facts:
        """The intersection, given that some value is in it; of the two residues, the one with the larger modulus."""
        finer = self if self.modulus == 0 or (other.modulus != 0 and self.modulus >= other.modulus) else other
        return Facts(
            max(self.lo, other.lo),
            min(self.hi, other.hi),
            self.nan and other.nan,
            self.minus_zero and other.minus_zero,
            finer.modulus,
            finer.residue,
        )

    def union(self, other: Facts) -> Facts:
        """The smallest facts that allow what either allows."""
        modulus = math.gcd(self.modulus, other.modulus, self.residue - other.residue)
        return Facts(
            min(self.lo, other.lo),
            max(self.hi, other.hi),
            self.nan or other.nan,
            self.minus_zero or other.minus_zero,
            modulus,
            self.residue % modulus if modulus else self.residue,
        )


def top(type_: Type) -> Facts:
    """The facts of all values of a type: its range, and for floats everything else possible."""
    if type_.is_float:
        return Facts(-math.inf, math.inf, nan=True, minus_zero=True)
    return Facts(type_.low, type_.high)


def exactly(type_: Type, value: float | int | bool) -> Facts:
    """The facts of a constant."""
    if type_.is_float:
        if math.isnan(value):
            return top(type_)
        return Facts(value, value, minus_zero=value == 0 and math.copysign(1, value) < 0)
    number = int(value)
    return Facts(number, number, modulus=0, residue=number)


ANY_BOOLEAN = top(boolean)
FALSE, TRUE = exactly(boolean, False), exactly(boolean, True)

Transfer = Callable[..., Facts]


def wrap(type_: Type, lo: int, hi: int, modulus: int = 1, residue: int = 0) -> Facts:
    """The facts of an integer result computed without overflow in [lo, hi]; the whole range if it may overflow.

    A residue survives wrapping only as far as it divides the power of two of the type.
    """
    if type_.low <= lo and hi <= type_.high:
        if modulus == 0:
            return Facts(residue, residue, modulus=0, residue=residue)
        return Facts(lo, hi, modulus=modulus, residue=residue % modulus)
    if modulus == 0:
        span = 1 << type_.bits
        value = (residue - int(type_.low)) % span + int(type_.low)
        return Facts(value, value, modulus=0, residue=value)
    common = math.gcd(modulus, 1 << type_.bits)
    return Facts(type_.low, type_.high, modulus=common, residue=residue % common)


_single = Struct("f")
_pack, _unpack = _single.pack, _single.unpack


def rounded(type_: Type, value: float) -> float:
    """A float64 rounded to a float type.

    For one sum, difference, product, quotient or square root of float32 operands, float64 is precise enough that
    rounding twice is rounding once, so facts may compute in Python's own floats.

    >>> from .types import f64
    >>> rounded(f32, 0.1), rounded(f64, 0.1)
    (0.10000000149011612, 0.1)
    """
    if type_ is f32:
        try:
            return _unpack(_pack(value))[0]
        except OverflowError:
            return math.copysign(math.inf, value)
    return value


def neighbor(type_: Type, value: float, direction: float) -> float:
    """The next float of a type towards -inf or +inf.

    >>> neighbor(f32, 1.0, math.inf)
    1.0000001192092896
    """
    if math.isinf(value):
        return value if value == direction else math.copysign(type_.high, value)
    if type_ is not f32:
        return math.nextafter(value, direction)
    step = max(math.ulp(value) * 2.0**29, 2.0**-149)
    up = direction > value
    # Below a power of two floats are twice as dense.
    if math.frexp(value)[0] == (-0.5 if up else 0.5) and step > 2.0**-149:
        step /= 2
    return rounded(type_, value + (step if up else -step))
