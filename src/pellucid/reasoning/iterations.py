"""Whether the iterations of a loop can be told apart: no two of them store to one place.

The premise of running them side by side (`lanes`) or on several threads (`spread`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.expr import Expr
from ..ir.nest import For, Store, walk
from .prove import Proved, Refuted, Unknown, Verdict

APART = "no two iterations store to the same place"


def digits(position: Expr, ranges: Mapping[Expr, Expr]) -> list[Expr] | None:
    """The indices of a position written in a mixed radix, last digit first; None if it is not of that form.

    ``(t * height + j) * width + i`` with ``0 <= i < width`` and ``0 <= j < height`` is such a number, and so two
    positions are equal only if all digits are. `ranges` gives the bound of each index that starts at 0.
    """
    if position.op == "index":
        return [position]
    if not position.free:
        return []
    if position.op != "add":
        return None
    for last, rest in (position.args, position.args[::-1]):
        if not last.free:
            return digits(rest, ranges)
        if last.op == "index" and rest.op == "mul":
            for upper, radix in (rest.args, rest.args[::-1]):
                if ranges.get(last) is radix and not radix.free:
                    more = digits(upper, ranges)
                    return None if more is None or last in more else [last, *more]
    return None


def iterations_apart(loop: For, around: Sequence[For] = ()) -> Verdict:
    """Whether no two iterations of a loop store to the same place.

    `around` are the loops outside, which keep their indices while the loop runs.
    """
    loops = [*around, loop, *(s for s in walk(loop.body) if isinstance(s, For))]
    ranges = {s.index: s.hi for s in loops if s.lo.op == "const" and s.lo.attr == 0}
    name = loop.index.attr
    reasons: list[str] = []
    for s in walk(loop.body):
        if not isinstance(s, Store):
            continue
        found = digits(s.position, ranges)
        element = f"{s.buffer.name}[{s.position!r}]"
        if found is None:
            missing = f"{element} is not a number with the indices as digits, each from 0 to its radix"
            return Unknown(APART, missing)
        if loop.index not in found:
            return Refuted(APART, f"{name} does not occur in {element}, which every iteration stores to")
        reasons.append(f"{name} is a digit of every position in {s.buffer.name}")
    return Proved("; ".join(dict.fromkeys(reasons)) or "nothing is stored")
