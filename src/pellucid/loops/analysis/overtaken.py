"""Places that are overtaken: something in their scope stores to the memory that their value was loaded from.

For `place`, whose theorem asks that there is none.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...ir.expr import Expr
from ...ir.nest import Block, Buffer, For, If, Let, Once, Repeat, Statement, Store, While, all_roots, blocks
from ...reasoning.effects import Below
from ...reasoning.kept import kept_by


def overtaken(block: Block) -> Expr | None:
    """The first value placed in a block whose memory a later statement in its scope stores to, or None."""
    return _Scopes(block).visit(block)[0]


class _Scopes:
    """The loads below every value of a block, and which of them are of which buffer, as bits."""

    __slots__ = ("below", "of_buffer")

    def __init__(self, block: Block) -> None:
        self.below = Below(all_roots(block))
        self.of_buffer: dict[Buffer, int] = {}
        for k, node in enumerate(self.below.loads):
            self.of_buffer[node.attr] = self.of_buffer.get(node.attr, 0) | 1 << k

    def visit(self, block: Block) -> tuple[Expr | None, int]:
        """The first value of a block that is overtaken, and the loads from what the block stores to."""
        found: Expr | None = None
        later = 0
        # Backwards: what is stored to later is known at each statement, and the first value found is the last seen.
        for s in reversed(block):
            wrong = self._first(_values(s), later)
            changed = self.of_buffer.get(s.buffer, 0) if isinstance(s, Store) else 0
            inner: Expr | None = None
            for b in blocks(s):
                first, stored = self.visit(b)
                inner, changed = first if inner is None else inner, changed | stored
            if wrong is None and isinstance(s, For | While | Repeat):
                # What a loop keeps is known in all that comes later in it, iterations included.
                wrong = self._first(
                    (v for b in blocks(s) for once in kept_by(b) for v in once.values), changed
                )
            wrong = inner if wrong is None else wrong
            found = found if wrong is None else wrong
            later |= changed
        return found, later

    def _first(self, values: Iterable[Expr], changed: int) -> Expr | None:
        """The first of some values that loads what is changed."""
        masks = self.below.masks
        return next((v for v in values if masks[v] & changed), None) if changed else None


def _values(s: Statement) -> tuple[Expr, ...]:
    match s:
        case Let(value) | Repeat(value):
            return (value,)
        case If(selects=selects):
            return selects
        case Once(values=values):
            return values
        case _:
            return ()
