"""Fields of bits in arrays of elements, as expressions: read at constant or cyclic bits, and written.

Under `stream_nest`. An element is a byte, or a word of 16 or 32 bits that no field crosses the ends of. A field is some
elements, least significant first, shifted down by an amount; both orders of bits differ in nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..base.record import record
from ..ir import expr as E
from ..ir import types as T
from ..ir.expr import Buffer, Expr
from ..ir.stream import Samples
from ..rewriting.lane_types import container

UNSIGNED = {8: T.u8, 16: T.u16, 32: T.u32, 64: T.u64}
SIGNED = {8: T.i8, 16: T.i16, 32: T.i32, 64: T.i64}
BYTE = 8


def number(value: int) -> Expr:
    """A constant of 64 bits: positions are of that type."""
    return E.const(value, T.i64)


def plus(a: Expr, b: int) -> Expr:
    """A sum, without adding 0."""
    return a if b == 0 else E.apply("add", a, number(b))


def times(a: Expr, b: int) -> Expr:
    """A product, without multiplying by 1."""
    return a if b == 1 else E.apply("mul", a, number(b))


def converted(value: Expr, type_: T.Type) -> Expr:
    """A value in another type, of which the low bits stay."""
    return value if value.type is type_ else E.apply("convert", value, attr=type_)


def shifted(op: str, value: Expr, amount: int) -> Expr:
    """A value shifted by a constant within its width."""
    return value if amount == 0 else E.apply(op, value, E.const(amount, value.type))


def masked(value: Expr, bits: int) -> Expr:
    """The low bits of an unsigned value."""
    return value if bits >= value.type.bits else E.apply("and", value, E.const((1 << bits) - 1, value.type))


def joined(op: str, values: Sequence[Expr]) -> Expr:
    """Values put together by an operator, of which there is at least one."""
    total = values[0]
    for value in values[1:]:
        total = E.apply(op, total, value)
    return total


@record
class PackedArray:
    """A buffer of a stream as a nest has it: `memory` begins `skip` bytes after the buffer, with an element."""

    memory: Buffer
    skip: int

    @property
    def bits(self) -> int:
        """The bits of an element."""
        return self.memory.type.bits


@record
class FieldSpan:
    """Where a field is: from which element, in how many, and the bits below it in them."""

    first: int
    count: int
    below: int


def packed(name: str, fields: Sequence[Samples]) -> PackedArray:
    """The elements of a buffer that has these samples: bytes, or the words in which all of them are.

    >>> packed("a", [Samples(0, 24, 16, 16)])
    PackedArray(memory=a: u16[1], skip=3)
    >>> packed("a", [Samples(0, 0, 12, 12)]).bits
    8
    """
    skip = min(at for s in fields for at in s.offsets) // 8
    begun = [without_skip(s, skip) for s in fields]
    across = any(at % BYTE + s.size > BYTE for s in begun for at in s.offsets)
    bits = next((bits for bits in (16, 32) if across and _are_words(begun, bits)), BYTE)
    return PackedArray(Buffer(name, UNSIGNED[bits], 1), skip)


def _are_words(fields: Sequence[Samples], bits: int) -> bool:
    """Whether all samples are inside of words, and an array that has their last bytes has the whole of the words.

    In the other order the bytes of a word would be the other way around.
    """
    words: set[int] = set()
    ended: set[int] = set()
    for s in fields:
        if s.order != "little" or s.stride % bits:
            return False
        for at in s.offsets:
            word, within = divmod(at, bits)
            if within + s.size > bits:
                return False
            # Of several samples in a row, each must reach over its last byte: it may be the last one.
            key = word if len(s.offsets) == 1 else at
            words.add(key)
            if within + s.size > bits - BYTE:
                ended.add(key)
    return words == ended


def without_skip(s: Samples, skip: int) -> Samples:
    """Samples counted from so many bytes on."""
    return replace(s, offset=tuple([at - BYTE * skip for at in s.offsets]))


def span(s: Samples, start: int, bits: int) -> FieldSpan:
    """The elements of a sample that begins at a bit."""
    first, within = divmod(start, bits)
    count = -(-(within + s.size) // bits)
    return FieldSpan(first, count, within if s.order == "little" else bits * count - within - s.size)


def upward(s: Samples, count: int) -> Iterable[int]:
    """The elements of a field, least significant first."""
    return range(count) if s.order == "little" else range(count - 1, -1, -1)


def read(s: Samples, memory: Buffer, base: Expr, start: int, type_: T.Type) -> Expr:
    """The sample that begins a constant number of bits after an element, in a type."""
    bits = memory.type.bits
    where = span(s, start, bits)
    width = max(container(s.size), bits)
    word, many = UNSIGNED[width], width // bits
    loads = [converted(E.load(memory, plus(base, where.first + t)), word) for t in upward(s, where.count)]
    low = joined("or", [shifted("shift_left_in", x, bits * k) for k, x in enumerate(loads[:many])])
    value = shifted("shift_right_in", low, where.below)
    if len(loads) > many:
        above = shifted("shift_left_in", loads[many], width - where.below)
        value = E.apply("or", value, above)
    clean = len(loads) <= many and where.below + s.size == bits * len(loads)
    return _finished(value, s, type_, clean=clean)


def read_cyclic(s: Samples, memory: Buffer, base: Expr, at: Expr, type_: T.Type) -> Expr:
    """A sample by its number, which is an expression, counted from an element, in a type."""
    bits = memory.type.bits
    start = start_of(s, at)
    count = max(span(s, s.start(k), bits).count for k in range(_phases(s, bits)))
    word = UNSIGNED[max(bits, container(bits * count))]
    first = E.apply("shift_right_in", start, number(bits.bit_length() - 1))
    first = first if base.op == "const" and base.attr == 0 else E.apply("add", base, first)
    loads = [converted(E.load(memory, plus(first, t)), word) for t in upward(s, count)]
    whole = joined("or", [shifted("shift_left_in", x, bits * k) for k, x in enumerate(loads)])
    value = E.apply("shift_right_in", whole, converted(below(s, start, bits, count), word))
    return _finished(value, s, type_, clean=False)


def start_of(s: Samples, at: Expr) -> Expr:
    """The bit at which a sample begins, by its number."""
    offsets = s.offsets
    if len(offsets) == 1:
        return plus(times(at, s.stride), offsets[0])
    many = number(len(offsets))
    group, within = E.apply("floor_div", at, many), E.apply("mod", at, many)
    start = number(offsets[-1])
    for k in range(len(offsets) - 2, -1, -1):
        start = E.apply("choose", E.apply("eq", within, number(k)), number(offsets[k]), start)
    return E.apply("add", times(group, s.stride), start)


def below(s: Samples, start: Expr, bits: int, count: int) -> Expr:
    """The bits below a sample in so many elements from the one in which it begins, as an amount of a shift.

    They are masked, so that the amount is proved to be within the width.
    """
    within = E.apply("and", start, number(bits - 1))
    if s.order == "little":
        return within
    amount = E.apply("sub", number(bits * count - s.size), within)
    return E.apply("and", amount, number(container(bits * count) - 1))


def _phases(s: Samples, bits: int) -> int:
    """After how many samples they are again at the same bit of an element."""
    return len(s.offsets) * (bits // math.gcd(s.stride, bits))


def _finished(value: Expr, s: Samples, type_: T.Type, *, clean: bool) -> Expr:
    """A word whose low bits are a sample, as the value of the sample."""
    width = value.type.bits
    if not s.signed:
        return converted(value if clean else masked(value, s.size), type_)
    value = converted(shifted("shift_left_in", value, width - s.size), SIGNED[width])
    return converted(shifted("shift_right_in", value, width - s.size), type_)


@record
class FieldPiece:
    """A part of a field in one element: its lowest bit in the field and in the element, and its size."""

    element: int
    source: int
    target: int
    size: int

    @property
    def mask(self) -> int:
        """The bits of the element that it has."""
        return ((1 << self.size) - 1) << self.target


def pieces(s: Samples, start: int, bits: int) -> list[FieldPiece]:
    """The parts of a sample that begins at a bit, one for each element.

    >>> pieces(Samples(0, 6, 6, 6), 6, 8)
    [FieldPiece(element=0, source=0, target=6, size=2), FieldPiece(element=1, source=2, target=0, size=4)]
    """
    where = span(s, start, bits)
    found: list[FieldPiece] = []
    for k, t in enumerate(upward(s, where.count)):
        low, high = max(bits * k, where.below), min(bits * (k + 1), where.below + s.size)
        if low < high:
            found.append(FieldPiece(where.first + t, low - where.below, low - bits * k, high - low))
    return found


def placed(piece: FieldPiece, value: Expr, type_: T.Type) -> Expr:
    """The bits of a value that are in an element, where they are in it."""
    unsigned = converted(value, UNSIGNED[value.type.bits])
    part = converted(shifted("shift_right_in", unsigned, piece.source), type_)
    if piece.target + piece.size < type_.bits:
        part = masked(part, piece.size)
    return shifted("shift_left_in", part, piece.target)
