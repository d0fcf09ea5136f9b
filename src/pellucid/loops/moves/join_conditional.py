"""join_conditional: a loop over a test on its index becomes loops in which the test is decided (White's 5.4.1).

White gives it for bounds on the index. Here it holds for every condition that is true in one run of iterations, which
`reasoning.span` finds: in closed form, or by a binary search before the loop. With two arms, the loop falls into a part
before, one inside and one after, in their order, so nothing has to change places.
Made of smaller moves: unroll, simplify every test, roll what is left.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir.nest import For, If, Kernel
from ...ir.path import Path, replace_at
from ...ir.path import walk as paths
from ...reasoning.prove import Proved, Unknown, Verdict, both, decided
from ...reasoning.span import Span, span
from ..analysis.pieces import pieces
from ..analysis.reorder import is_loop, kept, known
from ..core import derive
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem

DIRECTION = "in which direction the condition changes along the loop, without NaN and without wrapping"


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Loops whose body is one conditional on their index, innermost first."""
    found = [path for path, s in paths(kernel.body) if _conditional(s) is not None]
    yield from sorted(found, key=lambda path: -len(path))


def _conditional(s: object) -> If | None:
    if isinstance(s, For) and len(s.body) == 1:
        inner = s.body[0]
        if isinstance(inner, If) and not inner.selects and inner.condition.free & s.index.free:
            return inner
    return None


def _pair(site: Site) -> tuple[For, If]:
    loop = site.statement
    assert isinstance(loop, For) and isinstance(loop.body[0], If)  # noqa: S101, PT018 - the theorem's shape
    return loop, loop.body[0]


def _shape(site: Site) -> Verdict:
    words = "its body is one conditional on its index"
    loop = is_loop(site, site.statement)
    return both(loop, decided(_conditional(site.statement) is not None, words, f"{site} has another body"))


def _one(site: Site) -> Verdict:
    found = _shape(site)
    if isinstance(found, Proved):
        found = decided(not _pair(site)[1].orelse, "the conditional has one arm", "it has an else")
    return found


def _span(site: Site, *, search: bool) -> Span | None:
    loop, test = _pair(site)
    return span(test.condition, loop, known(site).facts, known(site, loop).facts, search=search)


def _kept(site: Site) -> Verdict:
    loop, test = _pair(site)
    return kept((test.condition,), (loop,), known(site, loop))


def _bounds_kept(site: Site) -> Verdict:
    loop, _ = _pair(site)
    return kept((loop.lo, loop.hi), (loop,), known(site, loop))


def _bounded(site: Site) -> Verdict:
    missing = "a comparison with the index on one side, in which adding to the index cannot wrap"
    return _found(site, "the index stands alone in a comparison", missing, search=False)


def _monotone(site: Site) -> Verdict:
    return _found(site, "the condition holds in one run of iterations", DIRECTION, search=True)


def _either(site: Site) -> Verdict:
    words = "the condition holds in one run of iterations, or fails in one"
    return _found(site, words, DIRECTION, search=True, negated=True)


def _found(site: Site, words: str, missing: str, *, search: bool, negated: bool = False) -> Verdict:
    part = _span(site, search=search)
    return Proved(part.words) if part and (part.holds or negated) else Unknown(words, missing)


KEPT = Clause("condition-kept", "the arms store to nothing that the condition loads", _kept)
ONE_ARM = Clause("one-arm", "the site is a loop that runs in order over one conditional with one arm", _one)
BOUNDS = Theorem(
    "White 5.4.1",
    "A bound on the index that is tested in every iteration is a bound of the loop.",
    (
        KEPT,
        Clause(
            "index-alone", lambda s: f"{_pair(s)[0].index.attr} is compared with a fixed number", _bounded
        ),
    ),
    lemma="loop_conditional_joining",
    shape=ONE_ARM,
)
MONOTONE = Theorem(
    "a monotone condition bounds a loop",
    "A test that holds in one run of iterations is decided by two cuts, which are found before the loop.",
    (KEPT, Clause("one-run", "the condition holds in one run of iterations", _monotone)),
    lemma="condition_joining",
    shape=ONE_ARM,
)
CUT = Theorem(
    "a loop is cut where its condition changes",
    "A loop over a test with two arms is a loop for each run of iterations in which the test is the same.",
    (
        KEPT,
        Clause("bounds-kept", "the arms store to nothing that the bounds load", _bounds_kept),
        Clause("one-run", "the condition holds, or fails, in one run of iterations", _either),
    ),
    lemma="loop_cutting",
    shape=Clause(
        "a-conditional", "the site is a loop that runs in order over one conditional on its index", _shape
    ),
)


def apply(kernel: Kernel, path: Path, **options: Any) -> Applied:
    """The loop, or a loop for each part that does something."""
    site = Site(kernel, path, options.get("ranges") or {})
    loop, test = _pair(site)
    part = _span(site, search=True)
    assert part is not None  # noqa: S101 - checked
    inside, outside = (test.then, test.orelse) if part.holds else (test.orelse, test.then)
    body = replace_at(kernel.body, path, tuple(pieces(loop, part, inside, outside)))
    return Applied(replace(kernel, body=body))


MOVE = Move(
    "join_conditional",
    "Let a loop run only where its condition holds.",
    find,
    apply,
    (BOUNDS, MONOTONE, CUT),
    derive.join_conditional,
)
