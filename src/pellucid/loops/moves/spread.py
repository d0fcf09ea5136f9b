"""spread: the iterations of an outermost loop are handed out to threads in bands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir import nest as N
from ...ir import types as T
from ...ir.nest import For, Kernel, walk
from ...ir.path import Path, at, enclosing, replace_at
from ...ir.path import walk as paths
from ...reasoning.prove import Verdict, decided
from ..analysis.independence import APART, IN_ORDER, NO_FLOW
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem

BAND = 16
"""Iterations of a band, if nobody says how many."""


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Outermost loops that run in order, those around other loops first, if no loop is spread yet."""
    loops = [(p, s) for p, s in paths(kernel.body) if isinstance(s, For)]
    if any(s.how.kind == "spread" for _, s in loops):
        return
    for path, s in sorted(loops, key=lambda loop: -sum(isinstance(x, For) for x in walk(loop[1].body))):
        if s.how.kind == "seq" and not any(isinstance(x, For) for x in enclosing(kernel.body, path)):
            yield path


def _positive(site: Site) -> Verdict:
    band = site.options.get("band", BAND)
    return decided(1 <= band <= T.i32.high, "a band has an iteration", f"it has {band}")


def _outermost(site: Site) -> Verdict:
    other = next((s.index.attr for s in site.around if isinstance(s, For)), None)
    return decided(other is None, "no other loop is around it", f"the loop over {other} is")


SPREAD = Theorem(
    "independent iterations commute, on threads",
    "Iterations that share no memory may run on several threads.",
    (
        Clause("positive-band", "a band has at least one iteration", _positive),
        NO_FLOW,
        APART,
    ),
    lemma="iterations_in_any_order",
    shape=IN_ORDER,
)

OUTERMOST = Clause("outermost", "no other loop is around it", _outermost)


def apply(kernel: Kernel, path: Path, *, band: int = BAND, **_: Any) -> Applied:
    """Mark the loop."""
    loop = at(kernel.body, path)
    assert isinstance(loop, For)  # noqa: S101 - checked
    new = replace_at(kernel.body, path, (replace(loop, how=N.spread(band)),))
    return Applied(replace(kernel, body=new))


DOC = "Hand out the iterations of an outermost loop to threads, in bands."
MOVE = Move("spread", DOC, find, apply, (SPREAD,), limits=(OUTERMOST,))
