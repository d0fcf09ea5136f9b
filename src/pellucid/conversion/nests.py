"""The nest of a conversion: samples decoded, changed in depth or color, and encoded, in whole groups of both formats.

Between `decode` and `encode`, and `canvas`, whose `convert` has it compiled and run.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..driver.frame import Frame, build_nest, color_of
from ..driver.options import Options
from ..ir import types as T
from ..ir.expr import Buffer, Expr, apply, const
from ..ir.nest import Block
from ..loops.analysis.lookups import NUMBER
from ..pixels import Channel, Layout, layout_of
from ..tracing import Value
from . import meaning
from .access import Memory, least_type
from .curves import Curves, fits
from .decode import Decoder
from .encode import Encoder, turn
from .entries import Entries
from .lines import Lines, lined
from .packing import planes_of
from .rows import Rows
from .scratch import Stage, scheduled, staged
from .tables import Tables, pay

LONGEST = 8
"""How many groups of the target one block has at most."""
SHORT, SHORT_BITS, SHORT_ENTRIES = 6, 4, 2
"""Of how many pixels blocks are soon compiled: if a format has whole bytes, if none has or there are half floats, of
entries of a palette."""


class Conversion(NamedTuple):
    """What is asked for: the texts of two layouts, the size of the picture, the planes read, and the planes written."""

    source: str
    target: str
    size: tuple[int, int]
    given: tuple[Buffer, ...]
    planes: tuple[Buffer, ...]


def conversion(
    source: Layout, target: Layout, size: tuple[int, int], *, read: bool = True, written: bool = True
) -> Conversion:
    """What is asked for by the conversion of any bytes, from and to memory that is aligned to words or is not."""
    # What is only moved is moved by windows on bytes.
    words = read and not meaning.moved(source, target)
    given = planes_of(source.text, size, aligned=words, name="source")
    return Conversion(source.text, target.text, size, given, planes_of(target.text, size, aligned=written))


def nest_between(asked: Conversion, options: Options) -> Frame:
    """The nest of a conversion.

    Its blocks are whole groups of both, so that the place of each sample in its group is known. What both have alike is
    not converted: see decision 26.
    """
    source, target, size = layout_of(asked.source), layout_of(asked.target), asked.size
    # Where both keep amounts of light, no curve is taken there and back.
    as_stored = source.said["transfer"] == target.said["transfer"]
    alike = meaning.alike(source, target)
    levels = alike and source.model == "ycbcr"
    memories = [
        Memory(b, 0, 8 * p.row_bytes(size[0]) // b.type.bits)
        for b, p in zip(asked.given, source.planes, strict=True)
    ]
    packed = Decoder(source, memories, *size, as_stored=as_stored, as_levels=levels)
    copied = _copied(packed, target) if alike else {}
    near = any(any(f.cosited(c)) for f in (source, target) for c in f.channels if c.name not in copied)
    lines = not near and not copied and lined(source, size[0], math.lcm(2, turn(target)[1]))
    (wide, tall), read, written, numbers = _stages(source, target, size, options.real, lines=lines, near=near)
    stages: list[Stage] = []
    if lines:
        mosaic = Lines(source, packed.planes[0], size, tall)
        packed.near = mosaic.near
        stages.append(Stage((mosaic.words,), mosaic.unpacked))
    elif read is not None:
        packed.rows = read
        stages.append(Stage(read.words, functools.partial(read.unpacked, memories)))
    other = turn(target, groups=written is None)
    longer = wide // other[0], tall // other[1]
    if max(longer) > LONGEST:
        longer = 1, 1
    near = near or (source.model == "mosaic" and not lines and not copied)
    filling = Encoder(
        target,
        size,
        asked.planes,
        longer,
        margin=near,
        as_stored=as_stored,
        as_levels=levels,
        as_kept=True,
        copied=copied,
        rows=written,
    )

    def color(column: Expr, row: Expr) -> Any:
        packed.facts = filling.facts
        return filling.kept(color_of(packed(column, row)))

    def of_entry(entry: Expr, _: Expr) -> Any:
        packed.entry = entry
        return color(entry, entry)

    def write() -> Block:
        if source.model == "mosaic" and not as_stored and _pays(source, target, size):
            return _looked_up(packed, filling, stages)
        curved = filling if filling.linear else packed
        if _by_entry(source) and not as_stored:
            # Curves are for each entry of a palette, not for each pixel.
            count, none = 1 << source["I"].bits, const(0, T.i32)
            curves = Curves((count, 1), 1, 1, curved, of_entry)
            entries = Entries(count, lambda entry: curves(entry, none))
            filling.copied = _of_entries(packed, target, entries)
            body = filling.nest(lambda column, row: entries(packed.index(column, row)), stages)
            made = curves.curved_numbers(none, 1)
            return staged((curves.numbers,), none, 0, made, entries.around(body))
        if numbers is None:
            return filling.nest(color, stages)
        site = functools.partial(meaning.site, target) if target.model == "mosaic" else None
        curves = Curves(size, tall, numbers, curved, color, site)
        return filling.nest(curves, [*stages, Stage((curves.numbers,), curves.curved_numbers)])

    frame = build_nest(write, options.real, asked.planes, "packed")
    return replace(frame, kernel=scheduled(frame.kernel).kernel)


def _of_entries(packed: Decoder, target: Layout, entries: Entries) -> dict[str, Callable[[Expr, Expr], Expr]]:
    """The channels whose samples are of one pixel each, and how to have their bits for its entry of a palette."""

    def bits(channel: Channel, column: Expr, row: Expr) -> Expr:
        r, g, b, a = entries.made
        if target.model == "mosaic":
            r = (r, g, b)[meaning.site_of(target, column, row)]
        made = meaning.stored(target, (r, g, b, a), channel.name)[channel.name]
        return entries.sample(made, channel.bits, packed.index(column, row))

    return {c.name: functools.partial(bits, c) for c in target.channels if c.across == c.down == 1}


def _pays(source: Layout, target: Layout, size: tuple[int, int]) -> bool:
    """Whether the colors of a mosaic are looked up, of which each has a curve of its own."""
    if target.model == "alpha":
        return False
    count, pixels = meaning.added(source), math.prod(size)
    kinds = {(c.kind, c.bits) for c in target.channels if c.name != "A"} if target.model == "rgb" else {1}
    return count > 0 and pay(count, len(kinds), pixels if target.model == "mosaic" else 3 * pixels)


def _looked_up(packed: Decoder, filling: Encoder, stages: Sequence[Stage]) -> Block:
    """The nest with tables of what a sum of samples of a mosaic becomes: bits that are of one color, or a color."""
    target, tables = filling.layout, Tables(meaning.added(packed.layout))
    number = Value(NUMBER)
    light, *_, alpha = filling.kept(color_of(packed.of_sums(number, number, number)))

    @functools.cache
    def sums(column: Expr, row: Expr) -> tuple[Value, Value, Value]:
        packed.facts = filling.facts
        return packed.sums(column, row)

    def bits(channel: Channel, column: Expr, row: Expr) -> Expr:
        made = meaning.stored(target, (light, light, light, alpha), channel.name)[channel.name]
        if channel.name == "A":
            return made
        at = meaning.site_of(target, column, row) if target.model == "mosaic" else "RGB".index(channel.name)
        least = apply("convert", made, attr=least_type(channel.bits))
        return apply("convert", tables(least, sums(column, row)[at].expr), attr=made.type)

    def color(column: Expr, row: Expr) -> Any:
        return (*[Value(tables(light.expr, total.expr)) for total in sums(column, row)], alpha)

    if target.model in ("rgb", "mosaic"):
        filling.copied = {c.name: functools.partial(bits, c) for c in target.channels}
    return tables.around(filling.nest(color, stages))


def _by_entry(source: Layout) -> bool:
    """Whether the color of a pixel is that of an entry of a palette, and of nothing else."""
    return source.palette and all(c.entries or c.name == "I" for c in source.channels)


def _few_values(source: Layout) -> bool:
    """Whether the samples of a layout are the numbers that curves are looked up by."""
    if _by_entry(source):
        return True
    few = all(c.kind == "u" and c.bits <= 16 for c in source.channels)
    # Of alpha and a color, the curve is of what is left of the color without it.
    alone = source.model == "alpha" or "A" not in source.names
    return source.model in ("rgb", "gray", "mosaic", "alpha") and alone and few


class _Stages(NamedTuple):
    """How a conversion goes about its pixels.

    block     columns and rows of a block of the target.
    read      the rows that samples are unpacked to before it, if there are any.
    written   the rows that samples are packed from after it, if there are any.
    numbers   how many columns of numbers are put in rows at once to have their curve, if they are.
    """

    block: tuple[int, int]
    read: Rows | None
    written: Rows | None
    numbers: int | None


def _stages(
    source: Layout, target: Layout, size: tuple[int, int], real: T.Type, *, lines: bool, near: bool
) -> _Stages:
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
    short = SHORT_ENTRIES if source.palette else SHORT if whole and not halves else SHORT_BITS
    choices = [(False, False)]
    if not meaning.moved(source, target):
        choices = [(read, written) for written in (False, True) for read in (False, True) if own or not read]
    found: list[tuple[int, _Stages]] = []
    for read, written in choices:
        mine = (2, 2) if lines else turn(source, groups=not read)
        other = turn(target, groups=not written)
        block = wide, tall = math.lcm(mine[0], other[0]), math.lcm(mine[1], other[1])
        most, numbers = wide * tall, None
        # Blocks that would be too long are single groups, and of rows that are read they are all.
        short_enough = max(wide // other[0], tall // other[1]) <= LONGEST
        if read and not short_enough:
            continue
        if apart and short_enough and fits(size[0], tall, real, many=1 if target.model == "mosaic" else 3):
            # Colors are put in rows: either side has blocks of its own.
            numbers = math.lcm(mine[0], 2) if target.model == "mosaic" else mine[0]
            block = other[0], tall
            most = max(numbers, other[0]) * tall
        before = Rows(source, size, tall, "read") if read else None
        after = Rows(target, size, tall, "written") if written else None
        if all(rows is None or rows.fits for rows in (before, after)):
            found.append((most, _Stages(block, before, after, numbers)))
            if most <= short:
                break
    return min(found, key=lambda each: each[0])[1]


def _copied(packed: Decoder, target: Layout) -> dict[str, Callable[[Expr, Expr], Expr]]:
    """The channels of a layout of which each sample is one of another layout that is alike, and how to have them."""
    source, found = packed.layout, dict[str, Callable[[Expr, Expr], Expr]]()

    def bits(name: str, column: Expr, row: Expr) -> Expr:
        given = meaning.origin(source, name)
        sample = None if given is None else packed.sample(given, column, row)
        return meaning.recoded(source, target, name, sample)

    for channel in target.channels:
        name = meaning.origin(source, channel.name)
        if name is None or _of_one(source, source[name], target, channel):
            found[channel.name] = functools.partial(bits, channel.name)
    return found


def _of_one(source: Layout, given: Channel, target: Layout, wanted: Channel) -> bool:
    """Whether the pixels of each sample wanted share one sample that is given, at whose place it is or in between."""
    sizes = (given.across, wanted.across), (given.down, wanted.down)
    sited = zip(source.cosited(given), target.cosited(wanted), strict=True)
    return all(
        mine == other if any(first) else mine % other == 0
        for (mine, other), first in zip(sizes, sited, strict=True)
    ) and source.cosited(given) == target.cosited(wanted)
