"""Interleaved groups as LLVM text: stores to what lies K apart from lane to lane become one wide store.

Between `interleaved` and `loads`. The values of a group are shuffled together; what is only moved from one group to
another goes there at once (see `moving`), and what is looked up in a table goes by way of the stack.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC
from bisect import bisect_right
from dataclasses import dataclass, field

import numpy as np

from ...ir import types as T
from ...ir.expr import Buffer, Expr
from ...ir.nest import Block, Store, all_roots
from ...reasoning.infer import FactsOf
from ..jit.spelling import SCALAR, STORED, WIDEST, literal, moved_on, stored, typed
from ..port import Layout
from .gathers import unwidened
from .interleaved import Held, Interleaved, Strided
from .moving import WORD, Bits, Layer, Window, layers, moved, windows_of
from .shuffles import REGISTER

TURN, MEMBERS = 4, 3
"""How many lanes, and how many places of a group with gaps, go to a table in one turn of a loop."""
WORD_BYTES, MOST_LOOKED_UP = 8, 48
"""Of a group without gaps: how many bytes are put together to be stored, and how many elements in one turn."""
Places = list[tuple[int, int]]
"""Registers and positions in them, of byte after byte in lane after lane."""
MOVED = ""
"""The value of an element that is only moved: it has no name."""
Offsets = list[tuple[Store, int]]
"""Stores, and where the numbers lie at which their values are looked up, if they are."""


def known(s: Store) -> bool:
    """Whether a store is of a constant that stands in memory as it is."""
    return s.value.op == "const" and s.value.type is s.buffer.type and not s.buffer.type.is_float


def number_type(s: Store) -> T.Type | None:
    """The type of the number at which a store's value is looked up; None for a constant."""
    return unwidened(s.value.args[0]).type if s.value.op == "load" else None


@dataclass(slots=True)
class Group:
    """Stores that become one: which they are, where each is in the group, and their values so far.

    Of values that are looked up, it holds at which numbers. `alike` are groups of the same form, this one among them,
    of which all values are looked up or constant (these have no number): they wait until all of them can be stored.
    `moved` are the bits that values are made of, if they are moved from another group, and nothing else.
    """

    shape: Strided
    places: dict[Store, int]
    values: dict[Store, str] = field(default_factory=dict[Store, str])
    numbers: dict[Store, str] = field(default_factory=dict[Store, str])
    alike: list[Group] = field(default_factory=list["Group"])
    moved: dict[Store, list[Bits]] = field(default_factory=dict[Store, list[Bits]])

    @property
    def full(self) -> bool:
        """Whether all that is to be stored is known."""
        return len(self.values) + len(self.numbers) == len(self.places)

    @property
    def last(self) -> Store:
        """The one that is stored last."""
        return list(self.places)[-1]

    @property
    def members(self) -> list[Store]:
        """Its stores, by their places."""
        return sorted(self.places, key=lambda s: self.places[s])


