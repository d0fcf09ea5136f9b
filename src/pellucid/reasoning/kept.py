"""What a loop keeps from one iteration to the next: the values of the places `Once` in its body.

For back ends, which reset it where the loop begins, and for the check that nothing stores to what was loaded.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.expr import Expr, get
from ..ir.nest import Block, For, Once, Repeat, While, blocks


def remembered(values: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The values that are kept one by one: the components of an iterate instead of the iterate."""
    return tuple(
        component
        for v in values
        for component in ([get(v, k) for k in range(v.attr[1])] if v.op == "iterate" else [v])
    )


def kept_by(body: Block) -> Iterator[Once]:
    """The places in a loop's body whose values the loop keeps from one iteration to the next."""
    stack = [(s, 1) for s in body]
    while stack:
        s, loops = stack.pop()
        if isinstance(s, Once) and s.across == loops:
            yield s
        inside = loops + isinstance(s, For | While | Repeat)
        stack += [(x, inside) for b in blocks(s) for x in b]
