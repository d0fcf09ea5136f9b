"""Pictures drawn straight into packed formats: the nest that computes pixels and stores the bytes of their groups.

One pass: a pixel is computed once, however many planes it goes to; where groups are long, a row of samples is packed
when all of it is there (see `rows`), and nothing else is kept in between. A nest is made for one layout and one size,
so that whole blocks need no test and what is left at the right and at the bottom stands by itself. Planes are stored in
bytes, or in the words that their samples lie in (see decision 27). Stands on the driver, which traces, optimizes and
runs it as it does frames.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..backends.port import Code, address
from ..base.arrays import bytes_for
from ..base.errors import InputError
from ..base.memory import available_memory, readable_bytes
from ..base.room import with_room
from ..driver.frame import COLUMN, ROW, Colors, Frame, build_into
from ..driver.kernel import Kernel, code_of
from ..driver.view import View, check_count, checked_view
from ..ir import nest as N
from ..ir import types as T
from ..ir.expr import Buffer, Expr, apply, const, index
from ..ir.facts import Facts
from ..loops.build import folded
from ..reasoning.infer import FactsOf
from ..tracing import Param
from ..tracing import functions as F
from ..tracing.transfer import to_linear
from . import meaning
from .access import bits_type, plus, times, write
from .formats import layout_of
from .layout import MAX_BYTES, Channel, Layout
from .rows import Rows, Samples

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
EDGE = index("edge")
WORDS = (T.u8, T.u16, T.u32)
"""The types of the elements of planes."""
_ALWAYS_THERE = 16 << 20
"""Bytes for which the system is not asked whether they are available."""
_made: WeakKeyDictionary[Kernel, dict[tuple[str, tuple[int, int], bool, bool, bool], _Made]] = (
    WeakKeyDictionary()
)


def packed(
    kernel: Kernel, layout: Layout, size: tuple[int, int], *, out: Bytes | None = None, **look: Any
) -> Bytes:
    """The bytes of a picture in a layout: its planes one after another.

    `look` is what `driver.checked_view` takes: center, zoom, time, samples, threads, params. What is not opaque is laid
    on black if the layout has no alpha. Unused bits are zero, but bytes of `out` that hold no sample stay as
    they are. Raises InputError for a layout with a palette or with samples that are no colors, or an `out` of another
    size, and as `Kernel.render` does.

    >>> import pellucid as pl
    >>> from pellucid import images as im
    >>> packed(pl.compile(im.const(im.red)), Layout("B:5 G:6 R:5"), (2, 1)).tobytes().hex()
    '00f800f8'
    """
    check_drawable(layout)
    view = checked_view(size, precision=kernel.options.precision, **look)
    out = destination(layout, view.size, out)
    made = _made_for(kernel, layout, view, aligned=aligned(out))
    memory = parts(layout, view.size, out, made.planes)
    made.code.run(kernel.values(view, params=made.params), memory, threads=view.threads)
    return out


def check_drawable(layout: Layout) -> None:
    """Check that pictures can be drawn into a layout.

    Raises InputError for one with a palette, or with samples that are no colors.
    """
    if layout.model == "samples":
        raise InputError(
            f"the samples of {layout} are no colors", place="format", fix="name channels R G B or Y Cb Cr"
        )
    if layout.palette:
        fix = "give a format that stores the colors themselves, such as rgb332"
        raise InputError(f"pictures are not drawn with the palette of {layout}", place="format", fix=fix)


def destination(layout: Layout, size: tuple[int, int], out: Bytes | None) -> Bytes:
    """The memory for a picture in a layout: what is given, or new.

    Raises InputError for an array that does not fit, and for too many pixels.
    """
    check_count(*size)
    count = layout.size(*size)
    check_bytes(layout, size, count)
    if out is not None:
        return bytes_for(out, count)
    available = available_memory() if count > _ALWAYS_THERE else None
    if available is not None and count > available:
        problem = f"{size[0]} x {size[1]} in {layout} take {readable_bytes(count)}"
        raise InputError(
            problem, place="size", fix=f"{readable_bytes(available)} are available: draw it in parts"
        )
    return np.zeros(count, np.uint8)


def check_bytes(layout: Layout, size: tuple[int, int], count: int) -> None:
    """Check that a picture has so few bytes that each of them has an address.

    Raises InputError if it has more than `MAX_BYTES`.
    """
    if count > MAX_BYTES:
        problem = f"{size[0]} x {size[1]} in {layout} take {count} bytes, more than {MAX_BYTES}"
        raise InputError(problem, place="size", fix="convert it in parts")


def aligned(memory: Bytes) -> bool:
    """Whether memory begins at a multiple of every word that planes are stored in."""
    return address(memory) % (WORDS[-1].bits // 8) == 0


def parts(
    layout: Layout, size: tuple[int, int], memory: Bytes, planes: tuple[Buffer, ...]
) -> dict[Buffer, np.ndarray[Any, Any]]:
    """The memory of each plane of a picture in a layout."""
    bounds = itertools.pairwise(layout.offsets(*size))
    return {p: memory[start:stop].view(p.type.dtype) for p, (start, stop) in zip(planes, bounds, strict=True)}


@functools.lru_cache(maxsize=64)
def planes_of(text: str, size: tuple[int, int], *, aligned: bool, name: str = "plane") -> tuple[Buffer, ...]:
    """The buffers that stand for the planes of a picture in the layout of that text, for memory aligned to its words.

    >>> planes_of("B:5 G:6 R:5", (6, 4), aligned=True)[0].type, planes_of("Y:5 _:3", (6, 4), aligned=True)[0].type
    (u16, u8)
    """
    layout, found = layout_of(text), list[Buffer]()
    for k, (start, stop) in enumerate(itertools.pairwise(layout.offsets(*size))):
        apart = math.gcd(start, layout.planes[k].row_bytes(size[0])) if aligned else 1
        word = element_of(layout, k, apart)
        found.append(Buffer(f"{name}_{k}", word, (stop - start) // (word.bits // 8)))
    return tuple(found)


def element_of(layout: Layout, number: int, apart: int) -> T.Type:
    """The least word in which every sample of a plane is stored whole, where rows begin at multiples of `apart` bytes.

    Bytes, if there is none, or if a word would have bytes that hold no sample: these stay as they are.
    """
    bits = layout.planes[number].bits
    runs = [run for c in layout.channels if c.plane == number for place in c.places for run in place]
    ends = [(run.start, run.start + run.width - 1) for run in runs]
    filled = {k for first, last in ends for k in range(first // 8, last // 8 + 1)} == {*range(bits // 8)}
    for word in WORDS if filled else ():
        even = bits % word.bits == 0 and 8 * apart % word.bits == 0
        if even and all(first // word.bits == last // word.bits for first, last in ends):
            return word
    return T.u8


@dataclass(frozen=True, slots=True)
class _Made:
    """What was compiled for a layout and a size: the code, the planes it fills, and the picture's parameters."""

    code: Code
    planes: tuple[Buffer, ...]
    params: Mapping[str, Param]


