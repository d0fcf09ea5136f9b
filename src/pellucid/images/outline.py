"""The outlines of a font as a region: exact at any magnification, by counting the curves above a point.

The curves of a text are parts of parabolas, cut where they turn, so that each is above or below a point at most once.
They are sorted into columns; a point looks at those of its own column only, in one loop, so neither the program nor
its time grows with the length of a line. Used by `text`; fontTools, an extra, reads the font.
"""

from __future__ import annotations

import importlib
import io
import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import FileError, MissingExtraError
from ..ir import types as T
from ..ir.expr import Buffer
from ..tracing import Point, clamp, convert, iterate, load, real_type, to_integer, where
from ..tracing import functions as F

if TYPE_CHECKING:
    from .text import Setting

Pair = tuple[float, float]
Parabola = tuple[Pair, Pair, Pair]
"""A quadratic Bézier curve: its ends, and the point between that pulls it."""

_COLUMNS_PER_UNIT = 16
_MAX_COLUMNS = 1 << 16
_FIELDS = 8
_TOLERANCE = 2e-4


def inside_outlines(setting: Setting, data: bytes, place: str) -> Callable[[Point], Any]:
    """Whether a point, in units of the size of letters, is inside of a text.

    Raises MissingExtraError without fontTools, FileError for a font that it cannot read.
    """
    curves = [part for curve in _curves(setting, data, place) for part in _rising(curve)]
    return count_above(curves)


def count_above(curves: list[Parabola]) -> Callable[[Point], Any]:
    """Whether closed outlines, in curves that do not turn back in x, wind around a point.

    >>> square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    >>> sides = [(a, a, b) for a, b in zip(square, square[1:] + square[:1])]
    >>> from .image import Image
    >>> Image(count_above(sides)).at([0.5, 1.5], 0.5)
    array([ True, False])
    """
    upright = [c for c in curves if c[0][0] != c[2][0]]
    if not upright:
        return lambda p: False
    points = np.array(upright)
    left, right = float(points[..., 0].min()), float(points[..., 0].max())
    bottom, top = float(points[..., 1].min()), float(points[..., 1].max())
    columns = min(max(1, math.ceil((right - left) * _COLUMNS_PER_UNIT)), _MAX_COLUMNS)
    scale = columns / (right - left)
    table, starts = _sorted(upright, left, scale, columns)

    def inside(p: Point) -> Any:
        column = to_integer(clamp((p.x - left) * scale, 0.0, columns - 1.0))
        first, after = load(starts, column), load(starts, column + 1)

        def count(state: tuple[Any, Any]) -> tuple[Any, Any]:
            at, winding = state
            return at + 1, winding + _above(p, lambda field: load(table, at * _FIELDS + field))

        _, winding = iterate(count, (first, 0), None, after - first)
        near = (left <= p.x) & (p.x < right) & (bottom <= p.y) & (p.y <= top)
        return where(near, winding != 0, False)

    return inside


def _above(p: Point, field: Callable[[int], Any]) -> Any:
    """1 or -1 for a curve that passes above a point to the right or to the left, else 0."""
    x0, x1, a, b, y0, c, d, way = (convert(field(k), real_type()) for k in range(_FIELDS))
    # x = x0 + t (b + t a) rises with t, so b is not negative: this form of the root never subtracts like from like.
    along = p.x - x0
    root = F.sqrt(F.max(b * b + 4.0 * a * along, 0.0))
    t = 2.0 * along / F.max(b + root, 1e-30)
    y = y0 + t * (d + t * c)
    passes = (x0 <= p.x) & (p.x < x1) & (p.y < y)
    return where(passes, to_integer(way), 0)


def _sorted(curves: list[Parabola], left: float, scale: float, columns: int) -> tuple[Buffer, Buffer]:
    """The curves column by column, each with what `_above` wants of it, and where in that list each column starts."""
    lists: list[list[list[float]]] = [[] for _ in range(columns)]
    for curve in curves:
        start, pull, end = curve if curve[0][0] < curve[2][0] else curve[::-1]
        way = 1.0 if curve[0][0] < curve[2][0] else -1.0
        (x0, y0), (x1, y1), (x2, y2) = start, pull, end
        record = [x0, x2, x0 - 2 * x1 + x2, 2 * (x1 - x0), y0, y0 - 2 * y1 + y2, 2 * (y1 - y0), way]
        # One column more on either side: rounding must not lose a curve.
        low, high = (math.floor((x - left) * scale) for x in (x0, x2))
        for column in range(max(low - 1, 0), min(high + 1, columns - 1) + 1):
            lists[column].append(record)
    starts = np.cumsum([0, *map(len, lists)]).astype(np.int32)
    table = np.array([number for column in lists for record in column for number in record], np.float32)
    return (
        Buffer("outline_curves", T.f32, len(table), table),
        Buffer("outline_columns", T.i32, len(starts), starts),
    )


