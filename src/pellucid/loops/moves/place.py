"""place: sharing, code motion and the guarding of dear branches, all at once (Pan section 3.5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from ...base.errors import IrError
from ...ir.expr import Expr
from ...ir.facts import Facts
from ...ir.nest import Kernel, Let, Once, Repeat, erase, same, walk
from ...ir.path import Path
from ...ir.text import print_nest
from ...reasoning.effects import reads_own_stores
from ...reasoning.prove import Verdict, decided
from ..analysis.overtaken import overtaken
from ..analysis.placement import THRESHOLD, Moved, Placed, place
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """The whole kernel, while it has no places."""
    if not any(isinstance(s, Let | Repeat | Once) for s in walk(kernel.body)):
        yield ()


def _no_places(site: Site) -> Verdict:
    free = bool(list(find(site.kernel)))
    return decided(free, "the nest has no places yet", "a value has its place already")


Ranges = Mapping[Expr, Facts]
USUAL: dict[str, Any] = {"hoist": True, "defer": True, "threshold": THRESHOLD}
"""The options of a placement, as they are unless others are given."""
_last: list[tuple[Kernel, Ranges | None, dict[str, Any], Placed]] = []
"""The last placement: the check of a move and the move itself are about one kernel."""


def _placed(kernel: Kernel, ranges: Ranges | None, options: Mapping[str, Any]) -> Placed:
    wanted = {key: options.get(key, usual) for key, usual in USUAL.items()}
    for known, given, used, found in _last:
        if known is kernel and given is ranges and used == wanted:
            return found
    found = place(kernel, ranges=ranges, **wanted)
    _last[:] = [(kernel, ranges, wanted, found)]
    return found


def _loads_kept(site: Site) -> Verdict:
    kernel = site.kernel
    if not reads_own_stores(kernel.body):
        return decided(True, "the nest loads nothing that it stores to", "")
    found = overtaken(_placed(kernel, site.ranges, site.options)[0].body)
    return decided(
        found is None, "nothing in their scope stores to what they load", f"{found!r} is overtaken"
    )


# That erasing the places gives the nest back is shown by `apply` each time.
PLACES = Theorem(
    "places change no value",
    "A value may be computed anywhere before its uses, for a place only names it.",
    (
        Clause("no-places-yet", "the nest has no places yet", _no_places),
        Clause("loads-kept", "nothing in the scope of a place stores to what its value loads", _loads_kept),
    ),
    lemma="places_change_no_value",
)


def apply(
    kernel: Kernel,
    path: Path,
    *,
    hoist: bool = True,
    defer: bool = True,
    threshold: float = THRESHOLD,
    ranges: Ranges | None = None,
    **_: Any,
) -> Applied:
    """Place every value.

    Raises IrError if erasing the places did not give back the nest, which no input can bring about.
    """
    placed, moved = _placed(kernel, ranges, {"hoist": hoist, "defer": defer, "threshold": threshold})
    _last.clear()
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
        occur = "do not occur" if len(loops) > 1 else "does not occur"
        if what == "move_code":
            lines.append(f"move_code  {values} out of {words}: {words} {occur} there (White 5.3.1)")
        elif what == "advance":
            # The theorem asks for an iteration that does it: here there may be none.
            lines.append(
                f"advance    {values} out of {words}: {words} {occur} there; computed even if not wanted"
            )
        elif what == "defer":
            lines.append(f"defer      {values} out of {words}: computed when first wanted, then kept")
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
