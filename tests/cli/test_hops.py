"""`pellucid hops`: what each line answers, scripts and their exit status, and that no error loses anything."""

from __future__ import annotations

import io
import json
import os
import pty
import runpy
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests.loops.pages import PageReader

from pellucid.base.errors import InputError, PellucidError
from pellucid.cli.hops import colors
from pellucid.cli.hops.columns import beside
from pellucid.cli.hops.editing import completions, history_file
from pellucid.cli.hops.repl import LeaveError, ReplState, commands
from pellucid.ir.text import print_nest
from pellucid.loops.core.registry import moves
from pellucid.loops.hops.listing import ListingRow
from pellucid.loops.hops.saving import ProgramText
from pellucid.loops.scripts.heuristics import heuristics

ROOT = Path(__file__).parents[2]
SUMS = """; The sums of rows.
(MakeVariable (b 4))
(MakeVariable (a 32))
(MakeLocal s)
(for j 0 3
  ((:= s 0)
   (for i 0 7 (:= s (+ s (a (+ (* j 8) i)))))
   (:= (b j) s)))
"""
SHADE = """kernel shade(w: i32, h: i32):
  output out: f32[64]
  input a: f32[8]
  for j in 0 .. 6:
    for i in 0 .. 5:
      out[j * 5 + i] := convert.f32(i + w * h) * a[j]
"""


@pytest.fixture
def repl() -> ReplState:
    return ReplState.of(ProgramText.of("shade", SHADE), width=120)


def said(repl: ReplState, line: str) -> str:
    return colors.plain(repl.say(line))


# ---- lines ----


def test_every_command_has_help_and_a_sentence(repl):
    for name, command in commands().items():
        assert command.doc.endswith(".")
        assert said(repl, f"help {name}").startswith(command.usage)
        assert name in said(repl, "help")


@pytest.mark.parametrize("name", list(moves()))
def test_every_move_is_taught_with_its_clauses_and_an_example(repl, name):
    text = said(repl, f"help {name}")
    assert text.startswith(f"{name}\n")
    for theorem in moves()[name].theorems:
        assert theorem.name in " ".join(text.split())
        assert all(f"{clause.name}:" in text for clause in theorem.clauses)
    assert all(f"{limit.name}:" in text for limit in moves()[name].limits)
    assert f"example: try {name} " in text
    assert "before" in text
    assert "tested" in text or "proved by machine" in text


def test_a_condition_is_taught_by_its_name(repl):
    text = said(repl, "help one-way")
    assert text.startswith(
        "one-way, a condition\n  lanes, independent iterations commute, in lanes: no loop around"
    )
    assert said(repl, "help few-iterations").startswith(
        "few-iterations, a condition\n  unroll_all, a limit: "
    )
    with pytest.raises(InputError, match="did you mean 'one-way'"):
        repl.say("help oneway")


def test_show_numbers_the_statements_and_remembers_the_notation(repl):
    assert said(repl, "show").splitlines()[-1] == " 3      out[j * 5 + i] := convert.f32(i + w * h) * a[j]"
    assert "parameter w: i32" in said(repl, "show")
    assert said(repl, "show hops").splitlines()[-1].strip().startswith("(")
    assert said(repl, "show").splitlines()[-1].strip().startswith("(")
    said(repl, "show plain")
    said(repl, "try spread 1")
    assert "spread over" in said(repl, "show")
    assert "spread over" not in said(repl, "show original")
    with pytest.raises(InputError, match="no notation is called 'pascal'; one of plain, nest, hops"):
        repl.say("show pascal")


def test_a_try_shows_before_and_after_the_conditions_and_the_cost(repl):
    text = said(repl, "try lanes i count=4")
    assert text.startswith("step 1: lanes at 2: for i in 0 .. 5:\nbefore")
    assert " ~   2    for i in 0 .. 5 by 4 lanes:" in text
    assert "\nProved: independent iterations commute, in lanes\n  positive-count: " in text
    assert "times cheaper" in text.splitlines()[-1]


