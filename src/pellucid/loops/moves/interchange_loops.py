"""interchange_loops: of two nested loops, the outer becomes the inner (White's loop interchange, 5.2.2).

The bounds of the inner loop may move with the outer index: a triangle of iterations is turned as well as a rectangle.
Made of smaller moves: unroll both loops, move statements up past others, roll both the other way around.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir.nest import For, Kernel
from ...ir.path import Path, replace_at
from ...ir.path import walk as paths
from ...reasoning.prove import Proved, Unknown, Verdict, both, decided
from ...reasoning.turn import turned
from ..analysis.reorder import INTERCHANGEABLE, is_loop, kept, known, pair
from ..core import derive
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Loops whose body is one other loop."""
    for path, s in paths(kernel.body):
        if isinstance(s, For) and len(s.body) == 1 and isinstance(s.body[0], For):
            yield path


def _nested(site: Site) -> Verdict:
    outer = site.statement
    inner = outer.body[0] if isinstance(outer, For) and len(outer.body) == 1 else None
    return both(is_loop(site, outer), is_loop(site, inner, "its body is one other loop that runs in order"))


def _rectangle(site: Site) -> Verdict:
    outer, inner = pair(site)
    moving = [repr(b) for b in (inner.lo, inner.hi) if b.free & outer.index.free]
    return decided(not moving, "the inner bounds stay", f"it occurs in {', '.join(moving)}")


def _bounds_kept(site: Site) -> Verdict:
    outer, inner = pair(site)
    return kept((outer.lo, outer.hi, inner.lo, inner.hi), (outer,), known(site, outer, inner))


def _steps(site: Site) -> Verdict:
    outer, inner = pair(site)
    words = f"{inner.lo!r} and {inner.hi!r} move by one with {outer.index.attr}, or stay"
    missing = "a bound that is the outer index and a fixed number, and that no sum of them wraps"
    found = turned(outer, inner, known(site).facts, known(site, outer, inner).facts)
    return Proved(words) if found is not None else Unknown(words, missing)


SHAPE = Clause("nested", "the site is a loop that runs in order, and its body another one", _nested)
BOUNDS_KEPT = Clause("bounds-kept", "the body stores to nothing that any of the bounds load", _bounds_kept)
RECTANGLE = Theorem(
    "White 5.2.2",
    "Nested loops over a rectangle may change places.",
    (
        Clause(
            "rectangular",
            lambda s: f"{pair(s)[0].index.attr} does not occur in the bounds of {pair(s)[1].index.attr}",
            _rectangle,
        ),
        BOUNDS_KEPT,
        INTERCHANGEABLE,
    ),
    lemma="loop_interchange",
    shape=SHAPE,
)
TRIANGLE = Theorem(
    "loops over a triangle change places",
    "Where the inner bounds move with the outer index, the outer range is cut to where they take in the inner one.",
    (
        Clause("bounds-by-steps", "the inner bounds move by one with the outer index, or stay", _steps),
        BOUNDS_KEPT,
        INTERCHANGEABLE,
    ),
    shape=SHAPE,
)


def apply(kernel: Kernel, path: Path, **options: Any) -> Applied:
    """The inner loop around the outer one."""
    site = Site(kernel, path, options.get("ranges") or {})
    outer, inner = pair(site)
    found = turned(outer, inner, known(site).facts, known(site, outer, inner).facts)
    assert found is not None  # noqa: S101 - checked
    around, inside = found
    body = replace_at(kernel.body, path, (replace(around, body=(replace(inside, body=inner.body),)),))
    return Applied(replace(kernel, body=body))


MOVE = Move(
    "interchange_loops",
    "Make the outer of two nested loops the inner.",
    find,
    apply,
    (RECTANGLE, TRIANGLE),
    derive.interchange_loops,
)
