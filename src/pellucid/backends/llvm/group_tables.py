"""Interleaved stores of table elements as LLVM text: one by one, since a vector would be put together and taken apart.

Under `groups`. The numbers lie on the stack, and a few lanes and places are stored in each iteration: the code is
short, and a processor does most of it at once.
"""

from __future__ import annotations

import itertools
import math

from ...ir.expr import Buffer
from ...ir.nest import Store
from ..jit.spelling import SCALAR, SLOT_ALIGNMENT, STORED, literal, moved_on, typed
from .groups import Group, number_type
from .interleaved import Strides
from .tables import TableReads

CHUNK, MAX_MEMBERS = 4, 3
"""Lanes, and maximum places of a group with gaps, that are stored in one iteration."""
WORD_BYTES, MAX_ELEMENTS = 8, 48
"""For a group without gaps: bytes that are put together to be stored, and maximum elements in one iteration."""
Offsets = list[tuple[Store, int]]
"""Stores, and for those of table elements the offset of their numbers."""


class TableStores:
    """Stores groups of elements from anywhere in tables."""

    def __init__(self, strides: Strides, tables: TableReads) -> None:
        self.out, self.scope, self.strides, self.tables = strides.out, strides.scope, strides, tables

    def store(self, group: Group) -> None:
        """Store a group, and those alike by the same loops: they wait for each other."""
        groups, out, lanes = group.alike or [group], self.out, self.scope.lanes
        if not all(g.is_full for g in groups):
            return
        buffer = group.last.buffer
        places = [
            self.strides.lane_zero(buffer, g.stride, min(g.places[s] for s in g.numbers)) for g in groups
        ]
        numbers = [(s, g.numbers[s]) for g in groups for s in g.members if s in g.numbers]
        types = [number_type(s) for s, _ in numbers]
        offsets = [0, *itertools.accumulate([t.bits // 8 * lanes if t else 0 for t in types])]
        slot = out.fresh("slot")
        out.enter(f"{slot} = alloca [{offsets[-1]} x i8], align {SLOT_ALIGNMENT}")
        for (_, name), type_, offset in zip(numbers, types, offsets, strict=False):
            if type_ is None:
                continue
            at = out.let(f"getelementptr i8, ptr {slot}, i64 {offset}") if offset else slot
            out.emit(f"store {typed(type_, lanes)} {name}, ptr {at}, align {type_.bits // 8}")
        many = len(numbers) // len(groups)
        members = [*zip([s for s, _ in numbers[:many]], offsets, strict=False)]
        if len(groups) == 1:
            self._store_from(buffer, groups[0], members, slot, places[0])
        else:
            self._store_alike(buffer, groups[0], members, slot, offsets[many], places)
        for g in groups:
            g.numbers.clear()

    def _store_alike(
        self, buffer: Buffer, group: Group, members: Offsets, slot: str, apart: int, places: list[str]
    ) -> None:
        """Groups that are alike, one after the other: their numbers lie `apart` bytes from each other."""
        out = self.out
        out.enter(f"{slot}.to = alloca [{len(places)} x ptr], align 8")
        for k, where in enumerate(places):
            into = out.let(f"getelementptr ptr, ptr {slot}.to, i64 {k}") if k else f"{slot}.to"
            out.emit(f"store ptr {where}, ptr {into}, align 8")
        with out.counting(len(places), 1) as number:
            start = out.let(moved_on(slot, "i8", apart, f"i64 {number}"))
            place = out.let(f"getelementptr ptr, ptr {slot}.to, i64 {number}")
            self._store_from(buffer, group, members, start, out.let(f"load ptr, ptr {place}, align 8"))

    def _store_from(self, buffer: Buffer, group: Group, members: Offsets, slot: str, where: str) -> None:
        """Store elements whose numbers are in a slot; `where` is the first place of the group in lane 0."""
        pairs = [
            (s, self.out.let(f"getelementptr i8, ptr {slot}, i64 {offset}") if offset else slot)
            for s, offset in members
        ]
        chunk = self._whole_words(buffer, group, len(pairs))
        if chunk:
            self._store_words(buffer, pairs, chunk, where)
            return
        for begin in range(0, len(pairs), MAX_MEMBERS):
            self._store_each(buffer, group, pairs[begin : begin + MAX_MEMBERS], where)

    def _store_each(self, buffer: Buffer, group: Group, pairs: list[tuple[Store, str]], where: str) -> None:
        """A loop over chunks of lanes that stores one element after the other."""
        let, lanes = self.out.let, self.scope.lanes
        element, size = STORED[buffer.type], buffer.type.dtype.itemsize
        first = min(group.places[s] for s in group.numbers)
        many = next(n for n in (CHUNK, 2, 1) if lanes % n == 0)
        with self.out.counting(lanes, many) as lane:
            place = let(moved_on(where, "i8", group.stride.step * size, f"i64 {lane}"))
            for k, (s, slot) in itertools.product(range(many), pairs):
                type_ = number_type(s)
                if type_ is None:
                    value = literal(s.value)
                else:
                    at = let(moved_on(slot, SCALAR[type_], 1, f"i64 {lane}", k))
                    value = self.tables.element_at(s.value.attr, at, type_)
                offset = (k * group.stride.step + group.places[s] - first) * size
                into = let(f"getelementptr i8, ptr {place}, i64 {offset}") if offset else place
                self.out.emit(f"store {element} {value}, ptr {into}, align {size}")

    def _whole_words(self, buffer: Buffer, group: Group, count: int) -> int:
        """The number of lanes of a group without gaps that fill whole words; 0 for another group, or for many."""
        size, step = buffer.type.dtype.itemsize, group.stride.step
        if count < step or size == WORD_BYTES:
            return 0
        chunk = WORD_BYTES // math.gcd(WORD_BYTES, size * step)
        return chunk if self.scope.lanes % chunk == 0 and chunk * step <= MAX_ELEMENTS else 0

    def _store_words(self, buffer: Buffer, pairs: list[tuple[Store, str]], chunk: int, where: str) -> None:
        """As `_store_each`, by whole words: of all instructions, a processor does fewest stores at once."""
        let, element, size = self.out.let, STORED[buffer.type], buffer.type.dtype.itemsize
        types = [number_type(s) for s, _ in pairs]
        many = WORD_BYTES // size
        word, vector = "", f"<{many} x {element}>"
        with self.out.counting(self.scope.lanes, chunk) as lane:
            place = let(moved_on(where, "i8", len(pairs) * size, f"i64 {lane}"))
            bases = [
                let(f"getelementptr {SCALAR[t]}, ptr {slot}, i64 {lane}") if t else slot
                for t, (_, slot) in zip(types, pairs, strict=True)
            ]
            for n in range(chunk * len(pairs)):
                k, p = divmod(n, len(pairs))
                wanted, t = pairs[p][0].value, types[p]
                if t is None:
                    value = literal(wanted)
                else:
                    at = let(f"getelementptr {SCALAR[t]}, ptr {bases[p]}, i64 {k}") if k else bases[p]
                    value = self.tables.element_at(wanted.attr, at, t)
                filled = n % many
                before = word if filled else "poison"
                word = let(f"insertelement {vector} {before}, {element} {value}, i64 {filled}")
                if filled == many - 1:
                    offset = (n - filled) * size
                    into = let(f"getelementptr i8, ptr {place}, i64 {offset}") if offset else place
                    self.out.emit(f"store {vector} {word}, ptr {into}, align {size}")
