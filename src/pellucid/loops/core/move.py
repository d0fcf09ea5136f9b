"""The form of every move: find its sites, be licensed by a theorem, apply, and say where old places went.

A move is pure: it makes a new nest. `check` asks the move's theorems; a move that none of them licenses is not
applied, and the ledger keeps the clause that failed. There is no way to skip a check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any

from ...base.record import record
from ...ir.expr import Expr
from ...ir.facts import Facts
from ...ir.nest import Kernel, Once, walk
from ...ir.path import Path
from ...reasoning.prove import Proved, Unknown, Verdict
from .ledger import Ledger
from .theorem import Clause, Site, Theorem


@record
class Applied:
    """A move's result: the new kernel, where each old path went, and steps that the ledger shows beneath it.

    `known` tells of expressions that the move made what cannot be seen from them, such as what a table holds.
    """

    kernel: Kernel
    forward: Callable[[Path], Path | None] = lambda path: path
    details: Callable[[], tuple[str, ...]] = tuple
    known: Mapping[Expr, Facts] = field(default_factory=dict[Expr, Facts])


@record
class Move:
    """A named, checked transformation of nests.

    find      the sites where the move might apply, most promising first.
    apply     the nest after it; only called when `check` answered Proved.
    theorems  what licenses it: any one of them is enough.
    limits    what it keeps to where a theorem licenses more: sizes, what a machine runs, what an option may name.
    derive    for a move made of smaller ones: the small moves replayed on a few iterations, each with its own proof.

    All three functions take the kernel, the path (not `find`), `ranges`, and the move's own options by name.
    """

    name: str
    doc: str
    find: Callable[..., Iterable[Path]]
    apply: Callable[..., Applied]
    theorems: tuple[Theorem, ...]
    derive: Callable[..., Ledger] | None = None
    limits: tuple[Clause, ...] = ()

    def check(
        self, kernel: Kernel, path: Path, *, ranges: Mapping[Expr, Facts] | None = None, **options: Any
    ) -> Verdict:
        """Whether it may be made at a site: Proved by the first theorem that proves it, within the move's limits.

        Nothing is proved of a program in which values are kept (`Once`): places come last.
        If none does, the answer is that of the first theorem which speaks of what stands there.
        """
        site = Site(kernel, path, ranges or {}, options)
        refusals: list[Verdict] = []
        strangers: list[Verdict] = []
        for theorem in self.theorems:
            verdict = theorem.prove(site)
            if isinstance(verdict, Proved):
                return self._beyond(site) or _unless_kept(kernel, verdict)
            (refusals if theorem.fits(site) else strangers).append(verdict)
        return (refusals + strangers)[0]

    def _beyond(self, site: Site) -> Verdict | None:
        """The first limit that a licensed site does not keep to, or None."""
        for limit in self.limits:
            verdict = limit.ask(site)
            if not isinstance(verdict, Proved):
                return verdict
        return None


def _unless_kept(kernel: Kernel, verdict: Proved) -> Verdict:
    """The verdict, unless the program keeps values: they are known for loops that a move may take away or change."""
    if not any(isinstance(s, Once) for s in walk(kernel.body)):
        return verdict
    return Unknown(
        "no value is kept by a `once`",
        "the loops for which values are kept; place them last",
        "no-value-kept",
    )
