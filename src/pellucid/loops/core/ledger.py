"""The ledger: every step of an optimization, with what was proved for it and what it cost before and after.

`explain` and `pellucid hops` print its rows in the same words; it exports as Markdown and as JSON. Its proofs can be
run again, and so can its steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from ...base.errors import IrError
from ...base.record import record
from ...ir.nest import Kernel
from ...ir.path import Path
from ...ir.text import print_nest
from ...reasoning.prove import Proved, Verdict
from ...rewriting.status import Status, weakest
from .lemmas import file_of
from .rows import LedgerRow, RuleUse, as_table


def _cost(kernel: Kernel) -> float:
    # Only a ledger that is looked at needs the timer.
    from ...reasoning.timer import kernel_cost

    return kernel_cost(kernel)


@record
class Step:
    """One line: the move, the site in words, the verdict, the kernels before and after, and steps beneath it.

    path     where, and `options` how, for a move at a site; a pass over a whole program has no path.
    again    makes the new kernel once more from the old one, with its check.
    derive   for a move made of smaller ones: the ledger of those, on an instance with a few iterations.
    rules    for a pass over expressions: which rules it applied, and how often; the pass is made again to tell.
    stage    the stage of the pipeline that it belongs to, or empty.
    """

    move: str
    site: str
    verdict: Verdict
    old: Kernel
    new: Kernel
    beneath: Callable[[], tuple[str, ...]] = tuple
    path: Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    again: Callable[[], Kernel] | None = None
    derive: Callable[[], Ledger] | None = None
    rules: Callable[[], Mapping[str, int]] | None = None
    stage: str = ""

    @property
    def before(self) -> float:
        """The timer's cost before the step."""
        return _cost(self.old)

    @property
    def after(self) -> float:
        """The timer's cost after it."""
        return _cost(self.new)

    @property
    def details(self) -> tuple[str, ...]:
        """The steps beneath, written out on demand."""
        return self.beneath()

    @property
    def applied(self) -> bool:
        """Whether the move was made (an unproved one is only noted)."""
        return isinstance(self.verdict, Proved)

    @property
    def fired(self) -> Mapping[str, int]:
        """The rules that a pass over expressions applied, by name, and how often."""
        return dict(sorted(self.rules().items())) if self.rules is not None else {}

    def status(self, fired: Mapping[str, int] | None = None) -> Status | None:
        """The status of the step, and where it is shown; None for a step that was not made.

        A pass is as strong as the weakest rule that it applied; `fired` are its rules, where they are at hand.
        """
        if not isinstance(self.verdict, Proved):
            return None
        if self.rules is not None and self.new is self.old:
            return Status("proved", "nothing is changed")
        lemma = self.verdict.lemma
        if lemma is None:
            return Status("tested", "tests/loops")
        own = Status("proved", f"lemma {lemma}, proofs/{file_of(lemma)}")
        found = weakest(self.fired if fired is None else fired)
        if found is None or found.word == "proved":
            return own
        return Status(found.word, f"{own.where}, and the rules below")

    @property
    def label(self) -> str:
        """Its status in one word: proved, checked, tested, refuted or unknown."""
        status = self.status()
        return type(self.verdict).__name__.lower() if status is None else status.word

    @property
    def clauses(self) -> tuple[tuple[str, str], ...]:
        """The conditions that were decided, as (name, words); of a refused step, the one that failed."""
        if isinstance(self.verdict, Proved):
            return tuple((p.clause, p.words) for p in self.verdict.premises)
        return ((self.verdict.clause, self.verdict.premise),)

    def row(self) -> LedgerRow:
        """All that is told of the step; its rules are found once."""
        fired = self.fired
        return LedgerRow(
            self.stage,
            self.move,
            self.site,
            self.verdict,
            self.status(fired),
            tuple(RuleUse.of(name, times) for name, times in fired.items()),
            self.clauses,
            self.before,
            self.after,
            self.beneath,
        )

    def __str__(self) -> str:
        """The step as the ledger prints it: a line, the conditions under it, and the steps beneath."""
        return str(self.row())


@dataclass(slots=True)
class Ledger:
    """The steps in order.

    >>> len(Ledger())
    0
    """

    steps: list[Step] = field(default_factory=list[Step])

    def __len__(self) -> int:
        """The number of steps that were tried."""
        return len(self.steps)

    def __str__(self) -> str:
        """All lines."""
        return "\n".join(str(s) for s in self.steps)

    def recheck(self) -> None:
        """Run every premise of every applied step again.

        Raises IrError, which names the step and the premise.
        """
        for s in self.steps:
            if isinstance(s.verdict, Proved):
                for p in s.verdict.premises:
                    if not p.holds():
                        raise IrError(f"the premise '{p}' does not hold", place=f"{s.move} at {s.site}")

    def replay(self) -> int:
        """Make every applied step again, each from what the one before it left; gives how many there were.

        Raises IrError, which names the step that does not follow the one before it, or gives something else.
        """
        made = [s for s in self.steps if s.applied]
        for earlier, later in pairwise(made):
            if not _same(earlier.new, later.old):
                raise IrError("does not follow the step before it", place=f"{later.move} at {later.site}")
        for s in made:
            if s.again is None:
                raise IrError("cannot be made again", place=f"{s.move} at {s.site}")
            if not _same(s.again(), s.new):
                raise IrError("gives another program than before", place=f"{s.move} at {s.site}")
        return len(made)

    def mark(self, stage: str, begin: int) -> None:
        """Say of the steps from a number on that they belong to a stage."""
        self.steps[begin:] = [replace(s, stage=stage) for s in self.steps[begin:]]

    def rows(self) -> list[LedgerRow]:
        """All that is told of the steps, in order."""
        return [s.row() for s in self.steps]

    def as_markdown(self, *, texts: bool = False) -> str:
        """A table for reports; with `texts`, also the program before and after each step."""
        parts = [as_table(self.rows())]
        for k, s in enumerate(self.steps if texts else (), 1):
            parts.append(f"\n### Step {k}: {s.move}\n\n```text\n{print_nest(s.old)}```\n")
            if s.applied:
                parts.append(f"\n```text\n{print_nest(s.new)}```\n")
        return "".join(parts)

    def as_json(self, *, texts: bool = False) -> list[dict[str, Any]]:
        """Plain data for other programs; with `texts`, also the program before and after each step."""
        return [
            {**s.row().json(), **({"old": print_nest(s.old), "new": print_nest(s.new)} if texts else {})}
            for s in self.steps
        ]


def _same(a: Kernel, b: Kernel) -> bool:
    """Whether two kernels read the same; new scratch memory is a new thing each time it is made."""
    return a is b or print_nest(a) == print_nest(b)
