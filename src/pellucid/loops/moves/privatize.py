"""privatize: what a loop gathers into an array, as a histogram, is gathered into several arrays that are merged after.

Iterations that add to different copies no longer meet, so they can be spread over threads; and an element that was
just stored need not be loaded at once. `by` says which copy an iteration adds to: whole numbers with known ranges.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ...ir import prim as table
from ...ir.expr import Expr
from ...ir.nest import Alloc, For, Kernel
from ...ir.path import Path, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import shown
from ...reasoning.prove import Proved, Refuted, Unknown, Verdict, both, decided
from ..analysis.independence import IN_ORDER
from ..analysis.reductions import LoopReduction, elements, in_parts, inside_of, other_use, reduction_at
from ..analysis.room import fits
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem

MAX_ELEMENTS = 1 << 24
"""Elements of all copies together, at most: more would not pay, and positions must fit their type."""


def find(kernel: Kernel, *, buffer: str | None = None, **_: Any) -> Iterable[Path]:
    """Loops that gather, outermost first."""
    for path, s in paths(kernel.body):
        if isinstance(s, For) and reduction_at(kernel, path, buffer) is not None:
            yield path


def _site(site: Site) -> LoopReduction:
    found = reduction_at(site.kernel, site.path, site.options.get("buffer"), site.options.get("by", ()))
    assert found is not None  # noqa: S101 - the theorem's shape
    return found


def _gathers(site: Site) -> Verdict:
    found = reduction_at(site.kernel, site.path, site.options.get("buffer"))
    return both(IN_ORDER.test(site), decided(found is not None, "a store gathers", f"none in {site} does"))


def _only_gathers(site: Site) -> Verdict:
    g = _site(site)
    other = other_use(g)
    return decided(other is None, f"every access of {g.buffer.name} is part of {g.op}", str(other))


def _order_free(site: Site) -> Verdict:
    g = _site(site)
    laws, premise = table.row(g.op).laws, "the order does not matter"
    if g.identity is None:
        return Refuted(premise, f"{g.op} has no value that changes nothing")
    if g.kind in laws.commutes and g.kind in laws.associates:
        return Proved(f"{g.op} commutes and associates on {g.buffer.type}")
    if site.options.get("numerics") == "relaxed" and g.op in ("add", "mul", "min", "max"):
        return Proved(f"{g.op} may be reassociated in relaxed numerics")
    return Refuted(premise, f"{g.op} on {g.buffer.type} rounds, or tells zeros and NaN apart")


def _inside(site: Site) -> Verdict:
    return both(*(site.iterations.inside(a) for a in _site(site).stores))


def _in_scope(site: Site) -> Verdict:
    g = _site(site)
    for a in g.stores:
        scope = 0
        for s in (*site.around, g.loop, *a.scope):
            scope |= s.index.free if isinstance(s, For) else 0
        odd = next((e for e in g.by if e.free & ~scope), None)
        if odd is not None:
            return Refuted("the copy is known at every store", f"{shown(odd)} is not known at {a}")
    return Proved("the copy is known at every store")


def _counts(site: Site) -> list[int] | None:
    """The number of values of each part of `by`, from 0 on; None if one is not a whole number with such a range."""
    g, known = _site(site), site.iterations
    counts: list[int] = []
    for e in g.by:
        found = [known.facts(a)(e) for a in g.stores]
        if not e.type.is_integer or any(f.lo < 0 or f.hi >= e.type.high for f in found):
            return None
        counts.append(int(max(f.hi for f in found)) + 1)
    return counts


def _few_copies(site: Site) -> Verdict:
    g, counts, premise = _site(site), _counts(site), "the copies are numbered"
    if counts is None:
        return Unknown(premise, f"the ranges of {', '.join(map(shown, g.by))}, from 0 on")
    size = math.prod(counts) * g.buffer.size
    return decided(size <= MAX_ELEMENTS, premise, f"{math.prod(counts)} copies have {size} elements")


PARTS = Theorem(
    "what commutes and associates may be gathered in parts",
    "A reduction over the iterations of a loop may be done in parts that are merged after.",
    (
        Clause(
            "only-gathers", lambda s: f"all of {_site(s).buffer.name} gathers by one operator", _only_gathers
        ),
        Clause("order-free", lambda s: _site(s).order, _order_free),
        Clause("inside", lambda s: f"every position is inside of {_site(s).buffer.name}", _inside),
        Clause("in-scope", "the copy is known at every store", _in_scope),
        Clause("few-copies", f"the copies are numbered, with at most {MAX_ELEMENTS} elements", _few_copies),
    ),
    shape=Clause(
        "gathers", "the site is a loop in order with a store of the form b[p] := b[p] op e", _gathers
    ),
)


def _private(site: Site) -> int:
    """The bytes of the copies if they stand inside of a loop or a branch."""
    if all(isinstance(s, Alloc) for s in site.around):
        return 0
    g = _site(site)
    return elements(g, _counts(site) or ()) * g.buffer.type.dtype.itemsize


def apply(
    kernel: Kernel,
    path: Path,
    *,
    buffer: str | None = None,
    by: Sequence[Expr] = (),
    numerics: str = "exact",
    **options: Any,
) -> Applied:
    """Clear the copies, gather into them, merge them; `numerics` "relaxed" lets sums of floats be reassociated."""
    site = Site(kernel, path, options.get("ranges") or {}, {"buffer": buffer, "by": by, "numerics": numerics})
    g, counts = _site(site), _counts(site)
    assert counts is not None  # noqa: S101 - checked
    body = replace_at(kernel.body, path, (new := in_parts(kernel, g, counts),))
    return Applied(replace(kernel, body=body), inside_of(new, g, path))


DOC = "Gather what a loop gathers into an array in several copies of it, and merge them after."
MOVE = Move("privatize", DOC, find, apply, (PARTS,), limits=(fits(_private),))
