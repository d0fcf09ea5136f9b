"""Spans: the part of a loop in which a condition holds, as bounds that are computed before the loop.

Part of `reasoning`, for loop-conditional joining (White 5.4.1). A comparison in which the index stands with
coefficient one gives its bound in closed form; any other condition that is proved to be monotone along the loop gives
it by binary search, an `iterate` that runs once before the loop and not in every iteration.
"""

from __future__ import annotations

from dataclasses import replace

from ..base.record import record
from ..ir import types as T
from ..ir.expr import Expr, apply, const, iterate, next_depth, state, substitute
from ..ir.facts import Facts
from ..ir.nest import For
from .infer import FactsOf
from .linear import folded
from .monotone import Direction, direction

Found = tuple[Expr, Expr, str]


@record
class Span:
    """The iterations ``lo <= index < hi``, in which a condition `holds`, or in which alone it does not.

    `words` says why they are these. A bound that is the loop's own is the same node; no other lower bound is below it,
    and no other upper bound above, whether the loop runs or not: what is cut at them stays within the loop.
    """

    lo: Expr
    hi: Expr
    holds: bool
    words: str


def span(condition: Expr, loop: For, before: FactsOf, inside: FactsOf, *, search: bool = True) -> Span | None:
    """The span of a condition along a loop; None if it is not shown to have one.

    `before` must hold where the loop starts, and `inside` in its body: a loop that does not run has a span that does
    not run either. Without `search` only bounds in closed form are given. They mean the same before the loop, if the
    memory that the condition loads is not stored to inside.

    >>> from pellucid.ir.expr import index
    >>> from pellucid.ir.parse import parse_expr
    >>> from pellucid.reasoning.known import Known
    >>> loop = For(index("i"), const(0, T.i32), const(100, T.i32), ())
    >>> found = span(parse_expr("$c:i32 <= %i & %i < 50")[0], loop, FactsOf(), Known(around=[loop]).facts)
    >>> found and (found.lo, found.hi, found.words)
    (max(0, $c:i32), min(100, 50), 'i is at least $c:i32; i is below 50')
    """
    part = _Loop(loop.index, loop.lo, loop.hi, before, inside, search)
    for holds in (True, False):
        found = part.where(condition, holds)
        if found is not None:
            first, last, words = found
            return Span(first, last, holds, words)
    return None


