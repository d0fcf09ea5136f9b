"""branch_store: a store of a choice becomes a choice between two stores.

``out[i] := if c then a else b`` is ``if c: out[i] := a``, ``else: out[i] := b``, wherever in the value the choice is.
The condition can then join the loop around (White 5.4.1), or leave it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ...ir.expr import FALSE, TRUE, Expr, topological
from ...ir.nest import If, Kernel, Statement, Store
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.prove import Verdict, decided
from ..analysis.deciding import of_a_state, resolved, tests
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def condition(s: Statement | None, by: Sequence[Expr] = ()) -> Expr | None:
    """The condition of the dearest choice in a store, or a part of it; with `by`, the one in it; None without any."""
    best: Expr | None = None
    if isinstance(s, Store):
        for node in topological([s.value]):
            if node.op == "choose":
                found = (c for c in tests(node.args[0]) if c.op != "const" and (not by or c in by))
                best = next((c for c in found if not of_a_state(c)), best)
    return best


def find(kernel: Kernel, *, by: Sequence[Expr] = (), **_: Any) -> Iterable[Path]:
    """Stores with a choice."""
    for path, s in paths(kernel.body):
        if condition(s, by) is not None:
            yield path


def _a_choice(site: Site) -> Verdict:
    found = condition(site.statement, site.options.get("by", ()))
    return decided(found is not None, "a choice is stored", f"none is in {site}")


BRANCHES = Theorem(
    "a store of a choice is a choice between two stores",
    "A condition that is tested within a value may be tested before it is stored.",
    (),
    lemma="branching",
    shape=Clause("a-choice-inside", "the site is a store with a choice", _a_choice),
)


def apply(kernel: Kernel, path: Path, *, by: Sequence[Expr] = (), **_: Any) -> Applied:
    """Two stores under one test; `by` names the condition."""
    s = at(kernel.body, path)
    test = condition(s, by)
    assert isinstance(s, Store) and test is not None  # noqa: S101, PT018 - checked

    def arm(truth: Expr) -> Store:
        return replace(s, value=resolved([s.value], {test: truth})[0])

    new = If(test, (arm(TRUE),), (arm(FALSE),))
    return Applied(replace(kernel, body=replace_at(kernel.body, path, (new,))))


MOVE = Move(
    "branch_store",
    "Test a condition within a stored value before the store.",
    find,
    apply,
    (BRANCHES,),
)
