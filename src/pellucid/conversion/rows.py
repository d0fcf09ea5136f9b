"""A few rows of samples in scratch memory, each sample a word of its own: between a layout's groups and single pixels.

Where groups of two layouts only come together after many pixels, a block of all of them would be long, and its code be
long in the making. Then samples are unpacked to rows first, or packed from rows last, and colors are made in between,
one or two at a time. Beside `lines`, which does so for a mosaic's neighbors; between `access`, which reads and writes
groups, and `nests`, which puts the nest together; see decision 28.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..ir import nest as N
from ..ir import types as T
from ..ir.expr import Buffer, Expr, apply, const, index
from ..pixels.layout import Channel, Layout
from .access import PlaneMemory, bits_type, in_block, least_type, parted, plus, read, signed, times
from .scratch import Scratch

MAX_BYTES = 32 << 10
"""Maximum bytes of the rows of a block: a quarter of the cache of a core, because there may be other stages."""
Samples = dict[str, list[Expr]]
"""The bits of the samples of a group, by channel."""


class ChannelPlace(NamedTuple):
    """The places of the samples of a channel.

    buffer      that of their plane.
    stride      elements from line to line.
    step        elements of a unit: as few pixels as have whole samples of all channels of the plane.
    first       of the elements of a unit that are the channel's.
    every       how many of them, one after the other.
    """

    buffer: Scratch
    stride: int
    step: int
    first: int
    every: int


class Rows:
    """The samples of `tall` rows of pixels of a layout; `name` is that of their memory.

    Samples of a plane are beside each other, in words of one type, so that groups are moved to and from them whole.
    """

    def __init__(
        self,
        layout: Layout,
        size: tuple[int, int],
        tall: int,
        name: str,
        memories: Sequence[PlaneMemory] = (),
    ) -> None:
        self.layout, self.size, self.tall, self.memories = layout, size, tall, memories
        # Where a loop of the same index was longer, less would be known.
        self.line, self.group = index(f"{name}_line"), index(f"{name}_group")
        self.words: list[Scratch] = []
        self.places: dict[str, ChannelPlace] = {}
        for number, plane in enumerate(layout.planes):
            channels = self._of(number)
            if not channels:
                continue
            word = least_type(max(c.bits for c in channels))
            unit = math.lcm(*(c.across for c in channels))
            step = sum(unit // c.across for c in channels)
            stride = -(-size[0] // unit) * step
            buffer = Scratch(f"{name}_{number}", word, stride * (tall // plane.down), size[1] // tall)
            first = 0
            for c in channels:
                self.places[c.name] = ChannelPlace(buffer, stride, step, first, unit // c.across)
                first += unit // c.across
            self.words.append(buffer)

    @property
    def fits(self) -> bool:
        """Whether they are few enough bytes.

        >>> Rows(Layout("Y:1"), (1920, 1080), 1, "rows").fits, Rows(Layout("Y:1"), (100_000, 9), 1, "rows").fits
        (True, False)
        """
        return sum(b.length * b.type.bits for b in self.words) <= 8 * MAX_BYTES

    def arrays(self, block: Expr) -> list[Buffer]:
        """The arrays of a block of rows."""
        return [b.of(block) for b in self.words]

    def fill(self, block: Expr, tall: int) -> N.Block:
        """The samples of a block of rows, of which `tall` are in the picture, are unpacked from their memories."""

        def group(number: int, line: Expr, at: Expr, there: dict[str, int]) -> N.Block:
            found: list[N.Store] = []
            for c in self._of(number):
                row = plus(times(block, self.tall // c.down), line)
                for k in range(there[c.name]):
                    column = plus(times(at, len(c.places)), k)
                    bits = read(self.layout, c, self.memories[number], column, row)
                    found.append(self.store(c, block, column, line, bits))
            return tuple(found)

        return self._groups(tall, group)

    def packed(self, block: Expr, tall: int, write: Callable[[int, Expr, Expr, Samples], N.Block]) -> N.Block:
        """The statements of `write` for the samples of each group of a block of rows.

        It is given the plane of a group, its line and its number in that, and the samples.
        """

        def group(number: int, line: Expr, at: Expr, there: dict[str, int]) -> N.Block:
            samples: Samples = {}
            for c in self._of(number):
                # Wherever the row ends, its last group is a whole one.
                none: Expr = const(0, bits_type(c))
                samples[c.name] = [
                    self.bits(c, block, plus(times(at, len(c.places)), k), line)
                    if k < there[c.name]
                    else none
                    for k in range(len(c.places))
                ]
            return write(number, line, at, samples)

        return self._groups(tall, group)

    def _groups(self, tall: int, group: Callable[[int, Expr, Expr, dict[str, int]], N.Block]) -> N.Block:
        """The statements of `group` for all groups: it gets a plane, a line, a number, and the samples that exist."""
        found: N.Block = ()
        for number, plane in enumerate(self.layout.planes):
            if plane.entries:
                continue
            whole = self.size[0] // (plane.pixels * plane.across)
            every = {c.name: len(c.places) for c in self._of(number)}
            left = {c.name: c.shape(self.size[0], 1)[1] - whole * len(c.places) for c in self._of(number)}
            lines = -(-tall // plane.down)
            line = self.line if lines > 1 else const(0, T.i32)
            inner: N.Block = ()
            if whole:
                loop = N.For(
                    self.group, const(0, T.i32), const(whole, T.i32), group(number, line, self.group, every)
                )
                inner += (loop,)
            if any(left.values()):
                inner += group(number, line, const(whole, T.i32), left)
            found += (N.For(self.line, const(0, T.i32), const(lines, T.i32), inner),) if lines > 1 else inner
        return found

    def _of(self, number: int) -> list[Channel]:
        return [c for c in self.layout.channels if c.plane == number and not c.entries]

    def sample(self, channel: Channel, column: Expr, row: Expr) -> Expr:
        """The sample of a column and row of samples, as a number of `word_type`, where blocks count the rows."""
        lines = self.tall // channel.down
        block, within = in_block(row, lines)
        return signed(channel, self.bits(channel, block, column, const(within, T.i32)))

    def bits(self, channel: Channel, block: Expr, column: Expr, line: Expr) -> Expr:
        """The bits of a sample, zero above it."""
        word, wide = self.places[channel.name].buffer, bits_type(channel)
        found = word.load(block, self._place(channel, column, line))
        found = found if word.type is wide else apply("convert", found, attr=wide)
        if channel.bits == word.type.bits:
            return found
        # Which tells what is in memory.
        return apply("and", found, const((1 << channel.bits) - 1, wide))

    def store(self, channel: Channel, block: Expr, column: Expr, line: Expr, bits: Expr) -> N.Store:
        """Store the bits of a sample, whatever the word has above them."""
        word = self.places[channel.name].buffer
        value = bits if bits.type is word.type else apply("convert", bits, attr=word.type)
        return word.store(block, self._place(channel, column, line), value)

    def _place(self, channel: Channel, column: Expr, line: Expr) -> Expr:
        place = self.places[channel.name]
        found = parted(column, place.every)
        if found is None:
            count = const(place.every, T.i32)
            unit, within = apply("floor_div", column, count), apply("mod", column, count)
        else:
            unit, within = found
        at = plus(plus(times(unit, place.step), within), place.first)
        return plus(times(line, place.stride), at)
