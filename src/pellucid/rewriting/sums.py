"""Sums and products in one normal form: like terms collected, constants gathered, parts grouped by rate of change.

A part of `simplify`. A tree of sums (or of products) whose inner nodes have no other user is taken as a whole: P20's
``a + (b - a)`` is `b` at any depth, and P21's regrouping lets what changes once a row be computed once a row.
Integers wrap, so all of it is exact on them; on floats it is done in mode "relaxed" only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..ir import types as T
from ..ir.expr import Expr, const
from ..ir.facts import rounded
from ..reasoning.linear import SIGNS, wrapped
from .builder import Builder

Factors = tuple[tuple[Expr, int], ...]
"""A product without its coefficient: factors with their exponents, sorted by `Builder.key`."""
Number = float | int

SUMS = SIGNS.keys()
PRODUCTS = frozenset({"mul"})


def absorbs(user: Expr, node: Expr) -> bool:
    """Whether a node that has no other user becomes part of the sum or product of its user."""
    if node.op == "mul":
        return user.op in SUMS or user.op == "mul"
    if node.op in SUMS:
        return user.op in SUMS or (user.op == "mul" and node.op == "neg" and node.args[0].op == "mul")
    return False


@dataclass(slots=True)
class _Terms:
    """A sum: the coefficient of each product of factors; the empty product is the constant."""

    type: T.Type
    found: dict[Factors, Number] = field(default_factory=dict[Factors, Number])
    own: dict[Factors, int] = field(default_factory=dict[Factors, int])

    def add(self, factors: Factors, coefficient: Number, *, own: bool) -> None:
        """Add a term; `own` says that its product has no other user."""
        self.found[factors] = self.found.get(factors, 0) + coefficient
        self.own[factors] = self.own.get(factors, 0) + own


class Gatherer:
    """Brings the sums and products of one pass into normal form.

    Parameters: `builder` makes the nodes; `done` maps the operands of this pass to their simplified forms;
    `absorbed` holds the nodes that are parts of the sum or product of their only user; `before` is that of the pass
    before, whose notes go on.
    """

    def __init__(
        self, builder: Builder, done: dict[Expr, Expr], absorbed: set[Expr], before: Gatherer | None
    ) -> None:
        self.builder, self.done, self.absorbed = builder, done, absorbed
        # Inner nodes of what was built: they must turn out to have one user, or a further pass has to look.
        self.inner: set[Expr] = before.inner if before else set()
        # Sums and products that were taken for operands, because others use them.
        self.kept: set[Expr] = before.kept if before else set()
        # What was built in normal form: a sum or product that a rule has made is not among it.
        self.known: set[Expr] = before.known if before else set()
        # Of the one that is being built: products that others use, by their factors; all nodes made; operands.
        self.shared: dict[Factors, Expr] = {}
        self.made: list[Expr] = []
        self.opened = False
        self.atoms: set[Expr] = set()

    def gather(self, root: Expr) -> Expr:
        """The normal form of a sum or product whose operands are done."""
        if self._plain(root):
            args = tuple([self.done[a] for a in root.args])
            result = self.builder.build(root.op, args, root.type)
            if result.op == root.op and set(result.args) == set(args):
                self.known.add(result)
                if result.op == "mul" and args[1].op != "const":
                    a, b = args
                    self.builder.products[result] = ((a, 2),) if a is b else self._sorted(((a, 1), (b, 1)))
            return result
        if root.op == "mul":
            coefficient, factors = self._product(root)
            coefficient = _wrapped(root.type, coefficient)
            if coefficient == -1 and len(factors) == 1 and factors[0][1] == 1:
                # The opposite of a sum is a sum.
                terms = _Terms(root.type)
                self._atom(terms, factors[0][0], -1)
                result = self._emit_sum(terms)
            else:
                result = self._emit_signed(root.type, coefficient, factors)
                if coefficient == 1:
                    self.builder.products[result] = factors
        else:
            terms = self._sum(root)
            self._cancel(terms)
            result = self._emit_sum(terms)
        atoms = self.atoms
        self.inner.update([n for n in self.made if n is not result and n not in atoms])
        self.known.update(self.made)
        if result not in atoms:
            self.known.add(result)
        if self.opened and result is not root:
            self.known.discard(result)
        self.opened = False
        self.made.clear()
        self.shared.clear()
        atoms.clear()
        return result

    def _plain(self, root: Expr) -> bool:
        """Whether single rules bring a sum or product into normal form.

        Its operands are neither, or it is a sum that others use as well, without a constant, and a constant.
        """
        done, kept = self.done, None
        for a in root.args:
            found = done.get(a)
            if found is None or a in self.absorbed or found.op == "mul":
                return False
            if found.op in SUMS:
                constant = found.op == "neg" or any(b.op == "const" for b in found.args)
                if constant or root.op == "mul" or done[root.args[-1]].op != "const":
                    return False
                kept = found
        if kept is not None:
            self.kept.add(kept)
        return True

    # ---- taking apart ----

    def _sum(self, root: Expr) -> _Terms:
        terms = _Terms(root.type)
        done, absorbed = self.done, self.absorbed
        stack: list[tuple[Expr, int]] = [(root, 1)]
        while stack:
            node, sign = stack.pop()
            if node is root or node in absorbed:
                if node.op == "mul":
                    coefficient, factors = self._product(node)
                    if len(factors) == 1 and factors[0][1] == 1:
                        self._atom(terms, factors[0][0], sign * coefficient)
                    else:
                        terms.add(factors, sign * coefficient, own=True)
                else:
                    stack += [(a, sign * k) for a, k in zip(node.args, SIGNS[node.op], strict=True)][::-1]
                continue
            self.atoms.add(done[node])
            self._atom(terms, done[node], sign)
        return terms

    def _atom(self, terms: _Terms, node: Expr, sign: Number) -> None:
        """Add a finished operand: its constant and its coefficient join those of the sum, at no cost."""
        if node.op == "neg":
            node, sign = node.args[0], -sign
        if node.op in ("add", "sub") and sign in (-1, 1):
            (a, b), (k, m) = node.args, SIGNS[node.op]
            if b.op != "const" or not math.isfinite(b.attr):
                a, k, b, m = b, m, a, k
            if b.op == "const" and math.isfinite(b.attr):
                terms.add((), sign * m * b.attr, own=True)
                self.atoms.add(a)
                self._atom(terms, a, sign * k)
                return
        coefficient, factors = self._taken_apart(node)
        terms.add(factors, sign * coefficient, own=False)

    def _product(self, root: Expr) -> tuple[Number, Factors]:
        coefficient: Number = 1
        powers: dict[Expr, int] = {}
        done, absorbed = self.done, self.absorbed
        stack = [root]
        while stack:
            node = stack.pop()
            if node is root or node in absorbed:
                if node.op == "neg":
                    coefficient = -coefficient
                stack.extend(reversed(node.args))
                continue
            self.atoms.add(done[node])
            more, factors = self._taken_apart(done[node], as_term=False)
            coefficient *= more
            for factor, power in factors:
                powers[factor] = powers.get(factor, 0) + power
        return coefficient, self._sorted(powers.items())

    def _taken_apart(self, node: Expr, *, as_term: bool = True) -> tuple[Number, Factors]:
        """A finished node as coefficient and factors, without repeating a product that others use.

        As a term of a sum such a product has its factors, for comparison; as a factor it is one.
        """
        coefficient: Number = 1
        while True:
            if node.op == "const" and math.isfinite(node.attr):
                return coefficient * node.attr, ()
            if node.op == "neg":
                coefficient, node = -coefficient, node.args[0]
            elif node.op == "mul" and node.args[1].op == "const" and math.isfinite(node.args[1].attr):
                coefficient, node = coefficient * node.args[1].attr, node.args[0]
            elif node.op == "const" and node.attr == -math.inf:
                coefficient, node = -coefficient, const(math.inf, node.type)
            else:
                break
        if node.op == "mul" or node.op in SUMS:
            self.kept.add(node)
            factors = self.builder.products.get(node)
            if factors is not None and as_term:
                # Known by its factors, so that like terms meet, but not computed again.
                self.shared[factors] = node
                return coefficient, factors
        return coefficient, ((node, 1),)

    def _sorted(self, factors: Iterable[tuple[Expr, int]]) -> Factors:
        found = tuple(factors)
        if len(found) < 2:
            return found
        key = self.builder.key
        return tuple(sorted(found, key=lambda f: key(f[0])))

    def _cancel(self, terms: _Terms) -> None:
        """Open a sum that others use as well where one of its terms cancels here: the result is smaller."""
        waiting = list(terms.found)
        while waiting:
            factors = waiting.pop()
            if len(factors) != 1 or factors[0][1] != 1 or factors[0][0].op not in ("add", "sub"):
                continue
            coefficient = terms.found.get(factors)
            if not coefficient:
                continue
            node = factors[0][0]
            parts = zip(node.args, SIGNS[node.op], strict=True)
            opened = [(coefficient * k, *self._taken_apart(part)) for part, k in parts]
            if any(key != factors and terms.found.get(key) == -share * more for share, more, key in opened):
                del terms.found[factors]
                for share, more, key in opened:
                    terms.add(key, share * more, own=False)
                    waiting.append(key)

    # ---- building ----

    def _rank(self, factors: Factors) -> int:
        free = 0
        for f, _ in factors:
            free |= f.free
        return self.builder.rank(free)

    def _emit_sum(self, terms: _Terms) -> Expr:
        type_ = terms.type
        constant = _wrapped(type_, terms.found.pop((), 0))
        groups: dict[int, list[tuple[Factors, Number]]] = {}
        for factors, raw in terms.found.items():
            coefficient = _wrapped(type_, raw)
            if coefficient:
                groups.setdefault(self._rank(factors), []).append((factors, coefficient))
        if not groups:
            return const(constant, type_)
        total: Expr | None = None
        sign = 1
        for rank in sorted(groups):
            group = self._factored(type_, groups[rank], terms.own)
            # The constant joins the terms that change least.
            value, positive = self._emit_group(type_, group, constant if total is None else 0)
            if total is None:
                total, sign = value, positive
            elif sign == positive:
                total = self._two("add", total, value)
            elif sign > 0:
                total = self._two("sub", total, value)
            else:
                total, sign = self._two("sub", value, total), 1
        if total is None:
            return const(constant, type_)
        return total if sign > 0 else self._negative(total)

    def _two(self, op: str, a: Expr, b: Expr) -> Expr:
        result = self.builder.build(op, (a, b), a.type)
        self.made.append(result)
        if op == "mul" and (result.op != "mul" or {*result.args} != {a, b}):
            # A rule has multiplied it out, or changed the coefficient: there may be like terms now.
            self.opened = True
        return result

    def _negative(self, node: Expr) -> Expr:
        if node.type.kind == "unsigned":
            return self._two("sub", const(0, node.type), node)
        return self.builder.build("neg", (node,), node.type)

    def _factored(
        self, type_: T.Type, group: list[tuple[Factors, Number]], own: dict[Factors, int]
    ) -> list[tuple[Factors, Number]]:
        """The terms of one rank with a common factor of several products taken out, where that saves a product."""
        if len(group) < 2:
            return group
        while True:
            saved: dict[Expr, int] = {}
            for factors, _ in group:
                if len(factors) > 1 or (factors and factors[0][1] > 1):
                    for f, _ in factors if own.get(factors) else ():
                        saved[f] = saved.get(f, 0) + 1
            best = max(saved.values(), default=0)
            if best < 2:
                return group
            key = self.builder.key
            common = min((f for f, n in saved.items() if n == best), key=key)
            inside, outside = _Terms(type_), list[tuple[Factors, Number]]()
            taken = [t for t in group if common in dict(t[0]) and (own.get(t[0]) or t[0] == ((common, 1),))]
            power = min(dict(factors)[common] for factors, _ in taken)
            for factors, coefficient in group:
                if (factors, coefficient) in taken:
                    rest = tuple((f, n - power if f is common else n) for f, n in factors)
                    inside.add(tuple((f, n) for f, n in rest if n), coefficient, own=True)
                else:
                    outside.append((factors, coefficient))
            scale = self._emit_sum(inside)
            coefficient, factors = self._taken_apart(scale, as_term=False)
            powers = dict(factors)
            powers[common] = powers.get(common, 0) + power
            product = self._sorted(powers.items())
            own = {**own, product: 1}
            if not coefficient:
                return outside
            group = [*outside, (product, coefficient)]
            if len(group) < 2:
                return group

    def _emit_group(
        self, type_: T.Type, group: list[tuple[Factors, Number]], constant: Number
    ) -> tuple[Expr, int]:
        """The sum of terms of one rank, up to its sign, and the sign."""
        key = self.builder.key
        signs: dict[int, list[Expr]] = {1: [], -1: []}
        for factors, coefficient in group:
            positive, magnitude = (1, coefficient) if coefficient > 0 else (-1, -coefficient)
            signs[positive].append(self._emit_product(type_, magnitude, factors))
        for found in signs.values():
            if len(found) > 1:
                found.sort(key=key)
        if constant:
            signs[1 if constant > 0 else -1].append(const(abs(constant), type_))
        if constant < 0 and not signs[1]:
            # A negative constant first saves the negation of all the rest.
            signs[1].append(const(constant, type_))
            signs[-1].pop()
        first, second = (signs[1], signs[-1]) if signs[1] else (signs[-1], signs[1])
        total = first[0]
        for more in first[1:]:
            total = self._two("add", total, more)
        for less in second:
            total = self._two("sub", total, less)
        return total, 1 if signs[1] else -1

    def _emit_signed(self, type_: T.Type, coefficient: Number, factors: Factors) -> Expr:
        if not coefficient or not factors:
            return const(coefficient, type_)
        if coefficient == -1:
            return self._negative(self._emit_product(type_, 1, factors))
        return self._emit_product(type_, coefficient, factors)

    def _emit_product(self, type_: T.Type, coefficient: Number, factors: Factors) -> Expr:
        node = self.shared.get(factors)
        if node is not None:
            return node if coefficient == 1 else self._two("mul", node, const(coefficient, type_))
        if len(factors) == 1 and factors[0][1] == 1:
            node = factors[0][0]
            return node if coefficient == 1 else self._two("mul", node, const(coefficient, type_))
        groups: dict[int, list[tuple[Expr, int]]] = {}
        for f, n in factors:
            groups.setdefault(self.builder.rank(f.free), []).append((f, n))
        total: Expr | None = None
        for rank in sorted(groups):
            value = self._emit_powers(groups[rank])
            if total is None:
                total = value
                if coefficient != 1:
                    total = self._two("mul", total, const(coefficient, type_))
            else:
                total = self._two("mul", total, value)
        return const(coefficient, type_) if total is None else total

    def _emit_powers(self, factors: list[tuple[Expr, int]]) -> Expr:
        """The product of factors of one rank, by repeated squaring."""
        high = max(n for _, n in factors)
        total: Expr | None = None
        bit = 1 << (high.bit_length() - 1)
        while bit:
            if total is not None:
                total = self._two("mul", total, total)
            for f, n in factors:
                if n & bit:
                    total = f if total is None else self._two("mul", total, f)
            bit >>= 1
        return factors[0][0] if total is None else total


def _wrapped(type_: T.Type, value: Number) -> Number:
    """A coefficient in its type: rounded, or wrapped to the number of least magnitude that means the same."""
    if type_.is_float:
        return rounded(type_, value)
    return wrapped(int(value), type_.bits)
