"""split_loop: a loop over several statements becomes two loops, one after the other (White's loop splitting, 5.1.1).

Loop joining read from right to left, also known as distribution. The site is the statement that the second loop begins
with.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir.nest import For, Kernel
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.prove import Verdict, both, decided
from ..analysis.reorder import cross, is_loop, kept, known
from ..core import derive
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Statements in a loop with another before them."""
    for path, _s in paths(kernel.body):
        if len(path) > 1 and path[-1][1] > 0 and isinstance(at(kernel.body, path[:-1]), For):
            yield path


def _loop(site: Site) -> For:
    loop = site.around[-1]
    assert isinstance(loop, For)  # noqa: S101 - the theorem's shape
    return loop


def _cut(site: Site) -> Verdict:
    words = "it stands directly in a loop that runs in order"
    inside = is_loop(site, site.around[-1] if site.around else None, words)
    return both(
        inside, decided(bool(site.path) and site.path[-1][1] > 0, "it is not the first", "it is the first")
    )


def _bounds_kept(site: Site) -> Verdict:
    loop = _loop(site)
    return kept((loop.lo, loop.hi), (replace(loop, body=loop.body[: site.path[-1][1]]),), known(site))


def _interchangeable(site: Site) -> Verdict:
    loop, position = _loop(site), site.path[-1][1]
    around = replace(site, path=site.path[:-1])
    return cross(loop.body[:position], loop.body[position:], loop, around)


SPLIT = Theorem(
    "White 5.1.1, read backwards",
    "A loop over two statements is two loops, if no iteration of the second must come before a later one of the first.",
    (
        Clause("bounds-kept", "the first part stores to nothing that the bounds load", _bounds_kept),
        Clause(
            "iterations-interchangeable",
            "an iteration of the first part may change places with any earlier one of the second",
            _interchangeable,
        ),
    ),
    lemma="loop_splitting",
    shape=Clause("a-cut", "the site is a statement of a loop that runs in order, and not its first", _cut),
)


def apply(kernel: Kernel, path: Path, **_: Any) -> Applied:
    """Two loops with the same bounds and index."""
    loop, position = at(kernel.body, path[:-1]), path[-1][1]
    assert isinstance(loop, For)  # noqa: S101 - checked
    parts = (replace(loop, body=loop.body[:position]), replace(loop, body=loop.body[position:]))
    return Applied(replace(kernel, body=replace_at(kernel.body, path[:-1], parts)))


MOVE = Move(
    "split_loop",
    "Make two loops of one, before this statement of its body.",
    find,
    apply,
    (SPLIT,),
    derive.split_loop,
)
