"""Each lemma with its statement and the file of `proofs/` that proves it, by the name of the lemma, for ledgers.

The proofs are no part of the package; `lemmas.txt` is, and `scripts/prove --update` writes it from them.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("lemmas.txt")
_STATED = re.compile(
    r"^(?P<statement>(?:Theorem|Corollary|Lemma) (?P<name>\w+).*?)\s*^Proof\b", re.MULTILINE | re.DOTALL
)


def written(folder: Path) -> str:
    """The table for a folder of proofs: each lemma with its file, and below it, indented, its statement in Coq."""
    found: dict[str, tuple[str, str]] = {}
    for file in sorted(folder.glob("*.v")):
        for stated in _STATED.finditer(file.read_text(encoding="utf-8")):
            found[stated["name"]] = file.name, stated["statement"]
    lines: list[str] = []
    for name, (file, statement) in sorted(found.items()):
        lines += [f"{name} {file}", *(f"  {line}".rstrip() for line in statement.splitlines())]
    return "".join(f"{line}\n" for line in lines)


@cache
def _table() -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, list[str]]] = {}
    statement: list[str] = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            statement.append(line[2:])
        else:
            name, _, file = line.partition(" ")
            statement = []
            found[name] = file, statement
    return {name: (file, "\n".join(lines)) for name, (file, lines) in found.items()}


def file_of(lemma: str) -> str:
    """The file that proves a lemma.

    >>> file_of("interchange")
    'Statements.v'
    """
    return _table().get(lemma, ("", ""))[0]


def statement_of(lemma: str) -> str:
    """The statement of a lemma, in Coq.

    >>> print(statement_of("loop_elimination"))
    Theorem loop_elimination : forall ρ x lo hi A
      (no_iterations : forall σ, eval ρ σ hi < eval ρ σ lo),
      equal ρ (For x lo hi A) Null.
    """
    return _table().get(lemma, ("", ""))[1]
