"""Encoding: the nest that stores the samples of colors in the groups of a layout, block after block.

One pass: a pixel is computed once, however many planes it goes to; where groups are long, a row of samples is packed
when all of it is there (see `rows`), and nothing else is kept in between. A nest is made for one layout and one size,
so that whole blocks need no test, and what is left at the right and at the bottom stands by itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from ..base.record import record
from ..driver.frame import COLUMN, ROW, Colors
from ..ir import nest as N
from ..ir import types as T
from ..ir.expr import Buffer, Expr, apply, const, index
from ..pixels.layout import Channel, Layout
from ..reasoning.infer import FactsOf
from ..reasoning.linear import folded
from ..tracing import functions as F
from ..tracing.transfer import to_linear
from . import color_model
from .access import bits_type, plus, times, write
from .color_model import Components
from .plan import BlockGrid
from .rows import Rows, Samples
from .scratch import Stage, over, staged

EDGE = index("edge")


def kept(layout: Layout, color: Components, *, linear: bool) -> Components:
    """A premultiplied color as a layout keeps colors: of amounts of light, if it is `linear` and colors are not."""
    *rgb, a = straight(layout, color, linear=linear)
    r, g, b = (to_linear(x) for x in rgb) if linear else rgb
    return finished(layout, (r, g, b, a), linear=linear)


def straight(layout: Layout, color: Components, *, linear: bool) -> Components:
    """The components of a premultiplied color that the curve, if there is one, applies to, and alpha."""
    if not linear and not _keeps_straight(layout):
        return color
    *rgb, a = color
    part = F.where(a > 0.0, 1.0 / a, 0.0) if not isinstance(a, float) else 1.0 / a if a else 0.0
    r, g, b = (x * part for x in rgb)
    return r, g, b, a


def finished(layout: Layout, color: Components, *, linear: bool) -> Components:
    """The color of curved components: multiplied by alpha again if the layout stores it so."""
    if not linear or _keeps_straight(layout):
        return color
    *rgb, a = color
    r, g, b = (x * a for x in rgb)
    return r, g, b, a


def _keeps_straight(layout: Layout) -> bool:
    return "A" in layout.names and layout.said["alpha"] == "straight"


@record
class Encoder:
    """Writes the nest: blocks of whole groups of all planes, row after row.

    `in_ycbcr` colors are Y, Cb and Cr. Of channels in `copied`, the bits of the sample at a pixel are had without its
    color. With `rows`, samples are put there, and packed when a row of blocks is done: blocks need not be whole groups
    then. `facts` is what is known of the columns and rows that colors are asked for.
    """

    layout: Layout
    planes: tuple[Buffer, ...]
    blocks: BlockGrid
    colors: Colors
    in_ycbcr: bool = False
    copied: Mapping[str, Callable[[Expr, Expr], Expr]] = field(
        default_factory=dict[str, Callable[[Expr, Expr], Expr]]
    )
    rows: Rows | None = None
    facts: FactsOf = field(default_factory=FactsOf)

    def nest(self, stages: Sequence[Stage] = (), once: Sequence[Stage] = ()) -> N.Block:
        """The whole picture, of colors that may be made of what stages fill: for a row of blocks, or `once`."""
        (rows, below), zero = self.blocks.rows, const(0, T.i32)
        body: N.Block = ()
        if rows:
            body += self._section(stages, ROW, self.blocks.down, rows)
        if below:
            body += self._section(stages, const(rows, T.i32), below, 0)
        for stage in reversed(once):
            body = staged(stage.arrays(zero), 0, stage.fill(zero, 1), body)
        return body

    def _section(self, stages: Sequence[Stage], row: Expr, tall: int, count: int) -> N.Block:
        """A loop over `count` rows of blocks, or, if it is 0, one row that stands by itself."""
        body = self._line(row, tall)
        if self.rows is None:
            body = over(count, body)
        else:
            packing = self.rows.packed(row, tall, functools.partial(self._packed, row))
            body = staged(self.rows.arrays(row), count, body, over(count, packing))
        for stage in reversed(stages):
            body = staged(stage.arrays(row), count, stage.fill(row, tall), body)
        return body

    def _packed(self, row: Expr, number: int, line: Expr, group: Expr, samples: Samples) -> N.Block:
        lines = self.blocks.down // self.layout.planes[number].down
        return self._group(number, plus(times(row, lines), line), group, samples)

    def _line(self, row: Expr, tall: int) -> N.Block:
        """The blocks of a row of them."""
        (columns, right), (begin, end), across = self.blocks.columns, self.blocks.inner, self.blocks.across
        zero = const(0, T.i32)
        found: N.Block = ()
        if begin and begin <= end < columns:
            # Both ends by the same code.
            both = self._block(times(EDGE, end), row, across, tall)
            found += (N.For(EDGE, zero, const(2, T.i32), both),)
        elif begin:
            found += self._block(zero, row, across, tall)
        if begin < end:
            inner = self._block(COLUMN, row, across, tall)
            found += (N.For(COLUMN, const(begin, T.i32), const(end, T.i32), inner),)
        if right:
            found += self._block(const(columns, T.i32), row, right, tall)
        return found

    def _block(self, column: Expr, row: Expr, wide: int, tall: int) -> N.Block:
        """The stores of one block, of which `wide` columns and `tall` rows are in the picture."""
        whole = self.blocks.across

        def place(across: int, down: int) -> tuple[Expr, Expr]:
            i, j = plus(times(column, whole), across), plus(times(row, self.blocks.down), down)
            return self._inside(i), self._inside(j)

        @functools.cache
        def made(across: int, down: int) -> Components:
            return self.colors(*place(across, down))

        def color(across: int, down: int) -> Components:
            # The last pixel is repeated, so that the mean of a chroma sample is that of existing pixels.
            return made(min(across, wide - 1), min(down, tall - 1))

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
                    plus(times(column, whole // c.across), k),
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
            groups, lines = whole // (plane.pixels * plane.across), self.blocks.down // plane.down
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
        stride, size = (
            bits // into.type.bits for bits in (8 * plane.row_bytes(self.blocks.size[0]), plane.bits)
        )
        start, first = times(line, stride), times(group, size)
        found: list[N.Store] = []
        for k, (value, mask) in enumerate(write(self.layout, number, samples, into.type)):
            # The last group of a row may have fewer words.
            if mask and not (first.op == "const" and first.attr + k >= stride):
                found.append(N.Store(into, apply("add", start, plus(first, k)), value))
        return tuple(found)

    def _inside(self, index: Expr) -> Expr:
        """An index clamped to the first pixel."""
        return index if self.facts(index).lo >= 0 else folded("max", index, const(0, T.i32))

    def _sample(self, channel: Channel, left: int, top: int, place: Any, color: Any) -> Expr:
        """The bits of the sample that begins at a column and row of a block: a mean of pixels."""
        if channel.name in self.copied:
            return self.copied[channel.name](*place(left, top))
        first = self.layout.cosited(channel)
        beside, below = _weights(channel.across, first=first[0]), _weights(channel.down, first=first[1])
        area = [(across * down, color(left + i, top + j)) for j, down in below for i, across in beside]
        mean = [color_model.mean([(weight, c[n]) for weight, c in area]) for n in range(4)]
        if self.layout.model == "mosaic":
            mean[0] = mean[color_model.site(self.layout, left, top)]
        made = color_model.stored(self.layout, (*mean,), channel.name, in_ycbcr=self.in_ycbcr)
        return made[channel.name]


def _weights(count: int, *, first: bool) -> list[tuple[int, int]]:
    """The weights of pixels in a sample of `count`: equal, or greater near the `first` that it is cosited with."""
    if first:
        return [(k, count - abs(k)) for k in range(1 - count, count)]
    return [(k, 1) for k in range(count)]
