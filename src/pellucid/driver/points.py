"""Expressions of a point as machine code that works them out at many points, whose coordinates lie in arrays.

Beside `frame`, whose points lie on a grid. Points are taken by blocks of one size, so that every access is proved to be
inside, and one code serves any number of points.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..backends.port import Code
from ..base.deep_stack import with_deep_stack
from ..base.gc_pause import gc_paused
from ..base.record import record
from ..ir import expr as E
from ..ir import nest as N
from ..ir import types as T
from ..ir.expr import Buffer, Expr
from ..ir.facts import Facts
from ..ir.prim import version
from ..tracing.params import named
from .compiled import codes, of_kernel
from .frame import COLUMN, HEIGHT, REACH, ROW, range_of
from .lanes import pixel_lanes
from .lending import make_backend
from .options import Options
from .pipeline import optimize

Array = np.ndarray[Any, Any]
COLUMNS, ROWS = 1 << 10, 1 << 6
"""A block of points is so many rows, which threads share, of so many points."""
BLOCK = COLUMNS * ROWS
COORDINATES = ("x", "y", "time")


@record
class PointCode:
    """The code of some expressions of a point: where it reads coordinates, and where it leaves each of its values."""

    code: Code
    given: tuple[Buffer, ...]
    outputs: tuple[Buffer, ...]

    def run(
        self,
        coordinates: Sequence[Array],
        values: Mapping[str, Any],
        results: Sequence[Array],
        threads: int | None = None,
    ) -> None:
        """Work out every value at every point.

        `coordinates` are contiguous arrays of reals, in the order of `given`; `values` are those of the parameters;
        each of the `results` is an array of one dimension, as long, which takes its values by NumPy's safe casts and
        those within a kind.
        """
        count = len(results[0])
        scratch: dict[Buffer, Array] = {}
        for first in range(0, count, BLOCK):
            size = min(BLOCK, count - first)
            memory: dict[Buffer, Array] = {}
            for buffer, array in zip(self.given, coordinates, strict=True):
                part = array[first : first + size]
                if size < BLOCK:
                    # Past the last point there are points as well: they cost little, and nobody sees them.
                    padded = np.zeros(BLOCK, part.dtype)
                    padded[:size] = part
                    part = padded
                memory[buffer] = part
            later: list[tuple[Array, Array]] = []
            for buffer, array in zip(self.outputs, results, strict=True):
                part = array[first : first + size]
                if size == BLOCK and part.dtype == buffer.type.dtype and part.flags.c_contiguous:
                    memory[buffer] = part
                    continue
                room = scratch.get(buffer)
                if room is None:
                    room = scratch[buffer] = np.empty(BLOCK, buffer.type.dtype)
                memory[buffer] = room
                later.append((part, room[:size]))
            rows = -(-size // COLUMNS)
            self.code.run({**values, HEIGHT.attr: rows}, memory, threads=threads)
            for part, made in later:
                np.copyto(part, made.view(np.bool_) if part.dtype == np.bool_ else made, casting="same_kind")


def point_code(roots: Sequence[Expr], moving: bool, near: bool, options: Options) -> PointCode:
    """The code of expressions over the parameters x, y and time, from memory or files if it was made before.

    If `moving`, every point has a time of its own. If `near`, coordinates and times are within reach, as those of
    frames are. A truth is left as a byte, 0 or 1.
    """
    key = (PointCode, tuple(roots), moving, near, options, version())
    return codes.get(key, lambda: with_deep_stack(lambda: _made(roots, moving, near, options)))


def _made(roots: Sequence[Expr], moving: bool, near: bool, options: Options) -> PointCode:
    real = options.real
    position = E.apply("add", E.apply("mul", ROW, E.const(COLUMNS, T.i32)), COLUMN)
    given = tuple([_coordinate(name, real) for name in COORDINATES[: 2 + moving]])
    loads = {E.param(b.name, real): E.load(b, position) for b in given}
    # Coordinates first: a parameter of the picture may have the name of one.
    here = E.substitute(list(roots), dict(loads))
    plain, found = named(here)
    values = [_stored(e) for e in E.substitute(here, dict(plain))]
    outputs = tuple([Buffer(f"value {k}", e.type, BLOCK) for k, e in enumerate(values)])
    stores = tuple([N.Store(b, position, e) for b, e in zip(outputs, values, strict=True)])
    zero = E.const(0, T.i32)
    body = (N.For(ROW, zero, HEIGHT, (N.For(COLUMN, zero, E.const(COLUMNS, T.i32), stores),)),)
    params = tuple(E.params([*N.all_roots(body)]))
    kernel = N.Kernel("points", params, outputs, body)
    reach = REACH[options.precision]
    within = Facts(-reach, reach, minus_zero=True)
    ranges: dict[Expr, Facts] = {
        HEIGHT: Facts(1, ROWS),
        ROW: Facts(0, ROWS - 1),
        COLUMN: Facts(0, COLUMNS - 1),
        **{p: range_of(found[p.attr], p.type) for p in params if p in plain.values()},
    }
    if near:
        ranges |= dict.fromkeys((*loads.values(), E.param("time", real)), within)
    backend = make_backend(options.backend)

    def best() -> Any:
        return optimize(kernel, ranges, options, pixel_lanes(backend, options, kernel))

    with gc_paused():
        return PointCode(of_kernel(kernel, ranges, options, backend, best), given, outputs)


def _stored(value: Expr) -> Expr:
    if value.type is not T.boolean:
        return value
    one, zero = E.const(1, T.u8), E.const(0, T.u8)
    return E.apply("choose", value, one, zero)


@functools.cache
def _coordinate(name: str, real: T.Type) -> Buffer:
    return Buffer(name, real, BLOCK)
