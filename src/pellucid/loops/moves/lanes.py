"""lanes: the iterations of a loop run side by side in the lanes of a vector.

The loops inside it, if any, run in order within each vector, so their bounds must be the same in all lanes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir import nest as N
from ...ir.nest import Alloc, For, Kernel, Store, walk
from ...ir.path import Path, at, enclosing, replace_at
from ...ir.path import walk as paths
from ...reasoning.prove import Verdict, decided
from ..independence import APART, IN_ORDER, NO_FLOW
from ..move import Applied, Move
from ..theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Loops that run in order and store along their index, innermost first."""
    loops = [(p, s) for p, s in paths(kernel.body) if isinstance(s, For) and s.how.kind == "seq"]
    for path, s in sorted(loops, key=lambda loop: -len(loop[0])):
        others = [x for x in (*enclosing(kernel.body, path), *walk(s.body)) if isinstance(x, For)]
        if not any(x.how.kind == "lanes" for x in others) and _along(s):
            yield path


def _along(loop: For) -> bool:
    """Whether every store goes to neighboring places in neighboring iterations."""
    stores = [s for s in walk(loop.body) if isinstance(s, Store)]
    return all(loop.index in (s.position, *s.position.args) for s in stores)


def _loops(site: Site) -> tuple[list[For], For, list[For]]:
    """The loops around the site, the loop there, and the loops inside it, once the shape was checked."""
    loop = site.statement
    assert isinstance(loop, For)  # noqa: S101 - the theorem's shape
    return (
        [s for s in site.around if isinstance(s, For)],
        loop,
        [s for s in walk(loop.body) if isinstance(s, For)],
    )


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
    own = next((s.buffer.name for s in walk(loop.body) if isinstance(s, Alloc)), None)
    return decided(own is None, "nothing is allocated inside", f"{own} is")


LANES = Theorem(
    "independent iterations commute, in lanes",
    "Iterations that share no memory may run side by side.",
    (
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
    shape=IN_ORDER,
)


def apply(kernel: Kernel, path: Path, *, count: int = 16, **_: Any) -> Applied:
    """Mark the loop."""
    loop = at(kernel.body, path)
    assert isinstance(loop, For)  # noqa: S101 - checked
    new = replace_at(kernel.body, path, (replace(loop, how=N.lanes(count)),))
    return Applied(replace(kernel, body=new))


MOVE = Move(
    "lanes", "Run the iterations of a loop side by side in the lanes of a vector.", find, apply, (LANES,)
)
