"""Cyclic values: what depends on the index of a vector loop alone, and is alike in each block of its lanes.

Above `scope`. A position such as ``12 * i >> 3`` is as far from that of lane 0 in each block: the lanes are constants
apart, though not all alike. And the number of a bit within its byte, ``12 * i & 7``, is the same constant vector in
each block. Both are found by their values at all indices, whatever expressions they are of.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.expr import Expr
from ...ir.interp import evaluate
from .scope import Scope

MAX_ITERATIONS = 1 << 16
"""Maximum iterations of a loop whose values are looked at."""
Values = np.ndarray[Any, Any]


class Cycles:
    """Finds cyclic values."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self._found: dict[tuple[Expr, range, int], Values | None] = {}

    def constants(self, node: Expr) -> list[int] | None:
        """The value in each lane of an integer that is the same in each block; None for others."""
        blocks = self.blocks(node) if node.type.is_integer and node.op != "index" else None
        if blocks is None or (blocks != blocks[0]).any():
            return None
        return [int(x) for x in blocks[0]]

    def blocks(self, node: Expr) -> Values | None:
        """The values of an integer in all blocks, a row for each; None if it depends on more than the index."""
        loop = self.scope.loop
        index, whole = loop.index, loop.whole
        if (
            index is None
            or whole is None
            or len(whole) > MAX_ITERATIONS
            or node.free != index.free
            or node.holds
        ):
            return None
        key = node, whole, loop.lanes
        if key not in self._found:
            at = np.arange(whole.start, whole.stop, dtype=index.type.dtype)
            (values,) = evaluate([node], {index: at})
            self._found[key] = values.reshape(-1, loop.lanes)
        return self._found[key]
