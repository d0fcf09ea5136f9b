"""Sessions: what is offered, made, refused, taken back, made again, asked, tried on inputs and written down."""

import ast
import html
import importlib
import math
import random
import runpy
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.base.errors import InputError, IrError
from pellucid.cli.hops.queries import run_quickly
from pellucid.ir.facts import Facts
from pellucid.ir.parse import parse_nest
from pellucid.ir.text import print_nest
from pellucid.loops.core.ledger import Step
from pellucid.loops.core.options import option_of, options, value_of, written
from pellucid.loops.core.registry import moves, named
from pellucid.loops.hops import saving, trial
from pellucid.loops.hops.examples import example
from pellucid.loops.hops.listing import place, places, rows
from pellucid.loops.hops.saving import ProgramText, as_lines, as_markdown, as_python, as_report
from pellucid.loops.hops.session import MoveCall, RefusedError, Session
from pellucid.reasoning.prove import Proved, Refuted

TEXT = """kernel shade(w: i32, h: i32):
  output out: f32[64]
  output low: f32[64]
  input a: f32[8]
  for j in 0 .. 6:
    for i in 0 .. 5:
      out[j * 5 + i] := convert.f32(i + w) * a[j]
    for k in 0 .. 5:
      low[j * 5 + k] := convert.f32(k + h) + 1.0
"""
HISTOGRAM = """
(MakeVariable (h 256))
(MakeVariable (a 4096))
(for i 0 255
  (for j 0 4095
    (if (= i (a j))
      (:= (h i) (+ (h i) 1)))))
"""


def session(text: str = TEXT) -> Session:
    return Session.of(parse_nest(text))


def text_of(found: Session) -> str:
    return print_nest(found.kernel)


# ---- places ----


def test_statements_are_numbered_down_the_page_outer_ones_first():
    kernel = session().kernel
    assert [(p.number, p.line) for p in places(kernel)] == [
        (1, "for j in 0 .. 6:"),
        (2, "for i in 0 .. 5:"),
        (3, "out[j * 5 + i] := convert.f32(i + w) * a[j]"),
        (4, "for k in 0 .. 5:"),
        (5, "low[j * 5 + k] := convert.f32(k + h) + 1.0"),
    ]
    assert [r.number for r in rows(kernel)] == [1, 2, 3, 4, 5]


def test_lines_that_start_no_statement_have_no_number():
    text = "kernel k(n: i32):\n  output a: i32[9]\n  if n < 2:\n    a[0] := 1\n  else:\n    a[0] := 2\n"
    assert [r.number for r in rows(parse_nest(text))] == [1, 2, None, 3]


def test_a_place_is_a_number_a_name_or_a_path():
    kernel = session().kernel
    assert place(kernel, 2) == place(kernel, "2") == place(kernel, "i") == place(kernel, ((0, 0), (0, 0)))
    assert place(kernel, 0).path == ()


def test_a_name_that_two_statements_have_means_the_one_where_the_move_may_be():
    twice = session(TEXT.replace("for k", "for i").replace("5 + k", "5 + i").replace("(k + h)", "(i + h)"))
    with pytest.raises(InputError, match=r"several statements are called 'i'; say which by its number: 2, 4"):
        twice.place("i")
    assert place(twice.kernel, "i", frozenset({((0, 0), (0, 1))})).number == 4


@pytest.mark.parametrize(
    ("which", "words"),
    [
        (6, "there is no statement 6; statements are 1 to 5"),
        ("x", "no statement is called 'x'"),
        (((0, 9),), "path"),
    ],
)
def test_a_place_that_is_none_is_told(which, words):
    with pytest.raises(InputError, match=words):
        session().place(which)


# ---- changes ----


def test_what_is_offered_can_be_made_and_does_what_the_timer_said():
    fresh = session()
    offers = list(fresh.offers())
    assert {"lanes", "spread"} <= {o.move for o in offers}
    for offer in offers:
        found = session()
        change = found.make(offer.move, offer.place.number)
        assert change.steps[0].after == offer.after
        assert fresh.kernel is fresh.original.kernel


