"""Expansion: rows with a body become the simpler rows that every back end can spell.

The last step of `rewriting`. Bodies are written to the last rounding, so nothing but exact rules may touch them; fused
operations are therefore chosen before, on what the author of the picture wrote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir import interp
from ..ir import prim as table
from ..ir.expr import STRUCTURAL, Expr, make, rebuild, topological
from ..ir.facts import Facts
from .builder import Builder, Trace
from .fuse import fuse


def expand(
    roots: Sequence[Expr],
    numerics: str = "relaxed",
    *,
    ranges: Mapping[Expr, Facts] | None = None,
    order: Sequence[int] = (),
    trace: Trace | None = None,
    proved: dict[Expr, Facts] | None = None,
    whole: bool = False,
) -> list[Expr]:
    """The expressions with every row that has a body replaced by it, and what the facts show to be idle dropped.

    With `whole`, rows stay whole: the result has the same bits, for those who know what to do with a sine.

    In mode "relaxed", products are first fused with the sums around them. Do not simplify the result in that mode:
    bodies rely on every rounding. A row's facts may say more than can be inferred from its body (a sine is within
    -1 .. 1); what they say of each body is left in `proved`, to be given to those who infer facts of the result.

    >>> from pellucid.ir.parse import parse_expr
    >>> expand(parse_expr("$a:i32 << 3"))
    [shift_left_in($a:i32, 3)]
    """
    if numerics == "relaxed":
        roots = fuse(roots, order, trace)
    builder = Builder("near" if numerics == "relaxed" else "low", ranges, tuple(order), trace)
    done: dict[Expr, Expr] = {}
    bodies: dict[Expr, Facts] = {} if proved is None else proved
    special = {row.name for row in table.table().values() if row.body is not None or row.domain is not None}
    for node in topological(roots):
        args = node.args
        # What holds nothing to expand stays as it is: it was simplified before.
        if not args or (node.op not in special and all(done[a] is a for a in args)):
            done[node] = node
        else:
            _expand(builder, node, done, None if whole else bodies)
    return [done[r] for r in roots]


def _has_body(rows: Mapping[str, table.Prim], op: str) -> bool:
    row = rows.get(op)
    return row is not None and row.body is not None


def _expand(builder: Builder, node: Expr, done: dict[Expr, Expr], bodies: dict[Expr, Facts] | None) -> None:
    """Put the expansion of a node whose operands are expanded into `done`; without `bodies`, rows stay whole."""
    args = tuple([done[a] for a in node.args])
    if node.op in STRUCTURAL:
        done[node] = rebuild(node, args)
    else:
        new = builder.build(node.op, args, node.type, node.attr)
        done[node] = new if bodies is None else _bodies(builder, new, done, bodies)
    done.setdefault(done[node], done[node])


def _bodies(builder: Builder, root: Expr, done: dict[Expr, Expr], bodies: dict[Expr, Facts]) -> Expr:
    """A simplified node with all rows that have bodies expanded: its own, and those of the rows inside of that.

    A partial row whose domain can no longer be proved, because a body tells less than its row, becomes its total row.
    """
    root = _total(builder, root)
    trace = builder.trace
    found = done.get(root)
    if found is not None:
        return found
    if not _has_body(table.table(), root.op):
        return _inside(builder, root, done, bodies)
    body = interp.expand(root.op, root.args, root.attr)
    if trace is not None:
        trace.note("body", root, body)
    inner: dict[Expr, Expr] = {a: a for a in root.args}
    for node in topological([body], root.args):
        args = tuple([inner[a] for a in node.args])
        if not args:
            inner[node] = node
        elif node.op in STRUCTURAL:
            inner[node] = rebuild(node, args)
        else:
            inner[node] = _bodies(builder, builder.build(node.op, args, node.type, node.attr), done, bodies)
    new = done[root] = inner[body]
    done.setdefault(new, new)
    if new.args:
        both = builder.facts(root).intersection(builder.facts(new))
        builder.facts.known[new] = bodies[new] = both
    return new


def _inside(builder: Builder, node: Expr, done: dict[Expr, Expr], bodies: dict[Expr, Facts]) -> Expr:
    """A node without a body; rules may have made several of one, and moved a row with a body into a choice."""
    if node.op in STRUCTURAL:
        return node
    args = tuple([_bodies(builder, a, done, bodies) if a.args else a for a in node.args])
    new = node if args == node.args else builder.build(node.op, args, node.type, node.attr)
    done[new] = new
    return new


def _total(builder: Builder, node: Expr) -> Expr:
    row = table.table().get(node.op)
    if row is None or row.total is None:
        return node
    if row.proved(node.type, tuple([a.type for a in node.args]), [builder.facts(a) for a in node.args]):
        return node
    total = make(row.total, node.args, node.type, node.attr)
    if builder.trace is not None:
        builder.trace.note("total", node, total)
    return total
