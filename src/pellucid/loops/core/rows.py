"""The rows of a ledger: all that is told of a step, found once, from which text, Markdown, JSON and pages are printed.

Above theorems, lemmas and the statuses of rules; a `Ledger` makes its rows when somebody looks at it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...base.errors import IrError
from ...base.record import record
from ...reasoning.prove import Proved, Verdict
from ...rewriting.status import Status, status_of, text_of
from .lemmas import file_of, statement_of


@record
class RuleUse:
    """A rule that a pass applied: its name, how often, its status, and its text."""

    name: str
    times: int
    status: Status
    text: str

    @classmethod
    def of(cls, name: str, times: int) -> RuleUse:
        """The use of a rule of that name."""
        return cls(name, times, status_of(name), text_of(name))


@record
class LedgerRow:
    """A step as it is told.

    stage    the stage of the pipeline that it belongs to, or empty.
    status   how far it can be trusted, and where that is shown; None for a step that was refused.
    clauses  the conditions that were decided, as (name, words); of a refused step, the one that failed.
    before   the timer's cost before the step, and `after` after it: cycles, estimated with guessed sizes.
    beneath  writes the steps beneath, whose names are those of the program's text: few readers ask for them.
    """

    stage: str
    move: str
    site: str
    verdict: Verdict
    status: Status | None
    rules: tuple[RuleUse, ...]
    clauses: tuple[tuple[str, str], ...]
    before: float
    after: float
    beneath: Callable[[], tuple[str, ...]]

    @property
    def details(self) -> tuple[str, ...]:
        """The steps beneath, written out on demand."""
        return self.beneath()

    @property
    def label(self) -> str:
        """The status in one word: proved, checked, tested, refuted or unknown."""
        return type(self.verdict).__name__.lower() if self.status is None else self.status.word

    @property
    def theorem(self) -> str:
        """The reason why the step is allowed, in words; empty for a step that was refused."""
        return self.verdict.theorem if isinstance(self.verdict, Proved) else ""

    @property
    def lemma(self) -> str:
        """The name of the lemma that the reason rests on, or empty."""
        return (self.verdict.lemma or "") if isinstance(self.verdict, Proved) else ""

    @property
    def about(self) -> str:
        """What the move does, in a sentence; empty for a pass."""
        from .registry import named

        try:
            return named(self.move).doc
        except IrError:
            return ""

    @property
    def statement(self) -> str:
        """What the theorem says, in a sentence; empty where the reason is one already."""
        from .registry import named

        try:
            theorems = named(self.move).theorems
        except IrError:
            return ""
        return next((t.title for t in theorems if t.name == self.theorem), "")

    def json(self) -> dict[str, Any]:
        """The row as plain data."""
        proof = {"lemma": self.lemma, "file": file_of(self.lemma), "text": statement_of(self.lemma)}
        return {
            "stage": self.stage,
            "move": self.move,
            "about": self.about,
            "site": self.site,
            "verdict": type(self.verdict).__name__,
            "label": self.label,
            "where": self.status.where if self.status else None,
            "rules": [
                {
                    "name": use.name,
                    "times": use.times,
                    "status": use.status.word,
                    "where": use.status.where,
                    "text": use.text,
                }
                for use in self.rules
            ],
            "theorem": self.theorem or None,
            "statement": self.statement,
            "lemma": self.lemma or None,
            "proof": proof if self.lemma else None,
            "clauses": [{"name": name, "words": words} for name, words in self.clauses],
            "words": str(self.verdict),
            "before": self.before,
            "after": self.after,
            "details": list(self.details),
        }

    def __str__(self) -> str:
        """The row as the ledger prints it: a line, the conditions under it, and the steps beneath."""
        said = f"{self.label.capitalize()}  {self.theorem}  [{self.status.where}]" if self.status else ""
        cost = f"  cost {self.before:.0f} -> {self.after:.0f}" if self.status and self.changes_cost else ""
        under = [f"  {named}" for named in map(clause_in_words, self.clauses)] if self.status else []
        head = f"{self.move:<10} {self.site}  {said or self.verdict}{cost}"
        return "\n".join([head, *under, *rules_in_words(self.rules), *(f"    {d}" for d in self.details)])

    @property
    def changes_cost(self) -> bool:
        """Whether the program costs more or less after the step."""
        return self.before != self.after

    def cells(self) -> tuple[str, ...]:
        """The row for a table: move, site, verdict, conditions, cost before, cost after."""
        said = f"{self.label}, {self.theorem} [{self.status.where}]" if self.status else str(self.verdict)
        under = [*map(clause_in_words, self.clauses), *rules_in_words(self.rules)] if self.status else []
        return self.move, self.site, said, "<br>".join(under), f"{self.before:.0f}", f"{self.after:.0f}"


def amount(cost: float) -> str:
    """A cost of three digits, for people.

    >>> amount(93_003_002), amount(2_009_007), amount(812.25)
    ('93 million', '2.01 million', '812')
    """
    for unit, name in ((1e9, " billion"), (1e6, " million")):
        if cost >= unit:
            return f"{cost / unit:.3g}{name}" if cost < 1000 * unit else f"{cost / unit:,.0f}{name}"
    return f"{cost:,.0f}"


def as_table(rows: Iterable[LedgerRow]) -> str:
    """The rows as a table in Markdown."""
    lines = ["| step | move | site | verdict | conditions | cost before | cost after |"]
    lines += ["|---:|---|---|---|---|---:|---:|"]
    for k, row in enumerate(rows, 1):
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in (str(k), *row.cells())) + " |")
    return "\n".join(lines) + "\n"


def weakest_first(rules: Iterable[RuleUse]) -> list[RuleUse]:
    """The rules in the order in which they are told: what is trusted least comes first."""
    return sorted(rules, key=lambda use: (-use.status.rank, use.name))


def rules_in_words(rules: Iterable[RuleUse]) -> list[str]:
    """Rules with their status, the weakest first: one line for each that is not proved, and one for all that are."""
    known = weakest_first(rules)
    lines = [
        f"  {use.status.word:<8} {use.name}: {use.status.where}"
        for use in known
        if use.status.word != "proved"
    ]
    proved = ", ".join(use.name for use in known if use.status.word == "proved")
    return [*lines, f"  proved   {proved}"] if proved else lines


def clause_in_words(clause: tuple[str, str]) -> str:
    """A condition behind its name."""
    name, words = clause
    return f"{name}: {words}" if name else words
