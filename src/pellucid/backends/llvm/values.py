"""Expressions as LLVM text: every node becomes one line or a few, scalar or vector, once per scope.

Above `writer`, below `memory` (loads) and `control` (iterations), which fill in the two abstract methods.
"""

from __future__ import annotations

from abc import abstractmethod

from ...ir import prim as table
from ...ir import types as T
from ...ir.expr import Buffer, Expr, topological
from ...ir.nest import Block, Store, all_roots, walk
from ...ir.prim import Prim
from ...reasoning.infer import FactsOf
from .spelling import Form, form, literal
from .writer import Writer


class Values(Writer):
    """Computes nodes on demand; what loads from memory that the kernel also writes is forgotten at every write."""

    def __init__(self, body: Block, facts: FactsOf) -> None:
        super().__init__()
        self.facts = facts
        self.stale: dict[Expr, frozenset[Buffer]] = _reads_of_written(body)
        self._forms: dict[tuple[str, T.Type, T.Type, int], tuple[Form, Prim]] = {}

    # ---- filled in above ----

    @abstractmethod
    def load(self, node: Expr) -> None:
        """Compute a load whose position has a name."""

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
        """What must be computed before the node: not the body of an iterate."""
        if node.op == "iterate":
            n = node.attr[1]
            return (*node.args[:n], node.args[-1])
        return node.args

    def compute(self, node: Expr) -> None:
        """Write the lines of one node whose operands have names."""
        match node.op:
            case "load":
                self.load(node)
            case "iterate":
                self.iterate(node, ())
            case "param" | "index" | "state" | "get":
                raise self.refuse("has no value here", f"{node!r}", "declare it around its use")
            case _:
                self.row(node)

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
            self.require(node, prim)
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

    def require(self, node: Expr, prim: Prim) -> None:
        """Refuse a partial row whose operands are not proved to be in its domain."""
        known = [self.facts(a) for a in node.args]
        extra = (node.type,) if prim.result == "@" else ()
        if prim.domain is not None and not prim.domain(tuple(a.type for a in node.args), *known, *extra):
            what = ", ".join(f"{f.lo} .. {f.hi}{' or nan' if f.nan else ''}" for f in known)
            raise self.refuse(
                f"operands in {what} are not proved to be in its domain", prim.name, "use the total row"
            )

    def forget_reads(self, written: Block) -> None:
        """Forget every value that was read from buffers that a block stores to."""
        if self.stale:
            buffers = {s.buffer for s in walk(written) if isinstance(s, Store)}
            for node, reads in self.stale.items():
                if node in self.names and not buffers.isdisjoint(reads):
                    self.forget(node)


def _reads_of_written(body: Block) -> dict[Expr, frozenset[Buffer]]:
    """Nodes that depend on memory that the block itself changes, with the buffers they read."""
    written = {s.buffer for s in walk(body) if isinstance(s, Store)}
    nodes = topological(all_roots(body))
    if not any(n.op == "load" and n.attr in written for n in nodes):
        return {}
    found: dict[Expr, frozenset[Buffer]] = {}
    for n in nodes:
        reads = frozenset[Buffer]().union(*(found.get(a, ()) for a in n.args))
        if n.op == "load" and n.attr in written:
            reads |= {n.attr}
        if reads:
            found[n] = reads
    return found
