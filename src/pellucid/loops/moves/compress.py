"""compress: a statement goes whose results are overwritten unseen, or which has none (White's theorem 4.1.6).

``v := s; v := t`` becomes ``v := t`` if t and v's own position do not load v. As printed the condition is on White's
`uses`, which contain the sets, and would forbid even ``x := 5; x := 6``; what counts is what is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...ir.nest import Kernel, Store
from ...ir.path import Path
from ...ir.path import walk as paths
from ...reasoning.bounds import difference
from ...reasoning.effects import loads
from ...reasoning.prove import Verdict, both, decided
from ...reasoning.separate import apart, not_self_referencing
from ..analysis.adjacent import after, assignment, here, replaced, told
from ..analysis.nullable import nullable
from ..analysis.substitution import element, knowing
from ..core.move import Applied, Move
from ..core.theorem import Clause, Site, Theorem


def find(kernel: Kernel, **_: Any) -> Iterable[Path]:
    """Every statement: assignments before another to the same variable first."""
    found = [path for path, _ in paths(kernel.body)]
    return sorted(found, key=lambda path: not OVERWRITTEN.fits(Site(kernel, path)))


def _two_assignments(site: Site) -> Verdict:
    first, second = site.statement, site.after()
    same = False
    if isinstance(first, Store) and isinstance(second, Store) and first.buffer is second.buffer:
        a, b = first.position, second.position
        apart = difference(a, b, site.known) if a is not b else None
        same = apart is None or apart.lo == apart.hi == 0
    return decided(
        same, "two assignments to one variable", f"{told(site)} is not followed by one to the same variable"
    )


def _value_not_used(site: Site) -> Verdict:
    store, second = assignment(here(site)), assignment(after(site))
    return apart([element(store)], loads([second.value]), knowing(site))


def _not_self_referencing(site: Site) -> Verdict:
    both_stores = assignment(here(site)), assignment(after(site))
    return both(*(not_self_referencing(element(s), site.known) for s in both_stores))


def _a_statement(site: Site) -> Verdict:
    return decided(site.statement is not None, "the site is a statement", f"{site} is not")


def _nullable(site: Site) -> Verdict:
    return nullable(here(site), site.known)


OVERWRITTEN = Theorem(
    "White 4.1.6a",
    "An assignment goes that the next one overwrites unseen.",
    (
        Clause("value-not-used", "the second assignment does not load the variable", _value_not_used),
        Clause("not-self-referencing", "the variable's own position does not load it", _not_self_referencing),
    ),
    lemma="compression_of_assignments",
    shape=Clause("two-assignments", "two assignments to one variable follow each other", _two_assignments),
)
NULLABLE = Theorem(
    "White 4.1.6b",
    "A statement goes that changes nothing.",
    (Clause("nullable", "the statement changes nothing", _nullable),),
    lemma="compression_of_nullable",
    shape=Clause("a-statement", "the site is a statement", _a_statement),
)


def apply(kernel: Kernel, path: Path, **_: Any) -> Applied:
    """Leave the statement out."""
    return replaced(kernel, path, 1, ())


MOVE = Move(
    "compress",
    "Leave out a statement whose results are overwritten unseen, or which has none.",
    find,
    apply,
    (OVERWRITTEN, NULLABLE),
)
