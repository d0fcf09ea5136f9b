"""The parts that a loop falls into where a condition changes, for the moves that cut loops at conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...ir.expr import Expr, apply
from ...ir.nest import Block, For
from ...reasoning.span import Span


def pieces(loop: For, part: Span, inside: Block, outside: Block) -> Iterator[For]:
    """The loops before, in and after a span, leaving out those that are known to do nothing."""
    if not outside:
        yield replace(loop, lo=part.lo, hi=part.hi, body=inside)
        return
    first, last = part.lo, part.hi
    if first is not loop.lo:
        first = _bound("min", part.lo, loop.hi)
        yield replace(loop, hi=first, body=outside)
    if last is not loop.hi:
        last = _bound("max", part.hi, first)
    if inside:
        yield replace(loop, lo=first, hi=last, body=inside)
    if last is not loop.hi:
        yield replace(loop, lo=last, body=outside)


def _bound(op: str, a: Expr, b: Expr) -> Expr:
    """The smaller or the larger of two bounds, where one may be it already."""
    return a if a is b or (b in a.args and a.op == op) else apply(op, a, b)
