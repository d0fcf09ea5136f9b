"""absorb_after: a statement after an `if` goes into both of its arms (White's theorem 4.2.1, second part).

``if b then A else B; S`` becomes ``if b then A; S else B; S``, always.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...ir.nest import Kernel
from ...ir.path import Path, at
from ...reasoning.prove import Verdict, decided
from ..analysis.adjacent import branch, is_branch, moved, pairs, replaced, told
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Every `if` with a statement after it."""
    return (path for path in pairs(kernel) if is_branch(at(kernel.body, path)))


def _branch_and_more(site: Site) -> Verdict:
    fits = is_branch(site.statement) and site.after() is not None
    return decided(fits, "a statement follows the if", f"{told(site)} is no if with a statement after it")


THEOREM = Theorem(
    "White 4.2.1, after",
    "A statement after an if may be made at the end of both arms.",
    (),
    lemma="absorption_after",
    shape=Clause("an-if-and-a-statement", "a statement comes after the if", _branch_and_more),
)


def apply(kernel: Kernel, path: Path, **_: Any) -> Applied:
    """Put the statement last in each arm."""
    test, s = branch(at(kernel.body, path)), at(kernel.body, moved(path, 1))
    new = replace(test, then=(*test.then, s), orelse=(*test.orelse, s))
    return replaced(kernel, path, 2, (new,), lambda k, below: None if k else (0, below))


MOVE = Move("absorb_after", "Take a statement after an if into both of its arms.", find, apply, (THEOREM,))
