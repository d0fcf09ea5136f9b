"""No clause can be left out: for each clause and each shape of each theorem, a program that breaks without it."""

from pathlib import Path

import pytest
from tools.mutations import FOLDER, harm, missing, mutated, read, written, wrong

from pellucid.loops.core.registry import theorems
from pellucid.loops.core.theorem import Site
from pellucid.reasoning.prove import Proved

FILES = sorted(FOLDER.glob("*.nest"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_program_is_refused_and_breaks_without_the_clause(file: Path):
    assert wrong(file) is None


def test_every_mutation_has_a_killer():
    assert missing() == []


def test_a_program_that_the_theorem_licenses_kills_nothing():
    killer, _ = read(FOLDER.joinpath("join_loops-0-same-bounds.nest").read_text())
    same = str(FOLDER.joinpath("join_loops-0-same-bounds.nest").read_text()).replace("0 .. 3:", "0 .. 8:")
    equal, _ = read(same)
    assert harm(killer) is not None
    assert harm(equal) is None


def test_a_killer_is_the_same_after_it_was_written():
    killer, outcome = read(FILES[0].read_text())
    assert written(killer, outcome) == FILES[0].read_text()


def test_a_mutated_clause_always_says_proved():
    theorem, file = theorems()["White 5.1.1"], FOLDER / "join_loops-0-same-bounds.nest"
    killer, _ = read(file.read_text())
    site = Site(killer.kernel, killer.path, killer.ranges, killer.options)
    assert not isinstance(theorem.prove(site), Proved)
    assert isinstance(mutated(theorem, "same-bounds").prove(site), Proved)
