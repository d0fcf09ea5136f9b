"""Statements as LLVM text: each to the part that writes it.

Above `loops`, `branches`, `iterations` and `stores`, whose bodies come back here.
"""

from __future__ import annotations

import weakref

from ...base.errors import BackendError
from ...ir.expr import Buffer, buffers
from ...ir.nest import Alloc, Block, For, If, Let, Once, Repeat, Statement, Store, While
from ..obligations import stored_buffers
from ..port import CallingPlan, Phase
from .branches import Branches
from .iterations import Iterations, Memo
from .loops import Loops
from .outlining import Outlining
from .stores import Stores
from .tables import TableReads
from .values import Leaves, Reads
from .vector_loops import VectorLoops
from .versioning import Versioning

MAX_NAMED = 64
"""Places in a row that are computed in their order. Of more, each is computed where it is first used: registers do not
hold them all, and what is computed long before it is used goes to memory and comes back."""


class Statements:
    """Writes the statements of a phase."""

    def __init__(
        self,
        plan: CallingPlan,
        phase: Phase,
        leaves: Leaves,
        stores: Stores,
        tables: TableReads,
        reads: Reads,
        outlining: Outlining,
        *,
        grid: bool,
    ) -> None:
        values = stores.values
        self.scope, self.values, self.leaves = stores.scope, values, leaves
        self.stores, self.groups, self.addressing = stores, stores.groups, stores.addressing
        self.tables, self.reads = tables, reads
        own = weakref.proxy(self)

        def write(block: Block) -> None:
            # Weakly, as in `function`: parts that hand bodies back would keep each other.
            own.write(block)

        self.memo = Memo(values, write)
        self.branches = Branches(outlining, write)
        self.iterations = Iterations(values, self.memo, write)
        self.vector_loops = VectorLoops(values, reads, write)
        versioning = Versioning(stores.addressing, stores.bounds, reads)
        self.loops = Loops(
            phase, grid, len(plan.buffers), versioning, self.vector_loops, self.memo, reads, write
        )

    def write(self, block: Block) -> None:
        """Write the statements of a block, in the scope around."""
        if self.scope.lanes:
            self.groups.find(block)
            self.tables.find(block)
            if all(isinstance(s, Let | Store) for s in block):
                # Most positions are added up as addresses, and the nodes between bit fields and their copies are not
                # wanted. Those that are wanted are computed where they are used.
                many = len(block) > MAX_NAMED
                stores = stored_buffers(block)
                block = tuple(
                    [s for s in block if not (isinstance(s, Let) and self._is_idle(s, stores, many))]
                )
        for s in block:
            self._statement(s)

    def _is_idle(self, s: Let, stores: set[Buffer], many: bool) -> bool:
        """Whether a value need not have a name where it is declared, which may be one of many places beside stores."""
        if s.value in self.groups.passed or self.addressing.is_affine(s.value):
            return True
        return many and stores.isdisjoint(buffers([s.value]))

    def _statement(self, s: Statement) -> None:
        match s:
            case Let(value):
                self.values.value(value)
            case Repeat(value, body):
                if value not in self.scope.names:
                    for a in self.leaves.operands(value):
                        self.values.value(a)
                    self.iterations.iterate(value, body)
            case Once():
                self.memo.once(s)
            case Store():
                self.stores.store(s)
                self.reads.forget_buffer(s.buffer)
            case Alloc(_, body):
                self.write(body)
            case For():
                self.loops.write(s)
            case While():
                self.loops.write_while(s)
            case If():
                self.branches.write(s)
            case _:
                raise BackendError("nothing can run such a statement", place=type(s).__name__.lower())
