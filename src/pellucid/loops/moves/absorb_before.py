"""absorb_before: a statement before an `if` goes into both of its arms (White's theorem 4.2.1, first part).

``S; if b then A else B`` becomes ``if b then S; A else S; B``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir.nest import Kernel
from ...ir.path import Path, at
from ...reasoning.effects import effects, loads
from ...reasoning.prove import Verdict, decided
from ...reasoning.separate import apart
from ..analysis.adjacent import after, branch, deeper, here, is_branch, moved, pairs, replaced, told
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Statements with an `if` after them."""
    return (path for path in pairs(kernel) if is_branch(at(kernel.body, moved(path, 1))))


def _before_a_branch(site: Site) -> Verdict:
    fits = site.statement is not None and is_branch(site.after())
    return decided(fits, "an if follows", f"no if comes after {told(site)}")


def _condition_kept(site: Site) -> Verdict:
    found = effects((here(site),))
    known = site.known.while_changing(a.buffer for a in found.sets)
    return apart(found.sets, loads([branch(after(site)).condition]), known)


THEOREM = Theorem(
    "White 4.2.1, before",
    "A statement that leaves a condition as it is may be made in both arms instead of before.",
    (Clause("condition-kept", "the statement sets nothing that the condition loads", _condition_kept),),
    lemma="absorption_before",
    shape=Clause("a-statement-and-an-if", "an if comes after the statement", _before_a_branch),
)


def apply(kernel: Kernel, path: Path, **_: Any) -> Applied:
    """Put the statement first in each arm."""
    s, test = at(kernel.body, path), branch(at(kernel.body, moved(path, 1)))
    new = replace(test, then=(s, *test.then), orelse=(s, *test.orelse))
    return replaced(kernel, path, 2, (new,), lambda k, below: (0, deeper(below, 1)) if k else None)


MOVE = Move("absorb_before", "Take a statement before an if into both of its arms.", find, apply, (THEOREM,))
