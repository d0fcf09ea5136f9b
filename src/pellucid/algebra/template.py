"""Templates, reductions and changes of coordinates: the operations of the image algebra that look beyond one point.

Beside `array`. A template is a small array of odd size about its middle; where it reaches out of the coordinate set,
the border mode says what stands there. Source: Ritter, Wilson and Davidson, generalized convolution, additive maximum
and additive minimum.
"""

from __future__ import annotations

import builtins
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.errors import InputError, brief
from ..base.kinds import takes
from ..ir import types as T
from .array import ARRAY, Array, checked_axes, checked_number, checked_shape, checked_type, wholes
from .border import checked_border
from .operation import POINT, Coordinates, Moved, Operation, PointCount, Reduction, WindowOperation

MAX_VALUES = 4096
"""The most values of one window."""


# ---- reductions ----


@takes(a=ARRAY)
def sum(a: Array, axis: int | Sequence[int] | None = None, type: str | T.Type | None = None) -> Array:
    """The sum over all axes, or over some, the lowest coordinates first.

    It is taken in i64 for integers (u64 for u64) and in the array's own type for floats, unless `type` says otherwise.

    >>> from .array import array
    >>> sum(array("a", (3, 4), "u8"), axis=0)
    Reduction of i64 on 0..3
    """
    if type is not None:
        kind = checked_type(type, "sum")
    elif a.type.is_float:
        kind = a.type
    else:
        kind = T.u64 if a.type is T.u64 else T.i64
    return _reduction("sum", a, axis, kind)


@takes(a=ARRAY)
def max(a: Array, axis: int | Sequence[int] | None = None) -> Array:
    """The greatest value over all axes, or over some."""
    return _reduction("max", a, axis, a.type)


@takes(a=ARRAY)
def min(a: Array, axis: int | Sequence[int] | None = None) -> Array:
    """The least value over all axes, or over some."""
    return _reduction("min", a, axis, a.type)


@takes(a=ARRAY)
def mean(a: Array, axis: int | Sequence[int] | None = None) -> Array:
    """The mean over all axes, or over some: the sum divided by the number of points.

    It is an f64 for integers, and of the array's own type for floats.

    >>> from .array import array
    >>> mean(array("a", (3, 4), "u8"), axis=0)
    Pointwise of f64 on 0..3
    """
    kind = a.type if a.type.is_float else T.f64
    total = sum(a, axis).astype(kind)
    return total / Array(PointCount(POINT, kind, (a.node,), checked_axes(axis, a, "mean")))


def _reduction(kind: str, a: Array, axis: object, type: T.Type) -> Array:
    if a.type is T.boolean:
        raise InputError("the values are bool", place=kind, fix="make them numbers: alg.chi(condition)")
    over = checked_axes(axis, a, kind)
    if not over:
        raise InputError("a scalar has no axes", place=kind, fix="give an array")
    kept = [k for k in range(len(a.shape)) if k not in over]
    left = Coordinates(tuple(a.coordinates.low[k] for k in kept), tuple(a.coordinates.shape[k] for k in kept))
    return Array(Reduction(left if kept else POINT, type, (a.node,), kind, over))


# ---- templates ----


@takes(a=ARRAY)
def convolve(a: Array, kernel: object, border: str = "reflect", outside: float = 0) -> Array:
    """The convolution: at every point x the sum of kernel(d) · a(x - d) over the points d of the kernel.

    The kernel has an odd number of elements along each axis, its middle is the origin, and it applies to the leading
    axes of the array (to rows and columns of a color picture). Values of 0 are no part of it.

    Raises InputError for a kernel that is empty, of even size or of too many axes, whose values the array's type does
    not hold, or for an unknown border.

    >>> from .array import array
    >>> convolve(array("a", (8, 8)), [[0, 1, 0], [1, 4, 1], [0, 1, 0]], border="clamp")
    Window of f32 on 0..7 x 0..7
    """
    return _weighted("convolve", "sum", a, kernel, border, outside, sign=-1)


@takes(a=ARRAY)
def correlate(a: Array, kernel: object, border: str = "reflect", outside: float = 0) -> Array:
    """As `convolve` without turning the kernel: the sum of kernel(d) · a(x + d), the product with a template."""
    return _weighted("correlate", "sum", a, kernel, border, outside, sign=1)


