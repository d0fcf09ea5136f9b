"""Affine forms: an expression as a sum of uniform multiples of loop indices plus a uniform rest.

Part of `reasoning`, for moves that ask how a position or a condition changes along a loop. The form tells of the real
numbers behind the expression: for integers it holds as they wrap, for floats up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from ..ir import types as T
from ..ir.expr import Expr, const
from .linear import folded


@dataclass(frozen=True, slots=True)
class Affine:
    """``rest + sum of coefficient * index``; the coefficients and the rest depend on none of the indices.

    Coefficients and rest have the type of the expression, whatever the type of the indices.
    """

    rest: Expr
    coefficients: Mapping[Expr, Expr] = field(default_factory=dict[Expr, Expr])

    def __str__(self) -> str:
        """As a sum."""
        terms = [f"({c!r}) * {index.attr}" for index, c in self.coefficients.items()]
        return " + ".join([*terms, repr(self.rest)])


def affine(node: Expr, indices: Iterable[Expr]) -> Affine | None:
    """The affine form of a number in some loop indices; None if it has none.

    >>> from pellucid.ir.parse import parse_expr
    >>> position = parse_expr("(%j + 1) * $width:i32 + %i")[0]
    >>> found = affine(position, parse_expr("%j")) or "none"
    >>> print(found)
    ($width:i32) * j + $width:i32 + %i
    >>> affine(parse_expr("%i * %i")[0], parse_expr("%i")) is None
    True
    """
    mask = 0
    for index in indices:
        mask |= index.free
    forms: dict[Expr, Affine | None] = {}
    stack = [node]
    while stack:
        n = stack[-1]
        if n in forms:
            stack.pop()
        elif not n.free & mask:
            forms[n] = Affine(n)
        elif n.op == "index":
            forms[n] = _index(n, n.type)
        elif n.op not in _FORMS:
            forms[n] = None
        else:
            left = [a for a in n.args if a not in forms]
            stack += left
            if not left:
                parts = [p for a in n.args if (p := forms[a]) is not None]
                forms[n] = _FORMS[n.op](n, parts) if len(parts) == len(n.args) else None
    return forms[node]


def _index(index: Expr, type_: T.Type) -> Affine:
    return Affine(const(0, type_), {index: const(1, type_)})


def _sum(a: Affine, b: Affine) -> Affine:
    found = dict(a.coefficients)
    for index, c in b.coefficients.items():
        found[index] = folded("add", found[index], c) if index in found else c
    return Affine(folded("add", a.rest, b.rest), found)


def _product(a: Affine, b: Affine) -> Affine | None:
    if not a.coefficients:
        return _scaled(b, a.rest)
    return None if b.coefficients else _scaled(a, b.rest)


def _scaled(a: Affine, by: Expr) -> Affine:
    return Affine(_times(a.rest, by), {index: _times(c, by) for index, c in a.coefficients.items()})


def _times(a: Expr, b: Expr) -> Expr:
    """A product of which one factor may be 0: of the real numbers behind floats, that is 0 as well."""
    zero = next((x for x in (a, b) if x.op == "const" and x.attr == 0), None)
    return folded("mul", a, b) if zero is None else zero


def _converted(node: Expr, parts: list[Affine]) -> Affine | None:
    """Of an index as another number; of anything else it is not known whether it fits."""
    index = node.args[0]
    return _index(index, node.type) if index.op == "index" and node.type is not T.boolean else None


def _fused(node: Expr, parts: list[Affine]) -> Affine | None:
    product = _product(parts[0], parts[1])
    return None if product is None else _sum(product, parts[2])


def _shifted(node: Expr, parts: list[Affine]) -> Affine | None:
    if node.args[1].op != "const":
        return None
    places = node.args[1].attr
    return _scaled(parts[0], const(1 << places if 0 <= places < node.type.bits else 0, node.type))


_FORMS: Mapping[str, Callable[[Expr, list[Affine]], Affine | None]] = {
    "convert": _converted,
    "neg": lambda node, parts: _scaled(parts[0], const(-1, node.type)),
    "add": lambda node, parts: _sum(parts[0], parts[1]),
    "sub": lambda node, parts: _sum(parts[0], _scaled(parts[1], const(-1, node.type))),
    "mul": lambda node, parts: _product(parts[0], parts[1]),
    "fma": _fused,
    "shift_left": _shifted,
    "shift_left_in": _shifted,
}
"""The form of a node that depends on the indices, by its operator, from those of its operands; others have none."""
