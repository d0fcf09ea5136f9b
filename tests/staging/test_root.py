"""root: its text both ways, its meaning, its refusals."""

import random
from collections import Counter

import pytest

from pellucid.base.errors import StagingError, TextError
from pellucid.staging.root.machine import run
from pellucid.staging.root.program import Code, Const, Jump, linked, unlinked
from pellucid.staging.root.reading import read, read_sugar
from pellucid.staging.root.writing import reached, write

APPEND = """
append(k l m) {
  if (null? l) (car k)(k m)
  frame = (list k l m)
  cl = (close cont frame)
  append(cl (cdr l) m)
cont(self r) {
  (k l m) = (cdr self)
  nr = (cons (car l) r)
  (car k)(k nr)
"""
DYN_IF = """
dyn-if(k s d) {
  frame = (list k s d)
  cl = (close cont frame)
  if (d) (car cl)(cl 2)
  (car cl)(cl 3)
cont(self r) {
  (k s d) = (cdr self)
  rr = r + s
  (car k)(k rr)
"""


def test_figure_4_appends() -> None:
    draw = random.Random(4)
    append = read_sugar(APPEND)["append"]
    for _ in range(50):
        one, other = ([draw.randrange(9) for _ in range(draw.randrange(6))] for _ in range(2))
        assert unlinked(run(append, linked(*one), linked(*other))) == one + other


def test_figure_5_chooses_and_counts() -> None:
    code = read_sugar(DYN_IF)["dyn-if"]
    counts: Counter[str] = Counter()
    assert [run(code, 40, True, counts=counts), run(code, 40, False)] == [42, 43]
    assert counts["if"] == 1
    assert counts["jump"] == 2


@pytest.mark.parametrize("text", [APPEND, DYN_IF])
def test_the_text_of_a_code_reads_as_the_same_program(text: str) -> None:
    first = next(iter(read_sugar(text).values()))
    written = write(first)
    again = read(written)
    assert write(again[first.name]) == written
    assert next(code.body for code in reached(first))[0] == again[first.name].body[0]


def test_the_text_of_a_code_that_was_made_at_run_time() -> None:
    made = Code("made", ("k",), (Const("t", read_sugar(APPEND)["append"]), Jump("t", ("k", "k", "k"))))
    assert set(read(write(made))) == {"made", "append", "cont"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("(code f (k) ((jump g k)))", "'g' is not bound"),
        ("(code f (k) ((const a 1)))", "no jump at its end"),
        ("(code f (k) ((jump k k) (jump k k)))", "no jump at its end"),
        ("(code f (k k) ((jump k k)))", "named twice"),
        ("(code f (k) ((if k ((const a 1) (jump a k))) (jump a k)))", "'a' is not bound"),
        ("(code f (k) ((const a b) (jump k k)))", "no constant"),
        ("(code f (k) ((hop k)))", "no instruction"),
        ("(code f (k)", "not closed"),
        ("(code nil (k) ((jump k k)))", "name of a constant"),
        ("(" * 5000, "too many parentheses"),
    ],
)
def test_text_that_is_no_program_is_refused(text: str, says: str) -> None:
    with pytest.raises((TextError, StagingError), match=says):
        read(text)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("(car k)(k (car n))", "car: no pair"),
        ("(car k)(k (cra n))", "did you mean"),
        ("(car k)(k (idiv n 0))", "idiv: "),
        ("(car k)(k (car k n))", "takes 1 values"),
        ("f(k n n)", "3 values for 2 parameters"),
        ("n(k)", "a jump to 7"),
        ("f(k n)", "no end after 1000 jumps"),
    ],
)
def test_a_program_that_goes_wrong_says_where(line: str, says: str) -> None:
    code = read_sugar(f"f(k n) {{\n{line}\n}}")["f"]
    with pytest.raises(StagingError, match=f"f: .*{says}"):
        run(code, 7, most=1000)


def test_a_code_that_was_made_wrong_is_refused_before_it_runs() -> None:
    with pytest.raises(StagingError, match="'g' is not bound"):
        run(Code("f", ("k",), (Jump("g", ()),)))