def test_offers_can_be_asked_of_one_move_or_one_place():
    assert {o.move for o in session().offers("lanes")} == {"lanes"}
    assert {o.place.number for o in session().offers(where=1)} == {1}


def test_a_refused_move_changes_nothing_and_says_which_clause_failed():
    found = session(TEXT.replace("* a[j]", "* out[3]"))
    found.make("lanes", "k")
    before = text_of(found)
    with pytest.raises(RefusedError) as caught:
        found.make("lanes", "i")
    assert caught.value.verdict is not None
    assert caught.value.verdict.clause in str(caught.value)
    assert text_of(found) == before
    assert len(found.done) == 1


def test_without_a_place_a_move_is_made_where_it_is_first_licensed():
    assert str(session().make("spread").call) == "try spread 1"
    with pytest.raises(RefusedError, match="finds no place"):
        session("kernel k():\n  output a: i32[1]\n  a[0] := 1\n").make("spread")


def test_an_option_that_a_move_does_not_have_is_told():
    with pytest.raises(InputError, match="spread has no option 'bands'; its options: band"):
        session().make("spread", 1, bands=3)
    with pytest.raises(InputError, match="band: rows is not a whole number; write band=a whole number"):
        session().make("spread", 1, band="rows")
    with pytest.raises(InputError, match="inline_array needs array="):
        session().make("inline_array", 0)
    with pytest.raises(IrError, match="did you mean 'spread'"):
        session().make("spreed", 1)


def test_undo_and_redo_go_back_and_forth():
    found = session()
    texts = [text_of(found)]
    for call in (("lanes", "i"), ("lanes", "k"), ("spread", "j")):
        found.make(*call)
        texts.append(text_of(found))
    assert found.undo(2) == 2
    assert text_of(found) == texts[1]
    assert found.redo(9) == 2
    assert text_of(found) == texts[3]
    assert found.undo(9) == 3
    assert text_of(found) == texts[0]
    with pytest.raises(InputError, match="nothing to undo"):
        found.undo()
    found.redo()
    found.make("spread", "j")
    with pytest.raises(InputError, match="nothing to redo"):
        found.redo()


@given(
    st.lists(st.sampled_from(["undo", "redo", "lanes i", "lanes k", "spread j", "tabulate j"]), max_size=12)
)
def test_whatever_is_done_the_history_leads_from_the_program_to_what_is_seen(words):
    found = session()
    original = found.kernel
    for word in words:
        before = text_of(found)
        try:
            if word in ("undo", "redo"):
                getattr(found, word)()
            else:
                found.make(*word.split())
        except (InputError, RefusedError):
            assert text_of(found) == before
    assert found.recheck() == len(found.steps)
    assert (found.steps[0].old if found.steps else found.kernel) is original
    assert not found.steps or found.steps[-1].new is found.kernel
    result = trial.compare(original, found.kernel, given={"w": 3, "h": 4})
    assert result.differs is None


def test_a_promise_about_a_parameter_is_a_change_that_can_be_taken_back():
    found = session()
    found.assume("w", 1, 64)
    assert found.state.ranges[found.kernel.params[0]] == Facts(1, 64)
    assert found.original.ranges == {}
    found.undo()
    assert found.state.ranges == {}
    with pytest.raises(InputError, match="no parameter 'x'"):
        found.assume("x", 0, 1)
    with pytest.raises(InputError, match="is no range"):
        found.assume("w", 2, 1)


def test_a_promise_about_a_product_licenses_what_it_bounds():
    text = TEXT.replace("0 .. 5", "0 .. w").replace("0 .. 6", "0 .. h").replace("j * 5", "j * w")
    found = session(text)
    with pytest.raises(RefusedError, match="h\\*w is at most"):
        found.make("spread", "j")
    found.assume("w", 0, 1 << 20)
    found.assume("h", 0, 1 << 20)
    found.assume("w*h", 0, 64)
    found.make("spread", "j")
    result = trial.compare(found.original.kernel, found.kernel, ranges=found.state.ranges)
    assert result.arguments["w"] * result.arguments["h"] <= 64
    with pytest.raises(InputError, match=r"inputs break what is promised: 0 <= w \* h <= 64"):
        trial.compare(found.kernel, found.kernel, ranges=found.state.ranges, given={"w": 9, "h": 9})


