"""The report of `explain`: the program after every stage, and the ledger with each step's proof and cost.

The one model of an explanation: of a picture, a conversion, a sound, a program of arrays, and a session of `hops`.
Text, Markdown, JSON and pages are printed from it.
"""

from __future__ import annotations

import json as json_text
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from ...base.atomic import atomic_write
from ...base.deep_stack import with_deep_stack
from ...base.errors import InputError
from ...base.record import record
from ...ir.expr import Expr, topological
from ...ir.facts import Facts
from ...ir.nest import Kernel, all_roots
from ...ir.text import print_nest
from ...rewriting.status import WORDS
from ..core.ledger import Ledger
from ..core.rows import LedgerRow, amount, as_table

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
    "simplified again": "Simplified again: rules to a fixed point, on what became one run",
    "in parts": "In parts: reductions with copies, to be merged",
    "staged": "Staged: what is kept on the way, computed for all rows of blocks before they are",
    "inlined": "Inlined: every definition unfolded, nothing simplified",
    "simplified": "Simplified: rules to a fixed point",
    "fused": "Fused: products with the sums that they are parts of",
    "cycles": "Cycles: indices that repeat, taken a whole period at a time",
    "lookups": "Lookups: dear functions of few values, as tables",
    "narrowed": "Narrowed: 16 bits where facts show that they hold what is in 32",
    "expanded": "Expanded: elementary functions as arithmetic",
    "regions": "Regions: what varies least is tested first, and dear parts only where it holds",
    "tabulated": "Tabulated: dear values of a column alone, computed once",
    "rows": "Rows: loops without the conditions that whole rows, or runs of their pixels, decide",
    "spread": "Spread: rows handed out to threads",
    "grid": "Grid: each pixel by a thread of a GPU",
    "vectorized": "Vectorized: columns side by side in lanes",
    "placed": "Placed: each value where it is first wanted, per frame, per row, per pixel",
}
PLANNED = "Plan: what is computed where, and why"
LEDGER = "Ledger: what was done, and why it may be"


FORMS = {".html": "page", ".md": "Markdown", ".json": "JSON", ".txt": "text"}
"""The suffixes of files that a report is saved as, and what each is."""


@record
class StageText:
    """A stage as it is told: its name, its title, the program after it, whether it changed it, and what that costs.

    `operators` are those of all expressions; `cost` is the timer's: cycles, estimated with guessed sizes.
    """

    name: str
    title: str
    text: str
    changed: bool
    operators: int
    cost: float

    @property
    def size(self) -> str:
        """Operators and cost, in words."""
        return f"{self.operators} operators, cost {self.cost:.3g}"