@record
class _Loop:
    index: Expr
    lo: Expr
    hi: Expr
    before: FactsOf
    facts: FactsOf
    search: bool

    def where(self, c: Expr, wanted: bool) -> Found | None:
        """Bounds of the iterations in which a condition is as wanted, if these are one run of iterations."""
        if c.op == "not":
            return self.where(c.args[0], not wanted)
        if c.op in ("and", "or") and (c.op == "and") is wanted:
            return self.both(c.args[0], c.args[1], wanted)
        if c.op in ("eq", "ne") and (c.op == "eq") is wanted and c.args[0].type is not T.boolean:
            a, b = c.args
            return self.equal(a, b)
        if c.op in ("lt", "le"):
            found = self.compared(c, wanted) or self.searched(c, wanted)
            two = self.without_abs(c)
            return found if found is not None or two is None else self.where(two, wanted)
        return self.searched(c, wanted)

    def without_abs(self, c: Expr) -> Expr | None:
        """A comparison with the absolute value of something that moves, as comparisons with it and its negation.

        ``abs(x) < a`` is ``x < a & -x < a``, for NaN as well, and for the whole number that has no negation.
        """
        for k, side in enumerate(c.args):
            if side.op == "abs" and side.free & self.index.free:
                ends = (side.args[0], apply("neg", side.args[0]))
                parts = [apply(c.op, *(e if j == k else a for j, a in enumerate(c.args))) for e in ends]
                return apply("or" if k else "and", *parts)
        return None

    def both(self, a: Expr, b: Expr, wanted: bool) -> Found | None:
        """Bounds where two conditions are as wanted: the second is looked for only where the first is."""
        first = self.where(a, wanted)
        if first is None:
            return None
        second = replace(self, lo=first[0], hi=first[1]).where(b, wanted)
        return second and (second[0], second[1], f"{first[2]}; {second[2]}")

    def equal(self, a: Expr, b: Expr) -> Found | None:
        found = self.alone(a, b)
        if found is None:
            return self.both(apply("le", a, b), apply("le", b, a), True)
        _, e = found
        return apply("max", self.lo, e), self.at_most(e), f"{self.index.attr} is {e!r}"

    def compared(self, c: Expr, wanted: bool) -> Found | None:
        """The bound of a comparison that comes to ``index < e`` or the like."""
        found = self.alone(*c.args)
        if found is None:
            return None
        left, e = found
        below = left is wanted
        strict = (c.op == "lt") is wanted
        name = self.index.attr
        if below:
            words = f"{name} is {'below' if strict else 'at most'} {e!r}"
            return self.lo, apply("min", self.hi, e) if strict else self.at_most(e), words
        bound = successor(e, self.facts) if strict else e
        words = f"{name} is {'above' if strict else 'at least'} {e!r}"
        return apply("max", self.lo, bound), self.hi, words

    def at_most(self, e: Expr) -> Expr:
        """The upper bound of the iterations in which the index is at most e.

        White's bounds are inclusive, and so the smaller of the last index and e is meant. Half-open, that is one more.
        """
        if self.before(self.hi).lo > self.hi.type.low:
            return shifted(apply("min", shifted(self.hi, -1), e), 1)
        return apply("min", self.hi, successor(e, self.facts))

    def alone(self, a: Expr, b: Expr) -> tuple[bool, Expr] | None:
        """For a comparison of integers: whether the index ends up on the left, and what it is compared with then."""
        for side, other, left in ((a, b, True), (b, a, False)):
            if side.free & self.index.free and not other.free & self.index.free and side.type.is_integer:
                return self.solved(side, other, left)
        return None

    def solved(self, side: Expr, other: Expr, left: bool) -> tuple[bool, Expr] | None:
        """Move what stands beside the index to the other side, as long as nothing wraps."""
        mask = self.index.free
        while side is not self.index:
            if side.op == "convert" and side.args[0].type.is_integer:
                # Widening keeps every value, and a bound beyond the narrow type is as good as its last number,
                # if nothing that is compared with it can be that number.
                narrow, own, bound = side.args[0].type, self.facts(side.args[0]), self.facts(other)
                if narrow.low < side.type.low or narrow.high > side.type.high:
                    return None
                if (bound.lo < narrow.low >= own.lo) or (bound.hi > narrow.high <= own.hi):
                    return None
                side, other = side.args[0], self.narrowed(other, narrow)
                continue
            side = negated(side)
            if side.op not in ("add", "sub") or not self.exact(side):
                return None
            x, k = side.args
            if side.op == "sub" and k.free & mask:
                # k - index: the index goes to the other side, and k stays.
                if x.free & mask:
                    return None
                moved, args, left = "reversed", (k, x), not left
            else:
                if k.free & mask:
                    x, k = k, x
                if k.free & mask:
                    return None
                moved, args = ("sub" if side.op == "add" else "add"), (x, k)
            near = self.comparable(other, self.facts(side), moved, self.facts(args[1]))
            if near is None:
                return None
            side = args[0]
            other = apply("sub", args[1], near) if moved == "reversed" else apply(moved, near, args[1])
            if other.args[1].op == "const":
                k = other.args[1].attr
                other = shifted(other.args[0], k if other.op == "add" else -k)
        return left, other

    def comparable(self, e: Expr, side: Facts, way: str, k: Facts) -> Expr | None:
        """A number that compares with a side as e does, and for which e - k, e + k or k - e does not wrap.

        Where e may be so far out that it would, the side must lie strictly within what does not.
        """
        ends = {
            "sub": (e.type.low + k.hi, e.type.high + k.lo),
            "add": (e.type.low - k.lo, e.type.high - k.hi),
            "reversed": (k.hi - e.type.high, k.lo - e.type.low),
        }
        least, most = (int(end) for end in ends[way])
        own = self.facts(e)
        if own.lo < least:
            if not side.lo > least:
                return None
            e = folded("max", e, const(least, e.type))
        if own.hi > most:
            if not side.hi < most:
                return None
            e = folded("min", e, const(most, e.type))
        return e

    def exact(self, e: Expr) -> bool:
        """Whether a sum or difference of integers surely does not wrap."""
        a, b = (self.facts(x) for x in e.args)
        ends = (a.lo + b.lo, a.hi + b.hi) if e.op == "add" else (a.lo - b.hi, a.hi - b.lo)
        return e.type.low <= ends[0] and ends[1] <= e.type.high

    def narrowed(self, e: Expr, type_: T.Type) -> Expr:
        if e.op == "convert" and e.args[0].type is type_:
            return e.args[0]
        if not self.facts(e).within(type_.low, type_.high):
            e = apply("min", apply("max", e, const(type_.low, e.type)), const(type_.high, e.type))
        return const(e.attr, type_) if e.op == "const" else apply("convert", e, attr=type_)

    def searched(self, c: Expr, wanted: bool) -> Found | None:
        """The bound by binary search, for a condition that is monotone along the loop."""
        name = self.index.attr
        way = direction(c, self.index, self.facts)
        if way is Direction.UNKNOWN or not (self.search or way is Direction.FIXED):
            return None
        words = f"the condition {way.value} while {name} grows"
        goal = c if wanted else apply("not", c)
        if way is Direction.FIXED:
            return self.lo, apply("choose", goal, self.hi, self.within(self.lo)), words
        if not wanted:
            way = way.reversed()
        if way is Direction.RISES:
            return self.first(goal), self.hi, words
        if way is Direction.FALLS:
            return self.lo, self.within(self.first(apply("not", goal))), words
        start = substitute([goal], {self.index: self.lo})[0]
        cut = self.first(apply("ne", goal, start))
        low, high = apply("choose", start, self.lo, cut), apply("choose", start, self.within(cut), self.hi)
        return low, high, words

    def within(self, bound: Expr) -> Expr:
        """A bound that is not above the upper one wherever the loop runs, as one that is never above it.

        A span inside of another may begin behind its end, where nothing runs. Below a size, it says so by the way it
        is written, for those who ask how far the index gets.
        """
        surely = self.before(self.lo).hi <= self.before(self.hi).lo and self.hi.op == "const"
        return bound if surely else apply("min", bound, self.hi)

    def first(self, goal: Expr) -> Expr:
        """The first iteration in which a condition that never falls holds, or the upper bound if there is none.

        Never below the lower bound, which it is where there is nothing to search.
        """
        type_ = self.index.type
        depth = next_depth(goal, self.lo, self.hi)
        low, high = state(depth, 0, type_), state(depth, 1, type_)
        # The floor of the mean, which cannot overflow.
        half = apply("shift_right_in", apply("xor", low, high), const(1, type_))
        middle = apply("add", apply("and", low, high), half)
        # It lies in the loop, which the facts of the bounds now show.
        last = apply("sub", self.hi, const(1, type_))
        inside = apply("min", apply("max", middle, self.lo), last)
        met = substitute([goal], {self.index: inside})[0]
        steps = (
            apply("choose", met, low, apply("add", inside, const(1, type_))),
            apply("choose", met, inside, high),
        )
        limit = const(type_.bits + 1, T.i32)
        return iterate((self.lo, self.hi), steps, apply("le", high, low), limit, depth)[0]