def test_a_heuristic_that_does_not_exist_is_told():
    with pytest.raises(InputError, match="no heuristic is called 'ForOptimise'"):
        session().do("ForOptimise")


# ---- questions ----


def test_why_not_names_the_clause_and_says_where_else():
    found = session(TEXT.replace("* a[j]", "* out[3]"))
    answer = found.why_not("lanes", "i")
    assert answer.verdict.clause in {c.name for t in named("lanes").theorems for c in t.clauses}
    assert [p.number for p in answer.elsewhere] == [4]


def test_why_not_of_a_licensed_move_says_that_nothing_is_in_the_way():
    answer = session().why_not("lanes", "i")
    assert isinstance(answer.verdict, Proved)
    assert not answer.remedies


def test_a_remedy_makes_the_move_possible():
    program = ProgramText("histogram", HISTOGRAM)
    found = Session.of(program.kernel())
    answer = found.why_not("join_conditional", 2)
    assert not isinstance(answer.verdict, Proved)
    assert ("interchange_loops", 1) in [(move, p.number) for move, p in answer.remedies]
    for move, where in answer.remedies:
        fresh = Session.of(program.kernel())
        fresh.make(move, where.number)
        assert any(o.place.line for o in fresh.offers("join_conditional"))


def test_simplifying_expressions_may_be_what_would_help():
    found = Session.of(ProgramText("k", "(MakeVariable s) (:= s (+ s 0))").kernel())
    answer = found.why_not("compress", 1)
    assert [(move, p.number) for move, p in answer.remedies] == [("simplify", 0)]
    found.do("simplify")
    found.make("compress", 1)


def test_options_are_those_of_the_move():
    assert options(named("spread")) == {"band": 16}
    assert {str(v) for v in options(named("inline_array")).values()} == {"required"}


# ---- trials ----


def test_a_trial_counts_visits_and_compares_bit_for_bit():
    kernel = session().kernel
    result = trial.compare(kernel, kernel, given={"w": 3, "h": 2})
    assert [(v.loops, v.count) for v in result.visits[0]] == [(("j",), 6), (("j", "i"), 30), (("j", "k"), 30)]
    assert result.differs is None
    assert set(result.after) == {"out", "low"}


def test_a_trial_finds_the_first_difference():
    kernel = session().kernel
    other = parse_nest(TEXT.replace("+ 1.0", "+ 2.0"))
    result = trial.compare(kernel, other, given={"w": 3, "h": 2})
    assert result.differs == ("low", 0)


@pytest.mark.parametrize(
    ("one", "two", "same"), [("0.0", "-0.0", False), ("nan", "nan", True), ("1.0", "1.0", True)]
)
def test_zeros_have_signs_and_any_nan_is_as_good_as_another(one, two, same):
    def kernel(value):
        return parse_nest(f"kernel k():\n  output a: f32[2]\n  a[1] := {value}\n")

    assert (trial.compare(kernel(one), kernel(two)).differs is None) == same


def test_inputs_are_made_up_from_the_seed_and_within_what_is_known():
    kernel = session().kernel
    ranges = {kernel.params[0]: Facts(3, 4), kernel.params[1]: Facts(100, 900)}
    first, memory = trial.made_up(kernel, ranges, {}, np.random.default_rng(5))
    again, same = trial.made_up(kernel, ranges, {}, np.random.default_rng(5))
    assert first == again
    assert all(np.array_equal(memory[b], same[b], equal_nan=True) for b in memory)
    assert 3 <= first["w"] <= 4
    assert 100 <= first["h"] <= 140


