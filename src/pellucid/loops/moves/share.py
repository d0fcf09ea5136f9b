"""share: a value that a statement uses several times gets a place before it (Pan, section 3.3).

The single step of which `place` makes many at once. The value must be used at least once whatever the conditions are,
so that sharing never adds an evaluation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir.expr import LEAVES, Expr, uses
from ...ir.nest import Kernel, Let, Repeat, Statement, roots
from ...ir.path import Path, at, replace_at
from ...ir.path import walk as paths
from ...reasoning.effects import untouched
from ...reasoning.prove import Verdict, decided
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def _certain(statement: Statement) -> set[Expr]:
    """The nodes that the statement computes under any condition: not those that only an arm or an iteration uses."""
    seen: set[Expr] = set()
    stack = list(roots(statement))
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            if node.op == "choose":
                stack.append(node.args[0])
            elif node.op == "iterate":
                n: int = node.attr[1]
                stack += [*node.args[:n], node.args[-1]]
            else:
                stack += node.args
    return seen


def _placed(kernel: Kernel, path: Path) -> set[Expr]:
    """The values that have places before the statement, in its block or in those around."""
    found: set[Expr] = set()
    for depth in range(1, len(path) + 1):
        for position in range(path[depth - 1][1]):
            s = at(kernel.body, (*path[: depth - 1], (path[depth - 1][0], position)))
            if isinstance(s, Let | Repeat):
                found.add(s.value)
    return found


def candidate(kernel: Kernel, path: Path) -> Expr | None:
    """The first value used several times in the statement that has no place yet."""
    statement = at(kernel.body, path)
    placed, certain = _placed(kernel, path), _certain(statement)
    given = [r for r in roots(statement) if not isinstance(statement, Let)] or [
        a for r in roots(statement) for a in r.args
    ]
    counts = uses(given)
    for node in sorted(counts, key=lambda n: n.id):
        if counts[node] > 1 and node.op not in LEAVES and node not in placed and node in certain:
            return node
    return None


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Statements that use a value several times."""
    for path, _s in paths(kernel.body):
        if candidate(kernel, path) is not None:
            yield path


def _used_often(site: Site) -> Verdict:
    node = candidate(site.kernel, site.path) if site.path else None
    return decided(node is not None, "a value is used several times", f"none in {site}")


def _loads_kept(site: Site) -> Verdict:
    node = candidate(site.kernel, site.path)
    assert node is not None  # noqa: S101 - the theorem's shape
    return untouched([node], site.block[site.path[-1][1] :])


SHARING = Theorem(
    "sharing adds no evaluation",
    "A value that is computed anyway may be computed once, before its uses.",
    (Clause("loads-kept", "nothing in the scope of the place stores to what the value loads", _loads_kept),),
    shape=Clause("used-often", "a value is used several times here and has no place", _used_often),
)


def apply(kernel: Kernel, path: Path, **_: Any) -> Applied:
    """Put the place before the statement."""
    node = candidate(kernel, path)
    assert node is not None  # noqa: S101 - checked
    new = replace_at(kernel.body, path, (Let(node), at(kernel.body, path)))
    return Applied(replace(kernel, body=new))


MOVE = Move(
    "share", "Give a value that a statement uses several times a place before it.", find, apply, (SHARING,)
)
