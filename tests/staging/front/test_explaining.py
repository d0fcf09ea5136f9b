"""The binding times of an interpreter, shown on its source as the compiler generator found them."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pellucid.base.errors import InputError
from pellucid.staging import DYNAMIC, STATIC, cogen, dynamic_call, explain_times, interpreter, lift
from pellucid.staging.front.explaining import STYLE


def power(base, n):
    if n == 0:
        return 1
    return base * power(base, n - 1)


@interpreter
def terms(program, n, x):
    total = 0
    for name, weight in program:
        y = power(x, weight)
        total = total + (y if name == "plus" else x * weight)
    for i in range(n):
        total += i
    k = lift(3)
    while k > 0:
        k -= dynamic_call(power(k, k))
    return total, (len(program), x)


def line(text):
    first = terms.source.tree.lineno
    return next(first + at - 1 for at, one in enumerate(terms.source.lines) if text in one)


@pytest.fixture(scope="module")
def times():
    return explain_times(cogen(terms, program=STATIC, n=DYNAMIC, x=DYNAMIC))


def test_static_dynamic_and_partly_static_expressions_are_told_apart(times) -> None:
    assert times.title == "binding times of terms(program: S, n: D, x: D)"
    assert times.shade(line("for name"), "program") == "static"
    assert times.shade(line("plus"), "x") == "dynamic"
    assert times.shade(line("plus"), '"plus"') == "static"
    # It is the number 0 before the first term.
    assert times.shade(line("plus"), "total") == "partly"
    assert times.shade(line("(len(program), x)"), "program") == "static"
    assert times.shade(line("(len(program), x)"), "x") == "dynamic"
    shown = ["".join(piece.text for piece in one.pieces) for one in times.lines]
    assert "def power(base, n):" in shown
    with pytest.raises(InputError, match="has no 'flower'"):
        times.shade(line("for name"), "flower")


def test_notes_say_where_a_lift_happened_and_why(times) -> None:
    notes = {
        one.line: "; ".join(each.text for each in times.notes if each.line == one.line) for one in times.notes
    }
    assert "weight meets x, which is dynamic: it is lifted" in notes[line("plus")]
    assert "the counter of range(n) is lifted" in notes[line("range(n)")]
    assert "since lift says so" in notes[line("lift(3)")]
    assert "since dynamic_call says so" in notes[line("dynamic_call")]


def test_the_letters_and_the_colors_stand_under_the_same_text(times) -> None:
    plain, colored = times.text().splitlines(), times.text(color=True)
    at = next(at for at, one in enumerate(plain) if "for name, weight in program" in one)
    begin = plain[at].index("program")
    assert plain[at + 1][begin : begin + 7] == "sssssss"
    assert "\x1b[34mprogram\x1b[0m" in colored
    assert "\x1b[" not in times.text()


def test_the_page_is_well_formed_and_has_the_program(times) -> None:
    class Reader(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.open: list[str] = []
            self.text = ""

        def handle_starttag(self, tag, attrs) -> None:
            if tag not in ("meta", "br"):
                self.open.append(tag)

        def handle_endtag(self, tag) -> None:
            assert self.open.pop() == tag

        def handle_data(self, data) -> None:
            self.text += data

    reader = Reader()
    reader.feed(times.page())
    assert reader.open == []
    for text in terms.source.lines:
        assert text in reader.text
    assert '<span class="static" title="S">program</span>' in times.html()


def test_what_is_no_compiler_is_refused() -> None:
    with pytest.raises(InputError, match="Interpreter is no compiler of an interpreter"):
        explain_times(terms)


def test_the_example_is_explained_as_it_is_written() -> None:
    text = Path("examples/evaluator.py").read_text("utf-8")
    names: dict[str, object] = {}
    exec(compile(text, "examples/evaluator.py", "exec"), names)
    shown = str(explain_times(names["compiler"]))
    assert "number is lifted: what value returns is dynamic, since it calls itself" in shown


def luminance(color: str) -> float:
    """The relative luminance of a color of a style sheet, from 0 to 1."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("name", ["static", "dynamic", "partly", "line"])
def test_colors_can_be_read_on_light_and_on_dark(name: str) -> None:
    light, dark = STYLE.split("@media")
    for part, ground in ((light, "#ffffff"), (dark, "#1c1b22")):
        (color,) = re.findall(rf"\.{name} {{ color: (#\w+);", part)
        low, high = sorted((luminance(color), luminance(ground)))
        # What the guidelines for accessible pages ask of text.
        assert (high + 0.05) / (low + 0.05) >= 4.5


@interpreter
def matched(p, x):
    match (x, p):
        case (one, other) if other > 2:
            return one + other
        case (one, *rest):
            return one - rest[0]


def test_names_in_patterns_have_times_of_their_own() -> None:
    shown = str(explain_times(cogen(matched, p=STATIC, x=DYNAMIC))).splitlines()
    at = next(number for number, line in enumerate(shown) if "case (one, other)" in line)
    names = shown[at].index("one"), shown[at].index("other")
    assert [shown[at + 1][column : column + 3] for column in names] == ["ddd", "sss"]
    assert shown[at + 1][shown[at].index("(")] == " "
