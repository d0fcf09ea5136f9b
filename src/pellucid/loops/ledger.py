"""The ledger: every step of an optimization, with what was proved for it and what it cost before and after.

`explain` prints it; it exports as Markdown and as JSON, and its proofs can be run again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..base.errors import IrError
from ..ir.nest import Kernel
from ..reasoning.cost import kernel_cost
from .move import Proved, Verdict


@dataclass(frozen=True, slots=True)
class Step:
    """One line: the move, the site in words, the verdict, the kernels before and after, and steps beneath it."""

    move: str
    site: str
    verdict: Verdict
    old: Kernel
    new: Kernel
    beneath: Callable[[], tuple[str, ...]] = tuple

    @property
    def before(self) -> float:
        """The timer's cost before the step."""
        return kernel_cost(self.old)

    @property
    def after(self) -> float:
        """The timer's cost after it."""
        return kernel_cost(self.new)

    @property
    def details(self) -> tuple[str, ...]:
        """The steps beneath, written out on demand."""
        return self.beneath()

    @property
    def applied(self) -> bool:
        """Whether the move was made (an unproved one is only noted)."""
        return isinstance(self.verdict, Proved)

    def __str__(self) -> str:
        """The line as the ledger prints it."""
        cost = (
            f"  cost {self.before:.0f} -> {self.after:.0f}"
            if self.applied and self.before != self.after
            else ""
        )
        head = f"{self.move:<10} {self.site}  {self.verdict}{cost}"
        return "\n".join([head, *(f"    {d}" for d in self.details)])


@dataclass(slots=True)
class Ledger:
    """The steps in order.

    >>> len(Ledger())
    0
    """

    steps: list[Step] = field(default_factory=list[Step])

    def __len__(self) -> int:
        """How many steps were tried."""
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

    def as_markdown(self) -> str:
        """A table for reports."""
        rows = ["| move | site | verdict | cost before | cost after |", "|---|---|---|---:|---:|"]
        rows += [
            f"| {s.move} | {s.site} | {s.verdict} | {s.before:.0f} | {s.after:.0f} |" for s in self.steps
        ]
        return "\n".join(rows) + "\n"

    def as_json(self) -> list[dict[str, Any]]:
        """Plain data for other programs."""
        return [
            {
                "move": s.move,
                "site": s.site,
                "verdict": type(s.verdict).__name__,
                "words": str(s.verdict),
                "before": s.before,
                "after": s.after,
                "details": list(s.details),
            }
            for s in self.steps
        ]