def test_the_name_of_a_move_alone_tries_it(repl):
    assert said(repl, "spread").startswith("step 1: spread at 1: for j in 0 .. 6:\n")


def test_moves_lists_each_with_place_and_gain(repl):
    lines = said(repl, "moves").splitlines()
    assert any(line.split()[:2] == ["lanes", "2"] and line.endswith("times cheaper") for line in lines)
    assert {line.split()[0] for line in said(repl, "moves spread").splitlines()} == {"spread"}
    assert {line.split()[1] for line in said(repl, "moves 1").splitlines()} == {"1"}
    said(repl, "try spread")
    assert said(repl, "moves spread") == "spread is not licensed anywhere."


def test_a_move_that_has_to_be_told_something_is_mentioned():
    repl = ReplState.of(
        ProgramText.of(
            "t", (ROOT / "src/pellucid/loops/hops/samples/inline_array.nest").read_text().partition("\n")[2]
        )
    )
    assert (
        said(repl, "moves inline_array")
        == "not tried, as they have to be told something: inline_array array=…"
    )
    assert "inline_array" in said(repl, "moves").splitlines()[-1]
    assert said(repl, "try inline_array 0 array=t").startswith("step 1: inline_array at 0")


def test_why_not_says_what_the_clause_asks_and_what_is_here(repl):
    said(repl, "try lanes i")
    text = said(repl, "why not lanes at i")
    assert (
        text.splitlines()[1:]
        == [
            "No: in-order fails.",
            "  It asks that the site is a loop that runs in order",
            "  but here: for j / for i does not",
        ]
        or "in-order" in text
    )
    assert said(repl, "why lanes 2") == text
    assert "Nothing is in the way." in said(repl, "why not spread at 1")


def test_history_goes_back_and_forth(repl):
    said(repl, "try lanes i")
    said(repl, "try spread j")
    assert said(repl, "undo 2").startswith("2 changes taken back")
    assert "lanes" not in said(repl, "show")
    assert said(repl, "redo").startswith("1 change made again")
    assert said(repl, "ledger").splitlines()[1].split()[:3] == ["1", "lanes", "2"]
    assert said(repl, "redo").startswith("1 change")
    assert "2 steps made again: every condition holds" in said(repl, "replay")
    assert said(repl, "compare 2").startswith("before")
    assert said(repl, "compare").startswith("at first")
    assert said(repl, "reset").startswith("2 changes taken back")
    assert said(repl, "ledger") == "Nothing has been done yet."


def test_a_step_is_explained_down_to_what_it_is_made_of():
    repl = ReplState.of(
        ProgramText.of(
            "t", (ROOT / "src/pellucid/loops/hops/samples/tile.nest").read_text().partition("\n")[2]
        )
    )
    said(repl, "try tile 1 rows=8 columns=8")
    text = said(repl, "explain 1")
    assert "small steps, on an instance" in text
    assert "small steps 1 to 2: strip_mine\n  at 1: for j in 0 .. 32:\n" in text
    assert said(repl, "explain 1 all").count("\nsmall step ") == 3
    with pytest.raises(InputError, match="there is no step 2; steps are 1 to 1"):
        repl.say("explain 2")


HISTOGRAM = """
(MakeVariable (h 16))
(MakeVariable (a 64))
(MakeLocal s)
(for i 0 15
  ((:= s 0)
   (for j 0 63
     (if (= i (a j)) (:= s (+ s 1)) (:= s (+ s 0))))
   (:= (h i) s)))
"""


def test_a_heuristic_makes_several_steps_that_one_undo_takes_back():
    repl = ReplState.of(ProgramText.of("histogram", HISTOGRAM))
    first = said(repl, "show")
    text = said(repl, "do ForOptimize")
    assert text.startswith("steps 1 to ")
    assert "join_conditional" in text
    assert "times cheaper" in text.splitlines()[-1]
    assert said(repl, "ledger").count("\n") > 5
    assert "every condition holds, same program" in said(repl, "replay")
    assert said(repl, "run").endswith("bit for bit.")
    said(repl, "undo")
    assert said(repl, "show") == first
    assert said(repl, "do BackPropagate index=i").startswith("step")
    with pytest.raises(PellucidError, match="BackPropagate has no option 'axis'; its options: index"):
        repl.say("do BackPropagate axis=i")


