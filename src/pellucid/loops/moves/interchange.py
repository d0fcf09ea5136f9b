"""interchange: two statements that do not meet change places (White's theorems 4.1.1, 4.1.2 and 4.1.3).

Three cases, any of which is enough: the statements are equal; what either sets, the other neither sets nor uses; or
both update one variable by functions that commute. As printed, 4.1.2 would let ``x := 1`` and ``x := 2`` change places
if `uses` were what is read, so the sets must be separate too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...ir.nest import Kernel, same
from ...ir.path import Path, at
from ...reasoning.effects import StatementEffects, effects
from ...reasoning.known import Known
from ...reasoning.prove import Verdict, decided
from ...reasoning.separate import apart
from ..analysis.adjacent import TWO, after, here, moved, pairs, replaced
from ..analysis.updates import UPDATES
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """The first of any two statements that stand together."""
    return pairs(kernel)


def _equal(site: Site) -> Verdict:
    fits = same((here(site),), (after(site),))
    return decided(fits, "they are equal", "their texts differ")


def _effects(site: Site) -> tuple[StatementEffects, StatementEffects, Known]:
    first, second = effects((here(site),)), effects((after(site),))
    return first, second, site.known.while_changing(x.buffer for x in (*first.sets, *second.sets))


def _first_sets(site: Site) -> Verdict:
    first, second, known = _effects(site)
    return apart(first.sets, second.uses, known)


def _second_sets(site: Site) -> Verdict:
    first, second, known = _effects(site)
    return apart(second.sets, first.uses, known)


def _sets(site: Site) -> Verdict:
    first, second, known = _effects(site)
    return apart(first.sets, second.sets, known)


EQUAL = Theorem(
    "White 4.1.1a",
    "Two equal statements may change places.",
    (Clause("equal-statements", "the two statements are equal", _equal),),
    lemma="interchange_equal",
    shape=TWO,
)
APART = Theorem(
    "White 4.1.2",
    "Statements that share nothing that either sets may change places.",
    (
        Clause(
            "first-sets-apart-from-second-uses", "the second does not use what the first sets", _first_sets
        ),
        Clause(
            "second-sets-apart-from-first-uses", "the first does not use what the second sets", _second_sets
        ),
        Clause("sets-apart", "nothing is set by both", _sets),
    ),
    lemma="interchange",
    shape=TWO,
)


def apply(kernel: Kernel, path: Path, **_: Any) -> Applied:
    """Put the second before the first."""
    first, second = at(kernel.body, path), at(kernel.body, moved(path, 1))
    return replaced(kernel, path, 2, (second, first), lambda k, below: (1 - k, below))


MOVE = Move("interchange", "Let two statements change places.", find, apply, (APART, EQUAL, UPDATES))
