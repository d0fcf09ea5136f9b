"""Unfusing: the tricks of rounding in the bodies of rows, taken apart for machines whose compilers fold them.

A pass after expansion, for GPUs only. Adding 1.5 * 2**23 to a number leaves the nearest whole number in the low bits of
the sum; drivers of GPUs may simplify the sum and the difference after it to the number itself. Here the whole number
is made by `round`. A multiple of a constant that is taken from a number in one fused operation, as the reduction of an
angle does, is taken in two steps here, by products that need no rounding. Likewise a fused product less the rounded
product is the rest that rounding lost, and is zero where nothing is fused: it is made of products of halves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..ir import types as T
from ..ir.expr import Expr, apply, const, rebuild, topological
from ..ir.facts import Facts
from ..ir.prims.convert import limits
from ..ir.reduction import MAGIC

if TYPE_CHECKING:
    from .builder import Trace

_MAGIC = const(MAGIC[T.f32], T.f32)
_MAGIC_BITS = 0x4B400000
"""The bits of 1.5 * 2**23: up to 2**22 in size, a whole number is added to them as it is to the number."""
_UPPER = const(0xFFFFF000, T.u32)
"""The sign, the exponent and the first 12 digits of a number: products of two such halves have 24 digits."""
_LOW, _HIGH = (const(end, T.f32) for end in limits(T.f32, T.i32))


def unfused(
    roots: Sequence[Expr],
    *,
    ranges: Mapping[Expr, Facts] | None = None,
    proved: dict[Expr, Facts] | None = None,
    trace: Trace | None = None,
) -> list[Expr]:
    """The expressions without additions that round to whole numbers, and without rests of fused products.

    Only f32. Values are equal but for ties between whole numbers, which the bodies of rows take either way, and for the
    last bit of a rest. What `ranges` says of nodes that are rewritten is left in `proved`, under the new ones.

    >>> from pellucid.ir.parse import parse_expr
    >>> unfused(parse_expr("fma($x:f32, 2.0, 12582912.0) - 12582912.0"))
    [round($x:f32 * 2.0)]
    >>> unfused(parse_expr("bitcast.u32($x:f32 + 12582912.0) & 1:u32"))
    [convert.u32(truncate_in.i32(min(max(round($x:f32), -2.1474836e+09), 2.1474835e+09))) + 1262485504:u32 & 1:u32]
    """
    done: dict[Expr, Expr] = {}
    whole: dict[Expr, Expr] = {}
    for node in topological(roots):
        args = tuple([done[a] for a in node.args])
        rounded = _rounded(node, args)
        if rounded is not None:
            whole[node] = rounded
            done[node] = apply("add", rounded, _MAGIC)
            _note(trace, "unfuse-round", node, done[node])
        elif node.op == "sub" and node.args[0] in whole and node.args[1] is _MAGIC:
            done[node] = whole[node.args[0]]
        elif node.op == "bitcast" and node.type in (T.i32, T.u32) and node.args[0] in whole:
            done[node] = apply("add", _integer(whole[node.args[0]], node.type), const(_MAGIC_BITS, node.type))
        elif _is_multiple(node, whole):
            done[node] = _multiple(*args)
            _note(trace, "unfuse-multiple", node, done[node])
        elif _is_rest(node):
            done[node] = _rest(*args)
            _note(trace, "unfuse-rest", node, done[node])
        else:
            done[node] = node if args == node.args else rebuild(node, args)
        if proved is not None and ranges is not None and done[node] is not node and node in ranges:
            proved[done[node]] = ranges[node]
    return [done[r] for r in roots]


def _note(trace: Trace | None, name: str, before: Expr, after: Expr) -> None:
    if trace is not None:
        trace.note(name, before, after)


def _rounded(node: Expr, args: tuple[Expr, ...]) -> Expr | None:
    """The whole number that a sum with the constant makes in its low bits; None for other nodes."""
    if node.op == "fma" and node.args[2] is _MAGIC:
        return apply("round", apply("mul", args[0], args[1]))
    if node.op == "add" and _MAGIC in node.args and node.type is T.f32:
        return apply("round", args[0] if node.args[1] is _MAGIC else args[1])
    return None


def _integer(whole: Expr, type_: T.Type) -> Expr:
    inside = apply("min", apply("max", whole, _LOW), _HIGH)
    signed = apply("truncate_in", inside, attr=T.i32)
    return signed if type_ is T.i32 else apply("convert", signed, attr=type_)


def _is_multiple(node: Expr, whole: Mapping[Expr, Expr]) -> bool:
    """Whether a node is fma(n, constant, x), with a whole number n that was made here."""
    if node.op != "fma" or node.args[1].op != "const":
        return False
    n = node.args[0]
    return n.op == "sub" and n.args[0] in whole and n.args[1] is _MAGIC


def _multiple(n: Expr, constant: Expr, x: Expr) -> Expr:
    """x + n * constant by the halves of the constant: of a whole number below 4096 both products are exact."""
    word = np.float32(constant.attr).view(np.uint32) & np.uint32(_UPPER.attr)
    upper = float(word.view(np.float32))
    first, second = (const(part, T.f32) for part in (upper, constant.attr - upper))
    return apply("add", apply("add", apply("mul", n, first), x), apply("mul", n, second))


def _is_rest(node: Expr) -> bool:
    """Whether a node is fma(a, b, -(a * b))."""
    if node.op != "fma" or node.type is not T.f32 or node.args[2].op != "neg":
        return False
    product = node.args[2].args[0]
    return product.op == "mul" and set(product.args) == {*node.args[:2]}


def _rest(a: Expr, b: Expr, minus: Expr) -> Expr:
    (a1, a0), (b1, b0) = _halves(a), _halves(b)
    total = apply("add", apply("mul", a1, b1), minus)
    for x, y in ((a1, b0), (a0, b1), (a0, b0)):
        total = apply("add", total, apply("mul", x, y))
    return total


def _halves(x: Expr) -> tuple[Expr, Expr]:
    """A number as a sum of two of half its digits."""
    word = apply("and", apply("bitcast", x, attr=T.u32), _UPPER)
    upper = apply("bitcast", word, attr=T.f32)
    return upper, apply("sub", x, upper)