def negated(e: Expr) -> Expr:
    """A product with 1 or -1, or a negation, as a sum or difference; other integers as they are."""
    if e.op == "neg":
        return apply("sub", const(0, e.type), e.args[0])
    if e.op == "mul":
        zero = const(0, e.type)
        for k, x in (e.args, e.args[::-1]):
            if k.op == "const" and k.attr in (1, -1):
                return apply("add", x, zero) if k.attr == 1 else apply("sub", zero, x)
    return e


def successor(e: Expr, facts: FactsOf) -> Expr:
    """The number after e, for use as a bound of a loop; at the largest number, itself.

    ``index <= e`` is ``index < e + 1`` except where e + 1 wraps. No index of a half-open loop is the largest number, so
    the bound ``min(e, largest - 1) + 1`` serves.
    """
    if e.op == "const":
        return const(min(e.attr + 1, e.type.high), e.type)
    if facts(e).hi >= e.type.high:
        e = apply("min", e, const(e.type.high - 1, e.type))
    return shifted(e, 1)


def shifted(e: Expr, by: int) -> Expr:
    """An integer plus a constant, with constants in it added up; whole numbers that wrap allow that.

    >>> from pellucid.ir.expr import param
    >>> shifted(shifted(shifted(param("n", T.i32), 3), -1), -4)
    $n:i32 - 2
    """
    if e.op == "const":
        return const(e.attr + by, e.type)
    if e.op in ("add", "sub") and e.args[1].op == "const":
        by += e.args[1].attr if e.op == "add" else -e.args[1].attr
        e = e.args[0]
    if by == 0:
        return e
    return apply("add", e, const(by, e.type)) if by > 0 else apply("sub", e, const(-by, e.type))
