"""Compare what the optimizer believes with what is proved: theorem, clauses, tests of clauses, lemma, hypotheses.

Run `python -m tools.ties` in the root of the project; `scripts/prove` does, after it had the proofs checked. Every
hypothesis of a lemma must be a clause of each theorem that names the lemma, or one of `GROUNDS`: the functions that
make it true for every program, whatever the clauses say. No update can make good what is missing. The whole table
stands in `proofs/ties.txt`, and any other difference, such as a clause that was added or left out, fails until that
file is written anew with `--update` and the difference was looked at.

That the functions mean what the hypotheses say is the matter of `tools.places`.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from tools.instances import READERS

from pellucid.backends.llvm.loops import Loops
from pellucid.ir.nest import Alloc
from pellucid.ir.verify import verify_kernel
from pellucid.loops.analysis.deciding import resolved
from pellucid.loops.analysis.lookups import lookups
from pellucid.loops.core.build import fresh_buffer, fresh_index
from pellucid.loops.core.registry import theorems
from pellucid.loops.core.theorem import Theorem
from pellucid.reasoning.span import span

ROOT = Path(__file__).parents[1]
CATALOGUE = ROOT / "proofs/catalogue.txt"
TABLE = ROOT / "proofs/ties.txt"

Lemmas = Mapping[str, tuple[str, ...]]

Ground = Callable[..., object]

GROUNDS: Mapping[str, Ground | str] = {
    # An index is no memory, it is the index of one loop, and it has a value inside of that loop alone.
    "legal-not-an-index": verify_kernel,
    "legal-no-capture": verify_kernel,
    "legal-indices": verify_kernel,
    "legal-indices-differ": verify_kernel,
    "legal-inner-index-inside": verify_kernel,
    "legal-in-scope": verify_kernel,
    # What is in scratch memory before it is stored there is any number: no program may depend on it.
    "legal-stored-first": Alloc,
    # What a move adds has a name of its own.
    "legal-index-new": fresh_index,
    "legal-blocks-new": fresh_index,
    "legal-new-name": verify_kernel,
    "legal-new-table": fresh_buffer,
    # What the theorem's own shape says.
    "shape-updates": "two-updates",
    "shape-choice": "a-fixed-choice",
    "shape-of-the-inner-index": "dear-columns",
    "shape-of-one-number": "dear-lookups",
    "shape-fixed-bounds": "two-stages",
    # What the functions that make the parts of the result say of them.
    "shape-first": span,
    "shape-small": lookups,
    "shape-value": resolved,
    # What back ends make of loops in lanes and on threads; the common suite compares them with the interpreter.
    "shape-all-iterations": Loops.write,
}
"""What makes a hypothesis true that is no clause: a function by construction, or the shape of that name."""

HEAD = """\
The theorems that license moves: each with its lemma in proofs/, and its clauses with the function that tests each.
A clause after `proved` is a hypothesis of the lemma. One after `beyond` has no counterpart there: it is about memory
that has ends, numbers that wrap, or the options of a move. What stands after `ground` is a hypothesis that no clause
tests: by construction it holds for every program, or it is the theorem's shape. The hypotheses of every lemma that a
theorem names are computed by Coq at places of random programs where the theorem says "Proved".
Where there is no lemma, the ledger says "Tested".
Written by `scripts/prove --update`.
"""


def read(catalogue: str) -> dict[str, tuple[str, ...]]:
    """The lemmas that the proof checker printed, with all their hypotheses, in kebab-case.

    >>> read("lemma swap" + chr(10) + "  clause sets_apart" + chr(10) + "  clause legal_index")
    {'swap': ('sets-apart', 'legal-index')}
    """
    found: dict[str, tuple[str, ...]] = {}
    lemma = ""
    for line in catalogue.splitlines():
        kind, _, name = line.strip().partition(" ")
        if kind == "lemma":
            lemma = name
            found[lemma] = ()
        elif kind == "clause":
            found[lemma] += (name.replace("_", "-"),)
    return found


def ground(theorem: Theorem, hypothesis: str) -> str | None:
    """What makes a hypothesis true that is no clause of the theorem, in words; None if nothing does."""
    found = GROUNDS.get(hypothesis)
    if found is None:
        return None
    if not isinstance(found, str):
        return named(found)
    shape = theorem.shape
    return f"{found}, {named(shape.test)}" if shape is not None and shape.name == found else None


def named(function: object) -> str:
    """A function by module and name."""
    module = getattr(function, "__module__", "").removeprefix("pellucid.")
    return f"{module}.{getattr(function, '__qualname__', type(function).__name__)}"


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
            if name not in clauses and ground(t, name) is None
        ]
        if t.lemma not in READERS:
            found.append(
                f"{t.name} names the lemma {t.lemma}, which tools/instances.py does not read off a place"
            )
    return found


def written(table: Mapping[str, Theorem], lemmas: Lemmas) -> str:
    """The table as text."""
    lines = [HEAD]
    for t in sorted(table.values(), key=lambda t: (t.lemma is None, not t.name.startswith("White"), t.name)):
        lines.append(f"{t.name}: {t.lemma or 'tested'}")
        if t.shape is not None:
            lines.append(f"  shape  {t.shape.name}  {named(t.shape.test)}")
        proved = lemmas.get(t.lemma or "", ())
        for c in t.clauses:
            word = "proved" if c.name in proved else "beyond" if t.lemma else "tested"
            lines.append(f"  {word}  {c.name}  {named(c.test)}")
        clauses = {c.name for c in t.clauses}
        lines += [f"  ground  {name}  {ground(t, name)}" for name in proved if name not in clauses]
        lines.append("")
    used = {t.lemma for t in table.values()}
    lines.append("Lemmas that no theorem names: " + (", ".join(x for x in lemmas if x not in used) or "none"))
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
