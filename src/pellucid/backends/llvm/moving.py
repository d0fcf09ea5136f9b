"""Bits that are only moved: of which bits of what a value is made, and how registers of bytes get them to their places.

Under `groups`. A byte that holds neighboring bits is a window on two bytes beside each other. Some processors take
eight windows at once, anywhere in a word of eight bytes; so bytes are brought to words first, and then windows taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...ir.expr import Expr

MOVING = frozenset(("convert", "and", "or", "shift_left_in", "shift_right_in"))
"""What moves bits, and does nothing else to them."""
WORD = 8
"""How many bytes the windows of a word are taken from."""
MOST_LAYERS = 2
"""Of how many windows a byte is put together at most."""

Byte = tuple[Expr, int]
"""A byte of a value, by its number."""
Source = tuple[Byte, int]
"""A byte, and from how many lanes further on."""


class Bits(NamedTuple):
    """Bits of a value, shifted to the left, or to the right by less than 0; a mask tells which then are kept."""

    value: Expr
    shift: int
    mask: int


class Window(NamedTuple):
    """Eight bits, from one of the lower byte on, which a mask is put on; a byte of which there are no bits is None."""

    low: Byte | None
    high: Byte | None
    start: int
    mask: int


class Word(NamedTuple):
    """Bytes of a word (None: any), and at which bit of it the window of each byte begins that is made."""

    sources: tuple[Source | None, ...]
    starts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Layer:
    """A window for each byte of a group that has one; by the place of its first byte in the group, each word of them.

    There are no words where each byte is a whole one: then bytes are brought to where they are wanted.
    """

    windows: tuple[Window | None, ...]
    words: dict[int, Word]
    masked: bool
    """Whether bytes that are stored to have bits that are not its own."""

    def sources(self, first: int, count: int) -> list[Source | None]:
        """What is brought to so many bytes of groups one after the other, from one on: a whole number of words."""
        step, found = len(self.windows), list[Source | None]()
        if not self.words:
            for k in range(first, first + count):
                w = self.windows[k % step]
                found.append((w.low, k // step) if w is not None and w.low is not None else None)
        else:
            for k in range(first, first + count, WORD):
                lane = k // step
                found += [s and (s[0], s[1] + lane) for s in self.words[k % step].sources]
        return found

    def starts(self, first: int, count: int) -> list[int]:
        """Where in their words windows begin."""
        step = len(self.windows)
        return [s for k in range(first, first + count, WORD) for s in self.words[k % step].starts]

    def masks(self, first: int, count: int) -> list[int]:
        """What is kept of each byte."""
        kept = [0 if w is None else w.mask for w in self.windows]
        return [kept[k % len(kept)] for k in range(first, first + count)]


def moved(value: Expr, through: set[Expr]) -> list[Bits]:
    """The bits that a value is made of; nodes on the way to them are added to `through`.

    >>> from pellucid.ir.parse import parse_expr
    >>> (node,) = parse_expr("shift_right_in($a:u16, 4:u16) & 63:u16 | shift_left_in($b:u16, 6:u16)")
    >>> [(b.value.attr, b.shift, b.mask) for b in moved(node, set())]
    [('a', -4, 63), ('b', 6, 65472)]
    """
    full = (1 << 8 * value.type.dtype.itemsize) - 1
    found: list[Bits] | None = None
    if value.op in MOVING and value.type.kind == "unsigned":
        first, last = value.args[0], value.args[-1]
        if value.op == "or":
            found = [*moved(first, through), *moved(last, through)]
            if sum(b.mask for b in found) != _union(found):
                found = None
        elif value.op == "convert":
            if first.type.kind == "unsigned" and (first.op in MOVING or first.op == "load"):
                found = [b._replace(mask=b.mask & full) for b in moved(first, through)]
        elif last.op == "const":
            k = int(last.attr)
            if value.op == "and":
                found = [b._replace(mask=b.mask & k) for b in moved(first, through)]
            elif value.op == "shift_left_in":
                found = [Bits(b.value, b.shift + k, b.mask << k & full) for b in moved(first, through)]
            else:
                found = [Bits(b.value, b.shift - k, b.mask >> k) for b in moved(first, through)]
    if found is None:
        return [Bits(value, 0, full)]
    through.add(value)
    return found


def _union(found: Iterable[Bits]) -> int:
    mask = 0
    for b in found:
        mask |= b.mask
    return mask


def windows_of(found: Sequence[Bits], byte: int) -> list[Window]:
    """The windows that a byte of a value is put together of."""
    windows: dict[int, list[Window]] = {}
    for value, shift, mask in found:
        for j in range(value.type.dtype.itemsize):
            left = 8 * (j - byte) + shift
            if not -8 < left < 8:
                continue
            here = mask >> 8 * byte & (255 << left if left > 0 else 255 >> -left) & 255
            if not here:
                continue
            start, high = (8 - left, True) if left > 0 else (-left, False)
            beside = windows.setdefault(start, [])
            w = beside[-1] if beside else None
            if w is not None and (w.high if high else w.low) is None:
                both = w._replace(high=(value, j)) if high else w._replace(low=(value, j))
                beside[-1] = both._replace(mask=w.mask | here)
            else:
                beside.append(
                    Window(None, (value, j), start, here) if high else Window((value, j), None, start, here)
                )
    return [w for beside in windows.values() for w in beside]


def layers(bytes_: Sequence[Sequence[Window] | None]) -> list[Layer] | None:
    """Layers that have the windows of all bytes of a group (None: is not stored); None where there are too many."""
    found: list[Layer] = []
    stored = [k for k, b in enumerate(bytes_) if b is not None]
    for k in range(max([len(b) for b in bytes_ if b is not None])):
        windows = tuple([b[k] if b is not None and k < len(b) else None for b in bytes_])
        words: dict[int, Word] = {}
        if any(w is not None and (w.low is None or w.start) for w in windows):
            step = len(windows)
            for first in dict.fromkeys(k * WORD % step for k in range(step)):
                places = range(first, first + WORD)
                made = word([None if (w := windows[p % step]) is None else (w, p // step) for p in places])
                if made is None:
                    return None
                words[first] = made
        masked = any((w := windows[p]) is None or w.mask != 255 for p in stored)
        found.append(Layer(windows, words, masked))
    return found if len(found) <= MOST_LAYERS else None


def word(wanted: Sequence[tuple[Window, int] | None]) -> Word | None:
    """A word from which windows can be taken, each with a number of lanes further on; None if there is too much in it.

    >>> from pellucid.ir.expr import param
    >>> from pellucid.ir import types as T
    >>> a = param("a", T.u16)
    >>> found = word([(Window((a, 0), (a, 1), 2, 255), 0), (Window((a, 1), None, 2, 3), 0), *[None] * 6])
    >>> [s and s[0][1] for s in found.sources], found.starts
    ([0, 1, None, None, None, None, None, None], (2, 10, 0, 0, 0, 0, 0, 0))
    """
    have: list[Source | None] = [None] * WORD
    starts = [0] * WORD
    # Two bytes beside each other first: a single one finds its place anywhere.
    for k in sorted(range(WORD), key=lambda k: (w := wanted[k]) is None or None in w[0][:2]):
        each = wanted[k]
        if each is None:
            continue
        window, lane = each
        low, high = (None if b is None else (b, lane) for b in window[:2])
        at = _place(have, low, high)
        if at is None:
            return None
        for where, source in ((at, low), ((at + 1) % WORD, high)):
            if source is not None:
                have[where] = source
        starts[k] = (8 * at + window.start) % (8 * WORD)
    return Word(tuple(have), tuple(starts))


def _place(have: list[Source | None], low: Source | None, high: Source | None) -> int | None:
    """Where in a word two sources are, or may be put, one after the other: where most of it is there already."""
    best: tuple[int, int] | None = None
    for at in range(WORD):
        one, two = have[at], have[(at + 1) % WORD]
        if (low is None or one is None or one == low) and (high is None or two is None or two == high):
            new = (low is not None and one is None) + (high is not None and two is None)
            if best is None or new < best[0]:
                best = new, at
    return best and best[1]
