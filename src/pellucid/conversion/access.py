"""Reading and writing samples as expressions: loads, shifts and masks at the bits where a layout has them.

`read` gives the sample at a column and a row, `write` the bytes of a group from its samples. What depends only on the
layout is worked out here, so that nothing is left of it but constants; the optimizer does the rest. It agrees bit for
bit with `reference`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from ..base.record import record
from ..ir import types as T
from ..ir.expr import Buffer, Expr, apply, const, load
from ..pixels.layout import Channel, Layout, Run
from ..reasoning.linear import folded


@record
class PlaneMemory:
    """One plane: a buffer of bytes, or of words in which all its samples lie whole; where its first row begins in it.

    `stride` is how many elements there are from row to row.
    """

    buffer: Buffer
    start: int
    stride: int


def word_type(channel: Channel) -> T.Type:
    """The type of a sample's bits as an expression: 32 or 64 bits, signed for signed samples."""
    wide = channel.bits > 32
    return (T.i64 if wide else T.i32) if channel.kind == "s" else bits_type(channel)


def bits_type(channel: Channel) -> T.Type:
    """The type of a sample's bits without a sign: 32 or 64 bits."""
    return T.u64 if channel.bits > 32 else T.u32


def least_type(bits: int) -> T.Type:
    """The type of the least word that so many bits lie in.

    >>> least_type(1), least_type(10)
    (u8, u16)
    """
    return next(type_ for type_ in (T.u8, T.u16, T.u32, T.u64) if type_.bits >= bits)


