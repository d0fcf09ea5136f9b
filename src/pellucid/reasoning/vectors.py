"""Whether a loop can be vectorized, and why or why not, in words (White, chapter 7, asks for it).

Used by the timer, which then counts the loop's iterations by lanes. The conditions are those of the move `lanes`, so a
loop that is recognized here can be marked there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.expr import Expr
from ..ir.facts import Facts
from ..ir.nest import Abstract, Alloc, For, walk
from .iterations import LoopAccesses
from .known import Known
from .prove import Proved, Refuted, Verdict, both


def vectorizable(
    loop: For, around: Sequence[For] = (), ranges: Mapping[Expr, Facts] | None = None
) -> Verdict:
    r"""Whether the iterations of a loop may run side by side in the lanes of a vector.

    `around` are the loops outside, outermost first; `ranges` is what is known of parameters.

    >>> from pellucid.ir.parse import parse_nest
    >>> def first(line):
    ...     return parse_nest(f"kernel k():\n  output a: i32[99]\n  for i in 0 .. 90:\n    {line}\n").body[0]
    >>> print(vectorizable(first("a[i] := i * 3")))
    Tested  i is a digit of every position in a; nothing is loaded that is stored
    >>> print(vectorizable(first("a[3] := i")))
    Refuted  not so that no two iterations store to the same place: i does not move a[3], which every iteration accesses
    """
    inside = [s for s in walk(loop.body) if isinstance(s, For)]
    for s in (*around, *inside):
        if s.how.kind == "lanes":
            return Refuted("no other loop runs by lanes", f"{s.index.attr} does")
    for s in walk(loop.body):
        if isinstance(s, Abstract):
            return Refuted("everything in the loop is known", f"{s.name} is abstract")
        if isinstance(s, Alloc):
            return Refuted(
                "the lanes share no scratch memory", f"{next(iter(s.sizes)).name} is allocated inside"
            )
        if isinstance(s, For) and (s.lo.free | s.hi.free) & loop.index.free:
            return Refuted("inner bounds agree", f"{loop.index.attr} is in the bounds of {s.index.attr}")
    iterations = LoopAccesses(loop, Known(ranges, around))
    stores, loads = iterations.stores(), iterations.loads()
    return both(stores, loads) if isinstance(stores, Proved) else stores
