"""Simplification of iterations: components that are always equal become one, and those that are known need no loop.

Under `simplify`, which hands in each iteration and each component of a final state when it comes to them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..ir import expr as E
from ..ir.bits import state_bits
from ..ir.expr import FALSE, TRUE, Expr, parts, substitute, topological
from .builder import Builder

Positions = Sequence[int]
"""Where the components of an iteration are in another one."""


def joined(builder: Builder, node: Expr) -> tuple[Expr, Positions]:
    """The iteration in which components that start equal and step alike are one, and where they are in it."""
    init, step, stop, limit = parts(node)
    count, depth = len(init), node.attr[0]
    everywhere = range(count)
    if len(set(init)) == count:
        return node, everywhere
    states = [E.state(depth, k, a.type) for k, a in enumerate(init)]
    bits = state_bits(depth)
    # An iteration inside that does not depend on this one may have states of the same names.
    fixed = {n: n for n in topological((*step, stop)) if n.op == "iterate" and not n.free & bits}
    # All that start equal are taken for equal, and are told apart as long as their steps then differ.
    first = [init.index(a) for a in init]
    while True:
        steps = substitute(step, fixed | {s: states[k] for s, k in zip(states, first, strict=True)})
        keys = list(zip(first, steps, strict=True))
        finer = [keys.index(key) for key in keys]
        if finer == first:
            break
        first = finer
    kept = [k for k in everywhere if first[k] == k]
    if len(kept) == count:
        return node, everywhere
    own = {k: E.state(depth, at, init[k].type) for at, k in enumerate(kept)}
    *new, end = substitute(
        [*[step[k] for k in kept], stop], fixed | {s: own[k] for s, k in zip(states, first, strict=True)}
    )
    made = E.iterate([init[k] for k in kept], new, end, limit, depth)[0].args[0]
    if builder.trace is not None:
        builder.trace.note("join-components", node, made)
    return made, [kept.index(k) for k in first]


def unlooped(builder: Builder, node: Expr) -> Expr:
    """A component of a final state without its loop: one that makes no step, stays as it is, or counts all steps."""
    loop = node.args[0]
    position: int = node.attr
    init, step, stop, limit = parts(loop)
    start, after = init[position], step[position]
    own, type_ = E.state(loop.attr[0], position, start.type), start.type
    if after is own or stop is TRUE or builder.facts(limit).hi <= 0:
        return _noted(builder, "unloop", node, start)
    if (
        stop is not FALSE
        or start is not E.const(0, type_)
        or after.op != "add"
        or builder.facts(limit).lo < 0
    ):
        return node
    if after.args == (own, E.const(1, type_)):
        if type_ is limit.type:
            return _noted(builder, "count-steps", node, limit)
        if type_.is_float and builder.facts(limit).hi <= 2 / float(np.finfo(type_.dtype).eps):
            return _noted(builder, "count-steps", node, builder.convert("convert", limit, type_))
    return node


def _noted(builder: Builder, name: str, node: Expr, new: Expr) -> Expr:
    if builder.trace is not None:
        builder.trace.note(name, node, new)
    return new
