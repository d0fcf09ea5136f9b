"""unswitch: a condition that a loop does not change is tested once, outside, with a loop for each outcome."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir.expr import FALSE, TRUE, Expr, substitute, topological
from ...ir.nest import For, If, Kernel, all_roots, rewrite
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import untouched
from ...reasoning.prove import Refuted, Verdict, decided
from ..move import Applied, Move
from ..theorem import Clause, Site, Theorem

MAX_SIZE = 400
"""Nodes of a body beyond which doubling it costs more to compile than the test costs to run."""


def _condition(loop: For) -> Expr | None:
    """The dearest choice in the body on a condition that the loop does not change."""
    best: Expr | None = None
    for node in topological(all_roots(loop.body)):
        if node.op == "choose" and not node.args[0].free & loop.index.free and node.args[0].op != "const":
            best = node.args[0]
    return best


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Loops with a choice on a condition that does not depend on the index, or on anything inside."""
    for path, s in paths(kernel.body):
        if isinstance(s, For) and _condition(s) is not None:
            yield path


def _switched(site: Site) -> tuple[For, Expr]:
    """The loop and the condition, once the shape was checked."""
    loop = site.statement
    assert isinstance(loop, For)  # noqa: S101 - the theorem's shape
    condition = _condition(loop)
    assert condition is not None  # noqa: S101 - the theorem's shape
    return loop, condition


def _has_condition(site: Site) -> Verdict:
    loop = site.statement
    if not isinstance(loop, For):
        return Refuted("the site is a loop", f"{site} is not")
    return decided(
        _condition(loop) is not None, "a choice is without the index", f"none for {loop.index.attr}"
    )


def _no_inner_index(site: Site) -> Verdict:
    loop, condition = _switched(site)
    inner = next(
        (s.index.attr for _, s in paths(loop.body) if isinstance(s, For) and condition.free & s.index.free),
        None,
    )
    return decided(inner is None, "no inner index is in it", f"{inner} is")


def _memory_unchanged(site: Site) -> Verdict:
    loop, condition = _switched(site)
    return untouched([condition], loop.body)


def _small(site: Site) -> Verdict:
    size = len(topological(all_roots(_switched(site)[0].body)))
    return decided(size <= MAX_SIZE, "the body is small", f"it has {size}")


UNSWITCHING = Theorem(
    "a condition that a loop does not change can be tested before it",
    "A test with one outcome in all iterations may be made once.",
    (
        Clause("no-inner-index", "no index of an inner loop occurs in the condition", _no_inner_index),
        Clause("memory-unchanged", "the loop stores to nothing that the condition loads", _memory_unchanged),
        Clause("small-body", f"the body has at most {MAX_SIZE} nodes", _small),
    ),
    shape=Clause(
        "a-fixed-choice", "the site is a loop with a choice on a condition without the index", _has_condition
    ),
)


def apply(kernel: Kernel, path: Path, **_: Any) -> Applied:
    """Two loops under one test."""
    loop = at(kernel.body, path)
    assert isinstance(loop, For)  # noqa: S101 - checked
    condition = _condition(loop)
    assert condition is not None  # noqa: S101 - checked

    def decided(truth: Expr) -> For:
        def change(roots: tuple[Expr, ...]) -> tuple[Expr, ...]:
            return tuple(_resolve(substitute(roots, {condition: truth})))

        return replace(loop, body=rewrite(loop.body, change))

    new = replace_at(kernel.body, path, (If(condition, (decided(TRUE),), (decided(FALSE),)),))
    return Applied(replace(kernel, body=new))


def _resolve(roots: list[Expr]) -> list[Expr]:
    """Choices on a constant replaced by their arm."""
    known: dict[Expr, Expr] = {}
    for node in topological(roots):
        if node.op == "choose" and node.args[0].op == "const":
            arm = node.args[1 if node.args[0].attr else 2]
            known[node] = substitute([arm], known)[0]
    return substitute(roots, known)


MOVE = Move(
    "unswitch",
    "Test a condition that a loop does not change once, before the loop.",
    find,
    apply,
    (UNSWITCHING,),
)
