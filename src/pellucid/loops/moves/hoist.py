"""hoist: one value leaves one loop that it does not depend on (White's code motion, theorem 5.3.1).

The single step of which `place` makes many at once. A value is total and cannot trap, so the theorem's condition that
the loop runs at least once is about cost, not about meaning.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir.nest import For, Kernel, Let
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import untouched
from ...reasoning.prove import Verdict, decided
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Places directly inside a loop whose index does not occur in the value."""
    for path, s in paths(kernel.body):
        if isinstance(s, Let) and len(path) > 1:
            around = at(kernel.body, path[:-1])
            if isinstance(around, For) and not s.value.free & around.index.free:
                yield path


def _placed(site: Site) -> tuple[Let, For]:
    """The place and the loop around it, once the shape was checked."""
    place, loop = site.statement, site.around[-1]
    assert isinstance(place, Let)  # noqa: S101 - the theorem's shape
    assert isinstance(loop, For)  # noqa: S101 - the theorem's shape
    return place, loop


def _is_placed(site: Site) -> Verdict:
    fits = isinstance(site.statement, Let) and bool(site.around) and isinstance(site.around[-1], For)
    return decided(fits, "the site is a place directly inside a loop", str(site))


def _index_absent(site: Site) -> Verdict:
    place, loop = _placed(site)
    name = loop.index.attr
    return decided(not place.value.free & loop.index.free, f"{name} is not in the value", f"{name} is in it")


def _memory_unchanged(site: Site) -> Verdict:
    place, loop = _placed(site)
    return untouched([place.value], loop.body)


def _loads_kept(site: Site) -> Verdict:
    outside = Site(site.kernel, site.path[:-1])
    return untouched([_placed(site)[0].value], outside.block[outside.path[-1][1] + 1 :])


THEOREM = Theorem(
    "White 5.3.1 for values",
    "A value that no iteration changes may be computed before the loop.",
    (
        Clause(
            "index-absent", lambda s: f"{_placed(s)[1].index.attr} does not occur in the value", _index_absent
        ),
        Clause("memory-unchanged", "the loop stores to nothing that the value loads", _memory_unchanged),
        Clause("loads-kept", "nothing after the loop stores to what the value loads", _loads_kept),
    ),
    lemma="code_motion_under_guard",
    shape=Clause("a-place-in-a-loop", "the site is a place directly inside a loop", _is_placed),
)


def apply(kernel: Kernel, path: Path, **_: Any) -> Applied:
    """Put the place before the loop."""
    place, loop = at(kernel.body, path), at(kernel.body, path[:-1])
    assert isinstance(loop, For)  # noqa: S101 - checked
    position = path[-1][1]
    without = replace(loop, body=(*loop.body[:position], *loop.body[position + 1 :]))
    return Applied(replace(kernel, body=replace_at(kernel.body, path[:-1], (place, without))))


MOVE = Move("hoist", "Take a value out of a loop that it does not depend on.", find, apply, (THEOREM,))
