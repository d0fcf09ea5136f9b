"""Sets of codes, memories and static data, and of what a program reads of static sequences and dictionaries.

The bottom of `flow`, which adds pairs. All sequences that are as deep in a constant have one set. The parts that a
program cuts from them have another one, since their lengths are not known.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from pellucid.base.errors import StagingError
from pellucid.staging.memory import Memory
from pellucid.staging.root.program import Pair, RootCode, RootPrim
from pellucid.staging.root.sets import (
    BOOLEANS,
    INTEGERS,
    NILS,
    NUMBERS,
    TEXTS,
    Set,
    alike,
    bits,
    is_key,
    is_ordered,
)
from pellucid.staging.root.tables import StaticData, items_of
from pellucid.staging.root.wordless import read_at, wordless

_FIRST = 8
"""Bits below stand for kinds."""
_OF_KEYS = frozenset(["has", "item", "vlen"])
"""The primitives that read dictionaries."""
_OF_SEQUENCES = frozenset(["unpacked", "has-length", "slice", "rest"])
"""The primitives that take sequences, and no other static objects."""
READS = frozenset(["item", "item-at", "vref", "vlen", "has", *_OF_SEQUENCES])
"""The primitives that read static sequences."""


class StaticSets(ABC):
    """The sets of what is constant in a program, which errors name as their place."""

    def __init__(self, place: str) -> None:
        self.place = place
        self._bits: dict[Any, Set] = {}
        self._things: list[Any] = []
        self.codes = self.owners = self.memories = 0
        self._items: dict[Set, Set] = {}
        """Of static sequences, what their items may be."""
        self._sought: dict[Set, Set] = {}
        """Of static sequences, what their items may be; of dictionaries, their keys."""
        self._lengths: dict[Set, set[int]] = {}
        """The lengths of whole sequences."""
        self._parts_of: dict[Set, Set] = {}
        """For whole sequences, the set of their parts."""
        self.vectors = self.parts = self.dictionaries = 0
        """All static data, and among them the parts of sequences, and dictionaries."""
        self.sequences = self._objects = 0
        """The static data that may be unpacked, and the fields of static objects, which may not."""

    @abstractmethod
    def constant(self, value: Any) -> Set:
        """The set of a constant."""

    def code(self, code: RootCode) -> Set:
        """The set of one code."""
        bit = self._bits.get(code)
        if bit is None:
            bit = self.new_set(code, code)
            self.codes |= bit
            if code.owns_frame:
                self.owners |= bit
        return bit

    def memory(self, memory: Memory) -> Set:
        """The set of one memory."""
        bit = self._bits.get(memory.root)
        if bit is None:
            bit = self.new_set(memory.root, memory.root)
            self.memories |= bit
        return bit

    def new_set(self, key: Any, thing: Any) -> Set:
        """A set of its own for a thing, which is found by a key from now on."""
        bit = self._bits[key] = 1 << (_FIRST + len(self._things))
        self._things.append(thing)
        return bit

    def things_of(self, values: Set) -> list[Any]:
        """What the bits of a set stand for: codes, memories, or for each level of a static table its sequences."""
        if values and not values & (values - 1):
            return [self._things[values.bit_length() - 1 - _FIRST]]
        return [self._things[bit.bit_length() - 1 - _FIRST] for bit in bits(values)]

    def static_set(self, value: StaticData) -> Set:
        """The set of a static sequence or dictionary: one for all that are as deep in it."""
        found = self._bits.get(id(value))
        if found is not None:
            return found
        levels: list[list[StaticData]] = [[value]]
        while levels[-1]:
            inner: dict[int, Any] = {id(one): one for each in levels[-1] for one in items_of(each)}
            levels.append([one for one in inner.values() if isinstance(one, tuple | dict)])
        bit = 0
        for level in reversed(levels[:-1]):
            items = bit
            for one in {id(one): one for each in level for one in items_of(each)}.values():
                if isinstance(one, Pair | RootCode):
                    raise wordless(one, self.place)
                items |= 0 if isinstance(one, tuple | dict) else self.constant(one)
            bit = self.new_set(id(level), level)
            self.vectors |= bit
            keyed = [one for one in level if isinstance(one, dict)]
            if keyed:
                self.dictionaries |= bit
                self._sought[bit] = self._keys(keyed, is_alone=len(keyed) == len(level))
            else:
                self._sought[bit] = items
            for one in level:
                if isinstance(getattr(one, "origin", ()), tuple):
                    self.sequences |= bit
                else:
                    self._objects |= bit
            self._items[bit], self._lengths[bit] = items, set(map(len, level))
        self._bits[id(value)] = bit
        return bit

    def _keys(self, level: list[dict[Any, Any]], *, is_alone: bool) -> Set:
        """What the keys of dictionaries may be.

        Raises StagingError for keys that are no numbers or texts only, and for dictionaries beside sequences.
        """
        found = 0
        for one in level:
            for key in one:
                if not is_alone or not isinstance(key, int | str):
                    raise wordless(one, self.place)
                found |= self.constant(key)
        if not is_ordered(found):
            raise wordless(level[0], self.place)
        return found

    def _cut(self, values: Set) -> Set:
        """The set of the parts of sequences; a part of a part is one of the same sequence."""
        found = values & self.parts
        for bit in bits(values & self.sequences & ~self.parts):
            part = self._parts_of.get(bit)
            if part is None:
                part = self._parts_of[bit] = self.new_set(("parts", bit), [])
                self._items[part] = self._items[bit]
                self.vectors |= part
                self.sequences |= part
                self.parts |= part
            found |= part
        return found

    def sought_in(self, values: Set) -> Set:
        """What may be found in static sequences, and as a key in dictionaries."""
        found = 0
        for bit in bits(values & self.vectors & ~self.parts):
            found |= self._sought[bit]
        return found

    def length_of(self, values: Set) -> int | None:
        """The length of the static sequences in a set, if all have the same."""
        if values & self.parts:
            return None
        lengths = set[int]().union(*(self._lengths[bit] for bit in bits(values & self.vectors)))
        return lengths.pop() if len(lengths) == 1 else None

    def read(self, prim: RootPrim, args: Sequence[Set]) -> Set:
        """What a primitive may read of static sequences.

        Raises StagingError where it may read a text or the length of a memory, and where words do not tell the result.
        """
        name, held, place = prim.primitive, args[0], prim.place or self.place
        refused = self._refused(prim, args)
        if refused:
            fix = "let it read tuples or lists of numbers only, or run the program by the machine"
            raise StagingError(f"{refused}, which has no machine code", place=place, fix=fix)
        if name == "has-length":
            return BOOLEANS if args[1] & NUMBERS else 0
        if name == "vlen":
            return INTEGERS if held & self.vectors else 0
        if name == "has":
            return BOOLEANS if held & self.vectors else 0
        if name == "slice":
            return self._cut(held) if all(bound & (NUMBERS | NILS) for bound in args[1:]) else 0
        if not args[1] & (alike(self.sought_in(held)) if held & self.dictionaries else NUMBERS):
            return 0
        if name == "unpacked":
            return held & self.sequences
        if name == "rest":
            return self._cut(held)
        found = 0
        for bit in bits(held & self.vectors):
            found |= self._items[bit]
        return found

    def _refused(self, prim: RootPrim, args: Sequence[Set]) -> str:
        """Why a primitive has no machine code for static data, or nothing."""
        name, held = prim.primitive, args[0]
        keyed, sought = held & self.dictionaries, self.sought_in(held)
        if (held & TEXTS and name != "has-length") or (name == "vlen" and held & self.memories):
            return read_at(prim, prim.args[0], "a text" if held & TEXTS else "a memory")
        if keyed and (name not in _OF_KEYS or (name == "item" and keyed != held & self.vectors)):
            return read_at(prim, prim.args[0], "a dictionary")
        if name == "has" and held & self.parts:
            return "has looks for an item in a part of a sequence"
        if (name == "has" or (name == "item" and keyed)) and not (is_ordered(sought) and is_key(args[1])):
            return f"{name} compares values of several kinds"
        if name in _OF_SEQUENCES and held & self.sequences and held & self._objects:
            return f"{name} may read objects or sequences"
        return ""

    def fields(self, held: Set, name: str) -> Set:
        """What a field of the static objects in a set may be."""
        found = 0
        for bit in bits(held & self.vectors):
            for one in self.things_of(bit)[0]:
                names = getattr(one, "names", ())
                item = one[names.index(name)] if name in names else ()
                found |= self._items[bit] & self.vectors if isinstance(item, tuple) else self.constant(item)
        return found
