"""strength_reduce: a product with a loop's index is not multiplied but added up, step by step (Cocke and Kennedy 1977).

The running value is a scalar: one element of scratch memory. It pays where multiplication is dear; the timer tells.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir import expr as E
from ...ir import types as T
from ...ir.expr import Expr, const, substitute, topological
from ...ir.nest import Alloc, For, Kernel, Statement, Store, all_roots
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import shown, untouched
from ...reasoning.linear import folded, slope
from ...reasoning.prove import Proved, Verdict, decided
from ..analysis.independence import IN_ORDER
from ..core.build import fresh_buffer, index_bits, with_value
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem

ZERO = const(0, T.i32)


def product(loop: Statement | None) -> tuple[Expr, Expr] | None:
    """The last product in a loop's body that grows evenly with the index, and its step; None if there is none."""
    if not isinstance(loop, For):
        return None
    inside = index_bits((loop,))
    for node in reversed(topological(all_roots(loop.body))):
        even = node.op == "mul" and node.type.is_integer and node.free & inside == loop.index.free
        if even and not E.in_iteration(node):
            step = slope(node, loop.index)
            if step is not None:
                return node, step
    return None


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Loops with such a product, innermost first."""
    loops = [(p, s) for p, s in paths(kernel.body) if isinstance(s, For)]
    for path, s in sorted(loops, key=lambda loop: -len(loop[0])):
        if product(s) is not None:
            yield path


def _product(site: Site) -> tuple[Expr, Expr]:
    found = product(site.statement)
    assert found is not None  # noqa: S101 - the theorem's shape
    return found


def _has_product(site: Site) -> Verdict:
    order = IN_ORDER.test(site)
    if not isinstance(order, Proved):
        return order
    return decided(product(site.statement) is not None, "a product grows evenly", f"{site} has none")


def _memory_unchanged(site: Site) -> Verdict:
    loop = site.statement
    assert isinstance(loop, For)  # noqa: S101 - the theorem's shape
    return untouched(_product(site), loop.body)


STEPS = Theorem(
    "a product with an index grows by the same amount in every iteration",
    "Modulo the width of its type, an affine value may be added up.",
    (
        Clause(
            "memory-unchanged",
            lambda s: f"the loop stores to nothing that {shown(_product(s)[0])} loads",
            _memory_unchanged,
        ),
    ),
    shape=Clause(
        "even-product",
        "the site is a loop in order with a product of integers that is affine in the index",
        _has_product,
    ),
)


def apply(kernel: Kernel, path: Path, **_: Any) -> Applied:
    """Begin with the product for the first index, and add the step after each iteration."""
    loop, found = at(kernel.body, path), product(at(kernel.body, path))
    assert isinstance(loop, For) and found is not None  # noqa: S101, PT018 - checked
    node, step = found
    scalar = fresh_buffer(kernel, f"{loop.index.attr}_product", node.type, 1)
    now = E.load(scalar, ZERO)
    (start,) = substitute([node], {loop.index: loop.lo})
    more = Store(scalar, ZERO, folded("add", now, step))
    new = replace(loop, body=(*with_value(loop.body, node, now), more))
    body = (Alloc({scalar: const(1, T.i32)}, (Store(scalar, ZERO, start), new)),)
    return Applied(
        replace(kernel, body=replace_at(kernel.body, path, body)),
        lambda p: (*path, (0, 1), *p[len(path) :]) if p[: len(path)] == path else p,
    )


MOVE = Move("strength_reduce", "Add up a product with a loop's index, step by step.", find, apply, (STEPS,))
