"""Forms: integer expressions as sums of products of atoms, for arguments about positions.

``(j + 1) * w + i - 1`` is ``j*w + i + w - 1``. Machine integers wrap, and wrapping keeps sums and products: the value
of the form in whole numbers and the value of the expression differ by a multiple of two to the width of the type. What
follows from a form therefore holds modulo that number, and a caller who needs more asks for the interval. The sums
are those of `linear`, with products in the place of nodes.

An atom carries a mark. Equal atoms with equal marks have equal values; one index in two loops, or one load at two
moments, is two atoms with different marks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ..base.record import record
from ..ir import types as T
from ..ir.expr import Expr, topological
from ..ir.facts import Facts
from .infer import extent
from .linear import collected, multiples

MAX_TERMS = 64
"""A product that would have more terms stays an atom, so that forms are small whatever is written."""


class Atom(NamedTuple):
    """An expression that is not taken apart, and whose value it is: see the head of this file."""

    node: Expr
    mark: int = 0


Product = tuple[Atom, ...]
Marking = Callable[[Expr], int]
Knowing = Callable[[Atom], Facts]


@record
class Form:
    """A sum of multiples of products of atoms; the empty product is the constant. No multiple is 0."""

    terms: Mapping[Product, int]

    def __iter__(self) -> Iterator[tuple[Product, int]]:
        """The products with their multiples."""
        return iter(self.terms.items())

    def __add__(self, other: Form) -> Form:
        """The sum."""
        return Form(collected([*self, *other]))

    def __mul__(self, by: int | Form) -> Form:
        """The product with a number or with a form."""
        if isinstance(by, int):
            return Form({p: c * by for p, c in self} if by else {})
        return Form(collected([(tuple(sorted((*p, *q), key=_order)), c * d) for p, c in self for q, d in by]))

    def __sub__(self, other: Form) -> Form:
        """The difference."""
        return self + other * -1

    def __str__(self) -> str:
        """As written on paper."""
        shown = sorted(
            (-len(product), count < 0, sorted(map(_word, product)), count) for product, count in self
        )
        words = ""
        for _, _, factors, count in shown:
            size = [str(abs(count))] if abs(count) != 1 or not factors else []
            sign = "-" if count < 0 else "+"
            words += f" {sign} " if words else "-" if count < 0 else ""
            words += "*".join(size + factors)
        return words or "0"

    def atoms(self) -> set[Atom]:
        """Every atom in it."""
        return {a for product, _ in self for a in product}

    def split(self, atom: Atom) -> tuple[Form, Form] | None:
        """``(by, rest)`` such that the form is ``by * atom + rest``; None if the atom is multiplied with itself."""
        by: dict[Product, int] = {}
        rest: dict[Product, int] = {}
        for product, count in self:
            if product.count(atom) > 1:
                return None
            if atom in product:
                by[tuple(a for a in product if a != atom)] = count
            else:
                rest[product] = count
        return Form(by), Form(rest)

    def facts(self, knowing: Knowing) -> Facts:
        """The interval and the residue of its value in whole numbers, from those of its atoms."""
        lo = hi = modulus = residue = 0
        for product, count in self:
            low, high, step, rest = count, count, 0, count
            for atom in product:
                f = knowing(atom)
                ends = [x * y for x in (low, high) for y in (int(f.lo), int(f.hi))]
                low, high = min(ends), max(ends)
                step = math.gcd(step * f.modulus, step * f.residue, f.modulus * rest)
                rest *= f.residue
            low, high = _declared(product, count, low, high, knowing)
            lo, hi = lo + low, hi + high
            modulus, residue = math.gcd(modulus, step), residue + rest
        return Facts(lo, hi, modulus=modulus, residue=residue % modulus if modulus else residue)


def number(value: int) -> Form:
    """A constant."""
    return Form({(): value} if value else {})


def _declared(product: Product, count: int, low: int, high: int, knowing: Knowing) -> tuple[int, int]:
    """The interval of a multiple of a product, narrowed by what is known of the product of sizes as such."""
    sizes = [a.node for a in product if a.node.op == "param" and not a.mark]
    if len(product) < 2 or len(sizes) < len(product) or max(-low, high) > T.i64.high:
        return low, high
    f = knowing(Atom(extent(sizes)))
    ends = (count * int(f.lo), count * int(f.hi))
    return max(low, min(ends)), min(high, max(ends))


def _order(atom: Atom) -> tuple[int, int]:
    return atom.node.id, atom.mark


def _word(atom: Atom) -> str:
    from ..ir.text import Printer

    # The atoms of one moment or one loop are told from their namesakes by primes.
    text = str(atom.node.attr) if atom.node.op in ("index", "param") else Printer().show(atom.node)
    return f"({text})" * (" " in text) + text * (" " not in text) + "'" * atom.mark


def form(node: Expr, mark: Marking, knowing: Knowing) -> Form:
    """The form of an integer expression; `mark` gives the mark of an atom, `knowing` what is known of one.

    A conversion to a wider type is looked through if what is converted surely did not wrap.

    >>> from pellucid.ir.parse import parse_expr
    >>> from pellucid.ir.facts import top
    >>> print(form(parse_expr("(%j + 1) * $w:i32 + %i - 1")[0], lambda n: 0, lambda a: top(a.node.type)))
    j*w + i + w - 1
    """
    done: dict[Expr, Form] = {}
    for n in topological([node]):
        if n.type.is_integer or n.op == "convert":
            done[n] = _form(n, done, knowing) or Form({(Atom(n, mark(n)),): 1})
    return done[node]


def _form(n: Expr, done: Mapping[Expr, Form], knowing: Knowing) -> Form | None:
    """The form of a node from those of its operands; None if it is an atom."""
    parts = [done[a] for a in n.args if a in done]
    if n.op == "const":
        return number(int(n.attr))
    if len(parts) < len(n.args) or not parts:
        return None
    sums = multiples(n)
    if sums is not None:
        return Form(collected([(product, c * k) for a, k in sums for product, c in done[a].terms.items()]))
    match n.op:
        case "mul" if len(parts[0].terms) * len(parts[1].terms) <= MAX_TERMS:
            return parts[0] * parts[1]
        case "convert":
            source = n.args[0].type
            kept = n.type.bits <= source.bits or parts[0].facts(knowing).within(source.low, source.high)
            return parts[0] if source.is_integer and n.type.is_integer and kept else None
        case _:
            return None
