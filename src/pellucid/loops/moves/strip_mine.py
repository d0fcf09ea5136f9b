"""strip_mine: a loop becomes a loop over blocks of its iterations, with the same body and the same index inside.

The first half of tiling, and the way to bands for threads. The order of iterations stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir.expr import const
from ...ir.nest import SEQ, For, Kernel
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.prove import Verdict, decided
from ..bounds import BOUNDS_UNCHANGED, countable
from ..build import folded, fresh_index
from ..independence import IN_ORDER
from ..move import Applied, Move
from ..theorem import Clause, Site, Theorem

SIZE = 16


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Loops that run in order."""
    for path, s in paths(kernel.body):
        if isinstance(s, For) and s.how == SEQ:
            yield path


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
STRIPS = Theorem(
    "a loop is its blocks, one after the other",
    "A loop may be cut into blocks of iterations, in their order.",
    (
        POSITIVE,
        BOUNDS_UNCHANGED,
        NO_OVERFLOW,
    ),
    lemma="strip_mining",
    shape=IN_ORDER,
)


def strips(kernel: Kernel, loop: For, size: int) -> tuple[For, For]:
    """The loop over blocks, without its body, and the loop over the iterations of a block."""
    type_ = loop.index.type
    wide = const(size, type_)
    trips = folded("sub", loop.hi, loop.lo)
    block = fresh_index(kernel, f"{loop.index.attr}_block", type_)
    count = folded("floor_div", folded("add", trips, const(size - 1, type_)), wide)
    first = folded("add", loop.lo, folded("mul", block, wide))
    beyond = folded("add", first, wide)
    if trips.op != "const" or trips.attr % size:
        beyond = folded("min", beyond, loop.hi)
    return For(block, const(0, type_), count, ()), replace(loop, lo=first, hi=beyond)


def apply(kernel: Kernel, path: Path, *, size: int = SIZE, **_: Any) -> Applied:
    """Two loops for one."""
    loop = at(kernel.body, path)
    assert isinstance(loop, For)  # noqa: S101 - checked
    outer, inner = strips(kernel, loop, size)
    new = replace_at(kernel.body, path, (replace(outer, body=(inner,)),))

    def forward(old: Path) -> Path:
        inside = len(old) > len(path) and old[: len(path)] == path
        return (*path, (0, 0), *old[len(path) :]) if inside else old

    return Applied(replace(kernel, body=new), forward)


MOVE = Move("strip_mine", "Cut a loop into blocks of iterations.", find, apply, (STRIPS,))
