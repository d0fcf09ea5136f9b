"""Layouts that nobody thought of, and what they mean: every bit of every sample by plain Python, one after another.

Made without the program's own reading of the notation: a layout here is the list that its line is written from.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from hypothesis import strategies as st

Samples = dict[str, list[list[int]]]


@dataclass(frozen=True)
class Piece:
    """Bits high to low of a sample of a channel at a pixel of the group, or unused bits of channel `_`."""

    channel: str
    pixel: int
    high: int
    low: int


@dataclass(frozen=True)
class Kind:
    """The type of a channel's samples."""

    letter: str
    bits: int


@dataclass(frozen=True)
class Plane:
    """Pieces in the order of memory, repeated along each row."""

    order: str
    pieces: tuple[Piece, ...]
    pixels: int
    across: int
    down: int
    align: int
    entries: int

    @property
    def bits(self) -> int:
        return sum(p.high - p.low + 1 for p in self.pieces)

    def row_bytes(self, width: int) -> int:
        groups = math.ceil((self.entries or width) / (self.across * self.pixels))
        return math.ceil(math.ceil(groups * self.bits / 8) / self.align) * self.align

    def rows(self, height: int) -> int:
        return 1 if self.entries else math.ceil(height / self.down)

    def samples(self, channel: str) -> list[int]:
        """At which pixels of the group a channel has samples."""
        return sorted({p.pixel for p in self.pieces if p.channel == channel})

    def columns(self, channel: str, width: int) -> int:
        each = self.across * self.pixels // len(self.samples(channel))
        return self.entries or math.ceil(width / each)

    def places(self, channel: str, column: int) -> dict[int, int]:
        """For each bit of a sample its place in the row, counted in the order of the plane."""
        own = self.samples(channel)
        group, which = divmod(column, len(own))
        found: dict[int, int] = {}
        at = group * self.bits
        for p in self.pieces:
            for k in range(p.high - p.low + 1):
                if (p.channel, p.pixel) == (channel, own[which]):
                    found[p.low + k if self.order == "lsb" else p.high - k] = at
                at += 1
        return found

    def address(self, place: int) -> int:
        """The bit address of a place in a row: byte times eight plus bit."""
        return place if self.order == "lsb" else place // 8 * 8 + 7 - place % 8


