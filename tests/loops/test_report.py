"""Reports: text, Markdown, JSON and the page say the same of every stage and of every step."""

from __future__ import annotations

import html
import json
import re
import struct
from dataclasses import replace

import pytest
from tests.loops.pages import PageReader

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import FileError, InputError
from pellucid.base.page import STYLE, escaped
from pellucid.base.page import page as framed
from pellucid.ir.parse import parse_nest
from pellucid.loops.core.ledger import Ledger, Step
from pellucid.loops.core.rows import RuleUse
from pellucid.loops.report import Report
from pellucid.loops.report import page as pages
from pellucid.reasoning.prove import Proved
from pellucid.rewriting.status import status_of, table

EVIL = "</script></style><b onload='x'>&\"\x00\ud800"
"""A text that must do no harm wherever it stands."""
REFUSED = """kernel k():
  output out: f32[64]
  for i in 0 .. 8:
    out[i] := out[3]
"""


@pytest.fixture(scope="module")
def report() -> Report:
    return pl.explain(im.swirl(100, im.checkerboard(10, im.black, im.white)), (300, 200), zoom=4.0)


@pytest.fixture(scope="module")
def page(report) -> str:
    return report.page("pellucid explain <swirl>.py")


@pytest.fixture(scope="module")
def read(page) -> PageReader:
    return PageReader(page)


def test_every_stage_is_there_with_the_text_that_json_has(report, read):
    assert read.programs() == list(json.loads(report.json())["stages"].values())


def test_lines_that_went_are_those_of_the_stage_before(report, read):
    texts = list(report.stages.values())
    for before, lines in zip(texts, list(read.stages.values())[1:], strict=False):
        removed = [text for tag, text in lines if tag == "del"]
        assert set(removed) <= set(before.splitlines(keepends=True))
    assert sum(tag != "span" for lines in read.stages.values() for tag, _ in lines) > 10


def test_every_step_is_there_with_all_that_json_has(report, read):
    rows = json.loads(report.json())["ledger"]
    assert len(read.steps) == len(rows) > 5
    for row, step in zip(rows, read.steps, strict=True):
        for said in (
            row["stage"],
            row["move"],
            row["site"],
            row["label"].capitalize(),
            f"{row['after']:,.0f}",
        ):
            assert said in step["summary"]
        behind = step["behind"]
        for said in (row["about"], row["statement"], row["theorem"], *row["details"]):
            assert said in behind
        for clause in row["clauses"]:
            assert clause["name"] in behind
            assert clause["words"] in behind
        for rule in row["rules"]:
            assert rule["name"] in behind
            assert rule["text"] in behind
        if row["proof"]:
            assert row["proof"]["text"] in behind
            assert f"proofs/{row['proof']['file']}" in behind


def test_every_form_has_the_summary(report, read):
    told = json.loads(report.json())["summary"]
    assert re.fullmatch(
        r"\d+ steps: .*proved.*; cost from .* to .* cycles, estimated, .* times cheaper", told
    )
    assert told in read.text
    assert str(report).endswith(f"{told}\n")
    assert report.markdown().endswith(f"{told}\n")


def test_each_step_belongs_to_a_stage_and_both_lead_to_each_other(report, page):
    for number, row in enumerate(report.ledger.rows(), 1):
        assert row.stage in report.stages
        assert f'href="#step-{number}"' in page
        assert f'href="#stage-{list(report.stages).index(row.stage) + 1}"' in page


def test_the_picture_is_on_top_and_small(report, read):
    (source,) = [a["src"] for tag, a in read.tags if tag == "img"]
    data = __import__("base64").b64decode(source.removeprefix("data:image/png;base64,"))
    assert struct.unpack(">II", data[16:24]) == (300, 200)
    assert data == report.picture()
    large = pl.explain(im.checkerboard(10, im.black, im.white), (1920, 960), zoom=4.0).picture()
    assert struct.unpack(">II", large[16:24]) == (480, 240)