def test_heuristics_are_known_and_taught_by_name(repl):
    names = set(heuristics())
    assert {"ForOptimize", "RemoveDeadVars", "ForceLCJoin", "StatementSimplify", "simplify"} <= names
    for name in names:
        assert said(repl, f"help {name}").startswith(f"{name}\n")
        assert heuristics()[name].doc.endswith(".")


def test_a_heuristic_about_a_statement_is_told_which():
    repl = ReplState.of(ProgramText.of("histogram", HISTOGRAM))
    said(repl, "do RemoveDeadVars")
    said(repl, "do BackPropagate")
    said(repl, "do CompoundOptimize")
    (test,) = [p for p in repl.session.places() if p.line.startswith("if ")]
    assert f"split_loop at {test.number - 1}" in said(repl, f"do SplitCompoundAroundIf {test.number}")
    for line, words in (
        ("search width=2.5", "give a whole number above 0"),
        ("do SplitCompoundAroundIf", "is about one statement; give the number"),
        ("do SplitCompoundAroundIf 1", "it is about an if"),
        ("do ForOptimize 1", "is not about one statement; leave it out"),
    ):
        with pytest.raises(PellucidError, match=words):
            repl.say(line)


def test_a_search_brings_home_moves_that_can_be_made_again(tmp_path):
    repl = ReplState.of(ProgramText.of("histogram", HISTOGRAM))
    told: list[str] = []
    repl.progress = told.append
    text = said(repl, "search seconds=60 width=4 depth=8")
    assert text.startswith("steps 1 to ")
    assert "the time ran out" not in text
    assert "join_conditional" in text
    assert told[0].startswith("1 moves deep, ")
    assert told[-1] == ""
    said(repl, f"save {tmp_path}/again.steps")
    again = ReplState.of(repl.program)
    for line in (tmp_path / "again.steps").read_text().splitlines():
        said(again, line)
    assert print_nest(again.session.kernel) == print_nest(repl.session.kernel)
    with pytest.raises(PellucidError, match="a search has no limit 'hours'"):
        repl.say("search hours=1")
    with pytest.raises(PellucidError, match="'long' is no limit"):
        repl.say("search seconds=long")


def test_times_are_told_as_formulas_and_numbers(repl):
    sized = "kernel k(n: i32):\n  output a: i32[9]\n  for i in 0 .. n:\n    a[i] := 0\n"
    assert "now: 202 = 2*max(0, n) + 2" in said(ReplState.of(ProgramText.of("k", sized)), "times n=100")
    text = said(repl, "times")
    assert "loops that can run in lanes: 1 (for j), 2 (for i)" in text
    said(repl, "try lanes i")
    assert [line.partition(":")[0] for line in said(repl, "times").splitlines()[1:3]] == [
        "  at first",
        "  now",
    ]
    assert "(+ ForStatementTime (* (+ 1 (- 5 0))" in " ".join(said(repl, "times paper").split())
    with pytest.raises(InputError, match="pellucid doctor --calibrate"):
        repl.say("times measured")
    for line, words in (("times q=1", "neither a size nor a loop"), ("times w=x", "'x' is not a number")):
        with pytest.raises(PellucidError, match=words):
            repl.say(line)


def test_run_compares_with_the_original_and_counts_visits(repl):
    text = said(repl, "run w=3 h=2 a=1,2,3,4,5,6,7,8")
    assert text.startswith("run by the interpreter\n")
    assert "  out = 6 7 8 9 10 12 14 16 " in text
    assert "  j / i: 30" in text
    assert "bit for bit" not in text
    said(repl, "try lanes i")
    assert said(repl, "run w=3 h=2").endswith("Both programs give the same outputs, bit for bit.")
    assert "not counted, since not all loops run in order" in said(repl, "run w=3 h=2")


