"""Compare what the optimizer believes with what is proved: theorem, clauses, tests of clauses, lemma, hypotheses.

Run `python -m tools.ties` in the root of the project; `scripts/prove` does, after it had the proofs checked. Every
hypothesis of a lemma must be a clause of each theorem that names the lemma; no update can make that good. The whole
table stands in `proofs/ties.txt`, and any other difference, such as a clause that was added or left out, fails until
that file is written anew with `--update` and the difference was looked at.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Mapping
from pathlib import Path

from pellucid.loops.theorem import Clause, Theorem, theorems

ROOT = Path(__file__).parents[1]
CATALOGUE = ROOT / "proofs/catalogue.txt"
TABLE = ROOT / "proofs/ties.txt"

Lemmas = Mapping[str, tuple[str, ...]]

HEAD = """\
The theorems that license moves: each with its lemma in proofs/, and its clauses with the function that tests each.
A clause after `proved` is a hypothesis of the lemma. One after `beyond` has no counterpart there: it is about memory
that has ends, numbers that wrap, or the options of a move. Where there is no lemma, the ledger says "Tested".
Written by `scripts/prove --update`.
"""


def read(catalogue: str) -> dict[str, tuple[str, ...]]:
    """The lemmas that the proof checker printed, with those hypotheses that are clauses, in kebab-case.

    >>> read("lemma swap" + chr(10) + "  clause sets_apart" + chr(10) + "  clause legal_index")
    {'swap': ('sets-apart',)}
    """
    found: dict[str, tuple[str, ...]] = {}
    lemma = ""
    for line in catalogue.splitlines():
        kind, _, name = line.strip().partition(" ")
        if kind == "lemma":
            lemma = name
            found[lemma] = ()
        elif kind == "clause" and not name.startswith(("legal_", "shape_")):
            found[lemma] += (name.replace("_", "-"),)
    return found


def predicate(clause: Clause) -> str:
    """The function that tests a clause, by module and name."""
    test = clause.test
    module = getattr(test, "__module__", "").removeprefix("pellucid.")
    return f"{module}.{getattr(test, '__qualname__', type(test).__name__)}"


def unlicensed(table: Mapping[str, Theorem], lemmas: Lemmas) -> list[str]:
    """Theorems that claim a lemma whose hypotheses they do not check, one sentence each."""
    found: list[str] = []
    for t in table.values():
        if t.lemma is None:
            continue
        if t.lemma not in lemmas:
            found.append(f"{t.name} names the lemma {t.lemma}, which is not in the catalogue of proofs/")
            continue
        clauses = {c.name for c in t.clauses}
        found += [
            f"{t.name} has no clause {name}, which its lemma {t.lemma} needs"
            for name in lemmas[t.lemma]
            if name not in clauses
        ]
    return found


def written(table: Mapping[str, Theorem], lemmas: Lemmas) -> str:
    """The table as text."""
    lines = [HEAD]
    for t in sorted(table.values(), key=lambda t: (t.lemma is None, not t.name.startswith("White"), t.name)):
        lines.append(f"{t.name}: {t.lemma or 'tested'}")
        proved = lemmas.get(t.lemma or "", ())
        for c in t.clauses:
            word = "proved" if c.name in proved else "beyond" if t.lemma else "tested"
            lines.append(f"  {word}  {c.name}  {predicate(c)}")
        lines.append("")
    named = {t.lemma for t in table.values()}
    lines.append(
        "Lemmas that no theorem names: " + (", ".join(x for x in lemmas if x not in named) or "none")
    )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Compare, or write the table anew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--update", action="store_true", help="write proofs/ties.txt instead of comparing with it"
    )
    options = parser.parse_args()
    table, lemmas = theorems(), read(CATALOGUE.read_text(encoding="utf-8"))
    wrong = unlicensed(table, lemmas)
    if wrong:
        sys.exit("\n".join(wrong))
    text = written(table, lemmas)
    if options.update:
        TABLE.write_text(text, encoding="utf-8")
        return
    old = TABLE.read_text(encoding="utf-8").splitlines()
    if old != text.splitlines():
        print(
            "\n".join(difflib.unified_diff(old, text.splitlines(), "proofs/ties.txt", "loops", lineterm=""))
        )
        sys.exit(
            "the theorems of the optimizer are not those of proofs/ties.txt;"
            " look at the difference, then run scripts/prove --update"
        )


if __name__ == "__main__":
    main()
