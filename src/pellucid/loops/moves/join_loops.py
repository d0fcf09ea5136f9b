"""join_loops: two loops over the same range, one after the other, become one loop (White's loop joining, 5.1.1).

Made of smaller moves: unroll both, move each statement of the second loop up past the later ones of the first, roll.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir.nest import For, Kernel, walk
from ...ir.path import Path, replace_at
from ...ir.path import walk as paths
from ...reasoning.prove import Verdict, both, decided
from ..analysis.reorder import cross, is_loop, kept, known
from ..core import derive
from ..core.build import with_value
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Loops that are followed by a loop with the same bounds."""
    for path, s in paths(kernel.body):
        if isinstance(s, For):
            following = Site(kernel, path).after()
            if isinstance(following, For) and (s.lo, s.hi) == (following.lo, following.hi):
                yield path


def _pair(site: Site) -> tuple[For, For]:
    first, second = site.statement, site.after()
    assert isinstance(first, For) and isinstance(second, For)  # noqa: S101, PT018 - the theorem's shape
    return first, second


def _two_loops(site: Site) -> Verdict:
    words = "a loop that runs in order is followed by another"
    return both(is_loop(site, site.statement, words), is_loop(site, site.after(), words))


def _same_bounds(site: Site) -> Verdict:
    a, b = _pair(site)
    same = a.lo is b.lo and a.hi is b.hi
    return decided(same, "their bounds are the same", f"{a.lo!r} .. {a.hi!r} is not {b.lo!r} .. {b.hi!r}")


def _bounds_kept(site: Site) -> Verdict:
    a, b = _pair(site)
    return kept((b.lo, b.hi), (a,), known(site))


def _free(site: Site) -> Verdict:
    a, b = _pair(site)
    bound = a.index is not b.index and any(isinstance(s, For) and s.index is a.index for s in walk(b.body))
    return decided(not bound, "the name is free", f"a loop inside has the index {a.index.attr}")


def _interchangeable(site: Site) -> Verdict:
    a, b = _pair(site)
    return cross(a.body, with_value(b.body, b.index, a.index), a, site)


JOIN = Theorem(
    "White 5.1.1",
    "Two loops over one range are one loop, if no iteration of the second must wait for a later one of the first.",
    (
        Clause("same-bounds", "both loops have the same bounds", _same_bounds),
        Clause("bounds-kept", "the first loop stores to nothing that the bounds load", _bounds_kept),
        Clause("index-free", "no loop in the second has the first one's index", _free),
        Clause(
            "iterations-interchangeable",
            "an iteration of the first loop may change places with any earlier one of the second",
            _interchangeable,
        ),
    ),
    lemma="loop_joining",
    shape=Clause("two-loops", "the site is a loop that runs in order, followed by another", _two_loops),
)


def apply(kernel: Kernel, path: Path, **_: Any) -> Applied:
    """One loop over both bodies, with the first one's index."""
    first, second = _pair(Site(kernel, path))
    joined = replace(first, body=(*first.body, *with_value(second.body, second.index, first.index)))
    after = (*path[:-1], (path[-1][0], path[-1][1] + 1))
    body = replace_at(replace_at(kernel.body, after, ()), path, (joined,))
    return Applied(replace(kernel, body=body))


MOVE = Move(
    "join_loops", "Make one loop of two over the same range.", find, apply, (JOIN,), derive.join_loops
)