@dataclass(frozen=True)
class MadeUp:
    """A layout: its planes, the types of its channels, and words."""

    planes: tuple[Plane, ...]
    kinds: Mapping[str, Kind]
    words: str = ""

    @property
    def text(self) -> str:
        """Its line."""
        return "; ".join(map(self._written, self.planes)) + (f" | {self.words}" if self.words else "")

    def _written(self, plane: Plane) -> str:
        parts = ["palette:"] if plane.entries else []
        parts += ["msb:"] if plane.order == "msb" else []
        for p in plane.pieces:
            if p.channel == "_":
                parts.append(f"_:{p.high + 1}")
                continue
            name = f"{p.channel}{p.pixel}" if plane.pixels > 1 else p.channel
            kind = self.kinds[p.channel]
            whole = p.high - p.low + 1 == kind.bits
            parts.append(f"{name}:{kind.letter}{kind.bits}" if whole else f"{name}[{p.high}:{p.low}]")
        parts += [f"/{plane.across}x{plane.down}"] if (plane.across, plane.down) != (1, 1) else []
        parts += [f"rows {plane.align}"] if plane.align > 1 else []
        return " ".join(parts)

    def size(self, width: int, height: int) -> int:
        """The bytes of a picture."""
        return sum(p.row_bytes(width) * p.rows(height) for p in self.planes)

    def _bits(self, width: int, height: int):
        """Each sample: its channel, row and column, and the address of each of its bits."""
        start = 0
        for plane in self.planes:
            for channel in dict.fromkeys(p.channel for p in plane.pieces if p.channel != "_"):
                for row in range(plane.rows(height)):
                    line = 8 * (start + row * plane.row_bytes(width))
                    for column in range(plane.columns(channel, width)):
                        places = plane.places(channel, column)
                        yield channel, row, column, {b: line + plane.address(at) for b, at in places.items()}
            start += plane.row_bytes(width) * plane.rows(height)

    def read(self, data: bytes, width: int, height: int) -> Samples:
        """The samples as numbers, those of floats as their bits."""
        found: Samples = {name: [] for name in self.kinds}
        for channel, row, column, places in self._bits(width, height):
            number = sum((data[at // 8] >> at % 8 & 1) << b for b, at in places.items())
            kind = self.kinds[channel]
            if kind.letter == "s" and number >> kind.bits - 1:
                number -= 1 << kind.bits
            if column == 0:
                found[channel].append([])
            found[channel][row].append(number)
        return found

    def write(self, samples: Samples, width: int, height: int, onto: bytes) -> bytes:
        """The bytes of samples that fit; other bits are those of `onto`."""
        data = bytearray(onto)
        for channel, row, column, places in self._bits(width, height):
            for b, at in places.items():
                bit = samples[channel][row][column] >> b & 1
                data[at // 8] = data[at // 8] & ~(1 << at % 8) | bit << at % 8
        return bytes(data)


MODELS = {
    "gray": ("Y",),
    "rgb": ("R", "G", "B"),
    "rgba": ("R", "G", "B", "A"),
    "ycbcr": ("Y", "Cb", "Cr"),
    "mosaic": ("M",),
    "palette": ("I",),
    "samples": ("P", "Q", "S"),
}
WORDS = {"rgba": "premultiplied", "mosaic": "gbrg"}


@st.composite
def layouts(draw: st.DrawFn, *models: str, most: int = 64) -> MadeUp:
    """A layout of one of the models, its integers of at most so many bits; floats if there is room for them."""
    model = draw(st.sampled_from(models or tuple(MODELS)))
    names = MODELS[model]
    kinds = {name: draw(_kinds(model, most)) for name in names}
    number = draw(st.integers(1, len(names)))
    parts: list[list[str]] = [[name] for name in names[:number]]
    for name in names[number:]:
        draw(st.sampled_from(parts)).append(name)
    planes = [draw(_planes(part, kinds, model, first=k == 0)) for k, part in enumerate(parts)]
    if model == "palette":
        colors = {name: draw(_kinds("palette's", most)) for name in ("R", "G", "B")}
        palette = draw(_planes([*colors], colors, "palette's", first=True, entries=1 << kinds["I"].bits))
        kinds |= colors
        planes.insert(draw(st.integers(0, 1)), palette)
    return MadeUp(tuple(planes), kinds, WORDS.get(model, ""))


def _kinds(model: str, most: int) -> st.SearchStrategy[Kind]:
    if model == "palette":
        return st.builds(Kind, st.sampled_from(["", "u"]), st.integers(1, 6))
    some = st.builds(Kind, st.sampled_from(["", "u", "s"]), st.integers(1, min(most, 20)))
    if most < 64 or model == "mosaic":
        return some
    floats = st.sampled_from([Kind("f", 16), Kind("f", 32), Kind("f", 64)])
    return st.one_of(some, some, some, st.builds(Kind, st.sampled_from("us"), st.integers(21, 64)), floats)


@st.composite
def _planes(
    draw: st.DrawFn, names: list[str], kinds: Mapping[str, Kind], model: str, *, first: bool, entries: int = 0
) -> Plane:
    pixels = draw(st.sampled_from([1, 1, 2, 3, 4, 6]))
    pieces: list[Piece] = []
    for name in names:
        # The first has samples everywhere, which say how many pixels a group has.
        few = model in ("ycbcr", "rgb", "samples") and name != names[0]
        step = draw(st.sampled_from([k for k in range(1, pixels + 1) if pixels % k == 0])) if few else 1
        kind = kinds[name]
        for pixel in range(0, pixels, step):
            cuts = {0, kind.bits}
            if kind.letter in ("", "u") and draw(st.booleans()):
                cuts |= set(draw(st.lists(st.integers(1, kind.bits), max_size=2)))
            edges = sorted(cuts)
            pieces += [Piece(name, pixel, high - 1, low) for low, high in pairwise(edges)]
    for _ in range(draw(st.integers(0, 2))):
        pieces.append(Piece("_", 0, draw(st.integers(0, 8)), 0))
    pieces = draw(st.permutations(pieces))
    spare = -sum(p.high - p.low + 1 for p in pieces) % 8
    if pixels > 1 and spare:
        pieces.append(Piece("_", 0, spare - 1, 0))
    shares = not first and model in ("ycbcr", "rgb", "samples")
    across, down = draw(st.sampled_from([(1, 1), (2, 1), (2, 2), (3, 2), (1, 4)])) if shares else (1, 1)
    align = draw(st.sampled_from([1, 1, 1, 2, 4, 7, 64]))
    return Plane(draw(st.sampled_from(["lsb", "msb"])), tuple(pieces), pixels, across, down, align, entries)
