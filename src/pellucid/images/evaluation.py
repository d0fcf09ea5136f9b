"""The meaning of a picture at given points: its expression, by the interpreter for few points and compiled for many.

`sample` and the method `at` of pictures are this. Numerics are exact, so that both ways give the same bits.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from ..base.deep_stack import with_deep_stack
from ..base.errors import InputError, brief
from ..base.memory import available_memory, readable_bytes
from ..base.record import record
from ..base.tracebacks import door
from ..base.view import checked_params
from ..driver.frame import REACH
from ..driver.kernel import Kernel, own_values
from ..driver.options import Options
from ..ir import expr as E
from ..ir import types as T
from ..ir.interp import evaluate
from ..tracing import Point, Value, flatten, tracing
from ..tracing.params import Param, declared, named
from ..tracing.tracer import lift
from .display import displayable
from .drawable import Drawable
from .image import kind_of, unknown_point

Array = np.ndarray[Any, Any]
MIN_COMPILED = 1 << 13
"""Points from which on a picture is compiled, which takes as long as the interpreter takes for some thousands."""


@door
def sample(
    picture: Any,
    x: Any,
    y: Any = None,
    time: Any = 0.0,
    *,
    precision: str | None = None,
    params: Mapping[str, float] | None = None,
    out: Array | None = None,
) -> Any:
    """The values of a picture at points given by numbers, lists or arrays that broadcast, or by one `Point`.

    Gives an array of the broadcast shape: of bools, reals or packed u32, or with a last axis of 4 for colors, which are
    premultiplied; for another structure, that structure of arrays. Where points are masked (`numpy.ma`), so are the
    values. `picture` is whatever can be rendered. Arrays are whatever NumPy takes: of pandas, of xarray, or of a
    library that has `__array__` or `__dlpack__`. `precision` is f32 or f64, that of a kernel, or else f32; `params`
    overrides defaults of parameters. The values go to `out`, if given, by casts that keep their kind. Raises InputError
    for a parameter that is unknown or out of its range, for what is no array of numbers, for shapes that do not
    broadcast, for an `out` that does not fit or beside masked points, and for what is no picture.

    >>> from pellucid import images as im
    >>> sample(im.x + im.y, [1, 2], [[10], [20]])
    array([[11., 12.],
           [21., 22.]], dtype=float32)
    >>> sample(im.udisk, (0.5, 0.5))
    array(True)
    """
    source, own = picture, "f32"
    if isinstance(picture, Kernel):
        source, own = cast("Any", picture.source), picture.options.precision
    elif not isinstance(picture, Drawable):
        source, _ = displayable(picture)
    real = Options("exact", own if precision is None else precision).real
    points = _points(x, y, time, real)
    traced = _traced(source, real)
    values = own_values(checked_params(params), traced.params)
    if out is not None and points.masks:
        fix = "ask without out, or give points.filled(value)"
        raise InputError("an array that was given takes no mask of points", place="out", fix=fix)
    if out is not None:
        return _into(out, traced, points, values)
    shape = points.shape_with(None)
    if traced.color:
        whole = np.empty((*shape, 4), real.dtype)
        _fill(traced, points, values, shape, [whole[..., k] for k in range(4)])
        return points.masked(whole)
    arrays = [np.empty(shape, root.type.dtype) for root in traced.roots]
    _fill(traced, points, values, shape, arrays)
    arrays = [points.masked(each) for each in arrays]
    return arrays[0] if len(arrays) == 1 else traced.rebuild(arrays)


@record
class _Traced:
    """A picture's value at a point: its scalars as expressions, and what is made of them."""

    roots: Sequence[E.Expr]
    rebuild: Callable[[list[Any]], Any]
    params: Mapping[str, Param]
    color: bool


def _traced(source: Any, real: T.Type) -> _Traced:
    with tracing(real):
        point = unknown_point()
        moment = Value(E.param("time", real))
        value = with_deep_stack(lambda: source.sample(moment, point))
        leaves, rebuild = flatten(value)
        roots = [lift(leaf, real) if isinstance(leaf, float) else lift(leaf) for leaf in leaves]
        color = kind_of(value) == "color"
        if color:
            # Also of whole numbers, a color is made of reals.
            roots = [r if r.type is real else E.apply("convert", r, attr=real) for r in roots]
    return _Traced(roots, rebuild, named(roots)[1], color)


@record
class _Points:
    """Coordinates and times as arrays of reals; `masks` are those of the arrays that had one."""

    x: Array
    y: Array
    time: Array
    real: T.Type
    masks: tuple[Array, ...] = ()

    def masked(self, values: Array) -> Array:
        """The values, masked where any coordinate of their point is; colors have a last axis more than points."""
        if not self.masks:
            return values
        shape = np.broadcast_shapes(self.x.shape, self.y.shape, self.time.shape)
        mask = np.zeros(shape, np.bool_)
        for each in self.masks:
            mask |= each
        mask = mask.reshape(*shape, *[1] * (values.ndim - mask.ndim))
        return np.ma.masked_array(values, np.broadcast_to(mask, values.shape).copy())

    def shape_with(self, out: Array | None) -> tuple[int, ...]:
        """The shape that all have by broadcasting, and `out` too.

        Raises InputError if there is none, or none that memory can hold.
        """
        shapes = [self.x.shape, self.y.shape, self.time.shape]
        try:
            found = np.broadcast_shapes(*shapes, *([] if out is None else [out.shape]))
        except ValueError:
            names, more = ("x, y and time", "") if out is None else ("x, y, time and out", f", {out.shape}")
            raise InputError(
                f"{names} have the shapes {', '.join(map(str, shapes))}{more}",
                place="at",
                fix="give shapes that broadcast, such as (3,) and (2, 1)",
            ) from None
        _check_room(found, self.real)
        return found


