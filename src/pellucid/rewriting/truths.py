"""Truths: comparisons of minima and maxima become truths about their operands.

A shape told by the sign of minima and maxima of distances is a union of intersections of half-planes and discs, each
a comparison that rules make cheap and `regions` can put into good order. Stands before `simplify`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..ir.expr import Expr, const, make, rebuild, topological
from ..ir.facts import Facts
from ..ir.types import boolean
from ..reasoning.infer import FactsOf

if TYPE_CHECKING:
    from .builder import Trace

_COMPARED = ("lt", "le")
_SUNK = ("min", "max", "neg")


def truths(
    roots: Sequence[Expr],
    *,
    ranges: Mapping[Expr, Facts] | None = None,
    numerics: str = "relaxed",
    trace: Trace | None = None,
) -> list[Expr]:
    """The expressions with minima and maxima taken apart where only comparisons want them.

    A minimum is below a bound if one of its operands is: with numerics "exact" this is used only where the operands
    are proved to be numbers, else NaN is left aside.

    >>> from pellucid.ir.parse import parse_expr
    >>> truths(parse_expr("min($x:f32, pow($y:f32, 1.5)) < 2.0"))
    [$x:f32 < 2.0 | pow($y:f32, 1.5) < 2.0]
    """
    nodes = topological(roots)
    if not any(n.op in _COMPARED and (n.args[0].op in _SUNK or n.args[1].op in _SUNK) for n in nodes):
        return list(roots)
    return _sink(roots, nodes, FactsOf(ranges) if numerics == "exact" else None, trace)


def _sink(roots: Sequence[Expr], nodes: list[Expr], facts: FactsOf | None, trace: Trace | None) -> list[Expr]:
    """Comparisons of minima and maxima as truths about their operands, where the minima serve for nothing else."""
    kept = {n for n in roots if n.op in _SUNK}
    for node in reversed(nodes):
        compared = node.op in _COMPARED
        passed = node.op in _SUNK and node not in kept
        for a in node.args:
            if a.op in _SUNK and a not in kept and not ((compared or passed) and _plain(a, facts)):
                kept.add(a)
    known: dict[tuple[str, Expr, Expr, bool], Expr] = {}
    done: dict[Expr, Expr] = {}

    def note(name: str, before: Expr, after: Expr) -> None:
        if trace is not None:
            # In mode "relaxed" nobody asks for NaN.
            trace.note(name if facts is not None else f"{name} but for NaN", before, after)

    def told(op: str, value: Expr, bound: Expr, above: bool) -> Expr:
        """That a value is below a bound or, if so asked, above it; minima on the way are taken apart."""
        first = (op, value, bound, above)
        stack = [first]
        while stack:
            test = stack[-1]
            op, value, bound, above = test
            if value in kept or value.op not in _SUNK or (value.op == "neg" and bound.op != "const"):
                sides = (bound, done[value]) if above else (done[value], bound)
                known[test] = make(op, sides, boolean)
            elif value.op == "neg":
                part = (op, value.args[0], const(-bound.attr, bound.type), not above)
                if part not in known:
                    stack.append(part)
                    continue
                known[test] = known[part]
                note(f"opposite-{op}" if above else f"{op}-of-opposite", value, known[test])
            else:
                parts = [(op, a, bound, above) for a in value.args]
                missing = [p for p in parts if p not in known]
                if missing:
                    stack += missing
                    continue
                either = (value.op == "min") != above
                known[test] = make("or" if either else "and", (known[parts[0]], known[parts[1]]), boolean)
                note(f"{op}-{value.op}" if above else f"{value.op}-{op}", value, known[test])
            stack.pop()
        return known[first]

    changed: set[Expr] = set()
    for node in nodes:
        new = node
        if node.op in _COMPARED:
            a, b = node.args
            if a.op in _SUNK and a not in kept:
                new = told(node.op, a, done[b], above=False)
            elif b.op in _SUNK and b not in kept:
                new = told(node.op, b, done[a], above=True)
        if new is node and not changed.isdisjoint(node.args):
            new = rebuild(node, tuple([done[a] for a in node.args]))
        if new is not node:
            changed.add(node)
        done[node] = new
    return [done[r] for r in roots]


def _plain(value: Expr, facts: FactsOf | None) -> bool:
    """Whether a minimum, maximum or negation can be taken apart: what it is made of is no NaN."""
    if value.op == "neg":
        return value.type.is_float
    return facts is None or not any(facts(a).nan for a in value.args)
