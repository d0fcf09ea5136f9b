"""Root programs of numbers as nests: the same values, counted loops, arms that become choices, and what has no nest."""

import random

import numpy as np
import pytest

from pellucid.base.errors import InputError, StagingError
from pellucid.driver.codes import compile_code
from pellucid.ir.text import print_nest
from pellucid.staging import Memory, Residual
from pellucid.staging.root.lowering import lowered
from pellucid.staging.root.machine import run
from pellucid.staging.root.nests import nest
from pellucid.staging.root.program import RootCode
from pellucid.staging.root.ranges import unchecked
from pellucid.staging.root.reading import read_sugar
from pellucid.staging.root.sets import DATA, INTEGERS

_OPERATORS = ["+", "-", "*", "<<", ">>", "&", "min"]
NYBBLES = """
nybbles(k m i sum) {
  if (zero? i) (car k)(k sum)
  j = (- i 1)
  w = (load m j)
  a = (& w 15)
  b = (& (>> w 4) 15)
  nybbles(k m j (+ sum (+ a b)))
}"""
CLAMPED = """
clamped(k m out i n) {
  if (= i n) (car k)(k 0)
  w = (load m i)
  j = (+ i 1)
  if (< 99 w) large(k m out i j n)
  x = (store out i w)
  clamped(k m out j n)
large(k m out i j n) {
  x = (store out i 99)
  clamped(k m out j n)
}"""
POSITIVE = """
positive(k m i n s) {
  if (= i n) (car k)(k s)
  w = (- (load m i) 100)
  j = (+ i 1)
  if (< w 0) positive(k m j n s)
  positive(k m j n (+ s w))
}"""
COLLATZ = """
collatz(k n steps) {
  if (= n 1) (car k)(k steps)
  more = (+ steps 1)
  if (zero? (imod n 2)) collatz(k (idiv n 2) more)
  collatz(k (+ 1 (* 3 n)) more)
}"""


def _entry(text: str) -> RootCode:
    return next(iter(read_sugar(text).values()))


def _residual(text: str, *given: Memory) -> Residual:
    code = _entry(text)
    rest = len(code.params) - 1 - len(given)
    return nest(lowered(code, [*given, *[INTEGERS] * rest]), code.params[1:])


def test_a_loop_is_counted_and_gives_the_sum() -> None:
    residual = _residual(NYBBLES, Memory("m"))
    assert "for " in print_nest(residual.kernel)
    assert "while" not in print_nest(residual.kernel)
    words = np.random.default_rng(3).integers(0, 1 << 32, 50, dtype=np.uint32)
    meant = run(_entry(NYBBLES), Memory("m", 32, words), 50, 7)
    assert residual({"m": words}, i=50, sum=7) == meant
    compiled = compile_code(_entry(NYBBLES), Memory("m"), "integer", "integer", tier="nest")
    assert compiled(words, 50, 7) == meant


def test_stores_are_those_of_the_machine() -> None:
    m, out = Memory("m", 8), Memory("out", 8)
    words = np.random.default_rng(4).integers(0, 256, 40, dtype=np.uint8)
    stored = np.zeros_like(words)
    assert compile_code(_entry(CLAMPED), m, out, "integer", "integer", tier="nest")(words, stored, 3, 33) == 0
    assert stored[3:33].tolist() == np.minimum(words, 99)[3:33].tolist()
    assert not stored[:3].any()
    assert not stored[33:].any()


def test_cheap_arms_become_a_choice() -> None:
    residual = _residual(POSITIVE, Memory("m"))
    text = print_nest(residual.kernel)
    assert "for " in text
    assert not any(line.strip().startswith("if ") for line in text.split("for ")[1].splitlines())
    words = np.arange(80, 120, dtype=np.uint32)
    assert residual({"m": words}, i=0, n=40, s=1) == 1 + sum(range(20))


def test_a_loop_that_data_end_is_compiled_as_well() -> None:
    collatz = compile_code(_entry(COLLATZ), "integer", "integer", tier="nest")
    for n in (1, 6, 27):
        assert collatz(n, 0) == run(_entry(COLLATZ), n, 0)


def test_a_division_by_zero_is_refused() -> None:
    residual = _residual("f(k a b) {\n(car k)(k (idiv a b))\n}")
    assert residual(a=-7, b=2) == -4
    with pytest.raises(InputError, match="division by zero"):
        residual(a=1, b=0)


def test_truths_and_nil_are_results() -> None:
    assert _residual("f(k a b) {\n(car k)(k (< a b))\n}")(a=1, b=2) is True
    assert _residual("f(k a b) {\n(car k)(k nil)\n}")() is None


@pytest.mark.parametrize(
    ("line", "says"),
    [("(car k)(k (cons n n))", "have no nest"), ("f((close f (cons k n)) n)", "have no nest")],
)
def test_programs_with_pairs_have_no_nest(line: str, says: str) -> None:
    code = _entry(f"f(k n) {{\nif (zero? n) (car k)(k n)\n{line}\n}}")
    with pytest.raises(StagingError, match=says):
        nest(lowered(code, [INTEGERS]), code.params[1:])
    with pytest.raises(StagingError, match="arguments that are data"):
        nest(lowered(code, [DATA]), code.params[1:])


