"""Linear forms: numbers as sums of multiples of other nodes, for arguments about positions and bounds.

A sum tells the shape of an expression and never replaces it: their values differ by a multiple of two to the width of
the type. Moves and back ends ask it which accesses lie side by side in memory, and how far apart others are. What
operators do to multiples is stated here alone; `forms` has products of nodes as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from ..base.record import record
from ..ir import types as T
from ..ir.expr import Expr, apply, const
from ..ir.interp import fold
from .infer import FactsOf

NonWrapping = Callable[[Expr], bool]
Term = TypeVar("Term")

MAX_PARTS = 1000
"""Sums in a sum that are taken apart: a value that is added to itself again and again would have no end of them."""
SIGNS: Mapping[str, tuple[int, ...]] = {"add": (1, 1), "sub": (1, -1), "neg": (-1,)}
"""Multiples of the operands, whatever these are."""


def multiples(node: Expr) -> tuple[tuple[Expr, int], ...] | None:
    r"""The operands of which a number is the sum, each with its multiple; None if its operator makes no sum.

    Multiples of floats are floats.

    >>> from pellucid.ir.parse import parse_expr
    >>> [multiples(n) for n in parse_expr("%i - $n:i32\n%i << 3\n%i * $n:i32")]
    [((%i, 1), ($n:i32, -1)), ((%i, 8),), None]
    """
    op, args = node.op, node.args
    if op in SIGNS:
        return tuple(zip(args, SIGNS[op], strict=True))
    if op == "mul":
        a, b = args
        if b.op == "const":
            return ((a, b.attr),)
        return ((b, a.attr),) if a.op == "const" else None
    if op in ("shift_left", "shift_left_in") and args[1].op == "const":
        places = args[1].attr
        return ((args[0], 1 << places),) if 0 <= places < node.type.bits else None
    return None


def collected(terms: Iterable[tuple[Term, int]]) -> dict[Term, int]:
    """Like terms added up, in the order in which they come first; those that cancel are left out."""
    found: dict[Term, int] = {}
    for term, count in terms:
        found[term] = found.get(term, 0) + count
    return {term: count for term, count in found.items() if count}


def wrapped(count: int, bits: int) -> int:
    """The number of least magnitude that means the same to so many bits; of two, the positive one.

    >>> wrapped(255, 8), wrapped(128, 8), wrapped(-128, 8)
    (-1, 128, 128)
    """
    half = 1 << bits >> 1
    return count if -half < count <= half else (count + half - 1) % (2 * half) - half + 1


@record
class Sum:
    """``sum of count * node`` plus `constant`, modulo two to the width of the type; no count is 0."""

    terms: tuple[tuple[Expr, int], ...]
    constant: int

    def range(self, facts: FactsOf) -> tuple[int, int]:
        """The interval of its value in whole numbers, from those of its nodes."""
        low = high = self.constant
        for n, count in self.terms:
            f = facts(n)
            ends = (int(f.lo) * count, int(f.hi) * count)
            low, high = low + min(ends), high + max(ends)
        return low, high

    def fits(self, type_: T.Type, facts: FactsOf) -> bool:
        """Whether the sum modulo the width of a type is the sum itself."""
        low, high = self.range(facts)
        return type_.low <= low and high <= type_.high

    def node(self, type_: T.Type) -> Expr:
        """An integer of a type with its value."""
        found = const(self.constant, type_)
        for n, count in self.terms:
            found = folded("add", folded("mul", n, const(count, type_)), found)
        return found


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
    order = sorted(found.items(), key=lambda t: t[0].id) if len(found) > 1 else found.items()
    bits = node.type.bits
    terms = tuple([(n, k) for n, count in order if (k := wrapped(count, bits))])
    return Sum(terms, wrapped(constant, bits))


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
    stack, left = [(node, 1)], MAX_PARTS
    while stack:
        n, count = stack.pop()
        if n.op == "const":
            constant += count * n.attr
            continue
        if left and not stop(n):
            parts = multiples(n)
            if parts is not None:
                left -= 1
                for a, k in parts[::-1]:
                    stack.append((a, count * k))
                continue
            if n.op == "convert" and through(n):
                stack.append((n.args[0], count))
                continue
        found[n] = found.get(n, 0) + count
    return found, constant


def slope(node: Expr, index: Expr) -> Expr | None:
    r"""The growth of a number with each step of an index: 0 if the index is not in it, None if the steps are not even.

    It is that of the real numbers behind the node: for integers it holds as they wrap, for floats up to rounding.

    >>> from pellucid.ir.parse import parse_expr
    >>> slope(*parse_expr("(%j + 1) * $width:i32 + %i\n%j"))
    $width:i32
    >>> slope(*parse_expr("%i * %i\n%i")) is None
    True
    """
    found: dict[Expr, Expr | None] = {}
    stack = [node]
    while stack:
        n = stack.pop()
        if n is index or (n.op == "convert" and n.args[0] is index):
            # Of other operands of conversions it is not known whether they fit.
            found[n] = const(1, n.type)
            continue
        parts = _moving(n, index)
        left = [a for a, _ in parts or () if a not in found]
        if left:
            stack += [n, *left]
        else:
            found[n] = None if parts is None else _grown(n.type, [(found[a], by) for a, by in parts])
    return found[node]


def _moving(n: Expr, index: Expr) -> list[tuple[Expr, Expr]] | None:
    """The operands with which a number moves along an index, and their factors; None if it is no sum of such."""
    if not n.free & index.free:
        return []
    parts = multiples(n)
    if parts is not None:
        return [(a, const(k, n.type)) for a, k in parts]
    if n.op not in ("mul", "fma"):
        return None
    a, b, *rest = n.args
    still, moving = (b, a) if a.free & index.free else (a, b)
    return None if still.free & index.free else [(moving, still), *((c, const(1, n.type)) for c in rest)]


def _grown(type_: T.Type, steps: Iterable[tuple[Expr | None, Expr]]) -> Expr | None:
    total = const(0, type_)
    for step, by in steps:
        if step is None:
            return None
        # Of the real numbers behind floats, a product with 0 is 0 as well.
        zero = next((x for x in (step, by) if x.op == "const" and x.attr == 0), None)
        total = folded("add", total, folded("mul", step, by) if zero is None else zero)
    return total


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
