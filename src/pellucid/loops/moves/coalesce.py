"""coalesce: two loops, one inside the other, become one over all pairs of their indices.

Rows of interleaved colors are then one run of numbers for the lanes of a vector. The inverse of strip mining, for
positions in which the two indices appear as one number: ``3 * x + c`` for c from 0 to 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir.expr import Expr, const, substitute, topological
from ...ir.nest import SEQ, For, Kernel, Store, all_roots, rewrite, walk
from ...ir.path import Path, replace_at
from ...ir.path import walk as paths
from ...reasoning.known import Known
from ...reasoning.linear import Sum, exact_sum, folded
from ...reasoning.prove import Proved, Refuted, Verdict, decided
from ..core.build import index_between
from ..core.elements import ranges_of
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def _two(s: object) -> tuple[For, For] | None:
    """A loop in order with nothing but such a loop in it, whose bounds are constants."""
    if not isinstance(s, For) or len(s.body) != 1 or s.how != SEQ:
        return None
    inner = s.body[0]
    if not isinstance(inner, For) or inner.how != SEQ or inner.index.type is not s.index.type:
        return None
    return (s, inner) if inner.lo.op == inner.hi.op == "const" else None


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Loops in order with nothing but such a loop in them, the innermost first."""
    for path, s in reversed(list(paths(kernel.body))):
        if _two(s) is not None:
            yield path


def _loops(site: Site) -> tuple[For, For]:
    found = _two(site.statement)
    assert found is not None  # noqa: S101 - the theorem's shape
    return found


def _shape(site: Site) -> Verdict:
    return decided(_two(site.statement) is not None, "a loop has one loop in it", f"{site} has not")


def _no_overflow(site: Site) -> Verdict:
    outer, inner = _loops(site)
    facts = Known(site.ranges, [s for s in site.around if isinstance(s, For)]).facts
    lo, hi, width = facts(outer.lo).lo, facts(outer.hi).hi, inner.hi.attr
    fits = outer.index.type.low <= min(lo, lo * width) and hi * width <= outer.index.type.high
    return decided(fits, "the range of both is one of the index", f"{hi} times {width} is not")


def _from_zero(site: Site) -> Verdict:
    _, inner = _loops(site)
    whole = inner.lo.attr == 0 < inner.hi.attr
    return decided(whole, "the inner loop starts at 0", f"it starts at {inner.lo.attr}")


def positions(inner: For) -> list[Expr]:
    """The positions in the body of a loop."""
    loads = [n.args[0] for n in topological(all_roots(inner.body)) if n.op == "load"]
    return list(dict.fromkeys([*loads, *(s.position for s in walk(inner.body) if isinstance(s, Store))]))


def merged(position: Expr, site: Site, index: Expr) -> Expr | None:
    """A position with one index in the place of both; None if they are not digits of one number in it."""
    outer, inner = _loops(site)
    around = [s for s in site.around if isinstance(s, For)]
    facts = ranges_of(inner.body, Known(site.ranges, (*around, outer, inner)).facts.known)
    split = exact_sum(position, facts)
    if split is None:
        return None
    parts = dict(split.terms)
    step = parts.pop(inner.index, 0)
    both = outer.index.free | inner.index.free
    if parts.pop(outer.index, 0) != step * int(inner.hi.attr) or any(n.free & both for n in parts):
        return None
    found = Sum(tuple(parts.items()), split.constant).node(position.type)
    return folded("add", found, folded("mul", index, const(step, position.type))) if step else found


def _one_number(site: Site) -> Verdict:
    outer, inner = _loops(site)
    both = outer.index.free | inner.index.free
    used = [p for p in positions(inner) if p.free & both]
    for p in used:
        if merged(p, site, inner.index) is None:
            return Refuted("both are digits of one number", f"{p!r} has them apart")
    hidden = dict.fromkeys(used, const(0, inner.index.type))
    rest = substitute(all_roots(inner.body), {k: v for k, v in hidden.items() if k.type is v.type})
    left = next((r for r in rest if r.free & both), None)
    return (
        Proved("both are digits of one number")
        if left is None
        else Refuted("both are digits of one number", f"{left!r} uses them by themselves")
    )


COALESCE = Theorem(
    "pairs in order are numbers in order",
    "Two nested loops are one loop over the numbers whose digits the two indices are.",
    (
        Clause("from-zero", "the inner loop runs from 0", _from_zero),
        Clause("no-overflow", "the bounds of the new loop are in range", _no_overflow),
        Clause("one-number", "the indices appear in positions alone, as digits of one number", _one_number),
    ),
    shape=Clause(
        "nested", "the site is a loop with nothing but a loop between constants in it, both in order", _shape
    ),
)


def apply(kernel: Kernel, path: Path, *, ranges: Any = None, **_: Any) -> Applied:
    """One loop for both."""
    site = Site(kernel, path, ranges or {})
    outer, inner = _loops(site)
    type_ = inner.index.type
    both = outer.index.free | inner.index.free
    mapping: dict[Expr, Expr] = {}
    width = const(int(inner.hi.attr), type_)
    lo, hi = folded("mul", outer.lo, width), folded("mul", outer.hi, width)
    index = index_between(kernel, path, "k", lo, hi)
    for p in positions(inner):
        new = merged(p, site, index) if p.free & both else None
        if new is not None:
            mapping[p] = new
    body = rewrite(inner.body, lambda given: tuple(substitute(given, mapping)))
    loop = For(index, lo, hi, body)
    return Applied(replace(kernel, body=replace_at(kernel.body, path, (loop,))))


MOVE = Move("coalesce", "Make one loop of a loop and the one inside of it.", find, apply, (COALESCE,))
