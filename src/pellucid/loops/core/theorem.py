"""Theorems: the side conditions under which a move preserves meaning, each a clause that can be tested and named.

A `Site` is a place in a kernel with what is known there. A `Clause` decides one condition on a site; a `Theorem` is a
list of them under the name of its source. Moves are licensed by theorems and by nothing else.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any

from ...base.record import record
from ...ir.expr import Expr
from ...ir.facts import Facts
from ...ir.nest import Block, For, Kernel, Statement, blocks
from ...ir.path import Path, at, describe, enclosing
from ...reasoning.iterations import LoopAccesses
from ...reasoning.known import Known, known_at
from ...reasoning.prove import Premise, Proved, Verdict


@record(slots=False)
class Site:
    """A statement of a kernel by its path, what is known of leaves there, and the options of the move."""

    kernel: Kernel
    path: Path
    ranges: Mapping[Expr, Facts] = field(default_factory=dict[Expr, Facts])
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @functools.cached_property
    def statement(self) -> Statement | None:
        """The statement at the path; None for the empty path, which means the whole kernel."""
        return at(self.kernel.body, self.path) if self.path else None

    @functools.cached_property
    def around(self) -> tuple[Statement, ...]:
        """The statements around it, outermost first."""
        return tuple(enclosing(self.kernel.body, self.path))

    @functools.cached_property
    def block(self) -> Block:
        """The block that it stands in."""
        if len(self.path) < 2:
            return self.kernel.body
        return blocks(self.around[-1])[self.path[-1][0]]

    @functools.cached_property
    def known(self) -> Known:
        """The facts there: the loops and conditions around, and the ranges of leaves."""
        return known_at(self.kernel.body, self.path, self.ranges)

    @functools.cached_property
    def iterations(self) -> LoopAccesses:
        """The accesses of the iterations of the loop there; there must be a loop."""
        assert isinstance(self.statement, For)  # noqa: S101 - the shape of every theorem that asks
        return LoopAccesses(self.statement, self.known)

    def after(self, count: int = 1) -> Statement | None:
        """The statement that stands `count` places further on in the same block, or None."""
        position = self.path[-1][1] + count if self.path else len(self.block)
        return self.block[position] if 0 <= position < len(self.block) else None

    def __str__(self) -> str:
        """The site in words."""
        return describe(self.kernel.body, self.path) if self.path else f"kernel {self.kernel.name}"


@record
class Clause:
    """One side condition: its name (kebab-case, one of a kind in its theorem), its words, and its test."""

    name: str
    text: str | Callable[[Site], str]
    test: Callable[[Site], Verdict]

    def words(self, site: Site) -> str:
        """The condition in words, at a site."""
        return self.text if isinstance(self.text, str) else self.text(site)

    def ask(self, site: Site) -> Verdict:
        """The verdict of the test; a refusal has the clause's words and name."""
        verdict = self.test(site)
        return (
            verdict
            if isinstance(verdict, Proved)
            else replace(verdict, premise=self.words(site), clause=self.name)
        )


@record
class Theorem:
    """A statement of when a move preserves meaning.

    name    its source: "White 4.1.2", or a sentence of our own.
    title   what it says, in a sentence.
    clauses the side conditions, in the order in which they are tried.
    lemma   the name of its machine-checked proof; None means that it is tested.
    shape   what must stand at the site for the theorem to speak of it at all; the clauses may rely on it.
    """

    name: str
    title: str
    clauses: tuple[Clause, ...]
    lemma: str | None = None
    shape: Clause | None = None

    def fits(self, site: Site) -> bool:
        """Whether the theorem speaks of what stands there."""
        return self.shape is None or isinstance(self.shape.test(site), Proved)

    def prove(self, site: Site) -> Verdict:
        """Proved with all premises, or the first clause that is refuted or unknown, by name.

        What the clauses count on that the caller declares comes last.
        """
        premises: list[Premise] = []
        declared: dict[Premise, None] = {}
        for clause in (self.shape, *self.clauses):
            if clause is None:
                continue
            verdict = clause.ask(site)
            if not isinstance(verdict, Proved):
                return verdict
            declared.update(dict.fromkeys(verdict.premises))
            if clause is not self.shape:
                premises.append(
                    Premise(clause.words(site), functools.partial(clause.test, site), clause.name)
                )
        return Proved(self.name, (*premises, *declared), self.lemma)

    def without(self, clause: str) -> Theorem:
        """The theorem with a clause left out, for tests that show that it is needed."""
        return replace(self, clauses=tuple(c for c in self.clauses if c.name != clause))
