"""Windows: a value that combines loads of one array around a point, and how it splits into two passes.

Below `moves/separate_window`. The loads of a window are told apart by their coordinates, which are nodes: those along
the first axes depend on the outer indices alone, the others on the inner ones. With rows r and columns q,

    sum over r, q of  w(r, q) * a(r, q)  =  sum over q of  v(q) * (sum over r of  u(r) * a(r, q))

where the table w is the product of u and v (its rank is 1), whatever the coordinates are, so borders need no care. The
same holds for max and min in the place of the sum, and + in the place of the product.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from ...base.record import record
from ...ir.expr import Buffer, Expr, apply, const
from ...ir.nest import For, Statement, Store
from ..core.elements import Filled, coordinates, filled

Table = np.ndarray[Any, Any]
MAX_EXACT = 1 << 53
"""Maximum whole number of a table, in which all are floats."""
ROUNDING = {"f32": 2.0**-22, "f64": 2.0**-50}
"""Maximum distance, relative to the largest, of a table's values from a product: roundings of the values as written."""


@record
class Window:
    """Loads of `array` combined by `join` ("add", "max" or "min") after `scale` ("mul" or "add") with a table.

    rows and columns are the outer and the inner coordinates of the loads, in the order of the program; `table` holds
    the weight of each, with the neutral one where there is no load.
    """

    array: Buffer
    extents: tuple[int, ...]
    cut: int
    join: str
    scale: str
    rows: tuple[tuple[Expr, ...], ...]
    columns: tuple[tuple[Expr, ...], ...]
    table: Table
    full: bool


def window(nest: Filled, cut: int, extents: Sequence[int]) -> Window | None:
    """The window that the value of a nest is, of an array with such extents, cut after so many axes; or None."""
    value = nest.store.value
    join = value.op if value.op in ("add", "max", "min") else ""
    if not join:
        return None
    scale = "mul" if join == "add" else "add"
    weights: dict[Expr, float | int] = {}
    for term in terms(value, join):
        load, weight = term, 1 if scale == "mul" else 0
        if term.op == scale and term.args[0].op == "const":
            weight, load = term.args[0].attr, term.args[1]
        # A sum with 0.0 is no -0.0, and whole numbers are exact in a table only up to some size.
        odd = load is not term and scale == "add" and load.type.is_float and not weight
        if load.op != "load" or load in weights or odd or (load.type.is_integer and abs(weight) > MAX_EXACT):
            return None
        weights[load] = weight
    arrays = {load.attr for load in weights}
    if len(arrays) != 1:
        return None
    (array,) = arrays
    outer = sum_of(i.free for i in nest.indices[:cut])
    rows: dict[tuple[Expr, ...], int] = {}
    columns: dict[tuple[Expr, ...], int] = {}
    spots: list[tuple[int, int, float | int]] = []
    for load, weight in weights.items():
        point = coordinates(load.args[0], extents)
        if point is None:
            return None
        upper, lower = point[:cut], point[cut:]
        if any(x.free & ~outer for x in upper) or any(x.free & outer for x in lower):
            return None
        row, column = rows.setdefault(upper, len(rows)), columns.setdefault(lower, len(columns))
        spots.append((row, column, weight))
    neutral = {"add": 0.0, "max": -np.inf, "min": np.inf}[join]
    table = np.full((len(rows), len(columns)), neutral)
    for row, column, weight in spots:
        table[row, column] = weight
    full = len(spots) == table.size
    return Window(array, tuple(extents), cut, join, scale, tuple(rows), tuple(columns), table, full)


def windowed(statement: Statement | None) -> tuple[Filled, Window] | None:
    """The window that fills an array in a statement, cut where both passes are shortest."""
    inner = statement
    while isinstance(inner, For) and len(inner.body) == 1:
        inner = inner.body[0]
    nest = (
        filled(statement, inner.buffer.size) if isinstance(inner, Store) and statement is not None else None
    )
    if nest is None:
        return None
    found: list[Window] = []
    for cut in range(1, len(nest.loops)):
        w = window(nest, cut, nest.extents)
        if (
            w is not None
            and len(w.rows) > 1
            and len(w.columns) > 1
            and w.array.size == nest.store.buffer.size
        ):
            found.append(w)
    return (nest, min(found, key=lambda w: len(w.rows) + len(w.columns))) if found else None


def sum_of(masks: Any) -> int:
    """The union of some sets of indices."""
    found = 0
    for m in masks:
        found |= m
    return found


def terms(value: Expr, join: str) -> list[Expr]:
    """The operands that an operator joins, from left to right, at any depth."""
    found: list[Expr] = []
    stack = [value]
    while stack:
        node = stack.pop()
        if node.op == join:
            stack += [node.args[1], node.args[0]]
        else:
            found.append(node)
    return found


Factors = tuple[list[float | int], list[float | int]]


def factors(w: Window) -> Factors | None:
    """Weights of rows and of columns whose product (or sum, for max and min) is the table; None if there are none.

    For floats up to the roundings of the table's own values; for integers exactly.
    """
    if not w.full and w.scale == "add":
        return None
    whole = w.array.type.is_integer
    table = w.table
    if w.scale == "add":
        u, v = table[:, 0], table[0] - table[0, 0]
        if not (u[:, None] + v[None] == table).all():
            return None
    else:
        at = np.unravel_index(np.argmax(np.abs(table)), table.shape)
        peak = table[at]
        u, v = table[:, at[1]] / peak, table[at[0]]
        if whole:
            common = float(np.gcd.reduce(np.abs(v).astype(np.int64)))
            u, v = u * common, v / common
        error = np.abs(u[:, None] * v[None] - table).max()
        if error > (0 if whole else ROUNDING[w.array.type.name] * abs(peak)) or not fits(u, v, whole):
            return None
    number: Callable[[Any], float | int] = int if whole else float
    return [number(x) for x in u], [number(x) for x in v]


def fits(u: Table, v: Table, whole: bool) -> bool:
    """Whether factors can be written down: whole numbers where the array's are."""
    return not whole or bool((u == np.round(u)).all() and (v == np.round(v)).all())


def combined(w: Window, loads: Sequence[Expr], weights: Sequence[float | int]) -> Expr:
    """The values with their weights, joined from left to right; neutral factors are left out."""
    idle = 1 if w.scale == "mul" else 0
    parts = [
        load if weight == idle else apply(w.scale, const(weight, load.type), load)
        for load, weight in zip(loads, weights, strict=True)
    ]
    return reduce(lambda a, b: apply(w.join, a, b), parts)
