"""Decoding: the color of a pixel, as an expression of the samples in memory or in scratch arrays.

A sample may lie in any bits, planes may have fewer samples than pixels, and a sensor's mosaic is filled in on the way.
Between `access`, which reads samples, and `nests`; pictures in packed formats are read by it as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..ir import types as T
from ..ir.expr import Expr, apply, const
from ..pixels.layout import Channel, Layout
from ..reasoning.infer import FactsOf
from ..reasoning.linear import folded
from ..tracing import Value
from ..tracing import functions as F
from ..tracing.tracer import lift
from ..tracing.transfer import from_linear
from . import meaning
from .access import Memory, parted, plus, read
from .meaning import Components, mean
from .rows import Rows


class Decoder:
    """The color at a column and a row inside; `facts` is what is known of these, so that edges are met only there.

    Amounts of light are left as they are `as_stored`, for where they are stored as such again; and so are Y, Cb and Cr
    `as_levels`, which then stand for a color. Samples are in memory, or in `rows` if these are given. If there
    is an `entry`, the color is that of an entry of the palette, whatever the pixel.
    """

    def __init__(
        self,
        chosen: Layout,
        planes: Sequence[Memory],
        width: int,
        height: int,
        *,
        as_stored: bool = False,
        as_levels: bool = False,
    ) -> None:
        self.layout, self.width, self.height, self.as_levels = chosen, width, height, as_levels
        self.linear = chosen.said["transfer"] == "linear" and not as_stored
        self.curve: Callable[[Any], Any] = from_linear
        self.facts = FactsOf()
        self.near = self._near
        self.rows: Rows | None = None
        self.entry: Expr | None = None
        self.planes = planes

    def __call__(self, column: Any, row: Any) -> Components:
        """The color at a column and a row."""
        i, j = (x if isinstance(x, Expr) else lift(x, T.i32) for x in (column, row))
        if self.layout.model == "mosaic":
            return self.of_sums(*self.sums(i, j))
        levels = {c.name: self._level(c, i, j) for c in self.layout.channels if c.name != "I"}
        if self.as_levels:
            return self._lit(levels["Y"], levels["Cb"], levels["Cr"], levels.get("A", 1.0))
        return self._lit(*meaning.components(self.layout, levels))

    def sums(self, i: Expr, j: Expr) -> tuple[Any, Any, Any]:
        """Four times red, green and blue of a mosaic: samples added up."""
        return meaning.sums(self.layout, lambda a, b: self.near(i, j, a, b), Value(i), Value(j))

    def of_sums(self, *totals: Any) -> Components:
        """The color that sums of samples stand for."""
        r, g, b = (meaning.of_sum(self.layout, total) for total in totals)
        return self._lit(r, g, b, 1.0)

    def _lit(self, r: Any, g: Any, b: Any, a: Any) -> Components:
        """The color of components as the layout keeps them."""
        if self.layout.model == "ycbcr" and not self.as_levels:
            r, g, b = (F.clamp(x, 0.0, 1.0) for x in (r, g, b))
        opaque = "A" not in self.layout.names
        if self.layout.said["alpha"] == "premultiplied" and not opaque:
            if self.linear:
                part = F.where(a > 0.0, 1.0 / a, 0.0)
                r, g, b = (self.curve(x * part) * a for x in (r, g, b))
            return (r, g, b, a)
        if self.linear:
            r, g, b = (self.curve(x) for x in (r, g, b))
        return (r, g, b, 1.0) if opaque else (r * a, g * a, b * a, a)

    def _level(self, channel: Channel, i: Expr, j: Expr) -> Any:
        """The level of the sample nearest to a pixel, or the mean of those that are equally near."""
        across, down = self.layout.cosited(channel)
        columns = self._nearest(i, channel.across, self.width) if across else [i]
        rows = self._nearest(j, channel.down, self.height) if down else [j]
        near = [
            meaning.level(self.layout, channel, self.sample(channel.name, x, y))
            for y in rows
            for x in columns
        ]
        return mean([(1, value) for value in near])

    def sample(self, name: str, i: Expr, j: Expr) -> Expr:
        """The bits of the sample that a pixel inside has, or shares, as a number of `word_type`."""
        channel = self.layout[name]
        if channel.entries:
            i, j = self.index(i, j) if self.entry is None else self.entry, const(0, T.i32)
        at = _part(i, channel.across), _part(j, channel.down)
        if self.rows is not None and not channel.entries:
            return self.rows.sample(channel, *at)
        return read(self.layout, channel, self.planes[channel.plane], *at)

    def index(self, i: Expr, j: Expr) -> Expr:
        """The number of the palette's entry that a pixel inside holds."""
        return apply("convert", self.sample("I", i, j), attr=T.i32)

    def _near(self, column: Expr, row: Expr, across: int, down: int) -> Expr:
        """A mosaic's sample some pixels away, mirrored at the edges so that its color stays."""
        i, j = self._mirrored(column, across, self.width), self._mirrored(row, down, self.height)
        return self.sample("M", i, j)

    def _nearest(self, index: Expr, count: int, size: int) -> list[Expr]:
        """Pixels of the one or two samples nearest to a pixel, if each of `count` pixels lies on the first of them."""
        found: list[Expr] = []
        for by in dict.fromkeys(((count - 1) // 2, count // 2)):
            moved = plus(index, by)
            inside = not by or self.facts(moved).hi < size
            found.append(moved if inside else folded("min", moved, const(size - 1, T.i32)))
        return found

    def _mirrored(self, index: Expr, by: int, size: int) -> Expr:
        """An index moved by one at most; beyond an edge it is that on the other side of the pixel at the edge."""
        if by == 0 or size == 1:
            return index
        moved = plus(index, by)
        if self.facts(moved).within(0, size - 1):
            return moved
        if by > 0:
            # The same from the other end.
            moved = folded("sub", const(size - 1, T.i32), moved)
        away = const(abs(moved.attr), T.i32) if moved.op == "const" else apply("abs", moved)
        return away if by < 0 else folded("sub", const(size - 1, T.i32), away)


def _part(index: Expr, count: int) -> Expr:
    if count == 1:
        return index
    found = parted(index, count)
    return apply("floor_div", index, const(count, T.i32)) if found is None else found[0]
