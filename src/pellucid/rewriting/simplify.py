"""Simplification of expressions: one bottom-up pass over the DAG, each node once, constants folded as rules fire.

The front door of `rewriting`. Tracing hands expressions in; the loop moves and the back ends take them out. In mode
"exact" the result has the same bits for every input; in mode "relaxed" (the default) it is the same over the real
numbers, and rounding may differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.bits import state_bits
from ..ir.expr import STRUCTURAL, Expr, get, rebuild, topological
from ..ir.facts import Facts
from .builder import Builder, Trace
from .chains import DUALS, is_chain, normal, ordered
from .iterations import Positions, joined, unlooped
from .sums import PRODUCTS, SUMS, Gatherer, absorbs

GATHERED = SUMS | PRODUCTS
MAX_ROUNDS = 8
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
    """Simplify with a given builder, until no decision rests on sharing that simplification itself has changed."""
    graph = _Graph(roots, builder.gathers)
    gatherer: Gatherer | None = None
    dirty: set[Expr] = set()
    for _ in range(MAX_ROUNDS):
        remade: set[Expr] = set()
        graph, gatherer = _pass(builder, graph, gatherer, dirty, remade)
        dirty = graph.dirty(gatherer, _waited(builder, graph) | _unordered(builder, graph) | remade)
        if not dirty:
            break
    return graph.roots


def _waited(builder: Builder, graph: _Graph) -> set[Expr]:
    """The users of nodes that a rule left whole for the sake of users that are gone now."""
    found: set[Expr] = set()
    for node in [n for n in builder.waits if graph.users.get(n) is not None]:
        builder.waits.discard(node)
        user = graph.users[node]
        if user is not None:
            found.add(user)
            builder.normal.pop(user, None)
    return found


def _unordered(builder: Builder, graph: _Graph) -> set[Expr]:
    """The chains that are not in normal order: rules have made them, or a part has got other users or lost them."""
    users = graph.users

    def alone(node: Expr) -> bool:
        return users.get(node) is not None

    found: set[Expr] = set()
    for n in graph.nodes:
        if n.op in DUALS and is_chain(builder, n):
            user = users[n]
            if (user is None or user.op != n.op) and ordered(builder, n, alone) is not n:
                found.add(n)
    return found


class _Graph:
    """The nodes of some roots in order, the only user of each, and which are inner ones of a sum or product."""

    __slots__ = ("gathered", "nodes", "parts", "roots", "users")

    def __init__(self, roots: Sequence[Expr], kinds: frozenset[str]) -> None:
        self.roots = list(roots)
        self.nodes = topological(roots)
        # None for a root, and where there are several users.
        users: dict[Expr, Expr | None] = dict.fromkeys(roots)
        for node in self.nodes:
            for a in node.args:
                users[a] = None if a in users else node
        self.users = users
        self.gathered = [n for n in self.nodes if n.op in GATHERED and n.type.kind in kinds]
        self.parts = {n for n in self.gathered if (user := users[n]) is not None and absorbs(user, n)}

    def dirty(self, gatherer: Gatherer, more: set[Expr]) -> set[Expr]:
        """The sums and products that are not in normal form: made by rules, or with parts that are none, or are one.

        The sums and products around `more`, which has to be looked at again for other reasons, are among them.
        """
        parts, users, known = self.parts, self.users, gatherer.known
        found = (parts - gatherer.inner) | (parts & gatherer.kept) | more
        found.update([n for n in self.gathered if n not in known])
        shared = {n for n in self.gathered if n not in parts and n in gatherer.inner}
        if shared:
            gatherer.inner -= shared
            found.update([n for n in self.gathered if not shared.isdisjoint(n.args)])
        for node in list(found):
            part = node
            while part in parts and (user := users[part]) is not None and user not in found:
                found.add(user)
                part = user
        return found


def _pass(
    builder: Builder, graph: _Graph, before: Gatherer | None, dirty: set[Expr], remade: set[Expr]
) -> tuple[_Graph, Gatherer]:
    """One bottom-up pass: over all nodes at first, then over those that are dirty and what is above them.

    `remade` gets nodes that were written over other components of a state and are not simplified yet.
    """
    absorbed, users, kinds = graph.parts, graph.users, builder.gathers
    done = dict(zip(graph.nodes, graph.nodes, strict=True))
    gatherer = Gatherer(builder, done, absorbed, before)
    gatherer.kept -= dirty
    build, trace = builder.build, builder.trace
    shared = builder.shared = {n for n in graph.nodes if users[n] is None}
    changed: set[Expr] = set()
    moved: dict[Expr, Positions] = {}
    """Where the components are of iterations that were gone through."""
    visits = 0
    for node in graph.nodes:
        args = node.args
        if not args or (before is not None and node not in dirty and changed.isdisjoint(args)):
            continue
        visits += 1
        if node in absorbed:
            changed.add(node)
            gatherer.inner.discard(node)
            continue
        if node.op in GATHERED and node.type.kind in kinds:
            new = gatherer.gather(node)
            if trace is not None and new is not node:
                trace.note("gather-real" if node.type.is_float else "gather", node, new)
        elif node.op == "get":
            position: int = node.attr
            new = unlooped(
                builder, get(done[args[0]], moved[args[0]][position] if args[0] in moved else position)
            )
        elif node.op in STRUCTURAL:
            new = rebuild(node, tuple([done[a] for a in args]))
            if new.op == "iterate":
                whole, (new, moved[node]) = new, joined(builder, new)
                if new is not whole:
                    remade.update([n for n in topological([new]) if n.free & state_bits(new.attr[0])])
        else:
            new = build(node.op, tuple([done[a] for a in args]), node.type, node.attr)
            if new.op in DUALS and is_chain(builder, new):
                user = users[node]
                new = normal(builder, new, whole=user is None or user.op != new.op)
        if new is not node:
            changed.add(node)
            done[node] = new
            if users[node] is None:
                shared.add(new)
    if trace is not None:
        trace.visits += visits
    roots = [done[r] for r in graph.roots]
    return graph if roots == graph.roots else _Graph(roots, kinds), gatherer
