"""Root programs in tiers: figures of the paper, what goes wrong, pairs that are reclaimed, interrupts, the swap."""

import signal
import threading
import time

import numpy as np
import pytest
from tests.staging.test_root import APPEND, DYN_IF

from pellucid.backends.flow import running
from pellucid.backends.jit.executable import is_possible
from pellucid.base.errors import InputError, StagingError
from pellucid.driver.background import close_all
from pellucid.driver.codes import CompiledCode, compile_code
from pellucid.staging import Memory
from pellucid.staging.root.machine import run
from pellucid.staging.root.program import Const, Jump, RootCode, RootPrim, linked, unlinked
from pellucid.staging.root.reading import read_sugar

TIERS = [
    "llvm",
    pytest.param("quick", marks=pytest.mark.skipif(not is_possible(), reason="no templates here")),
]
ATREE = """
atree(k n) {
  if (zero? n) (car k)(k 1)
  cl = (close left (list k n))
  atree(cl (- n 1))
left(self r) {
  (k n) = (cdr self)
  cl = (close right (list k r))
  atree(cl (- n 1))
right(self q) {
  (k r) = (cdr self)
  (car k)(k (+ r (* 2 q)))
}"""
EVEN = """
even(k n) {
  if (zero? n) (car k)(k 1)
  odd(k (- n 1))
odd(k n) {
  if (zero? n) (car k)(k 0)
  even(k (- n 1))
}"""
FOREVER = "spin(k n) {\nspin(k (^ n 1))\n}"


def _entry(text: str) -> RootCode:
    return next(iter(read_sugar(text).values()))


@pytest.mark.parametrize("tier", TIERS)
def test_figures_of_the_paper(tier: str) -> None:
    even = compile_code(_entry(EVEN), "integer", tier=tier)
    assert [even(n) for n in (0, 7, 100_000)] == [1, 0, 1]
    atree = compile_code(_entry(ATREE), "integer", tier=tier)
    assert atree(9) == run(_entry(ATREE), 9)
    dyn_if = compile_code(_entry(DYN_IF), "integer", "boolean", tier=tier)
    assert [dyn_if(40, True), dyn_if(40, False)] == [42, 43]
    append = compile_code(_entry(APPEND), "data", "data", tier=tier)
    assert unlinked(append(linked(1, None, True), linked(3))) == [1, None, True, 3]


@pytest.mark.parametrize("tier", TIERS)
def test_what_goes_wrong_is_refused_as_by_the_machine(tier: str) -> None:
    for line, message in (
        ("(car k)(k (car n))", "car: no pair"),
        ("(car k)(k (idiv 1 n))", "idiv: division by zero"),
        ("n(k)", "a jump to what is no code"),
        ("f(k n n)", "3 values for 2 parameters"),
        ("(car k)(k (<< 1 (- n 1)))", "a shift by less than 0"),
        ("(car k)(k (+ n 9223372036854775807) )", None),
    ):
        made = compile_code(_entry(f"f(k n) {{\n{line}\n}}"), "integer", tier=tier)
        if message is None:
            assert made(0) == (1 << 63) - 1
            with pytest.raises(StagingError, match="more than 64 bits"):
                made(1)
        else:
            with pytest.raises(StagingError, match=f"f: .*{message}"):
                made(0)


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("word", [8, 12, 16, 32])
def test_no_access_leaves_a_memory(tier: str, word: int) -> None:
    memory = Memory("m", word)
    text = "f(k m i v) {\nx = (load m i)\ny = (store m i v)\n(car k)(k x)\n}"
    made = compile_code(_entry(text), memory, "integer", "integer", tier=tier)
    words = np.arange(20).astype(memory.buffer.type.dtype)
    inside = words[8:12]
    assert made(inside, 3, -1) == 11
    assert words.tolist() == [*range(11), (1 << word) - 1, *range(12, 20)]
    for address in (-1, 4, 1 << 40, -(1 << 63)):
        with pytest.raises(InputError, match="is not in the memory m"):
            made(inside, address, 5)
    assert words.tolist() == [*range(11), (1 << word) - 1, *range(12, 20)]


@pytest.mark.parametrize("tier", TIERS)
def test_pairs_are_reclaimed_and_too_many_are_refused(tier: str) -> None:
    text = "f(k n l) {\nif (zero? n) (car k)(k l)\nd = (cons n nil)\nf(k (- n 1) (cons (car d) nil))\n}"
    made = compile_code(_entry(text), "integer", "data", tier=tier, arena=10_000)
    assert unlinked(made(200_000, None)) == [1]
    kept = "f(k n l) {\nif (zero? n) (car k)(k l)\nf(k (- n 1) (cons n l))\n}"
    growing = compile_code(_entry(kept), "integer", "data", tier=tier, arena=10_000)
    assert unlinked(growing(300, None)) == list(range(1, 301))
    with pytest.raises(StagingError, match="more pairs live than an arena of 10000 bytes"):
        growing(3000, None)
    with pytest.raises(InputError, match="the arguments take more"):
        growing(1, linked(*range(1000)))


