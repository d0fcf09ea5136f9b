"""Conversions between types, and the reading of bits as another type of the same width.

Integer to integer wraps, integer to float rounds to nearest even, float to integer truncates and saturates, and NaN
gives the lowest integer. The machine's own float-to-integer instruction is the partial row `truncate_in`, whose operand
must be proved to be in range: a clamp that the facts show to be idle then costs nothing.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import types as T
from ..facts import Facts, top, wrap
from ..intervals.interval import Endpoints, Interval, only, whole
from ..intervals.notation import cast as read_as
from ..intervals.notation import choose, convert, maximum, minimum, to_integer
from ..prim import Prim

if TYPE_CHECKING:
    from ..expr import Expr

Array = np.ndarray[Any, Any]


@cache
def limits(source: T.Type, target: T.Type) -> tuple[float, float]:
    """The lowest and highest float of a type whose truncation lies in an integer type.

    >>> limits(T.f32, T.i32)
    (-2147483648.0, 2147483520.0)
    """
    scalar: Any = source.dtype.type
    # Truncation takes everything below the next integer, which is a power of two and so a float.
    return float(scalar(target.low)), float(np.nextafter(scalar(int(target.high) + 1), scalar(0)))


def _convert_facts(t: T.Type, types: tuple[T.Type, ...], a: Facts) -> Facts:
    (source,) = types
    if t.is_float:
        scalar: Any = t.dtype.type
        with np.errstate(over="ignore"):
            return Facts(
                float(scalar(a.lo)),
                float(scalar(a.hi)),
                a.nan,
                a.minus_zero or (source.is_float and a.lo < 0),
            )
    if source.is_float:
        low, high = limits(source, t)
        lo = int(low) if a.nan else int(min(max(a.lo, low), high))
        return Facts(lo, int(min(max(a.hi, low), high)))
    return wrap(t, int(a.lo), int(a.hi), a.modulus, a.residue)


def _convert(dtype: np.dtype[Any], a: Array) -> Array:
    if a.dtype.kind == "f" and dtype.kind in "iu":
        low, high = limits(T.BY_DTYPE[a.dtype], T.BY_DTYPE[dtype])
        inside = np.where(a > low, a, a.dtype.type(low))
        return np.trunc(np.where(inside < high, inside, a.dtype.type(high))).astype(dtype)
    return a.astype(dtype)


def _to_integer(a: Expr, target: T.Type) -> Expr:
    from ..expr import apply, const

    low, high = limits(a.type, target)
    inside = apply("min", apply("max", a, const(low, a.type)), const(high, a.type))
    return apply("truncate_in", inside, attr=target)


def _in_range(types: tuple[T.Type, ...], a: Facts, target: T.Type) -> bool:
    return a.within(*limits(types[0], target))


def _bitcast_facts(t: T.Type, types: tuple[T.Type, ...], a: Facts) -> Facts:
    """Numbers that are not negative keep their order when their bits are read as another type."""
    (source,) = types
    if a.nan or a.minus_zero or a.lo < 0 or (source.is_float and t.is_float):
        return a if source is t else top(t)
    if not (source.is_float or t.is_float):
        return wrap(t, int(a.lo), int(a.hi), a.modulus, a.residue)
    if source.is_float:
        ends = np.array([a.lo, a.hi], dtype=source.dtype).view(t.dtype)
        return Facts(int(ends[0]), int(ends[1]))
    words = np.array([int(a.lo), int(a.hi)], dtype=source.dtype)
    lo, hi = (float(v) for v in words.view(t.dtype))
    return Facts(lo, hi) if lo <= hi and words[1] >> (t.bits - 1) == 0 else top(t)


def _bitcast(dtype: np.dtype[Any], a: Array) -> Array:
    return np.array(a).view(dtype)


def cast(source: T.Type, target: T.Type) -> str:
    """The LLVM instruction that converts between two types (see the row `convert`).

    >>> cast(T.u8, T.f32), cast(T.i32, T.i64)
    ('uitofp', 'sext')
    """
    if source.is_float and target.is_integer:
        return "fptosi" if target.kind == "signed" else "fptoui"
    if target.is_float:
        if source.is_float:
            return "bitcast" if source is target else "fpext" if target.bits > source.bits else "fptrunc"
        return "sitofp" if source.kind == "signed" else "uitofp"
    if target.bits == source.bits:
        return "bitcast"
    if target.bits < source.bits:
        return "trunc"
    return "sext" if source.kind == "signed" else "zext"


def _without_truncation(source: T.Type, target: T.Type) -> bool:
    if target is T.boolean:
        return source is T.boolean
    return target.is_float or not source.is_float


def _to_integers(source: T.Type, target: T.Type) -> bool:
    return target.is_integer


def _of_one_width(source: T.Type, target: T.Type) -> bool:
    return source.bits == target.bits and target is not T.boolean


def _convert_interval(t: T.Type, x: Interval) -> Endpoints:
    source = x.type
    if not t.is_integer or source is T.boolean:
        # Every number has its place, and the whole line stays whole.
        return convert(x.lo, t), convert(x.hi, t)
    lo, hi = convert(x.lo, t), convert(x.hi, t)
    if t.low <= source.low and source.high <= t.high:
        return lo, hi
    if t.bits >= source.bits:
        return only(lo <= hi, lo, hi)
    # The bits that are lost must be the same; of signed types, counted from the lowest number on.
    first, last = (end - int(t.low) for end in x)
    return only((first >> t.bits).equals(last >> t.bits) & (first <= last), lo, hi)


def _to_integer_interval(t: T.Type, x: Interval) -> Endpoints:
    return to_integer(x.lo, t), to_integer(x.hi, t)


def _bitcast_interval(t: T.Type, x: Interval) -> Endpoints:
    source = x.type
    lo, hi = read_as(x.lo, t), read_as(x.hi, t)
    if source is t:
        return lo, hi
    if source.is_integer and t.is_integer:
        return only(lo <= hi, lo, hi)
    if source.is_float:
        # Of positive numbers the bits have their order, and of negative ones the opposite; of zero there are two.
        low, high = whole(t)
        rises, falls = x.lo > 0.0, x.hi < 0.0
        return choose(rises, lo, choose(falls, hi, low)), choose(rises, hi, choose(falls, lo, high))
    # All words of one sign are numbers if the endpoints are.
    sign = (x.lo ^ x.hi) & (1 << (source.bits - 1))
    return only(sign.equals(0) & ((lo <= hi) | (hi <= lo)), minimum(lo, hi), maximum(lo, hi))


ROWS = (
    Prim(
        "convert",
        "x as another number type: wrapping between integers, rounding to floats; true is 1.",
        "T -> @",
        targets=_without_truncation,
        ref=_convert,
        facts=_convert_facts,
        llvm={"any": "{cast} {T} {0} to {R}"},
        c={"any": "({R}){0}"},
        glsl={"any": "{R}({0})"},
        monotone="+",
        interval=_convert_interval,
        zero_sign="pass",
    ),
    Prim(
        "to_integer",
        "The float x truncated to an integer type, saturating; NaN gives the lowest.",
        "F -> @",
        targets=_to_integers,
        body=_to_integer,
        facts=_convert_facts,
        monotone="+",
        interval=_to_integer_interval,
        zero_sign="kill",
    ),
    Prim(
        "truncate_in",
        "The float x truncated to an integer type, for x proved to be within its range.",
        "F -> @",
        targets=_to_integers,
        ref=_convert,
        facts=_convert_facts,
        domain=_in_range,
        total="to_integer",
        llvm={"float": "{cast} {T} {0} to {R}"},
        c={"float": "({R}){0}"},
        glsl={"float": "{R}({0})"},
        monotone="+",
        interval=_to_integer_interval,
        zero_sign="kill",
    ),
    Prim(
        "bitcast",
        "The bits of x read as another type of the same width.",
        "N -> @",
        targets=_of_one_width,
        ref=_bitcast,
        facts=_bitcast_facts,
        llvm={"any": "bitcast {T} {0} to {R}"},
        c={"any": "bits_{T}_{R}({0})"},
        glsl={"any": "{bits}({0})"},
        interval=_bitcast_interval,
        zero_sign="observe",
    ),
)
