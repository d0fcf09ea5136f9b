"""roll: statements beside a loop that are its next iteration go into it (White's theorem 4.3.2, backwards).

``for i in lo .. hi: S; S[hi / i]`` becomes ``for i in lo .. hi + 1: S``, and with ``end="first"`` the statements before
the loop, ``S[lo - 1 / i]``, become its first iteration.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir.nest import SEQ, Block, For, Kernel, same
from ...ir.path import Path
from ...ir.path import walk as paths
from ...reasoning.bounds import difference
from ...reasoning.effects import shown
from ...reasoning.prove import Proved, Unknown, Verdict, decided
from ..analysis.adjacent import loop, moved, replaced, told
from ..analysis.iteration import ENDS, before, behind, compared, end, in_order, kept
from ..core.build import with_value
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **options: Any) -> Iterable[Path]:
    """Loops that run in order with their next iteration beside them."""
    for path, s in paths(kernel.body):
        if isinstance(s, For) and s.how == SEQ:
            site = Site(kernel, path, {}, options)
            if _beside(site):
                yield path


def _beside(site: Site) -> bool:
    """Whether the statements beside a loop are its body at the next index."""
    s = loop(site)
    count, position = len(s.body), site.path[-1][1]
    if end(site) == "last":
        return same(site.block[position + 1 : position + 1 + count], with_value(s.body, s.index, s.hi))
    return position >= count and same(
        site.block[position - count : position], with_value(s.body, s.index, before(s.lo))
    )


def _shape(which: str) -> Clause:
    def test(site: Site) -> Verdict:
        fits = in_order(site) and end(site) == which and bool(loop(site).body) and _beside(site)
        side = "after" if which == "last" else "before"
        return decided(
            fits,
            "the next iteration is beside it",
            f"what is {side} {told(site)} is not its body at the next index",
        )

    return Clause(
        "an-iteration-beside", "the site is a loop in order with its next iteration beside it", test
    )


def _runs(site: Site) -> Verdict:
    s = loop(site)
    return compared(site, "le", s.lo, s.hi)


def _no_wrap(site: Site) -> Verdict:
    s, last = loop(site), end(site) == "last"
    old, new = (s.hi, behind(s.hi)) if last else (s.lo, before(s.lo))
    step = difference(new, old, site.known)
    limit = f"{'below' if last else 'above'} {old.type.high if last else old.type.low}"
    premise = f"{shown(new)} does not wrap"
    one = 1 if last else -1
    return Proved(premise) if step.lo == step.hi == one else Unknown(premise, f"that {shown(old)} is {limit}")


def longer(s: For, which: str) -> For:
    """The loop with one iteration more at an end."""
    return replace(s, hi=behind(s.hi)) if which == "last" else replace(s, lo=before(s.lo))


def _last_kept(site: Site) -> Verdict:
    s = loop(site)
    return kept(site, longer(s, "last"), s.hi)


def _first_kept(site: Site) -> Verdict:
    s = loop(site)
    return kept(site, longer(s, "first"), s.lo, s.hi)


RUNS = Clause("runs", "the lower bound is not above the upper one", _runs)
NO_WRAP = Clause("no-wrap", "the bound that moves does not wrap", _no_wrap)
LAST = Theorem(
    "White 4.3.2, backwards",
    "A loop and then its next iteration are the loop with one iteration more.",
    (
        RUNS,
        NO_WRAP,
        Clause("bound-kept", "the longer loop sets nothing that its upper bound loads", _last_kept),
    ),
    lemma="unroll_last",
    shape=_shape("last"),
)
FIRST = Theorem(
    "White 4.3.2 for the first iteration, backwards",
    "The iteration before a loop and then the loop are the loop with one iteration more.",
    (RUNS, NO_WRAP, Clause("bounds-kept", "the longer loop sets nothing that its bounds load", _first_kept)),
    lemma="unroll_first",
    shape=_shape("first"),
)


def apply(kernel: Kernel, path: Path, *, end: str = ENDS[0], **_: Any) -> Applied:
    """The loop with one iteration more."""
    s = loop(Site(kernel, path))
    count = len(s.body)
    last = end == "last"
    new: Block = (longer(s, end),)

    def inside(k: int, below: Path) -> tuple[int, Path]:
        # The iteration beside the loop went into its body.
        itself, first = (k == 0, 1) if last else (k == count, 0)
        return (0, below) if itself else (0, ((0, k - first), *below))

    return replaced(kernel, path if last else moved(path, -count), 1 + count, new, inside)


MOVE = Move(
    "roll", "Take statements that are the next iteration of a loop into it.", find, apply, (LAST, FIRST)
)
