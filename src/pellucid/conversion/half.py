"""Floats in memory: between bits and numbers, half floats by arithmetic on their bits (IEEE 754, binary16)."""

from __future__ import annotations

from typing import Any

from ..ir import types as T
from ..ir.expr import apply, const
from ..tracing import Value, convert
from ..tracing import functions as F

_REAL = {32: T.f32, 64: T.f64}
_WORD = {32: T.u32, 64: T.u64}
_SCALE, _HALF = Value(const(2.0**112, T.f32)), Value(const(0.5, T.f32))
_EXPONENT = 0x1F << 23


def decoded(word: Value, bits: int) -> Any:
    """The number whose bits these are; exact."""
    if bits != 16:
        return _cast(word, _REAL[bits])
    # The sign goes up to its place, and leaves copies of itself, which are masked away.
    word = (convert(convert(word, T.i16), T.i32) << 13) & -0x70002000
    # The exponents count from different numbers; a factor mends that, and makes normal numbers of denormal ones.
    number = _cast(word, T.f32) * _SCALE
    return F.where((word & _EXPONENT) == _EXPONENT, _cast(word | 0x7F800000, T.f32), number)


def encoded(value: Any, bits: int) -> Value:
    """The bits of the float nearest to a number, ties to even; too large is infinite."""
    if bits != 16:
        return _cast(convert(value, _REAL[bits]), _WORD[bits])
    word = _cast(convert(value, T.f32), T.u32)
    sign, rest = (word >> 16) & 0x8000, word & 0x7FFFFFFF
    # One half on top leaves a denormal in the low bits, rounded; other numbers are rounded here.
    small = _cast(_cast(rest, T.f32) + _HALF, T.u32) - 0x3F000000
    normal = (rest + 0xC8000FFF + ((rest >> 13) & 1)) >> 13
    finite = F.where(rest < 0x38800000, small, F.min(normal, 0x7C00))
    return F.where(rest > 0x7F800000, 0x7E00, finite) | sign


def _cast(value: Value, type_: T.Type) -> Value:
    return Value(apply("bitcast", value.expr, attr=type_))
