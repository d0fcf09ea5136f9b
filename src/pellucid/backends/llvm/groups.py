"""Interleaved stores as LLVM text: stores to elements K apart from lane to lane become one wide store per group.

Above `interleaved` and `tables`. This part finds the groups and collects their values. `group_tables` stores what is
read from tables, `group_shuffles` stores the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from ...ir import types as T
from ...ir.expr import Expr
from ...ir.nest import Block, Store, all_roots
from .bitfields import Bits, bit_fields
from .bounds import Bounds
from .interleaved import Stride, Strides
from .tables import TableReads, unwidened
from .values import Reads

COPIED = ""
"""The value of an element that is copied by bit fields: it has no name."""


def is_known(s: Store) -> bool:
    """Whether a store is of a constant that stands in memory as it is."""
    return s.value.op == "const" and s.value.type is s.buffer.type and not s.buffer.type.is_float


def number_type(s: Store) -> T.Type | None:
    """The type of the number at which a store's value is read from a table; None for a constant."""
    return unwidened(s.value.args[0]).type if s.value.op == "load" else None


@dataclass(slots=True)
class Group:
    """Stores that become one: where each is in the group, and their values so far.

    `numbers` are the numbers at which values are read from tables. `alike` are groups of the same form, this one among
    them, whose values are all read from tables or constant (a constant has no number): they wait until all of them can
    be stored. `copied` are the bit fields of the values, if those consist of bits of another group and nothing else.
    """

    stride: Stride
    places: dict[Store, int]
    values: dict[Store, str] = field(default_factory=dict[Store, str])
    numbers: dict[Store, str] = field(default_factory=dict[Store, str])
    alike: list[Group] = field(default_factory=list["Group"])
    copied: dict[Store, list[Bits[Expr]]] = field(default_factory=dict[Store, list[Bits[Expr]]])

    @property
    def is_full(self) -> bool:
        """Whether the values of all stores are known."""
        return len(self.values) + len(self.numbers) == len(self.places)

    @property
    def last(self) -> Store:
        """The store that comes last in the program."""
        return list(self.places)[-1]

    @property
    def members(self) -> list[Store]:
        """Its stores, by their places."""
        return sorted(self.places, key=lambda s: self.places[s])

    def takes(self, s: Store, stride: Stride) -> bool:
        """Whether a store may be done together with those of the group."""
        taken, place = self.places.values(), stride.constant
        return (
            next(iter(self.places)).buffer is s.buffer
            and self.stride.form == stride.form
            and place not in taken
            and max(*taken, place) - min(*taken, place) < stride.step
        )


class GroupWriter(Protocol):
    """Stores a group whose values are known."""

    def store(self, group: Group) -> None:
        """Write the stores of a group, or leave them to a group that is alike."""
        ...


class InterleavedStores:
    """Finds groups of stores and collects their values.

    `masks` says that stores under a mask cost no more than without.
    """

    def __init__(
        self,
        strides: Strides,
        bounds: Bounds,
        tables: TableReads,
        reads: Reads,
        writers: tuple[GroupWriter, GroupWriter],
        *,
        masks: bool,
    ) -> None:
        self.scope, self.strides, self.bounds = strides.scope, strides, bounds
        self.addressing, self.values = strides.addressing, strides.addressing.values
        self.tables, self.reads, self.masks = tables, reads, masks
        self._shuffled, self._looked_up = writers
        self._grouped: dict[Store, Group] = {}
        self.passed: set[Expr] = set()
        """The nodes of the block between bit fields and their copies: nothing else may use them."""

    # ---- finding groups ----

    def find(self, block: Block) -> None:
        """Note the stores of a vector block that become one: neighbors in the block, and in memory within a group."""
        self.passed = set()
        loop = self.scope.loop
        if loop.active is not None or loop.branch is not None:
            return
        stores = [s for s in block if isinstance(s, Store)]
        # Bytes between the places of a lane are left out by a mask.
        if len(stores) < (1 if self.masks else 2) or any(self.reads.is_changing(n) for n in all_roots(block)):
            return
        # Stores to places that a constant tells apart may come in any order.
        shapes = {s: self.addressing.shape(s.position) for s in stores}
        loose = {
            b
            for b in {s.buffer for s in stores}
            if len({shapes[s].terms for s in stores if s.buffer is b}) == 1
            and len({shapes[s].constant for s in stores if s.buffer is b})
            == sum(s.buffer is b for s in stores)
        }
        open_: list[Group] = []
        for s in stores:
            stride = self.strides.of(s.position, s.buffer.type.dtype.itemsize)
            if stride is None or not self.bounds.is_proved(s.position, s.buffer):
                open_ = []
                continue
            group = next((g for g in open_ if g.takes(s, stride)), None)
            if group is None:
                group = Group(stride, {})
                open_ = [*open_, group] if s.buffer in loose else [group]
            group.places[s] = stride.constant
            self._grouped[s] = group
        self._find_alike([self._grouped[s] for s in stores if s in self._grouped and s.buffer in loose])
        for group in {id(g): g for s in stores if (g := self._grouped.get(s)) is not None}.values():
            self._find_copied(group)

    def _find_alike(self, groups: list[Group]) -> None:
        """Note which of some groups, whose stores may come in any order, read the same tables for the same places."""
        forms: dict[object, list[Group]] = {}
        for group in {id(g): g for g in groups}.values():
            members = group.members
            looked_up = [self.tables.is_read(s.value) for s in members]
            if any(looked_up) and all(
                there or is_known(s) for there, s in zip(looked_up, members, strict=True)
            ):
                form = [(group.places[s], s.value.attr, number_type(s)) for s in members]
                apart = [(place - form[0][0], *rest) for place, *rest in form]
                forms.setdefault((members[0].buffer, group.stride.step, *apart), []).append(group)
        for alike in forms.values():
            for group in alike:
                group.alike = alike

    def _find_copied(self, group: Group) -> None:
        """Note whether the values of a group are bit fields of another one, in whatever order."""
        bits, through = dict[Store, list[Bits[Expr]]](), set[Expr]()
        found: set[object] = set()
        for s in group.places:
            bits[s] = bit_fields(s.value, through)
            for n in dict.fromkeys([b.value for b in bits[s]]):
                if n.op != "load" or n in self.scope.names or n.attr.type is not n.type:
                    return
                stride = self.strides.of(n.args[0], n.type.dtype.itemsize)
                if stride is None or not self.bounds.is_proved(n.args[0], n.attr):
                    return
                found.add((n.attr, *stride.form))
                through.add(n)
        if len(found) == 1:
            group.copied = bits
            self.passed |= through

    # ---- collecting values ----

    def store(self, s: Store) -> bool:
        """Keep the value of a store until the last of its group, and then store them all; False if it has no group."""
        group = self._grouped.get(s)
        if group is None:
            return False
        if group.alike or self.tables.is_read(s.value):
            group.numbers[s] = "" if is_known(s) else self.values.wide(unwidened(s.value.args[0]))
        elif group.copied:
            # None of them is wanted by itself.
            group.values = dict.fromkeys(group.places, COPIED)
            if s is not group.last:
                return True
        else:
            to_memory = self.addressing.buffers.to_memory
            group.values[s] = to_memory(s.value.type, self.values.wide(s.value), self.scope.lanes)
        if group.is_full:
            if group.values:
                self._shuffled.store(group)
            if group.numbers:
                self._looked_up.store(group)
            group.values.clear()
        return True
