"""unroll: the last or the first iteration of a loop becomes statements of its own (White's theorem 4.3.2).

``for i in lo .. hi: S`` becomes ``for i in lo .. hi - 1: S; S[hi - 1 / i]``, or ``S[lo / i]; for i in lo + 1 .. hi: S``
with ``end="first"``. Where it is not known that there is an iteration, ``tested=True`` puts all of it under the test
``lo < hi``.

A loop without bounds has a first iteration alone, and whether there is one is always asked: ``while c: S`` becomes
``if c: S; while c: S`` (White, section 7.2, leaves such loops for the future).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...ir.nest import SEQ, For, If, Kernel, While
from ...ir.path import Path, at
from ...ir.path import walk as paths
from ...reasoning.prove import Verdict, decided
from ..analysis.adjacent import loop, replaced, told
from ..analysis.iteration import ENDS, compared, end, in_order, kept, separated
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Loops that run in order, inner ones first."""
    found = [
        path
        for path, s in paths(kernel.body)
        if isinstance(s, While) or (isinstance(s, For) and s.how == SEQ)
    ]
    return sorted(found, key=lambda path: -len(path))


def _shape(*ends: str, tested: bool = False) -> Clause:
    def test(site: Site) -> Verdict:
        if not in_order(site):
            return decided(False, "the loop runs in order", f"{told(site)} is none, or runs in another way")
        if site.options.get("tested", False) is not tested:
            return decided(False, "it is asked for", f"tested is {not tested}")
        return decided(
            end(site) in ends,
            f"the end is {' or '.join(ends)}",
            f"the end is {end(site)!r}, and not one of {', '.join(ENDS)}",
        )

    return Clause("a-loop-in-order", "the site is a loop that runs in order", test)


def _without_bounds(site: Site) -> Verdict:
    fits = isinstance(site.statement, While) and site.options.get("end", "first") == "first"
    return decided(fits, "it is a loop without bounds, at its first turn", f"{told(site)} is not")


def _runs(site: Site) -> Verdict:
    s = loop(site)
    return compared(site, "lt", s.lo, s.hi)


def _bound_kept(site: Site) -> Verdict:
    return kept(site, loop(site), loop(site).hi)


def _bounds_kept(site: Site) -> Verdict:
    s = loop(site)
    return kept(site, s, s.lo, s.hi)


RUNS = Clause("runs", "there is an iteration (or tested=True)", _runs)
BOUND = Clause("bound-kept", "the loop sets nothing that its upper bound loads", _bound_kept)
BOUNDS = Clause("bounds-kept", "the loop sets nothing that its bounds load", _bounds_kept)
LAST = Theorem(
    "White 4.3.2",
    "A loop is the loop over all iterations but the last, and then that.",
    (RUNS, BOUND),
    lemma="unroll_last",
    shape=_shape("last"),
)
FIRST = Theorem(
    "White 4.3.2 for the first iteration",
    "A loop is its first iteration, and then the loop over the others.",
    (RUNS, BOUNDS),
    lemma="unroll_first",
    shape=_shape("first"),
)
TESTED = Theorem(
    "White 4.3.2 under a test",
    "Where it is not known that there is an iteration, it can be tested.",
    (BOUNDS,),
    lemma="unroll_tested",
    shape=_shape(*ENDS, tested=True),
)
TURN = Theorem(
    "a loop without bounds is a test and a turn",
    "Where its condition holds, a loop without bounds is a turn, and then the loop.",
    (),
    shape=Clause("a-while", "the site is a loop without bounds, and the end is first", _without_bounds),
)


def apply(kernel: Kernel, path: Path, *, end: str = ENDS[0], tested: bool = False, **_: Any) -> Applied:
    """The loop with one iteration less, and that iteration."""
    endless = at(kernel.body, path)
    if isinstance(endless, While):
        turn = If(endless.condition, (*endless.body, endless))
        return replaced(kernel, path, 1, (turn,), lambda _, below: (0, ((0, len(endless.body)), *below)))
    return separated(kernel, path, end, tested=tested)


MOVE = Move(
    "unroll",
    "Let the last or the first iteration of a loop stand by itself.",
    find,
    apply,
    (LAST, FIRST, TESTED, TURN),
)
