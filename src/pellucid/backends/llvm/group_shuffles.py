"""Interleaved stores as LLVM text: the values of a group are shuffled together, or copied from another group's bytes.

Under `groups`, above `shuffles` and `bitfields`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...base.record import record
from ...ir.expr import Expr
from ...ir.nest import Store
from ..jit.spelling import stored
from .bitfields import (
    SHORT,
    WORD,
    Bits,
    Extract,
    Layer,
    Unit,
    Value,
    closed_up,
    extracts_of,
    field_size,
    layers,
)
from .groups import COPIED, Group, is_known
from .interleaved import Held, InterleavedLoads
from .shuffles import REGISTER, Windows, bytes_of

Places = list[tuple[int, int]]
"""Registers and positions in them, of byte after byte in lane after lane."""
MAX_SHIFTS = 8
"""Maximum distances by which words are shifted for a group, where no instruction extracts bytes."""


@record
class Units:
    """A group that bit fields are copied from: its bytes in registers, as they were loaded or closed up."""

    held: Held
    windows: Windows
    numbers: Mapping[Expr, int]
    """The elements that are copied from, numbered from the first one that is loaded."""
    firsts: Mapping[Value, int]
    """The first byte of each value in lane 0."""
    is_closed: bool = False

    @property
    def size(self) -> int:
        """The bytes of an element."""
        return self.held.buffer.type.dtype.itemsize

    def is_in_units(self, count: int) -> bool:
        """Whether all `count` neighbors are in one register, the same ones in each lane."""
        even = all(start % (count * self.size) == 0 for start, _, _ in self.held.windows)
        return even and self.held.stride.step % count == 0

    def at(self, value: Value, lane: int, byte: int) -> int:
        """The place of a byte of a value, counted from the first byte that is loaded."""
        return self.firsts[value] + lane * self.held.stride.step * self.size + byte

    def of_units(self, windows: Windows, count: int) -> Units:
        """The same after `count` elements at a time were closed up in the registers."""
        size = count * self.size
        numbers = {number // count for number in self.numbers.values()}
        firsts: dict[Value, int] = {Unit(k, size): k * size for k in numbers}
        return replace(self, windows=windows, firsts=firsts, is_closed=True)


def _cost(made: Sequence[Layer]) -> tuple[int, int]:
    """Layers, and those of them whose bytes are no whole bytes of registers."""
    return len(made), sum(bool(layer.words) for layer in made)


class ShuffledStores:
    """Stores groups by wide stores of whole registers; `extracts` says that the processor has `Machine.permutes`."""

    def __init__(self, loads: InterleavedLoads, *, extracts: bool) -> None:
        self.extracts = extracts
        self.out, self.scope, self.strides, self.loads = loads.out, loads.scope, loads.strides, loads
        self.values, self.shuffles = loads.addressing.values, loads.shuffles

    def store(self, group: Group) -> None:
        """Store all places of a group in all lanes."""
        values = group.values
        if COPIED in values.values():
            if self._copy(group):
                return
            to_memory = self.loads.buffers.to_memory
            values = {s: to_memory(s.value.type, self.values.wide(s.value), self.scope.lanes) for s in values}
        self._shuffle(group, values)

    def _extent(self, group: Group) -> tuple[int, int, int]:
        """The first place of a group; in bytes, how far lanes are apart, and how far all reach."""
        size, places = group.last.buffer.type.dtype.itemsize, [group.places[s] for s in group.values]
        step, first = group.stride.step * size, min(places)
        return first, step, step * (self.scope.lanes - 1) + (max(places) + 1 - first) * size

    # ---- shuffled values ----

    def _shuffle(self, group: Group, values: dict[Store, str]) -> None:
        """Store values that are shuffled together."""
        buffer = group.last.buffer
        size = buffer.type.dtype.itemsize
        registers, at = self._packed(group, values)
        first, step, end = self._extent(group)
        sources: list[list[tuple[int, int]]] = [[] for _ in range(end)]
        fixed: list[int | None] = [None] * end
        for s in values:
            place = (group.places[s] - first) * size
            if s in at:
                for k, source in enumerate(at[s]):
                    lane, byte = divmod(k, size)
                    sources[lane * step + place + byte] = [source]
            else:
                for byte, value in enumerate(np.array(s.value.attr, buffer.type.dtype).tobytes()):
                    fixed[place + byte :: step] = [value] * self.scope.lanes
        where = self.strides.lane_zero(buffer, group.stride, first)
        for start in range(0, end, REGISTER):
            part, bytes_ = sources[start : start + REGISTER], fixed[start : start + REGISTER]
            place = self.out.let(f"getelementptr i8, ptr {where}, i64 {start}") if start else where
            dirty = [255 if x or value is not None else 0 for x, value in zip(part, bytes_, strict=True)]
            # What is not stored may be any.
            given = [x if stored else None for x, stored in zip(part, dirty, strict=True)]
            self.shuffles.store_bytes(place, self._filled(registers, given, bytes_), dirty)

    def _packed(self, group: Group, values: dict[Store, str]) -> tuple[list[str], dict[Store, Places]]:
        """The values of a group in registers, and the places of their bytes."""
        type_, n = group.last.buffer.type, self.scope.lanes
        size = type_.dtype.itemsize
        many = n * size
        registers: list[str] = []
        at: dict[str, Places] = {}
        together = max(1, REGISTER // many)
        # What goes to several places is there once; constants come by themselves.
        wanted = {s: name for s, name in values.items() if not is_known(s)}
        names = list(dict.fromkeys(wanted.values()))
        plain = size == 1 and not type_.is_float
        for begin in range(0, len(names), together):
            part: list[tuple[str, int]] = []
            for k, name in enumerate(names[begin : begin + together]):
                at[name] = [
                    (len(registers) + where // REGISTER, where % REGISTER)
                    for where in range(k * many, (k + 1) * many)
                ]
                whole = f"bitcast {stored(type_, n)} {name} to <{many} x i8>"
                part.append((name if plain else self.out.let(whole), many))
            registers += self.shuffles.registers(self.shuffles.row_of(part), len(part) * many)
        return registers, {s: at[name] for s, name in wanted.items()}

    def _filled(self, registers: list[str], sources: list[Places | None], fixed: list[int | None]) -> str:
        """The bytes of a part of a group: those of registers, and those that are constants."""
        assemble = self.shuffles.assemble
        if not any(fixed):
            return assemble(registers, sources)
        more = self.shuffles.constant_bytes([value or 0 for value in fixed])
        if not any(sources):
            return more
        # With all bits of a byte set afterwards, it is no matter which they were.
        found = assemble(
            registers, [None if value == 255 else s for s, value in zip(sources, fixed, strict=True)]
        )
        return self.out.let(f"or <{len(sources)} x i8> {found}, {more}")

    # ---- bit-field copies ----

    def _copy(self, group: Group) -> bool:
        """Store bit fields of another group; False if they are in several, or too far apart."""
        source = self._source(group)
        if source is None:
            return False
        made = self._layered(group, group.copied)
        if made is None or len(made) > 1:
            closed = self._closed(group, source)
            if closed is not None and (made is None or _cost(closed[1]) < _cost(made)):
                count, made = closed
                source = self._brought_together(group, source, count)
        if made is None:
            return False
        first, _, end = self._extent(group)
        dirty = self._dirty(group)
        where = self.strides.lane_zero(group.last.buffer, group.stride, first)
        for start in range(0, end, REGISTER):
            part = dirty[start : start + REGISTER]
            place = self.out.let(f"getelementptr i8, ptr {where}, i64 {start}") if start else where
            laid = [
                name for layer in made if (name := self._laid(layer, start, len(part), source)) is not None
            ]
            name = laid[0] if laid else "zeroinitializer"
            for other in laid[1:]:
                name = self.out.let(f"or <{len(part)} x i8> {name}, {other}")
            self.shuffles.store_bytes(place, name, part)
        return True

    def _layered(self, group: Group, copied: Mapping[Store, Sequence[Bits[Any]]]) -> list[Layer] | None:
        """The layers of the bytes of a group that consist of some bits; None where there are too many."""
        first, step, _ = self._extent(group)
        size = group.last.buffer.type.dtype.itemsize
        bytes_: list[list[Extract] | None] = [None] * step
        for s, bits in copied.items():
            for byte in range(size):
                bytes_[(group.places[s] - first) * size + byte] = extracts_of(bits, byte)
        made = layers(bytes_, WORD if self.extracts else SHORT)
        if made is None or self.extracts:
            return made
        return made if sum(layer.distances for layer in made) <= MAX_SHIFTS else None

    def _dirty(self, group: Group) -> list[int]:
        """The bits that a group stores in each of its bytes."""
        first, step, end = self._extent(group)
        size = group.last.buffer.type.dtype.itemsize
        dirty = [0] * end
        for s in group.copied:
            for k in range((group.places[s] - first) * size, (group.places[s] - first + 1) * size):
                dirty[k::step] = [255] * self.scope.lanes
        return dirty

    def _closed(self, group: Group, source: Units) -> tuple[int, list[Layer]] | None:
        """The number of neighboring elements that are best closed up, and the layers then; None if they cannot be."""
        field, size = self._field(group), source.size
        if field >= 8 * size:
            return None
        found: list[tuple[int, list[Layer]]] = []
        count = 2
        while count * size <= WORD and source.is_in_units(count):
            bits = {
                s: closed_up(each, source.numbers, field, count, size) for s, each in group.copied.items()
            }
            made = self._layered(group, bits)
            if made is not None:
                found.append((count, made))
            count *= 2
        return min(found, key=lambda each: _cost(each[1]), default=None)

    def _field(self, group: Group) -> int:
        """The number of low bits of elements that a group is copied from."""
        return field_size([b for found in group.copied.values() for b in found])

    def _brought_together(self, group: Group, source: Units, count: int) -> Units:
        """A source whose neighboring elements are closed up."""
        field = self._field(group)
        closed = [
            (start, length, self._closed_register(name, field, source.size, count))
            for start, length, name in source.windows
        ]
        return source.of_units(closed, count)

    def _closed_register(self, name: str, field: int, size: int, count: int) -> str:
        """Fields in the low bits of elements brought together, two neighbors at a time, by shifts."""
        let, whole = self.out.let, f"<{REGISTER} x i8>"
        width = 16 * size
        while width <= 8 * size * count:
            word, low = f"<{8 * REGISTER // width} x i{width}>", (1 << field) - 1
            both = let(f"bitcast {whole} {name} to {word}")
            moved = let(f"lshr {word} {both}, splat (i{width} {width // 2 - field})")
            kept = let(f"and {word} {both}, splat (i{width} {low})")
            beside = let(f"and {word} {moved}, splat (i{width} {low << field})")
            name = let(f"bitcast {word} {let(f'or {word} {kept}, {beside}')} to {whole}")
            field, width = 2 * field, 2 * width
        return name

    def _laid(self, layer: Layer, start: int, count: int, source: Units) -> str | None:
        """`count` bytes of a layer from byte `start` on; None where it has none."""
        shuffles, let = self.shuffles, self.out.let
        whole = count if not layer.words else -(-count // layer.size) * layer.size
        bytes_: list[int | None] = []
        for s in layer.sources(start, whole):
            (value, byte), lane = s or ((None, 0), 0)
            inside = value is not None and lane < self.scope.lanes
            bytes_.append(source.at(value, lane, byte) if value is not None and inside else None)
        near = [at for at in bytes_ if at is not None]
        if not near:
            return None
        if not self.extracts and layer.words:
            name = self._shifted(layer, start, whole, self._brought_near(bytes_, source))
            return shuffles.slice(name, whole, 0, count)
        windows = source.windows if source.is_closed else self.loads.around(source.held, near)
        registers = [name for _, _, name in windows]
        starts = [first for first, _, _ in windows]
        sources: list[tuple[int, int] | None] = []
        for at in bytes_:
            # Windows lie one after the other, but for the last.
            r = 0 if at is None else min(bisect_right(starts, at), len(starts)) - 1
            sources.append(None if at is None else (r, at - starts[r]))
        if not shuffles.permutes and not layer.words and not (layer.masked and self.extracts):
            name = shuffles.assemble(registers, [[s] if s else [] for s in sources])
            return self._kept(layer, start, count, name)
        # A byte that is not wanted may be any.
        other = next(s for s in sources if s)
        filled = [s or other for s in sources] + [other] * (REGISTER - len(sources))
        name, vector = shuffles.brought(registers, filled), f"<{REGISTER} x i8>"
        if layer.words:
            starts = shuffles.constant(layer.starts(start, whole))
            name = let(
                f"call {vector} @llvm.x86.avx512.pmultishift.qb.512({vector} {starts}, {vector} {name})"
            )
        if layer.masked:
            name = let(f"and {vector} {name}, {shuffles.constant(layer.masks(start, count))}")
        return shuffles.slice(name, REGISTER, 0, count)

    def _brought_near(self, bytes_: Sequence[int | None], source: Units) -> str:
        """Bytes of a source, a short register at a time."""
        pieces: list[tuple[str, int]] = []
        for first in range(0, len(bytes_), self.shuffles.near):
            part = bytes_[first : first + self.shuffles.near]
            near = [at for at in part if at is not None]
            is_held = source.is_closed or not near
            windows = source.windows if is_held else self.loads.around(source.held, near)
            pieces.append((self.shuffles.gather_near(windows, part), len(part)))
        return self.shuffles.row_of(pieces)

    def _kept(self, layer: Layer, start: int, count: int, name: str) -> str:
        """Bytes under the masks of a layer."""
        if not layer.masked:
            return name
        return self.out.let(f"and <{count} x i8> {name}, {bytes_of(layer.masks(start, count))}")

    def _shifted(self, layer: Layer, start: int, count: int, name: str) -> str:
        """The bytes that a layer extracts from the words of `name`, by a shift and a mask for each distance."""
        let, vector = self.out.let, f"<{count} x i8>"
        bits = 8 * layer.size
        word, total = f"<{count // layer.size} x i{bits}>", ""
        words = let(f"bitcast {vector} {name} to {word}")
        for (turned, comes_round), kept in layer.shifts(start, count).items():
            part = words
            if comes_round:
                by = f"<{count // layer.size} x i{bits}> splat (i{bits} {turned % bits})"
                turn = f"@llvm.fshr.v{count // layer.size}i{bits}"
                part = let(f"call {word} {turn}({word} {words}, {word} {words}, {by})")
            elif turned:
                part = let(f"{'lshr' if turned > 0 else 'shl'} {word} {words}, splat (i{bits} {abs(turned)})")
            part = let(f"bitcast {word} {part} to {vector}")
            part = let(f"and {vector} {part}, {bytes_of(kept)}")
            total = let(f"or {vector} {total}, {part}") if total else part
        return total or "zeroinitializer"

    def _source(self, group: Group) -> Units | None:
        """The group that bit fields are copied from; None for several."""
        numbers = dict[Expr, int]()
        held: Held | None = None
        for n in dict.fromkeys([b.value for bits in group.copied.values() for b in bits]):
            stride = self.strides.of(n.args[0], n.type.dtype.itemsize)
            assert stride is not None  # noqa: S101 - it is copied
            mine = self.loads.hold(n, stride)
            if held is not None and mine is not held:
                return None
            held = mine
            numbers[n] = stride.constant - held.first
        if held is None:
            return None
        size = held.buffer.type.dtype.itemsize
        firsts: dict[Value, int] = {n: number * size for n, number in numbers.items()}
        return Units(held, held.windows, numbers, firsts)
