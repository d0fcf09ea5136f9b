"""Keys: identify the function that an instruction computes, and find its kernel.

`tape.build` writes instructions by key, and `machine.kernels` compiles them.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from ....ir import expr as E
from ....ir import prim as table
from ....ir import types as T
from ....ir.expr import Expr
from ....reasoning.intervals import interval_rule

VARIANTS = 8
"""Opcodes of one operator, by the mask of its uniform operands, of which it has up to three."""
LINKAGE = frozenset({"pass", "mask", "take", "loop"})
"""Call linkage, which is no row: see `machine.linkage`."""
BROADCASTS = frozenset({"columns", "rows"})
"""Instructions that broadcast an invariant to a batch: of one that is the same in all rows, or in all columns."""


class Key(NamedTuple):
    """The function that a kernel computes: a row (or "load", "splat", "keep", or linkage) on operands of certain types.

    `twice` says that the first two operands are one value: the interval of a square is smaller than that of a product.
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
        """The number of masks that have batch kernels: in a pair, only the row's own operand may be uniform."""
        if self.beside:
            return 2 if len(self.types) == 2 else 4
        return 1 << len(self.types)

    @property
    def keeps_zero(self) -> bool:
        """Whether a result that is one of the operands has its sign of zero as well."""
        return self.op not in table.table() or _keeps_zero(self.op, self.types, self.result, table.version())


@cache
def _keeps_zero(op: str, types: tuple[T.Type, ...], result: T.Type, _: int) -> bool:
    rule = interval_rule(table.row(op), types, result)
    return all(
        keeps or choice is None for keeps, choice in zip(rule.choices_keep_zero, rule.choices, strict=True)
    )


@cache
def leaf(name: str, type_: T.Type) -> Expr:
    """An operand without any assumptions."""
    return E.index(f"tile {name}", type_)
