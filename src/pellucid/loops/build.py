"""What moves build new nests from: names that are not taken, sums that fold their constants, substitution in blocks.

Below the moves. Nothing here decides whether a nest may be changed.
"""

from __future__ import annotations

from ..ir import expr as E
from ..ir import types as T
from ..ir.expr import Buffer, Expr, const, substitute
from ..ir.interp import fold
from ..ir.nest import Alloc, Block, For, Kernel, all_roots, rewrite, walk
from .elements import peeled, used


def fresh_index(kernel: Kernel, name: str, type_: T.Type = T.i32) -> Expr:
    """A loop index of that name, or of that name with a number if it is taken."""
    taken = {s.index.attr for s in walk(kernel.body) if isinstance(s, For)}
    return E.index(_free(name, taken), type_)


def fresh_buffer(kernel: Kernel, name: str, type_: T.Type, size: int) -> Buffer:
    """A buffer of that name, or of that name with a number if it is taken."""
    own = [s.buffer for s in walk(kernel.body) if isinstance(s, Alloc)]
    others = {b for s in peeled(kernel.body)[1] for b in used(s)}
    taken = {b.name for b in (*kernel.outputs, *own, *others)} | {str(p.attr) for p in kernel.params}
    return Buffer(_free(name, taken), type_, size)


def _free(name: str, taken: set[str]) -> str:
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name}{number}"
    return found


def folded(op: str, a: Expr, b: Expr) -> Expr:
    """An operator on two integers, computed if both are constants; adding 0 and multiplying by 1 are left out.

    >>> i = E.index("i")
    >>> folded("add", folded("mul", i, const(1, T.i32)), folded("sub", const(7, T.i32), const(7, T.i32)))
    %i
    """
    if a.op == "const" and b.op == "const":
        node = E.apply(op, a, b)
        return const(fold(op, (a, b), node.type), node.type)
    if (
        b.op == "const"
        and b.attr == (0 if op in ("add", "sub") else 1)
        and op in ("add", "sub", "mul", "floor_div")
    ):
        return a
    if a.op == "const" and a.attr == (0 if op == "add" else 1) and op in ("add", "mul"):
        return b
    return E.apply(op, a, b)


def with_value(block: Block, node: Expr, value: Expr) -> Block:
    """The block with a node replaced by a value everywhere."""
    return with_values(block, {node: value})


def with_values(block: Block, values: dict[Expr, Expr]) -> Block:
    """The block with nodes replaced by values everywhere."""
    old = all_roots(block)
    new = dict(zip(old, substitute(old, values), strict=True))
    return rewrite(block, lambda roots: tuple(new[r] for r in roots))


def index_bits(block: Block) -> int:
    """The bits, in `free`, of the indices of all loops in a block."""
    bits = 0
    for s in walk(block):
        bits |= s.index.free if isinstance(s, For) else 0
    return bits
