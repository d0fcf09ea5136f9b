"""Plans of conversions: what is computed where, and why, as data; `nests` writes the program of a plan.

A plan follows from two layouts, a size and a precision, and holds no expression. `pl.explain` prints it above the
program and the ledger of moves; see decision 62.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..base.record import record
from ..base.tracebacks import door
from ..driver.frame import COLUMN, ROW
from ..driver.options import Options
from ..ir import types as T
from ..ir.expr import Buffer
from ..ir.facts import Facts
from ..pixels import Channel, Layout, layout_of
from ..reasoning.infer import FactsOf
from . import color_model
from .curves import fits
from .lines import lined
from .planes import check_drawable, check_readable, checked_size, planes_of
from .rows import Rows
from .tables import pay

if TYPE_CHECKING:
    from ..loops.report import Report

MAX_GROUPS = 8
"""Maximum groups of the target in one block."""
QUICK_BLOCK, QUICK_BLOCK_OF_BITS, QUICK_BLOCK_OF_ENTRIES = 6, 4, 2
"""Pixels of a block that is compiled quickly: if a format has whole bytes; if none has, or one has half floats; if the
source has a palette."""


class Conversion(NamedTuple):
    """The request of a conversion: the texts of two layouts, the size, the planes read, and the planes written."""

    source: str
    target: str
    size: tuple[int, int]
    given: tuple[Buffer, ...]
    planes: tuple[Buffer, ...]


def conversion(
    source: Layout, target: Layout, size: tuple[int, int], *, read: bool = True, written: bool = True
) -> Conversion:
    """The request of the conversion of any bytes, from and to memory that is aligned to words or not."""
    # Samples that are only moved are moved by windows on bytes.
    words = read and not color_model.moved(source, target)
    given = planes_of(source.text, size, aligned=words, name="source")
    return Conversion(source.text, target.text, size, given, planes_of(target.text, size, aligned=written))


class BlockGrid(NamedTuple):
    """A picture cut into blocks of pixels: whole ones, and what is left at the right and at the bottom.

    With a `margin`, the first and the last block of a row stand by themselves, for colors that depend on neighbors.
    """

    size: tuple[int, int]
    across: int
    down: int
    margin: bool = False

    @property
    def columns(self) -> tuple[int, int]:
        """The number of blocks of a row, and of columns of pixels that are left."""
        return divmod(self.size[0], self.across)

    @property
    def rows(self) -> tuple[int, int]:
        """The number of rows of blocks, and of rows of pixels that are left."""
        return divmod(self.size[1], self.down)

    @property
    def inner(self) -> tuple[int, int]:
        """The range of the blocks of a row that do not stand by themselves: its begin and its end."""
        columns, right = self.columns
        # If columns are left, the last whole block is not the last of the row.
        last = self.margin and columns > 1 and not right
        return (1 if self.margin and columns else 0), columns - 1 if last else columns

    def facts(self) -> FactsOf:
        """The facts of the column and the row of a block."""
        begin, end = self.inner
        return FactsOf({COLUMN: Facts(begin, max(begin, end - 1)), ROW: Facts(0, max(0, self.rows[0] - 1))})


def period(layout: Layout, *, groups: bool = True) -> tuple[int, int]:
    """The columns and rows of pixels after which all of a layout repeats: which samples there are, and their places.

    Without `groups`, the places of samples in memory do not count.

    >>> period(Layout("M0[9:2] M1[9:2] M0[1:0] M1[1:0] _:4")), period(Layout("Y:8; Cb:8 Cr:8 /2x2"))
    ((2, 2), (2, 2))
    >>> period(Layout("Y:1")), period(Layout("Y:1"), groups=False)
    ((8, 1), (1, 1))
    """
    # A mosaic repeats every two pixels.
    least = 2 if layout.model == "mosaic" else 1
    channels = [c for c in layout.channels if not c.entries]
    across = [len(c.places) * c.across if groups else c.across for c in channels]
    return math.lcm(least, *across), math.lcm(least, *(c.down for c in channels))


class Placement(NamedTuple):
    """A value that is kept: where it is computed, "picture", "rows" or "block", and why there."""

    value: str
    place: str
    why: str


PLACES = {"picture": "once", "rows": "for a row of blocks", "block": "for a block"}


@record
class ConversionPlan:
    """The decisions of a conversion: which values are computed where. ``str(plan)`` says them in words.

    blocks      the blocks of the target: whole groups, so that the place of each sample in its group is known.
    copied      the channels of the target whose samples are samples of the source, recoded at most.
    in_ycbcr    whether a color is Y, Cb and Cr, because both layouts store these.
    curve       the side that applies the transfer function: "decoder", "encoder", or neither.
    samples     where the decoder finds samples: in "memory", in "rows" of words, or in "lines" of a mosaic.
    packed      whether samples of the target are put in rows, and packed when a row of blocks is done.
    colors      what a color is computed from: "samples"; tables by "sums" or by "entries"; or curved "numbers".
    numbers     the columns of numbers that are put in rows at once before they are curved; 0 if they are not.
    """

    source: Layout
    target: Layout
    conversion: Conversion
    blocks: BlockGrid
    copied: tuple[str, ...] = ()
    in_ycbcr: bool = False
    curve: str = ""
    samples: str = "memory"
    packed: bool = False
    colors: str = "samples"
    numbers: int = 0

    def steps(self) -> Iterator[Placement]:
        """The values that are kept on the way, in the order in which they are computed."""
        source, long = self.source, "whole groups would make blocks of many pixels"
        if self.colors == "sums":
            why = f"{color_model.added(source)} sums of a mosaic's samples have a curve, and are read often"
            yield Placement("tables of sums", "picture", why)
        if self.colors == "entries":
            why = f"a curve is long, and there are {1 << source['I'].bits} entries"
            yield Placement("curved entries", "picture", why)
        if self.samples == "lines":
            yield Placement(
                "lines of a mosaic", "rows", "colors are made of neighbors, here words side by side"
            )
        if self.samples == "rows":
            yield Placement("rows of samples", "rows", long)
        if self.numbers:
            yield Placement("curved numbers", "rows", "one loop has the code of the curve, not every pixel")
        if len(self.copied) < len(self.target.channels):
            yield Placement("colors", "block", "samples of the target are made of them")
        if self.copied:
            names = " ".join(self.copied)
            yield Placement(f"samples {names}", "block", "each is one of the source: no color is made")
        if self.packed:
            yield Placement("rows of packed samples", "rows", long)

    def __str__(self) -> str:
        """The plan in words."""
        (across, down), (width, height) = self.blocks[1:3], self.blocks.size
        steps = [(s.value, PLACES[s.place], s.why) for s in self.steps()]
        wide = [max(len(row[k]) for row in steps) for k in (0, 1)]
        lines = [f"  {value:<{wide[0]}}  {place:<{wide[1]}}  {why}" for value, place, why in steps]
        head = f"{self.source} to {self.target}, {width} x {height}, in blocks of {across} x {down}"
        return "\n".join([head, *lines])

    def explained(self, options: Options) -> Report:
        """The report of its compilation, with these options."""
        from .nests import explained

        return explained(self, options)


@door
def plan_conversion(
    source: str | Layout, target: str | Layout, size: tuple[int, int], *, precision: str = "f32"
) -> ConversionPlan:
    """The plan by which `convert` would convert pictures of that size; nothing is compiled, nothing is run.

    `pl.explain` prints it with the program and the ledger. Raises InputError as `convert` does.

    >>> print(plan_conversion("v210", "rgb24", (1920, 1080)))
    v210 to rgb24, 1920 x 1080, in blocks of 6 x 1
      colors  for a block  samples of the target are made of them
    """
    chosen, wanted, size = layout_of(source, "source"), layout_of(target, "target"), checked_size(size)
    check_readable(chosen)
    check_drawable(wanted)
    return plan_of(chosen, wanted, conversion(chosen, wanted, size), Options(precision=precision).real)


def plan_of(source: Layout, target: Layout, asked: Conversion, real: T.Type) -> ConversionPlan:
    """The plan of a conversion, for numbers of a type; what both layouts store alike is copied (decision 26)."""
    size = asked.size
    linear = [f.said["transfer"] == "linear" for f in (source, target)]
    # If both store amounts of light, the curve is applied on neither side.
    curve = "" if linear[0] == linear[1] else "decoder" if linear[0] else "encoder"
    same_model = color_model.same(source, target)
    copied = tuple(c.name for c in target.channels if same_model and _is_copied(source, target, c))
    near = any(any(f.cosited(c)) for f in (source, target) for c in f.channels if c.name not in copied)
    lines = not near and not copied and lined(source, size[0], math.lcm(2, period(target)[1]))
    found = arrangement(source, target, size, real, lines=lines, near=near)
    if source.model == "mosaic" and curve and sums_pay(source, target, size):
        colors = "sums"
    elif curve and by_entry(source):
        colors = "entries"
    else:
        colors = "numbers" if found.numbers else "samples"
    return ConversionPlan(
        source,
        target,
        asked,
        BlockGrid(size, *found.block, margin=near or (source.model == "mosaic" and not lines and not copied)),
        copied,
        in_ycbcr=same_model and source.model == "ycbcr",
        curve=curve,
        samples="lines" if lines else "rows" if found.read else "memory",
        packed=found.written,
        colors=colors,
        numbers=found.numbers if colors == "numbers" else 0,
    )


def sums_pay(source: Layout, target: Layout, size: tuple[int, int]) -> bool:
    """Whether the colors of a mosaic are looked up, of which each has a curve of its own."""
    if target.model == "alpha":
        return False
    count, pixels = color_model.added(source), math.prod(size)
    kinds = {(c.kind, c.bits) for c in target.channels if c.name != "A"} if target.model == "rgb" else {1}
    return count > 0 and pay(count, len(kinds), pixels if target.model == "mosaic" else 3 * pixels)


def by_entry(source: Layout) -> bool:
    """Whether the color of a pixel is that of an entry of a palette, and of nothing else."""
    return source.palette and all(c.entries or c.name == "I" for c in source.channels)


def _few_values(source: Layout) -> bool:
    """Whether the samples of a layout are the numbers that curves are looked up by."""
    if by_entry(source):
        return True
    few = all(c.kind == "u" and c.bits <= 16 for c in source.channels)
    # Of alpha and a color, the curve is of what is left of the color without it.
    alone = source.model == "alpha" or "A" not in source.names
    return source.model in ("rgb", "gray", "mosaic", "alpha") and alone and few


class Arrangement(NamedTuple):
    """Columns and rows of a block, whether samples are read from rows and written to rows, and columns of numbers."""

    block: tuple[int, int]
    read: bool = False
    written: bool = False
    numbers: int = 0


def arrangement(
    source: Layout, target: Layout, size: tuple[int, int], real: T.Type, *, lines: bool, near: bool
) -> Arrangement:
    """As few rows as make blocks of few pixels, and of few curves; see decision 28.

    `lines` are rows of a mosaic already, and if pixels are asked for that are `near` to others, curves are not apart.
    """
    # A block has its own rows, and a mosaic and chroma between rows need others.
    own = source.model != "mosaic" and not any(source.cosited(c)[1] for c in source.channels)
    whole = any(all(c.bits % 8 == 0 for c in f.channels) for f in (source, target))
    linear = [f.said["transfer"] == "linear" for f in (source, target)]
    curves = linear[0] != linear[1] and not _few_values(source)
    apart = curves and not near and source.model != "mosaic"
    halves = any(c.kind == "f" and c.bits == 16 for f in (source, target) for c in f.channels)
    quick = QUICK_BLOCK if whole and not halves else QUICK_BLOCK_OF_BITS
    if source.palette:
        quick = QUICK_BLOCK_OF_ENTRIES
    choices = [(False, False)]
    if not color_model.moved(source, target):
        choices = [(read, written) for written in (False, True) for read in (False, True) if own or not read]
    found: list[tuple[int, Arrangement]] = []
    for read, written in choices:
        mine = (2, 2) if lines else period(source, groups=not read)
        other = period(target, groups=not written)
        wide, tall = math.lcm(mine[0], other[0]), math.lcm(mine[1], other[1])
        most, numbers = wide * tall, 0
        # Blocks that would be too long are single groups, and of rows that are read they are all.
        short_enough = max(wide // other[0], tall // other[1]) <= MAX_GROUPS
        if read and not short_enough:
            continue
        block = (wide, tall) if short_enough else other
        if apart and short_enough and fits(size[0], tall, real, many=1 if target.model == "mosaic" else 3):
            # Colors are put in rows: either side has blocks of its own.
            numbers = math.lcm(mine[0], 2) if target.model == "mosaic" else mine[0]
            block = other[0], tall
            most = max(numbers, other[0]) * tall
        kept = [f for f, rows in ((source, read), (target, written)) if rows]
        if all(Rows(f, size, block[1], "rows").fits for f in kept):
            found.append((most, Arrangement(block, read, written, numbers)))
            if most <= quick:
                break
    return min(found, key=lambda each: each[0])[1]


def _is_copied(source: Layout, target: Layout, wanted: Channel) -> bool:
    """Whether each sample of a channel is one of a source with the same color model, or a constant."""
    name = color_model.origin(source, wanted.name)
    if name is None:
        return True
    # The pixels of each sample wanted share one sample that is given, at whose place it is or in between.
    given = source[name]
    sizes = (given.across, wanted.across), (given.down, wanted.down)
    sited = source.cosited(given), target.cosited(wanted)
    return sited[0] == sited[1] and all(
        mine == other if first else mine % other == 0
        for (mine, other), first in zip(sizes, sited[0], strict=True)
    )
