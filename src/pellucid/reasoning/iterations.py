"""Whether the iterations of a loop can be told apart: what one of them stores, no other one stores or loads.

The premise of running them side by side (`lanes`), on several threads (`spread`) or in another order (`tile`).
Positions are told apart in two ways: as numbers in a mixed radix, whose digits are indices with symbolic bounds; or as
a multiple of the loop's index plus a rest that is known to be smaller than that multiple.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from ..base.record import record
from ..ir.expr import Expr, topological
from ..ir.facts import Facts
from ..ir.nest import For
from .bounds import inside
from .effects import Access, by_buffer, effects, stored
from .forms import Atom, form, number
from .infer import FactsOf
from .known import Around, Known, touches
from .linear import Sum, exact_sum
from .prove import Proved, Refuted, Unknown, Verdict, both

APART = "no two iterations store to the same place"
NO_FLOW = "no iteration loads what another stores"


def digits(
    position: Expr, ends: Mapping[Expr, Collection[Expr]], facts: FactsOf
) -> list[tuple[Expr, Expr | None]] | None:
    """The indices of a position written in a mixed radix, last digit first; None if it is not of that form.

    ``(t * height + j) * width + i`` with ``0 <= i < width`` and ``0 <= j < height`` is such a number, and so two
    positions are equal only if all digits are. `ends` gives the upper bounds of all loops over an index, if it is never
    below 0 in them. Beside each index stands its radix, which the first digit has none of.
    """
    if position.op == "index":
        return [(position, None)]
    if not position.free:
        return []
    if position.op != "add":
        return None
    for last, rest in (position.args, position.args[::-1]):
        if not last.free:
            return digits(rest, ends, facts)
        if last.op == "index" and last in ends and rest.op == "mul":
            for upper, radix in (rest.args, rest.args[::-1]):
                if not radix.free and all(_at_most(end, radix, facts) for end in ends[last]):
                    more = digits(upper, ends, facts)
                    return None if more is None or last in dict(more) else [(last, radix), *more]
    return None


def _at_most(end: Expr, radix: Expr, facts: FactsOf) -> bool:
    """Whether a bound is a number or, by the way it is written, never above it."""
    stack = [end]
    while stack:
        e = stack.pop()
        if e is radix or (e.op == "const" and e.attr <= facts(radix).lo):
            continue
        if e.op == "min":
            if not any(_at_most(a, radix, facts) for a in e.args):
                return False
        elif e.op in ("max", "choose"):
            stack += e.args[e.op == "choose" :]
        else:
            return False
    return True


@record
class _Form:
    """``step * index + fixed + rest``: what is the same in all iterations, and the interval of what is not."""

    step: int
    fixed: Mapping[Expr, int]
    low: int
    high: int


class LoopAccesses:
    """The accesses of the iterations of one loop; `known` are the facts around it, where indices are fixed."""

    def __init__(self, loop: For, known: Known) -> None:
        self.loop, self.known = loop, known
        self._written = stored(loop.body)
        self._known: dict[tuple[Around, ...], Known] = {}
        found = effects(loop.body)
        self._stores = by_buffer(found.sets)
        self._loads = {b: uses for b, uses in by_buffer(found.uses).items() if b in self._stores}

    def stores(self) -> Verdict:
        """Whether no two iterations store to the same place."""
        if not self._stores:
            return Proved("nothing is stored")
        return both(*(self._apart(s, s, APART) for s in self._stores.values()))

    def loads(self) -> Verdict:
        """Whether no iteration loads what another one stores."""
        if not self._loads:
            return Proved("nothing is loaded that is stored")
        return both(
            *(self.inside(a) for uses in self._loads.values() for a in uses),
            *(self._apart(self._stores[b], uses, NO_FLOW) for b, uses in self._loads.items()),
        )

    def _apart(self, some: Sequence[Access], others: Sequence[Access], premise: str) -> Verdict:
        """Whether accesses to one buffer are different elements whenever they are made in different iterations."""
        index, buffer = self.loop.index, some[0].buffer.name
        name = index.attr
        if len({a.position for a in (*some, *others)}) == 1:
            found = digits(some[0].position, self._ends((*some, *others)), self.known.facts) or []
            if index in dict(found):
                return self._unwrapped((*some, *others), found, premise)
        first: _Form | None = None
        spans: list[set[tuple[int, int]]] = []
        for group in (some, others):
            forms: list[_Form] = []
            for a in group:
                form = self._form(a)
                if form is None:
                    missing = (
                        f"{a} is no number with the indices as digits, and how far it reaches is not known"
                    )
                    return Unknown(premise, missing)
                first = first or form
                if form.step == 0 and not a.position.free & index.free:
                    return Refuted(premise, f"{name} does not move {a}, which every iteration accesses")
                if form.step == 0 or (form.step, form.fixed) != (first.step, first.fixed):
                    return Unknown(premise, f"{some[0]} and {a} move differently with {name}")
                forms.append(form)
            spans.append({(f.low, f.high) for f in forms})
        step = abs(first.step) if first is not None else 0
        f = self.known.inside((self.loop,)).facts(index)
        for low, high in spans[0]:
            for low2, high2 in spans[1]:
                if _meets(step, low2 - high, high2 - low, int(f.hi - f.lo)):
                    reach = max(high2 - low, high - low2)
                    lacks = f"{some[0]} moves by {step} with {name}, and others may be {reach} elements away"
                    return Unknown(premise, lacks)
        return Proved(f"{buffer} is accessed in steps of {step} with {name}")

    def _ends(self, accesses: Iterable[Access]) -> dict[Expr, set[Expr]]:
        """The upper bounds of all loops over an index that accesses stand in, for those that are never below 0."""
        around = [s for s in self.known.around if isinstance(s, For)]
        found: dict[Expr, set[Expr]] = {}
        below: set[Expr] = set()
        for a in accesses:
            facts = self.facts(a)
            for s in (*around, self.loop, *a.scope):
                found.setdefault(s.index, set()).add(s.hi)
                if facts(s.index).lo < 0 or touches(s.hi, self._written):
                    below.add(s.index)
        return {index: ends for index, ends in found.items() if index not in below}

    def _unwrapped(
        self, accesses: Sequence[Access], found: Sequence[tuple[Expr, Expr | None]], premise: str
    ) -> Verdict:
        """Whether numbers with these digits, of which the last come first, are still different when they wrap."""
        ends, some = self._ends(accesses), accesses[0]
        fixed = {s.index for s in self.known.around if isinstance(s, For)}
        moving = max(k for k, (x, _) in enumerate(found) if x not in fixed) + 1
        # The indices in the bounds may get further around one access than around another.
        for access in accesses:
            there = self.there(access)

            def facts(atom: Atom, there: Known = there) -> Facts:
                return there.facts(atom.node)

            room = number(1)
            for x, radix in found[:moving]:
                own = [radix] if radix is not None else [*ends.get(x, ())]
                if len(own) == 1:
                    room *= form(own[0], lambda n: 0, facts)
                else:
                    spans = [self.facts(a)(x) for a in accesses]
                    room *= number(int(max(f.hi for f in spans) - min(f.lo for f in spans)) + 1)
            if room.facts(facts).hi > 1 << some.position.type.bits:
                lacks = f"that {some} does not wrap: that {room} is at most {some.position.type.high}"
                return Unknown(premise, lacks)
        return Proved(f"{self.loop.index.attr} is a digit of every position in {some.buffer.name}")

    def _form(self, access: Access) -> _Form | None:
        facts = self.facts(access)
        split = exact_sum(access.position, facts)
        if split is None:
            return None
        found, constant = dict(split.terms), split.constant
        constant, width = self._begun(access, found, constant, facts)
        changing = self.loop.index.free
        for s in access.scope:
            changing |= s.index.free
        fixed: dict[Expr, int] = {}
        rest: dict[Expr, int] = {}
        for n, count in found.items():
            if n is not self.loop.index:
                moves = n.free & changing or any(
                    x.op == "load" and x.attr in self._written for x in topological([n])
                )
                (rest if moves else fixed)[n] = count
        low, high = Sum(tuple(rest.items()), constant).range(facts)
        return _Form(found.get(self.loop.index, 0), fixed, low + min(0, width), high + max(0, width))

    def _begun(
        self, access: Access, found: dict[Expr, int], constant: int, facts: FactsOf
    ) -> tuple[int, int]:
        """Write inner indices that begin where this loop says as that and a rest: the constant, and the rest's end.

        Such a rest is less than the length of the inner loop, as after strip mining.
        """
        end = 0
        for s in reversed(access.scope):
            count, length = found.get(s.index, 0), _length(s)
            begin = exact_sum(s.lo, facts) if count and s.lo.free & self.loop.index.free else None
            if begin is None or length is None or (end and (end > 0) is not (count > 0)):
                continue
            del found[s.index]
            for n, times in begin.terms:
                found[n] = found.get(n, 0) + times * count
            constant += begin.constant * count
            end += (length - 1) * count
        return constant, end

    def inside(self, access: Access) -> Verdict:
        """Whether an access is inside of its buffer, so that no clamp makes it another element."""
        return inside(access.position, access.buffer, self.there(access))

    def facts(self, access: Access) -> FactsOf:
        """The facts of nodes where an access is made."""
        return self.there(access).facts

    def there(self, access: Access) -> Known:
        """The facts where an access is made."""
        around = (self.loop, *access.scope, *access.guards)
        if around not in self._known:
            self._known[around] = self.known.inside(around)
        return self._known[around]


def _meets(step: int, low: int, high: int, most: int) -> bool:
    """Whether a distance in an interval is that of two different iterations, which are at most so many apart."""
    # Of the multiples in the interval, 0 aside, the one that is nearest to 0 on either side.
    above, below = max(1, -(-low // step)), min(-1, high // step)
    return (above <= most and step * above <= high) or (-below <= most and step * below >= low)


def _length(s: For) -> int | None:
    """The maximum iterations of a loop whose end is its beginning plus a constant, or less; None for another loop.

    If the end wraps, it is below the beginning, and there are none.
    """
    for end in s.hi.args if s.hi.op == "min" else (s.hi,):
        if end.op == "add" and end.args[0] is s.lo and end.args[1].op == "const" and end.args[1].attr > 0:
            return int(end.args[1].attr)
    return None
