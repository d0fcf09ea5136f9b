"""Static sequences in machine code: all of a program stand in one memory, each as its length and its items.

The word of a sequence is the address of its length, and a header: its number of items, and whether it is a part of the
sequence that stands there. So a part needs no memory of its own. An item that is a sequence is the word of that one, so
rows of a table may have any lengths. The addresses begin at 2: a word of 0 is false, and every memory is the word 1.

A dictionary is its length, its keys in order, and their values. Before the length of a sequence stands the address of a
dictionary with its items as keys, where items are looked for.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Collection
from typing import Any, TypeAlias, cast

import numpy as np

from pellucid.base.errors import StagingError
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, Expr, load
from pellucid.ir.flow import BOOLEAN, INTEGER, MEMORY, NIL, REAL, TEXT, VECTOR
from pellucid.staging.memory import Memory
from pellucid.staging.root.primitives import PRIMITIVES

_FIRST = 2
MAX_WORDS = 1 << 30
"""The most words of all sequences, since the address of one has these bits in its word."""
ADDRESSES, PART, LISTED = MAX_WORDS - 1, MAX_WORDS, 2 * MAX_WORDS
"""The bits of a sequence's word that are its address, and those that tell that it is a part, and a list by itself."""
LENGTH = 32
"""Where the number of items begins in a sequence's word."""
StaticData: TypeAlias = "tuple[Any, ...] | dict[Any, Any]"
"""A static sequence, or a dictionary."""
WORDS, TAGS, REALS = "static words", "static tags", "static reals"
"""The names of the memories: all words, their tags, and those that are reals once more, as reals."""


def items_of(value: StaticData) -> Collection[Any]:
    """The items of a sequence, or the values of a dictionary."""
    return value.values() if isinstance(value, dict) else value


class TableMemory(Memory):
    """A memory of 64-bit elements that is part of a program: no word of it is cut, and nothing is stored there."""

    def __init__(self, name: str) -> None:
        self._begin(64, Buffer(name, T.f64 if name == REALS else T.i64, 1), None)

    def element(self, position: Expr) -> Expr:
        """The load of an element."""
        return load(self.buffer, position)


class StaticSequences:
    """The static sequences of a program."""

    def __init__(self) -> None:
        self._values: dict[int, Any] = {}
        """The sequences and dictionaries by their addresses, which grow."""
        self.words: list[int] = [0] * _FIRST
        self.tags: list[int] = [INTEGER] * _FIRST
        self._addresses: dict[int, int] = {}

    def word(self, value: StaticData, texts: dict[str, int], place: str) -> int:
        """The word of a sequence or a dictionary, which is written down when it is met first.

        Raises StagingError for an integer that does not fit into a word.
        """
        return self._address(value, texts, place) | len(value) << LENGTH

    def value(self, word: int) -> Any:
        """The sequence or the dictionary of a word."""
        address, length = word & ADDRESSES, word >> LENGTH
        if not word & (PART | LISTED):
            return self._values[address]
        # A part begins within the sequence that stands before its address.
        addresses = list(self._values)
        whole = addresses[bisect_right(addresses, address) - 1]
        first = address - whole
        part = PRIMITIVES["slice"].meaning(self._values[whole], first, first + length)
        return PRIMITIVES["rest"].meaning(part, 0) if word & LISTED else part

    def _address(self, value: StaticData, texts: dict[str, int], place: str) -> int:
        found = self._addresses.get(id(value))
        if found is not None:
            return found
        is_keyed = isinstance(value, dict)
        items = [self._item(one, texts, place) for one in items_of(value)]
        if is_keyed:
            keys = [self._item(one, texts, place) for one in value]
            order = sorted(range(len(keys)), key=keys.__getitem__)
            items = [keys[at] for at in order] + [items[at] for at in order]
        found = self._addresses[id(value)] = len(self.words) + 1
        if found + len(items) >= MAX_WORDS:
            raise StagingError(
                f"static sequences of more than {MAX_WORDS} items",
                place=place,
                fix="give what is that long as an array, by a Memory",
            )
        self._values[found] = value
        self.words += [found if is_keyed else 0, len(value), *(word for word, _ in items)]
        self.tags += [INTEGER, INTEGER, *(tag for _, tag in items)]
        return found

    def keys(self, value: StaticData, texts: dict[str, int], place: str) -> int:
        """The address of a dictionary with the keys of a dictionary, or the items of a sequence."""
        at = self._address(value, texts, place)
        if not self.words[at - 1]:
            self.words[at - 1] = self._address(dict.fromkeys(value), texts, place)
        return self.words[at - 1]

    def _item(self, value: Any, texts: dict[str, int], place: str) -> tuple[int, int]:
        """The word of an item, and its tag."""
        if isinstance(value, tuple | dict):
            return self.word(cast("StaticData", value), texts, place), VECTOR
        if isinstance(value, str):
            return texts.setdefault(value, len(texts)) + 1, TEXT
        if isinstance(value, float):
            return int(struct.unpack("<q", struct.pack("<d", value))[0]), REAL
        if isinstance(value, Memory):
            return 1, MEMORY
        if value is None or isinstance(value, bool):
            return int(value or 0), NIL if value is None else BOOLEAN
        if not T.i64.low <= value <= T.i64.high:
            raise StagingError(
                "an item of more than 64 bits",
                place=place,
                fix="make it smaller, or run the program by the machine",
            )
        return int(value), INTEGER

    def fill(self, memories: dict[str, Memory]) -> None:
        """Give the memories among some that are tables their elements."""
        for memory in memories.values():
            if isinstance(memory, TableMemory):
                memory.data = self._elements(memory.name)

    def _elements(self, name: str) -> np.ndarray[Any, Any]:
        # A word more, since that after an empty dictionary may be read.
        tags = np.array([*self.tags, INTEGER], np.int64)
        words = np.array([*self.words, 0], np.int64)
        if name != REALS:
            return words if name == WORDS else tags
        return np.where(tags == REAL, words.view(np.float64), 0.0)
