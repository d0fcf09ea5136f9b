"""place: sharing, code motion and the guarding of dear branches, all at once (Pan section 3.5; White 5.3.1)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from ...base.errors import IrError
from ...ir.expr import Expr
from ...ir.nest import Kernel, Let, Repeat, erase, same, walk
from ...ir.path import Path
from ...ir.text import print_nest
from ...reasoning.prove import Verdict, decided
from ..move import Applied, Move
from ..placement import THRESHOLD, Moved, place
from ..theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """The whole kernel, while it has no places."""
    if not any(isinstance(s, Let | Repeat) for s in walk(kernel.body)):
        yield ()


def _no_places(site: Site) -> Verdict:
    free = bool(list(find(site.kernel)))
    return decided(free, "the nest has no places yet", "a value has its place already")


# That erasing the places gives the nest back is shown by `apply` each time.
PLACES = Theorem(
    "places change no value",
    "A value may be computed anywhere before its uses, for a place only names it.",
    (Clause("no-places-yet", "the nest has no places yet", _no_places),),
)


def apply(
    kernel: Kernel, path: Path, *, hoist: bool = True, threshold: float = THRESHOLD, **_: Any
) -> Applied:
    """Place every value.

    Raises IrError if erasing the places did not give back the nest, which no input can bring about.
    """
    placed, moved = place(kernel, hoist=hoist, threshold=threshold)
    if not same(erase(placed.body), erase(kernel.body)):
        raise IrError("placement changed the nest", place=kernel.name, fix="report this program")
    return Applied(placed, details=lambda: _lines(placed, moved()))


def _lines(kernel: Kernel, moved: list[Moved]) -> tuple[str, ...]:
    """One line for values that together were shared, left a loop or went under a branch, by their names in the text."""
    names: dict[Expr, str] = {}
    print_nest(kernel, names)
    lines: list[str] = []
    for (what, loops), group in groupby(moved, key=lambda m: (m[0], tuple(m[2]))):
        values = ", ".join(names.get(node, node.op) for _, node, _ in group)
        words = " and ".join(loops)
        if what == "move_code":
            occur = "do not occur" if len(loops) > 1 else "does not occur"
            lines.append(f"move_code  {values} out of {words}: {words} {occur} there (White 5.3.1)")
        elif what == "branch":
            lines.append(f"branch     at {values}: the arms that are not chosen are not computed")
        else:
            lines.append(f"share      {values}: every path that reaches a use computes it anyway")
    return tuple(lines)


MOVE = Move(
    "place",
    "Compute each value where it is first wanted, outside of loops it does not depend on, under branches that need it.",
    find,
    apply,
    (PLACES,),
)
