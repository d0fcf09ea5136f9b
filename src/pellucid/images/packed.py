"""Pictures in packed formats: any layout of `pixels` read in place, as an array of colors like every bitmap.

Beside `bitmap`, which reads whole bytes; here a sample may lie in any bits, planes may have fewer samples than pixels,
and a sensor's mosaic is filled in on the way. No buffer lies between the bytes and the picture.
"""

from __future__ import annotations

import math
import operator
from typing import Any, cast

import numpy as np

from ..base.errors import InputError, brief
from ..ir import types as T
from ..ir.expr import Buffer, Expr, apply, const
from ..pixels import Channel, Layout, layout_of, meaning
from ..pixels.access import Memory, read
from ..pixels.meaning import mean
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

    `data` holds bytes, of which those from `offset` on are read where they are; `format` is a `pixels.Layout`, the name
    of a built-in one or a line of its notation; `size` is width and height in pixels. A mosaic is filled in bilinearly.
    Raises InputError for too few bytes, an unknown format, or samples that are no colors.

    >>> from_buffer(bytes([0x1F, 0xF8]), "rgb565", (1, 1)).at(0.0, 0.0)
    array([1., 0., 1., 1.], dtype=float32)
    """
    chosen = layout_of(format)
    return reading(chosen, _size(size), bytes_of(data, chosen, size, offset))[0]


def reading(layout: Layout, size: tuple[int, int], given: Bytes) -> tuple[Bitmap, Buffer]:
    """The picture in checked bytes, and the buffer that stands for them when it is compiled."""
    buffer = Buffer(unique_name("packed"), T.u8, len(given), given)
    return Bitmap(Array2(*size, _Packed(layout, buffer, *size))), buffer


def bytes_of(data: Any, layout: Layout, size: Any, offset: int = 0) -> Bytes:
    """The bytes of a picture in a layout.

    Raises InputError for too few of them, for what holds none, or for samples that are no colors.
    """
    width, height = _size(size)
    try:
        given = np.frombuffer(data, np.uint8)
    except (TypeError, ValueError, BufferError) as error:
        raise InputError(
            f"{brief(data)} holds no bytes ({error})",
            place="from_buffer",
            fix="give bytes or a contiguous array",
        ) from None
    if layout.model == "samples":
        raise InputError(
            f"the samples of {layout} are no colors",
            place="from_buffer",
            fix="name channels R G B, Y, Y Cb Cr, M or A",
        )
    need = layout.size(width, height)
    if offset < 0 or len(given) - offset < need:
        raise InputError(
            f"{width} x {height} in {layout} take {need} bytes, and there are {max(0, len(given) - offset)}",
            place="from_buffer",
            fix="check size, format and offset",
        )
    return given[offset : offset + need]


def _size(size: Any) -> tuple[int, int]:
    try:
        width, height = (operator.index(n) for n in size)
    except (TypeError, ValueError):
        width, height = 0, 0
    if width < 1 or height < 1:
        raise InputError(
            f"{brief(size)} is no size", place="from_buffer", fix="give (width, height) in pixels"
        )
    return width, height


class _Packed:
    """The color at a column and a row inside."""

    def __init__(self, chosen: Layout, buffer: Buffer, width: int, height: int) -> None:
        self.layout, self.width, self.height = chosen, width, height
        starts = chosen.offsets(width, height)
        self.planes = [
            Memory(buffer, start, plane.row_bytes(width))
            for start, plane in zip(starts, chosen.planes, strict=False)
        ]

    def __call__(self, column: Any, row: Any) -> Color:
        i, j = (lift(x, T.i32) if not isinstance(x, Value) else x.expr for x in (column, row))
        if self.layout.model == "mosaic":
            channels = (
                *meaning.demosaic(self.layout, lambda a, b: self._near(i, j, a, b), Value(i), Value(j)),
                1.0,
            )
        else:
            levels = {c.name: self._level(c, i, j) for c in self.layout.channels}
            channels = meaning.components(self.layout, levels)
        r, g, b, a = cast("tuple[Any, Any, Any, Any]", channels)
        if self.layout.model == "ycbcr":
            r, g, b = (F.clamp(x, 0.0, 1.0) for x in (r, g, b))
        opaque = "A" not in self.layout.names
        if self.layout.said["alpha"] == "premultiplied" and not opaque:
            if self.layout.said["transfer"] == "linear":
                part = F.where(a > 0.0, 1.0 / a, 0.0)
                r, g, b = (from_linear(x * part) * a for x in (r, g, b))
            return Color(r, g, b, a)
        if self.layout.said["transfer"] == "linear":
            r, g, b = (from_linear(x) for x in (r, g, b))
        return Color(r, g, b, 1.0) if opaque else Color(r * a, g * a, b * a, a)

    def _level(self, channel: Channel, i: Expr, j: Expr) -> Any:
        """The level of the sample nearest to a pixel, or the mean of those that are equally near."""
        across, down = self.layout.cosited(channel)
        columns = _nearest(i, channel.across, self.width) if across else [i]
        rows = _nearest(j, channel.down, self.height) if down else [j]
        near = [
            meaning.level(self.layout, channel, self._sample(channel.name, x, y))
            for y in rows
            for x in columns
        ]
        return mean([(1, value) for value in near])

    def _sample(self, name: str, i: Expr, j: Expr) -> Expr:
        channel = self.layout[name]
        if channel.entries:
            # A pixel holds the number of an entry.
            i, j = apply("convert", self._sample("I", i, j), attr=T.i32), const(0, T.i32)
        return read(
            self.layout, channel, self.planes[channel.plane], _part(i, channel.across), _part(j, channel.down)
        )

    def _near(self, i: Expr, j: Expr, across: int, down: int) -> Any:
        """A mosaic's sample some pixels away, mirrored at the edges so that its color stays."""
        column, row = (_mirrored(x, by, n) for x, by, n in ((i, across, self.width), (j, down, self.height)))
        return self._sample("M", column, row)


def _nearest(index: Expr, count: int, size: int) -> list[Expr]:
    """Pixels of the one or two samples nearest to a pixel, if each of `count` pixels lies on the first of them."""
    found: list[Expr] = []
    for by in dict.fromkeys(((count - 1) // 2, count // 2)):
        moved = apply("add", index, const(by, T.i32)) if by else index
        found.append(apply("min", moved, const(size - 1, T.i32)) if by else moved)
    return found


def _part(index: Expr, count: int) -> Expr:
    return index if count == 1 else apply("floor_div", index, const(count, T.i32))


def _mirrored(index: Expr, by: int, size: int) -> Expr:
    """An index moved by one at most; beyond an edge it is that on the other side of the pixel at the edge."""
    if by == 0 or size == 1:
        return index
    if by < 0:
        return apply("abs", apply("sub", index, const(1, T.i32)))
    # The same from the other end.
    beyond = apply("sub", const(size - 2, T.i32), index)
    return apply("sub", const(size - 1, T.i32), apply("abs", beyond))
