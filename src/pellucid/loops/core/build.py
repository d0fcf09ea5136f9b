"""What moves build new nests from: names that are not taken, and substitution in blocks.

Below the moves. Nothing here decides whether a nest may be changed.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from itertools import count

from ...ir import expr as E
from ...ir import types as T
from ...ir.expr import Buffer, Expr, substitute
from ...ir.nest import Block, For, Kernel, Statement, all_roots, rewrite, scratch, walk
from ...ir.path import Path, at, enclosing
from .census import Census
from .elements import peeled, used


def fresh_index(kernel: Kernel, name: str, type_: T.Type = T.i32) -> Expr:
    """A loop index of that name, or of that name with a number if it is taken."""
    return E.index(_free(name, _ranges(peeled(kernel.body)[1])), type_)


def index_between(
    kernel: Kernel, path: Path, name: str, lo: Expr, hi: Expr, parts: Sequence[For] = ()
) -> Expr:
    """An index for a loop between constants at a path: of that name or with a number, and with this range everywhere.

    Loops with the same bounds that do not stand in each other share it, so that a long program needs few of them;
    `parts` are loops that will stand beside it.
    """
    known = _ranges(peeled(kernel.body)[1])
    near = {
        s.index.attr
        for s in (*enclosing(kernel.body, path), *walk((at(kernel.body, path),)))
        if isinstance(s, For)
    }
    near |= {s.index.attr for s in walk(tuple(parts)) if isinstance(s, For)}
    for number in count(1):
        index = E.index(name if number == 1 else f"{name}{number}", lo.type)
        if index.attr not in near and set(known.get(index.attr, ())) <= {(index, lo, hi)}:
            return index
    raise AssertionError


def fresh_buffer(kernel: Kernel, name: str, type_: T.Type, size: int) -> Buffer:
    """A buffer of that name, or of that name with a number if it is taken."""
    around, inside = peeled(kernel.body)
    taken = {b.name for b in kernel.outputs} | {str(p.attr) for p in kernel.params}
    arrays = (_arrays(tuple(a.sizes)) for a in around)
    return Buffer(_free(name, taken, _names(inside), *arrays), type_, size)


def _mentioned(s: Statement) -> Iterable[tuple[str, None]]:
    """The names of the buffers that a statement uses, or has for itself."""
    return {(b.name, None) for b in (*used(s), *scratch((s,)))}


def _looped(s: Statement) -> Iterable[tuple[str, tuple[Expr, Expr, Expr]]]:
    """The names of the loops in a statement, with the index and the bounds."""
    return {(x.index.attr, (x.index, x.lo, x.hi)) for x in walk((s,)) if isinstance(x, For)}


_names, _ranges = Census(_mentioned), Census(_looped)
_arrays = Census[Buffer](lambda b: ((b.name, None),))


def _free(name: str, *taken: Container[str]) -> str:
    found, number = name, 1
    while any(found in names for names in taken):
        number += 1
        found = f"{name}{number}"
    return found


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
