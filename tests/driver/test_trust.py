"""How far the ledgers of pictures can be trusted: with exact numerics, nothing is weaker than checked."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import pellucid
from pellucid import images as im
from pellucid.cli.gallery import entries
from pellucid.driver.options import Options
from pellucid.driver.pipeline import optimize
from pellucid.ir.parse import parse_nest
from pellucid.loops.core.ledger import Ledger
from pellucid.loops.core.lemmas import TABLE, file_of, written
from pellucid.loops.core.registry import theorems
from pellucid.rewriting.status import status_of

ROOT = Path(__file__).parents[2]
GALLERY = dict(entries())
SMOKE = [name for number, name in enumerate(GALLERY) if number % 6 == 0]
NUMBERS = """kernel k():
  output out: f32[4096]
  input gray: u8[4096]
  for i in 0 .. 4096:
    out[i] := pow(convert.f32(convert.i32(gray[i]) & 15), 2.3)
"""
COLUMNS = """kernel k():
  output out: f32[4000000]
  for j in 0 .. 8:
    for i in 0 .. 400000:
      out[j * 400000 + i] := pow(convert.f32(i), 1.7) + convert.f32(j)
"""


def weak(ledger: Ledger) -> dict[str, list[str]]:
    """The steps that are only tested, with the rules that make them so."""
    found: dict[str, list[str]] = {}
    for step in ledger.steps:
        status = step.status()
        if status is not None and status.word == "tested":
            found[step.move] = [name for name in step.fired if status_of(name).word == "tested"]
    return found


def of_gallery(name: str) -> None:
    entry = GALLERY[name]()
    if entry is not None:
        assert weak(pellucid.explain(entry.picture, numerics="exact").ledger) == {}


@pytest.mark.parametrize("name", SMOKE)
def test_no_line_is_weaker_than_checked(name: str):
    of_gallery(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in GALLERY if n not in SMOKE])
def test_no_line_of_any_picture_is_weaker_than_checked(name: str):
    of_gallery(name)


def test_swirl_is_checked_with_exact_numerics_and_its_loops_are_proved_in_any():
    picture = runpy.run_path(str(ROOT / "examples/swirl.py"))["picture"]
    assert weak(pellucid.explain(picture, numerics="exact").ledger) == {}
    words = {s.move: s.label for s in pellucid.explain(picture).ledger.steps}
    assert words["spread"] == words["lanes"] == words["place"] == "proved"
    # Sums in another order round otherwise.
    assert words["simplify"] == "tested"


@pytest.mark.parametrize(("move", "text"), [("look_up", NUMBERS), ("tabulate", COLUMNS)])
def test_tables_are_proved(move: str, text: str):
    best = optimize(parse_nest(text), {}, Options(numerics="exact"), 8)
    words = {s.move: s.label for s in best.ledger.steps if s.applied}
    assert words[move] == "proved"
    assert weak(best.ledger) == {}


def test_nobody_pays_for_rules_that_nobody_asks_for(monkeypatch: pytest.MonkeyPatch):
    def never(*_: object) -> None:
        raise AssertionError("a trace was made")

    monkeypatch.setattr("pellucid.rewriting.builder.Trace.note", never)
    picture = im.swirl(90, im.checkerboard(9, im.black, im.white))
    report = pellucid.explain(picture, numerics="exact")
    with pytest.raises(AssertionError, match="a trace was made"):
        str(report.ledger)


def test_a_step_names_its_status_its_place_and_its_rules():
    picture = im.swirl(100, im.checkerboard(10, im.black, im.white))
    report = pellucid.explain(picture, numerics="exact")
    text = str(report)
    assert "[lemma iterations_in_any_order, proofs/Lanes.v]" in text
    rows = {row["move"]: row for row in report.ledger.as_json()}
    assert {"name", "times", "status", "where", "text"} == set(rows["expand"]["rules"][0])
    assert rows["truths"]["where"] == "nothing is changed"
    assert "[lemma iterations_in_any_order, proofs/Lanes.v]" in report.ledger.as_markdown()


def test_every_lemma_is_in_the_file_that_the_ledger_names():
    assert TABLE.read_text(encoding="utf-8") == written(ROOT / "proofs"), "run scripts/prove --update"
    assert all(file_of(t.lemma) for t in theorems().values() if t.lemma)
    assert file_of("equals_for_equals") == "Values.v"
