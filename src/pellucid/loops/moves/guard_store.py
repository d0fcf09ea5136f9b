"""guard_store: a store that leaves an element as it is unless a condition holds becomes a branch around the store.

``h[i] := h[i] + (if a[j] == i then 1 else 0)`` is ``if a[j] == i: h[i] := h[i] + 1``. The condition can then join the
loop around (White 5.4.1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir import expr as E
from ...ir.expr import FALSE, TRUE, Expr, substitute, topological
from ...ir.nest import If, Kernel, Statement, Store
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import shown
from ...reasoning.prove import Verdict, decided
from ..analysis.deciding import of_a_state
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def condition(s: Statement | None) -> Expr | None:
    """The condition of the first choice in a stored value that also loads the element; None if there is none."""
    if not isinstance(s, Store):
        return None
    nodes = topological([s.value])
    if E.load(s.buffer, s.position) not in nodes:
        return None
    for node in nodes:
        if node.op == "choose" and node.args[0].op != "const" and not of_a_state(node.args[0]):
            return node.args[0]
    return None


def _value(s: Store, test: Expr, truth: Expr) -> Expr:
    """The value that is stored under that truth of the condition."""
    from ...rewriting.simplify import simplify

    return simplify(substitute([s.value], {test: truth}), numerics="exact")[0]


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Stores with such a choice."""
    for path, s in paths(kernel.body):
        if condition(s) is not None:
            yield path


def _store(site: Site) -> tuple[Store, Expr]:
    s, test = site.statement, condition(site.statement)
    assert isinstance(s, Store) and test is not None  # noqa: S101, PT018 - the theorem's shape
    return s, test


def _kept(s: Store, test: Expr) -> Expr | None:
    """The outcome of the condition with which the element stays what it is, if there is one."""
    own = E.load(s.buffer, s.position)
    return next((truth for truth in (FALSE, TRUE) if _value(s, test, truth) is own), None)


def _stays(site: Site) -> Verdict:
    s, test = _store(site)
    values = " or ".join(shown(_value(s, test, truth)) for truth in (TRUE, FALSE))
    return decided(
        _kept(s, test) is not None, "one outcome leaves the element as it is", f"it becomes {values}"
    )


GUARDS = Theorem(
    "storing what is there changes nothing",
    "A store of the element itself may be left out, and so be put under the condition that it is not that.",
    (
        Clause(
            "stays",
            lambda s: (
                f"{_store(s)[0].buffer.name} stays as it is by rules labelled exact unless a condition holds"
            ),
            _stays,
        ),
    ),
    shape=Clause(
        "a-choice",
        "the site is a store of a choice and of what the element holds",
        lambda s: decided(condition(s.statement) is not None, "a choice is stored", f"none is in {s}"),
    ),
)


def apply(kernel: Kernel, path: Path, **_: Any) -> Applied:
    """The store of the other outcome, under the condition."""
    s = at(kernel.body, path)
    test = condition(s)
    assert isinstance(s, Store) and test is not None  # noqa: S101, PT018 - checked
    on_truth = _kept(s, test) is FALSE
    new = (replace(s, value=_value(s, test, TRUE if on_truth else FALSE)),)
    branch = If(test, new, ()) if on_truth else If(test, (), new)
    return Applied(replace(kernel, body=replace_at(kernel.body, path, (branch,))))


MOVE = Move(
    "guard_store", "Put a store under the condition without which it changes nothing.", find, apply, (GUARDS,)
)
