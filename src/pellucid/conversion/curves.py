"""Curves of pixels taken by one loop: numbers are put in rows before it, and read from there when they are curved.

The curve between stored components and amounts of light is long; a block of pixels would have it for each color of each
of them. Beside `rows`, which does the same for the places of samples; see decision 28.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ..ir import nest as N
from ..ir import types as T
from ..ir.expr import Expr, const, index
from ..tracing import Value
from ..tracing import functions as F
from ..tracing.tracer import lift
from .access import parted, plus, times
from .scratch import Scratch

PIXEL, NUMBER = index("pixel"), index("number")
MOST = 64 << 10
"""The most bytes that the rows of a block take: half of what a thread has for itself."""


def fits(width: int, tall: int, real: T.Type, *, many: int = 3) -> bool:
    """Whether so many numbers of each pixel of a block of rows are few enough bytes.

    >>> fits(1920, 2, T.f32), fits(1920, 2, T.f64), fits(1920, 2, T.f64, many=1)
    (True, False, True)
    """
    return many * width * tall * real.bits <= 8 * MOST


class Curved(Protocol):
    """What takes curves of numbers, and may be told to do something else with them."""

    curve: Callable[[Any], Any]


class Curves:
    """The rows of a block whose numbers have a curve.

    `color` makes the color of a pixel and asks `curved` for the curves on the way. Numbers are put there `wide` columns
    at once, and if colors are only of the `site` of a pixel in these and its rows, so is what is curved.
    """

    def __init__(
        self,
        size: tuple[int, int],
        tall: int,
        wide: int,
        curved: Curved,
        color: Callable[[Expr, Expr], Any],
        site: Callable[[int, int], int] | None = None,
    ) -> None:
        self.size, self.tall, self.wide = size, tall, wide
        self.curved, self.color, self.site = curved, color, site
        self.curve = curved.curve
        # Which numbers are the same is so of all pixels.
        asked = self._asked(const(0, T.i32), const(0, T.i32))
        distinct = list(dict.fromkeys(asked))
        self.many = 1 if site else len(distinct)
        self.which = [0] * len(asked) if site else [distinct.index(x) for x in asked]
        self.numbers = Scratch("curves", F.real_type(), max(1, self.many * size[0] * tall), size[1] // tall)

    def _asked(self, column: Expr, row: Expr) -> list[Expr]:
        """The numbers of a pixel whose curves are asked for."""
        found: list[Expr] = []

        def note(x: Any) -> Any:
            found.append(lift(x, F.real_type()))
            return x

        self.curved.curve = note
        self.color(column, row)
        self.curved.curve = self.curve
        return found

    def __call__(self, column: Expr, row: Expr) -> Any:
        """The color of a pixel of a block that was filled."""
        left = iter(self.which)

        def take(_: Any) -> Any:
            block, place = self._place(column, row, next(left))
            return Value(self.numbers.load(block, place))

        self.curved.curve = take
        color = self.color(column, row)
        self.curved.curve = self.curve
        return color

    def curved_numbers(self, block: Expr, tall: int) -> N.Block:
        """The numbers of a block of rows, of which `tall` are in the picture, are made and curved."""
        whole, rest = divmod(self.size[0], self.wide)
        zero = const(0, T.i32)
        found: N.Block = ()
        if whole:
            found += (N.For(PIXEL, zero, const(whole, T.i32), self._filled(PIXEL, block, self.wide, tall)),)
        if rest:
            found += self._filled(const(whole, T.i32), block, rest, tall)
        count = self.many * self.size[0] * tall
        curved = self.curve(Value(self.numbers.load(block, NUMBER))).expr
        loop = N.For(NUMBER, zero, const(count, T.i32), (self.numbers.store(block, NUMBER, curved),))
        return (*found, loop)

    def _filled(self, unit: Expr, block: Expr, wide: int, tall: int) -> N.Block:
        """The stores of the numbers of a few columns."""
        found: list[N.Store] = []
        for down in range(tall):
            for across in range(wide):
                column, row = plus(times(unit, self.wide), across), plus(times(block, self.tall), down)
                asked = self._asked(column, row)
                if self.site is not None:
                    asked = [asked[self.site(across, down)]]
                for which, number in dict(zip(self.which, asked, strict=False)).items():
                    found.append(self.numbers.store(*self._place(column, row, which), number))
        return tuple(found)

    def _place(self, column: Expr, row: Expr, which: int) -> tuple[Expr, Expr]:
        found = parted(row, self.tall)
        assert found is not None  # noqa: S101 - blocks are of so many rows
        return found[0], plus(column, (found[1] * self.many + which) * self.size[0])
