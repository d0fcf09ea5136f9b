"""unroll_and_jam: several iterations of a loop at once, inside of the loops that it stands around.

What neighboring iterations have in common is then computed or loaded once for all of them. Without a loop inside, this
is unrolling by a factor. What is left over when the number of iterations is no multiple runs in a loop of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir.expr import Expr, const, rebuild, topological
from ...ir.nest import SEQ, Block, For, Kernel, all_roots, with_blocks
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.infer import FactsOf
from ...reasoning.linear import folded
from ...reasoning.prove import Proved, Verdict, both, decided
from ..analysis.bounds import BOUNDS_UNCHANGED, COUNTED, loop_at
from ..analysis.independence import IN_ORDER
from ..core.build import fresh_index, with_values
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem

FACTOR = 4
MAX_FACTOR = 256
"""Maximum iterations taken at once: each is a copy of the body."""


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Loops that run in order, those with few loops inside first."""
    loops = [(p, s) for p, s in paths(kernel.body) if isinstance(s, For) and s.how == SEQ]
    yield from (p for p, _ in sorted(loops, key=lambda loop: -len(loop[0])))


def _factor(site: Site) -> int:
    return int(site.options.get("factor", FACTOR))


def jammed(loop: For) -> list[For]:
    """The loops inside, each the whole body of the one around it, whose bounds do not depend on the loop."""
    found: list[For] = []
    body = loop.body
    while len(body) == 1 and isinstance(body[0], For) and body[0].how == SEQ:
        inner = body[0]
        if (inner.lo.free | inner.hi.free) & loop.index.free:
            break
        found.append(inner)
        body = inner.body
    return found


def _at_least_two(site: Site) -> Verdict:
    fits = 2 <= _factor(site) <= MAX_FACTOR
    return decided(fits, f"from two to {MAX_FACTOR} iterations are taken at once", f"it is {_factor(site)}")


def _independent(site: Site) -> Verdict:
    if not jammed(loop_at(site)):
        return Proved("iterations stay in order")
    found = site.iterations
    return both(found.stores(), found.loads())


UNROLL_AND_JAM = Theorem(
    "iterations that do not meet may be taken together",
    "Several iterations may run at once inside of the loops that they contain.",
    (
        Clause("at-least-two", f"from two to {MAX_FACTOR} iterations are taken at once", _at_least_two),
        BOUNDS_UNCHANGED,
        COUNTED,
        Clause("independent", "no iteration loads or stores what another one stores", _independent),
    ),
    shape=IN_ORDER,
)


def apply(kernel: Kernel, path: Path, *, factor: int = FACTOR, **_: Any) -> Applied:
    """The loop over groups of iterations, and the loop over the rest."""
    loop = at(kernel.body, path)
    assert isinstance(loop, For)  # noqa: S101 - checked
    type_ = loop.index.type
    many, zero = const(factor, type_), const(0, type_)
    trips = folded("sub", loop.hi, loop.lo)
    groups = folded("floor_div", trips, many)
    group = fresh_index(kernel, f"{loop.index.attr}_group", type_)
    first = folded("add", loop.lo, folded("mul", group, many))
    body: Block = ()
    inside = jammed(loop)
    innermost = inside[-1].body if inside else loop.body
    for k in range(factor):
        body += _settled(with_values(innermost, {loop.index: folded("add", first, const(k, type_))}))
    for s in reversed(inside):
        body = (with_blocks(s, (body,)),)
    new: Block = (For(group, zero, groups, body),)
    if trips.op != "const" or trips.attr % factor:
        done = folded("max", groups, zero)
        new += (replace(loop, lo=folded("add", loop.lo, folded("mul", done, many))),)
    return Applied(replace(kernel, body=replace_at(kernel.body, path, new)))


def _settled(block: Block) -> Block:
    """The block with whole numbers that can have one value only, as ``(4 * k + 3) mod 4``, as constants."""
    facts = FactsOf()
    values: dict[Expr, Expr] = {}
    for n in topological(all_roots(block)):
        args = tuple(values.get(a, a) for a in n.args)
        if n.type.is_integer and n.args and facts(n).exact:
            values[n] = const(int(facts(n).lo), n.type)
        elif n.op == "add" and n.type.is_integer:
            values[n] = folded("add", *args)
        elif args != n.args:
            values[n] = rebuild(n, args)
    return with_values(block, values) if values else block


MOVE = Move(
    "unroll_and_jam",
    "Take several iterations of a loop at once, inside of the loops that it stands around.",
    find,
    apply,
    (UNROLL_AND_JAM,),
)