class Groups(Interleaved, ABC):
    """Writes stores of groups."""

    def __init__(self, body: Block, facts: FactsOf, plan: Layout, *, cheap_masks: bool) -> None:
        super().__init__(body, facts, plan, cheap_masks=cheap_masks)
        self.grouped: dict[Store, Group] = {}
        self.passed: set[Expr] = set()
        """What a block computes on the way of bits that are only moved: nobody else may want it."""

    def find_groups(self, block: Block) -> None:
        """Note which stores of a block in lanes become one: neighbors in the block, and in memory within a group."""
        self.passed = set()
        if self.live is not None or self.care is not None:
            return
        stores = [s for s in block if isinstance(s, Store)]
        if len(stores) < 2 or any(self.changing(n) for n in all_roots(block)):
            return
        # Stores to places that a constant tells apart may come in any order.
        shapes = {s: self.shape(s.position) for s in stores}
        loose = {
            b
            for b in {s.buffer for s in stores}
            if len({shapes[s].terms for s in stores if s.buffer is b}) == 1
            and len({shapes[s].constant for s in stores if s.buffer is b})
            == sum(s.buffer is b for s in stores)
        }
        open_: list[Group] = []
        for s in stores:
            shape = self.strided(s.position, s.buffer.type.dtype.itemsize)
            if shape is None or not self.inside(s.position, s.buffer):
                open_ = []
                continue
            group = next((g for g in open_ if self._joins(g, s, shape)), None)
            if group is None:
                group = Group(shape, {})
                open_ = [*open_, group] if s.buffer in loose else [group]
            group.places[s] = shape.constant
            self.grouped[s] = group
        self.find_alike([self.grouped[s] for s in stores if s in self.grouped and s.buffer in loose])
        for group in {id(g): g for s in stores if (g := self.grouped.get(s)) is not None}.values():
            self.find_moved(group)

    def find_alike(self, groups: list[Group]) -> None:
        """Note which of some groups, whose stores may come in any order, look up the same for the same places."""
        forms: dict[object, list[Group]] = {}
        for group in {id(g): g for g in groups}.values():
            members = group.members
            looked_up = [self.looked_up(s.value) for s in members]
            if any(looked_up) and all(there or known(s) for there, s in zip(looked_up, members, strict=True)):
                form = [(group.places[s], s.value.attr, number_type(s)) for s in members]
                apart = [(place - form[0][0], *rest) for place, *rest in form]
                forms.setdefault((members[0].buffer, group.shape.step, *apart), []).append(group)
        for alike in forms.values():
            for group in alike:
                group.alike = alike

    def _joins(self, group: Group, s: Store, shape: Strided) -> bool:
        """Whether a store may be done together with those before it."""
        taken = group.places.values()
        return (
            next(iter(group.places)).buffer is s.buffer
            and (group.shape.step, group.shape.parts) == (shape.step, shape.parts)
            and shape.constant not in taken
            and max(*taken, shape.constant) - min(*taken, shape.constant) < shape.step
        )

    def store_grouped(self, s: Store) -> bool:
        """Keep the value of a store until the last of its group, and then store them all; False if it has no group."""
        group = self.grouped.get(s)
        if group is None:
            return False
        if group.alike or self.looked_up(s.value):
            group.numbers[s] = "" if known(s) else self.wide_value(unwidened(s.value.args[0]))
        elif group.moved:
            # None of them is wanted by itself.
            group.values = dict.fromkeys(group.places, MOVED)
            if s is not group.last:
                return True
        else:
            group.values[s] = self.to_memory(s.value.type, self.wide_value(s.value), self.lanes)
        if group.full:
            if group.values:
                self.store_group(s.buffer, group)
            if group.numbers:
                self.store_looked_up(s.buffer, group)
            group.values.clear()
        return True

    def store_looked_up(self, buffer: Buffer, group: Group) -> None:
        """Elements from anywhere to a group, one by one: as vectors they would be put together and taken apart.

        Groups that are alike wait for each other, and are stored by the same loops.
        """
        groups = group.alike or [group]
        if not all(g.full for g in groups):
            return
        places = [self.lane_zero(buffer, g.shape, min(g.places[s] for s in g.numbers)) for g in groups]
        # By way of the stack, a few lanes and places at a time: short code, and a processor does most of it at once.
        numbers = [(s, g.numbers[s]) for g in groups for s in g.members if s in g.numbers]
        types = [number_type(s) for s, _ in numbers]
        offsets = [0, *itertools.accumulate([t.bits // 8 * self.lanes if t else 0 for t in types])]
        self.count += 1
        slot = f"%slot{self.count}"
        self.enter(f"{slot} = alloca [{offsets[-1]} x i8], align {WIDEST}")
        for (_, name), type_, offset in zip(numbers, types, offsets, strict=False):
            if type_ is None:
                continue
            at = self.let(f"getelementptr i8, ptr {slot}, i64 {offset}") if offset else slot
            self.emit(f"store {typed(type_, self.lanes)} {name}, ptr {at}, align {type_.bits // 8}")
        many = len(numbers) // len(groups)
        members = [*zip([s for s, _ in numbers[:many]], offsets, strict=False)]
        if len(groups) == 1:
            self.store_from(buffer, groups[0], members, slot, places[0])
        else:
            self.store_alike(buffer, groups[0], members, slot, offsets[many], places)
        for g in groups:
            g.numbers.clear()

    def store_alike(
        self, buffer: Buffer, group: Group, members: Offsets, slot: str, apart: int, places: list[str]
    ) -> None:
        """Groups that are alike, one after the other: the numbers of each lie so many bytes apart."""
        self.enter(f"{slot}.to = alloca [{len(places)} x ptr], align 8")
        for k, where in enumerate(places):
            into = self.let(f"getelementptr ptr, ptr {slot}.to, i64 {k}") if k else f"{slot}.to"
            self.emit(f"store ptr {where}, ptr {into}, align 8")
        with self.counting(len(places), 1) as turn:
            start = self.let(moved_on(slot, "i8", apart, f"i64 {turn}"))
            place = self.let(f"getelementptr ptr, ptr {slot}.to, i64 {turn}")
            self.store_from(buffer, group, members, start, self.let(f"load ptr, ptr {place}, align 8"))

    def store_from(self, buffer: Buffer, group: Group, members: Offsets, slot: str, where: str) -> None:
        """Store what is looked up at numbers that are in memory; `where` is the first place of the group in lane 0."""
        pairs = [
            (s, self.let(f"getelementptr i8, ptr {slot}, i64 {offset}") if offset else slot)
            for s, offset in members
        ]
        turn = self.whole_words(buffer, group, len(pairs))
        if turn:
            self.store_words(buffer, pairs, turn, where)
            return
        for begin in range(0, len(pairs), MEMBERS):
            self.store_turns(buffer, group, pairs[begin : begin + MEMBERS], where)

    def store_turns(self, buffer: Buffer, group: Group, pairs: list[tuple[Store, str]], where: str) -> None:
        """A loop over the lanes whose numbers are in slots; `where` is the first place of the group in lane 0."""
        element, size = STORED[buffer.type], buffer.type.dtype.itemsize
        first = min(group.places[s] for s in group.numbers)
        many = next(n for n in (TURN, 2, 1) if self.lanes % n == 0)
        with self.counting(self.lanes, many) as lane:
            place = self.let(moved_on(where, "i8", group.shape.step * size, f"i64 {lane}"))
            for k, (s, slot) in itertools.product(range(many), pairs):
                type_ = number_type(s)
                if type_ is None:
                    value = literal(s.value)
                else:
                    at = self.let(moved_on(slot, SCALAR[type_], 1, f"i64 {lane}", k))
                    value = self.looked_at(s.value.attr, at, type_)
                offset = (k * group.shape.step + group.places[s] - first) * size
                into = self.let(f"getelementptr i8, ptr {place}, i64 {offset}") if offset else place
                self.emit(f"store {element} {value}, ptr {into}, align {size}")

    def whole_words(self, buffer: Buffer, group: Group, count: int) -> int:
        """How many lanes of a group without gaps fill whole words of memory; 0 for another group, or for many."""
        size, step = buffer.type.dtype.itemsize, group.shape.step
        if count < step or size == WORD_BYTES:
            return 0
        turn = WORD_BYTES // math.gcd(WORD_BYTES, size * step)
        return turn if self.lanes % turn == 0 and turn * step <= MOST_LOOKED_UP else 0

    def store_words(self, buffer: Buffer, pairs: list[tuple[Store, str]], turn: int, where: str) -> None:
        """As `store_turns`, for places one after the other: stores are what a processor makes fewest of at once."""
        element, size = STORED[buffer.type], buffer.type.dtype.itemsize
        types = [number_type(s) for s, _ in pairs]
        many = WORD_BYTES // size
        word, vector = "", f"<{many} x {element}>"
        with self.counting(self.lanes, turn) as lane:
            place = self.let(moved_on(where, "i8", len(pairs) * size, f"i64 {lane}"))
            bases = [
                self.let(f"getelementptr {SCALAR[t]}, ptr {slot}, i64 {lane}") if t else slot
                for t, (_, slot) in zip(types, pairs, strict=True)
            ]
            for n in range(turn * len(pairs)):
                k, p = divmod(n, len(pairs))
                wanted, t = pairs[p][0].value, types[p]
                if t is None:
                    value = literal(wanted)
                else:
                    at = self.let(f"getelementptr {SCALAR[t]}, ptr {bases[p]}, i64 {k}") if k else bases[p]
                    value = self.looked_at(wanted.attr, at, t)
                filled = n % many
                word = self.let(
                    f"insertelement {vector} {word if filled else 'poison'}, {element} {value}, i64 {filled}"
                )
                if filled == many - 1:
                    offset = (n - filled) * size
                    into = self.let(f"getelementptr i8, ptr {place}, i64 {offset}") if offset else place
                    self.emit(f"store {vector} {word}, ptr {into}, align {size}")

    def shuffled(self, buffer: Buffer, group: Group) -> tuple[list[str], dict[Store, Places]]:
        """The values of a group in registers, and where in them is what."""
        size, n = buffer.type.dtype.itemsize, self.lanes
        many = n * size
        registers: list[str] = []
        at: dict[str, Places] = {}
        together = max(1, REGISTER // many)
        # What goes to several places is there once; constants come by themselves.
        values = {s: name for s, name in group.values.items() if not known(s)}
        names = list(dict.fromkeys(values.values()))
        plain = size == 1 and not buffer.type.is_float
        for begin in range(0, len(names), together):
            part: list[tuple[str, int]] = []
            for k, name in enumerate(names[begin : begin + together]):
                at[name] = [
                    (len(registers) + where // REGISTER, where % REGISTER)
                    for where in range(k * many, (k + 1) * many)
                ]
                whole = f"bitcast {stored(buffer.type, n)} {name} to <{many} x i8>"
                part.append((name if plain else self.let(whole), many))
            registers += self.registers(self.row_of(part), len(part) * many)
        return registers, {s: at[name] for s, name in values.items()}

    def store_group(self, buffer: Buffer, group: Group) -> None:
        """One store of all places of a group in all lanes."""
        if MOVED in group.values.values():
            if self.store_moved(buffer, group):
                return
            for s in group.values:
                group.values[s] = self.to_memory(s.value.type, self.wide_value(s.value), self.lanes)
        registers, at = self.shuffled(buffer, group)
        first, step, beyond = self.extent(buffer, group)
        sources: list[list[tuple[int, int]]] = [[] for _ in range(beyond)]
        fixed: list[int | None] = [None] * beyond
        size = buffer.type.dtype.itemsize
        for s in group.values:
            place = (group.places[s] - first) * size
            if s in at:
                for k, source in enumerate(at[s]):
                    lane, byte = divmod(k, size)
                    sources[lane * step + place + byte] = [source]
            else:
                for byte, value in enumerate(np.array(s.value.attr, buffer.type.dtype).tobytes()):
                    fixed[place + byte :: step] = [value] * self.lanes
        where = self.lane_zero(buffer, group.shape, first)
        for start in range(0, beyond, REGISTER):
            part, bytes_ = sources[start : start + REGISTER], fixed[start : start + REGISTER]
            place = self.let(f"getelementptr i8, ptr {where}, i64 {start}") if start else where
            dirty = [255 if x or value is not None else 0 for x, value in zip(part, bytes_, strict=True)]
            self.store_bytes(place, self.filled(registers, part, bytes_), dirty)

    def filled(
        self, registers: list[str], sources: list[list[tuple[int, int]]], fixed: list[int | None]
    ) -> str:
        """The bytes of a part of a group: those of registers, and those that are constants."""
        if not any(fixed):
            return self.assemble(registers, sources)
        # With all bits of a byte set afterwards, it is no matter which they were.
        any_ = next((s for s in sources if s), sources[0])
        found = self.assemble(
            registers, [any_ if value == 255 else s for s, value in zip(sources, fixed, strict=True)]
        )
        more = self.constant_bytes([value or 0 for value in fixed])
        return self.let(f"or <{len(sources)} x i8> {found}, {more}") if any_ else more

    def extent(self, buffer: Buffer, group: Group) -> tuple[int, int, int]:
        """The first place of a group that is stored to; in bytes, how far lanes are apart, and how far all reach."""
        size, places = buffer.type.dtype.itemsize, [group.places[s] for s in group.values]
        step, first = group.shape.step * size, min(places)
        return first, step, step * (self.lanes - 1) + (max(places) + 1 - first) * size

    # ---- what is only moved ----

    def find_moved(self, group: Group) -> None:
        """Note whether what a group is to hold are bits of another one, in whatever order."""
        bits, through = dict[Store, list[Bits]](), set[Expr]()
        found: set[object] = set()
        for s in group.places:
            # Without windows, whole elements are moved, or nothing.
            if not (self.permutes or s.value.op == "load"):
                return
            bits[s] = moved(s.value, through)
            for n in dict.fromkeys([b.value for b in bits[s]]):
                if n.op != "load" or n in self.names or n.attr.type is not n.type:
                    return
                shape = self.strided(n.args[0], n.type.dtype.itemsize)
                if shape is None or not self.inside(n.args[0], n.attr):
                    return
                found.add((n.attr, shape.step, shape.parts))
                through.add(n)
        if len(found) == 1:
            group.moved = bits
            self.passed |= through

    def store_moved(self, buffer: Buffer, group: Group) -> bool:
        """Store a group whose bits are those of another one; False if they are in several, or too far apart."""
        found = self.from_group(group)
        first, step, beyond = self.extent(buffer, group)
        size = buffer.type.dtype.itemsize
        bytes_: list[list[Window] | None] = [None] * step
        dirty = [0] * beyond
        for s, bits in group.moved.items():
            for byte in range(size):
                k = (group.places[s] - first) * size + byte
                bytes_[k] = windows_of(bits, byte)
                dirty[k::step] = [255] * self.lanes
        made = layers(bytes_)
        if found is None or made is None:
            return False
        where = self.lane_zero(buffer, group.shape, first)
        for start in range(0, beyond, REGISTER):
            part = dirty[start : start + REGISTER]
            place = self.let(f"getelementptr i8, ptr {where}, i64 {start}") if start else where
            laid = [
                name for layer in made if (name := self.laid(layer, start, len(part), *found)) is not None
            ]
            name = laid[0] if laid else "zeroinitializer"
            for other in laid[1:]:
                name = self.let(f"or <{len(part)} x i8> {name}, {other}")
            self.store_bytes(place, name, part)
        return True

    def laid(
        self, layer: Layer, start: int, count: int, registers: list[str], at: dict[Expr, Places]
    ) -> str | None:
        """So many bytes of a layer from one on; None where it has none."""
        whole = count if not layer.words else -(-count // WORD) * WORD
        sources: list[tuple[int, int] | None] = []
        for s in layer.sources(start, whole):
            (value, byte), lane = s or ((None, 0), 0)
            size = 0 if value is None else value.type.dtype.itemsize
            sources.append(at[value][lane * size + byte] if value is not None and lane < self.lanes else None)
        if not any(sources):
            return None
        if not self.permutes:
            return self.assemble(registers, [[s] if s else [] for s in sources])
        # What is not wanted may be anything.
        other = next(s for s in sources if s)
        name = self.brought(registers, [s or other for s in sources] + [other] * (REGISTER - len(sources)))
        if layer.words:
            vector, starts = f"<{REGISTER} x i8>", self.constant(layer.starts(start, whole))
            name = self.let(
                f"call {vector} @llvm.x86.avx512.pmultishift.qb.512({vector} {starts}, {vector} {name})"
            )
        if layer.masked:
            name = self.let(f"and <{REGISTER} x i8> {name}, {self.constant(layer.masks(start, count))}")
        return self.slice(name, REGISTER, 0, count)

    def from_group(self, group: Group) -> tuple[list[str], dict[Expr, Places]] | None:
        """The registers of the group that another one is moved from, and where in them is what; None for several."""
        found = dict[Expr, Places]()
        held: Held | None = None
        for n in dict.fromkeys([b.value for bits in group.moved.values() for b in bits]):
            size = n.type.dtype.itemsize
            shape = self.strided(n.args[0], size)
            assert shape is not None  # noqa: S101 - it is moved
            mine = self.holding(n, shape)
            if held is not None and mine is not held:
                return None
            held = mine
            starts = [start for start, _, _ in held.windows]
            first = (shape.constant - held.first) * size
            # Windows lie one after the other, but for the last.
            found[n] = [
                (r, p - starts[r])
                for k in range(self.lanes)
                for p in range(first + k * held.step * size, first + k * held.step * size + size)
                for r in [min(bisect_right(starts, p), len(starts)) - 1]
            ]
        return ([name for _, _, name in held.windows], found) if held else None
