"""What becomes of a root program's graph: chains of codes, closures as records, near accesses that share a check."""

import random

import numpy as np
import pytest
from tests.fuzz.tiers import Call, Result, compare, meant, outcome
from tests.staging.test_root import APPEND

from pellucid.backends.jit.executable import is_possible
from pellucid.base.errors import StagingError
from pellucid.driver.codes import compile_code
from pellucid.ir.flow import Graph
from pellucid.staging import Memory
from pellucid.staging.root.graphs import streams
from pellucid.staging.root.lowering import lowered
from pellucid.staging.root.machine import run
from pellucid.staging.root.program import RootCode, linked, unlinked
from pellucid.staging.root.ranges import unchecked
from pellucid.staging.root.reading import read_sugar
from pellucid.staging.root.sets import DATA, INTEGERS

TIERS = ["llvm", *["quick"] * is_possible()]
CHAIN = """
first(k n) {
  if (zero? n) third(k n)
  second(k (+ n 1))
second(k n) {
  if (zero? n) (car k)(k 7)
  third(k (* n 2))
third(k n) {
  (car k)(k (- n 5))
}"""
NESTED = """
count(k n l) {
  if (zero? n) (car k)(k l)
  truth = (< n 5)
  inner = (close last (list n k))
  cl = (close next (list k n truth l inner 2))
  count(cl (- n 1) (cons n l))
next(self r) {
  (k n truth l inner two) = (cdr self)
  if (truth) (car inner)(inner r)
  (car k)(k (cons (+ n two) r))
last(self r) {
  (n k) = (cdr self)
  (car k)(k (cons n r))
}"""
SEEN = """
start(k n) {
  cl = (close next (list k n 3))
  (car cl)(cl n)
next(self r) {
  frame = (cdr self)
  %s
sum(k frame r) {
  k = (car frame)
  n = (car (cdr frame))
  (car k)(k (+ n r))
}"""
LONG = """
start(k n) {
  cl = (close next (list k n 2 3 4 5 6))
  (car cl)(cl n)
next(self r) {
  (k n a b c d e) = (cdr self)
  (car k)(k (+ (+ n e) r))
}"""
GIVEN_BACK = "start(k n) {\n(car k)(k (cons n (close start (list n 2 nil (cons n nil)))))\n}"
NEAR = """
smooth(k m n) {
  turn(k m 0 n)
turn(k m p n) {
  if (= p n) (car k)(k p)
  a = (load m p)
  b = (load m (+ p 2))
  x = (store m (+ p 1) (+ a b))
  c = (load m (+ p 3))
  y = (store m p (+ b c))
  turn(k m (+ p 1) n)
}"""
DOWN = """
start(k m n s) {
  down(k m n s)
down(k m n s) {
  if (zero? n) (car k)(k s)
  o = (- n 1)
  t = (+ s (load m o))
  if (zero? o) (car k)(k t)
  p = (- n 2)
  u = (+ t (load m p))
  x = (store m o u)
  down(k m p (& u 255))
}"""
BEFORE = NEAR.replace("turn(k m 0 n)", "turn(k m -1 n)")


def _entry(text: str) -> RootCode:
    return next(iter(read_sugar(text).values()))


def _operators(graph: Graph) -> list[str]:
    return [i[0] for block in graph.blocks for stream in streams(block.body) for i in stream]


def _agree(text: str, *args: object, arena: int = 1 << 20) -> None:
    memory = Memory("m")
    kinds = ["data" if hasattr(one, "car") else "integer" for one in args]
    call = Call([None, *args], [memory, *kinds], memory, np.zeros(4, np.uint32))
    code = _entry(text.replace("(k ", "(k m ", 1))
    found = compare(code, call, meant(code, call), arena, TIERS)
    assert found == dict.fromkeys(TIERS, 1)


def test_a_code_that_one_place_jumps_to_has_no_block() -> None:
    graph = lowered(_entry(CHAIN), [INTEGERS]).graph
    assert [block.name for block in graph.blocks] == ["first", "halt", "first", "third"]
    for n in (0, -1, 4):
        assert compile_code(_entry(CHAIN), "integer", tier=TIERS[-1])(n) == run(_entry(CHAIN), n)


