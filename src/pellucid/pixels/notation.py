"""The notation of layouts: one line of text that says where every bit of every sample lies.

Its grammar, and after it what the words mean::

    layout  =  plane (";" plane)*  ["|" word*]
    plane   =  ["palette:"] ["lsb:" | "msb:"] field+  ["/" W "x" H]  ["rows" BYTES]
    field   =  CHANNEL [PIXEL] ":" TYPE            a whole sample
            |  CHANNEL [PIXEL] "[" HIGH ":" LOW "]"   some bits of one, for samples in pieces
            |  "_" ":" BITS                        bits that nobody uses
    TYPE    =  [u] BITS  |  s BITS  |  f16  |  f32  |  f64

A plane repeats its fields along each row. Under ``lsb`` (the default) they follow one another from the lowest bit of
the first byte up, as little-endian machines count; under ``msb`` from its highest bit down, as big-endian ones do.
PIXEL counts within the repeated group, for groups of several pixels; ``/2x2`` says that a plane has a sample for that
many pixels, and ``rows 128`` that each row takes a multiple of so many bytes. A ``palette`` has no rows, but an entry
for each value that the channel I can have. Stands below `layout`, which gives the text its meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..base.errors import InputError, brief, did_you_mean
from ..base.record import record

WORDS = {
    "range": ("full", "limited"),
    "polarity": ("positive", "negative"),
    "matrix": ("bt601", "bt709", "bt2020"),
    "transfer": ("srgb", "linear"),
    "alpha": ("straight", "premultiplied"),
    "siting": ("center", "left", "topleft"),
    "mosaic": ("rggb", "bggr", "grbg", "gbrg"),
}
"""The words about samples after the bar, by kind; the first of each kind is the default."""

MAX_CHARACTERS = 1 << 14
"""Maximum characters of a layout's text. The longest built-in format has 170; 64 pixels in four pieces have 3000."""
MAX_DIGITS = 9
"""Maximum digits of a number, leading zeros among them: what has more is beyond every limit of the notation."""
SHOWN = 60
"""Characters that an error shows on either side of a place in the text."""

_TOKEN = re.compile(
    r"\s*(?:(?P<name>[A-Za-z_]+?)(?P<pixel>[0-9]+)?(?=\s*[:\[])|(?P<mark>[;|:/\[\]])|(?P<word>[A-Za-z0-9_]+))"
)
_TYPE = re.compile(r"([usf]?)([0-9]+)")
_SUBSAMPLING = re.compile(r"([1-8])x([1-8])")


@record
class NotationPiece:
    """Bits HIGH to LOW of the sample of a channel at a pixel of the group; `kind` is u, s or f, `at` its place."""

    channel: str
    pixel: int
    high: int
    low: int
    kind: str
    whole: bool
    at: int

    @property
    def width(self) -> int:
        """The number of its bits."""
        return self.high - self.low + 1


@record
class PlaneText:
    """One plane as it is written: its pieces in order, `_` among them, and what is said of its rows."""

    palette: bool
    order: str
    pieces: tuple[NotationPiece, ...]
    across: int
    down: int
    rows: int
    at: int


def refuse(text: str, at: int, problem: str, fix: str) -> InputError:
    """The error for a place in the notation, with a caret below it; of long text the part around the place is shown."""
    begin = 0 if at <= 2 * SHOWN else at - SHOWN
    end = len(text) if len(text) - at <= 2 * SHOWN else at + SHOWN
    # What is not printed as one column would move the caret, or the terminal.
    shown = "".join(c if c.isprintable() else " " for c in text[begin:end])
    shown = f"{'…' * (begin > 0)}{shown}{'…' * (end < len(text))}"
    return InputError(f"{problem}\n  {shown}\n  {' ' * (at - begin + (begin > 0))}^", place="layout", fix=fix)


def _whole(digits: str, low: int, high: int) -> int | None:
    """The number that digits make, if it is in range; None otherwise, and if they are too many or none."""
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= MAX_DIGITS):
        return None
    return int(digits) if low <= int(digits) <= high else None


@record
class _Token:
    kind: str
    text: str
    pixel: str | None
    at: int


def _tokens(text: str) -> Iterator[_Token]:
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _TOKEN.match(text, at)
        if found is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            raise refuse(text, at, f"{text[at]!r} means nothing here", "see the notation of layouts")
        kind = found.lastgroup or "word"
        kind = "name" if found["name"] else kind
        yield _Token(kind, found["name"] or found[kind], found["pixel"], found.start(kind))
        at = found.end()


