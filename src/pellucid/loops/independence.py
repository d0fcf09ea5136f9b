"""The clauses that `lanes` and `spread` share: the iterations of a loop do not meet in memory."""

from __future__ import annotations

from ..ir.nest import For
from ..reasoning.effects import reads_own_stores
from ..reasoning.iterations import iterations_apart
from ..reasoning.prove import Verdict, decided
from .theorem import Clause, Site


def _loop(site: Site) -> For:
    assert isinstance(site.statement, For)  # noqa: S101 - the shape of every theorem with these clauses
    return site.statement


def _in_order(site: Site) -> Verdict:
    s = site.statement
    return decided(isinstance(s, For) and s.how.kind == "seq", "the loop runs in order", f"{site} does not")


def _no_flow(site: Site) -> Verdict:
    names = ", ".join(sorted(b.name for b in reads_own_stores(_loop(site).body)))
    return decided(not names, "no iteration loads what one stores", f"it loads from and stores to {names}")


def _apart(site: Site) -> Verdict:
    return iterations_apart(_loop(site), [s for s in site.around if isinstance(s, For)])


IN_ORDER = Clause("in-order", "the site is a loop that runs in order", _in_order)
NO_FLOW = Clause("no-flow", "no iteration loads from a buffer that the loop stores to", _no_flow)
APART = Clause("apart", "no two iterations store to the same place", _apart)
