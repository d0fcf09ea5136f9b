"""What statements read and write, and whether the iterations of a loop can be told apart.

The premises of `lanes` and `spread`: no iteration loads what another stores, and no two store to one place.
"""

from __future__ import annotations

from collections.abc import Sequence

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


def digits(position: Expr, ranges: dict[Expr, Expr]) -> list[Expr] | None:
    """The indices of a position written in a mixed radix, last digit first; None if it is not of that form.

    ``(t * height + j) * width + i`` with ``0 <= i < width`` and ``0 <= j < height`` is such a number, and so two
    positions are equal only if all digits are. `ranges` gives the bound of each index that starts at 0.
    """
    if position.op == "index":
        return [position]
    if not position.free:
        return []
    if position.op != "add":
        return None
    for last, rest in (position.args, position.args[::-1]):
        if not last.free:
            return digits(rest, ranges)
        if last.op == "index" and rest.op == "mul":
            for upper, radix in (rest.args, rest.args[::-1]):
                if ranges.get(last) is radix and not radix.free:
                    more = digits(upper, ranges)
                    return None if more is None or last in more else [last, *more]
    return None


def separate(loop: For, around: Sequence[For] = ()) -> str | None:
    """Why no two iterations of a loop store to the same place, in words; None if that could not be shown.

    `around` are the loops outside, which keep their indices while the loop runs.
    """
    loops = [*around, loop, *(s for s in walk(loop.body) if isinstance(s, For))]
    ranges = {s.index: s.hi for s in loops if s.lo.op == "const" and s.lo.attr == 0}
    reasons: list[str] = []
    for s in walk(loop.body):
        if not isinstance(s, Store):
            continue
        found = digits(s.position, ranges)
        if found is None or loop.index not in found:
            return None
        reasons.append(f"{loop.index.attr} is a digit of every position in {s.buffer.name}")
    return "; ".join(dict.fromkeys(reasons)) or "nothing is stored"
