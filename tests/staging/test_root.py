"""root: its text both ways, its meaning, its refusals."""

import random
from collections import Counter

import numpy as np
import pytest

from pellucid.base.errors import StagingError, TextError
from pellucid.ir.facts import Facts
from pellucid.staging.memory import Memory
from pellucid.staging.root.machine import run
from pellucid.staging.root.primitives import PRIMITIVES, facts, primitive
from pellucid.staging.root.program import (
    Const,
    Jump,
    Lift,
    RootCode,
    RootPrim,
    linked,
    reflected,
    reified,
    unlinked,
)
from pellucid.staging.root.reading import read, read_sugar
from pellucid.staging.root.writing import reached, write, write_sugar

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
    made = RootCode("made", ("k",), (Const("t", read_sugar(APPEND)["append"]), Jump("t", ("k", "k", "k"))))
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
        ("(car k)(k (load@m n))", "no memory is called 'm'"),
        ("(car k)(k (load n n))", "no memory: 7"),
        ("(car k)(k (<< n 99999999))", "<<: a shift by"),
        ("(car k)(k (vref n 0))", "no vector: 7"),
        ("(car k)(k (= (cons n n) (cons n n)))", "compare their parts"),
        ("(car k)(k (add.f65 n n))", "add.f65: unknown primitive; f65 is no type; there are bool, "),
        ("(car k)(k (add n n))", "add: unknown primitive; name its types, as in add.i64"),
        ("(car k)(k (shl.i8 n n))", "shl.i8: unknown primitive; there are shift_left, "),
        ("(car k)(k (sqart.f32 n))", "sqart.f32: unknown primitive; did you mean 'sqrt'"),
        ("(car k)(k (add.f64.f64 n n))", "signature"),
        ("(car k)(k (error 'unknown-operation))", "unknown-operation"),
    ],
)
def test_a_program_that_goes_wrong_says_where(line: str, says: str) -> None:
    code = read_sugar(f"f(k n) {{\n{line}\n}}")["f"]
    with pytest.raises(StagingError, match=f"f: .*{says}"):
        run(code, 7, most=1000)


def test_a_code_that_was_made_wrong_is_refused_before_it_runs() -> None:
    with pytest.raises(StagingError, match="'g' is not bound"):
        run(RootCode("f", ("k",), (Jump("g", ()),)))


def test_the_sugar_reads_as_what_it_was_written_from() -> None:
    text = """
f(k x y) {
  $inline = #f
  b = (x << 3)
  if (b < y) {
    c = (cons x (list 1 'two "3 four" 0.5 #f))
    if (zero? x) (car k)(k c)
    f(k y x)
  }
  if (x) f(k (- x 1) y)
  (car k)(k (| (>> x 2) y))
}"""
    first = read_sugar(text.replace("(x << 3)", "x << 3").replace("b < y", "< b y"))["f"]
    again = read_sugar(write_sugar(first))["f"]
    assert again.params == first.params
    assert write_sugar(again) == write_sugar(first)
    one, other = (run(code, 1, 9) for code in (again, first))
    assert (
        (one.car, unlinked(one.cdr))
        == (other.car, unlinked(other.cdr))
        == (0, [1, "two", "3 four", 0.5, False])
    )


@pytest.mark.parametrize("text", [APPEND, DYN_IF])
def test_the_text_of_a_code_can_be_had_as_data_and_made_a_code_again(text: str) -> None:
    first = next(iter(read_sugar(text).values()))
    assert reflected(reified(first)).body == first.body
    with pytest.raises(StagingError, match="no text of a code"):
        reflected(linked(1, 2))
    program = read_sugar("""
    twice(k code n) {
      again = (reflect (reify code))
      again(k n)
    inc(k n) {
      (car k)(k (+ n 1))""")
    assert run(program["twice"], program["inc"], 4) == 5


def test_points_and_lifts_are_kept_by_reification() -> None:
    code = RootCode(
        "f", ("k",), (RootPrim("a", "cons", ("k", "k"), "p"), Lift("a", "D", ("k",), 1), Jump("k", ("a",)))
    )
    assert reflected(reified(code)).body == code.body