def test_run_takes_inputs_from_files_and_a_seed(repl, tmp_path):
    file = tmp_path / "a.npy"
    np.save(file, np.full(8, 2.0, np.float32))
    assert "  a = 2 2 2" in said(repl, f"run w=3 h=2 a={file}")
    assert said(repl, "run w=3 h=2 seed=4") != said(repl, "run w=3 h=2 seed=5")
    with pytest.raises(PellucidError, match=r"missing\.npy: is not there"):
        repl.say("run a=missing.npy")


def test_many_visits_are_run_by_machine_code():
    repl = ReplState.of(
        ProgramText.of(
            "t", "kernel t():\n  output a: i32[1]\n  for i in 0 .. 100000:\n    a[0] := a[0] + i\n"
        )
    )
    assert said(repl, "run a=0").startswith("run by machine code\n")
    assert "  i: 100,000" in said(repl, "run")
    text = "kernel t():\n  output a: f32[1]\n  for i in 0 .. 30000:\n    a[0] := sin(convert.f32(i))\n"
    waves = ReplState.of(ProgramText.of("t", text))
    said(waves, "try peel 1 side=back")
    assert said(waves, "run").endswith("Both programs give the same outputs, bit for bit.")
    huge = ReplState.of(
        ProgramText.of("t", "kernel t(n: i32):\n  output a: i32[1]\n  for i in 0 .. n:\n    a[0] := i\n")
    )
    with pytest.raises(InputError, match="would take too long"):
        huge.say("run n=2147483647")


def test_what_is_abstract_can_be_moved_and_not_run():
    text = "(MakeVariable x) (MakeVariable y) (MakeAbstractStatement S1) (:= x 1) S1 (:= y 2)"
    repl = ReplState.of(ProgramText.of("k", text))
    assert "S1" in said(repl, "show")
    said(repl, "try interchange 1")
    with pytest.raises(PellucidError, match="S1"):
        repl.say("run")


def test_assume_is_written_down(repl):
    assert said(
        ReplState.of(ProgramText.of("k", "kernel k(r: f32):\n  output a: f32[2]\n  a[0] := r\n")),
        "assume r 0.5..1",
    )
    assert said(repl, "assume w 1..64") == "from here on 1 <= w <= 64"
    assert len(repl.session.done) == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("mvoes", "no command is called 'mvoes'; did you mean 'moves'"),
        ("re", "'re' may mean redo or reset or replay"),
        ("try", "it is used like this: try MOVE"),
        ("try spread 1 2 3", "it is used like this"),
        ("try spread 9", "there is no statement 9; statements are 1 to 3"),
        ("try spread x", "no statement is called 'x'"),
        ("try spread 1 wide=3", "spread has no option 'wide'"),
        ("try spred 1", "did you mean 'spread'"),
        ("try join_loops 1", "join_loops at 1"),
        ("why lanes", "it is used like this: why"),
        ("do Nothing", "no heuristic is called 'Nothing'"),
        ("undo", "nothing to undo"),
        ("redo 0", "it is used like this: redo"),
        ("undo -1", "it is used like this: undo"),
        ("explain", "it is used like this: explain STEP"),
        ("explain 1", "there are no steps yet"),
        ("assume w", "it is used like this: assume"),
        ("assume q 1..2", "no parameter 'q'"),
        ("run 5", "it is used like this: run"),
        ("run q=5", "the program has no input 'q'"),
        ("load nowhere.hops", "nowhere.hops: is not there"),
        ("save x.hops", "that is the name of a program"),
        ("save /nowhere/at/all.py", "cannot be written"),
        ("help spreed", "there is no help on 'spreed'; did you mean 'spread'"),
        ("show 'a", "a quotation mark has no partner"),
        ("quit now", "it is used like this: quit"),
        ("moves 77", "there is no statement 77"),
        ("moves spreed", "did you mean 'spread'"),
    ],
)
def test_a_wrong_line_says_what_is_wrong_and_changes_nothing(repl, line, words):
    said(repl, "try lanes i")
    repl.session.undo()
    if line in ("undo", "explain 1"):
        repl = ReplState.of(repl.program)
    before = print_nest(repl.session.kernel), len(repl.session.done), len(repl.session.undone), repl.program
    with pytest.raises(PellucidError) as caught:
        repl.say(line)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert before == (
        print_nest(repl.session.kernel),
        len(repl.session.done),
        len(repl.session.undone),
        repl.program,
    )


