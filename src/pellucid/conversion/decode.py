"""Decoding: the color of a pixel, as an expression of the samples in memory or in scratch arrays.

A sample may lie in any bits, planes may have fewer samples than pixels, and a sensor's mosaic is filled in on the way.
Between `access`, which reads samples, and `nests`; pictures in packed formats are read by it as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from ..base.record import record
from ..ir import types as T
from ..ir.expr import Expr, apply, const
from ..pixels.layout import Channel, Layout
from ..reasoning.infer import FactsOf
from ..reasoning.linear import folded
from ..tracing import Value
from ..tracing import functions as F
from ..tracing.tracer import lift
from ..tracing.transfer import from_linear
from . import color_model
from .access import PlaneMemory, parted, plus, read
from .color_model import Components, mean
from .lines import Lines
from .rows import Rows


@record
class Decoder:
    """The color at a column and a row inside; `facts` is what is known of these, so that edges are met only there.

    With `as_encoded`, amounts of light are not decoded, because they are stored as such again; with `in_ycbcr`, Y, Cb
    and Cr are the color. Samples are in memory, `planes`, or in `rows` or `lines` if these are given. With `by_entry`,
    columns count the entries of the palette, and colors are theirs.
    """

    layout: Layout
    planes: Sequence[PlaneMemory]
    size: tuple[int, int]
    as_encoded: bool = False
    in_ycbcr: bool = False
    by_entry: bool = False
    rows: Rows | None = None
    lines: Lines | None = None
    facts: FactsOf = field(default_factory=FactsOf)

    def __call__(self, column: Any, row: Any) -> Components:
        """The color at a column and a row."""
        return self._curved(
            self.components(*(x if isinstance(x, Expr) else lift(x, T.i32) for x in (column, row)))
        )

    @property
    def linear(self) -> bool:
        """Whether components have a curve before they are a color."""
        return self.layout.said["transfer"] == "linear" and not self.as_encoded

    def components(self, i: Expr, j: Expr) -> Components:
        """The components that the curve, if there is one, applies to, and alpha."""
        if self.layout.model == "mosaic":
            return self._of_sums(*self.sums(i, j))
        levels = {c.name: self._level(c, i, j) for c in self.layout.channels if c.name != "I"}
        if self.in_ycbcr:
            return self._straight(levels["Y"], levels["Cb"], levels["Cr"], levels.get("A", 1.0))
        return self._straight(*color_model.components(self.layout, levels))

    def alpha(self, i: Expr, j: Expr) -> Any:
        """The last of `components`."""
        return self._level(self.layout["A"], i, j) if "A" in self.layout.names else 1.0

    def color(self, r: Any, g: Any, b: Any, a: Any) -> Components:
        """The premultiplied color of components that have had their curve."""
        if "A" not in self.layout.names:
            return r, g, b, 1.0
        if self.layout.said["alpha"] == "premultiplied" and not self.linear:
            return r, g, b, a
        return r * a, g * a, b * a, a

    def sums(self, i: Expr, j: Expr) -> tuple[Any, Any, Any]:
        """Four times red, green and blue of a mosaic: samples added up."""
        near = self._near if self.lines is None else self.lines.near
        return color_model.sums(self.layout, lambda a, b: near(i, j, a, b), Value(i), Value(j))

    def of_sums(self, *totals: Any) -> Components:
        """The color that sums of samples stand for."""
        return self._curved(self._of_sums(*totals))

    def _of_sums(self, *totals: Any) -> Components:
        r, g, b = (color_model.of_sum(self.layout, total) for total in totals)
        return self._straight(r, g, b, 1.0)

    def _curved(self, components: Components) -> Components:
        *rgb, a = components
        r, g, b = (from_linear(x) for x in rgb) if self.linear else rgb
        return self.color(r, g, b, a)

    def _straight(self, r: Any, g: Any, b: Any, a: Any) -> Components:
        """Components as they are kept, but in range, and without alpha where they have a curve."""
        if self.layout.model == "ycbcr" and not self.in_ycbcr:
            r, g, b = (F.clamp(x, 0.0, 1.0) for x in (r, g, b))
        if self.linear and self.layout.said["alpha"] == "premultiplied" and "A" in self.layout.names:
            part = F.where(a > 0.0, 1.0 / a, 0.0)
            r, g, b = (x * part for x in (r, g, b))
        return r, g, b, a

    def _level(self, channel: Channel, i: Expr, j: Expr) -> Any:
        """The level of the sample nearest to a pixel, or the mean of those that are equally near."""
        across, down = self.layout.cosited(channel) if not self.by_entry else (False, False)
        columns = self._nearest(i, channel.across, self.size[0]) if across else [i]
        rows = self._nearest(j, channel.down, self.size[1]) if down else [j]
        near = [
            color_model.level(self.layout, channel, self.sample(channel.name, x, y))
            for y in rows
            for x in columns
        ]
        return mean([(1, value) for value in near])

    def sample(self, name: str, i: Expr, j: Expr) -> Expr:
        """The bits of the sample that a pixel inside has, or shares, as a number of `word_type`."""
        channel = self.layout[name]
        if channel.entries:
            i, j = i if self.by_entry else self.index(i, j), const(0, T.i32)
        at = _part(i, channel.across), _part(j, channel.down)
        if self.rows is not None and not channel.entries:
            return self.rows.sample(channel, *at)
        return read(self.layout, channel, self.planes[channel.plane], *at)

    def index(self, i: Expr, j: Expr) -> Expr:
        """The number of the palette's entry that a pixel inside holds."""
        return apply("convert", self.sample("I", i, j), attr=T.i32)

    def _near(self, column: Expr, row: Expr, across: int, down: int) -> Expr:
        """A mosaic's sample some pixels away, mirrored at the edges so that its color stays."""
        i, j = self._mirrored(column, across, self.size[0]), self._mirrored(row, down, self.size[1])
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
