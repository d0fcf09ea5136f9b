"""The ledger: what it says of each step, that its proofs and its steps can be run again, and how it exports."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pellucid.base.errors import IrError
from pellucid.driver.options import Options
from pellucid.driver.pipeline import optimize
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer
from pellucid.ir.parse import parse_nest
from pellucid.loops.core import tactic
from pellucid.loops.core.ledger import Ledger, Step
from pellucid.reasoning.machine import PROCESSOR
from pellucid.reasoning.prove import Premise, Proved, Refuted

TEXT = """kernel k():
  output out: f32[64]
  for j in 0 .. 6:
    for i in 0 .. 8:
      out[j * 8 + i] := sqrt(convert.f32(i)) + convert.f32(j)
"""
BUFFERS = {"out": Buffer("out", T.f32, 64, np.zeros(64, np.float32))}


def kernel(text: str = TEXT):
    return parse_nest(text, BUFFERS)


def ledger() -> Ledger:
    both = tactic.sequence(tactic.attempt("spread", band=8), tactic.attempt("place"))
    return tactic.run(both, kernel()).ledger


def test_a_step_says_its_move_its_site_its_label_and_every_condition_by_name():
    head, *conditions = str(ledger().steps[0]).splitlines()
    told, _, cost = head.partition("  cost ")
    assert told == (
        "spread     for j  Proved  independent iterations commute, on threads"
        "  [lemma iterations_in_any_order, proofs/Lanes.v]"
    )
    before, after = map(int, cost.split(" -> "))
    assert before < PROCESSOR.wake < after, "so few iterations are not worth a thread"
    assert [line.partition(":")[0] for line in conditions] == [
        "  positive-band",
        "  no-flow",
        "  apart",
    ]


def test_a_step_is_called_proved_only_if_its_theorem_has_a_lemma():
    step = Step("m", "for i", Proved("White 4.1.2"), kernel(), kernel())
    assert step.label == "tested"
    proved = replace(step, verdict=Proved("White 4.1.2", lemma="interchange"))
    assert proved.label == "proved"
    assert "Proved  White 4.1.2" in str(proved)


def test_a_refused_step_names_the_clause_that_failed():
    state = tactic.run(tactic.attempt("lanes"), kernel(TEXT.replace("sqrt(convert.f32(i))", "out[3]")))
    (step,) = state.ledger.steps
    assert step.label in ("refuted", "unknown")
    assert step.clauses[0][0] == step.verdict.clause != ""
    assert f"({step.verdict.clause})" in str(step)


def test_every_step_can_be_made_again():
    assert ledger().replay() == 2


def test_every_step_of_the_default_optimizer_can_be_made_again():
    best = optimize(kernel(), {}, Options(), 8)
    assert best.ledger.replay() == sum(s.applied for s in best.ledger.steps) > 3


def test_a_step_that_does_not_follow_is_found():
    found = ledger()
    with pytest.raises(IrError, match="place at kernel k: does not follow"):
        Ledger([found.steps[0], replace(found.steps[1], old=kernel())]).replay()


def test_a_step_that_gives_something_else_is_found():
    step = ledger().steps[0]
    with pytest.raises(IrError, match="gives another program"):
        Ledger([replace(step, new=step.old)]).replay()


def test_a_step_without_a_way_to_make_it_again_is_found():
    with pytest.raises(IrError, match="cannot be made again"):
        Ledger([Step("m", "for i", Proved("t"), kernel(), kernel())]).replay()


def test_a_premise_that_fails_is_found():
    broken = Premise("the moon is full", lambda: Refuted("the moon is full", "it is new"), "full-moon")
    with pytest.raises(IrError, match="the moon is full"):
        Ledger([Step("m", "for i", Proved("t", (broken,)), kernel(), kernel())]).recheck()


def test_markdown_is_a_table_with_one_line_for_each_step():
    found = ledger()
    lines = found.as_markdown().splitlines()
    assert len(lines) == 2 + len(found)
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1
    assert "apart: no two iterations store to the same place" in lines[2]
    assert "kernel k" not in found.as_markdown().partition("###")[2]
    assert found.as_markdown(texts=True).count("```text\n") == 4


def test_a_bar_in_a_cell_does_not_end_it():
    bar = Proved("a | b")
    (line,) = Ledger([Step("m", "for i", bar, kernel(), kernel())]).as_markdown().splitlines()[2:]
    assert "a \\| b" in line


def test_json_holds_everything_that_the_page_shows():
    rows = json.loads(json.dumps(ledger().as_json(texts=True)))
    assert [row["move"] for row in rows] == ["spread", "place"]
    assert rows[0]["label"] == "proved"
    assert rows[0]["lemma"] == "iterations_in_any_order"
    assert {c["name"] for c in rows[0]["clauses"]} == {"positive-band", "no-flow", "apart"}
    assert "spread over bands of 8" in rows[0]["new"]
    assert "spread over bands of 8" not in rows[0]["old"]
    assert rows[1]["after"] < rows[1]["before"]
    assert rows[1]["details"]
    assert "old" not in ledger().as_json()[0]
