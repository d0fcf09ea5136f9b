"""unswitch: a condition that a loop does not change is tested once, outside, with a loop for each outcome."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir.expr import FALSE, TRUE, Expr, substitute, topological
from ...ir.nest import For, If, Kernel, all_roots, rewrite
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import stored
from ..move import Applied, Move, Premise, Refuted, Verdict, prove

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


def check(kernel: Kernel, path: Path, **_: Any) -> Verdict:
    """The condition must mean the same in every iteration, and the body must be small enough to have twice."""
    loop = at(kernel.body, path)
    if not isinstance(loop, For):
        return Refuted("the site is a loop", type(loop).__name__.lower())
    condition = _condition(loop)
    if condition is None:
        return Refuted(
            "a choice in the body is on a condition without the index", f"none for {loop.index.attr}"
        )
    inner = {s.index.free for _, s in paths(loop.body) if isinstance(s, For)}
    memory = {n.attr for n in topological([condition]) if n.op == "load"}
    return prove(
        "a condition that a loop does not change can be tested before it",
        Premise(
            f"{loop.index.attr} does not occur in the condition", lambda: not condition.free & loop.index.free
        ),
        Premise(
            "no index of an inner loop occurs in the condition",
            lambda: not any(condition.free & f for f in inner),
        ),
        Premise(
            "the loop stores to nothing that the condition loads", lambda: not memory & stored(loop.body)
        ),
        Premise(
            f"the body has at most {MAX_SIZE} nodes",
            lambda: len(topological(all_roots(loop.body))) <= MAX_SIZE,
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
    "unswitch", "Test a condition that a loop does not change once, before the loop.", find, check, apply
)
