"""Words of a root program while it is lowered: registers, constants, tags and failures.

The bottom of `lowering`: `operations` write primitives with these, and `lowering` itself streams and jumps.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, NamedTuple

from pellucid.ir.flow import BOOLEAN, CLOSURE, INTEGER, NIL, PAIR, Failure, Stream
from pellucid.staging.memory import Memory
from pellucid.staging.root.flow import Flow
from pellucid.staging.root.machine import HALT
from pellucid.staging.root.program import RootCode
from pellucid.staging.root.records import MadePair, ReadHalf
from pellucid.staging.root.sets import INTEGERS, NUMBERS, REALS, Set
from pellucid.staging.root.tables import StaticSequences

TAGGED, _NULLABLE = -1, -2
"""Shapes of values whose tags are told by a register, or by their words."""
_TOO_LARGE = ("an integer of more than 64 bits", "compute with smaller numbers, or by the machine")
named: Callable[..., Any] = vars(tuple)["__new__"]
"""Makes a named tuple of all of its values, sooner than the tuple's own constructor."""


class WordValue(NamedTuple):
    """A value while lowering: what it may be, its word, and its tag's register where its set does not tell the tag."""

    set: Set
    word: int
    tag: int | None = None


class MemoryAccess(NamedTuple):
    """An access to a memory: which operand is the address, the memory, a mask, the error of an address outside.

    The mask is a constant, or 0 where a word is a whole element. `failures` are the numbers of the error, by place.
    """

    first: int
    memory: int
    mask: int
    outside: str
    failures: dict[str, int]


class Words:
    """One program; `out` is the stream that is being written."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.number: dict[RootCode, int] = {HALT: 1}
        self.code = flow.entry
        self.place = ""
        self.out: Stream = []
        self._constants: dict[int, int] = {}
        self.numbers: list[int] = []
        self.failures: dict[Failure, int] = {}
        self._too_large: dict[str, int] = {}
        self._accesses: dict[tuple[Any, ...], MemoryAccess] = {}
        """Accesses to memories, by primitive and sets of operands, which are numbers."""
        self._integers: dict[int, WordValue] = {}
        self._shapes: dict[Set, int] = {INTEGERS: INTEGER}
        self._registers = 0
        self.texts: dict[str, int] = {}
        self.fixed: dict[int, int] = {}
        self.pairs: list[tuple[int, int, int]] = []
        self.memories: dict[str, Memory] = {}
        self.tables = StaticSequences()
        self.pairs_made: dict[int, MadePair] = {}
        self.halves_read: dict[int, ReadHalf] = {}

    # ---- registers ----

    def register(self) -> int:
        """A new register."""
        self._registers += 1
        return self._registers - 1

    def constant(self, number: int) -> int:
        """The register of a constant."""
        found = self._constants.get(number)
        if found is None:
            found = self._constants[number] = ~len(self.numbers)
            self.numbers.append(number)
        return found

    def integer(self, number: int) -> WordValue:
        """The value of an integer that fits into a word."""
        found = self._integers.get(number)
        if found is None:
            found = self._integers[number] = WordValue(INTEGERS, self.constant(number))
        return found

    def real(self, number: float) -> WordValue:
        """The value of a real number: its bits are the word."""
        (word,) = struct.unpack("<q", struct.pack("<d", number))
        return WordValue(REALS, self.constant(word))

    def number_of(self, register: int) -> int:
        """The number that a register below 0 stands for."""
        return self.numbers[~register]

    def number_of_code(self, code: RootCode) -> int:
        """The number that tells a code from others, which is that of its block."""
        return self.number.setdefault(code, len(self.number) + 1)

    def emit(self, operator: str, *operands: int) -> int:
        """The result of a new instruction."""
        made = self.register()
        self.out.append((operator, made, *operands))
        return made

    def failure(self, message: str, fix: str = "check the values before", *, is_input: bool = False) -> int:
        """The number of an error in the code at hand."""
        key = named(Failure, (message, self.place, fix, is_input))
        return self.failures.setdefault(key, len(self.failures) + 1)

    def too_large(self) -> int:
        """The number of the error that an integer in the code at hand grows too large."""
        found = self._too_large.get(self.place)
        if found is None:
            found = self._too_large[self.place] = self.failure(*_TOO_LARGE)
        return found

    def require(self, condition: int, failure: int) -> None:
        """Fail unless a condition holds."""
        self.out.append(("require", condition, failure))

    # ---- tags ----

    def shape(self, held: Set) -> int:
        """The tag of all values of a set, or whether it is told by the word or by a register."""
        found = self._shapes.get(held)
        if found is None:
            tags = self.flow.tags(held)
            nullable = len(tags) == 2 and tags[0] == NIL and tags[1] in (PAIR, CLOSURE)
            found = tags[0] if len(tags) == 1 else _NULLABLE if nullable else TAGGED if tags else 0
            self._shapes[held] = found
        return found

    def tag(self, value: WordValue) -> int:
        """The register of a value's tag."""
        shape = self.shape(value.set)
        if shape == _NULLABLE:
            other = CLOSURE if value.set & self.flow.closures else PAIR
            none = self.emit("is0", value.word)
            return self.emit("select", none, self.constant(NIL), self.constant(other))
        if shape == TAGGED:
            assert value.tag is not None  # noqa: S101 - `_params` and `_half` give it one
            return value.tag
        return self.constant(shape)

    def numeric(self, value: WordValue, primitive: str) -> None:
        """Fail unless a value is a number."""
        if value.set & ~NUMBERS:
            is_number = self.emit("lt", self.tag(value), self.constant(BOOLEAN + 1))
            self.require(is_number, self.failure(f"{primitive}: no number"))
