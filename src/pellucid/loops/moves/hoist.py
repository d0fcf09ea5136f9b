"""hoist: one value leaves one loop that it does not depend on (White's code motion, theorem 5.3.1).

The single step of which `place` makes many at once. A value is total and cannot trap, so the theorem's condition that
the loop runs at least once is about cost, not about meaning.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir.expr import topological
from ...ir.nest import For, Kernel, Let
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import stored
from ..move import Applied, Move, Premise, Refuted, Verdict, prove


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Places directly inside a loop whose index does not occur in the value."""
    for path, s in paths(kernel.body):
        if isinstance(s, Let) and len(path) > 1:
            around = at(kernel.body, path[:-1])
            if isinstance(around, For) and not s.value.free & around.index.free:
                yield path


def check(kernel: Kernel, path: Path, **_: Any) -> Verdict:
    """The index must not occur in the value, and the loop must store to nothing that it loads."""
    place = at(kernel.body, path)
    loop = at(kernel.body, path[:-1]) if len(path) > 1 else None
    if not isinstance(place, Let) or not isinstance(loop, For):
        return Refuted("the site is a place directly inside a loop", type(place).__name__.lower())
    memory = {n.attr for n in topological([place.value]) if n.op == "load"}
    name = loop.index.attr
    return prove(
        "White 5.3.1",
        Premise(f"{name} does not occur in the value", lambda: not place.value.free & loop.index.free),
        Premise("the loop stores to nothing that the value loads", lambda: not memory & stored(loop.body)),
    )


def apply(kernel: Kernel, path: Path, **_: Any) -> Applied:
    """Put the place before the loop."""
    place, loop = at(kernel.body, path), at(kernel.body, path[:-1])
    assert isinstance(loop, For)  # noqa: S101 - checked
    position = path[-1][1]
    without = replace(loop, body=(*loop.body[:position], *loop.body[position + 1 :]))
    return Applied(replace(kernel, body=replace_at(kernel.body, path[:-1], (place, without))))


MOVE = Move(
    "hoist",
    "Take a value out of a loop that it does not depend on.",
    find,
    check,
    apply,
    theorem="White 5.3.1",
)
