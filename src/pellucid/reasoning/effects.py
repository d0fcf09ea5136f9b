"""What statements read and write, and whether the iterations of a loop can be told apart.

The premises of `lanes` and `spread`: no iteration loads what another stores, and no two store to one place.
"""

from __future__ import annotations

from ..ir.expr import Buffer, Expr, topological
from ..ir.nest import Block, For, Store, all_roots, walk


def stored(block: Block) -> set[Buffer]:
    """The buffers that a block stores to."""
    return {s.buffer for s in walk(block) if isinstance(s, Store)}


def loaded(block: Block) -> set[Buffer]:
    """The buffers that a block loads from."""
    return {n.attr for n in topological(all_roots(block)) if n.op == "load"}


def reads_own_stores(block: Block) -> set[Buffer]:
    """The buffers that a block both loads from and stores to."""
    return stored(block) & loaded(block)


def terms(position: Expr) -> dict[Expr | None, Expr | int] | None:
    """A position as a sum of indices with coefficients: ``{index: coefficient, None: rest}``; None if it is no such sum.

    A coefficient is 1 or an expression that depends on no index of the sum.
    """
    found: dict[Expr | None, Expr | int] = {}
    stack = [position]
    while stack:
        e = stack.pop()
        if e.op == "add":
            stack += e.args
        elif e.op == "index":
            if e in found:
                return None
            found[e] = 1
        elif e.op == "mul" and any(a.op == "index" for a in e.args):
            i, c = e.args if e.args[0].op == "index" else e.args[::-1]
            if c.free or i in found:
                return None
            found[i] = c
        elif not e.free:
            found[None] = 1
        else:
            return None
    return found


def separate(loop: For) -> str | None:
    """Why no two iterations of a loop store to the same place, in words; None if that could not be shown."""
    inner = {s.index: s for s in walk(loop.body) if isinstance(s, For)}
    reasons: list[str] = []
    for s in walk(loop.body):
        if not isinstance(s, Store):
            continue
        sum_ = terms(s.position)
        if sum_ is None or loop.index not in sum_:
            return None
        step = sum_[loop.index]
        others = [i for i in sum_ if i is not None and i in inner]
        if not others and step == 1:
            reasons.append(f"{s.buffer.name} is stored at {loop.index.attr} + something fixed")
        elif len(others) == 1 and sum_[others[0]] == 1 and _spans(inner[others[0]], step):
            reasons.append(f"{s.buffer.name} is stored in rows that do not meet")
        else:
            return None
    return "; ".join(dict.fromkeys(reasons)) or "nothing is stored"


def _spans(loop: For, width: Expr | int) -> bool:
    return loop.lo.op == "const" and loop.lo.attr == 0 and loop.hi is width
