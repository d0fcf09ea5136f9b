"""lanes: the iterations of a loop run side by side in the lanes of a vector.

The loops inside it, if any, run in order within each vector, so their bounds must be the same in all lanes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir import nest as N
from ...ir.expr import Buffer
from ...ir.nest import For, Kernel, Store, walk
from ...ir.path import Path, at, enclosing, replace_at
from ...ir.path import walk as paths
from ...reasoning.linear import slope
from ...reasoning.prove import Verdict, decided
from ..analysis.independence import APART, IN_ORDER, NO_FLOW
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem

COUNT = 16
"""Lanes, if nobody says how many."""
MAX_COUNT = 1024
"""Maximum lanes: no processor has vectors of more bytes than that."""
MIN_ITERATIONS = 2
"""Minimum iterations for which lanes are of use."""


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Loops that run in order and store along their index, innermost first."""
    loops = [(p, s) for p, s in paths(kernel.body) if isinstance(s, For) and s.how.kind == "seq"]
    for path, s in sorted(loops, key=lambda loop: -len(loop[0])):
        others = [x for x in (*enclosing(kernel.body, path), *walk(s.body)) if isinstance(x, For)]
        alone = s.lo.op == s.hi.op == "const" and s.hi.attr - s.lo.attr < MIN_ITERATIONS
        if not alone and not any(x.how.kind == "lanes" for x in others) and _along(s):
            yield path


def _along(loop: For) -> bool:
    """Whether neighboring iterations store to neighboring places, or to most places of neighboring groups."""
    groups: dict[tuple[Buffer, int], int] = {}
    for s in walk(loop.body):
        if isinstance(s, Store) and loop.index not in (s.position, *s.position.args):
            step = slope(s.position, loop.index)
            if step is None or step.op != "const" or not s.position.free & loop.index.free:
                return False
            key = s.buffer, step.attr
            groups[key] = groups.get(key, 0) + 1
    return all(2 * count >= step for (_, step), count in groups.items())


def _loops(site: Site) -> tuple[list[For], For, list[For]]:
    """The loops around the site, the loop there, and the loops inside it, once the shape was checked."""
    loop = site.statement
    assert isinstance(loop, For)  # noqa: S101 - the theorem's shape
    return (
        [s for s in site.around if isinstance(s, For)],
        loop,
        [s for s in walk(loop.body) if isinstance(s, For)],
    )


def _positive(site: Site) -> Verdict:
    count = site.options.get("count", COUNT)
    return decided(1 <= count <= MAX_COUNT, f"there are 1 to {MAX_COUNT} lanes", f"there are {count}")


def _one_way(site: Site) -> Verdict:
    around, _, inside = _loops(site)
    other = next((s.index.attr for s in (*around, *inside) if s.how.kind == "lanes"), None)
    return decided(other is None, "no other loop runs by lanes", f"{other} does")


def _rectangular(site: Site) -> Verdict:
    _, loop, inside = _loops(site)
    uneven = next((s.index.attr for s in inside if (s.lo.free | s.hi.free) & loop.index.free), None)
    return decided(uneven is None, "inner bounds agree", f"it is in the bounds of {uneven}")


def _no_scratch(site: Site) -> Verdict:
    loop = site.statement
    assert isinstance(loop, For)  # noqa: S101 - the theorem's shape
    own = next((b.name for b in N.scratch(loop.body)), None)
    return decided(own is None, "nothing is allocated inside", f"{own} is")


LANES = Theorem(
    "independent iterations commute, in lanes",
    "Iterations that share no memory may run side by side.",
    (
        Clause("positive-count", f"there are 1 to {MAX_COUNT} lanes", _positive),
        Clause("one-way", "no loop around it or inside it runs by lanes", _one_way),
        Clause(
            "rectangular",
            lambda s: f"{_loops(s)[1].index.attr} does not occur in the bounds of inner loops",
            _rectangular,
        ),
        Clause("no-scratch", "no scratch memory of an iteration's own is inside", _no_scratch),
        NO_FLOW,
        APART,
    ),
    lemma="iterations_in_lanes",
    shape=IN_ORDER,
)


def apply(kernel: Kernel, path: Path, *, count: int = COUNT, **_: Any) -> Applied:
    """Mark the loop."""
    loop = at(kernel.body, path)
    assert isinstance(loop, For)  # noqa: S101 - checked
    new = replace_at(kernel.body, path, (replace(loop, how=N.lanes(count)),))
    return Applied(replace(kernel, body=new))


MOVE = Move(
    "lanes", "Run the iterations of a loop side by side in the lanes of a vector.", find, apply, (LANES,)
)
