"""Lifted closures have frames of their own: what takes one apart is refused, also far from where it was lifted."""

import pytest

from pellucid.base.errors import StagingError
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
