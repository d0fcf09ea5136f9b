"""lockstep: the iterations of a block of a loop make their steps together, from arrays that hold their states.

A C compiler makes vectors of plain loops, and of none whose body repeats something until a test of its own. Cut into
blocks, such a loop is three plain ones: the first fills an array for each component of the state; the second makes a
step for all elements, again and again as long as some element wants one; the last does what follows. Sources: masks
for conditions (Allen, Kennedy and others, 1983); work items between barriers as loops (Jaaskelainen and others, 2015).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir import expr as E
from ...ir import nest as N
from ...ir.expr import Expr, const
from ...ir.nest import For, Kernel, Store
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...ir.prim import row
from ...reasoning.effects import loaded, stored
from ...reasoning.infer import FactsOf
from ...reasoning.prove import Verdict, decided
from ..analysis.bounds import BOUNDS_UNCHANGED
from ..analysis.stepping import Stepping, together
from ..analysis.strips import NO_OVERFLOW, POSITIVE, SIZE, strips
from ..core.build import fresh_index, with_values
from ..core.elements import index_facts
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Loops that iterate, inner ones first."""
    yield from reversed([path for path, s in paths(kernel.body) if Stepping.of(s)])


def _iterates(site: Site) -> Verdict:
    found = Stepping.of(site.statement) is not None
    return decided(found, "a value of its stores iterates", "other statements are in it, or no iteration")


def _memory_unchanged(site: Site) -> Verdict:
    loop = site.statement
    assert isinstance(loop, For)  # noqa: S101 - the theorem's shape
    both = next((b.name for b in stored(loop.body) if b in loaded(loop.body)), "")
    return decided(not both, "what the loop loads stays", f"it stores to {both}")


def _in_domain(site: Site) -> Verdict:
    new = apply(site.kernel, site.path, **site.options).kernel
    facts = FactsOf(index_facts(new, site.ranges))
    nodes = E.topological(N.all_roots((at(new.body, site.path),)))
    partial = [n for n in nodes if n.op not in E.STRUCTURAL and row(n.op).domain is not None]
    beyond = next(
        (
            n.op
            for n in partial
            if not row(n.op).proved(n.type, tuple(a.type for a in n.args), [facts(a) for a in n.args])
        ),
        "",
    )
    return decided(not beyond, "operators stay in their domains", f"{beyond} is not known to")


LOCKSTEP = Theorem(
    "steps that share nothing may be made together",
    "The iterations of a block may make their steps side by side.",
    (
        POSITIVE,
        BOUNDS_UNCHANGED,
        NO_OVERFLOW,
        Clause("memory-unchanged", "the loop stores to nothing that it loads", _memory_unchanged),
        Clause(
            "in-domain", "partial operators are in their domain up to the end of the last block", _in_domain
        ),
    ),
    shape=Clause(
        "iterates", "the site is a loop in order of stores alone, one of whose values iterates", _iterates
    ),
)


def apply(kernel: Kernel, path: Path, *, size: int = SIZE, **_: Any) -> Applied:
    """The loop over blocks, unless one block is all of it, and in it the arrays and the loops over a block."""
    loop = at(kernel.body, path)
    found = Stepping.of(loop)
    assert isinstance(loop, For)  # noqa: S101 - checked
    assert found is not None  # noqa: S101 - checked
    if _is_block(loop, size):
        made: N.Statement = together(kernel, loop, found, size)
    else:
        outer, inner = strips(kernel, loop, size)
        type_ = loop.index.type
        lane = fresh_index(kernel, f"{loop.index.attr}_lane", type_)
        here = {loop.index: E.apply("add", inner.lo, lane)}
        count = E.apply("min", E.apply("sub", loop.hi, inner.lo), const(size, type_))
        body = with_values(tuple(_from(s, loop.index, inner.lo, lane) for s in loop.body), here)
        block = together(kernel, For(lane, const(0, type_), count, body), found.at(here), size)
        made = replace(outer, body=(block,))
    return Applied(replace(kernel, body=replace_at(kernel.body, path, (made,))))


def _is_block(loop: For, size: int) -> bool:
    """Whether a loop starts at 0 and is at most so long, as the loops over a block are that this move makes."""
    ends = loop.hi.args if loop.hi.op == "min" else (loop.hi,)
    return loop.lo is const(0, loop.index.type) and any(a.op == "const" and a.attr <= size for a in ends)


def _from(s: N.Statement, index: Expr, begin: Expr, lane: Expr) -> N.Statement:
    """A store along the index as one along the lanes of the block that begins there."""
    assert isinstance(s, Store)  # noqa: S101 - checked
    if s.position.op != "add" or index not in s.position.args:
        return s
    one, other = s.position.args
    rest = other if one is index else one
    return replace(s, position=E.apply("add", E.apply("add", rest, begin), lane))


DOC = "Make the steps of a block of iterations together, from arrays of their states."
MOVE = Move("lockstep", DOC, find, apply, (LOCKSTEP,))
