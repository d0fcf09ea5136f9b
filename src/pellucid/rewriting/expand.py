"""Expansion: rows with a body become the simpler rows that every back end can spell.

The last step of `rewriting`. Bodies are written to the last rounding, so nothing but exact rules may touch them; fused
operations are therefore chosen before, on what the author of the picture wrote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir import interp
from ..ir import prim as table
from ..ir.expr import STRUCTURAL, Expr, rebuild
from ..ir.facts import Facts
from .builder import Builder, Trace
from .fuse import fuse
from .simplify import postorder


def expand(
    roots: Sequence[Expr],
    numerics: str = "relaxed",
    *,
    ranges: Mapping[Expr, Facts] | None = None,
    order: Sequence[int] = (),
    trace: Trace | None = None,
) -> list[Expr]:
    """The expressions with every row that has a body replaced by it, and what the facts show to be idle dropped.

    In mode "relaxed", products are first fused with the sums around them. Do not simplify the result in that mode:
    bodies rely on every rounding.

    >>> from pellucid.ir.parse import parse_expr
    >>> expand(parse_expr("$a:i32 << 3"))
    [shift_left_in($a:i32, 3)]
    """
    if numerics == "relaxed":
        roots = fuse(roots, order)
    builder = Builder("near" if numerics == "relaxed" else "exact", ranges, (), trace)
    done: dict[Expr, Expr] = {}
    for node in postorder(roots):
        _expand(builder, node, done)
    return [done[r] for r in roots]


def _expand(builder: Builder, node: Expr, done: dict[Expr, Expr]) -> None:
    """Put the expansion of a node whose operands are expanded into `done`."""
    args = tuple([done[a] for a in node.args])
    if not args:
        done[node] = node
    elif node.op in STRUCTURAL:
        done[node] = rebuild(node, args)
    else:
        new = builder.build(node.op, args, node.type, node.attr)
        done[node] = _bodies(builder, new, done)


def _bodies(builder: Builder, root: Expr, done: dict[Expr, Expr]) -> Expr:
    """A simplified node with all rows that have bodies expanded: its own, and those of the rows inside of that."""
    rows = table.table()
    found = done.get(root)
    if found is not None and found is not root:
        return found
    prim = rows.get(root.op)
    if prim is None or prim.body is None:
        return root
    body = interp.expand(root.op, root.args, root.attr)
    inner: dict[Expr, Expr] = {a: a for a in root.args}
    for node in postorder([body]):
        if node in inner:
            continue
        args = tuple([inner[a] for a in node.args])
        if not args:
            inner[node] = node
        elif node.op in STRUCTURAL:
            inner[node] = rebuild(node, args)
        else:
            inner[node] = _bodies(builder, builder.build(node.op, args, node.type, node.attr), done)
    done[root] = inner[body]
    return inner[body]
