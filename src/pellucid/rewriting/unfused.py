"""Unfusing: the tricks of rounding in the bodies of rows, taken apart for machines whose compilers fold them.

A pass after expansion, for machines without fused operations. Adding 1.5 * 2**23 to a number leaves the nearest whole
number in the low bits of the sum; drivers of GPUs may simplify the sum and the difference after it to the number
itself. For them the whole number is made by `round`. A multiple of a constant that is taken from a number in one fused
operation, as the reduction of an angle does, is taken in two steps here, by products that need no rounding. Likewise a
fused product less the rounded product is the rest that rounding lost, and is zero where nothing is fused: it is made
of products of halves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..ir import types as T
from ..ir.expr import Expr, apply, const, rebuild, topological
from ..ir.facts import Facts
from ..ir.prims.convert import limits
from ..ir.reduction import MAGIC

if TYPE_CHECKING:
    from .builder import Trace

_MAGIC = {t: const(value, t) for t, value in MAGIC.items()}
_MAGIC_BITS = 0x4B400000
"""The bits of 1.5 * 2**23: up to 2**22 in size, a whole number is added to them as it is to the number."""
_UPPER = {T.f32: const(0xFFFFF000, T.u32), T.f64: const(0xFFFFFFFFF8000000, T.u64)}
"""The sign, the exponent and the first half of the digits of a number: a product of two such halves is exact."""
_LOW, _HIGH = (const(end, T.f32) for end in limits(T.f32, T.i32))


def unfused(
    roots: Sequence[Expr],
    *,
    folds: bool = True,
    ranges: Mapping[Expr, Facts] | None = None,
    proved: dict[Expr, Facts] | None = None,
    trace: Trace | None = None,
) -> list[Expr]:
    """The expressions without additions that round to whole numbers, and without rests of fused products.

    Where the compiler `folds` sums, whole numbers are made by `round`, in f32; otherwise only products and sums are
    taken apart, which f64 has too. Values are equal but for ties between whole numbers, which the bodies of rows take
    either way, and for the last bit of a rest. What `ranges` says of nodes that are rewritten is left in `proved`,
    under the new ones.

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
        number = _number(node, args)
        if number is not None:
            whole[node] = apply("round", number) if folds else number
            done[node] = apply("add", whole[node], _MAGIC[node.type])
            if done[node] is not node:
                _note(trace, "unfuse-round", node, done[node])
        elif folds and _is_whole(node, whole):
            done[node] = whole[node.args[0]]
        elif folds and node.op == "bitcast" and node.type in (T.i32, T.u32) and node.args[0] in whole:
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


def _number(node: Expr, args: tuple[Expr, ...]) -> Expr | None:
    """The number that a sum with the constant rounds in its low bits; None for other nodes."""
    magic = _MAGIC.get(node.type)
    if node.op == "fma" and node.args[2] is magic:
        return apply("mul", args[0], args[1])
    if node.op == "add" and magic in node.args:
        return args[0] if node.args[1] is magic else args[1]
    return None


def _is_whole(node: Expr, whole: Mapping[Expr, Expr]) -> bool:
    """Whether a node is the whole number itself, without the constant."""
    return node.op == "sub" and node.args[0] in whole and node.args[1] is _MAGIC[node.type]


def _integer(whole: Expr, type_: T.Type) -> Expr:
    inside = apply("min", apply("max", whole, _LOW), _HIGH)
    signed = apply("truncate_in", inside, attr=T.i32)
    return signed if type_ is T.i32 else apply("convert", signed, attr=type_)


def _is_multiple(node: Expr, whole: Mapping[Expr, Expr]) -> bool:
    """Whether a node is fma(n, constant, x), with a whole number n that was made here."""
    if node.op != "fma" or node.args[1].op != "const":
        return False
    return _is_whole(node.args[0], whole)


def _multiple(n: Expr, constant: Expr, x: Expr) -> Expr:
    """x + n * constant by the halves of the constant: of a whole number of a few digits both products are exact."""
    t = constant.type
    mask = _UPPER[t]
    word = t.dtype.type(constant.attr).view(mask.type.dtype) & mask.type.dtype.type(mask.attr)
    upper = float(word.view(t.dtype))
    first, second = (const(part, t) for part in (upper, constant.attr - upper))
    return apply("add", apply("add", apply("mul", n, first), x), apply("mul", n, second))


def _is_rest(node: Expr) -> bool:
    """Whether a node is fma(a, b, -(a * b))."""
    if node.op != "fma" or node.type not in _UPPER or node.args[2].op != "neg":
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
    mask = _UPPER[x.type]
    word = apply("and", apply("bitcast", x, attr=mask.type), mask)
    upper = apply("bitcast", word, attr=x.type)
    return upper, apply("sub", x, upper)