def test_comments_and_empty_lines_say_nothing(repl):
    assert repl.say("") == repl.say("   # nothing") == []


def test_a_file_that_cannot_be_read_as_a_program_leaves_the_desk_alone(repl, tmp_path):
    broken = tmp_path / "broken.hops"
    broken.write_text("(for i 0 3 (:= x 1)")
    with pytest.raises(PellucidError, match="line 1, column 1: this parenthesis is never closed"):
        repl.say(f"load {broken}")
    assert repl.program.name == "shade"
    (tmp_path / "sums.hops").write_text(SUMS)
    assert said(repl, f"load {tmp_path}/sums.hops").startswith("sums\n")
    assert repl.program.language == "hops"


def test_a_session_is_saved_in_every_form(repl, tmp_path):
    said(repl, "try lanes i count=4")
    said(repl, "try spread j")
    assert repl.unsaved
    for name in ("again.py", "again.steps", "again.md", "again.json", "again.html"):
        assert said(repl, f"save {tmp_path}/{name}") == f"written: {tmp_path}/{name}"
    assert not repl.unsaved
    said(repl, "undo")
    said(repl, "try spread j")
    assert repl.unsaved
    assert (tmp_path / "again.steps").read_text() == "try lanes 2 count=4\ntry spread 1\n"
    assert runpy.run_path(str(tmp_path / "again.py"))["PROGRAM"].strip() == SHADE.strip()
    assert (tmp_path / "again.md").read_text().count("\n### Step ") == 2
    assert [row["move"] for row in json.loads((tmp_path / "again.json").read_text())] == ["lanes", "spread"]
    read = PageReader((tmp_path / "again.html").read_text("utf-8"))
    assert list(read.stages) == ["1. Original", "2. Lanes", "3. Spread"]
    assert "spread over bands" in read.programs()[-1]
    assert "try lanes 2 count=4\ntry spread 1" in read.text
    assert len(read.steps) == 2


def test_quit_leaves(repl):
    with pytest.raises(LeaveError):
        repl.say("quit")


# ---- two columns ----


def test_two_columns_stay_within_the_width():
    before = [ListingRow(k, f"a[{k}] := {k}") for k in range(1, 12)]
    after = [row for row in before if row.number != 4]
    for width in range(20, 120, 7):
        text = beside(before, after, width)
        assert all(len(line) <= max(width, 24) for line in text.splitlines())
    assert beside(before, after, 30).startswith("- before, + after")
    assert beside(before, after, 100).count("<") == 1


def test_a_page_that_is_too_narrow_tells_changes_line_by_line():
    text = beside(
        [ListingRow(1, "a := 1"), ListingRow(2, "b := 2")],
        [ListingRow(1, "a := 3"), ListingRow(2, "b := 2")],
        20,
    )
    assert text.splitlines()[1:] == ["-  1  a := 1", "+  1  a := 3", "   2  b := 2"]


# ---- completion ----


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("sho", ["show"]),
        ("spr", ["spread"]),
        ("try lan", ["lanes"]),
        ("try lanes ", ["2", "count=", "i"]),
        ("try lanes 2 c", ["count="]),
        ("lanes ", ["2", "count=", "i"]),
        ("why ", ["not"]),
        ("why not lan", ["lanes"]),
        ("why not lanes at ", ["2", "i"]),
        ("show n", ["nest"]),
        ("explain ", []),
        ("assume ", ["h", "w"]),
        ("run ", ["a=", "h=", "out=", "seed=", "w="]),
        ("help nota", ["notation"]),
        ("bogus x", []),
        ("try 'lanes ", []),
    ],
)
def test_tab_offers_what_could_stand_there(repl, line, found):
    offered = completions(repl, line)
    if line in ("why ", "why not lanes at "):
        assert set(found) <= set(offered)
    else:
        assert sorted(offered) == found


