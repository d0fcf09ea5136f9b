"""Strips: a loop as a loop over blocks of its iterations, for the moves that cut loops into blocks."""

from __future__ import annotations

from dataclasses import replace

from ...ir.expr import const
from ...ir.nest import For, Kernel
from ...reasoning.linear import folded
from ...reasoning.prove import Verdict, decided
from ..core.build import fresh_index
from ..core.theorem import Clause, Site
from .bounds import countable

SIZE = 16
"""Iterations of a block, unless a move is told another number."""


def _size(site: Site) -> int:
    return int(site.options.get("size", SIZE))


def _positive(site: Site) -> Verdict:
    return decided(_size(site) >= 1, "a block has an iteration", f"it has {_size(site)}")


POSITIVE = Clause("positive-size", "a block has at least one iteration", _positive)
NO_OVERFLOW = Clause(
    "no-overflow",
    "no bound of a block is out of the range of the index",
    lambda s: countable(s, beyond=_size(s)),
)


def strips(kernel: Kernel, loop: For, size: int) -> tuple[For, For]:
    """The loop over blocks, without its body, and the loop over the iterations of a block."""
    type_ = loop.index.type
    wide = const(size, type_)
    trips = folded("sub", loop.hi, loop.lo)
    block = fresh_index(kernel, f"{loop.index.attr}_block", type_)
    count = folded("floor_div", folded("add", trips, const(size - 1, type_)), wide)
    begin = folded("add", loop.lo, folded("mul", block, wide))
    end = folded("add", begin, wide)
    if trips.op != "const" or trips.attr % size:
        end = folded("min", end, loop.hi)
    return For(block, const(0, type_), count, ()), replace(loop, lo=begin, hi=end)
