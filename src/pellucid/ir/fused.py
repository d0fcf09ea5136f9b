"""The fused multiply-add in NumPy: one correct rounding, for any operands, without the hardware's help.

The row `fma` in `ir.prims.arith` has it as its meaning.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

SMALLEST_NORMAL = np.finfo(np.float32).tiny


def fused_multiply_add(a: Array, b: Array, c: Array) -> Array:
    """a * b + c with one rounding to the type of the operands (float32 or float64).

    >>> x = np.float64(1 + 2**-30)
    >>> float(fused_multiply_add(x, x, -np.float64(1 + 2**-29))) == 2**-60
    True
    """
    a, b, c = np.asarray(a), np.asarray(b), np.asarray(c)
    return _single(a, b, c) if a.dtype == np.float32 else _double(*np.broadcast_arrays(a, b, c))


def _single(a: Array, b: Array, c: Array) -> Array:
    # The product of two float32 is exact in float64, where the sum is rounded for the first time.
    product = np.asarray(a.astype(np.float64) * b.astype(np.float64))
    addend = c.astype(np.float64)
    total = np.asarray(product + addend)
    # The second rounding, to float32, goes wrong only from the middle between two of these; below the normal ones there
    # are other middles. There the sum is rounded to odd, so that it is seen on which side of a tie the exact one lies.
    result = total.astype(np.float32)
    doubtful = (total.view(np.int64) & 0x1FFFFFFF) == 0x10000000
    doubtful |= np.abs(result) <= SMALLEST_NORMAL
    if doubtful.any():
        product, addend = np.broadcast_arrays(product, addend)
        exact = _round_to_odd(product[doubtful], addend[doubtful])
        result[doubtful] = exact.astype(np.float32)
    return result


def _round_to_odd(x: Array, y: Array) -> Array:
    total, error = _two_sum(x, y)
    bits = np.array(total, dtype=np.float64).view(np.int64)
    # Inexact and even: step to the odd neighbor on the side of the error.
    inexact = np.isfinite(total) & (error != 0) & (bits & 1 == 0)
    away = (error > 0) == (total > 0)
    return np.where(inexact, bits + np.where(away, 1, -1), bits).view(np.float64)


def _double(a: Array, b: Array, c: Array) -> Array:
    product = a * b
    # A product that only rounding makes infinite does not outweigh an infinite addend.
    plain_sum = np.where(np.isfinite(a) & np.isfinite(b) & np.isinf(c), c, product + c)
    result = np.array(plain_sum, dtype=np.float64)
    # Error-free transformations hold where nothing overflows and no product underflows (Boldo and Melquiond 2008).
    small, large = 2.0**-900, 2.0**900
    plain = (np.abs(a) < large) & (np.abs(b) < large) & (np.abs(product) < large) & (np.abs(c) < large)
    plain &= np.abs(product) > small
    if plain.all():
        return _transformed(a, b, c)
    result[plain] = _transformed(a[plain], b[plain], c[plain])
    # The plain sum is right where the product is a true zero, or less than half of the addend's last bit.
    right = (a == 0) | (b == 0) | ((np.abs(product) <= small) & (np.abs(c) > 2.0**-800))
    # Exact rational arithmetic for the few others: slow, and beyond doubt. Only finite operands need it.
    rest = ~(plain | right) & np.isfinite(a) & np.isfinite(b) & np.isfinite(c)
    if rest.any():
        triples = zip(a[rest].tolist(), b[rest].tolist(), c[rest].tolist(), strict=True)
        result[rest] = [_exact(x, y, z) for x, y, z in triples]
    return result


def _two_sum(x: Array, y: Array) -> tuple[Array, Array]:
    total = x + y
    back = total - x
    return total, (x - (total - back)) + (y - back)


def _split(x: Array) -> tuple[Array, Array]:
    scaled = x * 134217729.0
    high = scaled - (scaled - x)
    return high, x - high


def _transformed(a: Array, b: Array, c: Array) -> Array:
    product = a * b
    (ah, al), (bh, bl) = _split(a), _split(b)
    error = al * bl - (((product - ah * bh) - al * bh) - ah * bl)
    th, tl = _two_sum(c, error)
    vh, vl = _two_sum(product, th)
    return vh + _round_to_odd(tl, vl)


def _exact(a: float, b: float, c: float) -> float:
    from fractions import Fraction

    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        # The sign of an exact zero is that of the rounded expression: both terms agree in sign, or it is +0.
        return a * b + c if a == 0 or b == 0 or c == 0 else 0.0
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
