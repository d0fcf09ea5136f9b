"""Lifted closures have frames of their own: what takes one apart is refused, also far from where it was lifted."""

import pytest

from pellucid.backends.jit.executable import is_possible
from pellucid.base.errors import StagingError
from pellucid.driver.codes import compile_code
from pellucid.staging.cogen import cogen, tidy
from pellucid.staging.root.machine import run
from pellucid.staging.root.reading import read_sugar

ADD = """
add(self k v) {
  (s x y) = (cdr self)
  (car k)(k (+ v (+ s (- x y))))
}
"""
STACK = """
main(k s x y) {
  f = (close add (list s x y))
  cl = (close got (list k))
  lift cl stack D
  give(cl f)
}
give(k f) {
  (car k)(k f)
}
got(self f) {
  (k) = (cdr self)
  USE
}
"""
PAIR = """
main(k s x y) {
  f = (close add (list s x y))
  p = (cons y f)
  lift p
  f = (cdr p)
  USE
}
"""
BOTH = """
main(k s x y) {
  f = (close add (list s x y))
  p = (cons x (cons f y))
  cl = (close got (list k))
  lift cl stack D
  give(cl p 0)
}
give(k p turns) {
  if (= turns 3) (car k)(k p)
  give(k p (+ turns 1))
}
got(self p) {
  (k) = (cdr self)
  f = (car (cdr p))
  USE
}
"""
TIERS = ["llvm", *["quick"] * is_possible()]
WAYS = {"a control stack": STACK, "a dynamic pair": PAIR, "pairs in a control stack": BOTH}
APART = """(s x y) = (cdr f)
  (car k)(k (- s (- x y)))"""
ENTERED = """(car f)(f k 5)"""


@pytest.mark.parametrize("way", WAYS)
def test_a_lifted_closure_is_not_taken_apart(way) -> None:
    code = read_sugar(WAYS[way].replace("USE", APART) + ADD)["main"]
    assert run(code, 10, 3, 1) == 8
    compiler = cogen(code, "DSDD")
    with pytest.raises(
        StagingError,
        match=r"(got|main): f is a closure of add that was lifted, and its values are taken here; take them before",
    ):
        compiler(10)


@pytest.mark.parametrize("way", WAYS)
def test_a_lifted_closure_is_entered(way) -> None:
    code = read_sugar(WAYS[way].replace("USE", ENTERED) + ADD)["main"]
    assert run(tidy(cogen(code, "DSDD")(10)), 3, 1) == run(code, 10, 3, 1) == 17


@pytest.mark.parametrize("way", WAYS)
def test_a_frame_of_different_dynamic_values_stays_what_it_was(way) -> None:
    code = read_sugar(WAYS[way].replace("USE", APART) + ADD)["main"]
    assert run(tidy(cogen(code, "DDDD")()), 10, 3, 1) == 8


def test_values_that_appear_twice_are_in_the_frame_once() -> None:
    code = read_sugar(
        WAYS["a dynamic pair"].replace("(list s x y)", "(list x x y)").replace("USE", APART) + ADD
    )
    with pytest.raises(StagingError, match="main: f is a closure of add that was lifted"):
        cogen(code["main"], "DDDD")()


def test_what_the_message_asks_for_is_right() -> None:
    text = (
        PAIR.replace("(cons y f)", "(cons s f)").replace("USE", "s = (car p)\n  (car k)(k (- s (- x y)))")
        + ADD
    )
    code = read_sugar(text)["main"]
    assert run(tidy(cogen(code, "DSDD")(10)), 3, 1) == run(code, 10, 3, 1) == 8


def test_the_halves_of_other_pairs_are_taken() -> None:
    """A pair with a closure in it, and a list that the same code reads, are no closures."""
    text = """
    main(k s x) {
      f = (close add (list s x x))
      p = (cons f (cons x nil))
      lift p
      q = (cdr p)
      (car k)(k (+ (car q) s))
    }
    """
    code = read_sugar(text + ADD)["main"]
    assert run(tidy(cogen(code, "DSD")(10)), 3) == run(code, 10, 3) == 13


FAR = """
main(k s x y) {
  f = (close add (list s x y))
  cl = (close got (list k))
  lift cl
  (car cl)(cl f)
}
got(self f) {
  (k) = (cdr self)
  USE
}
"""
"""A dynamic continuation, which may be any code, gets the closure."""


def test_a_dynamic_continuation_does_not_take_a_lifted_closure_apart() -> None:
    code = read_sugar(FAR.replace("USE", APART) + ADD)["main"]
    assert run(code, 10, 3, 1) == 8
    made = tidy(cogen(code, "DSDD")(10))
    with pytest.raises(
        StagingError, match=r"got.*cdr: add.* was lifted, and the values of its closure are taken"
    ):
        run(made, 3, 1)
    for tier in TIERS:
        with pytest.raises(
            StagingError, match="cdr may take the values of a closure that was lifted; run the"
        ):
            compile_code(made, "integer", "integer", tier=tier)(3, 1)


def test_a_dynamic_continuation_enters_a_lifted_closure() -> None:
    code = read_sugar(FAR.replace("USE", ENTERED) + ADD)["main"]
    made = tidy(cogen(code, "DSDD")(10))
    assert run(made, 3, 1) == run(code, 10, 3, 1) == 17
    for tier in TIERS:
        assert compile_code(made, "integer", "integer", tier=tier)(3, 1) == 17


def test_codes_that_own_their_frames_go_through_the_generator_again() -> None:
    code = read_sugar(FAR.replace("USE", ENTERED) + ADD)["main"]
    again = cogen(tidy(cogen(code, "DSDD")(10)), "DSD")(3)
    assert run(tidy(again), 1) == 17


def test_the_frame_of_a_lifted_closure_is_for_its_own_code() -> None:
    own = read_sugar("add(self k) {\n(s) = (frame self)\n(car k)(k s)\n}")["add"]
    other = read_sugar("main(k) {\nf = (close k (list k))\ng = (frame f)\n(car k)(k g)\n}")["main"]
    assert own.owns_frame
    assert not other.owns_frame
    with pytest.raises(StagingError, match="no lifted closure"):
        run(other)