def test_made_up_values_lie_on_both_sides_of_the_bounds_that_a_program_mentions():
    kernel = ProgramText("histogram", HISTOGRAM).kernel()
    _, memory = trial.made_up(kernel, {}, {}, np.random.default_rng(1))
    a = next(data for b, data in memory.items() if b.name == "a")
    assert a.min() < 0
    assert a.max() > 255
    assert np.mean((a >= 0) & (a <= 255)) > 0.2


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"width": 3}, "no input 'width'"),
        ({"a": [1.0, 2.0]}, "a: 2 values are given, where it holds 8"),
        ({"w": 1.5}, "w: not all values are of type i32"),
        ({"w": 1 << 40}, "w: not all values are of type i32"),
        ({"a": "abc"}, "a: 'abc' is not made of numbers"),
    ],
)
def test_inputs_that_do_not_fit_are_told(given, words):
    with pytest.raises(InputError, match=words):
        trial.compare(session().kernel, session().kernel, given=given)


def test_expected_visits_follow_the_bounds():
    assert trial.expected_visits(session().kernel, {"w": 3, "h": 2}) == 6 * (1 + 5 + 5)
    sized = parse_nest("kernel k(n: i32):\n  output a: i32[9]\n  for i in 0 .. n:\n    a[i] := 0\n")
    assert trial.expected_visits(sized, {"n": 4}) == 4
    assert trial.expected_visits(sized, {"n": -4}) == 0


# ---- saving ----


def test_a_session_saved_as_python_makes_the_same_moves(tmp_path, capsys):
    found = session()
    found.make("lanes", "i", count=4)
    found.assume("w", 1, 64)
    found.make("spread", "j", band=2)
    program = ProgramText.of("shade", TEXT)
    file = tmp_path / "again.py"
    file.write_text(as_python(found, program))
    names = runpy.run_path(str(file))
    fresh = Session.of(program.kernel())
    names["optimize"](fresh)
    assert text_of(fresh) == text_of(found)
    runpy.run_path(str(file), run_name="__main__")
    out = capsys.readouterr().out
    assert str(found.ledger) in out
    assert text_of(found) in out


@pytest.mark.parametrize("text", [HISTOGRAM, '; a comment """ with \\n quotes\n' + HISTOGRAM])
def test_white_s_notation_can_be_saved_too(tmp_path, text):
    program = ProgramText.of("histogram", text)
    found = Session.of(program.kernel())
    found.make("interchange_loops", 1)
    file = tmp_path / "again.py"
    file.write_text(as_python(found, program))
    names = runpy.run_path(str(file))
    assert names["PROGRAM"].strip() == text.strip()
    fresh = Session.of(ProgramText.of("histogram", names["PROGRAM"]).kernel())
    names["optimize"](fresh)
    assert text_of(fresh) == text_of(found)


def test_a_session_with_nothing_done_can_be_saved(tmp_path):
    file = tmp_path / "again.py"
    file.write_text(as_python(session(), ProgramText.of("shade", TEXT)))
    runpy.run_path(str(file), run_name="__main__")


def test_lines_that_were_saved_are_those_to_type():
    found = session()
    found.make("lanes", "i", count=4)
    found.assume("w", 1, 64)
    assert as_lines(found) == "try lanes 2 count=4\nassume w 1..64\n"


@pytest.mark.parametrize("value", [8, (8, 16), True, "rows", 0.5])
def test_an_option_is_read_as_it_is_written(value):
    assert value_of(written(value)) == value


@pytest.mark.parametrize("word", ["band", "=3", "band=", "3=3"])
def test_what_is_no_option_is_told(word):
    with pytest.raises(InputError, match="is no option"):
        option_of(word)


# ---- examples ----


@pytest.mark.parametrize("name", list(moves()))
def test_every_move_has_an_example_that_is_licensed_and_changes_something(name):
    shown = example(name)
    assert shown.caption.endswith(".")
    assert print_nest(shown.before) != print_nest(shown.after)
    if not shown.before.params or all(p.type.is_integer for p in shown.before.params):
        sizes = {str(p.attr): 3 for p in shown.before.params}
        assert trial.compare(shown.before, shown.after, given=sizes, runner=run_quickly).differs is None


HOSTILE = [
    *('"""', "'''", '"', "'", "\\", "\n", "\r", "\0", "\x0c"),
    *("{", "}", "#", "\udc80", "\u2028", "é", "<b>", "|", "`"),
]


def hostile(choose: random.Random) -> str:
    """A name or a comment made to end a string or a line where it is written."""
    return "".join(
        choose.choice([*HOSTILE, "import os", "name", "*/", "\\N{", " "]) for _ in range(choose.randint(0, 9))
    )


