"""absorb_with_substitution: an assignment goes into an `if` whose condition gets its value (White's theorem 4.2.2).

``x := s; if b then A else B`` becomes ``if b[s/x] then x := s; A else x := s; B``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir.expr import substitute
from ...ir.nest import Kernel, Store
from ...ir.path import Path, at
from ...reasoning.effects import loads
from ...reasoning.prove import Verdict, decided
from ..analysis.adjacent import after, assignment, branch, deeper, is_branch, moved, pairs, replaced, told
from ..analysis.substitution import INSIDE, is_scalar, its_loads, other_loads_apart
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Assignments with an `if` after them."""
    for path in pairs(kernel):
        if isinstance(at(kernel.body, path), Store) and is_branch(at(kernel.body, moved(path, 1))):
            yield path


def _is_scalar(site: Site) -> Verdict:
    fits = is_scalar(site.statement) and is_branch(site.after())
    return decided(
        fits, "an if follows a scalar's assignment", f"{told(site)} is none, or no if comes after it"
    )


def _is_element(site: Site) -> Verdict:
    fits = isinstance(site.statement, Store) and is_branch(site.after())
    return decided(fits, "an if follows an assignment", f"{told(site)} is none, or no if comes after it")


def _other_loads(site: Site) -> Verdict:
    return other_loads_apart(site, loads([branch(after(site)).condition]))


OTHER_LOADS = Clause(
    "other-loads-apart", "what the condition loads is the variable as written, or not it", _other_loads
)
SCALARS = Theorem(
    "White 4.2.2",
    "An assignment may go into an if into whose condition its value is substituted.",
    (OTHER_LOADS,),
    lemma="absorption_with_substitution",
    shape=Clause("a-scalar-and-an-if", "a scalar is assigned before an if", _is_scalar),
)
ELEMENTS = Theorem(
    "White 4.2.2 for elements",
    "So may an assignment to an element that is surely there.",
    (INSIDE, OTHER_LOADS),
    shape=Clause("an-element-and-an-if", "an element is assigned before an if", _is_element),
)


def apply(kernel: Kernel, path: Path, **_: Any) -> Applied:
    """Put the value into the condition, and the assignment first in each arm."""
    store, test = assignment(at(kernel.body, path)), branch(at(kernel.body, moved(path, 1)))
    (condition,) = substitute([test.condition], dict.fromkeys(its_loads(store), store.value))
    new = replace(test, condition=condition, then=(store, *test.then), orelse=(store, *test.orelse))
    return replaced(kernel, path, 2, (new,), lambda k, below: (0, deeper(below, 1)) if k else None)


MOVE = Move(
    "absorb_with_substitution",
    "Take an assignment before an if into both of its arms, and its value into the condition.",
    find,
    apply,
    (SCALARS, ELEMENTS),
)
