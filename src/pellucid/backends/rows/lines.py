"""Lines: the body of a kernel as LLVM text, where the 16 elements of a vector are values. The bottom of `rows`."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir import prim as table
from ...ir import types as T
from ...ir.expr import Expr, topological
from ..jit.spelling import SCALAR, form, literal, typed

LANES = 16
"""Elements side by side."""


class BlockEmitter:
    """Lines of one block, and the names of the values they define; `declared` is shared by a module."""

    def __init__(self, declared: dict[str, None], prefix: str = "v") -> None:
        self.lines: list[str] = []
        self.declared = declared
        self._prefix, self._count = prefix, 0

    def let(self, right: str) -> str:
        """A new name for a right side."""
        name = self._fresh()
        self.lines.append(f"{name} = {right}")
        return name

    def _fresh(self) -> str:
        self._count += 1
        return f"%{self._prefix}{self._count}"

    def splat(self, type_: T.Type, name: str) -> str:
        """A scalar in all lanes."""
        vector = typed(type_, LANES)
        one = self.let(f"insertelement {vector} poison, {SCALAR[type_]} {name}, i64 0")
        return self.let(f"shufflevector {vector} {one}, {vector} poison, <{LANES} x i32> zeroinitializer")

    def mask(self, name: str) -> str:
        """16 truths as a word."""
        return self.let(f"bitcast <{LANES} x i1> {name} to i16")

    def declare(self, line: str) -> None:
        """Name a function of LLVM's own."""
        self.declared[f"declare {line}"] = None

    def values(self, roots: Sequence[Expr], names: dict[Expr, str]) -> list[str]:
        """The names of expressions in all lanes, given those of their leaves."""
        found = dict(names)
        for node in topological(roots):
            if node in found:
                continue
            if node.op == "const":
                found[node] = f"splat ({SCALAR[node.type]} {literal(node)})"
                continue
            line = form(table.row(node.op), node.args[0].type, node.type, LANES)
            found[node] = self._fresh()
            self.lines.append(line(found[node], *[found[a] for a in node.args]))
        return [found[root] for root in roots]
