"""Bit-field copies: which bits of which loads a value consists of, and how registers of bytes get them to their places.

A byte of neighboring bits is an extract of 8 bits from two adjacent bytes. Some processors extract eight bytes at once,
each from any bit of a word of eight bytes: bytes are brought to words first, and then the bytes are extracted. Others
shift shorter words as a whole, once for each distance, and keep the bytes that are right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import lcm
from typing import Any, Generic, NamedTuple, TypeVar

from ...base.record import record
from ...ir.expr import Expr

MOVING = frozenset(("convert", "and", "or", "shift_left_in", "shift_right_in"))
"""Rows that move bits and change none."""
WORD = 8
"""Bytes of a word that bytes are extracted from."""
SHORT = 4
"""Bytes of a word that is shifted as a whole, where no instruction extracts bytes: it needs few distances."""
MAX_LAYERS = 2
"""Maximum extracts that a byte is put together of."""


class Unit(NamedTuple):
    """Neighboring elements of a lane that were closed up: their fields lie without gaps from the lowest bit on."""

    number: int
    size: int
    """Bytes of all its elements."""


Value = Expr | Unit
"""The kinds of values that have bits."""
V = TypeVar("V", Expr, Unit)
Byte = tuple[Value, int]
"""A byte of a value, by its number."""
Source = tuple[Byte, int]
"""A byte, and the number of lanes further on that it is from."""


class Bits(NamedTuple, Generic[V]):
    """Bits of a value, shifted to the left (to the right by a negative `shift`); `mask` tells which are kept then."""

    value: V
    shift: int
    mask: int


class Extract(NamedTuple):
    """Eight bits from bit `start` of the lower byte on, under a mask; a byte that gives no bits is None."""

    low: Byte | None
    high: Byte | None
    start: int
    mask: int


class WordExtracts(NamedTuple):
    """The bytes of a word (None: any), and the bit of it at which each extracted byte begins."""

    sources: tuple[Source | None, ...]
    starts: tuple[int, ...]


@record
class Layer:
    """Extracts, at most one for each byte of a group, and their words by the place of their first byte in the group.

    There are no words where each byte is a whole one: then bytes are brought to where they are wanted.
    """

    extracts: tuple[Extract | None, ...]
    words: dict[int, WordExtracts]
    masked: bool
    """Whether bytes that are stored to have bits that are not of this layer."""
    size: int
    """Bytes of a word."""

    def sources(self, first: int, count: int) -> list[Source | None]:
        """The sources of `count` bytes of groups one after the other, from byte `first` on: a whole number of words."""
        step, found = len(self.extracts), list[Source | None]()
        if not self.words:
            for k in range(first, first + count):
                w = self.extracts[k % step]
                found.append((w.low, k // step) if w is not None and w.low is not None else None)
        else:
            for k in range(first, first + count, self.size):
                lane = k // step
                found += [s and (s[0], s[1] + lane) for s in self.words[k % step].sources]
        return found

    def starts(self, first: int, count: int) -> list[int]:
        """The bits of their words at which extracts begin."""
        step = len(self.extracts)
        return [s for k in range(first, first + count, self.size) for s in self.words[k % step].starts]

    def shifts(self, first: int, count: int) -> dict[tuple[int, bool], list[int]]:
        """The masks of bytes by how far words are turned to the right for them, and whether bits come round the end."""
        found: dict[tuple[int, bool], list[int]] = {}
        places = zip(self.starts(first, count), self.masks(first, count), strict=True)
        for k, (start, mask) in enumerate(places):
            if mask:
                turned = start - k % self.size * 8, mask << start >= 1 << 8 * self.size
                found.setdefault(turned, [0] * count)[k] = mask
        return found

    @property
    def distances(self) -> int:
        """The number of distances by which words are shifted, over all words of some groups."""
        return len(self.shifts(0, lcm(len(self.extracts), self.size))) if self.words else 0

    def masks(self, first: int, count: int) -> list[int]:
        """The mask of each byte."""
        kept = [0 if w is None else w.mask for w in self.extracts]
        return [kept[k % len(kept)] for k in range(first, first + count)]


def bit_fields(value: Expr, through: set[Expr]) -> list[Bits[Expr]]:
    """The bit fields that a value consists of; nodes on the way to them are added to `through`.

    >>> from pellucid.ir.parse import parse_expr
    >>> (node,) = parse_expr("shift_right_in($a:u16, 4:u16) & 63:u16 | shift_left_in($b:u16, 6:u16)")
    >>> [(b.value.attr, b.shift, b.mask) for b in bit_fields(node, set())]
    [('a', -4, 63), ('b', 6, 65472)]
    """
    full = (1 << 8 * value.type.dtype.itemsize) - 1
    found: list[Bits[Expr]] | None = None
    if value.op in MOVING and value.type.kind == "unsigned":
        first, last = value.args[0], value.args[-1]
        if value.op == "or":
            found = [*bit_fields(first, through), *bit_fields(last, through)]
            if sum(b.mask for b in found) != _union(found):
                found = None
        elif value.op == "convert":
            if first.type.kind == "unsigned" and (first.op in MOVING or first.op == "load"):
                found = [b._replace(mask=b.mask & full) for b in bit_fields(first, through)]
        elif last.op == "const":
            k = int(last.attr)
            if value.op == "and":
                found = [b._replace(mask=b.mask & k) for b in bit_fields(first, through)]
            elif value.op == "shift_left_in":
                found = [Bits(b.value, b.shift + k, b.mask << k & full) for b in bit_fields(first, through)]
            else:
                found = [Bits(b.value, b.shift - k, b.mask >> k) for b in bit_fields(first, through)]
    if found is None:
        return [Bits(value, 0, full)]
    through.add(value)
    return found


def _union(found: Iterable[Bits[Any]]) -> int:
    mask = 0
    for b in found:
        mask |= b.mask
    return mask


def extracts_of(found: Sequence[Bits[Any]], byte: int) -> list[Extract]:
    """The extracts that a byte of a value is put together of."""
    extracts: dict[int, list[Extract]] = {}
    for value, shift, mask in found:
        for j in range(value.size if isinstance(value, Unit) else value.type.dtype.itemsize):
            left = 8 * (j - byte) + shift
            if not -8 < left < 8:
                continue
            here = mask >> 8 * byte & (255 << left if left > 0 else 255 >> -left) & 255
            if not here:
                continue
            start, high = (8 - left, True) if left > 0 else (-left, False)
            beside = extracts.setdefault(start, [])
            w = beside[-1] if beside else None
            if w is not None and (w.high if high else w.low) is None:
                both = w._replace(high=(value, j)) if high else w._replace(low=(value, j))
                beside[-1] = both._replace(mask=w.mask | here)
            else:
                beside.append(
                    Extract(None, (value, j), start, here) if high else Extract((value, j), None, start, here)
                )
    return [w for beside in extracts.values() for w in beside]


def field_size(found: Iterable[Bits[Any]]) -> int:
    """The number of low bits of values that are wanted.

    >>> field_size([Bits(Unit(0, 1), 4, 0xF0), Bits(Unit(1, 1), -2, 3)])
    4
    """
    return max([(b.mask >> b.shift if b.shift > 0 else b.mask << -b.shift).bit_length() for b in found])


def closed_up(
    found: Sequence[Bits[Expr]], numbers: Mapping[Expr, int], field: int, count: int, size: int
) -> list[Bits[Unit]]:
    """The bits after `count` neighbors, elements of `size` bytes, were closed up to fields of so many bits.

    `numbers` are those of the elements in their lane.

    >>> closed_up([Bits(Unit(3, 1), 1, 0x7E)], {Unit(3, 1): 3}, 6, 2, 1)
    [Bits(value=Unit(number=1, size=2), shift=-5, mask=126)]
    """
    # What was beside each other is one field now.
    masks: dict[tuple[Unit, int], int] = {}
    for value, shift, mask in found:
        number, within = divmod(numbers[value], count)
        key = Unit(number, count * size), shift - field * within
        masks[key] = masks.get(key, 0) | mask
    return [Bits(unit, shift, mask) for (unit, shift), mask in masks.items()]


def layers(bytes_: Sequence[Sequence[Extract] | None], size: int = WORD) -> list[Layer] | None:
    """Layers with the extracts of all bytes of a group (None: is not stored); None where there are too many.

    Bytes are extracted from words of so many bytes.
    """
    found: list[Layer] = []
    stored = [k for k, b in enumerate(bytes_) if b is not None]
    for k in range(max([len(b) for b in bytes_ if b is not None])):
        extracts = tuple([b[k] if b is not None and k < len(b) else None for b in bytes_])
        words: dict[int, WordExtracts] = {}
        if any(w is not None and (w.low is None or w.start) for w in extracts):
            step = len(extracts)
            for first in dict.fromkeys(k * size % step for k in range(step)):
                places = range(first, first + size)
                made = word([None if (w := extracts[p % step]) is None else (w, p // step) for p in places])
                if made is None:
                    return None
                words[first] = made
        masked = any((w := extracts[p]) is None or w.mask != 255 for p in stored)
        found.append(Layer(extracts, words, masked, size))
    return found if len(found) <= MAX_LAYERS else None


def word(wanted: Sequence[tuple[Extract, int] | None]) -> WordExtracts | None:
    """A word that holds some extracts, each from a number of lanes further on; None if they need more than its bytes.

    >>> from pellucid.ir.expr import param
    >>> from pellucid.ir import types as T
    >>> a = param("a", T.u16)
    >>> found = word([(Extract((a, 0), (a, 1), 2, 255), 0), (Extract((a, 1), None, 2, 3), 0), *[None] * 6])
    >>> [s and s[0][1] for s in found.sources], found.starts
    ([0, 1, None, None, None, None, None, None], (2, 10, 0, 0, 0, 0, 0, 0))
    """
    size = len(wanted)
    have: list[Source | None] = [None] * size
    starts = [0] * size
    # Two bytes beside each other first: a single one finds its place anywhere.
    for k in sorted(range(size), key=lambda k: (w := wanted[k]) is None or None in w[0][:2]):
        each = wanted[k]
        if each is None:
            continue
        extract, lane = each
        low, high = (None if b is None else (b, lane) for b in extract[:2])
        at = _place(have, low, high)
        if at is None:
            return None
        for where, source in ((at, low), ((at + 1) % size, high)):
            if source is not None:
                have[where] = source
        starts[k] = (8 * at + extract.start) % (8 * size)
    return WordExtracts(tuple(have), tuple(starts))


def _place(have: list[Source | None], low: Source | None, high: Source | None) -> int | None:
    """The place in a word where two sources are, or may be put, one after the other; best where they are already."""
    best: tuple[int, int] | None = None
    for at in range(len(have)):
        one, two = have[at], have[(at + 1) % len(have)]
        if (low is None or one is None or one == low) and (high is None or two is None or two == high):
            new = (low is not None and one is None) + (high is not None and two is None)
            if best is None or new < best[0]:
                best = new, at
    return best and best[1]
