"""Arrays of colors: finite and discrete, what bitmaps are before they become images (paper Pan, section 2.4).

An `Array2` is any function of column and row. A `Raster` is one whose colors lie in a buffer, read in place by address
arithmetic. `reconstruct` makes an image of either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.errors import InputError
from ..ir import types as T
from ..ir.expr import Buffer
from ..pixels import Layout
from ..tracing import Value, convert, flatten
from .color import Color
from .texel import Texel, Texels

_MAX_SIDE = (1 << 31) - 1


class Array2:
    """`width` columns and `height` rows of colors, given by a function of column and row, from (0, 0) at the top left.

    The function is only asked for columns and rows inside; it returns a premultiplied color. Raises InputError for
    a size without pixels.

    >>> stripes = Array2(4, 2, lambda i, j: Color(i / 3, 0.0, 0.0))
    >>> stripes.subscript(3, 0)
    Color(1.0, 0.0, 0.0)
    """

    __slots__ = ("height", "subscript", "width")

    def __init__(self, width: int, height: int, subscript: Callable[[Any, Any], Any]) -> None:
        if not 1 <= width <= _MAX_SIDE or not 1 <= height <= _MAX_SIDE:
            raise InputError(
                f"{width} by {height} is no size of an array",
                place="Array2",
                fix=f"give a width and a height of 1 to {_MAX_SIDE}",
            )
        self.width, self.height, self.subscript = width, height, subscript

    @property
    def peak(self) -> float:
        """The number at which a channel of `window` is at full intensity."""
        return 1.0

    def window(self, i: Any, j: Any, columns: int, rows: int) -> list[list[Texel]]:
        """The colors of a few neighbors, from column i and row j on, by rows; all must be inside."""
        return [[self._texel(i + c, j + r) for c in range(columns)] for r in range(rows)]

    def _texel(self, i: Any, j: Any) -> Texel:
        leaves, _ = flatten(self.subscript(i, j))
        if len(leaves) != 4:
            raise InputError(
                f"its function gives {len(leaves)} numbers instead of a color",
                place="Array2",
                fix="return Color(r, g, b, a)",
            )
        r, g, b, a = leaves
        return r, g, b, a


class Raster(Array2):
    """Pixels in a buffer: the one at column i and row j begins at element ``origin + i column + j row``.

    Steps may be negative (pictures stored bottom row first) or padded. `palette` holds the words of a layout with one.
    """

    __slots__ = ("buffer", "column", "layout", "origin", "palette", "premultiplied", "row", "texels")

    def __init__(
        self,
        width: int,
        height: int,
        layout: Layout,
        buffer: Buffer,
        *,
        origin: int = 0,
        column: int | None = None,
        row: int | None = None,
        palette: Buffer | None = None,
        premultiplied: bool = False,
    ) -> None:
        texels = Texels(layout, buffer.type)
        column = texels.step if column is None else column
        row = width * column if row is None else row
        ends = [origin + i * column + j * row for i in (0, width - 1) for j in (0, height - 1)]
        if min(ends) < 0 or max(ends) + texels.reach > buffer.size:
            raise InputError(
                f"{width} by {height} pixels reach beyond its {buffer.size} elements", place=buffer.name
            )
        super().__init__(width, height, self._color)
        self.layout, self.texels, self.buffer, self.origin = layout, texels, buffer, origin
        self.column, self.row = column, row
        self.palette, self.premultiplied = palette, premultiplied

    @property
    def peak(self) -> float:
        """The number at which a stored channel is at full intensity."""
        return self.texels.peak

    def _color(self, i: Any, j: Any) -> Color:
        scale = 1.0 / self.peak
        return Color(*(c * scale for c in self.window(i, j, 1, 1)[0][0]))

    def window(self, i: Any, j: Any, columns: int, rows: int) -> list[list[Texel]]:
        """The stored colors of a few neighbors, from 0 to `peak`, addressed from one common base.

        Neighbors in memory are written as `e` and `e + 1`, so that one load may fetch both.
        """
        # The common base is the lowest address, so that all offsets are positive.
        low = self.origin + min(0, self.column * (columns - 1)) + min(0, self.row * (rows - 1))
        base = _scaled(self._wide(j), self.row) + _scaled(self._wide(i), self.column) + low
        flip_columns, flip_rows = self.column < 0, self.row < 0
        return [
            [
                self._at(
                    base,
                    abs(self.row) * (rows - 1 - r if flip_rows else r),
                    abs(self.column) * (columns - 1 - c if flip_columns else c),
                )
                for c in range(columns)
            ]
            for r in range(rows)
        ]

    def _at(self, base: Any, down: int, right: int) -> Texel:
        # The long step first: what is left is the short one, between neighbors in memory.
        far, near = max(down, right), min(down, right)
        return self.texels(
            self.buffer,
            base + far if far and near else base,
            offset=near or far,
            palette=self.palette,
            premultiplied=self.premultiplied,
        )

    def _wide(self, index: Any) -> Any:
        if not isinstance(index, Value):
            index = convert(index, T.i32)
        return convert(index, T.i64) if self.buffer.size > _MAX_SIDE else index


def _scaled(index: Any, step: int) -> Any:
    return index if step == 1 else index * step
