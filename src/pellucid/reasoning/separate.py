"""Whether two accesses always are different elements, and whether two statements may change places.

Always separate is White's 3.2.3; his index kinds and his Table 6.2 are the floor (section 6.3). Above it stand forms:
the difference of two positions is a sum of products, and it is never 0 where its interval excludes 0 (``a[i]`` and
``a[i + n]`` for n > 0), or its residue does (``a[2*i]`` and ``a[2*j + 1]``). Bounds that are expressions are put in for
the indices, inner ones first, so that ``j`` stays below ``i`` in ``for j in 0 .. i``.

Two things that White's language does not have are looked after. Positions wrap, so differences count modulo the width
of their type. And a load beyond the end of a buffer loads its last element, so that ``a[i + 1]`` may be ``a[i]``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from ..ir.expr import Expr, topological
from ..ir.facts import Facts
from ..ir.nest import Block
from .bounds import Bounds, Within, exact
from .declared import DISTINCT, LARGE_ENOUGH
from .effects import Access, effects, loads, shown
from .forms import Atom, Form, form, number
from .kinds import elements, kind
from .known import Known, Limit
from .prove import Proved, Refuted, Unknown, Verdict, both


def separate(a: Access, b: Access, known: Known) -> Verdict:
    r"""Whether two accesses always are different elements; distinct buffers are distinct memory.

    The indices of the loops in an access's own scope take all their values, those of `known` are the same for both.

    >>> from pellucid.ir.expr import Buffer
    >>> from pellucid.ir.parse import parse_expr
    >>> from pellucid.ir.types import u8
    >>> pixels = Buffer("pixels", u8, 100)
    >>> even, odd = (Access(pixels, e, store=True) for e in parse_expr("%i * 2\n%j * 2 + 1"))
    >>> separate(even, odd, Known()).theorem
    'pixels[i * 2] and pixels[j * 2 + 1] differ by 1 modulo 2'
    """
    if a.buffer is not b.buffer:
        return _DISTINCT
    return _Pair(a, b, known).verdict()


def apart(first: Iterable[Access], second: Iterable[Access], known: Known) -> Verdict:
    """Whether every one of some accesses is separate from every one of others."""
    one, other = list(first), list(second)
    found = [separate(x, y, known) for x in one for y in other if x.buffer is y.buffer]
    names = {a.buffer for a in one}, {a.buffer for a in other}
    if all(names) and len(names[0] | names[1]) > 1:
        found.append(_DISTINCT)
    return both(*found) if found else Proved("there is nothing to meet")


_DISTINCT = Proved("they are different arrays", (DISTINCT,))


def location_independent(variable: Access, of: Iterable[Access], known: Known) -> Verdict:
    """Whether setting some variables never moves another one: its position loads none of them (White 3.2.5)."""
    moving = list(of)
    read = loads([variable.position], variable.scope, variable.guards)
    return apart(moving, read, known.while_changing(a.buffer for a in moving))


def not_self_referencing(variable: Access, known: Known) -> Verdict:
    """Whether setting a variable never moves it itself: White's strictly non-self-referencing (3.2.4).

    >>> from pellucid.ir.expr import Buffer
    >>> from pellucid.ir.parse import parse_expr
    >>> from pellucid.ir.types import i32
    >>> a = Buffer("a", i32, 9)
    >>> type(not_self_referencing(Access(a, parse_expr("a[3]", {"a": a})[0], store=True), Known())).__name__
    'Unknown'
    """
    return location_independent(variable, [variable], known)


def interchangeable(first: Block, second: Block, known: Known) -> Verdict:
    """Whether two blocks may change places: what either sets, the other neither sets nor uses (White 4.1.2).

    The sets of one must be separate from the sets of the other as well, which White's `uses` have in them.
    """
    a, b = effects(first), effects(second)
    here = known.while_changing(x.buffer for x in (*a.sets, *b.sets))
    return both(apart(a.sets, (*b.sets, *b.uses), here), apart(a.uses, b.sets, here))


class _Pair:
    """Two accesses to one buffer: the forms of their positions, and what is known on each side."""

    def __init__(self, a: Access, b: Access, known: Known) -> None:
        self.accesses, self.known = (a, b), known
        self.sides = tuple(known.inside((*x.scope, *x.guards)) for x in (a, b))
        self.changing = tuple(_changing(x) for x in (a, b))
        self.range = self.bounds().range
        self.forms = tuple(self.form(x.position, k) for k, x in enumerate((a, b)))

    def verdict(self) -> Verdict:
        """Whether they are separate."""
        a, b = self.accesses
        premise = f"{a} and {b} are always separate"
        common = self.common_element()
        if common is not None:
            return Refuted(premise, f"both are {a.buffer.name}[{common}]")
        difference = self.forms[0] - self.forms[1]
        if not difference.terms:
            return Refuted(premise, f"both are {a}")
        width = 1 << min(x.position.type.bits for x in self.accesses)
        why = self.why_apart(self.range(difference), width)
        if why is None:
            return Unknown(premise, self.missing(difference, width))
        unclamped = self.unclamped(difference)
        if not isinstance(unclamped, Proved):
            return unclamped
        return Proved(f"{a} and {b} {why}", unclamped.premises)

    def common_element(self) -> int | None:
        """An element that both surely go through, if both are indexed by constants or subranges of them."""
        first, second = (elements(x) for x in self.accesses)
        if first is None or second is None or any(x.guards for x in self.accesses):
            return None
        shared = range(max(first.start, second.start), min(first.stop, second.stop))
        return shared.start if shared else None

    @staticmethod
    def why_apart(found: Facts, width: int) -> str | None:
        """Why a difference of positions is never 0 modulo the width of their type; None if it may be."""
        small = max(abs(found.lo), abs(found.hi)) < width
        if small and (found.lo > 0 or found.hi < 0):
            return f"are at least {min(abs(found.lo), abs(found.hi))} apart"
        step = math.gcd(found.modulus, width)
        if found.residue % step:
            return f"differ by {found.residue % step} modulo {step}"
        if small and found.modulus and found.residue % found.modulus:
            return f"differ by {found.residue} modulo {found.modulus}"
        return None

    def missing(self, difference: Form, width: int) -> str:
        """The fact that would decide it."""
        first, second = self.accesses
        found = self.range(difference)
        if all(count < 0 for _, count in difference):
            difference, found = difference * -1, found._replace(lo=-found.hi, hi=-found.lo)
        own = any(a.mark for a in difference.atoms())
        primes = " (' and '' mark what each has of its own)" if own else ""
        known = f"{first} and {second} may be the same element{primes}"
        kinds = f"indexed by {kind(first).value} and {kind(second).value}"
        if max(abs(found.lo), abs(found.hi)) >= width:
            return f"{known}: {difference} must not be 0 and must not wrap; they are {kinds}"
        return f"{known}: {difference}, which is in {found.lo} .. {found.hi}, must not be 0; they are {kinds}"

    # ---- forms, and how large they are ----

    def mark(self, node: Expr, side: int) -> int:
        """0 if a node has one value for both accesses, else one of the side."""
        moving = node.free & self.changing[side] or not self.known.fixed(node)
        return side + 1 if moving else 0

    def facts(self, atom: Atom) -> Facts:
        """What is known of an atom; of one that both share, both sides know something."""
        if atom.mark:
            return self.sides[atom.mark - 1].facts(atom.node)
        return self.sides[0].facts(atom.node).intersection(self.sides[1].facts(atom.node))

    def form(self, node: Expr, side: int) -> Form:
        """The form of an expression of one side."""
        return form(node, lambda n: self.mark(n, side), self.facts)

    def exact(self, node: Expr, side: int) -> Form:
        """A form that has the very value of an expression of one side."""
        return exact(node, lambda n: self.mark(n, side), self.facts)

    def bounds(self) -> Bounds:
        """The ranges of forms: indices make way for their bounds, on each side its own first, inner before outer."""
        shared = len(self.known.limits)
        limits = [(x, k) for k in (0, 1) for x in reversed(self.sides[k].limits[shared:])]
        limits += [(x, 0) for x in reversed(self.known.limits)]
        return Bounds(self.facts, [self.within(x, side) for x, side in limits])

    def within(self, limit: Limit, side: int) -> Within:
        """What bounds an atom of one side."""

        def later(node: Expr | None) -> Callable[[], Form] | None:
            return None if node is None else lambda: self.exact(node, side)

        return Within(Atom(limit.node, self.mark(limit.node, side)), later(limit.low), later(limit.high))

    # ---- loads beyond the ends ----

    def unclamped(self, difference: Form) -> Verdict:
        """Whether no load from beyond an end, which loads the first or the last element, meets a store there."""
        if self.accesses[0].store == self.accesses[1].store:
            return Proved("two stores, of which one outside stores nothing")
        load = 1 if self.accesses[0].store else 0
        loading, storing = self.accesses[load], self.accesses[1 - load]
        at, to = (self.range(self.exact(self.accesses[k].position, k)) for k in (load, 1 - load))
        apart = self.range(difference * (1 if load == 0 else -1))
        # Without wrapping, a load above a store cannot be below the buffer while the store is in it.
        plain = all(
            self.exact(x.position, k).terms == self.forms[k].terms for k, x in enumerate(self.accesses)
        )
        if not (at.lo >= 0 or to.lo > 0 or to.hi < 0 or (plain and apart.lo > 0)):
            return Unknown(
                f"{loading} is not below {loading.buffer.name}",
                f"that {shown(loading.position)} is at least 0; below, a load gives the first element, "
                f"which {storing} may be",
            )
        size = self.known.allocated.get(loading.buffer)
        length = number(loading.buffer.size) if size is None else self.exact(size, 0)
        beyond = [self.range(self.forms[k] - length) for k in (load, 1 - load)] if plain else []
        if plain and apart.hi < 0:
            return Proved("the load is below the store")
        if plain and (beyond[0].hi < 0 or beyond[1].hi < -1):
            return Proved("it is not the last element", (LARGE_ENOUGH,) if size is None else ())
        return Unknown(
            f"{loading} is not beyond the end of {loading.buffer.name}",
            f"that {shown(loading.position)} is below {length}; beyond, a load gives the last element, "
            f"which {storing} may be",
        )


def _changing(access: Access) -> int:
    """The indices, and states of iterations, that move while the access's own statement runs."""
    mask = 0
    for s in access.scope:
        mask |= s.index.free
    for n in topological([access.position]):
        mask |= n.free if n.op == "state" else 0
    return mask
