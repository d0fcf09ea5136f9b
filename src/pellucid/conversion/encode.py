"""Encoding: the nest that stores the samples of colors in the groups of a layout, block after block.

One pass: a pixel is computed once, however many planes it goes to; where groups are long, a row of samples is packed
when all of it is there (see `rows`), and nothing else is kept in between. A nest is made for one layout and one size,
so that whole blocks need no test, and what is left at the right and at the bottom stands by itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ..driver.frame import COLUMN, ROW, Colors
from ..ir import nest as N
from ..ir import types as T
from ..ir.expr import Buffer, Expr, apply, const, index
from ..ir.facts import Facts
from ..pixels.layout import Channel, Layout
from ..reasoning.infer import FactsOf
from ..reasoning.linear import folded
from ..tracing import functions as F
from ..tracing.transfer import to_linear
from . import meaning
from .access import bits_type, plus, times, write
from .rows import Rows, Samples
from .scratch import Stage, over, staged

EDGE = index("edge")


def turn(layout: Layout, *, groups: bool = True) -> tuple[int, int]:
    """After how many columns and rows of pixels everything in a layout is at the same place of a group again.

    Or, without `groups`, everything but the places of samples in memory.

    >>> turn(Layout("M0[9:2] M1[9:2] M0[1:0] M1[1:0] _:4")), turn(Layout("Y:8; Cb:8 Cr:8 /2x2"))
    ((2, 2), (2, 2))
    >>> turn(Layout("Y:1")), turn(Layout("Y:1"), groups=False)
    ((8, 1), (1, 1))
    """
    # A mosaic comes again every two pixels.
    least = 2 if layout.model == "mosaic" else 1
    channels = [c for c in layout.channels if not c.entries]
    across = [len(c.places) * c.across if groups else c.across for c in channels]
    return math.lcm(least, *across), math.lcm(least, *(c.down for c in channels))


class Encoder:
    """Writes the nest: blocks of whole groups of all planes, row after row.

    Blocks are `longer` times as long and as high as the layout asks for. With a `margin`, the first and the last block
    of a row stand by themselves, for colors that depend on neighbors. `as_stored` colors are amounts of light already,
    if the layout keeps these, and `as_levels` they are Y, Cb and Cr. `facts` is what is known of the columns and rows
    that colors are asked for at the time. Of channels in `copied`, the bits of the sample at a pixel are had without
    its color. With `rows`, samples are put there, and packed when a row of blocks is done: blocks need not be whole
    groups then.
    """

    def __init__(
        self,
        layout: Layout,
        size: tuple[int, int],
        planes: tuple[Buffer, ...],
        longer: tuple[int, int] = (1, 1),
        *,
        margin: bool = False,
        as_stored: bool = False,
        as_levels: bool = False,
        as_kept: bool = False,
        copied: Mapping[str, Callable[[Expr, Expr], Expr]] = MappingProxyType({}),
        rows: Rows | None = None,
    ) -> None:
        self.layout, self.planes, self.margin = layout, planes, margin
        self.as_levels, self.as_kept, self.copied, self.rows = as_levels, as_kept, copied, rows
        self.width, self.height = size
        whole = turn(layout, groups=rows is None)
        self.across, self.down = (n * by for n, by in zip(whole, longer, strict=True))
        self.linear = layout.said["transfer"] == "linear" and not as_stored
        self.curve: Callable[[Any], Any] = to_linear
        self.facts = FactsOf()

    def nest(self, colors: Colors, stages: Sequence[Stage] = ()) -> N.Block:
        """The whole picture, of colors that may be made of what stages fill."""
        self.colors = colors
        columns, right = divmod(self.width, self.across)
        rows, below = divmod(self.height, self.down)
        zero = const(0, T.i32)
        first = 1 if self.margin and columns else 0
        # Where there is a rest of a row, the block before it is not the last one.
        beyond = columns - 1 if self.margin and columns > 1 and not right else columns
        self.facts = FactsOf({COLUMN: Facts(first, max(first, beyond - 1)), ROW: Facts(0, max(0, rows - 1))})

        def line(row: Expr, tall: int) -> N.Block:
            found: N.Block = ()
            if first and first <= beyond < columns:
                # Both ends by the same code.
                both = self.block(times(EDGE, beyond), row, self.across, tall)
                found += (N.For(EDGE, zero, const(2, T.i32), both),)
            elif first:
                found += self.block(zero, row, self.across, tall)
            if first < beyond:
                inner = self.block(COLUMN, row, self.across, tall)
                found += (N.For(COLUMN, const(first, T.i32), const(beyond, T.i32), inner),)
            if right:
                found += self.block(const(columns, T.i32), row, right, tall)
            return found

        def section(row: Expr, tall: int, count: int) -> N.Block:
            body = over(count, line(row, tall))
            if self.rows is not None:

                def packed(number: int, line: Expr, group: Expr, samples: Samples) -> N.Block:
                    lines = self.down // self.layout.planes[number].down
                    return self._group(number, plus(times(row, lines), line), group, samples)

                packing = over(count, self.rows.packed(row, tall, packed))
                body = staged(self.rows.words, row, 0, body, packing)
            for stage in reversed(stages):
                body = staged(stage.arrays, row, count, stage.fill(row, tall), body)
            return body

        body: N.Block = ()
        if rows:
            body += section(ROW, self.down, rows)
        if below:
            body += section(const(rows, T.i32), below, 0)
        return body

    def block(self, column: Expr, row: Expr, wide: int, tall: int) -> N.Block:
        """The stores of one block, of which `wide` columns and `tall` rows are in the picture."""
        known: dict[tuple[int, int], Any] = {}

        def place(across: int, down: int) -> tuple[Expr, Expr]:
            i, j = plus(times(column, self.across), across), plus(times(row, self.down), down)
            return self._inside(i), self._inside(j)

        def color(across: int, down: int) -> Any:
            # Beyond the edges the last pixel goes on, so that the mean of a chroma sample is of pixels there are.
            at = min(across, wide - 1), min(down, tall - 1)
            if at not in known:
                known[at] = self.colors(*place(*at))
                if not self.as_kept:
                    known[at] = self.kept(known[at])
            return known[at]

        def sample(channel: Channel, k: int, line: int) -> Expr:
            left, top = k * channel.across, line * channel.down
            if left >= wide:
                return const(0, bits_type(channel))
            return self._sample(channel, left, top, place, color)

        if self.rows is not None:
            return tuple(
                self.rows.store(
                    c,
                    row,
                    plus(times(column, self.across // c.across), k),
                    const(line, T.i32),
                    sample(c, k, line),
                )
                for c in self.layout.channels
                for line in range(-(-tall // c.down))
                for k in range(-(-wide // c.across))
            )
        found: N.Block = ()
        for number, plane in enumerate(self.layout.planes):
            channels = [c for c in self.layout.channels if c.plane == number]
            groups, lines = self.across // (plane.pixels * plane.across), self.down // plane.down
            for line in range(-(-tall // plane.down)):
                for g in range(-(-wide // (plane.pixels * plane.across))):
                    samples = {
                        c.name: [sample(c, g * len(c.places) + k, line) for k in range(len(c.places))]
                        for c in channels
                    }
                    at = plus(times(row, lines), line), plus(times(column, groups), g)
                    found += self._group(number, *at, samples)
        return found

    def _group(self, number: int, line: Expr, group: Expr, samples: Samples) -> N.Block:
        """The stores of a group of a plane, by its line and its number there."""
        plane, into = self.layout.planes[number], self.planes[number]
        stride, size = (bits // into.type.bits for bits in (8 * plane.row_bytes(self.width), plane.bits))
        start, first = times(line, stride), times(group, size)
        found: list[N.Store] = []
        for k, (value, mask) in enumerate(write(self.layout, number, samples, into.type)):
            # The last group of a row may have fewer words.
            if mask and not (first.op == "const" and first.attr + k >= stride):
                found.append(N.Store(into, apply("add", start, plus(first, k)), value))
        return tuple(found)

    def _inside(self, index: Expr) -> Expr:
        """An index that may have been moved; before the first pixel it is that."""
        return index if self.facts(index).lo >= 0 else folded("max", index, const(0, T.i32))

    def kept(self, color: tuple[Any, Any, Any, Any]) -> tuple[Any, Any, Any, Any]:
        """A premultiplied color as the layout keeps colors."""
        r, g, b, a = color
        said = self.layout.said
        straight = "A" in self.layout.names and said["alpha"] == "straight"
        if not straight and not self.linear:
            return r, g, b, a
        part = F.where(a > 0.0, 1.0 / a, 0.0) if not isinstance(a, float) else 1.0 / a if a else 0.0
        r, g, b = (x * part for x in (r, g, b))
        if self.linear:
            r, g, b = (self.curve(x) for x in (r, g, b))
        return (r, g, b, a) if straight else (r * a, g * a, b * a, a)

    def _sample(self, channel: Channel, left: int, top: int, place: Any, color: Any) -> Expr:
        """The bits of the sample that begins at a column and row of a block: a mean of pixels."""
        if channel.name in self.copied:
            return self.copied[channel.name](*place(left, top))
        first = self.layout.cosited(channel)
        beside, below = _weights(channel.across, first=first[0]), _weights(channel.down, first=first[1])
        area = [(across * down, color(left + i, top + j)) for j, down in below for i, across in beside]
        mean = [meaning.mean([(weight, c[n]) for weight, c in area]) for n in range(4)]
        if self.layout.model == "mosaic":
            mean[0] = mean[meaning.site(self.layout, left, top)]
        made = meaning.stored(self.layout, (*mean,), channel.name, as_levels=self.as_levels)
        return made[channel.name]


def _weights(count: int, *, first: bool) -> list[tuple[int, int]]:
    """Which pixels, from the first on, count how much for the sample of so many: all alike, or more near the first."""
    if first:
        return [(k, count - abs(k)) for k in range(1 - count, count)]
    return [(k, 1) for k in range(count)]
