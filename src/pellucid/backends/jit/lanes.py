"""Lines of LLVM text whose values are vectors of so many lanes: what the kernels of rows and of tapes share."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir import prim as table
from ...ir import types as T
from ...ir.expr import Expr, topological
from .spelling import SCALAR, form, literal, typed

LANES = 16
"""Elements side by side."""


class LaneEmitter:
    """Lines, and the names of the values that they define; a prefix keeps names apart from those of other lines.

    `declared` is shared by the lines of a module.
    """

    def __init__(self, declared: dict[str, None], prefix: str = "v") -> None:
        self.lines: list[str] = []
        self.declared = declared
        self._prefix, self._count = prefix, 0

    def fresh(self) -> str:
        """A new name."""
        self._count += 1
        return f"%{self._prefix}{self._count}"

    def let(self, right: str) -> str:
        """A new name for a right side."""
        name = self.fresh()
        self.lines.append(f"{name} = {right}")
        return name

    def splat(self, type_: T.Type, name: str) -> str:
        """A scalar in all lanes."""
        vector = typed(type_, LANES)
        one = self.let(f"insertelement {vector} poison, {SCALAR[type_]} {name}, i64 0")
        return self.let(f"shufflevector {vector} {one}, {vector} poison, <{LANES} x i32> zeroinitializer")

    def mask(self, name: str) -> str:
        """The truths of all lanes as a word."""
        return self.let(f"bitcast <{LANES} x i1> {name} to i{LANES}")

    def declare(self, line: str) -> None:
        """Name a function of LLVM's own."""
        self.declared[f"declare {line}"] = None

    def row(self, node: Expr, found: dict[Expr, str]) -> None:
        """An expression in all lanes, given the names of its operands."""
        if node.op == "const":
            found[node] = f"splat ({SCALAR[node.type]} {literal(node)})"
            return
        line = form(table.row(node.op), node.args[0].type, node.type, LANES)
        found[node] = self.fresh()
        self.lines.append(line(found[node], *[found[a] for a in node.args]))

    def values(self, roots: Sequence[Expr], names: dict[Expr, str]) -> list[str]:
        """The names of expressions in all lanes, given those of their leaves."""
        found = dict(names)
        for node in topological(roots):
            if node not in found:
                self.row(node, found)
        return [found[root] for root in roots]
