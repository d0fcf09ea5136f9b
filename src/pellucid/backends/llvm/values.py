"""Expressions as LLVM text: every node becomes one line or a few, scalar or vector, once per scope.

Above `scope`. What has no row in the table (loads, iterations, samples of a stream) is left to `Leaves`, which the
function hands in.
"""

from __future__ import annotations

from typing import Protocol

from ...base.errors import BackendError
from ...ir import prim as table
from ...ir import types as T
from ...ir.expr import Buffer, Expr
from ...ir.nest import Block
from ...ir.prim import Prim
from ..jit.spelling import Form, form, literal
from ..obligations import nodes_of, reads_of_written, require_domain, stored_buffers
from .scope import Scope


class Leaves(Protocol):
    """The nodes that a function computes in its own way."""

    def operands(self, node: Expr) -> tuple[Expr, ...]:
        """The nodes that must have names before a node is computed."""
        ...

    def compute(self, node: Expr) -> bool:
        """Compute a node in a way of its own and name it; False if the node is a row of the table."""
        ...


class Values:
    """Computes nodes on demand."""

    def __init__(self, scope: Scope, leaves: Leaves) -> None:
        self.out, self.scope, self.leaves = scope.out, scope, leaves
        self._forms: dict[tuple[str, T.Type, T.Type, int], tuple[Form, Prim]] = {}

    def value(self, root: Expr) -> str:
        """The name of a node (in lanes if it varies), computed here if it has none yet."""
        names = self.scope.names
        found = names.get(root)
        if found is not None:
            return found
        operands = self.leaves.operands
        stack = [root]
        while stack:
            node = stack[-1]
            if node in names:
                stack.pop()
                continue
            if node.op == "const":
                names[node] = literal(node)
                stack.pop()
                continue
            ready = True
            for a in reversed(operands(node)):
                if a not in names:
                    stack.append(a)
                    ready = False
            if ready:
                stack.pop()
                if not self.leaves.compute(node):
                    self._row(node)
        return names[root]

    def wide(self, node: Expr) -> str:
        """The name of a node in all lanes, computed here if it has none yet."""
        self.value(node)
        return self.scope.wide(node)

    def like(self, pattern: Expr, node: Expr) -> str:
        """The name of a node, in all lanes if another node is."""
        return self.wide(node) if self.scope.is_wide(pattern) else self.value(node)

    def _row(self, node: Expr) -> None:
        """Write the spelling of a row."""
        if node.op in ("param", "index", "state", "get"):
            raise BackendError("has no value here", place=f"{node!r}", fix="declare it around its use")
        scope = self.scope
        loop = scope.loop
        lanes = loop.lanes if node.free & loop.varying else 0
        args = node.args
        key = (node.op, args[0].type, node.type, lanes)
        found = self._forms.get(key)
        if found is None:
            prim = table.row(node.op)
            found = self._forms[key] = (form(prim, args[0].type, node.type, lanes), prim)
        line, prim = found
        if prim.domain is not None:
            require_domain(prim, node, loop.facts)
        name = self.out.fresh()
        of = scope.wide if lanes else scope.names.__getitem__
        self.out.emit(line(name, *[of(a) for a in args]))
        scope.define(node, name)


class Reads:
    """Values that were read from memory that the kernel also stores to: a store makes them stale."""

    def __init__(self, body: Block, scope: Scope) -> None:
        nodes = nodes_of(body)
        self.scope = scope
        self.loads = [n for n in nodes if n.op == "load"]
        self.stale = reads_of_written(body, nodes)
        """The nodes that depend on such memory, with the buffers that they read."""
        self._readers: dict[Buffer, list[Expr]] = {}
        for node, reads in self.stale.items():
            for buffer in reads:
                self._readers.setdefault(buffer, []).append(node)

    def is_changing(self, node: Expr) -> bool:
        """Whether a value is read from memory that the vector loop around stores to."""
        return not self.scope.loop.stored.isdisjoint(self.stale.get(node, ()))

    def forget(self, written: Block) -> None:
        """Forget every value that was read from buffers that a block stores to."""
        if self._readers:
            for buffer in stored_buffers(written):
                self.forget_buffer(buffer)

    def forget_buffer(self, buffer: Buffer) -> None:
        """Forget every value that was read from a buffer."""
        for node in self._readers.get(buffer, ()):
            if node in self.scope.names:
                self.scope.forget(node)