def _rising(curve: Parabola) -> Iterable[Parabola]:
    """The parts of a curve that do not turn back in x."""
    (x0, y0), (x1, y1), (x2, y2) = curve
    if (x1 - x0) * (x2 - x1) >= 0:
        return [curve]
    t = (x0 - x1) / (x0 - 2 * x1 + x2)
    turn = x0 + t * (x1 - x0)
    first, second = (turn, y0 + t * (y1 - y0)), (turn, y1 + t * (y2 - y1))
    middle = (turn, first[1] + t * (second[1] - first[1]))
    return [((x0, y0), first, middle), (middle, second, (x2, y2))]


# ---- from fonts ----


def _curves(setting: Setting, data: bytes, place: str) -> list[Parabola]:
    library, pens, fitting = _tools()
    curves: list[Parabola] = []
    try:
        font = library.TTFont(io.BytesIO(data))
        glyphs, names = font.getGlyphSet(), font.getBestCmap()
        unit = 1.0 / font["head"].unitsPerEm
        for line in setting.lines:
            for letter, x in zip(line.letters, line.places, strict=True):
                pen = _pen(pens.BasePen, fitting, glyphs)
                glyphs[names[ord(letter)]].draw(pen)
                curves += [_placed(c, line.x + x, line.y, unit) for c in pen.curves]
    except Exception as error:  # noqa: BLE001 - a damaged font makes its reader raise anything at all
        fix = "give another font, or leave out outlines"
        raise FileError(f"has outlines that cannot be read ({error})", place=place, fix=fix) from None
    return curves


def _placed(curve: Parabola, x: float, y: float, unit: float) -> Parabola:
    a, b, c = ((px * unit + x, py * unit + y) for px, py in curve)
    return a, b, c


def _tools() -> tuple[Any, Any, Any]:
    try:
        library, pens, fitting = (
            importlib.import_module(f"fontTools.{name}") for name in ("ttLib", "pens.basePen", "cu2qu")
        )
    except ImportError:
        raise MissingExtraError(
            "outlines need fontTools", place="text", fix="pip install 'pellucid[text]', or leave out outlines"
        ) from None
    return library, pens, fitting


def _pen(base: Any, fitting: Any, glyphs: Any) -> Any:
    """A pen of fontTools that keeps what it draws as parabolas, in units of the font."""

    class Pen(base):
        curves: list[Parabola]
        start: Pair

        def _moveTo(self, pt: Pair) -> None:  # noqa: N802 - the names are those of fontTools
            self.start = pt

        def _lineTo(self, pt: Pair) -> None:  # noqa: N802
            here = self._getCurrentPoint()
            self.curves.append((here, ((here[0] + pt[0]) / 2, (here[1] + pt[1]) / 2), pt))

        def _qCurveToOne(self, pt1: Pair, pt2: Pair) -> None:  # noqa: N802
            self.curves.append((self._getCurrentPoint(), pt1, pt2))

        def _curveToOne(self, pt1: Pair, pt2: Pair, pt3: Pair) -> None:  # noqa: N802
            ends = (self._getCurrentPoint(), pt1, pt2, pt3)
            pulls = fitting.curve_to_quadratic(ends, _TOLERANCE * 1000)
            here = pulls[0]
            for k, pull in enumerate(pulls[1:-1], 1):
                following = pulls[k + 1]
                last = k == len(pulls) - 2
                end = following if last else ((pull[0] + following[0]) / 2, (pull[1] + following[1]) / 2)
                self.curves.append((here, pull, end))
                here = end

        def _closePath(self) -> None:  # noqa: N802
            here = self._getCurrentPoint()
            if here != self.start:
                self._lineTo(self.start)

        def _endPath(self) -> None:  # noqa: N802
            self._closePath()

    pen = Pen(glyphs)
    pen.curves = []
    return pen