class _Reader:
    """Reads the tokens of one text."""

    def __init__(self, text: str) -> None:
        if len(text) > MAX_CHARACTERS:
            problem = f"the text has {len(text)} characters, and a layout at most {MAX_CHARACTERS}"
            raise refuse(text, MAX_CHARACTERS, problem, "write one layout, with one group of pixels")
        self.text = text
        self.tokens = list(_tokens(text))
        self.next = 0

    def peek(self) -> _Token:
        if self.next < len(self.tokens):
            return self.tokens[self.next]
        return _Token("end", "", None, len(self.text))

    def take(self) -> _Token:
        token = self.peek()
        self.next += 1
        return token

    def mark(self, text: str) -> bool:
        """Whether a mark comes next; it is taken if so."""
        token = self.peek()
        if token.kind == "mark" and token.text == text:
            self.next += 1
            return True
        return False

    def expect(self, text: str, fix: str) -> None:
        if not self.mark(text):
            raise refuse(self.text, self.peek().at, f"{text!r} is missing", fix)

    def number(self, what: str, low: int, high: int) -> int:
        token = self.take()
        found = _whole(token.text, low, high)
        if found is None:
            problem = f"{brief(token.text or 'nothing')} is not {what}"
            raise refuse(self.text, token.at, problem, f"give {low} to {high}")
        return found

    def plane(self) -> PlaneText:
        start = self.peek()
        palette = self.prefix("palette") is not None
        order = self.prefix("lsb", "msb") or "lsb"
        pieces: list[NotationPiece] = []
        while self.peek().kind == "name":
            pieces.append(self.field())
        if not pieces:
            raise refuse(
                self.text, self.peek().at, "a plane has no fields", "write such as Y:8 or R:5 G:6 B:5"
            )
        across = down = rows = 1
        while True:
            token = self.peek()
            if self.mark("/"):
                across, down = self.subsampling()
            elif token.kind == "word" and token.text == "rows":
                self.next += 1
                rows = self.number("a number of bytes", 1, 1 << 24)
            else:
                return PlaneText(palette, order, tuple(pieces), across, down, rows, start.at)

    def prefix(self, *words: str) -> str | None:
        """Read a word with a colon, if one of these comes next."""
        token = self.peek()
        if token.kind != "name" or token.text not in words or token.pixel is not None:
            return None
        self.next += 1
        self.expect(":", f"write {token.text}: before the fields")
        return token.text

    def said(self) -> dict[str, str]:
        """Read the words after a bar, by kind, if there is one, up to the end."""
        found: dict[str, str] = {}
        if self.mark("|"):
            kinds = {word: kind for kind, words in WORDS.items() for word in words}
            while self.peek().kind == "word":
                token = self.take()
                kind = kinds.get(token.text)
                if kind is None:
                    fix = did_you_mean(token.text, kinds) or f"the words are {', '.join(kinds)}"
                    raise refuse(self.text, token.at, f"{brief(token.text)} says nothing of samples", fix)
                if kind in found:
                    fix = f"give one of {', '.join(WORDS[kind])}"
                    raise refuse(self.text, token.at, f"it is {found[kind]} already", fix)
                found[kind] = token.text
        end = self.peek()
        if end.kind != "end":
            fix = "put a ; between planes and a | before words"
            raise refuse(self.text, end.at, f"{brief(end.text)} means nothing here", fix)
        return found

    def subsampling(self) -> tuple[int, int]:
        token = self.take()
        found = _SUBSAMPLING.fullmatch(token.text)
        if found is None:
            problem = f"{brief(token.text or 'nothing')} is no subsampling"
            raise refuse(self.text, token.at, problem, "write such as /2x1 or /2x2")
        return int(found[1]), int(found[2])

    def field(self) -> NotationPiece:
        name = self.take()
        if len(name.text) > 8:
            raise refuse(
                self.text, name.at, f"{brief(name.text)} is no channel", "channels have at most 8 letters"
            )
        pixel = _whole(name.pixel or "0", 0, 63)
        if pixel is None:
            raise refuse(
                self.text, name.at, "a group has at most 64 pixels", "count pixels within the group from 0"
            )
        if self.mark("["):
            return self.slice(name, pixel)
        self.expect(":", "write such as Y:8, or Y[9:2] for some bits")
        token = self.take()
        if name.text == "_":
            self.next -= 1
            bits = self.number("a number of bits", 1, 64)
            return NotationPiece("_", 0, bits - 1, 0, "u", True, name.at)
        found = _TYPE.fullmatch(token.text)
        kind, bits = (found[1] or "u", _whole(found[2], 1, 64)) if found else ("", None)
        if bits is None or (kind == "f" and bits not in (16, 32, 64)):
            fix = "write 1 to 64 bits as u8, s16 or just 8, or f16, f32, f64"
            raise refuse(self.text, token.at, f"{brief(token.text or 'nothing')} is no type of sample", fix)
        return NotationPiece(name.text, pixel, bits - 1, 0, kind, True, name.at)

    def slice(self, name: _Token, pixel: int) -> NotationPiece:
        if name.text == "_":
            raise refuse(self.text, name.at, "unused bits have no numbers", "write such as _:2")
        high = self.number("a bit", 0, 63)
        self.expect(":", "write such as Y[9:2], highest bit first")
        at = self.peek().at
        low = self.number("a bit", 0, 63)
        self.expect("]", "write such as Y[9:2]")
        if low > high:
            raise refuse(self.text, at, f"bit {low} is above bit {high}", "give the highest bit first")
        return NotationPiece(name.text, pixel, high, low, "u", False, name.at)


def read(text: str) -> tuple[list[PlaneText], dict[str, str]]:
    """The planes of a layout as they are written, and what is said of its samples.

    Raises InputError with a caret below the place that is wrong.

    >>> planes, said = read("Y:8; Cb:8 Cr:8 /2x2 | limited bt709")
    >>> len(planes), planes[1].across, said["matrix"]
    (2, 2, 'bt709')
    >>> read("Y:99")
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: layout: '99' is no type of sample
      Y:99
        ^; write 1 to 64 bits as u8, s16 or just 8, or f16, f32, f64
    """
    reader = _Reader(text)
    planes = [reader.plane()]
    while reader.mark(";"):
        planes.append(reader.plane())
    return planes, reader.said()


def read_variant(text: str) -> tuple[str, dict[str, str]]:
    """A name and what is said of it, such as of ``nv12 | full bt601``.

    Raises InputError with a caret below the place that is wrong.

    >>> read_variant("nv12 | full bt601")
    ('nv12', {'range': 'full', 'matrix': 'bt601'})
    """
    reader = _Reader(text)
    return reader.take().text, reader.said()
