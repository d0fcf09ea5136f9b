"""Keys: what an instruction computes, as the name under which its kernel is found.

`tape.build` writes instructions by key, and `machine.kernels` compiles them.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from ....ir import expr as E
from ....ir import prim as table
from ....ir import types as T
from ....ir.expr import Expr
from ....reasoning.boxes import box_rule

VARIANTS = 8
"""Opcodes of one operator: which of its up to three operands are uniform."""
LINKAGE = frozenset({"pass", "mask", "take", "loop"})
"""What is no row: see `machine.linkage`."""
BROADCASTS = frozenset({"columns", "rows"})
"""What makes a batch of a line: of one that is the same in all rows, or in all columns. Boxes have no lines."""


class Key(NamedTuple):
    """What a kernel computes: a row (or "load", "splat", "keep", or a passage) on operands of certain types.

    `twice` says that the first two operands are one value: the box of a square is smaller than that of a product.
    `beside` names the other row of a pair: see `tape.sincos`. The first has one more operand, the place of the other's
    result; the second has two, the first's result and that place.
    """

    op: str
    types: tuple[T.Type, ...]
    result: T.Type
    twice: bool = False
    beside: str = ""

    @property
    def own(self) -> tuple[T.Type, ...]:
        """The types of the row's own operands."""
        return self.types[:1] if self.beside else self.types

    @property
    def variants(self) -> int:
        """Masks from which on there are no kernels for batches: what a pair has beside its operand is never uniform."""
        if self.beside:
            return 2 if len(self.types) == 2 else 4
        return 1 << len(self.types)

    @property
    def keeps_zero(self) -> bool:
        """Whether the result, where it is known to be an operand, is that operand with the sign of a zero."""
        return self.op not in table.table() or _keeps_zero(self.op, self.types, self.result, table.edition())


@cache
def _keeps_zero(op: str, types: tuple[T.Type, ...], result: T.Type, _: int) -> bool:
    rule = box_rule(table.row(op), types, result)
    return all(keeps or copy is None for keeps, copy in zip(rule.copies_keep_zero, rule.copies, strict=True))


@cache
def leaf(name: str, type_: T.Type) -> Expr:
    """An operand of which nothing is known."""
    return E.index(f"tile {name}", type_)
