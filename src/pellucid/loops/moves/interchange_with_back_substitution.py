"""interchange_with_back_substitution: a copy is made first, and what was done to the original is done to it.

White's theorem 4.1.5: ``S; v := x`` becomes ``v := x; S[v/x]; x := v``, where x is a scalar. She has it for assignments
S; it holds for every statement in which x stands for itself. With x dead afterwards, ``s := 0; ...; h[i] := s`` needs
no s at all: this is how the sum of a histogram moves into its array.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...ir.expr import load
from ...ir.nest import Kernel, Store
from ...ir.path import Path, at
from ...reasoning.bounds import inside
from ...reasoning.effects import StatementEffects, effects
from ...reasoning.known import Known
from ...reasoning.prove import Verdict, decided
from ...reasoning.separate import apart, location_independent, not_self_referencing
from ..analysis.adjacent import after, assignment, here, moved, pairs, replaced, told
from ..analysis.substitution import element, its_loads, original, renamed
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Statements with a copy of a scalar after them."""
    return (path for path in pairs(kernel) if original(at(kernel.body, moved(path, 1))) is not None)


def _scalar(site: Site) -> Store:
    found = original(after(site))
    assert found is not None  # noqa: S101 - the shape
    return found


def _is_copied(site: Site) -> Verdict:
    fits = site.statement is not None and original(site.after()) is not None
    return decided(fits, "a copy of a scalar follows", f"what follows {told(site)} is none")


def _is_assigned(site: Site) -> Verdict:
    fits = isinstance(site.statement, Store) and original(site.after()) is not None
    return decided(
        fits, "a copy of a scalar follows an assignment", f"{told(site)} is none, or no copy follows"
    )


def _parts(site: Site) -> tuple[StatementEffects, Store, Known]:
    found, copy = effects((here(site),)), assignment(after(site))
    return found, copy, site.known.while_changing({copy.buffer, *(a.buffer for a in found.sets)})


def _copy_not_used(site: Site) -> Verdict:
    found, copy, known = _parts(site)
    return apart([element(copy)], found.uses, known)


def _copy_not_set(site: Site) -> Verdict:
    found, copy, known = _parts(site)
    return apart([element(copy)], found.sets, known)


def _location_independent(site: Site) -> Verdict:
    found, copy, known = _parts(site)
    return location_independent(element(copy), found.sets, known)


def _not_self_referencing(site: Site) -> Verdict:
    _, copy, known = _parts(site)
    return not_self_referencing(element(copy), known)


def _inside(site: Site) -> Verdict:
    copy = assignment(after(site))
    return inside(copy.position, copy.buffer, site.known)


def _only_the_scalar(site: Site) -> Verdict:
    found, x = effects((here(site),)), _scalar(site)
    own = {e.args[0] for e in its_loads(x)}
    odd = [a for a in (*found.sets, *found.uses) if a.buffer is x.buffer and a.position not in own]
    words = ", ".join(map(str, odd))
    return decided(not odd, "the scalar is written plainly", f"{words} may be it as well")


CLAUSES = (
    Clause(
        "second-sets-apart-from-first-uses", "the statement does not use what the copy sets", _copy_not_used
    ),
    Clause("sets-apart", "the statement does not set what the copy sets", _copy_not_set),
    Clause(
        "location-independent",
        "the statement sets nothing that the copy's position loads",
        _location_independent,
    ),
    Clause("not-self-referencing", "the copy's own position does not load it", _not_self_referencing),
    Clause("inside", "the copy is an element that its array surely has", _inside),
    Clause("only-the-scalar", "the statement accesses the scalar at position 0 only", _only_the_scalar),
)
ASSIGNMENTS = Theorem(
    "White 4.1.5",
    "A copy may be made before an assignment, which is made to it then.",
    CLAUSES,
    lemma="interchange_with_backward_substitution",
    shape=Clause("an-assignment-and-a-copy", "a copy of a scalar follows an assignment", _is_assigned),
)
STATEMENTS = Theorem(
    "White 4.1.5 for statements",
    "A copy may be made before any statement, which then works on it.",
    CLAUSES,
    lemma="backward_substitution_for_statements",
    shape=Clause("a-statement-and-a-copy", "a copy of a scalar follows another statement", _is_copied),
)


def apply(kernel: Kernel, path: Path, **_: Any) -> Applied:
    """Copy, work on the copy, and copy back."""
    copy, block = assignment(at(kernel.body, moved(path, 1))), (at(kernel.body, path),)
    x = original(copy)
    assert x is not None  # noqa: S101 - checked
    back = Store(x.buffer, x.position, load(copy.buffer, copy.position))
    new = (copy, *renamed(block, x, copy), back)
    return replaced(kernel, path, 2, new, lambda k, below: (1 - k, below))


MOVE = Move(
    "interchange_with_back_substitution",
    "Copy a scalar before a statement instead of after it, and let the statement work on the copy.",
    find,
    apply,
    (ASSIGNMENTS, STATEMENTS),
)
