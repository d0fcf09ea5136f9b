"""How large a form can be: intervals of its atoms, and bounds that are expressions put in for indices.

Used by `separate` for differences of positions and by `decide` for conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..base.record import record
from ..ir.expr import Buffer, Expr
from ..ir.facts import Facts
from .declared import LARGE_ENOUGH
from .effects import shown
from .forms import Atom, Form, Knowing, form, number
from .known import Known
from .prove import Proved, Refuted, Unknown, Verdict


@record
class Within:
    """``low <= atom`` and ``atom < high``, as forms that are made when they are wanted; either may be missing."""

    atom: Atom
    low: Callable[[], Form] | None
    high: Callable[[], Form] | None


class FormRanges:
    """The ranges of forms, from what is known of atoms and from what lies around them.

    Parameters: `within` is tried in order, so inner indices come before those that their bounds mention.
    """

    def __init__(self, facts: Knowing, within: Sequence[Within]) -> None:
        self.facts, self.within = facts, within

    def range(self, found: Form) -> Facts:
        """The interval and the residue of a form in whole numbers."""
        facts = found.facts(self.facts)
        return facts._replace(lo=max(facts.lo, -self.most(found * -1)), hi=min(facts.hi, self.most(found)))

    def most(self, found: Form) -> int:
        """An upper bound of a form: indices make way for their bounds, with all limits or without the innermost ones.

        An inner limit, as a condition on data, may say less than the loop around it does.
        """
        best = int(found.facts(self.facts).hi)
        for k, limit in enumerate(self.within):
            inside = self._within(found, limit)
            if inside is not None:
                best = min(best, self._most(inside, self.within[k + 1 :]))
        return best

    def _most(self, found: Form, limits: Sequence[Within]) -> int:
        """An upper bound of a form, with all of some limits."""
        best = int(found.facts(self.facts).hi)
        for limit in limits:
            inside = self._within(found, limit)
            if inside is not None:
                found = inside
                best = min(best, int(found.facts(self.facts).hi))
        return best

    def _within(self, found: Form, limit: Within) -> Form | None:
        """A form that is at least as large, with the bound of a limit for its atom; None if it has no such bound."""
        split = found.split(limit.atom)
        if split is None or not split[0].terms:
            return None
        by, rest = split
        sign = by.facts(self.facts)
        if sign.lo >= 0 and limit.high is not None:
            return rest + by * (limit.high() - number(1))
        if sign.hi <= 0 and limit.low is not None:
            return rest + by * limit.low()
        return None


def exact(node: Expr, mark: Callable[[Expr], int], facts: Knowing) -> Form:
    """A form that has the very value of an expression: if its own might wrap, the expression as an atom."""
    found = form(node, mark, facts)
    if found.facts(facts).within(node.type.low, node.type.high):
        return found
    return Form({(Atom(node, mark(node)),): 1})


def unmarked(node: Expr) -> int:
    """The mark of everything where all is asked about one moment."""
    return 0


def bounds_of(known: Known) -> FormRanges:
    """Ranges at one moment of one place."""

    def facts(atom: Atom) -> Facts:
        return known.facts(atom.node)

    def later(node: Expr | None) -> Callable[[], Form] | None:
        return None if node is None else lambda: exact(node, unmarked, facts)

    within = [Within(Atom(x.node), later(x.low), later(x.high)) for x in reversed(known.limits)]
    return FormRanges(facts, within)


def difference(a: Expr, b: Expr, known: Known) -> Facts:
    r"""The interval of ``a - b`` in whole numbers, at one moment.

    >>> from pellucid.ir.nest import For
    >>> from pellucid.ir.parse import parse_expr
    >>> i, j, n, zero = parse_expr("%i\n%j\n$n:i32\n0")
    >>> found = difference(j, i, Known(around=[For(i, zero, n, ()), For(j, zero, i, ())]))
    >>> found.hi
    -1
    """
    bounds = bounds_of(known)
    return bounds.range(exact(a, unmarked, bounds.facts) - exact(b, unmarked, bounds.facts))


def decide(condition: Expr, known: Known) -> bool | None:
    """Whether a condition is always true or always false at a place; None if that is not known.

    >>> from pellucid.ir.parse import parse_expr
    >>> decide(parse_expr("%i < %i + $n:i32")[0], Known())
    """
    facts = known.facts(condition)
    if facts.exact:
        return bool(facts.lo)
    if condition.op == "not":
        inner = decide(condition.args[0], known)
        return None if inner is None else not inner
    if condition.op not in ("lt", "le", "eq", "ne") or not condition.args[0].type.is_integer:
        return None
    a, b = condition.args
    if condition.op == "le" and ((b in a.args and a.op == "min") or (a in b.args and b.op == "max")):
        return True
    found = difference(a, b, known)
    match condition.op:
        case "lt":
            answers = found.hi < 0, found.lo >= 0
        case "le":
            answers = found.hi <= 0, found.lo > 0
        case _:
            same, other = found.lo == found.hi == 0, not found.contains(0)
            answers = (same, other) if condition.op == "eq" else (other, same)
    return True if answers[0] else False if answers[1] else None


def inside(position: Expr, buffer: Buffer, known: Known) -> Verdict:
    """Whether a position is surely one of a buffer's elements, where a load gives what was stored there.

    >>> from pellucid.ir.parse import parse_expr
    >>> from pellucid.ir.types import u8
    >>> print(inside(parse_expr("%i")[0], Buffer("gray", u8, 9), Known({parse_expr("%i")[0]: Facts(0, 9)})))
    Unknown  whether i is inside of gray: that i is in 0 .. 8; it is known to be in 0 .. 9
    """
    bounds = bounds_of(known)
    at = exact(position, unmarked, bounds.facts)
    found = bounds.range(at)
    size = known.size(buffer)
    length = number(buffer.size) if size is None else exact(size, unmarked, bounds.facts)
    premise = f"{shown(position)} is inside of {buffer.name}"
    if found.lo >= 0 and bounds.range(at - length).hi < 0:
        return Proved(premise, (LARGE_ENOUGH,) if size is None else ())
    if found.hi < 0:
        return Refuted(premise, f"it is in {found.lo} .. {found.hi}, below 0")
    missing = f"that {shown(position)} is in 0 .. {length - number(1)}"
    return Unknown(premise, f"{missing}; it is known to be in {found.lo} .. {found.hi}")
