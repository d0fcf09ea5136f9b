"""Curves of pixels taken by one loop: numbers are put in rows before it, and read from there when they are curved.

The curve between stored components and amounts of light is long; a block of pixels would have it for each color of each
of them. Beside `rows`, which does the same for the places of samples; see decision 28.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..ir import nest as N
from ..ir import types as T
from ..ir.expr import Buffer, Expr, const, index
from ..tracing import Value
from ..tracing import functions as F
from ..tracing.tracer import lift
from .access import in_block, plus, times
from .scratch import Scratch

PIXEL, NUMBER = index("pixel"), index("number")
MAX_BYTES = 64 << 10
"""Maximum bytes of the rows of a block: half of the cache of a core."""


def fits(width: int, tall: int, real: T.Type, *, many: int = 3) -> bool:
    """Whether so many numbers of each pixel of a block of rows are few enough bytes.

    >>> fits(1920, 2, T.f32), fits(1920, 2, T.f64), fits(1920, 2, T.f64, many=1)
    (True, False, True)
    """
    return many * width * tall * real.bits <= 8 * MAX_BYTES


class Curves:
    """The rows of a block whose numbers have a `curve`: the three of each pixel that `numbers` makes.

    Numbers are put there `wide` columns at once. Where the three are one, or only that of the `site` of a pixel in
    these and its rows is wanted, there are as `many` as one.
    """

    def __init__(
        self,
        size: tuple[int, int],
        tall: int,
        wide: int,
        curve: Callable[[Any], Any],
        numbers: Callable[[Expr, Expr], Sequence[Any]],
        *,
        many: int = 3,
        site: Callable[[int, int], int] = lambda across, down: 0,
    ) -> None:
        self.size, self.tall, self.wide, self.many = size, tall, wide, many
        self.curve, self.numbers, self.site = curve, numbers, site
        self.rows = Scratch("curves", F.real_type(), many * size[0] * tall, size[1] // tall)

    def __call__(self, column: Expr, row: Expr) -> tuple[Value, Value, Value]:
        """The curved numbers of a pixel of a block that was filled."""
        found = [Value(self.rows.load(*self._place(column, row, which))) for which in range(self.many)]
        r, g, b = found * (3 // self.many)
        return r, g, b

    def arrays(self, block: Expr) -> list[Buffer]:
        """The array of a block of rows."""
        return [self.rows.of(block)]

    def fill(self, block: Expr, tall: int) -> N.Block:
        """The numbers of a block of rows, of which `tall` are in the picture, are made and curved."""
        whole, rest = divmod(self.size[0], self.wide)
        zero = const(0, T.i32)
        found: N.Block = ()
        if whole:
            found += (N.For(PIXEL, zero, const(whole, T.i32), self._made(PIXEL, block, self.wide, tall)),)
        if rest:
            found += self._made(const(whole, T.i32), block, rest, tall)
        count = self.many * self.size[0] * tall
        curved = self.curve(Value(self.rows.load(block, NUMBER))).expr
        loop = N.For(NUMBER, zero, const(count, T.i32), (self.rows.store(block, NUMBER, curved),))
        return (*found, loop)

    def _made(self, unit: Expr, block: Expr, wide: int, tall: int) -> N.Block:
        """The stores of the numbers of a few columns."""
        found: list[N.Store] = []
        for down in range(tall):
            for across in range(wide):
                column, row = plus(times(unit, self.wide), across), plus(times(block, self.tall), down)
                numbers = self.numbers(column, row)
                if self.many == 1:
                    numbers = [numbers[self.site(across, down)]]
                for which, number in enumerate(numbers):
                    place = self._place(column, row, which)
                    found.append(self.rows.store(*place, lift(number, self.rows.type)))
        return tuple(found)

    def _place(self, column: Expr, row: Expr, which: int) -> tuple[Expr, Expr]:
        block, within = in_block(row, self.tall)
        return block, plus(column, (within * self.many + which) * self.size[0])
