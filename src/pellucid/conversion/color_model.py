"""Color models: between the numbers of a layout and red, green, blue and alpha.

Symbolic as everything above the core, so a conversion is arithmetic that the optimizer sees through. The components are
those that the layout stores, encoded or linear as it says; `images` brings them to where it mixes them.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..ir import types as T
from ..ir.expr import Expr, const
from ..pixels.layout import COLORS, Channel, Layout
from ..tracing import Value, convert, real_type
from ..tracing import functions as F
from . import depths, half
from .access import parted

Components = tuple[Any, Any, Any, Any]
"""Red, green, blue and alpha, multiplied by it if the layout says so."""

MATRICES = {"bt601": (0.299, 0.114), "bt709": (0.2126, 0.0722), "bt2020": (0.2627, 0.0593)}
"""The weights of red and blue in Y (ITU-R BT.601, BT.709, BT.2020)."""


def components(layout: Layout, levels: Mapping[str, Any]) -> Components:
    """The color that samples of a pixel stand for, from the `level` of each.

    A mosaic's one sample is gray here, see `sums`; alpha alone is that of white.
    """
    alpha = levels.get("A", 1.0)
    if layout.model == "rgb":
        return levels["R"], levels["G"], levels["B"], alpha
    if layout.model == "ycbcr":
        return *_to_rgb(layout, levels["Y"], levels["Cb"], levels["Cr"]), alpha
    gray = 1.0 if layout.model == "alpha" else levels.get("Y", next(iter(levels.values())))
    return gray, gray, gray, alpha


def stored(layout: Layout, color: Components, *names: str, in_ycbcr: bool = False) -> dict[str, Expr]:
    """The bits of each channel, or of those named, for a color: `components` backwards, rounded, saturated.

    A mosaic's sample is red here: give the component that `site` tells first. With `in_ycbcr`, the color is Y, Cb, Cr
    and alpha already.
    """
    r, g, b, a = color
    levels = {"R": r, "G": g, "B": b, "A": a}
    if in_ycbcr:
        levels = {"Y": r, "Cb": g, "Cr": b, "A": a}
    elif layout.model != "rgb":
        red, blue = MATRICES[layout.said["matrix"] if layout.model == "ycbcr" else "bt709"]
        y = red * r + (1.0 - red - blue) * g + blue * b
        levels |= {
            "Y": y,
            "M": r,
            "Cb": (b - y) * (1.0 / (2.0 - 2.0 * blue)),
            "Cr": (r - y) * (1.0 / (2.0 - 2.0 * red)),
        }
    wanted = [c for c in layout.channels if not names or c.name in names]
    return {c.name: bits(layout, c, levels.get(c.name, r)) for c in wanted}


def same(source: Layout, target: Layout) -> bool:
    """Whether two layouts store colors by the same model, so that samples are converted without making colors.

    Gray is also each channel of RGB. A target without alpha is another model, because colors are laid on black.

    >>> v210, nv12, bgra = Layout("Y:10 Cb:10 Cr:10"), Layout("Y:8; Cb:8 Cr:8 /2x2"), Layout("B:8 G:8 R:8 A:8")
    >>> same(v210, nv12), same(nv12, bgra), same(bgra, Layout("R:5 G:6 B:5")), same(Layout("Y:8"), bgra)
    (True, False, False, True)
    """
    given, wanted = ({*f.names} - {"A", "I"} for f in (source, target))
    if given != wanted and (given, wanted) != ({"Y"}, COLORS):
        return False
    if "A" in source.names and ("A" not in target.names or source.said["alpha"] != target.said["alpha"]):
        return False
    if source.model == "mosaic" and _order(source) != _order(target):
        return False
    if source.model == "ycbcr" and source.said["matrix"] != target.said["matrix"]:
        return False
    return source.said["transfer"] == target.said["transfer"]


def origin(source: Layout, name: str) -> str | None:
    """The channel of a source that a channel of a target of the `same` model is made of; None for missing alpha.

    >>> origin(Layout("Y:8"), "R"), origin(Layout("R:8 G:8 B:8"), "R"), origin(Layout("Y:8"), "A")
    ('Y', 'R', None)
    """
    if name in source.names:
        return name
    return "Y" if name in COLORS else None


def moved(source: Layout, target: Layout) -> bool:
    """Whether the samples of a target are samples of the source with the same numbers, as far as both have them.

    >>> v210, yuv422p10, nv12 = Layout("Y:10 Cb:10 Cr:10"), Layout("Y:10; Cb:10; Cr:10"), Layout("Y:8; Cb:8 Cr:8")
    >>> moved(v210, yuv422p10), moved(v210, nv12)
    (True, False)
    """
    if not same(source, target):
        return False
    both = [(given, name) for name in target.names if (given := origin(source, name))]
    return all(_same_numbers(source, source[given], target, target[name]) for given, name in both)


def _same_numbers(source: Layout, given: Channel, target: Layout, wanted: Channel) -> bool:
    """Whether samples of two channels have the same numbers for the same levels."""
    return (given.kind, given.bits, *_scale(source, given)) == (
        wanted.kind,
        wanted.bits,
        *_scale(target, wanted),
    )


def recoded(source: Layout, target: Layout, name: str, sample: Expr | None) -> Expr:
    """The bits of a sample of the target, from the bits of its `origin` in a source of the `same` model.

    Without a sample, alpha is full.
    """
    wanted, channel = target[name], origin(source, name)
    if sample is None or channel is None:
        return bits(target, wanted, 1.0)
    given = source[channel]
    if not _same_numbers(source, given, target, wanted):
        if depths.fits(given, wanted):
            lines = [
                depths.LevelScale(*map(int, _scale(f, c))) for f, c in ((source, given), (target, wanted))
            ]
            return depths.nearest(given, lines[0], wanted, lines[1], sample)
        return bits(target, wanted, level(source, given, sample))
    if given.kind != "s":
        return sample
    word = T.integer(sample.type.bits, signed=False)
    return (convert(Value(sample), word) & ((1 << given.bits) - 1)).expr


def level(layout: Layout, channel: Channel, sample: Expr) -> Any:
    """A sample as a fraction of full intensity, -0.5 to 0.5 for Cb and Cr; floats as they are."""
    if channel.kind == "f":
        return convert(half.decoded(Value(sample), channel.bits), real_type())
    zero, span = _scale(layout, channel)
    number = convert(Value(sample), real_type())
    return (number - zero if zero else number) * (1.0 / span)


def bits(layout: Layout, channel: Channel, fraction: Any) -> Expr:
    """The bits of the sample nearest to a fraction of full intensity, without a sign: `level` backwards."""
    real = real_type()
    fraction = convert(fraction, real)
    if channel.kind == "f":
        return half.encoded(fraction, channel.bits).expr
    zero, span = _scale(layout, channel)
    # Clamped first: what is not below zero is whole as soon as it is an integer.
    number, most = fraction * span + (zero + 0.5), _below(channel.high, real)
    word = T.integer(64 if channel.bits > 32 else 32, signed=channel.kind == "s")
    whole = convert(F.floor(F.clamp(number, float(channel.low), most)), word)
    if most != channel.high:
        # No float is the greatest number, but what is above the float before it is full.
        whole = F.where(number > most, Value(const(channel.high, word)), whole)
    if channel.kind != "s":
        return whole.expr
    return (convert(whole, T.integer(word.bits, signed=False)) & ((1 << channel.bits) - 1)).expr


def mean(values: Sequence[tuple[int, Any]]) -> Any:
    """The mean of values with weights.

    >>> mean([(1, 0.5), (2, 1.0), (1, 0.0)])
    0.625
    """
    parts = [value if weight == 1 else value * float(weight) for weight, value in values]
    total: Any = functools.reduce(operator.add, parts)
    whole = sum(weight for weight, _ in values)
    return total if whole == 1 else total * (1.0 / whole)


def site(layout: Layout, column: int, row: int) -> int:
    """The component that a mosaic has at a pixel: 0 for red, 1 for green, 2 for blue.

    >>> [site(Layout("M:8 | gbrg"), x, y) for y in (0, 1) for x in (0, 1)]
    [1, 2, 0, 1]
    """
    return "rgb".index(_order(layout)[row % 2 * 2 + column % 2])


def site_of(layout: Layout, column: Expr, row: Expr) -> int:
    """As `site`, for a pixel of which it is known whether its column and its row are odd."""
    places = [parted(position, 2) for position in (column, row)]
    across, down = (found[1] for found in places if found is not None)
    return site(layout, across, down)


def added(layout: Layout) -> int:
    """The number of possible sums of four samples of a mosaic; 0 if samples are not whole numbers of few bits."""
    channel = layout["M"]
    return 4 * channel.high + 1 if channel.kind == "u" and channel.bits <= 16 else 0


def of_sum(layout: Layout, total: Any) -> Any:
    """The mean of four samples of a mosaic, from their sum, as a fraction of full intensity."""
    if not added(layout):
        return total * 0.25
    zero, span = _scale(layout, layout["M"])
    number = convert(total, real_type())
    return (number - 4.0 * zero if zero else number) * (1.0 / (4.0 * span))


def sums(layout: Layout, at: Callable[[int, int], Expr], column: Value, row: Value) -> tuple[Any, Any, Any]:
    """Four times red, green and blue at a pixel of a mosaic; what is missing is the mean of the nearest there are.

    `at` gives the bits of the sample at a distance of columns and rows from the pixel, of which -1 to 1 are asked for.
    """
    order = _order(layout)
    channel = layout["M"]
    # Samples that are whole numbers are added up as such, exactly; a fourth is taken in the end.
    whole = added(layout) > 0

    def near(across: int, down: int) -> Any:
        sample = at(across, down)
        return Value(sample) if whole else level(layout, channel, sample)

    four, two = (4, 2) if whole else (4.0, 2.0)

    # Only what is asked for is made: where the place in the mosaic is known, a few of them.
    @functools.cache
    def here() -> Any:
        return near(0, 0) * four

    @functools.cache
    def beside() -> Any:
        return near(-1, 0) + near(1, 0)

    @functools.cache
    def above() -> Any:
        return near(0, -1) + near(0, 1)

    @functools.cache
    def corners() -> Any:
        return near(-1, -1) + near(1, -1) + near(-1, 1) + near(1, 1)

    odd_column, odd_row = _odd(column), _odd(row)

    def at_place(color: str, place: int) -> Any:
        letter = order[place]
        if letter == color:
            return here()
        if color == "g":
            return beside() + above()
        if letter == "g":
            # Its neighbors of that color are beside it, or above and below.
            return (beside() if order[place ^ 1] == color else above()) * two
        return corners()

    def by_place(color: str) -> Any:
        def in_row(first: int) -> Any:
            return _either(odd_column, lambda: at_place(color, first + 1), lambda: at_place(color, first))

        return _either(odd_row, lambda: in_row(2), lambda: in_row(0))

    return by_place("r"), by_place("g"), by_place("b")


def _odd(position: Value) -> Any:
    """Whether a position is odd: a truth that is known now, or one of the program."""
    found = parted(position.expr, 2)
    return convert(position & 1, T.i32) == 1 if found is None else found[1] == 1


def _either(condition: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """One of two values; both of them, and a choice, where the condition is not known now."""
    if isinstance(condition, bool):
        return then() if condition else otherwise()
    return F.where(condition, then(), otherwise())


def _order(layout: Layout) -> str:
    return layout.said.get("mosaic", "rggb")


def _scale(layout: Layout, channel: Channel) -> tuple[float, float]:
    """The number that stands for nothing, and how many more stand for full intensity."""
    chroma = channel.name in ("Cb", "Cr")
    if channel.kind == "s" and not chroma:
        return 0.0, float(1 << (channel.bits - 1))
    zero, span = 1 << (channel.bits - 1) if chroma else 0, (1 << channel.bits) - 1
    if layout.said["range"] == "limited" and channel.name != "A" and channel.bits >= 8:
        unit = 1 << (channel.bits - 8)
        zero, span = (128 * unit, 224 * unit) if chroma else (16 * unit, 219 * unit)
    if channel.kind == "s":
        return 0.0, float(span)
    if layout.said["polarity"] == "negative" and not chroma and channel.name != "A":
        return float(zero + span), float(-span)
    return float(zero), float(span)


def _below(number: int, real: T.Type) -> float:
    """The greatest float that is not above a number; the nearest one may be, beyond what fits."""
    found = real.dtype.type(number)
    return float(found if int(found) <= number else np.nextafter(found, real.dtype.type(0)))


def _to_rgb(layout: Layout, y: Any, cb: Any, cr: Any) -> tuple[Any, Any, Any]:
    red, blue = MATRICES[layout.said["matrix"]]
    green = 1.0 - red - blue
    r = y + (2.0 - 2.0 * red) * cr
    b = y + (2.0 - 2.0 * blue) * cb
    g = y - (2.0 * blue * (1.0 - blue) / green) * cb - (2.0 * red * (1.0 - red) / green) * cr
    return r, g, b
