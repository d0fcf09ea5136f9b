"""lanes: the iterations of a loop run side by side in the lanes of a vector.

The loops inside it, if any, run in order within each vector, so their bounds must be the same in all lanes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir import nest as N
from ...ir.nest import For, Kernel, Store, walk
from ...ir.path import Path, at, enclosing, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import reads_own_stores, separate
from ..move import Applied, Move, Premise, Refuted, Verdict, prove


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


def check(kernel: Kernel, path: Path, **_: Any) -> Verdict:
    """No iteration may load what another stores, no two may store to the same place, and inner bounds must agree."""
    loop = at(kernel.body, path)
    if not isinstance(loop, For) or loop.how.kind != "seq":
        return Refuted("the site is a loop that runs in order", type(loop).__name__.lower())
    around = [x for x in enclosing(kernel.body, path) if isinstance(x, For)]
    inside = [x for x in walk(loop.body) if isinstance(x, For)]
    why = separate(loop, around)
    return prove(
        "independent iterations commute",
        Premise(
            "no loop around it or inside it runs by lanes",
            lambda: not any(x.how.kind == "lanes" for x in (*around, *inside)),
        ),
        Premise(
            f"{loop.index.attr} does not occur in the bounds of inner loops",
            lambda: not any((x.lo.free | x.hi.free) & loop.index.free for x in inside),
        ),
        Premise(
            "no iteration loads from a buffer that the loop stores to",
            lambda: not reads_own_stores(loop.body),
        ),
        Premise(
            why or "no two iterations store to the same place", lambda: separate(loop, around) is not None
        ),
    )


def apply(kernel: Kernel, path: Path, *, count: int = 16, **_: Any) -> Applied:
    """Mark the loop."""
    loop = at(kernel.body, path)
    assert isinstance(loop, For)  # noqa: S101 - checked
    new = replace_at(kernel.body, path, (replace(loop, how=N.lanes(count)),))
    return Applied(replace(kernel, body=new))


MOVE = Move(
    "lanes",
    "Run the iterations of a loop side by side in the lanes of a vector.",
    find,
    check,
    apply,
)
