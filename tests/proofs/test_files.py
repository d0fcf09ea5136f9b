"""The proofs as files: none is left out, nothing is taken for granted, the page names what is there."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tools.corpus import program
from tools.ties import CATALOGUE

from pellucid.loops.core.registry import moves

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "proofs").glob("*.v"))
COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
GRANTED = re.compile(r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjecture)\b")
STATED = re.compile(r"^(?:Theorem|Lemma|Corollary|Example) (\w+)", re.MULTILINE)


def code(path: Path) -> str:
    return COMMENT.sub("", path.read_text(encoding="utf-8"))


def test_every_file_is_checked():
    order = (ROOT / "proofs/order.txt").read_text(encoding="utf-8").split()
    assert sorted(order) == [path.stem for path in FILES]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_is_taken_for_granted(path: Path):
    assert GRANTED.findall(code(path)) == []
    assert code(path).count("Proof.") == len(re.findall(r"\b(?:Qed|Defined)\.", code(path)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_says_what_it_is(path: Path):
    assert path.read_text(encoding="utf-8").startswith("(* ")


@pytest.mark.parametrize("granted", ["Admitted.", "Axiom easy : False."])
def test_scripts_prove_fails_before_anything_else_if_something_is(granted: str, tmp_path: Path):
    for folder in ("scripts", "proofs"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    with (tmp_path / "proofs/Loops.v").open("a", encoding="utf-8") as file:
        file.write(f"\n(* Admitted in a comment. *)\nTheorem much : False.\n{granted}\n")
    done = subprocess.run(
        [str(tmp_path / "scripts/prove")], check=False, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "proofs/Loops.v takes something for granted" in done.stderr


def test_the_corpus_meets_every_move_that_is_proved():
    met: dict[str, int] = {}
    for number in range(100):
        assert list(program(number, met))
    proved = {name for name, move in moves().items() if any(t.lemma for t in move.theorems)}
    assert proved - set(met) == NOT_OF_WHITE


NOT_OF_WHITE = {"compute_at", "grid", "hoist", "lanes", "look_up", "spread", "tabulate"}
"""Moves that make scratch memory, start from places, or are for threads and lanes; `test_instances` has instances."""


def test_the_corpus_is_the_same_each_time():
    assert list(program(7, {})) == list(program(7, {}))


def test_what_the_catalogue_lists_is_stated():
    stated = {name for path in FILES for name in STATED.findall(code(path))}
    lemmas = re.findall(r"^lemma (\w+)$", CATALOGUE.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(lemmas) <= stated
    assert len(lemmas) >= 30


def test_every_counterexample_is_on_the_page_and_in_the_catalogue():
    page = (ROOT / "docs/proofs.md").read_text(encoding="utf-8")
    catalogue = code(ROOT / "proofs/Catalogue.v")
    found = STATED.findall(code(ROOT / "proofs/Printed.v"))
    examples = [name for name in found if name.startswith("printed") or name.endswith("needs_sets_apart")]
    assert len(examples) >= 9
    assert [name for name in examples if name not in page] == []
    assert [name for name in examples if name not in catalogue] == []
    named = re.findall(r"`((?:printed|interchange_needs)\w+)`", page)
    assert sorted(set(named)) == sorted(examples)
