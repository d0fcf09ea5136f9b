"""Simplification of expressions: one bottom-up pass over the DAG, each node once, constants folded as rules fire.

The front door of `rewriting`. Tracing hands expressions in; the loop moves and the back ends take them out. In mode
"exact" the result has the same bits for every input; in mode "relaxed" (the default) it is the same over the real
numbers, and rounding may differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..base.errors import IrError
from ..ir.expr import STRUCTURAL, Expr, rebuild
from ..ir.facts import Facts
from .builder import Builder, Trace

ROUNDS = 8
"""Passes after which sharing must have settled; the second already finds nothing to do, nearly always."""


def simplify(
    roots: Sequence[Expr],
    *,
    numerics: str = "relaxed",
    ranges: Mapping[Expr, Facts] | None = None,
    order: Sequence[int] = (),
    trace: Trace | None = None,
) -> list[Expr]:
    """The expressions in simplest form, in the order given; simplifying again changes nothing.

    Parameters: `numerics` is "exact" or "relaxed"; `ranges` gives facts of params, indices and loads; `order` the bits
    of the loop indices, outermost first, by which sums and products are grouped; `trace` is told what was done.
    Raises IrError for an unknown mode.

    >>> from pellucid.ir.parse import parse_expr
    >>> simplify(parse_expr("0.0 + 1.0 * $x:f32"))
    [$x:f32]
    """
    builder = Builder(numerics, ranges, tuple(order), trace)
    return run(builder, roots)


def run(builder: Builder, roots: Sequence[Expr]) -> list[Expr]:
    """Simplify with a given builder, until no decision rests on sharing that simplification itself has ended."""
    done = list(roots)
    for _ in range(ROUNDS):
        done = _pass(builder, done)
        if not builder.waits:
            return done
        counts = _counts(postorder(done), done)
        if all(counts.get(n, 0) != 1 for n in builder.waits):
            return done
        # A node that had several users has one now: what waited for that may go on.
        builder.normal.clear()
        builder.shared.clear()
        builder.waits.clear()
    raise IrError("sharing does not settle", place="simplify", fix="this is a fault of the rules")


def postorder(roots: Sequence[Expr]) -> list[Expr]:
    """All nodes, operands before users, in an order that depends on nothing but the expressions."""
    seen: set[Expr] = set()
    result: list[Expr] = []
    stack: list[Expr] = list(reversed(roots))
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        waiting = [a for a in node.args if a not in seen]
        if waiting:
            stack.append(node)
            stack.extend(reversed(waiting))
            continue
        seen.add(node)
        result.append(node)
    return result


def _counts(nodes: Sequence[Expr], roots: Sequence[Expr]) -> dict[Expr, int]:
    counts: dict[Expr, int] = dict.fromkeys(nodes, 0)
    for root in roots:
        counts[root] += 1
    for node in nodes:
        for a in node.args:
            counts[a] += 1
    return counts


def _pass(builder: Builder, roots: Sequence[Expr]) -> list[Expr]:
    nodes = postorder(roots)
    counts = _counts(nodes, roots)
    done: dict[Expr, Expr] = {}
    build, shared = builder.build, builder.shared
    for node in nodes:
        args = node.args
        if not args:
            new = node
        elif node.op in STRUCTURAL:
            new = rebuild(node, tuple([done[a] for a in args]))
        else:
            new = build(node.op, tuple([done[a] for a in args]), node.type, node.attr)
        if counts[node] > 1:
            shared.add(new)
        done[node] = new
    if builder.trace is not None:
        builder.trace.visits += len(nodes)
    return [done[r] for r in roots]