def test_a_page_asks_for_no_other_file_and_runs_no_other_script(page, read):
    allowed = {"a": "#", "img": "data:"}
    for tag, attributes in read.tags:
        for name in ("href", "src", "srcset", "action"):
            if (found := attributes.get(name)) is not None:
                assert found.startswith(allowed[tag])
        assert not [name for name in attributes if name.startswith("on")]
    assert "url(" not in page
    assert "@import" not in page
    policy = next(a["content"] for tag, a in read.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'")
    assert "'sha256-" in policy


def test_a_page_says_what_made_it(read):
    assert "pellucid explain <swirl>.py" in read.text


def test_a_page_has_headings_labels_and_a_language(read):
    assert ("html", {"lang": "en"}) in read.tags
    names = [tag for tag, _ in read.tags]
    assert names.count("h1") == 1
    assert [tag for tag in names if tag in ("h1", "h2")] == ["h1", "h2", "h2", "h2"]
    ids = {a["id"] for _, a in read.tags if a.get("id")}
    for tag, attributes in read.tags:
        if tag == "img":
            assert attributes["alt"]
        if labelled := attributes.get("aria-labelledby"):
            assert labelled in ids
        if (attributes.get("href") or "").startswith("#"):
            assert attributes["href"][1:] in ids


def test_names_do_no_harm():
    kernel = parse_nest("kernel k():\n  output a: i32[1]\n  a[0] := 1\n")
    step = Step(EVIL, EVIL, Proved(EVIL, lemma=EVIL), kernel, kernel, beneath=lambda: (EVIL,), stage=EVIL)
    made = Report({EVIL: kernel}, Ledger([step]), title=EVIL, plan=EVIL).page(EVIL)
    made.encode()
    read = PageReader(made)
    assert not [a for _, a in read.tags if "onload" in a]
    # The styles and the script are the page's own.
    assert made.count("</script>") == made.count("</style>") == 1
    shown = html.unescape(escaped(EVIL))
    assert "\ufffd" in shown
    assert read.text.count(shown) >= 8


def test_what_was_refused_is_shown_with_its_reason():
    from pellucid.loops.core import tactic

    kernel = parse_nest(REFUSED)
    state = tactic.run(tactic.attempt("lanes"), kernel)
    report = Report({"original": kernel}, state.ledger)
    (row,) = report.ledger.rows()
    (step,) = PageReader(report.page()).steps
    assert "Refused" in step["summary"]
    for said in (
        *row.clauses[0],
        row.verdict.witness if hasattr(row.verdict, "witness") else row.verdict.missing,
    ):
        assert said in step["behind"]
    assert "1 refused" in str(report)


def test_evidence_names_the_checker_or_the_test():
    told = {name: pages.evidence(row.status) for name, row in table().items()}
    assert (
        told["add-identity-integer"]
        == "the solver z3, for all operands of each type: i8 i16 i32 i64 u8 u16 u32 u64"
    )
    assert told["distribute-real"] == "the tests in tests/rules/test_rules.py, on random operands"
    exhaustive = {n for n, row in table().items() if "at every half float" in row.status.where[:40]}
    assert exhaustive
    assert all(told[name].startswith("the interpreter, exhaustively") for name in exhaustive)


def test_what_is_too_long_is_left_out_and_a_line_says_so(report, monkeypatch):
    monkeypatch.setattr(pages, "MAX_LINES", 4)
    monkeypatch.setattr(pages, "MAX_COLUMNS", 30)
    monkeypatch.setattr(pages, "MAX_RULES", 1)
    read = PageReader(report.page())
    for text, shown in zip(report.stages.values(), read.programs(), strict=True):
        assert len(shown.splitlines()) == 4
        assert f"{len(text.splitlines()) - 4} more lines are left out here" in read.text
    # Of lines at the end nobody knows whether they are gone or only further down.
    assert all(lines[-1][0] != "del" for lines in read.stages.values())
    assert "more characters are left out here" in read.programs()[0]
    assert "more rules are left out here" in read.text
    monkeypatch.setattr(pages, "MAX_CHARACTERS", 0)
    assert {len(shown.splitlines()) for shown in PageReader(report.page()).programs()} == {1}


def test_many_rules_are_told_the_weakest_first(report):
    (expand,) = [row for row in report.ledger.rows() if row.move == "expand"]
    told = [status_of(name).rank for name in re.findall(r"<li><b>(.*?)</b>", pages._rules(expand.rules))]
    assert told == sorted(told, reverse=True)
    assert len(told) == len(expand.rules)
    assert RuleUse.of("sub-zero", 2).text == "sub(x, 0.0) -> x [float]"


def test_a_program_without_steps_has_a_page():
    kernel = parse_nest(REFUSED)
    read = PageReader(Report({"original": kernel}, Ledger()).page())
    assert "no steps" in read.text
    assert read.steps == []


def test_save_writes_the_form_that_the_suffix_says(report, tmp_path):
    for suffix, begin in ((".html", "<!DOCTYPE html>"), (".md", "## "), (".json", "{"), (".txt", "== ")):
        path = tmp_path / f"swirl{suffix}"
        report.save(path)
        assert path.read_text("utf-8").startswith(begin)
    report.save(tmp_path / "again.HTML", command="a command")
    assert "a command" in (tmp_path / "again.HTML").read_text("utf-8")
    with pytest.raises(InputError, match=r"no report is called '.png'.*\.html for page"):
        report.save(tmp_path / "swirl.png")
    with pytest.raises(FileError):
        report.save(tmp_path / "nowhere" / "swirl.html")
    assert len(list(tmp_path.iterdir())) == 5


def test_a_page_that_fails_leaves_no_file(report, tmp_path):
    def broken() -> bytes:
        raise InputError("the paint is dry")

    with pytest.raises(InputError, match="the paint is dry"):
        replace(report, picture=broken).save(tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


def luminance(color: str) -> float:
    """The relative luminance of a color of a style sheet, from 0 to 1."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


GROUNDS = {
    "text": "ground panel removed added minus plus",
    "soft": "ground panel",
    "accent": "ground panel",
    **dict.fromkeys(("keyword", "number", "type", "value", "call"), "panel removed added minus plus"),
    "sign-minus": "removed",
    "sign-plus": "added",
    **dict.fromkeys(("proved", "checked", "tested", "refused"), "ground panel"),
}
"""The colors of letters, and those that they stand on."""


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_letters_can_be_read_on_what_they_stand_on(scheme):
    colors: dict[str, str] = {}
    for sheet in (STYLE, pages._file("page.css")):
        part = re.findall(r":root \{(.*?)\}", sheet, re.DOTALL)[scheme]
        colors |= dict(re.findall(r"--([\w-]+): (#\w{6})", part))
    for letters, grounds in GROUNDS.items():
        for ground in grounds.split():
            low, high = sorted((luminance(colors[letters]), luminance(colors[ground])))
            # What the guidelines for accessible pages ask of text.
            assert (high + 0.05) / (low + 0.05) >= 4.5, (letters, ground)


def test_a_page_without_a_script_runs_none():
    assert "script-src" not in framed("title", "<p>text</p>")