@takes(a=ARRAY)
def additive_maximum(a: Array, template: object, border: str = "reflect", outside: float = 0) -> Array:
    """At every point x the greatest of a(x + d) + template(d); values of -inf are no part of the template."""
    return _weighted("additive_maximum", "max", a, template, border, outside, sign=1)


@takes(a=ARRAY)
def additive_minimum(a: Array, template: object, border: str = "reflect", outside: float = 0) -> Array:
    """At every point x the least of a(x + d) + template(d); values of inf are no part of the template."""
    return _weighted("additive_minimum", "min", a, template, border, outside, sign=1)


@takes(a=ARRAY)
def dilate(a: Array, size: object = 3, border: str = "clamp", outside: float = 0) -> Array:
    """The greatest value around every point: `size` is a number of points along each axis, or a mask of the points.

    >>> from .array import array
    >>> dilate(array("a", (8, 8), "u8"), 5)
    Window of u8 on 0..7 x 0..7
    """
    return _flat("dilate", "max", a, size, border, outside, sign=-1)


@takes(a=ARRAY)
def erode(a: Array, size: object = 3, border: str = "clamp", outside: float = 0) -> Array:
    """The least value around every point: `size` is a number of points along each axis, or a mask of the points."""
    return _flat("erode", "min", a, size, border, outside, sign=1)


@takes(a=ARRAY)
def median(a: Array, size: object = 3, border: str = "clamp", outside: float = 0) -> Array:
    """The median of an odd number of values around every point, by a sorting network.

    `size` is a number of points along each axis, or a mask of the points.
    """
    found = _flat("median", "median", a, size, border, outside, sign=1)
    if isinstance(found.node, WindowOperation) and len(found.node.offsets) % 2 == 0:
        raise InputError(
            f"the mask has {len(found.node.offsets)} points",
            place="median",
            fix="give an odd number of points",
        )
    return found


@takes(a=ARRAY)
def shift(a: Array, by: int | Sequence[int], border: str = "clamp", outside: float = 0) -> Array:
    """The array moved on its own coordinate set: at every point x the value a(x - by).

    >>> from .array import array
    >>> shift(array("a", (8, 8)), (1, 0), border="wrap")
    Window of f32 on 0..7 x 0..7
    """
    offset = tuple(-k for k in _whole(by, a, "shift"))
    return _window("shift", "shift", a, (offset,), (), border, outside)


# ---- changes of coordinates ----


@takes(a=ARRAY)
def translate(a: Array, by: int | Sequence[int]) -> Array:
    """The same values on a coordinate set that is moved: what was at x is at x + by.

    >>> from .array import array
    >>> translate(array("a", (3, 4)), (1, -1))
    Moved of f32 on 1..3 x -1..2
    """
    steps = _whole(by, a, "translate")
    steps += (0,) * (len(a.shape) - len(steps))
    low = tuple(k + s for k, s in zip(a.coordinates.low, steps, strict=True))
    return Array(Moved(Coordinates(low, a.shape), a.type, (a.node,), steps))


@takes(a=ARRAY)
def restrict(a: Array, low: Sequence[int], shape: Sequence[int]) -> Array:
    """The part of an array on a smaller coordinate set.

    Raises InputError if that is no part of the array's own.

    >>> from .array import array
    >>> restrict(array("a", (3, 4)), (1, 1), (2, 2))
    Moved of f32 on 1..2 x 1..2
    """
    extent, first = checked_shape(shape, "restrict"), tuple(_whole(low, a, "restrict"))
    own = a.coordinates
    if not len(first) == len(extent) == own.axes:
        raise InputError(
            f"{brief(low)} and {brief(shape)} do not both have a number for each axis of {own}",
            place="restrict",
            fix="give as many as the array has axes",
        )
    part = Coordinates(first, extent)
    if any(f < o or f + n > o + m for f, n, o, m in zip(first, extent, own.low, own.shape, strict=True)):
        raise InputError(f"{part} is no part of {own}", place="restrict", fix="stay within the array")
    return Array(Moved(part, a.type, (a.node,), (0,) * own.axes))


# ---- checks ----


