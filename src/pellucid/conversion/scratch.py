"""Scratch arrays of stages: a part for each block of rows, so that a stage is a loop over all blocks.

A stage is written as if all of its values were kept; the move `compute_at` then brings it to the block that wants them,
and a part of each array is left (see decision 55). What is left over below the last whole block stands by itself, with
arrays of its own; and so does what is computed once for the whole picture.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Protocol

from ..driver.frame import ROW
from ..ir import nest as N
from ..ir import types as T
from ..ir.expr import Buffer, Expr, apply, const
from ..ir.expr import load as loaded
from ..ir.nest import position_type
from ..loops.core.ledger import Ledger
from ..loops.core.tactic import State, everywhere
from ..reasoning.linear import folded


class Scratch:
    """An array with `length` elements for each of so many whole blocks of rows, and as many for what is left over."""

    def __init__(self, name: str, type_: T.Type, length: int, blocks: int) -> None:
        self.length = length
        self.whole = Buffer(name, type_, length * max(1, blocks))
        self.rest = Buffer(f"{name}_rest", type_, length)

    @property
    def type(self) -> T.Type:
        """The type of its elements."""
        return self.whole.type

    def of(self, block: Expr) -> Buffer:
        """The array that a block has its part in."""
        return self.whole if block.op == "index" else self.rest

    def load(self, block: Expr, within: Expr) -> Expr:
        """The element at a position in the part of a block."""
        return loaded(self.of(block), self._at(block, within))

    def store(self, block: Expr, within: Expr, value: Expr) -> N.Store:
        """Put a value at a position in the part of a block."""
        return N.Store(self.of(block), self._at(block, within), value)

    def _at(self, block: Expr, within: Expr) -> Expr:
        if block.op != "index":
            return within
        wide = position_type(self.whole.size)
        within = within if wide is within.type else apply("convert", within, attr=wide)
        return folded("add", _begin(block, self.length, wide), within)


# Every access of a part asks for it.
@functools.lru_cache(maxsize=16)
def _begin(block: Expr, length: int, wide: T.Type) -> Expr:
    """The begin of the part of a block."""
    block = block if wide is block.type else apply("convert", block, attr=wide)
    return folded("mul", block, const(length, wide))


class Stage(Protocol):
    """Values that are computed for a row of blocks, or for all of them, before these load them."""

    def arrays(self, block: Expr) -> Sequence[Buffer]:
        """The scratch arrays that a block has its part in."""
        ...

    def fill(self, block: Expr, tall: int) -> N.Block:
        """The statements that fill the part of a block of which `tall` rows are in the picture."""
        ...


def staged(arrays: Sequence[Buffer], count: int, fill: N.Block, body: N.Block) -> N.Block:
    """A stage for so many blocks, or for one that stands by itself, and after it the statements that load from it."""
    if not arrays:
        return body
    sizes: dict[Buffer, Expr] = {b: const(b.size, position_type(b.size)) for b in arrays}
    return (N.Alloc(sizes, (*over(count, fill), *body)),)


def over(count: int, body: N.Block) -> N.Block:
    """Statements for each of so many blocks; as they are where there is one that stands by itself."""
    return (N.For(ROW, const(0, T.i32), const(count, T.i32), body),) if count else body


def scheduled(kernel: N.Kernel) -> State:
    """The kernel with every stage computed at the block that wants it, and the ledger of that."""
    return everywhere("compute_at")(State(kernel, {}, Ledger()))
