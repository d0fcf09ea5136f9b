"""The clauses that moves share which change the order of iterations: these do not meet in memory."""

from __future__ import annotations

from ...ir.nest import For
from ...reasoning.prove import Verdict, decided
from ..core.theorem import Clause, Site


def _in_order(site: Site) -> Verdict:
    s = site.statement
    return decided(isinstance(s, For) and s.how.kind == "seq", "the loop runs in order", f"{site} does not")


IN_ORDER = Clause("in-order", "the site is a loop that runs in order", _in_order)
NO_FLOW = Clause("no-flow", "no iteration loads what another one stores", lambda s: s.iterations.loads())
APART = Clause("apart", "no two iterations store to the same place", lambda s: s.iterations.stores())
