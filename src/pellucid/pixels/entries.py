"""The colors of a palette's entries, each made once for all pixels that have it, in scratch memory.

Where a color has a curve, it is dear, and a palette has few of them. Beside `packing`, which is given them as colors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir import nest as N
from ..ir import types as T
from ..ir.expr import Buffer, Expr, const, index, load
from ..tracing import Value
from .access import plus, times

ENTRY = index("entry")
Color = tuple[Any, Any, Any, Any]


class Entries:
    """The colors of so many entries; `color` makes that of one. Numbers that all of them have are in no memory."""

    def __init__(self, count: int, color: Callable[[Expr], Color]) -> None:
        self.count, self.made = count, color(ENTRY)
        self.stored = [k for k, x in enumerate(self.made) if isinstance(x, Value) and x.expr.free]
        real = next((self.made[k].expr.type for k in self.stored), T.f32)
        self.memory = Buffer("entries", real, max(1, count * len(self.stored)))

    def __call__(self, entry: Expr) -> Color:
        """The color of an entry, given by a number that is one."""
        first = times(entry, len(self.stored))
        found = list(self.made)
        for place, k in enumerate(self.stored):
            found[k] = Value(load(self.memory, plus(first, place)))
        return found[0], found[1], found[2], found[3]

    def around(self, body: N.Block) -> N.Block:
        """Statements that may ask for colors; before them, these are made."""
        first = times(ENTRY, len(self.stored))
        stores = tuple(
            N.Store(self.memory, plus(first, place), self.made[k].expr) for place, k in enumerate(self.stored)
        )
        fill = N.For(ENTRY, const(0, T.i32), const(self.count, T.i32), stores)
        return (N.Alloc({self.memory: const(self.memory.size, T.i32)}, (fill, *body)),)
