"""Facts about every node of a DAG: intervals, NaN, the sign of zero and residues, inferred from operands to users.

Stands between `ir`, whose rows carry the transfer functions, and `rewriting` and the back ends, which drop what the
facts show to be idle. Nothing here is a guess: every fact holds for every value that the leaves may take.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from ..ir import prim as table
from ..ir import types as T
from ..ir.expr import Expr, apply, parts, topological
from ..ir.facts import ANY_BOOLEAN, Facts, exactly, top

_TOP = {t: top(t) for t in T.ALL}
COMPARISONS = frozenset(("lt", "le", "eq", "ne"))
OPENED = frozenset(("choose", "convert"))
"""Operators that make values of truths."""
_FINITE = {t: Facts(t.low, t.high, False, True) for t in T.FLOATS}


def of_leaf(node: Expr) -> Facts:
    """The facts of a leaf or a load of which nothing else is known.

    A parameter is finite and no NaN, for kernels check their arguments; a load or a state may be anything of its type.
    """
    if node.op == "const":
        return exactly(node.type, node.attr)
    if node.op == "param" and node.type.is_float:
        return _FINITE[node.type]
    return _TOP[node.type]


def extent(sizes: Iterable[Expr]) -> Expr:
    r"""The product of some sizes in i64, in one order whatever theirs: the node under which its range is known.

    A program whose sizes are large, but whose product is not, says so in the ranges that it gives to checks.

    >>> from pellucid.ir.parse import parse_expr
    >>> w, h = parse_expr("$w:i32\n$h:i32")
    >>> extent([w, h]) is extent([h, w])
    True
    """
    wide = [
        n if n.type is T.i64 else apply("convert", n, attr=T.i64) for n in sorted(sizes, key=lambda n: n.id)
    ]
    found = wide[0]
    for n in wide[1:]:
        found = apply("mul", found, n)
    return found


class Ranges(dict[Expr, Facts]):
    """The facts from outside, with all that was inferred from them: passes hand it on to each other.

    >>> from pellucid.ir.expr import apply, param
    >>> x = param("x", T.f32)
    >>> ranges = Ranges({x: Facts(-1.0, 1.0)})
    >>> _ = FactsOf.handed_on(ranges)(apply("mul", x, x))
    >>> len(ranges), len(ranges.inferred)
    (1, 2)
    """

    __slots__ = ("inferred",)
    inferred: dict[Expr, Facts]

    def __init__(self, known: Mapping[Expr, Facts], inferred: dict[Expr, Facts] | None = None) -> None:
        super().__init__(known)
        self.inferred = dict(known) if inferred is None else inferred

    def and_more(self, more: Mapping[Expr, Facts]) -> Ranges:
        """These and others, which tell more of what was asked for already."""
        both, inferred = {**self, **more}, self.inferred
        if any(n in inferred and inferred[n] != f for n, f in more.items()):
            # What was inferred from less may be less.
            return Ranges(both)
        inferred.update(more)
        return Ranges(both, inferred)


class FactsOf:
    """A memo of facts by node: call it with a node; nodes made later may be asked for at any time.

    Parameters: `ranges` gives the facts of leaves (or of any other node) that are known from outside.

    >>> from pellucid.ir.expr import apply, const, param
    >>> x = param("x", T.f32)
    >>> facts = FactsOf({x: Facts(-1.0, 1.0)})
    >>> facts(apply("mul", x, x)), facts(apply("add", x, const(1, T.f32))).within(0, 2)
    (Facts(lo=0.0, hi=1.0, nan=False, minus_zero=False, modulus=1, residue=0), True)
    """

    __slots__ = ("known",)
    known: dict[Expr, Facts]

    def __init__(self, ranges: Mapping[Expr, Facts] | None = None) -> None:
        self.known = dict(ranges) if ranges else {}

    @classmethod
    def handed_on(cls, ranges: Mapping[Expr, Facts] | None) -> FactsOf:
        """A memo that holds what passes before inferred from the same `Ranges`, and hands on what is added to it."""
        if not isinstance(ranges, Ranges):
            return cls(ranges)
        found = cls()
        found.known = ranges.inferred
        return found

    def __call__(self, node: Expr) -> Facts:
        """The facts of a node."""
        found = self.known.get(node)
        if found is not None:
            return found
        known = self.known
        stack = [node]
        while stack:
            top_node = stack[-1]
            args = top_node.args
            if top_node.op in OPENED and _is_open(top_node):
                args = args[1:]
            ready = True
            for a in args:
                if a not in known:
                    stack.append(a)
                    ready = False
            if ready:
                stack.pop()
                if top_node not in known:
                    known[top_node] = _transfer(top_node, known)
        return known[node]


def _is_open(node: Expr) -> bool:
    """Whether the first operand of such a node is a truth made of others, of which it takes it that it may be either.

    There may be thousands of comparisons in it; and once each of them was simplified, folding knows as much.
    """
    truth = node.args[0]
    return (
        node.type is not T.boolean
        and truth.type is T.boolean
        and bool(truth.args)
        and truth.op not in COMPARISONS
    )


def _transfer(node: Expr, known: dict[Expr, Facts]) -> Facts:
    """The facts of one node whose operands are known, but for a first one that is open."""
    op = node.op
    args = node.args
    prim = table.table().get(op)
    if prim is not None and prim.facts is not None:
        function = prim.facts
        if len(args) == 2:
            a, b = args
            if a is b and op == "mul":
                return _square(node.type, known[a])
            return function(node.type, (a.type, b.type), known[a], known[b])
        if op in OPENED and _is_open(node):
            facts = [ANY_BOOLEAN, *[known[a] for a in args[1:]]]
        else:
            facts = [known[a] for a in args]
        if op == "fma" and args[0] is args[1]:
            return _squared(op, node.type, facts[0], facts[2])
        return function(node.type, tuple([a.type for a in args]), *facts)
    if op == "get":
        # The loop ends with its initial value or with some step of some state.
        init, step, _, _ = parts(args[0])
        return known[init[node.attr]].union(known[step[node.attr]])
    return of_leaf(node)


def _square(type_: T.Type, a: Facts) -> Facts:
    """A product of a value with itself is not negative."""
    return (
        _squared("mul", type_, a)
        if type_.is_float
        else table.row("mul").transfer(type_, (type_, type_), a, a)
    )


def _squared(op: str, type_: T.Type, a: Facts, *rest: Facts) -> Facts:
    """A square, or a square plus something: zero never meets infinity, and the square is that of the magnitude."""
    magnitude = table.row("abs").transfer(type_, (type_,), a)
    if a.nan or any(r.nan or (r.lo == -math.inf and magnitude.hi == math.inf) for r in rest):
        found = top(type_)
        return found if rest else Facts(0.0, found.hi, nan=True)
    bounded = Facts(min(magnitude.lo, type_.high), min(magnitude.hi, type_.high))
    found = table.row(op).transfer(type_, (type_,) * (2 + len(rest)), bounded, bounded, *rest)
    return found if magnitude.hi <= type_.high else Facts(found.lo, math.inf, minus_zero=found.minus_zero)


def infer(roots: Iterable[Expr], ranges: Mapping[Expr, Facts] | None = None) -> dict[Expr, Facts]:
    """The facts of every node that the roots reach, in one pass.

    Parameters: `ranges` gives what is known of params, indices, loads or any other node; see `of_leaf` for the rest.

    >>> from pellucid.ir.expr import apply, index, const
    >>> i = index("i")
    >>> twice = apply("mul", i, const(2, T.i32))
    >>> infer([twice], {i: Facts(0, 99)})[twice]
    Facts(lo=0, hi=198, nan=False, minus_zero=False, modulus=2, residue=0)
    """
    known: dict[Expr, Facts] = dict(ranges) if ranges else {}
    for node in topological(roots):
        if node not in known:
            known[node] = _transfer(node, known)
    return known
