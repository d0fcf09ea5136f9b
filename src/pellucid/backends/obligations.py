"""What every writer of code owes to the meaning: a partial row needs a proof, a load means the memory of its moment."""

from __future__ import annotations

from collections.abc import Mapping

from ..base.errors import BackendError
from ..ir.bits import state_bits
from ..ir.expr import ITERATIONS, Buffer, Expr, held, parts, topological
from ..ir.nest import Block, For, Store, all_roots, walk
from ..ir.prim import Prim
from ..reasoning.infer import FactsOf


def require_domain(prim: Prim, node: Expr, facts: FactsOf) -> None:
    """Refuse a partial row whose operands are not proved to be in its domain.

    Raises BackendError that names the row and what is known of its operands.
    """
    if prim.domain is None:
        return
    known = [facts(a) for a in node.args]
    if not prim.proved(node.type, tuple(a.type for a in node.args), known):
        what = ", ".join(f"{f.lo} .. {f.hi}{' or nan' if f.nan else ''}" for f in known)
        raise BackendError(
            f"operands in {what} are not proved to be in its domain", place=prim.name, fix="use the total row"
        )


def require_spelling(prim: Prim) -> None:
    """Refuse a row that is an expression of simpler rows.

    Raises BackendError that names the row.
    """
    if prim.body is not None:
        raise BackendError("is an expression of simpler rows", place=prim.name, fix="expand it first")


class Proofs:
    """The loads and stores that are proved to be in bounds; `needed` collects how large buffers must be for that.

    `least` gives, per buffer, the number of elements it certainly has: what proofs may count on. Scratch memory as
    large as a loop is long holds every index of the loop; `scratch` gives its size expressions.
    """

    def __init__(self, least: Mapping[Buffer, int], scratch: Mapping[Buffer, Expr]) -> None:
        self.least = least
        self.needed: dict[Buffer, int] = {}
        self._extents = scratch
        self._ends: dict[Expr, Expr] = {}

    def enter(self, loop: For, facts: FactsOf) -> None:
        """Note that a loop has begun."""
        if facts(loop.lo).lo >= 0:
            self._ends[loop.index] = loop.hi

    def leave(self, loop: For) -> None:
        """Note that a loop has ended."""
        self._ends.pop(loop.index, None)

    def inside(self, position: Expr, buffer: Buffer, facts: FactsOf) -> bool:
        """Whether a position is proved to be inside of a buffer."""
        end = self._ends.get(position)
        if end is not None and self._extents.get(buffer) is end:
            return True
        least = self.least[buffer]
        if not facts(position).within(0, least - 1):
            return False
        self.needed[buffer] = least
        return True


def nodes_of(body: Block) -> list[Expr]:
    """All nodes of the expressions in a block, operands before users."""
    return topological(all_roots(body))


def reads_of_written(body: Block, nodes: list[Expr]) -> dict[Expr, frozenset[Buffer]]:
    """Nodes that depend on memory that the block itself changes, with the buffers they read.

    `nodes` are those of the block. Their values must be forgotten at every store to one of those buffers.
    """
    read = {n.attr for n in nodes if n.op == "load"}
    written = read & stored_buffers(body) if read else read
    if not written:
        return {}
    found: dict[Expr, frozenset[Buffer]] = {}
    for n in nodes:
        reads = frozenset[Buffer]().union(*(found.get(a, ()) for a in n.args))
        if n.op == "load" and n.attr in written:
            reads |= {n.attr}
        if reads:
            found[n] = reads
    return found


def clashing(node: Expr) -> list[Expr]:
    """Iterations that stand in the steps or the test of one, do not depend on its state, and have the same states.

    States are named by depth: their values must be there before the states of the one around have any.
    """
    _, step, stop, _ = parts(node)
    if not held((*step, stop)) & ITERATIONS:
        return []
    depth, bits = node.attr[0], state_bits(node.attr[0])
    inside = [n for n in topological((*step, stop)) if n.op == "iterate" and not n.free & bits]
    return [n for n in inside if n.attr[0] >= depth]


def stored_buffers(block: Block) -> set[Buffer]:
    """The buffers that a block stores to."""
    return {s.buffer for s in walk(block) if isinstance(s, Store)}
