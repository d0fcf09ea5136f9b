"""unswitch: a condition that a loop does not change is tested once, outside, with a loop for each outcome."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ...ir.expr import FALSE, TRUE, Expr, topological
from ...ir.nest import Block, For, If, Kernel, Statement, all_roots, rewrite, transform, walk
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import untouched
from ...reasoning.prove import Refuted, Verdict, decided
from ..analysis.deciding import resolved, tests
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem

MAX_SIZE = 400
"""Nodes of a body beyond which doubling it costs more to compile than the test costs to run."""


def _condition(loop: For, by: Sequence[Expr] = ()) -> Expr | None:
    """The condition of the first branch in the body that the loop's index does not change, or of the dearest choice.

    Of a choice also a part of its condition: a box is tested by rows and by columns. With `by`, the one in it.
    """
    for s in walk(loop.body):
        if (
            isinstance(s, If)
            and not s.selects
            and _fixed(s.condition, loop)
            and (not by or s.condition in by)
        ):
            return s.condition
    best: Expr | None = None
    for node in topological(all_roots(loop.body)):
        if node.op == "choose":
            found = (c for c in tests(node.args[0]) if _fixed(c, loop) and (not by or c in by))
            best = next(found, best)
    return best


def _fixed(condition: Expr, loop: For) -> bool:
    return not condition.free & loop.index.free and condition.op != "const"


def find(kernel: Kernel, *, by: Sequence[Expr] = (), **_: Any) -> Iterable[Path]:
    """Small loops with a choice on a condition that does not depend on the index."""
    for path, s in paths(kernel.body):
        if (
            isinstance(s, For)
            and _condition(s, by) is not None
            and len(topological(all_roots(s.body))) <= MAX_SIZE
        ):
            yield path


def _switched(site: Site) -> tuple[For, Expr]:
    """The loop and the condition, once the shape was checked."""
    loop = site.statement
    assert isinstance(loop, For)  # noqa: S101 - the theorem's shape
    condition = _condition(loop, site.options.get("by", ()))
    assert condition is not None  # noqa: S101 - the theorem's shape
    return loop, condition


def _has_condition(site: Site) -> Verdict:
    loop = site.statement
    if not isinstance(loop, For):
        return Refuted("the site is a loop", f"{site} is not")
    found = _condition(loop, site.options.get("by", ()))
    return decided(found is not None, "a choice is without the index", f"none for {loop.index.attr}")


def _no_inner_index(site: Site) -> Verdict:
    _, condition = _switched(site)
    scope = 0
    for s in site.around:
        scope |= s.index.free if isinstance(s, For) else 0
    bound = [
        n for n in topological([condition]) if n.op in ("index", "state") and n.free & condition.free & ~scope
    ]
    return decided(not bound, "it means the same before the loop", f"{bound} have no value there")


def _memory_unchanged(site: Site) -> Verdict:
    loop, condition = _switched(site)
    return untouched([condition], loop.body)


UNSWITCHING = Theorem(
    "a condition that a loop does not change can be tested before it",
    "A test with one outcome in all iterations may be made once.",
    (
        Clause("no-inner-index", "no index of an inner loop occurs in the condition", _no_inner_index),
        Clause("memory-unchanged", "the loop stores to nothing that the condition loads", _memory_unchanged),
    ),
    lemma="unswitching",
    shape=Clause(
        "a-fixed-choice", "the site is a loop with a choice on a condition without the index", _has_condition
    ),
)


def apply(kernel: Kernel, path: Path, *, by: Sequence[Expr] = (), **_: Any) -> Applied:
    """Two loops under one test; `by` names the condition."""
    loop = at(kernel.body, path)
    assert isinstance(loop, For)  # noqa: S101 - checked
    condition = _condition(loop, by)
    assert condition is not None  # noqa: S101 - checked

    def arm(truth: Expr) -> For:
        def change(roots: tuple[Expr, ...]) -> tuple[Expr, ...]:
            return tuple(resolved(roots, {condition: truth}))

        def splice(s: Statement) -> Block:
            if isinstance(s, If) and not s.selects and s.condition in (TRUE, FALSE):
                return s.then if s.condition is TRUE else s.orelse
            return (s,)

        return replace(loop, body=transform(rewrite(loop.body, change), splice))

    new = replace_at(kernel.body, path, (If(condition, (arm(TRUE),), (arm(FALSE),)),))
    return Applied(replace(kernel, body=new))


MOVE = Move(
    "unswitch",
    "Test a condition that a loop does not change once, before the loop.",
    find,
    apply,
    (UNSWITCHING,),
)
