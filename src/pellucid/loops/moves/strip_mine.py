"""strip_mine: a loop becomes a loop over blocks of its iterations, with the same body and the same index inside.

The first half of tiling, and the way to bands for threads. The order of iterations stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir.nest import SEQ, For, Kernel
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ..analysis.bounds import BOUNDS_UNCHANGED
from ..analysis.independence import IN_ORDER
from ..analysis.strips import NO_OVERFLOW, POSITIVE, SIZE, strips
from ..core.move import Applied, Move
from ..core.theorem import Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Loops that run in order."""
    for path, s in paths(kernel.body):
        if isinstance(s, For) and s.how == SEQ:
            yield path


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