@pytest.mark.parametrize("tier", TIERS)
def test_a_program_that_never_ends_is_interrupted(tier: str) -> None:
    made = compile_code(_entry(FOREVER), "integer", tier=tier)
    timer = threading.Timer(0.2, lambda: signal.raise_signal(signal.SIGINT))

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            made(1)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(not is_possible(), reason="no templates here")
def test_optimized_code_takes_the_place_of_the_first() -> None:
    even = compile_code(_entry(EVEN), "integer")
    assert even.tier == "templates"
    end = time.monotonic() + 30
    while even.tier == "templates" and time.monotonic() < end:
        assert even(4) == 1
        time.sleep(0.001)
    assert even.tier == "llvm 2"
    assert even(5) == 0


def test_what_has_no_word_is_run_by_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    code = RootCode("f", ("k", "n"), (Const("x", {1: 2, "a": 3}), Jump("k", ("k", "x"))))
    made = compile_code(code, "integer")
    assert made.tier == "machine"
    assert "the dictionary {1: 2, 'a': 3} has no word in machine code" in made.problem
    with pytest.raises(StagingError, match="has no word in machine code"):
        compile_code(code, "integer", tier="llvm")
    monkeypatch.setattr(running, "is_possible", lambda: False)
    even = compile_code(_entry(EVEN), "integer")
    assert even.tier == "llvm 0"
    assert even(3) == 0


def test_unfit_calls_are_refused() -> None:
    with pytest.raises(InputError, match="no tier is called 'fast'"):
        compile_code(_entry(EVEN), "integer", tier="fast")
    with pytest.raises(InputError, match="no kind is called 'int'"):
        compile_code(_entry(EVEN), "int")
    with pytest.raises(InputError, match="0 kinds for 1 parameters"):
        compile_code(_entry(EVEN))
    even = compile_code(_entry(EVEN), "integer", tier="llvm")
    with pytest.raises(InputError, match="is no integer"):
        even(0.5)
    with pytest.raises(StagingError, match="more than 64 bits"):
        even(1 << 63)
    pairs = compile_code(_entry(APPEND), "data", "data", tier="llvm")
    loop = linked(1)
    loop.cdr = loop
    with pytest.raises(InputError, match="pairs that contain themselves"):
        pairs(loop, None)
    words = compile_code(_entry("f(k m) {\n(car k)(k (load m 0))\n}"), Memory("m"), tier="llvm")
    with pytest.raises(InputError, match="array of u32"):
        words(np.zeros(3))


REALS = """
norm(k x n s) {
  if (zero? n) (car k)(k s)
  y = (* x x)
  norm(k (+ x 0.5) (- n 1) (+ s y))
}"""


@pytest.mark.parametrize("tier", ["llvm", "nest", "auto"])
def test_real_numbers_and_rows_of_the_operator_table(tier: str) -> None:
    norm = compile_code(_entry(REALS), "real", "integer", "real", tier=tier)
    assert norm.tier in ("llvm 2", "nest", "llvm 0")
    assert norm(0.25, 10, 0.0) == run(_entry(REALS), 0.25, 10, 0.0)
    rows = _entry("f(k a b) {\nc = (add.i8 a b)\nd = (mul.f32 (convert.i64.f32 c) 0.1)\n(car k)(k d)\n}")
    made = compile_code(rows, "integer", "integer", tier=tier)
    assert made(100, 100) == run(rows, 100, 100)
    chosen = _entry("f(k x) {\nif (< x 0.5) (car k)(k (max x 0.25))\n(car k)(k (/ 1.0 x))\n}")
    either = compile_code(chosen, "real", tier=tier)
    for x in (-1.0, 0.3, 0.5, 3.0, 1e300):
        assert either(x) == run(chosen, x)


def test_numbers_of_several_kinds_are_run_by_the_machine() -> None:
    code = _entry("f(k n x) {\n(car k)(k (< n x))\n}")
    made = compile_code(code, "integer", "real")
    assert made.tier == "machine"
    assert "numbers of several kinds" in made.problem
    assert made(1, 1.5) is True
    divided = compile_code(_entry("f(k x) {\n(car k)(k (/ 1.0 x))\n}"), "real", tier="llvm")
    with pytest.raises(StagingError, match="division by zero"):
        divided(0.0)


@pytest.mark.parametrize("tier", TIERS)
def test_values_that_come_late_reach_what_was_written_before(tier: str) -> None:
    # The loop hands on nil first and a list later, and the list holds a code that nothing jumps to.
    text = """
late(k n s) {
  if (zero? n) {
    c = other
    (car k)(k (cons (= c c) s))
  }
  late(k (- n 1) (cons n s))
start(k n) {
  late(k n nil)
other(k) {
  (car k)(k 0)
}"""
    start = read_sugar(text)["start"]
    late = compile_code(start, "integer", tier=tier)
    assert (
        [unlinked(late(n)) for n in (0, 2)]
        == [unlinked(run(start, n)) for n in (0, 2)]
        == [[True], [True, 1, 2]]
    )