def test_a_session_saved_as_python_has_names_and_texts_as_data_only(tmp_path):
    choose = random.Random(1)
    harmless = ast.parse(as_python(session(), ProgramText("name", TEXT, "nest")))
    kinds = [type(n).__name__ for n in ast.walk(harmless)]
    for _ in range(400):
        name = hostile(choose)
        text = f"; {hostile(choose)}\n{HISTOGRAM}\n; {hostile(choose)}"
        for program in (ProgramText(name, TEXT, "nest"), ProgramText(name, text, "hops")):
            source = as_python(session(), program)
            module = ast.parse(source.encode())
            assert name in (ast.get_docstring(module, clean=False) or "")
            values = {n.value for n in ast.walk(module) if isinstance(n, ast.Constant)}
            assert f"{program.text.rstrip()}\n" in values
            if program.language == "nest":
                assert [type(n).__name__ for n in ast.walk(module)] == kinds
            else:
                assert name in values
                imports = [n for n in ast.walk(module) if isinstance(n, (ast.Import, ast.ImportFrom))]
                assert len(imports) == 3


def test_options_saved_as_python_are_read_as_they_were():
    options = {
        "count": 4,
        "to": (1, 2.5),
        "one": ("a",),
        "no name": '"',
        "class": math.inf,
        "é\n": (-math.inf, "\\"),
        "x=1, y": 'f"{1}"',
    }
    call = saving._python(MoveCall("try", 'a"b\\', 3, options))
    given = ast.parse(call, mode="eval").body
    assert isinstance(given, ast.Call)
    assert ast.literal_eval(given.args[0]) == 'a"b\\'
    found = []
    read = SimpleNamespace(make=lambda *args, **named: found.append((args, named)))
    eval(call, {"session": read})
    assert found == [(('a"b\\', 3), options)]


def test_a_ledger_saved_as_markdown_begins_with_the_name_and_nothing_that_it_pretends_to_be():
    choose = random.Random(2)
    for name in [
        "# Other",
        "<script>x</script>",
        "a\n## b",
        "[x](y)",
        *(hostile(choose) for _ in range(200)),
    ]:
        title, empty, rest = as_markdown(session(), ProgramText(name, TEXT)).split("\n", 2)
        assert title.startswith("# ")
        assert empty == ""
        assert rest == session().ledger.as_markdown(texts=True)
        assert "<" not in title
        assert html.unescape(title[2:].replace("\\", "")) == "".join(
            c if c.isprintable() else " " for c in name
        ).replace("\\", "")


def test_programs_that_an_earlier_version_saved_are_told_of_the_new_place():
    with pytest.warns(DeprecationWarning, match=r"pellucid\.loops\.hops\.session"):
        former = importlib.import_module("pellucid.loops.session").Session
    assert former is Session


def test_the_report_of_a_session_has_a_stage_for_each_step_that_was_made():
    worked = session()
    worked.assume("w", 1, 9)
    worked.make("peel", "i")
    worked.make("peel", "k")
    report = as_report(worked, ProgramText("<b>", TEXT))
    assert list(report.stages) == ["original", "peel", "peel 2"]
    assert list(report.stages.values()) == [
        print_nest(k) for k in (worked.original.kernel, *(s.new for s in worked.steps))
    ]
    assert [row.stage for row in report.ledger.rows()] == list(report.stages)[1:]
    assert "<b>" not in report.page().partition("</head>")[2].partition("</h1>")[0]


def test_the_report_of_a_session_shows_what_a_heuristic_tried_in_vain():
    worked = session()
    refused = Step("lanes", "for i", Refuted("it is so", "it is not", "so"), worked.kernel, worked.kernel)
    made = worked.make("peel", "i")
    worked.done[-1] = replace(made, steps=(refused, *made.steps, refused))
    rows = as_report(worked, ProgramText("k", TEXT)).ledger.rows()
    assert [row.label for row in rows] == ["refuted", rows[1].label, "refuted"]
    assert {row.stage for row in rows} == {"peel"}
