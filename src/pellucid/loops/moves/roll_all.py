"""roll_all: statements that are instances of one another become a loop (White's theorem 4.3.2, backwards, repeated).

``a[0] := b[1]; a[1] := b[2]; a[2] := b[3]`` becomes ``for i in 0 .. 3: a[i] := b[i + 1]``; with ``period`` statements
in each iteration. As many statements as can be are taken. The loop gets a new index of that ``name``, or the ``index``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...ir import types as T
from ...ir.expr import Expr, const
from ...ir.nest import Block, For, Kernel, walk
from ...ir.path import Path
from ...ir.path import walk as paths
from ...reasoning.prove import Refuted, Verdict, decided
from ..analysis.adjacent import replaced, told
from ..analysis.instances import common
from ..core.build import fresh_index
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem

MIN_ITERATIONS = 2
"""Fewer iterations are no loop."""


def longest(rest: Block, period: int, index: Expr) -> tuple[int, For] | None:
    """The number of iterations that a block begins with, and the loop of them; None if there are fewer than two."""
    if period < 1:
        return None

    def loop(count: int) -> For | None:
        found = common([rest[k * period : (k + 1) * period] for k in range(count)], index)
        if found is None:
            return None
        start, body = found
        return For(index, const(start, index.type), const(start + count, index.type), body)

    # Fewer of them are instances too, so the end is found by doubling and halving.
    enough, too_many = 1, len(rest) // period + 1
    best: For | None = None
    step = MIN_ITERATIONS
    while enough + 1 < too_many:
        trial = loop(step)
        if trial is None:
            too_many = step
        else:
            enough, best = step, trial
        step = min(2 * step, too_many - 1) if too_many > 2 * enough else (enough + too_many) // 2
    return None if best is None else (enough, best)


def _rolled(site: Site) -> tuple[int, For] | None:
    """The loop that begins at a site."""
    if not site.path:
        return None
    period, index = _options(site)
    return longest(site.block[site.path[-1][1] :], period, index)


def _options(site: Site) -> tuple[int, Expr]:
    own = site.options.get("index")
    index = fresh_index(site.kernel, site.options.get("name", "r"), T.i32) if own is None else own
    return site.options.get("period", 1), index


def find(kernel: Kernel, *, period: int = 1, name: str = "r", **_: Any) -> Iterable[Path]:
    """The places where such statements begin, each run of them once."""
    index = fresh_index(kernel, name, T.i32)
    taken: dict[Path, int] = {}
    for path, _s in paths(kernel.body):
        *around, (number, position) = path
        place = (*around, (number, 0))
        if position < taken.get(place, 0):
            continue
        block = Site(kernel, path).block
        found = longest(block[position : position + 2 * period], period, index)
        if found is not None:
            whole = longest(block[position:], period, index)
            taken[place] = position + period * (whole[0] if whole else 1)
            yield path


def _instances(site: Site) -> Verdict:
    period = site.options.get("period", 1)
    if period < 1:
        return Refuted("there is a statement in each iteration", f"the period is {period}")
    parts = (
        "it and the next statement"
        if period == 1
        else f"the {period} statements from it on and the next {period}"
    )
    words = f"at {told(site)}, {parts} differ in more than integers that go up in equal steps"
    return decided(_rolled(site) is not None, "the statements are instances of one", words)


def _in_range(site: Site) -> Verdict:
    found = _rolled(site)
    top = found[1].lo.attr + found[0] if found is not None else 0
    type_ = _options(site)[1].type
    return decided(top <= type_.high, f"the indices are {type_}", f"they go up to {top}")


def _index_free(site: Site) -> Verdict:
    found = _rolled(site)
    index = _options(site)[1]
    loops = [*site.around, *walk(found[1].body if found is not None else ())]
    taken = any(isinstance(s, For) and s.index is index for s in loops)
    return decided(not taken, "no loop around or inside has it", f"{index.attr} is the index of another one")


THEOREM = Theorem(
    "White 4.3.2, backwards, repeated",
    "Statements that are the instances of one at consecutive numbers are a loop.",
    (
        Clause("in-range", "the bounds of the loop are in the range of its index", _in_range),
        Clause("index-free", "no loop around or inside has the index", _index_free),
    ),
    shape=Clause("instances", "the statements are instances of one at numbers in equal steps", _instances),
)


def apply(kernel: Kernel, path: Path, *, period: int = 1, **options: Any) -> Applied:
    """The loop in place of the statements."""
    found = _rolled(Site(kernel, path, {}, {**options, "period": period}))
    assert found is not None  # noqa: S101 - checked
    count, new = found
    return replaced(kernel, path, count * period, (new,))


MOVE = Move(
    "roll_all", "Make a loop of statements that are instances of one another.", find, apply, (THEOREM,)
)
