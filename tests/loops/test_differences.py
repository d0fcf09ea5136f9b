"""Differences between versions of a program: every line is told, changed ones with the words that changed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from pellucid.loops.report.coloring import tokens
from pellucid.loops.report.differences import DiffLine, differences, unchanged

LINE = some.lists(some.sampled_from(["s1", "t2", ":=", "sqrt", "(", "x", " ", "0.5", "  ", "e\u0301"])).map(
    "".join
)


def told(old: str, new: str) -> list[tuple[str, str]]:
    return [(line.kind, line.text) for line in differences(old.splitlines(), new.splitlines())]


def marked(line: DiffLine) -> list[str]:
    return [token.text for token, changed in line.words if changed]


@given(some.lists(LINE, max_size=8), some.lists(LINE, max_size=8))
def test_both_texts_can_be_read_off(old, new):
    lines = list(differences(old, new))
    assert [line.text for line in lines if line.new is not None] == new
    assert [line.new for line in lines if line.new is not None] == list(range(1, len(new) + 1))
    assert [line.old for line in lines if line.old is not None] == list(range(1, len(old) + 1))
    assert [line.text for line in lines if line.kind == "removed"] == [
        old[line.old - 1] for line in lines if line.kind == "removed"
    ]


@given(some.lists(LINE, max_size=8))
def test_equal_texts_have_no_differences(lines):
    assert list(differences(lines, lines)) == list(unchanged(lines))


def test_a_line_whose_values_have_other_names_is_kept():
    (line,) = differences(["    s3 := sqrt(s1) * s2"], ["    t9 = sqrt(t7) * s2"])
    assert (line.kind, line.shift) == ("kept", 0)
    assert marked(line) == ["t9", "=", "t7"]


def test_a_line_that_is_indented_otherwise_is_kept():
    (line,) = differences(["      h[i] := 0"], ["  h[i] := 0"])
    assert (line.kind, line.shift, line.text) == ("kept", -4, "  h[i] := 0")
    assert marked(line) == []


def test_a_line_that_changed_stands_below_its_former_version_with_the_words_that_differ():
    old, new = "  for i in 0 .. width:", "  for i in 0 .. width by 16 lanes:"
    removed, added = differences([old], [new])
    assert (removed.kind, added.kind) == ("removed", "added")
    assert marked(removed) == []
    assert "".join(marked(added)) == "by 16 lanes"


def test_lines_that_have_nothing_in_common_are_no_versions_of_each_other():
    assert told("  y := sin(x)\n  z := cos(x)", "  a[0] := bitcast.u32(q)") == [
        ("removed", "  y := sin(x)"),
        ("removed", "  z := cos(x)"),
        ("added", "  a[0] := bitcast.u32(q)"),
    ]


def test_no_letter_of_a_line_is_lost():
    line = "  if (s1 & 1:u32) != 0:u32 then -inf:f64 else é\u00a0\t`x`"
    assert "".join(token.text for token in tokens(line)) == line
    kinds = {token.text: token.kind for token in tokens(line)}
    assert (kinds["if"], kinds["s1"], kinds["1:u32"], kinds["inf:f64"]) == (
        "keyword",
        "value",
        "number",
        "number",
    )
