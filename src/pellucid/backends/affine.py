"""Positions as sums: which loads and stores lie side by side in memory, and which are one element apart.

An integer expression is written as a sum of multiples of other nodes plus a constant, modulo the width of its type.
Used by back ends that move whole vectors at a time; a sum never replaces the expression, it only tells its shape.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..ir import types as T
from ..ir.expr import Expr

NonWrapping = Callable[[Expr], bool]


@dataclass(frozen=True, slots=True)
class Sum:
    """``sum of count * node`` plus `constant`, modulo two to the width of the type."""

    terms: tuple[tuple[Expr, int], ...]
    constant: int

    def shifted(self, by: int) -> Sum:
        """The same with another constant."""
        return Sum(self.terms, self.constant + by)


def as_sum(node: Expr, *, stop: Callable[[Expr], bool], whole: NonWrapping) -> Sum:
    """An integer expression as a sum.

    Nodes for which `stop` holds are not taken apart. A widening conversion is looked through only if `whole` says that
    its operand cannot have wrapped.

    >>> from pellucid.ir.parse import parse_expr
    >>> as_sum(parse_expr("%i * 10 + (3 - %i)")[0], stop=lambda n: False, whole=lambda n: False)
    Sum(terms=((%i, 9),), constant=3)
    """
    width = node.type.bits
    terms: dict[Expr, int] = {}
    constant = 0
    stack = [(node, 1)]
    while stack:
        n, count = stack.pop()
        if n.op == "const":
            constant += count * int(n.attr)
            continue
        if not stop(n):
            a = n.args[0] if n.args else n
            match n.op:
                case "add":
                    stack += [(n.args[0], count), (n.args[1], count)]
                    continue
                case "sub":
                    stack += [(n.args[0], count), (n.args[1], -count)]
                    continue
                case "neg":
                    stack.append((a, -count))
                    continue
                case "mul" if n.args[1].op == "const" or a.op == "const":
                    x, k = (a, n.args[1]) if n.args[1].op == "const" else (n.args[1], a)
                    stack.append((x, count * int(k.attr)))
                    continue
                case "shift_left_in" if n.args[1].op == "const" and 0 <= n.args[1].attr < width:
                    stack.append((a, count << int(n.args[1].attr)))
                    continue
                case "convert" if (
                    a.type.is_integer
                    and n.type.is_integer
                    and (a.type.bits == n.type.bits or (a.type.bits < n.type.bits and whole(a)))
                ):
                    stack.append((a, count))
                    continue
                case _:
                    pass
        terms[n] = terms.get(n, 0) + count
    half = 1 << (width - 1)

    def small(k: int) -> int:
        return k if -half <= k < half else (k + half) % (2 * half) - half

    order = sorted(terms.items(), key=lambda t: t[0].id) if len(terms) > 1 else terms.items()
    kept = [(n, small(k)) for n, k in order]
    return Sum(tuple([term for term in kept if term[1]]), small(constant))


def index_is_whole(node: Expr) -> bool:
    """Whether a node's value is certainly what ordinary arithmetic would give: it is a loop index or a constant."""
    return node.op in ("index", "const") and node.type in (T.i32, T.i64)
