"""Where each lemma is proved: the file of `proofs/` by the name of the lemma, as ledgers print it.

The proofs are no part of the package; `lemmas.txt` is, and `scripts/prove --update` writes it from them.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("lemmas.txt")
_STATED = re.compile(r"^(?:Theorem|Corollary|Lemma) (\w+)", re.MULTILINE)


def written(folder: Path) -> str:
    """The table for a folder of proofs: each lemma with its file, a line each."""
    texts = {f.name: f.read_text(encoding="utf-8") for f in sorted(folder.glob("*.v"))}
    found = {name: file for file, text in texts.items() for name in _STATED.findall(text)}
    return "".join(f"{name} {file}\n" for name, file in sorted(found.items()))


@cache
def _table() -> dict[str, str]:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return {name: file for name, _, file in (line.partition(" ") for line in lines)}


def file_of(lemma: str) -> str:
    """The file that proves a lemma.

    >>> file_of("interchange")
    'Statements.v'
    """
    return _table().get(lemma, "")
