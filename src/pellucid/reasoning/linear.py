"""Linear forms: integers as sums of multiples of other nodes, for arguments about positions and bounds.

A sum tells the shape of an expression and never replaces it: their values differ by a multiple of two to the width of
the type. Moves and back ends ask it which accesses lie side by side in memory, and how far apart others are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..ir import types as T
from ..ir.expr import Expr, apply, const
from ..ir.interp import fold
from .infer import FactsOf

NonWrapping = Callable[[Expr], bool]


@dataclass(frozen=True, slots=True)
class Sum:
    """``sum of count * node`` plus `constant`, modulo two to the width of the type; no count is 0."""

    terms: tuple[tuple[Expr, int], ...]
    constant: int

    def shifted(self, by: int) -> Sum:
        """The same with another constant."""
        return Sum(self.terms, self.constant + by)

    def range(self, facts: FactsOf) -> tuple[int, int]:
        """The interval of its value in whole numbers, from those of its nodes."""
        low = high = self.constant
        for n, count in self.terms:
            f = facts(n)
            ends = (int(f.lo) * count, int(f.hi) * count)
            low, high = low + min(ends), high + max(ends)
        return low, high


def as_sum(node: Expr, *, stop: Callable[[Expr], bool], whole: NonWrapping) -> Sum:
    """An integer expression as a sum, its nodes in the order of their numbers, counts and constant in its type.

    Nodes for which `stop` holds are not taken apart. A widening conversion is looked through only if `whole` says that
    its operand cannot have wrapped.

    >>> from pellucid.ir.parse import parse_expr
    >>> as_sum(parse_expr("%i * 10 + (3 - %i)")[0], stop=lambda n: False, whole=lambda n: False)
    Sum(terms=((%i, 9),), constant=3)
    """

    def through(n: Expr) -> bool:
        (a,) = n.args
        same = a.type.bits == n.type.bits or (a.type.bits < n.type.bits and whole(a))
        return a.type.is_integer and n.type.is_integer and same

    found, constant = _collected(node, stop, through)
    half = 1 << (node.type.bits - 1)

    def small(k: int) -> int:
        return k if -half <= k < half else (k + half) % (2 * half) - half

    order = sorted(found.items(), key=lambda t: t[0].id) if len(found) > 1 else found.items()
    kept = [(n, small(k)) for n, k in order]
    return Sum(tuple([term for term in kept if term[1]]), small(constant))


def exact_sum(node: Expr, facts: FactsOf) -> Sum | None:
    """An integer as a sum that has its very value, nodes in the order in which it names them; None if it might wrap.

    >>> from pellucid.ir.facts import Facts
    >>> from pellucid.ir.parse import parse_expr
    >>> small = FactsOf({parse_expr("%i")[0]: Facts(0, 9)})
    >>> found = exact_sum(parse_expr("(%i + 3) * 4 + convert.i32($b:u8)")[0], small)
    >>> found and (found.terms, found.constant)
    (((%i, 4), (convert.i32($b:u8), 1)), 12)
    """
    found, constant = _collected(node, lambda n: False, lambda n: False)
    result = Sum(tuple([term for term in found.items() if term[1]]), constant)
    low, high = result.range(facts)
    # Modulo the width, the sum is the value; without a wrap, it is the value itself.
    return result if node.type.low <= low and high <= node.type.high else None


def _collected(
    node: Expr, stop: Callable[[Expr], bool], through: Callable[[Expr], bool]
) -> tuple[dict[Expr, int], int]:
    """The counts of nodes in the order in which an expression names them, and the constant."""
    found: dict[Expr, int] = {}
    constant = 0
    stack = [(node, 1)]
    while stack:
        n, count = stack.pop()
        if n.op == "const":
            constant += count * int(n.attr)
            continue
        if not stop(n):
            args = n.args
            match n.op:
                case "add":
                    stack += [(args[1], count), (args[0], count)]
                    continue
                case "sub":
                    stack += [(args[1], -count), (args[0], count)]
                    continue
                case "neg":
                    stack.append((args[0], -count))
                    continue
                case "mul" if args[1].op == "const":
                    stack.append((args[0], count * int(args[1].attr)))
                    continue
                case "mul" if args[0].op == "const":
                    stack.append((args[1], count * int(args[0].attr)))
                    continue
                case "shift_left" | "shift_left_in" if (
                    args[1].op == "const" and 0 <= args[1].attr < n.type.bits
                ):
                    stack.append((args[0], count << int(args[1].attr)))
                    continue
                case "convert" if through(n):
                    stack.append((args[0], count))
                    continue
                case _:
                    pass
        found[n] = found.get(n, 0) + count
    return found, constant


def index_is_whole(node: Expr) -> bool:
    """Whether a node's value is certainly what ordinary arithmetic would give: it is a loop index or a constant."""
    return node.op in ("index", "const") and node.type in (T.i32, T.i64)


def folded(op: str, a: Expr, b: Expr) -> Expr:
    """An operator on two integers, computed if both are constants; adding 0 and multiplying by 1 are left out.

    >>> from pellucid.ir.expr import index
    >>> i = index("i")
    >>> folded("add", folded("mul", i, const(1, T.i32)), folded("sub", const(7, T.i32), const(7, T.i32)))
    %i
    """
    if a.op == "const" and b.op == "const":
        node = apply(op, a, b)
        return const(fold(op, (a, b), node.type), node.type)
    if (
        b.op == "const"
        and b.attr == (0 if op in ("add", "sub") else 1)
        and op in ("add", "sub", "mul", "floor_div")
    ):
        return a
    if a.op == "const" and a.attr == (0 if op == "add" else 1) and op in ("add", "mul"):
        return b
    return apply(op, a, b)
