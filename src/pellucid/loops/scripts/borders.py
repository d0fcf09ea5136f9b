"""Borders: rows whose neighbors are folded at their ends are cut there, so that the middle asks nothing.

Part of the scripts for whole arrays, of the algebra and of programs in loops.
"""

from __future__ import annotations

from ...ir.expr import topological
from ...ir.nest import For, all_roots, walk
from ...ir.path import walk as paths
from ..analysis.forwarding import trips
from ..core.registry import named
from ..core.tactic import State, make

MAX_CHANNELS = 4
"""Maximum channels of a pixel."""
FOLDS = frozenset({"abs", "min", "max", "mod", "lt", "le"})
"""Rows that borders are made of."""


def borders(state: State) -> State:
    """`split_range` for every loop whose index is folded at the borders of an array: ends and middle apart."""
    split = named("split_range")
    for path, s in reversed(list(paths(state.kernel.body))):
        if isinstance(s, For) and _along(s):
            cuts = _cuts(s)
            if cuts:
                state, _ = make(state, split, path, cuts=cuts)
    return state


def _along(loop: For) -> bool:
    """Whether a loop goes along a row: nothing is in it but loops over a few channels."""
    return all(trips(s) <= MAX_CHANNELS for s in walk(loop.body) if isinstance(s, For))


def _cuts(loop: For) -> tuple[int, ...]:
    """The bounds of the ends of a loop in which some coordinate leaves the array; nothing if there is no middle."""
    x, low, high = loop.index, 0, 0
    if loop.lo.op != "const" or loop.hi.op != "const":
        return ()
    for node in topological(all_roots(loop.body)):
        for a in node.args if node.op in FOLDS and node.free == x.free else ():
            if a.op in ("add", "sub") and a.args[0] is x and a.args[1].op == "const":
                by = int(a.args[1].attr) if a.op == "add" else -int(a.args[1].attr)
                low, high = min(low, by), max(high, by)
    begin, end = int(loop.lo.attr) - low, int(loop.hi.attr) - high
    return (begin, end) if low < high and begin < end else ()
