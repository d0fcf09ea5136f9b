"""Two accesses to one array: whether the positions are ever equal, by the difference of their forms.

The machinery behind `separate`, whose head tells the idea.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

from ..ir.expr import Expr, topological
from ..ir.facts import Facts
from .bounds import FormRanges, Within, exact
from .declared import LARGE_ENOUGH
from .effects import Access, shown
from .forms import Atom, Form, form, number
from .kinds import elements, kind
from .known import Known, Limit
from .prove import Proved, Refuted, Unknown, Verdict


class Side:
    """One of two accesses: the form of its position, and what is known where it is made.

    Parameters: `known` is what is known around both; `mark` is what tells this side's own atoms, 1 or 2.
    """

    def __init__(self, access: Access, known: Known, mark: int) -> None:
        self.access, self.known, self.own = access, known, mark
        self.inside = known.inside((*access.scope, *access.guards))
        self.moving = _moving(access)
        self.form = form(access.position, self.mark, self.facts)

    def mark(self, node: Expr) -> int:
        """0 if a node has one value for both accesses, else this side's mark."""
        return self.own if node.free & self.moving or not self.known.fixed(node) else 0

    def facts(self, atom: Atom) -> Facts:
        """The facts of an atom here."""
        return self.inside.facts(atom.node)

    def exact(self, node: Expr) -> Form:
        """A form that has the very value of an expression here."""
        return exact(node, self.mark, self.facts)

    @functools.cached_property
    def value(self) -> Form:
        """A form that has the very value of the position."""
        return self.exact(self.access.position)

    @property
    def plain(self) -> bool:
        """Whether the position surely does not wrap."""
        return self.value.terms == self.form.terms

    @functools.cached_property
    def limits(self) -> tuple[list[Within], list[Within]]:
        """The bounds of the atoms: in the access's own statement, and around both; inner ones first."""
        found = [self._within(x) for x in reversed(self.inside.limits)]
        own = len(found) - len(self.known.limits)
        return found[:own], found[own:]

    def _within(self, limit: Limit) -> Within:
        def later(node: Expr | None) -> Callable[[], Form] | None:
            return None if node is None else functools.cache(lambda: self.exact(node))

        return Within(Atom(limit.node, self.mark(limit.node)), later(limit.low), later(limit.high))


def _moving(access: Access) -> int:
    """The indices, and states of iterations, that move while the access's own statement runs."""
    mask = 0
    for s in access.scope:
        mask |= s.index.free
    for n in topological([access.position]) if access.position.free else ():
        mask |= n.free if n.op == "state" else 0
    return mask


class AccessPair:
    """Two accesses to one array, side by side."""

    def __init__(self, a: Side, b: Side) -> None:
        self.sides = (a, b)
        self.difference = a.form - b.form
        self.width = 1 << min(a.access.position.type.bits, b.access.position.type.bits)

    def verdict(self) -> Verdict:
        """Whether they are always separate."""
        a, b = (side.access for side in self.sides)
        premise = f"{a} and {b} are always separate"
        common = self._common_element()
        if common is not None:
            return Refuted(premise, f"both are {a.buffer.name}[{common}]")
        if not self.difference.terms:
            return Refuted(premise, f"both are {a}")
        # Most pairs are told apart at first sight.
        why = self._why(self.difference.facts(self.facts)) or self._why(self.range(self.difference))
        if why is None:
            return Unknown(premise, self._missing())
        unclamped = self._unclamped()
        return (
            Proved(f"{a} and {b} {why}", unclamped.premises) if isinstance(unclamped, Proved) else unclamped
        )

    def _common_element(self) -> int | None:
        """An element that both surely go through, if both are indexed by constants or subranges of them."""
        first, second = (elements(side.access) for side in self.sides)
        if first is None or second is None or any(side.access.guards for side in self.sides):
            return None
        shared = range(max(first.start, second.start), min(first.stop, second.stop))
        return shared.start if shared else None

    def _why(self, found: Facts) -> str | None:
        """Why a difference of positions is never 0 modulo the width of their type; None if it may be."""
        small = max(abs(found.lo), abs(found.hi)) < self.width
        if small and (found.lo > 0 or found.hi < 0):
            return f"are at least {min(abs(found.lo), abs(found.hi))} apart"
        step = math.gcd(found.modulus, self.width)
        if found.residue % step:
            return f"differ by {found.residue % step} modulo {step}"
        if small and found.modulus and found.residue % found.modulus:
            return f"differ by {found.residue} modulo {found.modulus}"
        return None

    def _missing(self) -> str:
        """The fact that would decide it."""
        first, second = (side.access for side in self.sides)
        difference, found = self.difference, self.range(self.difference)
        if all(count < 0 for _, count in difference):
            difference, found = difference * -1, found._replace(lo=-found.hi, hi=-found.lo)
        own = any(a.mark for a in difference.atoms())
        primes = " (' and '' mark what each has of its own)" if own else ""
        known = f"{first} and {second} may be the same element{primes}"
        kinds = f"indexed by {kind(first).value} and {kind(second).value}"
        if max(abs(found.lo), abs(found.hi)) >= self.width:
            return f"{known}: {difference} must not be 0 and must not wrap; they are {kinds}"
        return f"{known}: {difference}, which is in {found.lo} .. {found.hi}, must not be 0; they are {kinds}"

    # ---- how large forms are ----

    def facts(self, atom: Atom) -> Facts:
        """The facts of an atom; those of both sides for one that both share."""
        if atom.mark:
            return self.sides[atom.mark - 1].facts(atom)
        return self.sides[0].facts(atom).intersection(self.sides[1].facts(atom))

    @functools.cached_property
    def range(self) -> Callable[[Form], Facts]:
        """The interval and the residue of a form, with bounds put in: each side's own first, then those around."""
        first, second = self.sides
        return FormRanges(self.facts, [*first.limits[0], *second.limits[0], *first.limits[1]]).range

    # ---- loads beyond the ends ----

    def _unclamped(self) -> Verdict:
        """Whether no load from beyond an end, which loads the first or the last element, meets a store there."""
        if self.sides[0].access.store == self.sides[1].access.store:
            return Proved("two stores, of which one outside stores nothing")
        swapped = self.sides[0].access.store
        load, store = self.sides[::-1] if swapped else self.sides
        # Without wrapping, a load above a store cannot be below the buffer while the store is in it.
        plain = load.plain and store.plain
        above = self.range(self.difference * (-1 if swapped else 1))
        at, to = self.range(load.value), self.range(store.value)
        buffer = load.access.buffer
        if not (at.lo >= 0 or to.lo > 0 or to.hi < 0 or (plain and above.lo > 0)):
            return Unknown(
                f"{load.access} is not below {buffer.name}",
                f"that {shown(load.access.position)} is at least 0; below, a load gives the first element, "
                f"which {store.access} may be",
            )
        if plain and above.hi < 0:
            return Proved("the load is below the store")
        size = load.known.size(buffer)
        length = number(buffer.size) if size is None else load.exact(size)
        if plain and (self.range(load.form - length).hi < 0 or self.range(store.form - length).hi < -1):
            return Proved("it is not the last element", (LARGE_ENOUGH,) if size is None else ())
        return Unknown(
            f"{load.access} is not beyond the end of {buffer.name}",
            f"that {shown(load.access.position)} is below {length}; beyond, a load gives the last element, "
            f"which {store.access} may be",
        )