def test_a_long_chain_has_several_blocks() -> None:
    lines = [f"c{k}(k n) {{\nc{k + 1}(k (+ n 1))" for k in range(200)]
    code = _entry("\n".join([*lines, "c200(k n) {\n(car k)(k n)\n}"]))
    assert 3 < len(lowered(code, [INTEGERS]).graph.blocks) < 9
    assert compile_code(code, "integer", tier=TIERS[-1])(2) == 202


def test_closures_are_records() -> None:
    operators = _operators(lowered(_entry(NESTED), [INTEGERS, DATA]).graph)
    assert (operators.count("pair"), "field" in operators) == (6, True)
    operators = _operators(lowered(read_sugar(APPEND)["append"], [DATA, DATA]).graph)
    assert operators.count("pair") == 3


@pytest.mark.parametrize("arena", [1100, 1 << 20])
def test_records_are_moved(arena: int) -> None:
    for n in (1, 4, 7):
        _agree(NESTED, n, linked(1, 2), arena=arena if n < 7 else 1 << 20)


def test_many_records_are_moved() -> None:
    n = 20_000
    meant = [*range(n + 2, 6, -1), 4, 3, 2, 1, *range(1, n + 1)]
    for tier in TIERS:
        assert unlinked(compile_code(_entry(NESTED), "integer", "data", tier=tier)(n, None)) == meant


@pytest.mark.parametrize(
    "rest",
    [
        "if (zero? r) sum(self frame r)\nsum(self frame r)",
        "(car (car frame))((car frame) (cons r frame))",
        "(car (car frame))((car frame) (null? frame))",
    ],
)
def test_lists_that_are_seen_are_lists(rest: str) -> None:
    text = SEEN % rest
    assert "field" not in _operators(lowered(_entry(text), [INTEGERS]).graph)
    _agree(text, 5)


def test_long_lists_and_results() -> None:
    assert "field" not in _operators(lowered(_entry(LONG), [INTEGERS]).graph)
    _agree(LONG, 5)
    _agree(GIVEN_BACK, 5)


@pytest.mark.parametrize("text", [NEAR, BEFORE])
def test_near_accesses_share_a_check(text: str) -> None:
    graph = unchecked(lowered(_entry(text), [Memory("m"), INTEGERS]).graph)
    # Only where it is known that no address is below 0.
    assert _operators(graph).count("within") == (text is NEAR)
    memory = Memory("m", 8)
    for n in (0, 1, 5, 6, 20):
        words = np.arange(9, dtype=np.uint8) * 40
        call = Call([None, n], [memory, "integer"], memory, words)
        assert compare(_entry(text), call, meant(_entry(text), call), 1 << 20, TIERS) == dict.fromkeys(
            TIERS, 1
        )


@pytest.mark.parametrize("text", [DOWN, DOWN.replace("(- n 2)", f"(- o {1 << 62})")])
def test_what_is_counted_down_is_tested_near_its_end(text: str) -> None:
    code = _entry(text)
    graph = unchecked(lowered(code, [Memory("m"), INTEGERS, INTEGERS]).graph)
    assert _operators(graph).count("unless") == 2
    memory = Memory("m", 8)
    for n in (0, 1, 2, 7, 9, 10, 11, -1, -(1 << 63), 1 - (1 << 63), (1 << 62) + 3, (1 << 63) - 1):
        words = np.arange(9, dtype=np.uint8) * 40
        call = Call([None, n, 3], [memory, "integer", "integer"], memory, words)
        found = compare(code, call, meant(code, call), 1 << 20, TIERS)
        assert found in (dict.fromkeys(TIERS, 1), {"large": len(TIERS)})


