"""The types in which numbers meet: that of a Python number by itself, and the common one of two symbolic values.

Below `tracer`, which converts operands to the type that is found here.
"""

from __future__ import annotations

from ..base.errors import TraceError, brief
from ..base.source_location import caller
from ..ir import types as T
from .session import real_type


def natural_type(number: float) -> T.Type:
    """The type of a Python number that meets no symbolic one: integers are i32, or i64 where that is too small.

    Raises TraceError for an integer that does not fit into 64 bits.

    >>> natural_type(True), natural_type(7), natural_type(1 << 40)
    (bool, i32, i64)
    """
    if isinstance(number, bool):
        return T.boolean
    if not isinstance(number, int):
        return real_type()
    for type_ in (T.i32, T.i64):
        if type_.low <= number <= type_.high:
            return type_
    place, _ = caller()
    raise TraceError(f"{brief(number)} does not fit into 64 bits", place=place, fix="write it as a float")


def common_type(a: T.Type, b: T.Type) -> T.Type:
    """The type in which two values meet: floats win, then width; mixed signs meet in the next wider signed type.

    >>> common_type(T.u8, T.i32), common_type(T.i32, T.f32), common_type(T.u32, T.i32)
    (i32, f32, i64)
    """
    if a is b:
        return a
    if a.is_float or b.is_float:
        return max((t for t in (a, b) if t.is_float), key=lambda t: t.bits)
    if T.boolean in (a, b):
        return a if b is T.boolean else b
    if a.kind == b.kind:
        return max(a, b, key=lambda t: t.bits)
    signed, unsigned = (a, b) if a.kind == "signed" else (b, a)
    if signed.bits > unsigned.bits:
        return signed
    if unsigned.bits < 64:
        return T.integer(unsigned.bits * 2, signed=True)
    place, _ = caller()
    raise TraceError(f"{a} and {b} have no common type", place=place, fix="convert one of them")
