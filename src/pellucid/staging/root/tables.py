"""Static sequences in machine code: all of a program stand in one memory, each as its length and its items.

A sequence is a word, the address of its length. An item that is a sequence is the address of that one, so rows of a
table may have any lengths. The words begin at address 2: a word of 0 is false, and every memory is the word 1.
"""

from __future__ import annotations

import struct
from typing import Any, cast

import numpy as np

from pellucid.base.errors import StagingError
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, Expr, load
from pellucid.ir.flow import BOOLEAN, INTEGER, MEMORY, NIL, REAL, TEXT, VECTOR
from pellucid.staging.memory import Memory

_FIRST = 2
WORDS, TAGS, REALS = "static words", "static tags", "static reals"
"""The names of the memories: all words, their tags, and those that are reals once more, as reals."""


class TableMemory(Memory):
    """A memory of 64-bit elements that is part of a program: no word of it is cut, and nothing is stored there."""

    def __init__(self, name: str) -> None:
        self._begin(64, Buffer(name, T.f64 if name == REALS else T.i64, 1), None)

    def element(self, position: Expr) -> Expr:
        """The load of an element."""
        return load(self.buffer, position)


class StaticSequences:
    """The static sequences of a program; `values` are those at the addresses that were asked for."""

    def __init__(self) -> None:
        self.values: dict[int, Any] = {}
        self.words: list[int] = [0] * _FIRST
        self.tags: list[int] = [INTEGER] * _FIRST
        self._addresses: dict[int, int] = {}

    def address(self, value: tuple[Any, ...], texts: dict[str, int], place: str) -> int:
        """The address of a sequence, which is written down when it is met first.

        Raises StagingError for an integer that does not fit into a word.
        """
        found = self._addresses.get(id(value))
        if found is not None:
            return found
        items = [self._item(one, texts, place) for one in value]
        found = self._addresses[id(value)] = len(self.words)
        self.values[found] = value
        self.words += [len(items), *(word for word, _ in items)]
        self.tags += [INTEGER, *(tag for _, tag in items)]
        return found

    def _item(self, value: Any, texts: dict[str, int], place: str) -> tuple[int, int]:
        """The word of an item, and its tag."""
        if isinstance(value, tuple):
            return self.address(cast("tuple[Any, ...]", value), texts, place), VECTOR
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
        if name == TAGS:
            return np.array(self.tags, np.int64)
        words = np.array(self.words, np.int64)
        if name == WORDS:
            return words
        return np.where(np.array(self.tags) == REAL, words.view(np.float64), 0.0)