def _check_room(shape: tuple[int, ...], real: T.Type) -> None:
    """Refuse more numbers than memory can hold."""
    needed, available = math.prod(shape) * real.dtype.itemsize, available_memory()
    if available is not None and needed > available:
        raise InputError(
            f"{brief(shape)} points need more than {readable_bytes(needed)} of memory",
            place="at",
            fix="give fewer",
        )


def _fill(
    traced: _Traced,
    points: _Points,
    values: Mapping[str, float],
    shape: tuple[int, ...],
    results: Sequence[Array],
) -> None:
    """Work out every scalar at every point; the results are arrays of that shape."""
    real = points.real
    free = {p.attr for p in E.params(traced.roots)}
    count = math.prod(shape)
    moving = "time" in free and points.time.size != 1
    if count < MIN_COMPILED or not (free & {"x", "y"} or moving):
        names = {"x": points.x, "y": points.y, "time": points.time}
        environment: dict[E.Expr, Any] = {}
        for node in E.params(traced.roots):
            own = declared(node)
            environment[node] = names[node.attr] if own is None else values[own.name]
        for result, value in zip(results, evaluate(list(traced.roots), environment), strict=True):
            np.copyto(result, value, casting="same_kind")
        return
    # Few points need no compiler.
    from ..driver.points import point_code

    given = [points.x, points.y, *([points.time] if moving else [])]
    time = 0.0 if moving else points.time.reshape(-1)[0].item()
    reach = REACH[real.name]
    near = abs(time) <= reach and all(-reach <= a.min() and a.max() <= reach for a in given)
    code = point_code(traced.roots, moving, near, Options("exact", real.name))
    flat = [np.broadcast_to(a, shape).reshape(-1) for a in given]
    flat = [a if a.flags.c_contiguous else np.ascontiguousarray(a) for a in flat]
    # Reshaping gives a copy where the elements are not equally far apart.
    lines = [r.reshape(-1) for r in results]
    bytes_ = [m.view(np.uint8) if m.dtype == np.bool_ and m.flags.c_contiguous else m for m in lines]
    code.run(flat, {**values, "time": time}, bytes_)
    for result, line in zip(results, lines, strict=True):
        if not np.may_share_memory(result, line):
            np.copyto(result, line.reshape(shape))


def _into(out: Any, traced: _Traced, points: _Points, values: Mapping[str, float]) -> Array:
    """Work out what is wanted in memory that was given."""
    if not isinstance(out, np.ndarray) or not out.flags.writeable:
        what = "cannot be written to" if isinstance(out, np.ndarray) else f"{brief(out)} is not an array"
        raise InputError(what, place="out", fix="give a NumPy array that can be written to")
    given = cast("Array", out)
    if len(traced.roots) != 1 and not traced.color:
        raise InputError(
            f"takes no structure of {len(traced.roots)} numbers", place="out", fix="ask without out"
        )
    if traced.color and (given.ndim == 0 or given.shape[-1] != 4):
        raise InputError(f"has the shape {given.shape}", place="out", fix="give colors a last axis of 4")
    parts = [given[..., k] for k in range(4)] if traced.color else [given]
    shape = points.shape_with(parts[0])
    if shape != parts[0].shape:
        raise InputError(
            f"has the shape {given.shape}, not that of the points", place="out", fix=f"give {shape}"
        )
    type_ = traced.roots[0].type.dtype
    if not np.can_cast(type_, given.dtype, "same_kind"):
        raise InputError(f"{type_} does not go into {given.dtype}", place="out", fix=f"give one of {type_}")
    if any(np.may_share_memory(given, a) for a in (points.x, points.y, points.time)):
        # What is written must not change what is still to be read.
        points = replace(points, x=points.x.copy(), y=points.y.copy(), time=points.time.copy())
    _fill(traced, points, values, shape, parts)
    return given


def _points(x: Any, y: Any, time: Any, real: T.Type) -> _Points:
    """Arrays of coordinates, of two of them or of one point, and of times."""
    if y is None:
        if not isinstance(x, Point) and not (isinstance(x, tuple) and len(cast("tuple[Any, ...]", x)) == 2):
            raise InputError(
                f"{brief(cast(object, x))} is not a point", place="at", fix="give x and y, or one Point"
            )
        x, y = Point.of(x)
    given: tuple[Any, ...] = (x, y, time)
    masks = tuple(np.ma.getmaskarray(each) for each in given if np.ma.isMaskedArray(each))
    return _Points(_reals("x", x, real), _reals("y", y, real), _reals("time", time, real), real, masks)


def _reals(name: str, given: Any, real: T.Type) -> Array:
    """Numbers as an array of reals.

    Asked of the array: whatever numbers are in, NumPy knows how to find them.
    """
    found: Array
    try:
        if hasattr(given.__class__, "__dlpack__") and not hasattr(given.__class__, "__array__"):
            found = np.from_dlpack(given)
        else:
            found = np.asarray(given)
        listed = cast("list[object]", found.reshape(-1).tolist()) if found.dtype.kind == "O" else []
        if listed and all(isinstance(each, numbers.Real) for each in listed):
            # Columns of a table may hold numbers as objects.
            found = found.astype(np.float64)
    except (ValueError, TypeError, OverflowError, BufferError, RuntimeError):
        found = np.asarray(None)
    if found.dtype.kind not in "biuf":
        fix = "give a number or an array of numbers"
        raise InputError(f"{name} is {brief(given)}, not a number", place="at", fix=fix)
    if found.dtype != real.dtype:
        _check_room(found.shape, real)
    with np.errstate(over="ignore"):
        # What is too large for the narrower type is infinite in it.
        return found.astype(real.dtype, copy=False)
