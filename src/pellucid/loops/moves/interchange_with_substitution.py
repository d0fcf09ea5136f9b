"""interchange_with_substitution: an assignment goes after a statement, which gets its value (White's theorem 4.1.4).

``x := s; S`` becomes ``S[s/x]; x := s``. As printed the theorem is false with the semantic sets of her section 3.8: in
``x := 7; (x := x + 1; y := x; x := x - 1)`` nothing but y is set. The sets here are syntactic. That an index of S might
capture a variable of s is ruled out by the language: loops around each other have different indices.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...ir.nest import Kernel, Store
from ...ir.path import Path, at
from ...reasoning.effects import effects, loads
from ...reasoning.prove import Verdict, decided
from ...reasoning.separate import apart
from ..analysis.adjacent import after, assignment, here, moved, pairs, replaced, told
from ..analysis.substitution import INSIDE, element, is_scalar, knowing, other_loads_apart, substituted
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Assignments with a statement after them."""
    return (path for path in pairs(kernel) if isinstance(at(kernel.body, path), Store))


def _is_scalar(site: Site) -> Verdict:
    fits = is_scalar(site.statement) and site.after() is not None
    return decided(
        fits, "a scalar is assigned before a statement", f"{told(site)} is none, or nothing comes after it"
    )


def _is_element(site: Site) -> Verdict:
    fits = isinstance(site.statement, Store) and site.after() is not None
    return decided(
        fits, "an element is assigned before a statement", f"{told(site)} is none, or nothing comes after it"
    )


def _not_assigned(site: Site) -> Verdict:
    block = (after(site),)
    return apart([element(assignment(here(site)))], effects(block).sets, knowing(site, block))


def _value_kept(site: Site) -> Verdict:
    store, block = assignment(here(site)), (after(site),)
    return apart(effects(block).sets, loads([store.position, store.value]), knowing(site, block))


def _other_loads(site: Site) -> Verdict:
    block = (after(site),)
    return other_loads_apart(site, effects(block).uses, block)


CLAUSES = (
    Clause("not-assigned", "the statement does not assign to the variable", _not_assigned),
    Clause("value-kept", "the statement sets nothing that the value or the position loads", _value_kept),
    Clause(
        "other-loads-apart", "what the statement loads is the variable as written, or not it", _other_loads
    ),
)
SCALARS = Theorem(
    "White 4.1.4",
    "An assignment may go after a statement into which its value is substituted.",
    CLAUSES,
    lemma="interchange_with_substitution",
    shape=Clause("a-scalar-and-a-statement", "a scalar is assigned before another statement", _is_scalar),
)
ELEMENTS = Theorem(
    "White 4.1.4 for elements",
    "So may an assignment to an element that is surely there.",
    (INSIDE, *CLAUSES),
    shape=Clause(
        "an-element-and-a-statement", "an element is assigned before another statement", _is_element
    ),
)


def apply(kernel: Kernel, path: Path, **_: Any) -> Applied:
    """Put the statement, with the value in it, before the assignment."""
    store, other = assignment(at(kernel.body, path)), at(kernel.body, moved(path, 1))
    new = (*substituted((other,), store), store)
    return replaced(kernel, path, 2, new, lambda k, below: (1 - k, below))


MOVE = Move(
    "interchange_with_substitution",
    "Let an assignment go after a statement, into which its value is substituted.",
    find,
    apply,
    (SCALARS, ELEMENTS),
)
