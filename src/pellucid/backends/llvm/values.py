"""Expressions as LLVM text: every node becomes one line or a few, scalar or vector, once per scope.

Above `writer`, below `memory` (loads) and `control` (iterations), which fill in the two abstract methods.
"""

from __future__ import annotations

from abc import abstractmethod

from ...ir import prim as table
from ...ir import types as T
from ...ir.expr import Buffer, Expr
from ...ir.nest import Block
from ...ir.prim import Prim
from ...reasoning.infer import FactsOf
from ..jit.spelling import Form, form, literal, typed
from ..obligations import nodes_of, reads_of_written, require_domain, stored_buffers
from .writer import Writer


class Values(Writer):
    """Computes nodes on demand; what loads from memory that the kernel also writes is forgotten at every write."""

    def __init__(self, body: Block, facts: FactsOf) -> None:
        super().__init__()
        self.facts = facts
        nodes = nodes_of(body)
        self.loads = [n for n in nodes if n.op == "load"]
        self.stale = reads_of_written(body, nodes)
        self.readers: dict[Buffer, list[Expr]] = {}
        for node, reads in self.stale.items():
            for buffer in reads:
                self.readers.setdefault(buffer, []).append(node)
        self.storing: set[Buffer] = set()
        # Of the vector loop around: its index, that of lane 0, how far the lanes are from it, and where it begins.
        self.lane_index: Expr | None = None
        self.lane_base = self.lane_offsets = ""
        self.lane_line = 0
        self._forms: dict[tuple[str, T.Type, T.Type, int], tuple[Form, Prim]] = {}

    # ---- filled in above ----

    @abstractmethod
    def load(self, node: Expr) -> None:
        """Compute a load; its position has a name if it is a scalar."""

    @abstractmethod
    def iterate(self, node: Expr, body: Block) -> None:
        """Compute an iterate whose initial values and limit have names."""

    # ---- nodes ----

    def value(self, root: Expr) -> str:
        """The name of a node (in lanes if it varies), computed here if it has none yet."""
        names = self.names
        found = names.get(root)
        if found is not None:
            return found
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
            for a in reversed(self.operands(node)):
                if a not in names:
                    stack.append(a)
                    ready = False
            if ready:
                stack.pop()
                self.compute(node)
        return names[root]

    def wide_value(self, node: Expr) -> str:
        """The name of a node in all lanes."""
        self.value(node)
        return self.wide(node)

    def operands(self, node: Expr) -> tuple[Expr, ...]:
        """What must be computed before the node: not the body of an iterate, nor positions in lanes, see `load`."""
        if node.op == "iterate":
            n = node.attr[1]
            return (*node.args[:n], node.args[-1])
        return () if node.op == "load" and self.is_wide(node) else node.args

    def compute(self, node: Expr) -> None:
        """Write the lines of one node whose operands have names."""
        match node.op:
            case "load":
                self.load(node)
            case "iterate":
                self.iterate(node, ())
            case "index" if node is self.lane_index:
                self.count_lanes(node)
            case "param" | "index" | "state" | "get":
                raise self.refuse("has no value here", f"{node!r}", "declare it around its use")
            case _:
                self.row(node)

    def count_lanes(self, index: Expr) -> None:
        """The index of the vector loop in all lanes, where the loop begins: most only ask where lane 0 is."""
        spread, text = self.spread(index.type, self.lane_base)
        name = self.fresh()
        text += f"\n{name} = add {typed(index.type, self.lanes)} {spread}, {self.lane_offsets}"
        self.lines[self.lane_line] += "\n" + text
        self.names[index] = name
        self.places[index] = self.lane_line

    def row(self, node: Expr) -> None:
        """Write the spelling of a row."""
        lanes = self.lanes if node.free & self.varying else 0
        args = node.args
        key = (node.op, args[0].type, node.type, lanes)
        found = self._forms.get(key)
        if found is None:
            prim = table.row(node.op)
            found = self._forms[key] = (form(prim, args[0].type, node.type, lanes), prim)
        line, prim = found
        if prim.domain is not None:
            require_domain(prim, node, self.facts)
        self.count += 1
        name = f"%v{self.count}"
        if lanes:
            self.lines.append(line(name, *[self.wide(a) for a in args]))
        else:
            names = self.names
            self.lines.append(line(name, *[names[a] for a in args]))
        self.names[node] = name
        self.places[node] = len(self.lines) - 1
        self.log.append(node)

    def changing(self, node: Expr) -> bool:
        """Whether a value is read from memory that the loop by lanes around stores to: `storing`."""
        return not self.storing.isdisjoint(self.stale.get(node, ()))

    def forget_reads(self, written: Block) -> None:
        """Forget every value that was read from buffers that a block stores to."""
        if self.readers:
            for buffer in stored_buffers(written):
                self.forget_buffer(buffer)

    def forget_buffer(self, buffer: Buffer) -> None:
        """Forget every value that was read from a buffer."""
        names = self.names
        for node in self.readers.get(buffer, ()):
            if node in names:
                self.forget(node)
