"""The bounds of two nested loops after they change places.

Part of `reasoning`, for loop interchange (White 5.2.2) over triangles and bands as well as rectangles.
"""

from __future__ import annotations

from dataclasses import replace

from ..ir.expr import Expr, apply, substitute
from ..ir.nest import For
from .infer import FactsOf
from .monotone import Direction, direction
from .span import shifted, span


def turned(outer: For, inner: For, before: FactsOf, facts: FactsOf) -> tuple[For, For] | None:
    r"""The new outer and the new inner loop, each with its own old body; None if the bounds do not allow it.

    The new outer loop runs from the least to the greatest inner bound; the new inner one over those iterations of the
    old outer one whose bounds take in the index, which is loop-conditional joining. A nest that does nothing counts no
    further than one iteration of it would. `before` must hold where they start, and `facts` in both.

    >>> from pellucid.ir.parse import parse_nest
    >>> from pellucid.reasoning.known import Known
    >>> text = "kernel k():\n  for i in 0 .. 9:\n    for j in i .. 12:\n      pass\n"
    >>> (outer,) = parse_nest(text).body
    >>> (inner,) = outer.body
    >>> around, inside = turned(outer, inner, Known().facts, Known(around=[outer, inner]).facts)
    >>> around.index, around.lo, around.hi, inside.index, inside.lo, inside.hi
    (%j, 0, 12, %i, 0, min(8, %j) + 1)
    """
    x, y = outer.index, inner.index
    ways = [direction(bound, x, facts) for bound in (inner.lo, inner.hi)]
    if ways == [Direction.FIXED, Direction.FIXED]:
        return inner, outer
    last = _last(outer, before, facts)
    if last is None or Direction.UNKNOWN in ways or Direction.EITHER in ways:
        return None
    # Where the inner bounds are least and greatest; a bound that stays is so everywhere.
    least = outer.lo if ways[0] is Direction.RISES else last
    greatest = outer.lo if ways[1] is Direction.FALLS else last
    around = replace(
        inner, lo=substitute([inner.lo], {x: least})[0], hi=substitute([inner.hi], {x: greatest})[0]
    )
    conditions: list[Expr] = []
    if ways[0] is not Direction.FIXED:
        conditions.append(apply("le", inner.lo, y))
    if ways[1] is not Direction.FIXED:
        conditions.append(apply("lt", y, inner.hi))
    condition = conditions[0] if len(conditions) == 1 else apply("and", *conditions)
    part = span(condition, outer, before, facts, search=False)
    return None if part is None or not part.holds else (around, replace(outer, lo=part.lo, hi=part.hi))


def _last(loop: For, before: FactsOf, facts: FactsOf) -> Expr | None:
    """The last index of a loop; of one without iterations, the first or the one before, where the bounds do not wrap.

    The new outer loop runs from there also if the old one does not run at all. An end far below the begin, less one,
    could wrap, and the new loop would count through most of the integers for nothing.
    """
    begin, end = before(loop.lo), before(loop.hi)
    if end.lo >= begin.lo and end.lo > loop.hi.type.low:
        return shifted(loop.hi, -1)
    if begin.hi > facts(loop.index).hi:
        return None
    return shifted(apply("max", loop.hi, shifted(loop.lo, 1)), -1)
