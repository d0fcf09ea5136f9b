"""The function of a phase as LLVM text: its parts put together, its params, and its nodes that have no row.

The top of the package. Every part is handed the parts that it stands on, from `emitter` up; what is computed in a loop
is in the context of `scope`.
"""

from __future__ import annotations

import weakref
from typing import cast

from ...ir import types as T
from ...ir.expr import Expr
from ...ir.nest import For, Store, walk
from ...reasoning.infer import FactsOf
from ..jit.blocks import bounded
from ..jit.engine import Machine
from ..jit.spelling import SCALAR, sequence
from ..port import CallingPlan, Phase, Ranges
from .addressing import Addressing
from .bounds import Bounds
from .buffers import Buffers
from .cycles import Cycles
from .emitter import Emitter
from .gathers import Gathers
from .group_shuffles import ShuffledStores
from .group_tables import TableStores
from .groups import InterleavedStores
from .interleaved import InterleavedLoads, Strides
from .joined_bytes import JoinedBytes
from .loads import Loads
from .neighbors import Neighbors
from .outlining import Outlining
from .register_reads import RegisterReads
from .scope import Scope
from .shuffles import Shuffles
from .statements import Statements
from .stores import Stores
from .tables import TableReads
from .values import Leaves, Reads, Values

PERMUTE_THRESHOLD = 16
"""Loads and stores above which bytes are permuted by orders read from memory (see `Shuffles`), as they are where there
are several loops by lanes. The code generator is left a short function: it finds an order that is a little quicker, and
takes its time."""


class Function:
    """Writes one phase of a kernel; `text` is its function, called `name`."""

    def __init__(self, plan: CallingPlan, phase: Phase, ranges: Ranges, machine: Machine, name: str) -> None:
        self.plan, self.phase, self.name = plan, phase, name
        self.out = Emitter()
        self.scope = Scope(self.out, FactsOf.handed_on(ranges))
        reads = Reads(phase.body, self.scope)
        permutes = machine.permutes and self._is_long(reads)
        self.shuffles = Shuffles(self.out, permutes=permutes, near=machine.shuffled_bytes, prefix=name)
        # Parts refer to the whole weakly: what a compilation made goes without a search for cycles.
        leaves = cast("Leaves", weakref.proxy(self))
        values = Values(self.scope, leaves)
        buffers = Buffers(plan, self.scope)
        self.bounds = Bounds(plan, self.scope, buffers)
        addressing = Addressing(self.scope, values, buffers)
        gathers = Gathers(self.scope, buffers)
        neighbors = Neighbors(reads.loads, addressing, self.bounds, gathers)
        registers = RegisterReads(values, self.bounds, self.shuffles, reads, machine)
        tables = TableReads(addressing, self.bounds, neighbors, reads, registers)
        self.cycles = Cycles(self.scope)
        strides = Strides(addressing, self.cycles)
        interleaved = InterleavedLoads(strides, self.bounds, neighbors, self.shuffles, reads)
        self.joined_bytes = JoinedBytes(interleaved, summed=machine.summed_bytes)
        self.loads = Loads(self.bounds, gathers, interleaved, tables, masks=machine.cheap_masks)
        writers = ShuffledStores(interleaved, extracts=machine.permutes), TableStores(strides, tables)
        masks = machine.cheap_masks
        groups = InterleavedStores(strides, self.bounds, tables, reads, writers, masks=masks)
        stores = Stores(groups, masks=masks)
        self.outlining = Outlining(values, name)
        self.statements = Statements(
            plan, phase, leaves, stores, tables, reads, self.outlining, grid=machine.grid
        )

    def _is_long(self, reads: Reads) -> bool:
        """Whether the function is so long that the code generator must not search for shuffles."""
        accesses = len(reads.loads) + sum(isinstance(s, Store) for s in walk(self.phase.body))
        loops = [s for s in walk(self.plan.kernel.body) if isinstance(s, For) and s.how.kind == "lanes"]
        return accesses > PERMUTE_THRESHOLD or len(loops) > 1

    def text(self) -> str:
        """A function of (params, buffers, sizes, begin, end), with the constants and functions that it uses."""
        for k, p in enumerate(self.plan.kernel.params):
            self._parameter(k, p)
        self.statements.write(self.phase.body)
        self.out.emit("ret void")
        head = f"define void @{self.name}(ptr %params, ptr %buffers, ptr %sizes, i64 %begin, i64 %end) nounwind {{"
        lines = "\n".join(self.out.lines)
        constants = [f"{line}\n" for line in self.shuffles.constants]
        return "".join([*constants, bounded(f"{head}\n{lines}\n}}\n"), *self.outlining.functions])

    def _parameter(self, k: int, p: Expr) -> None:
        """Read a parameter from its slot of 8 bytes."""
        enter, name = self.out.enter, f"%p{k}"
        enter(f"{name}.at = getelementptr i64, ptr %params, i64 {k}")
        if p.type is T.boolean:
            enter(f"{name}.x = load i8, ptr {name}.at, align 8\n{name} = icmp ne i8 {name}.x, 0")
        else:
            enter(f"{name} = load {SCALAR[p.type]}, ptr {name}.at, align 8")
        self.scope.define_outside(p, name, 0)

    # ---- nodes that have no row ----

    def operands(self, node: Expr) -> tuple[Expr, ...]:
        """The operands to be computed before a node: not the body of an iterate, nor what is read by itself."""
        if node.op == "iterate":
            n = node.attr[1]
            return (*node.args[:n], node.args[-1])
        if node.op == "load" and self.scope.is_wide(node):
            return ()
        if self.cycles.constants(node) is not None:
            return ()
        shift = self.statements.vector_loops.shift(node)
        if shift is not None:
            return (shift,)
        joined = self.joined_bytes.find(node)
        return node.args if joined is None else joined.rest

    def compute(self, node: Expr) -> bool:
        """Compute a load, bytes that are wanted together, an iterate, or the index of the lanes with what is added."""
        op = node.op
        if op == "load":
            self.loads.load(node)
        elif op == "iterate":
            self.statements.iterations.iterate(node, ())
        elif op == "index" and node is self.scope.loop.index:
            self.statements.vector_loops.index(node)
        else:
            constants = self.cycles.constants(node)
            joined = self.joined_bytes.find(node) if constants is None else None
            shift = self.statements.vector_loops.shift(node)
            if constants is not None:
                # What is the same in each block needs no computation.
                self.scope.define(node, sequence(node.type, constants))
            elif joined is not None:
                self.joined_bytes.write(node, joined)
            elif shift is not None:
                self.statements.vector_loops.shifted(node, shift)
            else:
                return False
        return True