def read(layout: Layout, channel: Channel, memory: PlaneMemory, column: Expr, row: Expr) -> Expr:
    """The bits of a sample as a number of `word_type`; column and row are i32 and count samples of the channel.

    >>> from ..ir.expr import index
    >>> gray = Layout("Y:4")
    >>> bytes_ = PlaneMemory(Buffer("gray", T.u8, 100), 0, 10)
    >>> read(gray, gray["Y"], bytes_, index("i"), index("j"))
    buffer gray: u8[100]
    s1 := %i * 4
    shift_right_in(convert.u32(gray[%j * 10 + shift_right_in(s1, 3)]), convert.u32(s1 & 7)) & 15:u32
    """
    element = memory.buffer.type.bits
    size = layout.planes[channel.plane].bits
    count = len(channel.places)
    line = plus(times(row, memory.stride), memory.start)
    found = parted(column, count)
    if found is not None:
        # Its place in the group is known: constant shifts.
        group, within = found
        line = plus(line, times(group, size // element))
        return signed(channel, _gathered(channel, memory.buffer, line, None, 0, channel.places[within]))
    step = _even(channel)
    if step is not None and step * count == size:
        # Samples all alike: the n-th lies n steps on, whatever its group.
        at = times(column, step)
        return signed(channel, _gathered(channel, memory.buffer, line, at, step, channel.places[0]))
    line = plus(line, times(apply("floor_div", column, const(count, T.i32)), size // element))
    within = apply("mod", column, const(count, T.i32))
    if step is not None:
        at = times(within, step)
        return signed(channel, _gathered(channel, memory.buffer, line, at, step, channel.places[0]))
    found = [_gathered(channel, memory.buffer, line, None, 0, runs) for runs in channel.places]
    result = found[-1]
    for k in reversed(range(count - 1)):
        result = apply("choose", apply("eq", within, const(k, T.i32)), found[k], result)
    return signed(channel, result)


def write(
    layout: Layout, plane: int, samples: Mapping[str, Sequence[Expr]], word: T.Type = T.u8
) -> list[tuple[Expr, int]]:
    """The words of a group of a plane, each with the mask of the bits that are meant; lowest address first.

    A word is a byte, or of more bits if all samples lie whole in such words. `samples` gives for each channel of the
    plane the bits of its samples in the group, as 32 or 64 bits without a sign, zero above them.
    """
    size, wide = layout.planes[plane].bits // word.bits, word.bits
    parts: list[list[Expr]] = [[] for _ in range(size)]
    masks = [0] * size
    for channel in layout.channels:
        if channel.plane != plane:
            continue
        for value, runs in zip(samples[channel.name], channel.places, strict=True):
            for run in runs:
                for k in range(run.start // wide, (run.start + run.width - 1) // wide + 1):
                    first = max(run.start, wide * k)
                    last = min(run.start + run.width, wide * k + wide)
                    # Down to the bits that this word takes, then up to their place in it.
                    bits = _shifted_right(value, run.low + first - run.start)
                    mask = (1 << (last - first)) - 1
                    # What is beyond the sample is zero, and what is beyond the word goes.
                    if run.low + last - run.start < channel.bits and last < wide * k + wide:
                        bits = apply("and", bits, const(mask, value.type))
                    if first - wide * k:
                        bits = apply("shift_left_in", bits, const(first - wide * k, value.type))
                    parts[k].append(apply("convert", bits, attr=word))
                    masks[k] |= mask << (first - wide * k)
    found: list[tuple[Expr, int]] = []
    for pieces, mask in zip(parts, masks, strict=True):
        value = pieces[0] if pieces else const(0, word)
        for piece in pieces[1:]:
            value = apply("or", value, piece)
        found.append((value, mask))
    return found


def _even(channel: Channel) -> int | None:
    """The bits from each sample of a group to the next, if all of them lie alike; None if they do not."""
    first = channel.places[0]
    step = channel.places[1][0].start - first[0].start if len(channel.places) > 1 else 0
    for k, runs in enumerate(channel.places):
        moved = tuple(Run(r.low, r.width, r.start + k * step) for r in first)
        if runs != moved:
            return None
    return step if step > 0 else None


def _gathered(
    channel: Channel, buffer: Buffer, line: Expr, at: Expr | None, step: int, runs: Sequence[Run]
) -> Expr:
    """The bits of one sample from its runs; `at` is a bit address that changes in multiples of `step`, if any."""
    word = bits_type(channel)
    element = buffer.type.bits
    by = element.bit_length() - 1
    result: Expr | None = None
    for run in runs:
        where = at if at is None else plus(at, run.start)
        if where is None or step % element == 0:
            base = line if at is None else plus(line, _shifted_right(at, by))
            base = plus(base, run.start // element)
            bits = _window(word, buffer, base, run.start % element, run.width)
        else:
            # Somewhere within an element: as many as it may reach into, and a shift that is only known then.
            reach = max((run.start + k * step) % element for k in range(len(channel.places))) + run.width
            wide = T.u64 if reach > 32 else T.u32
            base = plus(line, _shifted_right(where, by))
            bits = _joined(wide, buffer, base, min(-(-reach // element), 64 // element))
            shift = apply("convert", apply("and", where, const(element - 1, T.i32)), attr=wide)
            whole = apply("shift_right_in", bits, shift)
            if reach > 64:
                high = apply("convert", load(buffer, plus(base, 8)), attr=wide)
                # Two shifts, since one by 64 is none.
                up = apply("shift_left_in", high, apply("sub", const(63, wide), shift))
                whole = apply("or", whole, apply("shift_left_in", up, const(1, wide)))
            bits = apply("and", whole, const((1 << run.width) - 1, wide))
            if wide is not word:
                bits = apply("convert", bits, attr=word)
        if run.low:
            bits = apply("shift_left_in", bits, const(run.low, word))
        result = bits if result is None else apply("or", result, bits)
    assert result is not None  # noqa: S101 - a sample has a bit
    return result


def _window(word: T.Type, buffer: Buffer, base: Expr, shift: int, width: int) -> Expr:
    """Bits from `shift` on of the elements from `base` on."""
    element, reach = buffer.type.bits, shift + width
    wide = T.u64 if reach > 32 else word
    bits = _joined(wide, buffer, base, min(-(-reach // element), 64 // element))
    bits = _shifted_right(bits, shift)
    if reach > 64:
        high = apply("convert", load(buffer, plus(base, 8)), attr=wide)
        bits = apply("or", bits, apply("shift_left_in", high, const(64 - shift, wide)))
    if reach % element:
        bits = apply("and", bits, const((1 << width) - 1, wide))
    return bits if wide is word else apply("convert", bits, attr=word)


def _joined(word: T.Type, buffer: Buffer, base: Expr, count: int) -> Expr:
    """A number of that many elements, the lowest first."""
    result: Expr | None = None
    for k in range(count):
        part = load(buffer, plus(base, k))
        part = part if part.type is word else apply("convert", part, attr=word)
        if k:
            part = apply("shift_left_in", part, const(k * buffer.type.bits, word))
        result = part if result is None else apply("or", result, part)
    assert result is not None  # noqa: S101 - at least one
    return result


def signed(channel: Channel, bits: Expr) -> Expr:
    """The bits of a sample as a number of `word_type`, zero above them."""
    if channel.kind != "s":
        return bits
    word = word_type(channel)
    spare = const(word.bits - channel.bits, word)
    number = apply("convert", bits, attr=word)
    if word.bits == channel.bits:
        return number
    return apply("shift_right_in", apply("shift_left_in", number, spare), spare)


def _shifted_right(value: Expr, bits: int) -> Expr:
    return apply("shift_right_in", value, const(bits, value.type)) if bits else value


# The samples of a group, and stores and loads of them, ask for the same positions.
_remembered = functools.lru_cache(maxsize=256)


@_remembered
def plus(value: Expr, more: Expr | int) -> Expr:
    """A sum of positions, constants added up."""
    if isinstance(more, Expr):
        return folded("add", value, more)
    node, by, constant = _linear(value)
    return _sum(node, by, constant + more)


@_remembered
def times(value: Expr, number: int) -> Expr:
    """A multiple of a position, constants multiplied with it."""
    node, by, constant = _linear(value)
    return _sum(node, by * number, constant * number)


@_remembered
def parted(position: Expr, count: int) -> tuple[Expr, int] | None:
    """The quotient of a position by a number, and the remainder, if that is known now; else None.

    >>> from ..ir.expr import index
    >>> parted(plus(times(index("i"), 6), 5), 2)
    (%i * 3 + 2, 1)
    >>> parted(index("i"), 2) is None
    True
    """
    node, by, constant = _linear(position)
    if by % count:
        return None
    return _sum(node, by // count, constant // count), constant % count


def in_block(row: Expr, tall: int) -> tuple[Expr, int]:
    """The block of a row, and the row within it, where blocks of `tall` rows count the rows.

    >>> from ..ir.expr import index
    >>> in_block(plus(times(index("j"), 2), 1), 2)
    (%j, 1)
    """
    found = parted(row, tall)
    assert found is not None  # noqa: S101 - rows are made of blocks
    return found


def _linear(position: Expr) -> tuple[Expr, int, int]:
    """A node, by what it is multiplied, and what is added to it."""
    if position.op == "const":
        return const(0, position.type), 0, int(position.attr)
    if position.op in ("add", "mul") and position.args[1].op == "const":
        node, by, constant = _linear(position.args[0])
        number = int(position.args[1].attr)
        if position.op == "add":
            return node, by, constant + number
        return node, by * number, constant * number
    return position, 1, 0


def _sum(node: Expr, by: int, constant: int) -> Expr:
    if not by:
        return const(constant, node.type)
    return folded("add", folded("mul", node, const(by, node.type)), const(constant, node.type))
