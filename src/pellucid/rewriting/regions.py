"""Regions: tests of points put into the order in which they decide most at the least cost.

A shape is a union of intersections; `truths` has made one of the sign of minima and maxima. Of an intersection the
tests that change least often come first and what is dear comes last, under a branch; parts of a union that share such
tests share the branch. So a row of pixels passes by the shapes that it does not meet, and a vector of pixels by those
that none of its pixels meets. It is to truths what the grouping of sums is to numbers (Elliott et al., section 4,
"hoisting modulo associativity"). Stands after `expand`, when costs are known, and before the places.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..ir.expr import FALSE, Expr, apply, rebuild, topological
from ..ir.facts import Facts
from ..ir.types import boolean
from ..reasoning.machine import PROCESSOR
from ..reasoning.work import node_costs

if TYPE_CHECKING:
    from .builder import Trace

SKIP_THRESHOLD = PROCESSOR.prices["skip"].cost
"""Minimum cost of a test for which a branch skips it, and for which an order of tests is searched."""
MAX_TESTS = 64
"""Tests of an intersection up to which also parts with other users are taken apart: more could take forever."""
_TREES = ("and", "or")


def regions(
    roots: Sequence[Expr],
    order: Sequence[int] = (),
    *,
    ranges: Mapping[Expr, Facts] | None = None,
    proved: dict[Expr, Facts] | None = None,
    trace: Trace | None = None,
) -> list[Expr]:
    """The expressions with the tests of their regions in good order; each truth means what it meant.

    `order` gives the index bits of the loops from the outermost in. What `ranges` says of nodes that are made anew is
    left in `proved`, under the new ones.

    >>> from pellucid.ir.parse import parse_expr
    >>> from pellucid.ir.expr import index
    >>> test = parse_expr("pow(convert.f32(%i), $p:f32) < 2.0 & %j < 9")
    >>> regions(test, order=(index("j").free, index("i").free))
    [if %j < 9 then pow(convert.f32(%i), $p:f32) < 2.0 else false]
    """
    nodes = topological(roots)
    if not any(n.op in _TREES and n.type is boolean for n in nodes):
        return list(roots)
    grouping = _Grouping(roots, nodes, order)
    if ranges and proved is not None:
        done = grouping.done
        proved.update((done[n], f) for n, f in ranges.items() if done.get(n, n) is not n)
    if trace is not None:
        from .laws import REGIONS

        changed = [n for n in nodes if n.op in _TREES and grouping.done.get(n, n) is not n]
        for law in REGIONS if changed else ():
            trace.note(law.name, changed[0], grouping.done[changed[0]])
    return grouping.roots


class _Grouping:
    """Rebuilds expressions with every tree of truths grouped; the result is in `roots`."""

    def __init__(self, roots: Sequence[Expr], nodes: list[Expr], order: Sequence[int]) -> None:
        self.inner = next((bit for bit in reversed(order) if any(n.free & bit for n in roots)), 0)
        self.users: dict[Expr, list[Expr]] = {}
        for node in nodes:
            for a in node.args:
                self.users.setdefault(a, []).append(node)
        for r in roots:
            self.users.setdefault(r, []).extend((r, r))
        self.cost = _costs(nodes)
        self.done: dict[Expr, Expr] = {}
        for node in nodes:
            if not node.args:
                self.done[node] = node
            elif node.op not in _TREES or node.type is not boolean or self.cost[node] < SKIP_THRESHOLD:
                self.done[node] = rebuild(node, tuple([self.done[a] for a in node.args]))
            elif not self._absorbed(node):
                self.done[node] = self._union(node) if node.op == "or" else self._meeting(self._parts(node))
        self.roots = [self.done[r] for r in roots]

    def _absorbed(self, node: Expr) -> bool:
        """Whether a tree is a part of the tree of its only user, which groups them both."""
        user = self.users[node][0]
        if len(self.users[node]) > 1 or user.op not in _TREES:
            return False
        return node.op in (user.op, "and")

    def _parts(self, node: Expr) -> list[Expr]:
        """The operands of a tree of one operator, from left to right, each once; some may have other users as well."""
        most = MAX_TESTS if node.op == "and" else 0
        found: dict[Expr, None] = {}
        stack = list(reversed(node.args))
        while stack:
            part = stack.pop()
            if part.op == node.op and (self._absorbed(part) or len(found) + len(stack) < most):
                stack += reversed(part.args)
            else:
                found[part] = None
        return list(found)

    def _union(self, node: Expr) -> Expr:
        """A union, its parts grouped by the tests that they share and that the innermost loop does not change."""
        groups: dict[frozenset[Expr], list[list[Expr]]] = {}
        for term in self._parts(node):
            tests = self._parts(term) if term.op == "and" else [term]
            steady = frozenset(t for t in tests if not t.free & self.inner)
            groups.setdefault(steady, []).append([t for t in tests if t not in steady])
        found: list[Expr] = []
        for steady, rests in groups.items():
            common = set(rests[0]).intersection(*rests[1:])
            if len(rests) > 1 and steady and all(len(r) > len(common) for r in rests):
                inner = [self._meeting([t for t in r if t not in common]) for r in rests]
                found.append(self._meeting([*steady, *common], _tree("or", inner), self._sum(rests)))
            else:
                found += [self._meeting([*steady, *r]) for r in rests]
        return _tree("or", found)

    def _sum(self, parts: Iterable[Iterable[Expr]]) -> float:
        return sum(self.cost[t] for r in parts for t in r)

    def _meeting(self, tests: list[Expr], last: Expr | None = None, weight: float = 0.0) -> Expr:
        """An intersection: what changes least often first, then what is cheap; what is dear is under a branch."""
        stages: dict[int, list[Expr]] = {}
        for t in sorted(tests, key=lambda t: (t.free.bit_count(), self.cost[t], t.id)):
            stages.setdefault(self._stage(t), []).append(t)
        for stage in sorted(stages, reverse=True):
            here = _tree("and", [self.done[t] for t in stages[stage]])
            if last is None:
                last = here
            else:
                last = (
                    apply("choose", here, last, FALSE)
                    if weight >= SKIP_THRESHOLD
                    else apply("and", here, last)
                )
            weight += self._sum([stages[stage]])
        return FALSE if last is None else last

    def _stage(self, test: Expr) -> int:
        """When a test is made: once for a whole innermost loop, from that loop's index alone, from more, or at last."""
        if not test.free & self.inner:
            return 0
        if test.op in _TREES:
            return 3
        return 1 if test.free == self.inner else 2


def _tree(op: str, parts: Sequence[Expr]) -> Expr:
    """A balanced tree of one operator over at least one part."""
    row = list(parts)
    while len(row) > 1:
        odd = row[len(row) & ~1 :]
        row = [apply(op, a, b) for a, b in zip(row[::2], row[1::2], strict=False)] + odd
    return row[0]


def _costs(nodes: list[Expr]) -> dict[Expr, float]:
    """The cost of each node with all nodes below it, as far as it matters: shared nodes count at every use."""
    found: dict[Expr, float] = {}
    for node, cost in node_costs(nodes).items():
        below = 0.0
        for a in node.args:
            below += found[a]
        found[node] = 50 * SKIP_THRESHOLD if node.op == "iterate" else min(cost + below, 50 * SKIP_THRESHOLD)
    return found
