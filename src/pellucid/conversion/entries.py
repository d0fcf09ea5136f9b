"""What becomes of a palette's entries, made once for all pixels that have one, in scratch memory.

Where a color has a curve, it is dear, and a palette has few of them. A sample of the target that is of one pixel is
kept as its bits; for what is a mean of pixels, colors are. Beside `packing`, which is given both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir import nest as N
from ..ir import types as T
from ..ir.expr import Buffer, Expr, apply, const, index, load
from ..tracing import Value
from .access import least_type, plus, times

ENTRY = index("entry")
Color = tuple[Any, Any, Any, Any]


class Entries:
    """The colors of so many entries; `color` makes that of one. Numbers that all of them have are in no memory."""

    def __init__(self, count: int, color: Callable[[Expr], Color]) -> None:
        self.count, self.made = count, color(ENTRY)
        self.stored = [k for k, x in enumerate(self.made) if isinstance(x, Value) and x.expr.free]
        real = next((self.made[k].expr.type for k in self.stored), T.f32)
        self.memory = Buffer("entries", real, max(1, count * len(self.stored)))
        self.bits: dict[Expr, Buffer] = {}
        self.colored = False

    def __call__(self, entry: Expr) -> Color:
        """The color of an entry, given by a number that is one."""
        self.colored = True
        first = times(entry, len(self.stored))
        found = list(self.made)
        for place, k in enumerate(self.stored):
            found[k] = Value(load(self.memory, plus(first, place)))
        return found[0], found[1], found[2], found[3]

    def sample(self, made: Expr, bits: int, entry: Expr) -> Expr:
        """So many bits that are made of the color of any entry, for one that is given."""
        if not made.free:
            return made
        memory = self.bits.get(made)
        if memory is None:
            name = f"entries_{len(self.bits)}"
            memory = self.bits[made] = Buffer(name, least_type(bits), self.count)
        return apply("convert", load(memory, entry), attr=made.type)

    def around(self, body: N.Block) -> N.Block:
        """Statements that may ask for colors and samples; before them, those that were asked for are made."""
        stores = [
            N.Store(memory, ENTRY, apply("convert", made, attr=memory.type))
            for made, memory in self.bits.items()
        ]
        if self.colored:
            first = times(ENTRY, len(self.stored))
            stores += [
                N.Store(self.memory, plus(first, place), self.made[k].expr)
                for place, k in enumerate(self.stored)
            ]
        fill = N.For(ENTRY, const(0, T.i32), const(self.count, T.i32), tuple(stores))
        memories = [*self.bits.values(), *([self.memory] if self.colored else [])]
        return (N.Alloc({memory: const(memory.size, T.i32) for memory in memories}, (fill, *body)),)
