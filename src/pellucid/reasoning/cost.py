"""A first timer: cycles of a nest, from the rows' costs and the loops around each place.

Every loop counts its bounds when they are constants and `DEFAULT_COUNT` iterations otherwise; a loop by n lanes is n
times cheaper. It judges moves by sign and rough size; it does not predict milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..ir import prim as table
from ..ir.expr import LEAVES, Expr, parts
from ..ir.nest import Block, For, If, Kernel, Let, Repeat, While, blocks, roots

DEFAULT_COUNT = 1000
DEFAULT_STEPS = 32
LOAD = 2.0
GATHER = 16.0


def node_cost(node: Expr) -> float:
    """The cycles of one operator by itself, for one vector or scalar."""
    if node.op in LEAVES or node.op in ("get", "iterate"):
        return 0.0
    if node.op == "load":
        return LOAD
    return table.row(node.op).cost


def tree_cost(roots_: Iterable[Expr], placed: set[Expr]) -> float:
    """The cycles of computing expressions, given that some nodes were already computed."""
    total = 0.0
    seen: set[Expr] = set(placed)
    stack = list(roots_)
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        total += node_cost(node)
        if node.op == "iterate":
            init, step, stop, limit = parts(node)
            total += DEFAULT_STEPS * tree_cost((*step, stop), seen)
            stack += [*init, limit]
        else:
            stack += node.args
    return total


def block_cost(block: Block, placed: set[Expr]) -> float:
    """The cycles of running a block once."""
    total = 0.0
    here = set(placed)
    for s in block:
        match s:
            case Let(value):
                total += tree_cost([value], here)
                here.add(value)
            case Repeat(value, body):
                init, step, stop, limit = parts(value)
                total += tree_cost((*init, limit), here)
                inner = block_cost(body, here)
                computed = here | {x.value for x in body if isinstance(x, Let | Repeat)}
                total += DEFAULT_STEPS * (inner + tree_cost((*step, stop), computed))
                here.add(value)
            case If(condition, then, orelse, picks):
                total += tree_cost([condition], here)
                arms: list[float] = []
                for k, b in enumerate((then, orelse)):
                    known = here | {x.value for x in b if isinstance(x, Let | Repeat)}
                    arms.append(block_cost(b, here) + tree_cost([p.args[1 + k] for p in picks], known))
                total += sum(arms) / 2
                here.update(picks)
            case For(_, lo, hi, body, how):
                count = hi.attr - lo.attr if hi.op == lo.op == "const" else DEFAULT_COUNT
                width = how.count if how.kind == "lanes" else 1
                total += tree_cost([lo, hi], here) + max(0, count) / width * (1 + block_cost(body, here))
            case While(condition, body):
                inner = tree_cost([condition], here) + block_cost(body, here)
                total += DEFAULT_COUNT * (1 + inner)
            case _:
                total += 1 + tree_cost(roots(s), here) + sum(block_cost(b, here) for b in blocks(s))
    return total


def kernel_cost(kernel: Kernel) -> float:
    """The cycles of a whole kernel."""
    return block_cost(kernel.body, set())