def _random_loop(draw: random.Random) -> str:
    """A loop with a counter that goes down, one that goes up, and addresses near both."""
    lines = [f"loop(k m n p s) {{\nif (zero? {draw.choice('ns')}) (car k)(k s)"]
    names = {"n": 0, "p": 0}
    values, sums = ["s", "3"], ["s"]
    for k in range(draw.randint(2, 9)):
        near = draw.choice([*names])
        kind = draw.random()
        if kind < 0.3:
            lines.append(f"a{k} = ({draw.choice('+-')} {near} {draw.randint(0, 3)})")
            names[f"a{k}"] = 0
        elif kind < 0.65:
            lines.append(f"w{k} = (load m {near})")
            values.append(f"w{k}")
        elif kind < 0.85:
            lines.append(f"x{k} = (store m {near} (& {draw.choice(values)} 255))")
        elif kind < 0.95:
            # One sum after the other, of which the words before the last are often read by nothing else.
            lines.append(f"s{k} = (+ {sums[-1]} {draw.choice(values)})")
            sums.append(f"s{k}")
        else:
            lines.append(f"if (zero? {near}) (car k)(k {draw.choice(values)})")
    ends = [draw.choice([n for n in names if n != "p"]), draw.choice([n for n in names if n != "n"])]
    last = draw.choice([sums[-1], f"(& {draw.choice(values)} 255)"])
    return "\n".join([*lines, f"loop(k m {ends[0]} {ends[1]} {last})", "}"])


SUM = """
start(k m n s) {
  down(k m n s)
down(k m n s) {
  if (zero? n) (car k)(k s)
  w = (load m (- n 1))
  t = (+ s (& w 15))
  u = (+ t (& (>> w 4) 3))
  v = (+ (>> w 6) u)
  %s
  down(k m (- n 1) (+ v n))
}"""


def test_words_of_a_sum_are_added_up_first() -> None:
    graph = unchecked(lowered(_entry(SUM % ""), [Memory("m", 8), INTEGERS, INTEGERS]).graph)
    checked = [i for block in graph.blocks for i in block.body if i[0] == "add" and i[-1]]
    # The counter may be below 0, so it is added by itself.
    assert len(checked) == 2


@pytest.mark.parametrize(
    "between", ["", "x = (store m 2 (& t 255))", "x = (store m 2 (& v 255))", "x = (load m 9)", "x = (* s s)"]
)
def test_a_sum_that_is_too_large_fails_where_it_failed(between: str) -> None:
    code, memory = _entry(SUM % between), Memory("m", 8)
    most = (1 << 63) - 1
    made = {tier: compile_code(code, memory, "integer", "integer", tier=tier) for tier in TIERS}
    outcomes: set[str] = set()
    for start in (0, *range(most - 40, most + 1), -1 - most):
        found: list[Result] = []
        for tier in TIERS:
            words = np.array([0x9F, 0, 0x41, 0xFF, 7, 0, 0, 0, 0], np.uint8)
            found.append(Result(outcome(lambda w=words, c=made[tier], s=start: c(w, 4, s)), words))
        for other in found[1:]:
            found[0].demand(other, f"from {start}")
        outcomes.add(found[0].outcome[0])
    assert outcomes == ({"outside", "large"} if "load" in between else {"value", "large"})


@pytest.mark.parametrize("seed", range(16))
def test_random_loops_over_near_addresses(seed: int) -> None:
    draw = random.Random(seed)
    code = _entry(_random_loop(draw))
    memory = Memory("m", 8)
    for n, p in ((0, 0), (3, 2), (6, 0), (9, 5), (-1, 1), (5, -1), (2, 8), ((1 << 63) - 1, -(1 << 63))):
        words = np.arange(9, dtype=np.uint8) * 40
        call = Call([None, n, p, 7], [memory, *["integer"] * 3], memory, words)
        expected = meant(code, call)
        if expected.outcome[0] != "endless":
            assert compare(code, call, expected, 1 << 20, TIERS).keys() <= {*TIERS, "large"}


EITHER = """
start(k n) {
  if (zero? n) made(k 1.5 n)
  made(k 6 n)
made(k x n) {
  (car k)(k (%s x 1))
}"""


@pytest.mark.parametrize("operator", ["<<", ">>", "&", "|", "^"])
@pytest.mark.parametrize("tier", TIERS)
def test_an_operator_on_integers_takes_what_is_one_and_refuses_a_real(tier, operator):
    code = read_sugar(EITHER % operator)["start"]
    made = compile_code(code, "integer", tier=tier)
    assert made(3) == {"<<": 12, ">>": 3, "&": 0, "|": 7, "^": 7}[operator]
    with pytest.raises(StagingError, match="no number"):
        made(0)
