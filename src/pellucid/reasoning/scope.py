"""What is known inside of loops: an index lies between its bounds, whatever is known of those.

Part of `reasoning`, for clauses that speak of positions and conditions deep in a nest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..ir.expr import Expr
from ..ir.facts import Facts
from ..ir.nest import For
from .infer import FactsOf


def facts_within(loops: Iterable[For], ranges: Mapping[Expr, Facts] | None = None) -> FactsOf:
    """The facts that hold in the body of the innermost of some nested loops, given outermost first.

    `ranges` is what is known outside of all of them. In a loop that never runs anything holds, and so these do.

    >>> from pellucid.ir.expr import const, index
    >>> from pellucid.ir.types import i32
    >>> i = index("i")
    >>> facts_within([For(i, const(3, i32), const(9, i32), ())])(i)
    Facts(lo=3, hi=8, nan=False, minus_zero=False, modulus=1, residue=0)
    """
    facts = FactsOf(ranges)
    for s in loops:
        lo, hi = facts(s.lo), facts(s.hi)
        if s.index not in facts.known:
            facts.known[s.index] = Facts(lo.lo, max(lo.lo, hi.hi - 1))
    return facts
