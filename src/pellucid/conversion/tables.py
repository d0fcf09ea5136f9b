"""Tables of functions of whole numbers: part of the program of a conversion, or filled by its first stage.

A pixel of a mosaic has the same long curve for each of its colors, each of one whole number; a palette has few entries,
and pixels many. What becomes of any such number is made for an index that stands for it, and pixels read it from a
table. Beside `curves`, for numbers that are not few.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..ir import nest as N
from ..ir import types as T
from ..ir.expr import Buffer, Expr, apply, const, load
from ..ir.interp import Array, evaluate
from ..loops.analysis.lookups import MIN_TURNS, NUMBER
from .access import plus, times

MAX_ELEMENTS, PIECE = 1 << 16, 1 << 14
"""Maximum elements of a table that is part of a program, and elements that are computed at once.

Code to fill a larger one is made sooner than its values, and values of a larger piece are too many for a cache.
"""
FREED = 8 << 20
"""Bytes of the block that is allocated and freed before values are computed; see `Tables._worked`."""
Values = tuple[Expr, ...]
"""Expressions of `NUMBER` that are read together."""


def pay(count: int, tables: int, reads: int) -> bool:
    """Whether so many tables of so many numbers are read often enough.

    >>> pay(1 << 8, 1, 640 * 480), pay(1 << 18, 2, 640 * 480)
    (True, False)
    """
    return reads >= MIN_TURNS * count * tables


class Tables:
    """Tables of what the numbers from 0 to before `count` become.

    They are part of the program if they are few and `known`: made of constants alone; or else they are filled by it.
    """

    def __init__(self, count: int, *, known: bool = True) -> None:
        self.count, self.known = count, known and count <= MAX_ELEMENTS
        self.made: dict[Values, Buffer] = {}
        self.found: dict[Values, Array] = {}

    def __call__(self, values: Values, number: Expr) -> list[Expr]:
        """The values for a whole number that is in range."""
        table = self.made.get(values)
        if table is None:
            name = f"values{len(self.made) + 1 if self.made else ''}"
            data = functools.partial(self._worked, values) if self.known else None
            table = self.made[values] = Buffer(name, values[0].type, self.count * len(values), data)
        at = number if number.type is T.i32 else apply("convert", number, attr=T.i32)
        return [load(table, self._place(values, at, k)) for k in range(len(values))]

    def arrays(self, block: Expr) -> list[Buffer]:
        """The tables that the program fills."""
        return [] if self.known else [*self.made.values()]

    def fill(self, block: Expr, tall: int) -> N.Block:
        """The statements that fill the tables that were asked for so far."""
        stores = [
            N.Store(table, self._place(values, NUMBER, k), value)
            for values, table in self.made.items()
            for k, value in enumerate(values)
        ]
        return (N.For(NUMBER, const(0, T.i32), const(self.count, T.i32), tuple(stores)),)

    def _place(self, values: Values, number: Expr, which: int) -> Expr:
        return number if len(values) == 1 else plus(times(number, len(values)), which)

    def _worked(self, values: Values) -> Any:
        """The elements of a table: all tables are computed at once, because they have much in common."""
        if values not in self.found:
            # Once a large block was freed, the allocator of the GNU library keeps smaller ones: otherwise the pages of
            # each array would go back to the system and be asked for again, which takes longer than the arithmetic.
            np.empty(FREED, np.uint8)
            tables = list(self.made)
            made = [np.empty((self.count, len(each)), each[0].type.dtype) for each in tables]
            for start in range(0, self.count, PIECE):
                numbers = np.arange(start, min(start + PIECE, self.count), dtype=np.int32)
                pieces = iter(evaluate([v for each in tables for v in each], {NUMBER: numbers}))
                for table in made:
                    for column in table.T:
                        column[start : start + PIECE] = next(pieces)
            self.found.update({each: table.ravel() for each, table in zip(tables, made, strict=True)})
        return self.found[values]
