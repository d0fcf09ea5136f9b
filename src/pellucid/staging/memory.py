"""Memory: words in a buffer, read and written through the bit cache, or in an array when a program is not staged.

A word has any number of bits from 1 to 32; bit 0 of a word is the least significant and has the least address.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..base.errors import InputError, StagingError, brief
from ..base.kinds import TEXT, instance, optional, refuse, takes, whole
from ..base.source_location import caller
from ..ir import types as T
from ..ir.expr import Buffer, Expr, load
from ..ir.facts import Facts
from . import bitcache
from . import residual as R
from .folding import node, number
from .session import current
from .value import INTEGER, Cyclic, expression

Array = np.ndarray[Any, Any]


class Memory:
    """A run of words, called `name`; `word` is their size in bits, `least` how many there are at least.

    Unstaged it needs `data`, a one-dimensional array of words. Specialized programs are refused shorter arrays than
    `least`, and do not ask at run time whether an address is inside where that proves it. Memories are promised not to
    overlap, which is checked when a specialized program is called; `view` gives the same one twice.

    >>> memory = Memory("m", 8, np.array([0x21, 0x43], np.uint8))
    >>> memory.load(1) & 15
    3
    """

    @takes(
        name=TEXT,
        word=whole(),
        data=optional(instance("an array of words", np.ndarray)),
        least=whole(most=(1 << 31) - 1),
    )
    def __init__(self, name: str, word: int = 32, data: Array | None = None, least: int = 1) -> None:
        if not 1 <= word <= 32:
            raise StagingError(
                f"a word has 1 to 32 bits, not {word}", place=name, fix="read wider ones in two parts"
            )
        if least < 1:
            raise StagingError(f"a memory has at least 1 word, not {least}", place=name, fix="give more")
        bits = next(b for b in (8, 16, 32) if b >= word)
        self._begin(word, Buffer(name, T.integer(bits, signed=False), least), data)
        if data is not None and (data.ndim != 1 or data.dtype != self.buffer.type.dtype):
            raise StagingError(
                f"data is not a one-dimensional array of {self.buffer.type}",
                place=name,
                fix="view it as words",
            )

    def _begin(self, word: int, buffer: Buffer, data: Array | None) -> None:
        """Set the attributes: a memory of its own, called as its buffer."""
        self.name, self.word, self.buffer, self.data = buffer.name, word, buffer, data
        self.root: Memory = self

    def __repr__(self) -> str:
        """The name and the size of a word."""
        return f"Memory({self.name!r}, {self.word})"

    @property
    def mask(self) -> int:
        """All bits of a word."""
        return (1 << self.word) - 1

    @property
    def facts(self) -> Facts | None:
        """The range of a word."""
        return Facts(0, self.mask)

    @takes(name=TEXT)
    def view(self, name: str) -> Memory:
        """The same words under another name, promised not to be touched where this one is."""
        other = Memory(name, self.word, self.data)
        other.buffer, other.root = self.buffer, self.root
        return other

    def meets(self, other: Memory) -> bool:
        """Whether an address here may be the same word as one there: only in one and the same memory."""
        return self is other

    # ---- access ----

    def __len__(self) -> int:
        """The number of words, if it has an array."""
        return len(self._held())

    def __iter__(self) -> Iterator[Any]:
        """The words from address 0 up."""
        return map(self.load, range(len(self)))

    def __getitem__(self, address: Any) -> Any:
        """The word at an address, as `load` gives it."""
        return self.load(address)

    def __setitem__(self, address: Any, value: Any) -> None:
        """Overwrite the word at an address, as `store` does."""
        self.store(address, value)

    def load(self, address: Any, needed: int | None = None) -> Any:
        """The word at an address, from 0 up; `needed` tells which of its bits will be used (all).

        Unstaged, raises InputError outside of the memory; a specialized program reads some word of it there.
        """
        session = current()
        if session is None:
            data, at = self._place(address)
            return int(data[at]) & self.mask
        _require_address(address, self)
        return bitcache.load(session, self, address, self.mask if needed is None else needed)

    def store(self, address: Any, value: Any, mask: Any = None) -> None:
        """Overwrite the bits of `mask` (all) of the word at an address.

        Unstaged, raises InputError outside of the memory; a specialized program stores nothing there.
        """
        mask = self.mask if mask is None else mask
        for name, given in (("value", value), ("mask", mask)):
            if not INTEGER.test(given):
                refuse(INTEGER, given, f"store: {name}")
        self.merge(address, masked(value, mask), mask)

    def merge(self, address: Any, bits: Any, mask: Any) -> None:
        """As `store`, for a value that has no bits but those of the mask."""
        session = current()
        if session is not None:
            _require_address(address, self)
        if session is None:
            data, at = self._place(address)
            data[at] = (int(data[at]) & ~mask) | bits
        elif isinstance(mask, int):
            bitcache.store(session, self, address, bits, mask)
        else:
            old = bitcache.load(session, self, address, self.mask)
            bitcache.store(session, self, address, (old & (self.mask ^ mask)) | bits, self.mask)

    def _held(self) -> Array:
        if self.data is None:
            raise StagingError(
                f"the memory {self.name} has no data",
                place=caller()[0],
                fix="give it an array, or specialize the program",
            )
        return self.data

    def _place(self, address: int) -> tuple[Array, int]:
        """The array, and the index of the word at an address."""
        data = self._held()
        if not isinstance(address, int | np.integer):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise StagingError(
                f"{brief(address)} is no address in the memory {self.name}",
                place=caller()[0],
                fix="addresses are integers",
            )
        if not 0 <= address < len(data):
            raise InputError(
                f"word {address} is not in the memory {self.name} of {len(data)} words",
                place=caller()[0],
                fix="end before it, or give a longer array",
            )
        # A truth value is the number 0 or 1; NumPy would take it for a mask.
        return data, int(address)

    def element(self, position: Expr) -> Expr:
        """The load of a word, as an integer."""
        word = node("convert", load(self.buffer, position), attr=T.i64)
        return word if self.buffer.type.bits == self.word else node("and", word, number(self.mask))

    def put(self, address: Any, value: Any) -> R.Put:
        """The store of a whole word."""
        whole = expression(value)
        if whole.op == "and" and whole.args[1].op == "const" and whole.args[1].attr == self.buffer.type.high:
            whole = whole.args[0]  # the store itself cuts
        return R.Put(self.buffer, expression(address), node("convert", whole, attr=self.buffer.type))


def _require_address(address: Any, memory: Memory) -> None:
    """Refuse what is no integer, and static numbers that would be another address at run time."""
    if isinstance(address, Cyclic) or (isinstance(address, int) and T.i64.low <= address <= T.i64.high):
        return
    raise StagingError(
        f"{address!r} is no address in the memory {memory.name}",
        place=caller()[0],
        fix="addresses are integers of 64 bits, made of reals with to_integer",
    )


def masked(value: Any, mask: Any) -> Any:
    """The bits of `mask` of a value; the value itself where it is known to have no others.

    >>> masked(0x123, 0xFF)
    35
    """
    session = current()
    if session is not None and isinstance(value, Cyclic) and isinstance(mask, int) and mask & (mask + 1) == 0:
        facts = session.facts(value.expr)
        if 0 <= facts.lo and facts.hi <= mask:
            return value
    return value & mask
