"""Interleaved groups as LLVM text: what lies K apart from lane to lane, by wide loads and stores and byte shuffles.

Between `gathers` and `loads`. The loads of a group at ``K * i + c`` share the registers that its bytes are in; the
stores to all places c of a group become one, for which their values are shuffled together.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC
from dataclasses import dataclass, field

from ...ir.expr import Buffer, Expr
from ...ir.nest import Block, Store, all_roots
from ...reasoning.infer import FactsOf
from ..affine import as_sum, index_is_whole
from ..port import Layout
from .gathers import Gathers, unwidened
from .shuffles import REGISTER, Shuffles, Windows
from .spelling import SCALAR, STORED, WIDEST, stored, typed

TURN, MEMBERS = 4, 3
"""How many lanes, and how many places of a group with gaps, go to a table in one turn of a loop."""
WORD_BYTES, MOST_LOOKED_UP = 8, 48
"""Of a group without gaps: how many bytes are put together to be stored, and how many elements in one turn."""
FARTHEST = 64
"""Up to how many bytes from lane to lane a group is read or written as a whole."""
Parts = list[tuple[Expr, int]]
Places = list[tuple[int, int]]
"""Registers and positions in them, of byte after byte in lane after lane."""
COPIED = ""
"""The value of an element that is copied: it has no name."""
Offsets = list[tuple[Store, int]]
"""Stores, and where the numbers lie at which their values are looked up."""


@dataclass(frozen=True, slots=True)
class Strided:
    """A position as elements from lane to lane, a constant, and what is the same in all lanes."""

    step: int
    constant: int
    parts: tuple[tuple[Expr, int], ...]


@dataclass(frozen=True, slots=True)
class Held:
    """The bytes of a group that are in registers: from which element to before which, and since when."""

    buffer: Buffer
    step: int
    parts: tuple[tuple[Expr, int], ...]
    first: int
    beyond: int
    windows: Windows
    since: int
    loads: tuple[int, ...]
    """Where the loads of the group are, as `Strided.constant`."""
    filled: dict[int, tuple[str, int]] = field(default_factory=dict[int, tuple[str, int]])
    """By the first of the loads that share a register: the register, and since when."""


@dataclass(slots=True)
class Group:
    """Stores that become one: which they are, where each is in the group, and their values so far.

    Of values that are looked up, it holds at which numbers. `alike` are groups of the same form, this one among them,
    of which all values are looked up: they wait until all of them can be stored.
    """

    shape: Strided
    places: dict[Store, int]
    values: dict[Store, str] = field(default_factory=dict[Store, str])
    numbers: dict[Store, str] = field(default_factory=dict[Store, str])
    alike: list[Group] = field(default_factory=list["Group"])

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


class Interleaved(Gathers, Shuffles, ABC):
    """Writes loads and stores of groups."""

    def __init__(self, body: Block, facts: FactsOf, plan: Layout, *, cheap_masks: bool) -> None:
        super().__init__(body, facts, plan, cheap_masks=cheap_masks)
        self.held: list[Held] = []
        self.grouped: dict[Store, Group] = {}
        self.orders = {}

    def leave(self, mark: int) -> None:
        """Forget every name given since, and the registers filled since."""
        super().leave(mark)
        self.held = [h for h in self.held if h.since < mark]
        for h in self.held:
            for first in [first for first, (_, since) in h.filled.items() if since >= mark]:
                del h.filled[first]

    def strided(self, position: Expr, size: int) -> Strided | None:
        """A position that is a constant number of elements of some bytes on from lane to lane; None for any other."""
        index = self.lane_index
        if index is None or not position.free & index.free:
            return None
        # Sums are taken apart even if they are the same in all lanes, for the constants in them.
        found = as_sum(
            position,
            stop=lambda n: not self.is_wide(n) and n.op not in ("add", "sub"),
            whole=index_is_whole,
        )
        parts = tuple((n, k) for n, k in found.terms if n is not index)
        step = dict(found.terms).get(index, 0)
        if not 1 < step <= FARTHEST // size or any(self.is_wide(n) for n, _ in parts):
            return None
        return Strided(step, found.constant, parts) if self.whole(found, position.type) else None

    def lane_zero(self, buffer: Buffer, shape: Strided, constant: int) -> str:
        """The address of lane 0 of a group's element."""
        size = buffer.type.dtype.itemsize
        along = self.let(f"mul i64 {self.lane_wide}, {shape.step * size}")
        where = self.let(f"getelementptr i8, ptr {self.run_row(buffer, list(shape.parts))}, i64 {along}")
        return self.let(f"getelementptr i8, ptr {where}, i64 {constant * size}") if constant else where

    # ---- loads ----

    def load_strided(self, node: Expr) -> bool:
        """Compute a load that is some elements on from lane to lane; False if it is not, or not proved to be inside."""
        (position,) = node.args
        buffer: Buffer = node.attr
        size = buffer.type.dtype.itemsize
        if self.live is not None or self.changing(node) or not self.inside(position, buffer):
            return False
        shape = self.strided(position, size)
        if shape is None:
            return False
        name = self.among(self.holding(node, shape), shape.constant, size)
        if size > 1:
            name = self.let(f"bitcast <{self.lanes * size} x i8> {name} to {stored(buffer.type, self.lanes)}")
        self.define(node, self.from_memory(node.type, name))
        return True

    def among(self, held: Held, constant: int, size: int) -> str:
        """The bytes of one load of a group, which share a register with those of the next loads, if they fit."""
        many = self.lanes * size
        together = max(1, REGISTER // many) if self.permutes else 1
        place = held.loads.index(constant)
        first = place - place % together
        part = held.loads[first : first + together]
        found = held.filled.get(first)
        if found is None:
            wanted = [
                (c - held.first + k * held.step) * size + b
                for c in part
                for k in range(self.lanes)
                for b in range(size)
            ]
            found = held.filled[first] = self.gather(held.windows, wanted), len(self.log)
        return self.slice(found[0], len(part) * many, (place - first) * many, many)

    def holding(self, node: Expr, shape: Strided) -> Held:
        """The registers that a load's bytes are in, with those of the loads near to it: filled once for all of them."""
        buffer: Buffer = node.attr
        for h in self.held:
            same = h.buffer is buffer and (h.step, h.parts) == (shape.step, shape.parts)
            if same and shape.constant in h.loads:
                return h
        terms = self.shape(node.args[0])
        near = [shape.constant]
        for constant, nodes in self.neighbors[buffer, terms.terms].items():
            apart = constant - terms.constant
            proved = abs(apart) < 2 * shape.step and any(
                n.free == node.free and self.inside(n.args[0], buffer) for n in nodes
            )
            if proved:
                near.append(shape.constant + apart)
        # What is proved of lane 0 of the first and of the last lane of the last is so of all between them.
        loads = tuple(sorted(set(near)))
        first, beyond = loads[0], loads[-1] + 1
        size = buffer.type.dtype.itemsize
        where = self.lane_zero(buffer, shape, first)
        windows = self.windows(where, (shape.step * (self.lanes - 1) + beyond - first) * size)
        self.held.append(Held(buffer, shape.step, shape.parts, first, beyond, windows, len(self.log), loads))
        return self.held[-1]

    # ---- stores ----

    def find_groups(self, block: Block) -> None:
        """Note which stores of a block in lanes become one: neighbors in the block, and in memory within a group."""
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

    def find_alike(self, groups: list[Group]) -> None:
        """Note which of some groups, whose stores may come in any order, look up the same for the same places."""
        forms: dict[object, list[Group]] = {}
        for group in {id(g): g for g in groups}.values():
            members = group.members
            if all(self.looked_up(s.value) for s in members):
                form = [(group.places[s], s.value.attr, unwidened(s.value.args[0]).type) for s in members]
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
            group.numbers[s] = self.wide_value(unwidened(s.value.args[0]))
        elif group.values.get(s) == COPIED or (not group.values and self.copied(group)):
            # None of them is wanted by itself.
            group.values |= dict.fromkeys(group.places, COPIED)
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
        types = [unwidened(s.value.args[0]).type for s, _ in numbers]
        offsets = [0, *itertools.accumulate(t.bits // 8 * self.lanes for t in types)]
        self.count += 1
        slot = f"%slot{self.count}"
        self.enter(f"{slot} = alloca [{offsets[-1]} x i8], align {WIDEST}")
        for (_, name), type_, offset in zip(numbers, types, offsets, strict=False):
            at = self.let(f"getelementptr i8, ptr {slot}, i64 {offset}") if offset else slot
            self.emit(f"store {typed(type_, self.lanes)} {name}, ptr {at}, align {type_.bits // 8}")
        many = len(numbers) // len(groups)
        members = [*zip([s for s, _ in numbers[:many]], offsets, strict=False)]
        if len(groups) == 1:
            self.store_from(buffer, group, members, slot, places[0])
        else:
            self.store_alike(buffer, group, members, slot, offsets[many], places)
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
        before, head, latch, after = self.label, self.new_label(), self.new_label(), self.new_label()
        self.jump(head)
        self.open(head)
        turn = self.let(f"phi i64 [ 0, %{before} ], [ %{latch}.k, %{latch} ]")
        start = self.let(f"mul i64 {turn}, {apart}")
        start = self.let(f"getelementptr i8, ptr {slot}, i64 {start}")
        place = self.let(f"getelementptr ptr, ptr {slot}.to, i64 {turn}")
        self.store_from(buffer, group, members, start, self.let(f"load ptr, ptr {place}, align 8"))
        self.jump(latch)
        self.open(latch)
        self.emit(f"%{latch}.k = add i64 {turn}, 1")
        self.branch(self.let(f"icmp eq i64 %{latch}.k, {len(places)}"), after, head)
        self.open(after)

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
        before, head, after = self.label, self.new_label(), self.new_label()
        self.jump(head)
        self.open(head)
        lane = self.let(f"phi i64 [ 0, %{before} ], [ %{head}.k, %{head} ]")
        along = self.let(f"mul i64 {lane}, {group.shape.step * size}")
        place = self.let(f"getelementptr i8, ptr {where}, i64 {along}")
        for k in range(many):
            for s, slot in pairs:
                type_ = unwidened(s.value.args[0]).type
                word, width = SCALAR[type_], type_.bits // 8
                at = self.let(f"getelementptr {word}, ptr {slot}, i64 {lane}")
                at = self.let(f"getelementptr i8, ptr {at}, i64 {k * width}") if k else at
                value = self.looked_at(s.value.attr, at, type_)
                offset = (k * group.shape.step + group.places[s] - first) * size
                into = self.let(f"getelementptr i8, ptr {place}, i64 {offset}") if offset else place
                self.emit(f"store {element} {value}, ptr {into}, align {size}")
        self.emit(f"%{head}.k = add i64 {lane}, {many}")
        self.branch(self.let(f"icmp eq i64 %{head}.k, {self.lanes}"), after, head)
        self.open(after)

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
        before, head, after = self.label, self.new_label(), self.new_label()
        self.jump(head)
        self.open(head)
        lane = self.let(f"phi i64 [ 0, %{before} ], [ %{head}.k, %{head} ]")
        along = self.let(f"mul i64 {lane}, {len(pairs) * size}")
        place = self.let(f"getelementptr i8, ptr {where}, i64 {along}")
        types = [unwidened(s.value.args[0]).type for s, _ in pairs]
        bases = [
            self.let(f"getelementptr {SCALAR[t]}, ptr {slot}, i64 {lane}")
            for t, (_, slot) in zip(types, pairs, strict=True)
        ]
        many = WORD_BYTES // size
        word, vector = "", f"<{many} x {element}>"
        for n in range(turn * len(pairs)):
            k, p = divmod(n, len(pairs))
            t = types[p]
            at = self.let(f"getelementptr {SCALAR[t]}, ptr {bases[p]}, i64 {k}") if k else bases[p]
            value = self.looked_at(pairs[p][0].value.attr, at, t)
            filled = n % many
            word = self.let(
                f"insertelement {vector} {word if filled else 'poison'}, {element} {value}, i64 {filled}"
            )
            if filled == many - 1:
                offset = (n - filled) * size
                into = self.let(f"getelementptr i8, ptr {place}, i64 {offset}") if offset else place
                self.emit(f"store {vector} {word}, ptr {into}, align {size}")
        self.emit(f"%{head}.k = add i64 {lane}, {turn}")
        self.branch(self.let(f"icmp eq i64 %{head}.k, {self.lanes}"), after, head)
        self.open(after)

    def copied(self, group: Group) -> bool:
        """Whether what a group is to hold are elements of another one, in whatever order."""
        found: set[object] = set()
        for s in group.places:
            n = s.value
            if n.op != "load" or n in self.names or n.attr.type is not s.buffer.type or self.changing(n):
                return False
            shape = self.strided(n.args[0], s.buffer.type.dtype.itemsize)
            if shape is None or not self.inside(n.args[0], n.attr):
                return False
            found.add((n.attr, shape.step, shape.parts))
        return len(found) == 1

    def copies(self, group: Group) -> tuple[list[str], dict[Store, Places]] | None:
        """The registers of the group that one is copied from, and where in them is what; None if it fills several."""
        n, found = self.lanes, dict[Store, Places]()
        held: Held | None = None
        for s in group.members:
            size = s.buffer.type.dtype.itemsize
            shape = self.strided(s.value.args[0], size)
            assert shape is not None  # noqa: S101 - it is copied
            mine = self.holding(s.value, shape)
            if held is not None and mine is not held:
                return None
            held = mine
            first = (shape.constant - held.first) * size
            found[s] = [
                next(
                    (r, p - start)
                    for r, (start, count, _) in enumerate(held.windows)
                    if start <= p < start + count
                )
                for k in range(n)
                for p in range(first + k * held.step * size, first + k * held.step * size + size)
            ]
        return ([name for _, _, name in held.windows], found) if held else None

    def shuffled(self, buffer: Buffer, group: Group) -> tuple[list[str], dict[Store, Places]]:
        """The values of a group in registers, and where in them is what."""
        size, n = buffer.type.dtype.itemsize, self.lanes
        many = n * size
        registers: list[str] = []
        at: dict[Store, Places] = {}
        together = max(1, REGISTER // many)
        members = list(group.values)
        for begin in range(0, len(members), together):
            part = members[begin : begin + together]
            name, have = "", 0
            for s in part:
                at[s] = [
                    (len(registers) + where // REGISTER, where % REGISTER)
                    for where in range(have, have + many)
                ]
                value = group.values[s]
                if size > 1 or buffer.type.is_float:
                    value = self.let(f"bitcast {stored(buffer.type, n)} {value} to <{many} x i8>")
                name, have = (
                    (value, many) if not have else (self.joined(name, have, value, many), have + many)
                )
            registers += self.registers(name, have)
        return registers, at

    def store_group(self, buffer: Buffer, group: Group) -> None:
        """One store of all places of a group in all lanes."""
        size, n = buffer.type.dtype.itemsize, self.lanes
        members = list(group.values)
        found = self.copies(group) if COPIED in group.values.values() else None
        if found is None:
            for s in members:
                if group.values[s] == COPIED:
                    group.values[s] = self.to_memory(s.value.type, self.wide_value(s.value), n)
            found = self.shuffled(buffer, group)
        registers, at = found
        places = [group.places[s] for s in members]
        first = min(places)
        step, span = group.shape.step * size, (max(places) + 1 - first) * size
        sources: list[list[tuple[int, int]]] = [[] for _ in range(step * (n - 1) + span)]
        for s, constant in zip(members, places, strict=True):
            for k, source in enumerate(at[s]):
                lane, byte = divmod(k, size)
                sources[lane * step + (constant - first) * size + byte] = [source]
        where = self.lane_zero(buffer, group.shape, first)
        for start in range(0, len(sources), REGISTER):
            part = sources[start : start + REGISTER]
            place = self.let(f"getelementptr i8, ptr {where}, i64 {start}") if start else where
            self.store_bytes(place, self.assemble(registers, part), [255 if x else 0 for x in part])
