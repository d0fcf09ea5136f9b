"""Layouts: where each sample of a picture or of a sound lies in memory, bit by bit, made from one line of text.

A layout is data and knows no pixels: readers, writers and sizes follow from it. Every place is a little-endian bit
address, byte times eight plus bit, also of big-endian samples, which lie in several runs of bits. Between `notation`,
which reads the text, and `reference`, which says what reading and writing mean.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from dataclasses import field, replace
from functools import cached_property

from ..base.errors import InputError, brief
from ..base.record import record
from .notation import WORDS, NotationPiece, PlaneText, read, refuse

COLORS = {"R", "G", "B"}
LUMA = {"Y", "Cb", "Cr"}
MAX_INDEX_BITS = 16
MAX_CHANNELS = 16
"""Maximum channels of a layout, so that a block's code is bounded; sound has 8."""
MAX_BLOCK = 1024
"""Maximum pixels after which the groups of all planes begin together: code for a block is made for each of them."""
MAX_BYTES = (1 << 31) - 1
"""Maximum bytes of a picture in memory: addresses within it are signed 32-bit numbers."""


def _parts(number: int, size: int) -> int:
    """The number of parts of a size that hold a number of things."""
    return -(-number // size)


@record
class Run:
    """Bits of a sample that lie together: `width` of them, from its bit `low` on, from bit `start` of the group on."""

    low: int
    width: int
    start: int


@record
class Channel:
    """The samples of one kind, such as red.

    kind         "u", "s" or "f": unsigned, signed, or a float.
    bits         of one sample.
    plane        which plane it is in.
    places       for each of its samples in a group of that plane, the runs of its bits.
    across, down how many pixels one sample stands for.
    entries      how many samples there are whatever the size of the picture, for a channel of a palette; otherwise 0.
    """

    name: str
    kind: str
    bits: int
    plane: int
    places: tuple[tuple[Run, ...], ...]
    across: int
    down: int
    entries: int = 0

    @property
    def low(self) -> int:
        """The least number that an integer sample can hold."""
        return -(1 << (self.bits - 1)) if self.kind == "s" else 0

    @property
    def high(self) -> int:
        """The greatest number that an integer sample can hold."""
        return (1 << (self.bits - 1 if self.kind == "s" else self.bits)) - 1

    def shape(self, width: int, height: int) -> tuple[int, int]:
        """The number of rows and columns of samples of a picture of that size; a palette is one row of entries."""
        if self.entries:
            return 1, self.entries
        return _parts(height, self.down), _parts(width, self.across)


@record
class Plane:
    """A part of memory with rows of equal groups.

    bits         of one group: whole bytes.
    pixels       that a group holds.
    least        how many pixels the last group of a row must be filled up to.
    align        of which number of bytes a row takes a multiple.
    across, down how many pixels of the picture one of its pixels stands for.
    entries      how many pixels it has whatever the size of the picture, if it is a palette; otherwise 0.
    """

    bits: int
    pixels: int
    least: int
    align: int
    across: int
    down: int
    entries: int = 0

    def groups(self, width: int) -> int:
        """The number of groups of a row of that many pixels."""
        return _parts(self.entries or width, self.across * self.pixels)

    def row_bytes(self, width: int) -> int:
        """The bytes of a row for that many pixels, as far as nothing else is said."""
        pixels = _parts(self.entries or width, self.across * self.least) * self.least
        return _parts(_parts(pixels * self.bits, 8 * self.pixels), self.align) * self.align

    def rows(self, height: int) -> int:
        """The number of its rows for that many rows of pixels."""
        return 1 if self.entries else _parts(height, self.down)


@record(slots=False)
class Layout:
    """The layout of samples in memory, from one line of the notation (see `pellucid.pixels.notation`).

    `name` and `doc` are for people. Raises InputError, with a caret below the place, for text that contradicts itself.

    >>> raw10 = Layout("M0[9:2] M1[9:2] M2[9:2] M3[9:2] M0[1:0] M1[1:0] M2[1:0] M3[1:0] | rggb")
    >>> raw10.size(4000, 3000), raw10["M"].bits, raw10.planes[0].pixels
    (15000000, 10, 4)
    >>> Layout("Y:8; Cb:8 Cr:8 /2x2").size(5, 3)
    27
    >>> Layout("I:2; palette: R:8 G:8 B:8").size(5, 3)
    18
    """

    text: str
    name: str = ""
    doc: str = ""
    said: dict[str, str] = field(init=False)
    planes: tuple[Plane, ...] = field(init=False)
    channels: tuple[Channel, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Work out where everything lies."""
        if not isinstance(self.text, str):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may err
            fix = "give a line of text, such as R:5 G:6 B:5"
            raise InputError(f"{brief(self.text)} is no text", place="layout", fix=fix)
        written, said = read(self.text)
        planes: list[Plane] = []
        channels: dict[str, Channel] = {}
        for number, plane in enumerate(written):
            made, found = _plane(self.text, plane, number)
            planes.append(made)
            for channel, at in found:
                if channel.name in channels:
                    fix = "give a channel to one plane only"
                    raise refuse(self.text, at, f"{channel.name} is in another plane already", fix)
                if len(channels) == MAX_CHANNELS:
                    problem = f"{channel.name} is one more than {MAX_CHANNELS} channels"
                    raise refuse(self.text, at, problem, "leave out bits that nobody uses, such as _:8")
                channels[channel.name] = channel
            turned = [p for p, given in zip(planes, written, strict=False) if not given.palette]
            columns = math.lcm(*(p.pixels * p.across for p in turned))
            pixels = columns * math.lcm(*(p.down for p in turned))
            if pixels > MAX_BLOCK:
                problem = f"the groups of this plane and those before it meet every {pixels} pixels only"
                fix = f"at most {MAX_BLOCK} can be: give each plane groups of as many pixels"
                raise refuse(self.text, plane.at, problem, fix)
        _fill_palette(self.text, written, planes, channels)
        object.__setattr__(
            self, "said", {**{k: words[0] for k, words in WORDS.items() if k != "mosaic"}, **said}
        )
        object.__setattr__(self, "planes", tuple(planes))
        object.__setattr__(self, "channels", tuple(channels.values()))
        self._check(said)

    def _check(self, said: dict[str, str]) -> None:
        names = {c.name for c in self.channels}
        if "mosaic" in said and "M" not in names:
            at = self.text.rindex(said["mosaic"])
            raise refuse(
                self.text, at, "only a channel M is a mosaic", "call the samples M, such as M:12 | rggb"
            )
        for group in (COLORS, {"Cb", "Cr"}):
            if names & group and not names >= group:
                missing = ", ".join(sorted(group - names))
                raise refuse(
                    self.text, 0, f"there is {min(names & group)} but no {missing}", "name all of them"
                )
        if "Cb" in names and "Y" not in names:
            raise refuse(self.text, 0, "there is Cb but no Y", "name all of them")
        for kind, channel in (("alpha", "A"), ("matrix", "Cb"), ("siting", "Cb")):
            if kind in said and channel not in names:
                at = self.text.rindex(said[kind])
                raise refuse(self.text, at, f"{said[kind]!r} needs a channel {channel}", "leave it out")

        if said.get("polarity") == "negative" and any(c.kind != "u" for c in self.channels):
            at = self.text.rindex("negative")
            raise refuse(self.text, at, "only integers without a sign are negative", "leave it out")

    def __getitem__(self, name: str) -> Channel:
        """The channel of that name."""
        for channel in self.channels:
            if channel.name == name:
                return channel
        known = ", ".join(c.name for c in self.channels)
        raise InputError(f"has no channel {name}", place=f"layout {self}", fix=f"it has {known}")

    def __str__(self) -> str:
        """Its name, or else its text."""
        return self.name or self.text

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of its channels."""
        return tuple(c.name for c in self.channels)

    @property
    def palette(self) -> bool:
        """Whether its samples are indices of a palette."""
        return any(p.entries for p in self.planes)

    @cached_property
    def model(self) -> str:
        """The kind of its samples: rgb, ycbcr, gray, mosaic, alpha, or samples that mean nothing to the eye."""
        names = set(self.names)
        if names >= COLORS:
            return "rgb"
        if names >= LUMA:
            return "ycbcr"
        if names == {"A"}:
            return "alpha"
        return "mosaic" if "M" in names else "gray" if "Y" in names else "samples"

    def cosited(self, channel: Channel) -> tuple[bool, bool]:
        """Whether samples that several pixels share lie on the first of them, across and down; else between them."""
        siting = self.said["siting"]
        return channel.across > 1 and siting != "center", channel.down > 1 and siting == "topleft"

    def offsets(self, width: int, height: int) -> tuple[int, ...]:
        """The offset of each plane when they follow one another without a gap, and the end of the last one.

        Raises InputError if a side is no integer from 0 on.
        """
        try:
            # Numbers of NumPy would wrap.
            columns, lines = operator.index(width), operator.index(height)
        except TypeError:
            columns = lines = -1
        if min(columns, lines) < 0:
            fix = "give whole numbers, 0 or more"
            raise InputError(f"{brief(width)} x {brief(height)} is no size", place=f"layout {self}", fix=fix)
        found = [0]
        for plane in self.planes:
            found.append(found[-1] + plane.row_bytes(columns) * plane.rows(lines))
        return tuple(found)

    def size(self, width: int, height: int = 1) -> int:
        """The bytes that a picture of that size takes."""
        return self.offsets(width, height)[-1]


def _fill_palette(
    text: str, written: list[PlaneText], planes: list[Plane], channels: dict[str, Channel]
) -> None:
    """Give the palette, if there is one, an entry for each value of the channel of indices."""
    found = [k for k, plane in enumerate(written) if plane.palette]
    if not found:
        return
    number, at = found[0], written[found[0]].at
    if len(found) > 1:
        raise refuse(text, written[found[1]].at, "there is a palette already", "give one")
    index = channels.get("I")
    if index is None or index.plane == number:
        fix = "name a channel I outside of it, such as I:8; palette: R:8 G:8 B:8"
        raise refuse(text, at, "nothing says which entry of the palette a pixel has", fix)
    if index.kind != "u" or index.bits > MAX_INDEX_BITS:
        at = next(p.at for plane in written for p in plane.pieces if p.channel == "I")
        raise refuse(text, at, "these are no indices", f"give I 1 to {MAX_INDEX_BITS} bits without a sign")
    if (planes[number].across, planes[number].down) != (1, 1):
        raise refuse(text, at, "the entries of a palette stand for no pixels", "leave the subsampling out")
    entries = 1 << index.bits
    planes[number] = replace(planes[number], entries=entries)
    for name, channel in channels.items():
        if channel.plane == number:
            channels[name] = replace(channel, entries=entries)


def _plane(
    text: str, written: PlaneText, number: int, again: int | None = None
) -> tuple[Plane, list[tuple[Channel, int]]]:
    """A plane and its channels, each with the place in the text where it begins."""
    bits = sum(p.width for p in written.pieces)
    samples: dict[str, dict[int, list[tuple[NotationPiece, tuple[Run, ...]]]]] = {}
    where = 0
    for piece in written.pieces:
        if piece.channel != "_":
            runs = _runs(piece, where, written.order)
            samples.setdefault(piece.channel, {}).setdefault(piece.pixel, []).append((piece, runs))
        where += piece.width
    if not samples:
        raise refuse(text, written.at, "no bit of the plane is used", "name a channel, such as Y:8")
    pixels = 1 + max(pixel for found in samples.values() for pixel in found)
    if pixels > 1 and bits % 8:
        fix = f"add _:{-bits % 8}, or give more pixels"
        raise refuse(
            text, written.at, f"a group of {pixels} pixels has {bits} bits, which are no whole bytes", fix
        )
    least = pixels
    if bits % 8:
        # Single pixels go on in the middle of a byte: a group are as many of them as fill whole bytes.
        pixels = 8 // math.gcd(bits, 8)
        repeated = tuple(p for k in range(pixels) for p in _moved(written.pieces, k))
        return _plane(text, replace(written, pieces=repeated), number, least)
    plane = Plane(bits, pixels, least if again is None else again, written.rows, written.across, written.down)
    channels: list[tuple[Channel, int]] = []
    for name, found in samples.items():
        first = min((p for given in found.values() for p, _ in given), key=lambda p: p.at)
        step = _step(text, name, sorted(found), pixels, first.at)
        places: list[tuple[Run, ...]] = []
        kinds: set[tuple[str, int]] = set()
        for pixel in sorted(found):
            kind, width, runs = _sample(text, name, found[pixel])
            kinds.add((kind, width))
            places.append(runs)
        if len(kinds) > 1:
            raise refuse(
                text, first.at, f"{name} has samples of different types", "give each pixel the same type"
            )
        kind, width = kinds.pop()
        channels.append(
            (
                Channel(name, kind, width, number, tuple(places), step * written.across, written.down),
                first.at,
            )
        )
    return plane, channels


def _moved(pieces: tuple[NotationPiece, ...], pixel: int) -> Iterator[NotationPiece]:
    """The pieces of another pixel of a group."""
    return (replace(p, pixel=pixel) for p in pieces)


def _step(text: str, name: str, pixels: list[int], count: int, at: int) -> int:
    """The number of pixels of the group that each sample of a channel stands for."""
    step = count // len(pixels)
    if count % len(pixels) or pixels != list(range(0, count, step)):
        told = ", ".join(map(str, pixels))
        fix = f"count its samples evenly from 0 to below {count}"
        raise refuse(text, at, f"{name} is there for the pixels {told} of {count}", fix)
    return step


def _sample(
    text: str, name: str, given: list[tuple[NotationPiece, tuple[Run, ...]]]
) -> tuple[str, int, tuple[Run, ...]]:
    """Kind, bits and runs of one sample; its pieces must be all of it, and nothing twice."""
    if len(given) > 1 and any(piece.whole for piece, _ in given):
        again = given[1][0]
        raise refuse(
            text, again.at, f"{name} is given twice", "count the pixels of a group: Y0 Y1, or name bits"
        )
    bits = 1 + max(piece.high for piece, _ in given)
    taken = 0
    for piece, _ in given:
        mask = ((1 << piece.width) - 1) << piece.low
        if taken & mask:
            fix = "give each bit of a sample once"
            raise refuse(text, piece.at, f"{name}[{piece.high}:{piece.low}] is there already", fix)
        taken |= mask
    if taken != (1 << bits) - 1:
        missing = next(k for k in range(bits) if not taken >> k & 1)
        fix = "give all bits below the highest"
        raise refuse(text, given[0][0].at, f"bit {missing} of {name} is nowhere", fix)
    runs = sorted((r for _, found in given for r in found), key=lambda r: r.low)
    return given[0][0].kind, bits, _joined(runs)


def _runs(piece: NotationPiece, where: int, order: str) -> tuple[Run, ...]:
    """The places of the bits of a piece that begins at a bit of its group, in the order of the plane."""
    if order == "lsb":
        return (Run(piece.low, piece.width, where),)
    # Counted from the top of the first byte down; in each byte the piece has one run.
    runs: list[Run] = []
    left = piece.width
    while left:
        byte, used = divmod(where, 8)
        width = min(left, 8 - used)
        left -= width
        runs.append(Run(piece.low + left, width, 8 * byte + 8 - used - width))
        where += width
    return tuple(runs)


def _joined(runs: list[Run]) -> tuple[Run, ...]:
    """The runs from low bits to high, those that go on in memory as one."""
    found: list[Run] = []
    for run in runs:
        if found and found[-1].start + found[-1].width == run.start:
            last = found.pop()
            found.append(Run(last.low, last.width + run.width, last.start))
        else:
            found.append(run)
    return tuple(found)
