"""Values while an extension is written: what was lifted is told wherever it stands."""

from __future__ import annotations

from pellucid.staging.cogen.values import TimedValue, lifted_closures
from pellucid.staging.times.lattice import DYNAMIC


def test_a_lifted_closure_that_stands_at_two_places_is_told_for_both() -> None:
    closure, other = TimedValue(DYNAMIC, ("f",)), TimedValue(DYNAMIC, ("x",))
    closure.lifted = "a closure of f"
    structure = TimedValue(DYNAMIC, (), (closure, TimedValue(DYNAMIC, (), (other, closure))))
    assert list(lifted_closures(structure)) == [
        (("car",), "a closure of f"),
        (("cdr", "cdr"), "a closure of f"),
    ]
    assert not list(lifted_closures(other))