@record(slots=False)
class Report:
    """An explanation of a compilation. ``str(report)`` is the readable text, `page` is for browsers, `save` writes it.

    stages  the program's text after each stage, by name: inlined, simplified, expanded, …, placed.
    ledger  every step with its verdict and cost.
    ranges  what proofs may count on of the parameters.
    plan    what was decided before there was a program, if that is data.
    title   what is explained, for people.
    picture makes the PNG of what the program draws, for the top of the page; None for what draws nothing.
    """

    kernels: dict[str, Kernel]
    ledger: Ledger
    ranges: Mapping[Expr, Facts] = field(default_factory=dict[Expr, Facts])
    plan: str = ""
    title: str = ""
    picture: Callable[[], bytes] | None = None

    @property
    def stages(self) -> dict[str, str]:
        """The text after each stage."""
        return with_deep_stack(lambda: {name: print_nest(k) for name, k in self.kernels.items()})

    def told(self) -> list[StageText]:
        """All that is told of the stages, in order."""
        return with_deep_stack(self._told)

    def _told(self) -> list[StageText]:
        # Only a report that is looked at needs the timer.
        from ...reasoning.timer import kernel_cost

        found: list[StageText] = []
        before: Kernel | None = None
        for name, kernel in self.kernels.items():
            if kernel is before:
                last = found[-1]
                stage = StageText(name, TITLES.get(name, name), last.text, False, last.operators, last.cost)
            else:
                operators = sum(bool(n.args) for n in topological(all_roots(kernel.body)))
                text, cost = print_nest(kernel), kernel_cost(kernel)
                stage = StageText(name, TITLES.get(name, name), text, True, operators, cost)
            before = kernel
            found.append(stage)
        return found

    def __str__(self) -> str:
        """The text."""
        return with_deep_stack(self._text)

    def _text(self) -> str:
        parts = [f"== {s.title} ({s.size})\n\n{s.text}" for s in self._told() if s.changed]
        parts = [f"== {PLANNED}\n\n{self.plan}\n", *parts] if self.plan else parts
        rows = self.ledger.rows()
        steps = "\n".join(map(str, rows))
        return "\n".join(parts) + f"\n== {LEDGER}\n\n{steps}\n\n{summary(rows)}\n"

    def markdown(self) -> str:
        """The text for a manual or a bug report."""
        return with_deep_stack(self._markdown)

    def _markdown(self) -> str:
        parts = [f"## {s.title}\n\n{s.size}\n\n```text\n{s.text}```\n" for s in self._told() if s.changed]
        parts = [f"## {PLANNED}\n\n```text\n{self.plan}\n```\n", *parts] if self.plan else parts
        rows = self.ledger.rows()
        return "\n".join(parts) + f"\n## Ledger\n\n{as_table(rows)}\n{summary(rows)}\n"

    def json(self) -> str:
        """Stages and ledger for other programs."""
        return json_text.dumps(with_deep_stack(self._content), indent=1)

    def _content(self) -> dict[str, object]:
        rows = self.ledger.rows()
        return {
            "title": self.title,
            "plan": self.plan,
            "stages": self.stages,
            "ledger": [row.json() for row in rows],
            "summary": summary(rows),
        }

    def page(self, command: str = "") -> str:
        r"""A page for browsers: one file, which needs no other; `command` is what made it, for those who read it.

        >>> from ...ir.parse import parse_nest
        >>> kernel = parse_nest("kernel k():\n  output a: i32[1]\n  a[0] := 1\n")
        >>> Report({"inlined": kernel}, Ledger(), title="One number").page().startswith("<!DOCTYPE html>")
        True
        """
        from .page import page_of

        return with_deep_stack(lambda: page_of(self, command))

    def save(self, path: str | os.PathLike[str], *, command: str = "") -> None:
        """Write the report into a file, in the form that its suffix says: .html, .md, .json or .txt.

        Raises InputError for another suffix, and FileError if the file cannot be written.
        """
        suffix = Path(path).suffix.lower()
        if suffix not in FORMS:
            known = ", ".join(f"{end} for {form}" for end, form in FORMS.items())
            raise InputError(
                f"no report is called {suffix!r}", place=os.fsdecode(path), fix=f"end it in {known}"
            )
        with atomic_write(path) as file:
            match suffix:
                case ".html":
                    text = self.page(command)
                case ".md":
                    text = self.markdown()
                case ".json":
                    text = f"{self.json()}\n"
                case _:
                    text = str(self)
            file.write(text.encode("utf-8", "backslashreplace"))

    def _repr_markdown_(self) -> str:
        return self.markdown()


def summary(rows: Sequence[LedgerRow]) -> str:
    """How many steps there are of each status, and what all of them did to the cost.

    >>> summary([])
    'no steps'
    """
    made = Counter(row.label for row in rows if row.status)
    refused = sum(row.status is None for row in rows)
    counts = [f"{made[word]} {word}" for word in WORDS if made[word]]
    counts += [f"{refused} refused"] if refused else []
    if not counts:
        return "no steps"
    before, after = rows[0].before, rows[-1].after
    number = "1 step" if len(rows) == 1 else f"{len(rows)} steps"
    times = max(before, after) / min(before, after) if min(before, after) > 0 else 1.0
    said = f", {times:.3g} times {'cheaper' if after < before else 'dearer'}" if times >= 1.005 else ""
    return f"{number}: {', '.join(counts)}; cost from {amount(before)} to {amount(after)} cycles, estimated{said}"
