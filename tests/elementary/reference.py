"""What the elementary functions should give: arguments worth trying, values of many digits, and errors in ulp.

A test of a row asks here for the true value: in double precision for f32, in extended precision for f64 where the
machine has it, and else in arithmetic of 40 digits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

from pellucid.ir import types as T
from pellucid.ir.expr import apply, param
from pellucid.ir.interp import evaluate

Array = np.ndarray[Any, Any]
EXTENDED = np.finfo(np.longdouble).nmant >= 63


def _half_turns(x: Array, shift: float, function: Callable[[Array], Array]) -> Array:
    """sin or cos of pi*x from the exact distance of x to the nearest multiple of a quarter."""
    turn = np.fmod(np.abs(x), 2)
    quarter = np.rint(turn * 2)
    rest = (turn - quarter / 2) * (4 * np.arctan(x.dtype.type(1)))
    kind = (quarter + shift) % 4
    value = np.choose(kind.astype(int) % 4, [np.sin(rest), np.cos(rest), -np.sin(rest), -np.cos(rest)])
    value = np.where(value == 0, 0.0, value)
    return function(value)


def sinpi(x: Array) -> Array:
    """The sine of pi*x, with the sign of x where it is 0."""
    finite = np.where(np.isfinite(x), x, 0)
    value = _half_turns(finite, 0, lambda v: v)
    value = np.where(np.signbit(x), -value, value)
    return np.where(np.isfinite(x), value, np.nan)


def cospi(x: Array) -> Array:
    """The cosine of pi*x, never -0."""
    finite = np.where(np.isfinite(x), x, 0)
    return np.where(np.isfinite(x), _half_turns(finite, 1, lambda v: v), np.nan)


NUMPY: dict[str, Callable[..., Any]] = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sinpi": sinpi,
    "cospi": cospi,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "pow": np.power,
    "cbrt": np.cbrt,
    "hypot": np.hypot,
}
"""Every row that states an error, and NumPy's function of that meaning."""

DIGITS: dict[str, Callable[..., Any]] = {
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tan": mpmath.tan,
    "sinpi": mpmath.sinpi,
    "cospi": mpmath.cospi,
    "exp": mpmath.exp,
    "exp2": lambda x: mpmath.power(2, x),
    "expm1": mpmath.expm1,
    "sinh": mpmath.sinh,
    "cosh": mpmath.cosh,
    "tanh": mpmath.tanh,
    "log": mpmath.log,
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "log10": mpmath.log10,
    "log1p": mpmath.log1p,
    "asin": mpmath.asin,
    "acos": mpmath.acos,
    "atan": mpmath.atan,
    "atan2": mpmath.atan2,
    "pow": mpmath.power,
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "hypot": mpmath.hypot,
}


def compute(name: str, *arguments: Array) -> Array:
    """What the row computes, element by element, in the type of the arguments."""
    type_ = T.BY_DTYPE[arguments[0].dtype]
    names = [param(f"x{k}", type_) for k in range(len(arguments))]
    return evaluate([apply(name, *names)], dict(zip(names, arguments, strict=True)))[0]


def truth(name: str, *arguments: Array) -> Array:
    """The true values in a wider type, which a difference in ulp is taken from."""
    wide = np.float64 if arguments[0].dtype == np.float32 else np.longdouble
    with np.errstate(all="ignore"):
        return NUMPY[name](*(a.astype(wide) for a in arguments))


def ulps(got: Array, true: Array) -> Array:
    """The distance in units in the last place of the true value; infinite where NaN, sign of zero or range differ."""
    info = np.finfo(got.dtype)
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(np.where(np.isfinite(true), true, 1))
        unit = np.ldexp(true.dtype.type(1), np.maximum(exponent, info.minexp + 1) - info.nmant - 1)
        distance = np.abs(got.astype(true.dtype) - true) / unit
    # What is above the largest float by less than half a unit rounds to it, and else to infinity.
    top = true.dtype.type(info.max)
    limit = top + top * true.dtype.type(info.eps) / 4
    overflow = np.abs(true) >= limit
    same_sign = np.signbit(got) == np.signbit(true)
    distance = np.where(overflow, np.where(np.isinf(got) & same_sign, 0, np.inf), distance)
    at_top = (np.isinf(got) | (np.abs(got) == info.max)) & same_sign & (np.abs(true) > top * (1 - info.eps))
    distance = np.where(
        at_top & np.isfinite(true), np.minimum(np.nan_to_num(distance, nan=1.0, posinf=1.0), 1.0), distance
    )
    distance = np.where(np.isnan(true), np.where(np.isnan(got), 0, np.inf), distance)
    distance = np.where(np.isnan(got) & ~np.isnan(true), np.inf, distance)
    return np.where((got == 0) & ~same_sign & ~np.isnan(true), np.inf, distance)


def many_digits(name: str, *arguments: float) -> Any:
    """The true value in arithmetic of 40 digits beyond what cancellation can take."""
    with mpmath.workprec(1300):
        return DIGITS[name](*(mpmath.mpf(float(a)) for a in arguments))


def spicy(type_: T.Type) -> Array:
    """Zeros, infinities, NaN, subnormal and extreme numbers, small whole ones, and both signs of each."""
    info: Any = np.finfo(type_.dtype)
    base = [
        0.0,
        1.0,
        2.0,
        3.0,
        4.0,
        5.0,
        10.0,
        0.5,
        0.25,
        0.75,
        1.5,
        2.5,
        1e-3,
        1e3,
        1e5,
        1e10,
        np.inf,
        np.nan,
    ]
    base += [float(x) for x in (info.tiny, info.max, info.smallest_subnormal, info.eps, info.eps / 2)]
    base += [float(info.tiny) * 0.7, float(info.max) * 0.6, 2.0**info.nmant, 2.0 ** (info.nmant + 1) + 2]
    numbers = np.array(base, dtype=type_.dtype)
    every = with_neighbors(numbers, 1)
    return np.concatenate([every, -every])


def random_bits(type_: T.Type, count: int, seed: int) -> Array:
    """Floats of random bits: every exponent is as likely as any other."""
    words = T.integer(type_.bits, signed=False).dtype
    draw = np.random.default_rng(seed)
    return draw.integers(0, 1 << type_.bits, count, dtype=words, endpoint=False).view(type_.dtype)


def in_range(type_: T.Type, low: float, high: float, count: int, seed: int) -> Array:
    """Floats evenly drawn from a range."""
    return np.random.default_rng(seed).uniform(low, high, count).astype(type_.dtype)


def with_neighbors(numbers: Array, reach: int = 2) -> Array:
    """Numbers and the floats around them."""
    found = [numbers]
    up = down = numbers
    infinite = numbers.dtype.type(np.inf)
    with np.errstate(over="ignore", under="ignore"):
        for _ in range(reach):
            up, down = np.nextafter(up, infinite), np.nextafter(down, -infinite)
            found += [up, down]
    return np.concatenate(found)


def walk(name: str, start: int, stop: int, every: int) -> tuple[float, float]:
    """The largest error of a row over the float32 of bits start, start + every, ... below stop, and where it is."""
    worst, place = -1.0, np.nan
    for first in range(start, stop, every << 16):
        words = np.arange(first, min(stop, first + (every << 16)), every, dtype=np.uint64).astype(np.uint32)
        x = words.view(np.float32)
        error = ulps(compute(name, x), truth(name, x))
        k = int(np.argmax(error))
        if error[k] > worst:
            worst, place = float(error[k]), float(x[k])
    return worst, place