def test_what_is_not_bound_is_refused_when_it_is_lowered() -> None:
    code = RootCode("f", ("k", "x"), (RootPrim("y", "+", ("x", "z")), Jump("k", ("k", "y"))))
    with pytest.raises(StagingError, match="'z' is not bound"):
        compile_code(code, "integer", tier="llvm")
    with pytest.raises(StagingError, match="no jump at its end"):
        compile_code(RootCode("f", ("k", "x"), (Const("c", 1),)), "integer", tier="llvm")
    with pytest.raises(StagingError, match="named twice"):
        compile_code(
            RootCode("f", ("k", "x", "x"), (Jump("k", ("k", "x")),)), "integer", "integer", tier="llvm"
        )


@pytest.mark.parametrize("tier", TIERS)
def test_constants_may_be_long_lists(tier: str) -> None:
    body = (Const("x", linked(*range(5000))), RootPrim("c", "car", ("k",)), Jump("c", ("k", "x")))
    assert unlinked(compile_code(RootCode("f", ("k",), body), tier=tier)()) == list(range(5000))


@pytest.mark.parametrize("tier", TIERS)
def test_constants_stay_while_pairs_are_reclaimed(tier: str) -> None:
    text = "f(k n l) {\nif (zero? n) (car k)(k l)\nd = (car (cdr l))\nf(k (- n 1) (cons n (cons d (cdr (cdr l)))))\n}"
    loop = _entry(text)
    nested = linked(1, linked(2, None, "two"), linked(3))
    body = (Const("x", nested), Const("f", loop), Jump("f", ("k", "n", "x")))
    made = compile_code(RootCode("g", ("k", "n"), body), "integer", tier=tier, arena=2000)
    first, second, third = unlinked(made(5000))
    assert (first, unlinked(second), unlinked(third)) == (1, [2, None, "two"], [3])


def test_an_arena_has_a_least_size() -> None:
    with pytest.raises(InputError, match="an arena of -1 bytes"):
        compile_code(_entry(EVEN), "integer", arena=-1)


@pytest.mark.parametrize("tier", TIERS)
def test_threads_call_one_code_at_once(tier: str) -> None:
    append = compile_code(_entry(APPEND), "data", "data", tier=tier, arena=100_000)
    found: list[bool] = []

    def call(number: int) -> None:
        for length in range(40):
            made = unlinked(append(linked(*range(length)), linked(number)))
            found.append(made == [*range(length), number])

    threads = [threading.Thread(target=call, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 240


def test_an_arena_that_grew_large_is_not_kept() -> None:
    kept = "f(k n l) {\nif (zero? n) (car k)(k (car l))\nf(k (- n 1) (cons n l))\n}"
    size = 100 << 20
    growing = compile_code(_entry(kept), "integer", "data", tier="llvm", arena=size)
    assert growing(1, None) == 1
    small = running._arenas[size].get()
    assert small is not None
    growing(1_500_000, None)
    assert running._arenas[size].get() is None


def _settled(made: CompiledCode) -> str:
    """The tier of what is called until it has another one than the first."""
    end = time.monotonic() + 30
    while made.tier == "templates" and not made.problem and time.monotonic() < end:
        made(4)
        time.sleep(0.001)
    return made.tier


@pytest.mark.skipif(not is_possible(), reason="no templates here")
def test_a_program_is_optimized_after_all_work_in_the_background_was_closed() -> None:
    assert _settled(compile_code(_entry(EVEN), "integer")) == "llvm 2"
    close_all()
    assert _settled(compile_code(_entry(EVEN), "integer")) == "llvm 2"


@pytest.mark.skipif(not is_possible(), reason="no templates here")
def test_a_failure_in_the_background_stops_no_later_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object, **__: object) -> None:
        raise KeyError("lost")

    even, other = (compile_code(_entry(EVEN), "integer") for _ in range(2))
    with monkeypatch.context() as patched:
        patched.setattr("pellucid.driver.codes.by_llvm", failing)
        assert _settled(even) == "templates"
    assert even.problem == "it was not optimized: KeyError: 'lost'"
    assert even(5) == 0
    assert _settled(other) == "llvm 2"


@pytest.mark.skipif(not is_possible(), reason="no templates here")
def test_programs_that_threads_ask_for_and_drop_are_optimized() -> None:
    kept: list[CompiledCode] = []

    def ask() -> None:
        for _ in range(50):
            made = compile_code(_entry(EVEN), "integer")
            assert [made(4), made(5)] == [1, 0]
        kept.append(made)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert [_settled(made) for made in kept] == ["llvm 2"] * 4
