"""Interleaved stores as LLVM text: the values of a group are shuffled together, or copied from another group's bytes.

Under `groups`, above `shuffles` and `bitfields`.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from ...ir.expr import Expr
from ...ir.nest import Store
from ..jit.spelling import stored
from .bitfields import WORD, Extract, Layer, extracts_of, layers
from .groups import COPIED, Group, is_known
from .interleaved import Held, InterleavedLoads
from .shuffles import REGISTER

Places = list[tuple[int, int]]
"""Registers and positions in them, of byte after byte in lane after lane."""


class ShuffledStores:
    """Stores groups by wide stores of whole registers."""

    def __init__(self, loads: InterleavedLoads) -> None:
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
            self.shuffles.store_bytes(place, self._filled(registers, part, bytes_), dirty)

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

    def _filled(
        self, registers: list[str], sources: list[list[tuple[int, int]]], fixed: list[int | None]
    ) -> str:
        """The bytes of a part of a group: those of registers, and those that are constants."""
        assemble = self.shuffles.assemble
        if not any(fixed):
            return assemble(registers, sources)
        # With all bits of a byte set afterwards, it is no matter which they were.
        any_ = next((s for s in sources if s), sources[0])
        found = assemble(
            registers, [any_ if value == 255 else s for s, value in zip(sources, fixed, strict=True)]
        )
        more = self.shuffles.constant_bytes([value or 0 for value in fixed])
        return self.out.let(f"or <{len(sources)} x i8> {found}, {more}") if any_ else more

    # ---- bit-field copies ----

    def _copy(self, group: Group) -> bool:
        """Store bit fields of another group; False if they are in several, or too far apart."""
        found = self._source(group)
        buffer = group.last.buffer
        first, step, end = self._extent(group)
        size = buffer.type.dtype.itemsize
        bytes_: list[list[Extract] | None] = [None] * step
        dirty = [0] * end
        for s, bits in group.copied.items():
            for byte in range(size):
                k = (group.places[s] - first) * size + byte
                bytes_[k] = extracts_of(bits, byte)
                dirty[k::step] = [255] * self.scope.lanes
        made = layers(bytes_)
        if found is None or made is None:
            return False
        where = self.strides.lane_zero(buffer, group.stride, first)
        for start in range(0, end, REGISTER):
            part = dirty[start : start + REGISTER]
            place = self.out.let(f"getelementptr i8, ptr {where}, i64 {start}") if start else where
            laid = [
                name for layer in made if (name := self._laid(layer, start, len(part), *found)) is not None
            ]
            name = laid[0] if laid else "zeroinitializer"
            for other in laid[1:]:
                name = self.out.let(f"or <{len(part)} x i8> {name}, {other}")
            self.shuffles.store_bytes(place, name, part)
        return True

    def _laid(
        self, layer: Layer, start: int, count: int, registers: list[str], at: dict[Expr, Places]
    ) -> str | None:
        """`count` bytes of a layer from byte `start` on; None where it has none."""
        shuffles, let = self.shuffles, self.out.let
        whole = count if not layer.words else -(-count // WORD) * WORD
        sources: list[tuple[int, int] | None] = []
        for s in layer.sources(start, whole):
            (value, byte), lane = s or ((None, 0), 0)
            size = 0 if value is None else value.type.dtype.itemsize
            inside = value is not None and lane < self.scope.lanes
            sources.append(at[value][lane * size + byte] if value is not None and inside else None)
        if not any(sources):
            return None
        if not shuffles.permutes:
            return shuffles.assemble(registers, [[s] if s else [] for s in sources])
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

    def _source(self, group: Group) -> tuple[list[str], dict[Expr, Places]] | None:
        """The registers of the group that bit fields are copied from, and the places of its bytes; None for several."""
        found = dict[Expr, Places]()
        held: Held | None = None
        for n in dict.fromkeys([b.value for bits in group.copied.values() for b in bits]):
            size = n.type.dtype.itemsize
            stride = self.strides.of(n.args[0], size)
            assert stride is not None  # noqa: S101 - it is copied
            mine = self.loads.hold(n, stride)
            if held is not None and mine is not held:
                return None
            held = mine
            starts = [start for start, _, _ in held.windows]
            first = (stride.constant - held.first) * size
            # Windows lie one after the other, but for the last.
            found[n] = [
                (r, p - starts[r])
                for k in range(self.scope.lanes)
                for p in range(first + k * stride.step * size, first + k * stride.step * size + size)
                for r in [min(bisect_right(starts, p), len(starts)) - 1]
            ]
        return ([name for _, _, name in held.windows], found) if held else None
