"""Reductions by parts: what a block of an array gives to a sum, a maximum or a minimum, and how parts become one.

Below `blocks`. Parts may be joined in any order and come from any cuts: whole numbers are added as such, and floats
exactly, by their exponents, and rounded once at the end. A maximum or a minimum of floats is NaN if one of them is,
and a zero has no sign there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..ir import types as T

Numbers = np.ndarray[Any, Any]

MAX_ADDENDS = 1 << 36
"""The most floats of one sum: each gives 27 bits to a bin of 64."""
_PIECE = 1 << 20
"""Floats that are taken apart at a time."""
_BITS, _LOW = 53, 27
"""Bits of a float of 64 bits, and those of them that the lower of two bins holds."""


class ReductionKind(NamedTuple):
    """A reduction: "sum", "max" or "min", the type of its result, and the axes that it is taken over."""

    kind: str
    type: T.Type
    over: tuple[int, ...]

    @property
    def is_exact_sum(self) -> bool:
        """Whether it adds floats."""
        return self.kind == "sum" and self.type.is_float


class PartialSum(NamedTuple):
    """A sum of floats for each point that remains, exactly.

    `bins` has the shape (points, exponents, 2), where the first exponent is `low`: whole numbers, of which the first
    counts 2 ** 27 times. `special` is the sum of infinities and NaN, or 0.
    """

    low: int
    bins: Numbers
    special: Numbers
    shape: tuple[int, ...]


Part = Numbers | PartialSum


def part_of(how: ReductionKind, values: Numbers) -> Part:
    """The part of a block, from its values."""
    if how.is_exact_sum:
        return _added(how, values)
    if how.kind == "sum":
        return np.asarray(values.sum(axis=how.over, dtype=how.type.dtype))
    found = np.asarray((values.max if how.kind == "max" else values.min)(axis=how.over))
    # Of zeros of both signs the one that comes out would depend on their order.
    return found + found.dtype.type(0) if how.type.is_float else found


def joined(how: ReductionKind, parts: Sequence[Any]) -> Part:
    """Several parts as one."""
    if how.is_exact_sum:
        return _sum_of(parts)
    row: Any = {"sum": np.add, "max": np.maximum, "min": np.minimum}[how.kind]
    return np.asarray(row.reduce(parts))


def finished(how: ReductionKind, part: Any) -> Numbers:
    """The numbers that a part of everything stands for."""
    if not isinstance(part, PartialSum):
        return part.astype(how.type.dtype, copy=False)
    with np.errstate(over="ignore"):
        rounded = [_rounded(part.low, bins) for bins in part.bins]
        found = (np.array(rounded, np.float64) + part.special).astype(how.type.dtype)
    return found.reshape(part.shape)


def _added(how: ReductionKind, values: Numbers) -> PartialSum:
    kept = [k for k in range(values.ndim) if k not in how.over]
    shape = tuple(values.shape[k] for k in kept)
    # As floats of the result's type first, as the program adds them.
    rows = values.astype(how.type.dtype, copy=False).transpose(*kept, *how.over)
    rows = rows.reshape(math.prod(shape), -1).astype(np.float64, copy=False)
    finite = np.isfinite(rows)
    special = np.zeros(len(rows))
    if not finite.all():
        with np.errstate(invalid="ignore"):
            special = np.where(finite, 0.0, rows).sum(axis=1)
        rows = np.where(finite, rows, 0.0)
    mantissas, exponents = np.frexp(rows)
    low = int(exponents.min())
    count = int(exponents.max()) - low + 1
    bins = np.zeros((len(rows), count, 2), np.int64)
    step = max(1, _PIECE // rows.shape[1])
    for first in range(0, len(rows), step):
        for begin in range(0, rows.shape[1], _PIECE):
            part = np.s_[first : first + step, begin : begin + _PIECE]
            whole = np.ldexp(mantissas[part], _BITS).astype(np.int64)
            place = exponents[part] - low + count * np.arange(len(whole))[:, None]
            for k, half in enumerate((whole >> _LOW, whole & ((1 << _LOW) - 1))):
                # Sums of a million numbers of 27 bits are whole as floats of 64 bits.
                sums = np.bincount(place.ravel(), half.ravel(), count * len(whole))
                bins[first : first + step, :, k] += sums.astype(np.int64).reshape(-1, count)
    return PartialSum(low, bins, special, shape)


def _sum_of(parts: Sequence[PartialSum]) -> PartialSum:
    low = min(p.low for p in parts)
    high = max(p.low + p.bins.shape[1] for p in parts)
    bins = np.zeros((len(parts[0].bins), high - low, 2), np.int64)
    for p in parts:
        bins[:, p.low - low : p.low - low + p.bins.shape[1]] += p.bins
    with np.errstate(invalid="ignore"):
        special = np.sum([p.special for p in parts], axis=0)
    return PartialSum(low, bins, special, parts[0].shape)


def _rounded(low: int, bins: Numbers) -> float:
    """The float nearest to what bins of exponents from `low` on hold."""
    total = sum(((high << _LOW) + rest) << k for k, (high, rest) in enumerate(bins.tolist()))
    scale = low - _BITS
    try:
        return float(total << scale) if scale >= 0 else total / (1 << -scale)
    except OverflowError:
        return math.copysign(math.inf, total)