def _made_for(kernel: Kernel, layout: Layout, view: View, *, aligned: bool) -> _Made:
    size, many = view.size, view.samples != 1
    # The usual view is compiled in: pixels are then where samples are.
    usual = (view.center, view.zoom) == ((0.0, 0.0), 1.0)
    key = layout.text, size, usual, many, aligned
    made = _made.setdefault(kernel, {})
    if key not in made:

        def work() -> _Made:
            planes = planes_of(layout.text, size, aligned=aligned)
            frame = nest_of(kernel, layout, size, planes, usual=usual, many=many)
            return _Made(code_of(frame, kernel.options), planes, frame.params)

        made[key] = with_room(work)
    return made[key]


def nest_of(
    kernel: Kernel,
    layout: Layout,
    size: tuple[int, int],
    planes: tuple[Buffer, ...],
    *,
    usual: bool,
    many: bool,
) -> Frame:
    """The nest that draws into the planes of a layout; for the usual view, or for any, with one sample or many."""
    known: dict[str, float] = {"width": size[0], "height": size[1]}
    known |= {"center_x": 0.0, "center_y": 0.0, "scale": 1.0} if usual else {}
    whole, alone = (math.prod(turn(layout, groups=groups)) for groups in (True, False))
    # A picture is compiled for each pixel of a block by itself.
    rows = Rows(layout, size, turn(layout)[1], "written") if whole > alone else None
    return build_into(
        kernel.source,
        kernel.options.real,
        lambda colors: Filling(layout, size, planes, rows=rows if rows and rows.fits else None).nest(colors),
        planes,
        known=known,
        supersample=many,
        name="packed",
    )


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


class Filling:
    """Writes the nest: blocks of whole groups of all planes, row after row.

    Blocks are `longer` times as long and as high as the layout asks for. With a `margin`, the first and the last block
    of a row stand by themselves, for colors that depend on neighbors. `as_stored` colors are amounts of light already,
    if the layout keeps these, and `as_levels` they are Y, Cb and Cr. `facts` is what is known of the columns and rows
    that colors are asked for at the time. A block of rows is put `around`: what its colors are
    made of. Of channels in `copied`, the bits of the
    sample at a pixel are had without its color. With `rows`, samples are put there, and packed when a row of blocks is
    done: blocks need not be whole groups then.
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
        around: Callable[[Expr, int, N.Block], N.Block] | None = None,
        as_kept: bool = False,
        copied: Mapping[str, Callable[[Expr, Expr], Expr]] = MappingProxyType({}),
        rows: Rows | None = None,
    ) -> None:
        self.layout, self.planes, self.margin, self.around = layout, planes, margin, around
        self.as_levels, self.as_kept, self.copied, self.rows = as_levels, as_kept, copied, rows
        self.width, self.height = size
        whole = turn(layout, groups=rows is None)
        self.across, self.down = (n * by for n, by in zip(whole, longer, strict=True))
        self.linear = layout.said["transfer"] == "linear" and not as_stored
        self.curve: Callable[[Any], Any] = to_linear
        self.facts = FactsOf()

    def within(self, around: Callable[[Expr, int, N.Block], N.Block]) -> None:
        """Put something more around a block of rows, inside of what is there."""
        outer = self.around

        def both(row: Expr, tall: int, body: N.Block) -> N.Block:
            inner = around(row, tall, body)
            return inner if outer is None else outer(row, tall, inner)

        self.around = both

    def nest(self, colors: Colors) -> N.Block:
        """The whole picture."""
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
            if self.rows is not None:

                def packed(number: int, line: Expr, group: Expr, samples: Samples) -> N.Block:
                    lines = self.down // self.layout.planes[number].down
                    return self._group(number, plus(times(row, lines), line), group, samples)

                found = self.rows.packed(found, tall, packed)
            return found if self.around is None else self.around(row, tall, found)

        body: N.Block = ()
        if rows:
            body += (N.For(ROW, zero, const(rows, T.i32), line(ROW, self.down)),)
        if below:
            body += line(const(rows, T.i32), below)
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
