"""Narrowing: arithmetic on samples of a few bits in 16 bits where it was in 32, so that twice as many lanes fit.

A pass after simplification. What is loaded as 8 or 16 bits and stays below 65536 all along is computed in u16, exactly;
the facts prove it, node by node. So is the last step of what is then cut to 16 bits or less, whose bits beyond nobody
sees. Nodes that anything else needs are widened where that needs them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..ir import types as T
from ..ir.expr import Expr, apply, const, rebuild, topological
from ..ir.facts import Facts
from ..reasoning.infer import FactsOf

if TYPE_CHECKING:
    from .builder import Trace

WHOLE = frozenset(
    ("add", "sub", "mul", "and", "or", "xor", "min", "max", "choose", "shift_left_in", "shift_right_in")
)
"""Rows whose result is the same number in any width that holds the operands and it."""
MODULAR = WHOLE - {"min", "max", "choose", "shift_right_in"}
"""Rows whose low bits hang on the low bits of their operands alone."""
COMPARED = frozenset(("lt", "le", "eq", "ne"))
NARROW = T.u16
SMALL = (T.u8, T.u16)
"""The types of samples that it starts from."""


def narrow(
    roots: Sequence[Expr],
    *,
    ranges: Mapping[Expr, Facts] | None = None,
    proved: dict[Expr, Facts] | None = None,
    trace: Trace | None = None,
) -> list[Expr]:
    """The expressions with samples computed in 16 bits where these hold them; the same values.

    What `ranges` says of nodes that are rewritten is left in `proved`, under the new ones.

    >>> from pellucid.ir.parse import parse_expr
    >>> text = "convert.f32((convert.u32(a[%i]) << 4:u32) + convert.u32(a[%i + 1]))"
    >>> from pellucid.ir.expr import Buffer
    >>> from .simplify import simplify
    >>> narrow(simplify(parse_expr(text, {"a": Buffer("a", T.u8, 9)})))
    [buffer a: u8[9]
    convert.f32(convert.u16(a[%i + 1]) + shift_left_in(convert.u16(a[%i]), 4:u16))]
    """
    nodes = topological(roots)
    if not any(n.op == "convert" and n.args[0].type in SMALL for n in nodes):
        return list(roots)
    facts = FactsOf.handed_on(ranges)
    inside: dict[Expr, bool] = {}
    gains = False
    seen = set(roots)
    for n in nodes:
        if n.op != "convert" or n.type not in SMALL:
            seen.update(n.args)
    for n in nodes:
        inside[n] = _holds(n, inside, facts, cut=n not in seen)
        gains = gains or (inside[n] and n.op in WHOLE)
    if not gains:
        return list(roots)
    small: dict[Expr, Expr] = {}
    done: dict[Expr, Expr] = {}

    def wide(n: Expr) -> Expr:
        if n not in done:
            done[n] = _widened(small[n], n.type)
        return done[n]

    for n in nodes:
        if inside[n]:
            small[n] = _narrowed(n, small, done)
            if trace is not None and n.op != "const":
                trace.note(f"narrow-{n.op}", n, small[n])
        elif n.op in COMPARED and all(inside.get(a, False) for a in n.args):
            done[n] = apply(n.op, *(small[a] for a in n.args))
            if trace is not None:
                trace.note(f"narrow-{n.op}", n, done[n])
        elif n.op == "convert" and inside.get(n.args[0], False):
            done[n] = _widened(small[n.args[0]], n.type)
            if trace is not None:
                trace.note("narrow-convert", n, done[n])
        else:
            args = tuple(wide(a) for a in n.args)
            done[n] = n if args == n.args else rebuild(n, args)
    if ranges and proved is not None:
        proved.update((done[n], f) for n, f in ranges.items() if done.get(n, n) is not n)
    return [wide(r) for r in roots]


def _holds(n: Expr, inside: Mapping[Expr, bool], facts: FactsOf, *, cut: bool) -> bool:
    """Whether a node is a whole number of 32 bits that can be computed in 16 from operands that can.

    Of a node that is `cut`, only 16 bits are seen.
    """
    if n.type not in (T.u32, T.i32):
        return False
    if n.op == "const":
        return 0 <= n.attr <= NARROW.high
    if n.op == "convert":
        return n.args[0].type in SMALL
    if n.op not in WHOLE or not ((cut and n.op in MODULAR) or facts(n).within(0, NARROW.high)):
        return False
    if n.op in ("shift_left_in", "shift_right_in") and not _below(n.args[1], NARROW.bits):
        return False
    args = n.args[1:] if n.op == "choose" else n.args
    return all(inside[a] for a in args) and any(a.op != "const" for a in args)


def _below(amount: Expr, bits: int) -> bool:
    """Whether the amount of a shift is a constant below a width; it may be that of something else only by its facts."""
    return amount.op == "const" and 0 <= amount.attr < bits


def _narrowed(n: Expr, small: Mapping[Expr, Expr], done: Mapping[Expr, Expr]) -> Expr:
    if n.op == "const":
        return const(n.attr, NARROW)
    if n.op == "convert":
        x = done[n.args[0]]
        return x if x.type is NARROW else apply("convert", x, attr=NARROW)
    if n.op == "choose":
        return apply("choose", done[n.args[0]], small[n.args[1]], small[n.args[2]])
    return apply(n.op, *(small[a] for a in n.args))


def _widened(x: Expr, type_: T.Type) -> Expr:
    if x.op == "const":
        return const(x.attr, type_)
    if x.op == "convert" and x.args[0].type is T.u8:
        x = x.args[0]
    return x if x.type is type_ else apply("convert", x, attr=type_)
