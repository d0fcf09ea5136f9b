"""Continuations in continuations stay known as long as each set of them comes in one order."""

from pellucid.staging.cogen import cogen, tidy
from pellucid.staging.cogen.nesting import Nesting
from pellucid.staging.root.machine import run
from pellucid.staging.root.program import RootCode, linked
from pellucid.staging.root.recur import interpreter, read_recur
from pellucid.staging.times.lattice import DYNAMIC, STATIC, Constant, Pointer, Stack, Time, pair, tuple_of

CALLEE = RootCode("callee", ("k", "x"))
CODES = {name: RootCode(name, ("self", "r")) for name in "abc"}


def nested(names: str, last: Time = DYNAMIC) -> Time:
    """The time of continuations inside of each other, the first one outermost."""
    found = last
    for name in reversed(names):
        found = pair(Pointer(CODES[name]), tuple_of(found), name, closure=True)
    return found


def test_a_second_order_makes_control_stacks_from_then_on() -> None:
    nesting = Nesting()
    assert not nesting.is_generalized(CALLEE, nested("abc"))
    assert not nesting.is_generalized(CALLEE, nested("abc"))
    # Two of them are no recursion, and another code has an order of its own.
    assert not nesting.is_generalized(CALLEE, nested("ba"))
    assert not nesting.is_generalized(RootCode("other", ("k", "x")), nested("bac"))
    assert nesting.is_generalized(CALLEE, nested("bac"))
    assert nesting.is_generalized(CALLEE, nested("abc"))
    assert not nesting.is_generalized(CALLEE, nested("ab"))


def test_what_leads_to_a_static_result_is_kept() -> None:
    nesting = Nesting()
    for names in ("ab", "ba", "ab"):
        assert not nesting.is_generalized(CALLEE, nested(names, Stack((STATIC,))))
    for names, wanted in (("ab", False), ("ba", True), ("ab", True)):
        assert nesting.is_generalized(CALLEE, nested(names, Stack((DYNAMIC,)))) is wanted
    assert not nesting.is_generalized(CALLEE, Constant(None))


EVALUATOR = """
(ev (e x) (if (atom? e) (if (= e 'x) x e)
  (if (= (car e) 'add) (+ (ev (car (cdr e)) x) (ev (car (cdr (cdr e))) x))
  (if (= (car e) 'mul) (* (ev (car (cdr e)) x) (ev (car (cdr (cdr e))) x))
  (if (ev (car (cdr e)) x) (ev (car (cdr (cdr e))) x) (ev (car (cdr (cdr (cdr e)))) x))))))
"""


def test_the_second_layer_of_an_evaluator_settles() -> None:
    first = cogen(interpreter(), ["D", "S", "D list", "S"])("ev", linked(None, None), read_recur(EVALUATOR))
    second = cogen(first, ["D", "S", "D"])
    # Without control stacks it has thousands of patterns.
    assert len(second.extensions) < 700
    tree = linked("add", linked("mul", "x", 3), linked("if", "x", 5, linked("add", "x", "x")))
    made = tidy(second(tree))
    for x in (0, 4, -2):
        assert run(made, x) == run(first, tree, x)