def test_every_row_of_the_operator_table_is_a_primitive() -> None:
    assert primitive("add.i8").meaning(127, 1) == -128
    assert primitive("choose.f64").meaning(True, 0.5, 2.0) == 0.5
    assert primitive("convert.u8.f32").meaning(200) == 200.0
    with pytest.raises(StagingError, match=r"f: convert\.f64\.i32: does not make i32 of f64"):
        run(read_sugar("f(k x) {\n(car k)(k (convert.f64.i32 x))")["f"], 1.5)
    assert primitive("sqrt.f64").meaning(2.25) == 1.5
    assert facts("and.u8", Facts(0, 255), Facts(15, 15)).hi == 15
    code = read_sugar("""
    f(k x) {
      (car k)(k (mul.f64 (sqrt.f64 x) x))""")["f"]
    assert run(code, 4.0) == 8.0


def test_facts_of_plain_primitives_are_those_of_the_operator_table() -> None:
    known = {"+": (3, 12), "-": (-8, 1), "*": (2, 27), "min": (1, 3), "|": (2, 15), "=": (0, 1)}
    for name, ends in known.items():
        found = facts(name, Facts(1, 3), Facts(2, 9))
        assert found is not None
        assert (found.lo, found.hi) == ends, name
    assert facts("cons", Facts(0, 1), Facts(0, 1)) is None
    assert all(
        row.operator is None or facts(name, *[Facts(1, 3)] * row.arity) for name, row in PRIMITIVES.items()
    )


def test_memories_are_read_and_written_by_name_and_as_values() -> None:
    memory = Memory("m", 8, np.array([5, 6, 7], np.uint8))
    code = read_sugar("""
    swap(k i j) {
      a = (load@m i)
      b = (load@m j)
      x = (store@m i b)
      y = (store@m j a)
      (car k)(k a)
    read(k m i) {
      (car k)(k (load m i))""")
    assert run(code["swap"], 0, 2, memories={"m": memory}) == 5
    assert memory.data.tolist() == [7, 6, 5]
    assert run(code["read"], memory, 1) == 6
    assert run(code["read"], Memory("m", 8), 1, memories={"m": memory}) == 6


def test_apply_takes_a_primitive_by_its_name() -> None:
    code = read_sugar("""
    f(k p x) {
      (car k)(k (apply p (list x 3)))""")["f"]
    assert [run(code, name, 10) for name in ("+", "imod", "sub.i64")] == [13, 1, 7]
    with pytest.raises(StagingError, match="f: apply: zero\\? takes 1 values, not 2"):
        run(code, "zero?", 1)


def test_lifts_are_read_and_written() -> None:
    text = """
f(k x y) {
  lift x
  lift x cyc
  lift y (S * D) list
  lift k stack D (list S D)
  lift y (x k) pick
  later lift y stack D
  (car k)(k x)
}
pick(k x y) {
  (car k)(k x)
}"""
    first = read_sugar(text)["f"]
    assert write_sugar(first) == text.strip()
    assert write(read(write(first))["f"]) == write(first)
    assert [one.delay for one in first.body[:6]] == [0, 0, 0, 0, 0, 1]
    assert run(first, 3, 4) == 3
    with pytest.raises(TextError, match="no lift"):
        read("(code f (k) ((lift k k k) (jump k k)))")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('f(k) {\na = "b\n(car k)(k a)\n}', "a text is not closed"),
        ('f(k) {\na = "b\\"\n(car k)(k a)\n}', "a text is not closed"),
        ("f(k) {\n{\n(car k)(k k)\n}\n(car k)(k k)\n}", "no test"),
        ("f(k) {\nwhile (zero? k) {\n(car k)(k k)\n}\n(car k)(k k)\n}", "no test"),
        ("f(k n) {\nif (zero? n) {\na = n\n(car k)(k a)\n}\n(car k)(k a)\n}", "'a' is not bound"),
    ],
)
def test_lines_that_are_no_program_are_refused(text: str, says: str) -> None:
    with pytest.raises((TextError, StagingError), match=says):
        read_sugar(text)


def test_long_programs_are_read_in_the_time_of_their_lines() -> None:
    # What takes time for each pair of lines, or of quotes, would take minutes here.
    tests = "if (zero? n) (car k)(k n)\n" * 20_000
    code = read_sugar(f"f(k n) {{\n{tests}(car k)(k n)\n}}\n")["f"]
    assert len(code.body) == 2 * 20_000 + 2
    quotes = r'"\"' * 60_000
    with pytest.raises(TextError, match="a text is not closed"):
        read_sugar(f"f(k n) {{\nm = (+ {quotes}\n(car k)(k m)\n}}\n")
