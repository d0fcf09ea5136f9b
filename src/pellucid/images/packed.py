"""Pictures in packed formats: any layout of `pixels` read in place, as an array of colors like every bitmap.

Beside `bitmap`, which reads whole bytes; here a sample may lie in any bits, planes may have fewer samples than pixels,
and a sensor's mosaic is filled in on the way. No buffer lies between the bytes and the picture.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ..base.arrays import bytes_in
from ..base.errors import InputError, brief
from ..driver.view import check_count, checked_whole
from ..ir import types as T
from ..ir.expr import Buffer, Expr, apply, const
from ..loops.build import folded
from ..pixels import Channel, Layout, layout_of, meaning
from ..pixels.access import Memory, parted, plus, read
from ..pixels.meaning import mean
from ..pixels.packing import check_bytes
from ..pixels.rows import Rows
from ..reasoning.infer import FactsOf
from ..tracing import Value
from ..tracing import functions as F
from ..tracing.tracer import lift
from .array2 import Array2
from .bitmap import Bitmap, unique_name
from .color import Color
from .spaces import from_linear
from .word import word

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


@word(
    "Any -> Any -> Any -> Count -> Image Color",
    ranges={"offset": (0, math.inf)},
    example='from_buffer(bytes([0x1F, 0xF8, 0xE0, 0x07]), "rgb565", (2, 1))',
)
def from_buffer(data: Any, format: Any, size: Any, offset: int = 0) -> Bitmap:
    """The picture in bytes of any packed format, centered on the origin, one unit to the pixel, row 0 on top.

    `data` holds bytes, of which those from `offset` on are read where they are, and after them the bytes of whole
    pictures or none; `format` is a `pixels.Layout`, the name of a built-in one or a line of its notation; `size` is
    width and height in pixels. A mosaic is filled in bilinearly. Raises InputError for elements that are not bytes, for
    too few or too many, an unknown format, or samples that are no colors.

    >>> from_buffer(bytes([0x1F, 0xF8]), "rgb565", (1, 1)).at(0.0, 0.0)
    array([1., 0., 1., 1.], dtype=float32)
    """
    chosen = layout_of(format)
    return reading(chosen, _size(size), bytes_of(data, chosen, size, offset))[0]


def reading(layout: Layout, size: tuple[int, int], given: Bytes) -> tuple[Bitmap, Buffer]:
    """The picture in checked bytes, and the buffer that stands for them when it is compiled."""
    buffer = Buffer(unique_name("packed"), T.u8, len(given), given)
    starts = layout.offsets(*size)[:-1]
    planes = [Memory(buffer, at, p.row_bytes(size[0])) for at, p in zip(starts, layout.planes, strict=True)]
    return Bitmap(Array2(*size, Packed(layout, planes, *size))), buffer


def bytes_of(data: Any, layout: Layout, size: Any, offset: int = 0) -> Bytes:
    """The bytes of a picture in a layout, from an offset on; what follows are more pictures of that size.

    Raises InputError for too few of them, for a rest, for what holds none, or for samples that are no colors.
    """
    width, height = _size(size)
    given = bytes_in(data, "data")
    if layout.model == "samples":
        raise InputError(
            f"the samples of {layout} are no colors",
            place="source",
            fix="name channels R G B, Y, Y Cb Cr, M or A",
        )
    need = layout.size(width, height)
    check_bytes(layout, (width, height), need)
    first = checked_whole("offset", offset, 0, sys.maxsize)
    there = max(0, len(given) - first)
    if there < need or there % need:
        told = f"and there are {there}" if there < need else f"and {there % need} are left over"
        raise InputError(
            f"{width} x {height} in {layout} take {need} bytes, {told}",
            place="data",
            fix="check size, format and offset, or give data[offset:offset + bytes]; more pictures may follow",
        )
    return given[first : first + need]


def _size(size: Any) -> tuple[int, int]:
    try:
        width, height = (operator.index(n) for n in islice(size, 3))
    except (TypeError, ValueError):
        width, height = 0, 0
    if width < 1 or height < 1:
        raise InputError(f"{brief(size)} is no size", place="size", fix="give (width, height) in pixels")
    check_count(width, height)
    return width, height


class Packed:
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

    def __call__(self, column: Any, row: Any) -> Color:
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

    def of_sums(self, *totals: Any) -> Color:
        """The color that sums of samples stand for."""
        r, g, b = (meaning.of_sum(self.layout, total) for total in totals)
        return self._lit(r, g, b, 1.0)

    def _lit(self, r: Any, g: Any, b: Any, a: Any) -> Color:
        """The color of components as the layout keeps them."""
        if self.layout.model == "ycbcr" and not self.as_levels:
            r, g, b = (F.clamp(x, 0.0, 1.0) for x in (r, g, b))
        opaque = "A" not in self.layout.names
        if self.layout.said["alpha"] == "premultiplied" and not opaque:
            if self.linear:
                part = F.where(a > 0.0, 1.0 / a, 0.0)
                r, g, b = (self.curve(x * part) * a for x in (r, g, b))
            return Color(r, g, b, a)
        if self.linear:
            r, g, b = (self.curve(x) for x in (r, g, b))
        return Color(r, g, b, 1.0) if opaque else Color(r * a, g * a, b * a, a)

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
