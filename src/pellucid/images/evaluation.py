"""The meaning of a picture at given points: its expression, worked out by the interpreter on arrays.

`Image.at` and `Animation.at` call this. Nothing is compiled, so it is for points, not for frames.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from ..base.errors import InputError, brief
from ..base.memory import available_memory, readable_bytes
from ..base.room import with_room
from ..ir import expr as E
from ..ir import types as T
from ..tracing import Point, Value, flatten, tracing
from ..tracing.params import declared, named
from ..tracing.tracer import lift
from .image import kind_of, unknown_point


def values_at(source: Any, x: Any, y: Any, time: float, precision: str, params: Mapping[str, float]) -> Any:
    """See `Image.at`; `source` is anything with a `sample`."""
    from ..ir.interp import evaluate

    real = {"f32": T.f32, "f64": T.f64}.get(precision)
    if real is None:
        raise InputError(f"{precision!r} is not a precision", place="at", fix="use f32 or f64")
    x, y = _coordinates(x, y)
    with tracing(real):
        point = unknown_point()
        moment = Value(E.param("time", real))
        value = with_room(lambda: source.sample(moment, point))
        leaves, rebuild = flatten(value)
        roots = [lift(leaf, real) if isinstance(leaf, float) else lift(leaf) for leaf in leaves]
    _, known = named(roots)
    environment: dict[E.Expr, Any] = {}
    names = {"x": x, "y": y, "time": time}
    for node in E.params(roots):
        own = declared(node)
        environment[node] = names[node.attr] if own is None else params.get(own.name, own.default)
    for name in params:
        if name not in known:
            raise InputError(f"the picture has no parameter {name!r}", place="at", fix="see pl.param")
    shape = _common_shape(x, y, time, bytes_each=real.dtype.itemsize)
    arrays = [np.broadcast_to(v, shape) for v in evaluate(roots, environment)]
    if kind_of(value) == "color":
        return np.stack(np.broadcast_arrays(*arrays), axis=-1).astype(real.dtype, copy=False)
    if len(arrays) == 1:
        return arrays[0].copy()
    return rebuild(arrays)


def _common_shape(*given: Any, bytes_each: int) -> tuple[int, ...]:
    """The shape that all have by broadcasting; raises InputError if there is none, or none that memory can hold."""
    shapes = [np.shape(v) for v in given]
    try:
        found = np.broadcast_shapes(*shapes)
    except ValueError:
        raise InputError(
            f"x, y and time have the shapes {', '.join(map(str, shapes))}",
            place="at",
            fix="give shapes that broadcast, such as (3,) and (2, 1)",
        ) from None
    needed, available = math.prod(found) * bytes_each, available_memory()
    if available is not None and needed > available:
        raise InputError(
            f"{brief(found)} points need more than {readable_bytes(needed)} of memory",
            place="at",
            fix="give fewer",
        )
    return found


def _coordinates(x: Any, y: Any) -> tuple[Any, Any]:
    """Two arrays of coordinates, of two of them or of one point."""
    if y is None:
        if not isinstance(x, Point) and not (isinstance(x, tuple) and len(cast("tuple[Any, ...]", x)) == 2):
            raise InputError(
                f"{brief(cast(object, x))} is not a point", place="at", fix="give x and y, or one Point"
            )
        x, y = Point.of(x)
    for name, given in (("x", x), ("y", y)):
        # Asked of an array: whatever numbers are in, NumPy knows how to find them.
        try:
            kind = np.asarray(given).dtype.kind
        except (ValueError, TypeError, OverflowError):
            kind = "O"
        if kind not in "biuf":
            fix = "give a number or an array of numbers"
            raise InputError(f"{name} is {brief(given)}, not a number", place="at", fix=fix)
    return x, y
