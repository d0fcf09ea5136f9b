"""compute_at: what one loop stores in scratch arrays for another is stored in the iteration that loads it.

The first loop computes a value for all iterations of the second at once, into arrays with a part for each of them. In
the joined loop there is one part, which stays in the cache, and each thread has its own. Source: Halide's `compute_at`
(Ragan-Kelley and others, 2013), for stages over the same iterations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...ir import expr as E
from ...ir import nest as N
from ...ir import types as T
from ...ir.expr import Buffer, Expr, const
from ...ir.facts import Facts
from ...ir.nest import Alloc, Block, Kernel, Store
from ...ir.path import Path, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import loaded, stored
from ...reasoning.prove import Proved, Unknown, Verdict, decided
from ..analysis.room import fits
from ..analysis.stages import Stages, stages
from ..core.build import with_values
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Scratch memory of two stages, inner first."""
    yield from reversed([path for path, s in paths(kernel.body) if stages(s)])


def _of(site: Site) -> Stages:
    found = stages(site.statement)
    assert found is not None  # noqa: S101 - the theorem's shape
    return found


def _two_stages(site: Site) -> Verdict:
    found = stages(site.statement) is not None
    return decided(found, "two loops have it to themselves", "other statements use it, or it has no parts")


def _fills_only(site: Site) -> Verdict:
    s = _of(site)
    other = next((b.name for b in stored(s.first.body) if b not in s.lengths), "")
    return decided(not other, "the first loop stores to the arrays alone", f"it stores to {other}")


def _memory_unchanged(site: Site) -> Verdict:
    s = _of(site)
    both = next((b.name for b in stored(s.second.body) if b in loaded(s.first.body)), "")
    return decided(not both, "what the first loop loads stays", f"the second one stores to {both}")


def _own_part(site: Site) -> Verdict:
    s, premise = _of(site), "every iteration uses its own part"
    for loop, a in s.accesses():
        if not s.inside(loop, a, site.known):
            return Unknown(premise, f"whether {a} is in part {loop.index.attr}")
    return Proved(premise)


COMPUTED_AT = Theorem(
    "a value may be computed at the iteration that wants it",
    "What a loop stores for the iterations of another, each may store for itself.",
    (
        Clause("fills-only", "the first loop stores to the arrays alone", _fills_only),
        Clause(
            "memory-unchanged", "the second loop stores to nothing that the first loads", _memory_unchanged
        ),
        Clause("own-part", "every load and store of an array is in the part of its own iteration", _own_part),
    ),
    lemma="computed_at",
    shape=Clause(
        "two-stages", "the site is scratch memory of two loops over one range, in as many parts", _two_stages
    ),
)


def apply(kernel: Kernel, path: Path, *, ranges: Mapping[Expr, Facts] | None = None, **_: Any) -> Applied:
    """One loop with a part of each array in it; the arrays keep their names."""
    s = _of(Site(kernel, path))
    parts = {b: Buffer(b.name, b.type, n) for b, n in s.lengths.items()}
    places: dict[tuple[Buffer, Expr], Expr] = {}
    for loop, a in s.accesses():
        if (a.buffer, a.position) not in places:
            rest = s.within(loop, a, ranges or {})
            assert rest is not None  # noqa: S101 - checked
            places[a.buffer, a.position] = rest
    loads = {E.load(b, position): E.load(parts[b], rest) for (b, position), rest in places.items()}

    def near(statement: N.Statement) -> Block:
        if isinstance(statement, Store) and statement.buffer in parts:
            rest = places[statement.buffer, statement.position]
            return (replace(statement, buffer=parts[statement.buffer], position=rest),)
        return (statement,)

    body = with_values(N.transform((*s.first.body, *s.second.body), near), loads)
    sizes: dict[Buffer, Expr] = {part: const(part.size, T.i32) for part in parts.values()}
    joined = replace(s.first, body=(Alloc(sizes, body),))
    return Applied(replace(kernel, body=replace_at(kernel.body, path, (joined,))))


DOC = "Fill scratch arrays in the iteration that loads from them, a part at a time."
MOVE = Move("compute_at", DOC, find, apply, (COMPUTED_AT,), limits=(fits(lambda s: _of(s).bytes),))
