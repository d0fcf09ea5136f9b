"""The optimizer believes no more than is proved: a clause that is deleted is noticed, by name."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tools.instances import READERS
from tools.ties import CATALOGUE, GROUNDS, TABLE, read, unlicensed, written

from pellucid.loops.core.registry import theorems

ROOT = Path(__file__).parents[2]
LEMMAS = read(CATALOGUE.read_text(encoding="utf-8"))
PROVED = [t for t in theorems().values() if t.lemma]
CLAUSES = [(t.name, c.name) for t in theorems().values() for c in t.clauses]
NEEDED = [(t.name, c.name) for t in PROVED for c in t.clauses if c.name in LEMMAS.get(t.lemma or "", ())]


def test_every_hypothesis_of_a_lemma_is_checked():
    assert unlicensed(theorems(), LEMMAS) == []


def test_the_moves_of_the_dissertation_are_proved():
    wanted = {
        *(
            "White 4.1.1a",
            "White 4.1.2",
            "White 4.1.3",
            "White 4.1.4",
            "White 4.1.5",
            "White 4.1.6a",
            "White 4.1.6b",
        ),
        *("White 4.2.1, before", "White 4.2.1, after", "White 4.2.2", "White 4.2.3", "White 4.2.4"),
        *("White 4.2.5, known condition", "White 4.2.5, nullable arms", "White 4.2.5, equal arms"),
        *("White 4.3.1", "White 4.3.2", "White 5.1.1", "White 5.2.2", "White 5.3.1", "White 5.4.1"),
    }
    assert wanted <= {t.name for t in PROVED}


def test_the_table_is_the_one_that_was_looked_at():
    assert TABLE.read_text(encoding="utf-8") == written(theorems(), LEMMAS), "run scripts/prove --update"


@pytest.mark.parametrize(("theorem", "clause"), NEEDED, ids=lambda name: name.replace(" ", "-"))
def test_a_deleted_clause_leaves_a_lemma_without_its_hypothesis(theorem: str, clause: str):
    whole = theorems()[theorem]
    assert unlicensed({theorem: whole.without(clause)}, LEMMAS) == [
        f"{theorem} has no clause {clause}, which its lemma {whole.lemma} needs"
    ]


@pytest.mark.parametrize("hypothesis", GROUNDS)
def test_a_hypothesis_without_clause_and_without_ground_is_noticed(hypothesis: str, monkeypatch):
    lemmas = {t.lemma: t.name for t in PROVED if hypothesis in LEMMAS[t.lemma or ""]}
    assert lemmas, "a ground that no lemma needs"
    monkeypatch.setattr("tools.ties.GROUNDS", {k: v for k, v in GROUNDS.items() if k != hypothesis})
    assert {
        f"{name} has no clause {hypothesis}, which its lemma {lemma} needs" for lemma, name in lemmas.items()
    } <= set(unlicensed(theorems(), LEMMAS))


def test_a_shape_that_is_left_out_leaves_a_lemma_without_its_hypothesis():
    whole = theorems()["White 4.1.3"]
    assert unlicensed({whole.name: replace(whole, shape=None)}, LEMMAS) == [
        "White 4.1.3 has no clause shape-updates, which its lemma interchange_updates needs"
    ]


def test_every_lemma_of_a_theorem_is_computed_at_places(monkeypatch):
    assert {t.lemma for t in PROVED} == set(READERS)
    monkeypatch.setattr("tools.ties.READERS", {})
    assert len(unlicensed(theorems(), LEMMAS)) == len(PROVED)


def test_every_deleted_clause_changes_the_table():
    table = dict(theorems())
    whole = written(table, LEMMAS)
    for theorem, clause in CLAUSES:
        assert written({**table, theorem: table[theorem].without(clause)}, LEMMAS) != whole


def test_a_lemma_that_does_not_exist_proves_nothing():
    [problem, *_] = unlicensed(theorems(), {})
    assert "which is not in the catalogue" in problem


def compare(copy: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """What scripts/prove runs on the optimizer's side, on a copy of the project."""
    return subprocess.run(
        [sys.executable, "-m", "tools.ties", *options],
        check=False,
        cwd=copy,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(copy / "src")},
    )


@pytest.mark.parametrize(
    ("file", "clause", "says"),
    [
        ("join_loops", "bounds-kept", "has no clause bounds-kept, which its lemma loop_joining needs"),
        ("interchange_with_back_substitution", "inside", "-  beyond  inside"),
    ],
)
def test_a_clause_deleted_from_the_source_fails_the_comparison(
    file: str, clause: str, says: str, tmp_path: Path
):
    for folder in ("src", "tools", "proofs"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    assert compare(tmp_path, "--update").returncode == 0
    assert compare(tmp_path).returncode == 0
    source = tmp_path / f"src/pellucid/loops/moves/{file}.py"
    text = source.read_text(encoding="utf-8")
    less = re.sub(rf'\n +Clause\("{clause}", [^\n]*\),(?=\n)', "", text)
    assert less != text
    source.write_text(less, encoding="utf-8")
    done = compare(tmp_path)
    assert done.returncode == 1
    assert says in done.stdout + done.stderr
