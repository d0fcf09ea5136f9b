"""spread: the iterations of an outermost loop are handed out to threads in bands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir import nest as N
from ...ir.nest import For, Kernel, walk
from ...ir.path import Path, at, enclosing, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import reads_own_stores, separate
from ..move import Applied, Move, Premise, Refuted, Verdict, prove


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Outermost loops that run in order, those around other loops first, if no loop is spread yet."""
    loops = [(p, s) for p, s in paths(kernel.body) if isinstance(s, For)]
    if any(s.how.kind == "spread" for _, s in loops):
        return
    for path, s in sorted(loops, key=lambda loop: -sum(isinstance(x, For) for x in walk(loop[1].body))):
        if s.how.kind == "seq" and not any(isinstance(x, For) for x in enclosing(kernel.body, path)):
            yield path


def check(kernel: Kernel, path: Path, **_: Any) -> Verdict:
    """As for `lanes`, and the loop is not inside another."""
    loop = at(kernel.body, path)
    if not isinstance(loop, For) or loop.how.kind != "seq":
        return Refuted("the site is a loop that runs in order", type(loop).__name__.lower())
    around = [x for x in enclosing(kernel.body, path) if isinstance(x, For)]
    why = separate(loop, around)
    return prove(
        "independent iterations commute",
        Premise(
            "no other loop is around it",
            lambda: not any(isinstance(x, For) for x in enclosing(kernel.body, path)),
        ),
        Premise(
            "no iteration loads from a buffer that the loop stores to",
            lambda: not reads_own_stores(loop.body),
        ),
        Premise(
            why or "no two iterations store to the same place", lambda: separate(loop, around) is not None
        ),
    )


def apply(kernel: Kernel, path: Path, *, band: int = 16, **_: Any) -> Applied:
    """Mark the loop."""
    loop = at(kernel.body, path)
    assert isinstance(loop, For)  # noqa: S101 - checked
    new = replace_at(kernel.body, path, (replace(loop, how=N.spread(band)),))
    return Applied(replace(kernel, body=new))


MOVE = Move(
    "spread", "Hand out the iterations of an outermost loop to threads, in bands.", find, check, apply
)