def test_files_are_completed(repl, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sums.hops").write_text(SUMS)
    (tmp_path / "sub").mkdir()
    assert completions(repl, "load su") == ["sub/", "sums.hops"]
    assert completions(repl, "load sub/") == []
    assert completions(repl, f"load {tmp_path}/sums") == [f"{tmp_path}/sums.hops"]


def test_history_is_kept_where_state_is_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert history_file() == tmp_path / "pellucid/hops"


# ---- colors ----


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_gets_colors_and_nothing_else_does(repl, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    reply = repl.say("try lanes i")
    painted, plain, silent = Terminal(), io.StringIO(), Terminal()
    colors.printer(painted)(reply)
    colors.printer(plain)(reply)
    monkeypatch.setenv("NO_COLOR", "1")
    colors.printer(silent)(reply)
    assert "\x1b[" in painted.getvalue()
    assert plain.getvalue() == silent.getvalue() == colors.plain(reply) + "\n"
    import re

    assert re.sub(r"\x1b\[[0-9;]*m", "", painted.getvalue()) == plain.getvalue()


def test_without_rich_a_terminal_gets_plain_text(repl, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setitem(sys.modules, "rich.console", None)
    out = Terminal()
    colors.printer(out)(repl.say("show"))
    assert "\x1b[" not in out.getvalue()


# ---- the command ----


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shade.nest").write_text(SHADE)
    (tmp_path / "sums.hops").write_text(SUMS)
    return tmp_path


def test_a_script_prints_each_line_with_its_answer(pellucid, folder):
    (folder / "a.steps").write_text("# what to do\n\ntry spread 1\nledger\n")
    status, out, err = pellucid("hops", "shade.nest", "--script", "a.steps", "--width", "80")
    assert (status, err) == (0, "")
    assert out.startswith("hops> # what to do\nhops> try spread 1\nstep 1: spread at 1: for j in 0 .. 6:\n")
    assert out.splitlines()[-3].split() == ["move", "at", "cost", "licensed", "by"]


def test_a_script_stops_at_a_refused_step_and_fails(pellucid, folder):
    (folder / "a.steps").write_text("try join_loops 1\nshow\n")
    status, out, err = pellucid("hops", "shade.nest", "--script", "a.steps")
    assert status == 1
    assert out == "hops> try join_loops 1\n"
    assert err.startswith("pellucid: a.steps:1: join_loops at 1 ")


def test_a_script_goes_on_where_that_was_asked_for(pellucid, folder):
    (folder / "a.steps").write_text("try join_loops 1\nbogus\nshow\nquit\nbogus\n")
    status, out, err = pellucid("hops", "shade.nest", "--script", "a.steps", "--keep-going")
    assert (status, err) == (0, "")
    assert out.count("\nnot done: ") == 2
    assert "\nnot done: join_loops at 1 (for j)\nNo: " in out
    assert "hops> show\nparameter w" in out
    assert out.endswith("hops> quit\n")


def test_lines_may_come_through_a_pipe(folder):
    command = [sys.executable, "-m", "pellucid", "hops", "sums.hops"]
    done = subprocess.run(command, input="show\nbogus\n", capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "for j in 0 .. 4:" in done.stdout
    assert done.stderr == "pellucid: standard input:2: no command is called 'bogus'; see help\n"


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        (["missing.hops"], 1, "missing.hops: is not there"),
        (["shade.nst"], 1, "did you mean 'shade.nest'"),
        (["shade.nest", "--script", "none.steps"], 1, "none.steps: is not there"),
        ([], 2, "required: FILE"),
        (["shade.nest", "--width", "x"], 2, "width"),
    ],
)
def test_a_wrong_command_is_told_in_one_line(pellucid, folder, words, status, text):
    found, _, err = pellucid("hops", *words)
    assert found == status
    assert text in err
    assert err.count("\n") == 1


def test_a_picture_can_be_optimized_by_hand(pellucid, folder):
    (folder / "rings.py").write_text(
        "from pellucid import images as im\npicture = im.rad_reg(5)\nother = im.checkerboard(3, im.red, im.blue)\n"
    )
    (folder / "a.steps").write_text("show\ntry lanes i\nrun width=20 height=12\nsave again.py\n")
    status, out, err = pellucid("hops", "rings.py:other", "--script", "a.steps")
    assert (status, err) == (0, "")
    assert "parameter width: i32" in out
    assert "  j / i: 240" in out
    assert "Both programs give the same outputs, bit for bit." in out
    runpy.run_path("again.py", run_name="__main__")
    assert pellucid("hops", "rings.py:none")[0] == 2


def test_a_broken_program_is_told_with_its_place(pellucid, folder):
    (folder / "broken.hops").write_text("(MakeVariable x)\n(:= x (+ x y))\n")
    status, _, err = pellucid("hops", "broken.hops")
    assert status == 1
    assert "line 2, column 12: 'y' is not declared" in err


# ---- at a terminal ----


class Terminals:
    """A child at a terminal of its own: what it prints is read, what is typed is sent."""

    def __init__(self, folder: Path) -> None:
        self.child, self.master = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            os.environ.update(
                TERM="xterm", NO_COLOR="1", XDG_STATE_HOME=str(folder), COLUMNS="100", LINES="30"
            )
            os.execv(sys.executable, [sys.executable, "-m", "pellucid", "hops", "sums.hops"])
        self.seen = ""

    def until(self, text: str, seconds: float = 90.0) -> str:
        """What is printed until a text comes."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            assert time.monotonic() < end, f"no {text!r} in {self.seen!r}"
            ready, _, _ = select.select([self.master], [], [], 0.2)
            if ready:
                try:
                    self.seen += os.read(self.master, 65536).decode()
                except OSError:
                    assert text in self.seen, f"it ended without {text!r}: {self.seen!r}"
        before, _, self.seen = self.seen.partition(text)
        return before + text

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def status(self) -> int:
        """How it ended."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            found, status = os.waitpid(self.child, os.WNOHANG)
            if found:
                return os.waitstatus_to_exitcode(status)
            ready, _, _ = select.select([self.master], [], [], 0.1)
            if ready:
                try:
                    os.read(self.master, 65536)
                except OSError:
                    continue
        os.kill(self.child, signal.SIGKILL)
        raise AssertionError("it did not end")


def test_a_person_can_type_complete_be_wrong_interrupt_and_leave(folder):
    terminal = Terminals(folder)
    assert "for j in 0 .. 4:" in terminal.until("hops> ")
    terminal.type("bogus\n")
    assert "not done: no command is called 'bogus'" in terminal.until("hops> ").replace("\r", "")
    terminal.type("repl\t\n")
    assert "0 steps made again" in terminal.until("hops> ")
    terminal.type("half a line")
    terminal.until("half a line")
    terminal.type("\x03")
    terminal.until("Ctrl-D leaves.")
    time.sleep(2.5)  # longer than other commands have to unwind
    terminal.until("hops> ")
    terminal.type("search seconds=600 depth=40 width=60\n")
    terminal.until("moves deep")
    terminal.type("\x03")
    assert "nothing was changed" in terminal.until("hops> ")
    terminal.type("ledger\n")
    assert "Nothing has been done yet." in terminal.until("hops> ")
    terminal.type("try strip_mine j size=2\n")
    assert "step 1: strip_mine" in terminal.until("hops> ")
    terminal.type("\x04")
    terminal.until("Not saved. These lines make the same changes again:\r\ntry strip_mine 2 size=2")
    assert terminal.status() == 0
    assert "ledger" in (folder / "pellucid/hops").read_text()
