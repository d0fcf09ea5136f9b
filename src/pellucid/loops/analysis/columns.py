"""Columns: which expressions of an inner loop change with its index alone, and are dear enough for a table.

Part of the move `tabulate`, which makes the table.
"""

from __future__ import annotations

import math
from collections.abc import Set as AbstractSet
from functools import lru_cache

from ...ir.expr import LEAVES, LOADS, Buffer, Expr, topological
from ...ir.nest import For, all_roots
from ...reasoning.machine import PROCESSOR
from ...reasoning.work import node_costs, tree_cost

TABLE_THRESHOLD = PROCESSOR.prices["table"].cost
MAX_TABLES = 16


def column_cost(expression: Expr, column: int) -> float:
    """The cycles of what changes with the column alone; what does not change at all is computed once anyway."""
    fixed = {n for n in topological([expression]) if n.free != column}
    return tree_cost([expression], fixed)


@lru_cache(maxsize=4)
def columns(
    inner: For, dear: float = TABLE_THRESHOLD, stored: AbstractSet[Buffer] = frozenset()
) -> list[Expr]:
    """The dear expressions in the body of a loop that depend on its index and on nothing else that changes.

    `stored` is memory that changes.
    """
    column = inner.index.free
    used: dict[Expr, None] = {}
    roots = all_roots(inner.body)
    # With every use counted: at least the cost, and known in one pass.
    most: dict[Expr, float] = {}
    changing: set[Expr] = set()
    for node, cost in node_costs(topological(roots)).items():
        own = node.op == "load" and node.attr in stored
        if own or (node.holds & LOADS and not changing.isdisjoint(node.args)):
            changing.add(node)
        elif node.free == column:
            most[node] = (
                math.inf if node.op == "iterate" else cost + sum([most.get(a, 0.0) for a in node.args])
            )
            if node.op not in LEAVES:
                continue
        for a in node.args:
            if a in most and a.op not in LEAVES and a.op != "iterate":
                used[a] = None
    for root in roots:
        if root in most and root.op not in LEAVES:
            used[root] = None
    # A load at the index itself is a table already.
    costs = {
        e: column_cost(e, column) for e in used if most[e] >= dear and (e.op != "load" or e.args[0].args)
    }
    return sorted((e for e in costs if costs[e] >= dear), key=lambda e: -costs[e])[:MAX_TABLES]
