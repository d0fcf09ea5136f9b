"""lanes: the iterations of an innermost loop run side by side in the lanes of a vector."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir import nest as N
from ...ir.nest import For, Kernel, walk
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import reads_own_stores, separate
from ..move import Applied, Move, Premise, Refuted, Verdict, prove


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Innermost loops that run in order."""
    for path, s in paths(kernel.body):
        if isinstance(s, For) and s.how.kind == "seq" and not any(isinstance(x, For) for x in walk(s.body)):
            yield path


def check(kernel: Kernel, path: Path, **_: Any) -> Verdict:
    """No iteration may load what another stores, and no two may store to the same place."""
    loop = at(kernel.body, path)
    if (
        not isinstance(loop, For)
        or loop.how.kind != "seq"
        or any(isinstance(x, For) for x in walk(loop.body))
    ):
        return Refuted("the site is an innermost loop that runs in order", type(loop).__name__.lower())
    why = separate(loop)
    return prove(
        "independent iterations commute",
        Premise(
            "no iteration loads from a buffer that the loop stores to",
            lambda: not reads_own_stores(loop.body),
        ),
        Premise(why or "no two iterations store to the same place", lambda: separate(loop) is not None),
    )


def apply(kernel: Kernel, path: Path, *, count: int = 16, **_: Any) -> Applied:
    """Mark the loop."""
    loop = at(kernel.body, path)
    assert isinstance(loop, For)  # noqa: S101 - checked
    new = replace_at(kernel.body, path, (replace(loop, how=N.lanes(count)),))
    return Applied(replace(kernel, body=new))


MOVE = Move(
    "lanes",
    "Run the iterations of an innermost loop side by side in the lanes of a vector.",
    find,
    check,
    apply,
)