def test_sums_that_surely_fit_are_not_checked() -> None:
    graph = lowered(_entry(NYBBLES), [Memory("m"), INTEGERS, INTEGERS]).graph
    checks = [i[-1] > 0 for i in unchecked(graph).blocks[2].body if i[0] == "add"]
    assert checks == [False, True]
    assert all(i[-1] > 0 for i in graph.blocks[2].body if i[0] in ("add", "sub"))


def test_a_counter_that_was_accepted_as_an_address_is_stepped_without_a_check() -> None:
    text = """begin(k m n) {
  walk(k m n 0)
walk(k m n i) {
  if (< i n) {
    w = (load m i)
    next(k m n i w)
  }
  (car k)(k i)
next(k m n i w) {
  if (zero? w) walk(k m n (+ i 1))
  walk(k m n (+ i 2))
}"""
    graph = unchecked(lowered(_entry(text), [Memory("m"), INTEGERS]).graph)
    streams, sums = [block.body for block in graph.blocks], []
    for stream in streams:
        streams += [i[2] for i in stream if i[0] == "if"]
        sums += [i for i in stream if i[0] == "add"]
    assert [i[-1] for i in sums] == [0, 0]
    made = compile_code(_entry(text), Memory("m"), "integer", tier="llvm")
    assert made(np.array([0, 7, 9, 0, 5], np.uint32), 5) == 6


def test_a_counter_that_steps_in_an_arm_is_checked() -> None:
    text = (
        f"begin(k n) {{\nwalk(k n 0)\nwalk(k n i) {{\nif (< i n) walk(k n (+ i {3 << 61}))\n(car k)(k i)\n}}"
    )
    made = compile_code(_entry(text), "integer", tier="llvm")
    with pytest.raises(StagingError, match="more than 64 bits"):
        made((1 << 63) - 1)


def test_what_is_not_checked_never_wraps() -> None:
    draw = random.Random(5)
    for _ in range(200):
        lines = [
            f"{name} = ({draw.choice(_OPERATORS)} {draw.choice(before)} {draw.choice(before)})"
            for name, before in (
                ("b", ["a", "w", "3"]),
                ("c", ["a", "b", "w", "40"]),
                ("d", ["b", "c", "w", "7"]),
            )
        ]
        code = _entry("f(k m a) {\nw = (load m (& a 3))\n" + "\n".join(lines) + "\n(car k)(k d)\n}")
        made = compile_code(code, Memory("m"), "integer", tier="llvm")
        for a in (0, 5, -1, 1 << 31, (1 << 63) - 1, -(1 << 63)):
            words = np.array([0, 1, 1 << 31, (1 << 32) - 1], np.uint32)
            try:
                found = made(words, a)
            except StagingError:
                continue
            assert found == run(code, Memory("m", 32, words), a)


def test_a_nest_is_total_and_never_leaves_its_memory() -> None:
    text = """
    f(k m i n s) {
      if (zero? n) (car k)(k s)
      w = (load m i)
      x = (store m (+ i 100) 7)
      f(k m i (- n 1) (* 3 (+ s w)))
    }"""
    given = [Memory("m"), "integer", "integer", "integer"]
    words = np.arange(1, 11, dtype=np.uint32)
    sure, quick = compile_code(_entry(text), *given, tier="nest"), compile_code(_entry(text), *given)
    assert quick.tier != "nest"
    for at in (10**6, -5, 1 << 40, (1 << 62) + 3, -(1 << 62)):
        assert sure(words, at, 1, 0) in {3 * int(word) for word in words}
        with pytest.raises(InputError, match="an address is not in the memory m"):
            quick(words, at, 1, 0)
    assert words.tolist() == list(range(1, 11))
    wrapped = compile_code(_entry("g(k x) {\n(car k)(k (* x x))\n}"), "integer", tier="nest")
    assert wrapped(1 << 33) == 0


TABLE = """
table(k out rows columns) {
  outer(k out rows columns 0)
outer(k out rows columns i) {
  if (< i rows) inner(k out rows columns i 0)
  (car k)(k i)
inner(k out rows columns i j) {
  if (< j columns) {
    x = (store out (+ (* i columns) j) (+ (* i 16) j))
    inner(k out rows columns i (+ j 1))
  }
  outer(k out rows columns (+ i 1))
}"""


def test_loops_stand_inside_of_each_other() -> None:
    out = Memory("out", 8)
    code = _entry(TABLE)
    residual = nest(lowered(code, [out, INTEGERS, INTEGERS]), code.params[1:])
    text = print_nest(residual.kernel)
    assert text.count("for ") == 2
    assert "while" not in text
    for rows, columns in ((3, 5), (0, 4), (2, 0)):
        words = np.zeros(16, np.uint8)
        assert residual({"out": words}, rows=rows, columns=columns) == rows
        meant = [16 * i + j for i in range(rows) for j in range(columns)]
        assert words.tolist() == meant + [0] * (16 - len(meant))


def test_a_value_is_the_last_one_of_its_loop_after_another_loop() -> None:
    text = """
    first(k v n) {
      if (< n 1) second(k v n)
      first(k (- v 2704) (- n 1))
    second(k v n) {
      if (< n -2) (car k)(k v)
      second(k v (- n 1))
    }"""
    residual = _residual(text)
    for n in range(4):
        assert residual(v=1, n=n) == run(_entry(text), 1, n) == 1 - 2704 * n