def _weighted(
    name: str, kind: str, a: Array, kernel: object, border: str, outside: float, *, sign: int
) -> Array:
    given = _numbers(kernel, name)
    _check_size(given.shape, a, name)
    neutral = {"sum": 0.0, "max": -np.inf, "min": np.inf}[kind]
    offsets: list[tuple[int, ...]] = []
    weights: list[float | int] = []
    # In the order of the points that are read, so that a turned kernel adds in memory order too.
    for at in itertools.product(*(range(n) for n in given.shape)):
        turned = tuple(n - 1 - k if sign < 0 else k for k, n in zip(at, given.shape, strict=True))
        value = given[turned].item()
        if value != neutral:
            offsets.append(tuple(k - n // 2 for k, n in zip(at, given.shape, strict=True)))
            weights.append(_weight(value, a.type, name))
    if not offsets:
        raise InputError("no value of the kernel counts", place=name, fix="give one that is not neutral")
    flat = kind != "sum" and not any(weights)
    return _window(name, kind, a, tuple(offsets), () if flat else tuple(weights), border, outside)


def _weight(value: float, like: T.Type, name: str) -> float | int:
    whole = int(value) if like.is_integer and np.isfinite(value) and value == int(value) else value
    return checked_number(whole, like, f"{name}, kernel")


def _flat(name: str, kind: str, a: Array, size: object, border: str, outside: float, *, sign: int) -> Array:
    lengths = wholes(size)
    if lengths is not None:
        lengths *= builtins.min(len(a.shape), 2) if len(lengths) == 1 else 1
        if not lengths or builtins.min(lengths) < 1:
            raise InputError(f"{brief(size)} is no size", place=name, fix="give a positive odd number")
        _check_size(lengths, a, name)
        mask = np.ones(lengths, bool)
    else:
        given = _numbers(size, name)
        _check_size(given.shape, a, name)
        mask = given != 0
    middle = np.array(mask.shape) // 2
    points = sorted(tuple(int(k) for k in sign * (at - middle)) for at in np.argwhere(mask))
    if not points:
        raise InputError("the mask has no points", place=name, fix="give at least one")
    return _window(name, kind, a, tuple(points), (), border, outside)


def _window(
    name: str,
    kind: str,
    a: Array,
    offsets: tuple[tuple[int, ...], ...],
    weights: tuple[float | int, ...],
    border: str,
    outside: float,
) -> Array:
    mode = checked_border(border, name)
    if a.type is T.boolean and kind != "shift":
        raise InputError("the values are bool", place=name, fix="make them numbers: alg.chi(condition)")
    number = checked_number(outside, a.type, f"{name}, outside") if mode == "constant" else 0
    node: Operation = WindowOperation(a.coordinates, a.type, (a.node,), kind, offsets, weights, mode, number)
    return Array(node)


def _numbers(kernel: object, name: str) -> np.ndarray[Any, Any]:
    try:
        found = np.asarray(kernel)
    except ValueError:
        found = np.asarray(None)
    if found.dtype.kind not in "biuf" or found.ndim == 0:
        raise InputError(f"{brief(kernel)} is no kernel", place=name, fix="give an array of numbers")
    if found.dtype.kind == "f" and found.size <= MAX_VALUES and np.isnan(found).any():
        raise InputError("the kernel has a NaN", place=name, fix="give numbers")
    return found


def _check_size(shape: tuple[int, ...], a: Array, name: str) -> None:
    if not a.shape:
        raise InputError("a scalar has no points around it", place=name, fix="give an array")
    text = " x ".join(map(brief, shape))
    if 0 in shape:
        raise InputError(
            "the kernel is empty", place=name, fix="give an odd number of values along each axis"
        )
    if any(n % 2 == 0 for n in shape):
        raise InputError(
            f"the kernel is {text}",
            place=name,
            fix="its middle needs an odd number of values along each axis",
        )
    if len(shape) > len(a.shape):
        raise InputError(
            f"the kernel has {len(shape)} axes, the array {len(a.shape)}",
            place=name,
            fix="give at most as many",
        )
    if math.prod(shape) > MAX_VALUES:
        raise InputError(f"the kernel is {text}", place=name, fix=f"give at most {MAX_VALUES} values")


def _whole(by: object, a: Array, name: str) -> tuple[int, ...]:
    steps = wholes(by)
    if steps and len(steps) <= len(a.shape) and all(abs(k) < 1 << 30 for k in steps):
        return steps
    raise InputError(
        f"{brief(by)} is no step on {a.coordinates}",
        place=name,
        fix="give whole numbers, at most one per axis",
    )
