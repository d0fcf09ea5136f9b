"""The report of `explain`: the program after every stage, and the ledger with each step's proof and cost."""

from __future__ import annotations

import json as json_text
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from ..base.deep_stack import with_deep_stack
from ..ir.expr import Expr, topological
from ..ir.facts import Facts
from ..ir.nest import Kernel, all_roots
from ..ir.text import print_nest
from ..loops.core.ledger import Ledger

TITLES = {
    "naive": "Naive: every operation a loop of its own, every result an array of its own",
    "by points": "By points: searches for each case become visits of each point",
    "pointwise": "Pointwise: what is used where it was made needs no array",
    "separated": "Separated: windows whose weights are a product, in two passes",
    "in place": "In place: what is used once, or cheap, needs no array either",
    "joined": "Joined: operations that go over the same rows, in one loop",
    "contracted": "Contracted: of arrays between them, one row",
    "split": "Split: borders by themselves, so that the middle needs no care",
    "coalesced": "Coalesced: columns and channels as one run",
    "in parts": "In parts: reductions with copies, to be merged",
    "staged": "Staged: what is kept on the way, computed for all rows of blocks before they are",
    "inlined": "Inlined: every definition unfolded, nothing simplified",
    "simplified": "Simplified: rules to a fixed point",
    "expanded": "Expanded: elementary functions as arithmetic",
    "regions": "Regions: what varies least is tested first, and dear parts only where it holds",
    "tabulated": "Tabulated: dear values of a column alone, computed once",
    "rows": "Rows: loops without the conditions that whole rows, or runs of their pixels, decide",
    "spread": "Spread: rows handed out to threads",
    "vectorized": "Vectorized: columns side by side in lanes",
    "placed": "Placed: each value where it is first wanted, per frame, per row, per pixel",
}
PLANNED = "Plan: what is computed where, and why"


@dataclass(frozen=True)
class Report:
    """The compilation of a picture. ``str(report)`` is the readable page.

    stages  the program's text after each stage, by name: inlined, simplified, expanded, …, placed.
    ledger  every step with its verdict and cost.
    ranges  what proofs may count on of the parameters.
    plan    what was decided before there was a program, if that is data.
    """

    kernels: dict[str, Kernel]
    ledger: Ledger
    ranges: Mapping[Expr, Facts] = field(default_factory=dict[Expr, Facts])
    plan: str = ""

    @property
    def stages(self) -> dict[str, str]:
        """The text after each stage."""
        return with_deep_stack(lambda: {name: print_nest(k) for name, k in self.kernels.items()})

    def _changed(self) -> list[str]:
        names = list(self.kernels)
        kept = [names[0]]
        for before, after in pairwise(names):
            if self.kernels[after] is not self.kernels[before]:
                kept.append(after)
        return kept

    def _sizes(self, name: str) -> str:
        # Only a report that is looked at needs the timer.
        from ..reasoning.timer import kernel_cost

        kernel = self.kernels[name]
        nodes = sum(bool(n.args) for n in topological(all_roots(kernel.body)))
        return f"{nodes} operators, cost {kernel_cost(kernel):.3g}"

    def __str__(self) -> str:
        """The page."""
        return with_deep_stack(self._page)

    def _page(self) -> str:
        texts = self.stages
        parts = [f"== {TITLES.get(n, n)} ({self._sizes(n)})\n\n{texts[n]}" for n in self._changed()]
        parts = [f"== {PLANNED}\n\n{self.plan}\n", *parts] if self.plan else parts
        return "\n".join(parts) + f"\n== Ledger: what was done, and why it may be\n\n{self.ledger}\n"

    def markdown(self) -> str:
        """The page for a manual or a bug report."""
        return with_deep_stack(self._markdown)

    def _markdown(self) -> str:
        texts = self.stages
        parts = [
            f"## {TITLES.get(n, n)}\n\n{self._sizes(n)}\n\n```text\n{texts[n]}```\n" for n in self._changed()
        ]
        parts = [f"## {PLANNED}\n\n```text\n{self.plan}\n```\n", *parts] if self.plan else parts
        return "\n".join(parts) + f"\n## Ledger\n\n{self.ledger.as_markdown()}"

    def json(self) -> str:
        """Stages and ledger for other programs."""
        content = with_deep_stack(
            lambda: {"plan": self.plan, "stages": self.stages, "ledger": self.ledger.as_json()}
        )
        return json_text.dumps(content, indent=1)

    def _repr_markdown_(self) -> str:
        return self.markdown()
