"""What numbers become, worked out once for all of them: tables that are part of a conversion.

A pixel of a mosaic has the same long curve for each of its colors, each of one whole number. It is made for one number
that stands for any, and pixels read from a table what theirs becomes. Beside `curves`, for numbers that are not few.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..ir import nest as N
from ..ir import types as T
from ..ir.expr import Buffer, Expr, apply, const, load
from ..ir.interp import Array, evaluate
from ..loops.analysis.lookups import MIN_TURNS, NUMBER

LARGEST, PIECE = 1 << 16, 1 << 14
"""The most elements of a table that is part of a program, and of how many values are worked out at once.

Code to fill a larger one is made sooner than its values, and values of a larger piece are too many for a cache.
"""
KEPT = 8 << 20
"""How many bytes values are worked out in."""


def pay(count: int, tables: int, reads: int) -> bool:
    """Whether so many tables of so many numbers are read often enough.

    >>> pay(1 << 8, 1, 640 * 480), pay(1 << 18, 2, 640 * 480)
    (True, False)
    """
    return reads >= MIN_TURNS * count * tables


@dataclass(slots=True)
class Tables:
    """Tables of what the numbers from 0 to before `count` become."""

    count: int
    made: dict[Expr, Buffer] = field(default_factory=dict[Expr, Buffer])
    """The table of each expression of `NUMBER`."""
    found: dict[Expr, Array] = field(default_factory=dict[Expr, Array])

    def __call__(self, value: Expr, number: Expr) -> Expr:
        """What an expression of `NUMBER` is for a number, a whole one that is in range."""
        table = self.made.get(value)
        if table is None:
            name = f"values{len(self.made) + 1 if self.made else ''}"
            data = functools.partial(self._worked, value) if self.count <= LARGEST else None
            table = self.made[value] = Buffer(name, value.type, self.count, data)
        return load(table, apply("convert", number, attr=T.i32))

    def around(self, body: N.Block) -> N.Block:
        """Statements that read the tables; before them, those are filled that are too large to be known."""
        if not self.made or self.count <= LARGEST:
            return body
        size = const(self.count, T.i32)
        fill = tuple(N.Store(table, NUMBER, value) for value, table in self.made.items())
        return (
            N.Alloc(
                dict.fromkeys(self.made.values(), size), (N.For(NUMBER, const(0, T.i32), size, fill), *body)
            ),
        )

    def _worked(self, value: Expr) -> Any:
        """What a table holds: all of them are worked out at once, for they have much in common."""
        if value not in self.found:
            # Once a large block was freed, the allocator of the GNU library keeps smaller ones: otherwise the pages of
            # each array would go back to the system and be asked for again, which takes longer than the arithmetic.
            np.empty(KEPT, np.uint8)
            values = list(self.made)
            made = [np.empty(self.count, v.type.dtype) for v in values]
            for start in range(0, self.count, PIECE):
                numbers = np.arange(start, min(start + PIECE, self.count), dtype=np.int32)
                for table, piece in zip(made, evaluate(values, {NUMBER: numbers}), strict=True):
                    table[start : start + PIECE] = piece
            self.found.update(zip(values, made, strict=True))
        return self.found[value]
