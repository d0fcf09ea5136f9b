"""The status of each rule: proved, checked or tested, as `status.txt` says, which `tools/rule_status.py` computes.

The entrance for ledgers: `weakest` takes what a trace noted and says how far the whole step can be trusted.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Literal

from ..base.record import record

Word = Literal["proved", "checked", "tested"]
WORDS: tuple[Word, ...] = ("proved", "checked", "tested")
"""From the strongest to the weakest."""
TABLE = Path(__file__).with_name("status.txt")


@record
class Status:
    """The degree of trust in something, and where it is shown.

    word   proved: for all operands, by a solver or by a lemma. checked: for all operands of a small type. tested: on
           random operands.
    where  the lemma and its file, the widths that the solver took, or the test.

    >>> print(Status("proved", "z3: i8"))
    proved (z3: i8)
    """

    word: Word
    where: str

    def __str__(self) -> str:
        """Word and place."""
        return f"{self.word} ({self.where})"

    @property
    def rank(self) -> int:
        """A number that is greater for what is weaker."""
        return WORDS.index(self.word)


@record
class StatusRow:
    """A line of the table: a rule's name, its status, the digest of what it was computed from, and the rule's text."""

    name: str
    status: Status
    digest: str
    text: str

    def __str__(self) -> str:
        """As in the file."""
        return f"{self.name} | {self.status.word} | {self.status.where} | {self.digest} | {self.text}"


def read(text: str) -> dict[str, StatusRow]:
    """The rows of a table by name."""
    found: dict[str, StatusRow] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, word, where, digest, rule = line.split(" | ", 4)
            known: Word = "proved" if word == "proved" else "checked" if word == "checked" else "tested"
            found[name] = StatusRow(name, Status(known, where), digest, rule)
    return found


@cache
def table() -> dict[str, StatusRow]:
    """The table that is shipped."""
    return read(TABLE.read_text(encoding="utf-8"))


@cache
def _texts() -> dict[str, str]:
    from .laws import LAWS
    from .ruleset import all_rules

    return {r.name: f"{r} [{r.on}]" for r in (*all_rules(), *LAWS)}


def status_of(name: str) -> Status:
    """The status of what a trace calls by a name; tested, if the table does not know the rule as it stands.

    >>> status_of("and-and").word
    'proved'
    >>> status_of("a rule of one's own")
    Status(word='tested', where='no row in status.txt')
    """
    row = table().get(name)
    if row is None or _texts().get(name, row.text) != row.text:
        return Status("tested", "no row in status.txt")
    return row.status


def text_of(name: str) -> str:
    """The text of a rule, with the types that it is for; empty for what the table does not know.

    >>> text_of("sub-zero")
    'sub(x, 0.0) -> x [float]'
    """
    row = table().get(name)
    return "" if row is None else row.text


def weakest(names: Iterable[str]) -> Status | None:
    """The weakest status of some rules, None for no rules."""
    return max((status_of(n) for n in names), key=lambda s: s.rank, default=None)
