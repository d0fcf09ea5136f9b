"""Polynomials in sizes: their laws, and that sums over a range are what adding up one by one gives."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.reasoning.poly import ZERO, Poly, maximum, minimum, name, number, total

N, M = name("n"), name("m")
NUMBERS = st.integers(-5, 5)


@st.composite
def polys(draw: st.DrawFn, words: str = "nmi", *, guards: bool = True) -> Poly:
    def one(depth: int) -> Poly:
        kind = draw(st.sampled_from("vcv+*-^" + "<>" * guards)) if depth else "v"
        if kind == "v":
            return name(draw(st.sampled_from(words)))
        if kind == "c":
            return number(draw(st.fractions(-3, 3, max_denominator=4)))
        a, b = one(depth - 1), one(depth - 1)
        if kind == "^":
            return a ** draw(st.integers(0, 2))
        return {"+": a + b, "-": a - b, "*": a * b, "<": minimum(a, b), ">": maximum(a, b)}[kind]

    return one(3)


VALUES = st.fixed_dictionaries({"n": NUMBERS, "m": NUMBERS, "i": NUMBERS})


@given(polys(), polys(), VALUES)
def test_arithmetic_is_that_of_the_values(a: Poly, b: Poly, at: dict[str, int]):
    assert (a + b).at(at) == a.at(at) + b.at(at)
    assert (a - b).at(at) == a.at(at) - b.at(at)
    assert (a * b).at(at) == a.at(at) * b.at(at)
    assert maximum(a, b).at(at) == max(a.at(at), b.at(at))
    assert minimum(a, b).at(at) == min(a.at(at), b.at(at))
    assert total([a, b, 3, a]).at(at) == 2 * a.at(at) + b.at(at) + 3


@given(polys(), polys(), polys())
def test_equal_polynomials_are_equal(a: Poly, b: Poly, c: Poly):
    assert a + b == b + a
    assert a * (b + c) == a * b + a * c
    assert a - a == ZERO
    assert hash(a + b) == hash(b + a)


@given(polys(), polys(), VALUES)
def test_replacing_a_name_is_evaluating_there(a: Poly, b: Poly, at: dict[str, int]):
    assert a.where({"n": b}).at(at) == a.at({**at, "n": b.at(at)})


@given(polys(guards=False), VALUES, NUMBERS, st.integers(0, 6))
def test_a_sum_is_what_adding_up_gives(a: Poly, at: dict[str, int], lo: int, length: int):
    one_by_one = sum((a.at({**at, "i": k}) for k in range(lo, lo + length)), Fraction(0))
    assert a.summed("i", number(lo), number(lo + length)).at(at) == one_by_one
    if "m" not in a.names():
        assert a.summed("i", M, M + length).at({**at, "m": lo}) == one_by_one


@given(
    polys("ni", guards=False), polys("nm", guards=False), st.sampled_from((1, -1)), VALUES, st.integers(0, 6)
)
def test_a_guard_that_cuts_the_range_is_exact(
    a: Poly, rest: Poly, slope: int, at: dict[str, int], length: int
):
    guarded = maximum(ZERO, rest - rest.at(at) + rest.at(at).__floor__() + name("i") * slope) * a
    lo = at["m"]
    found = guarded.summed("i", number(lo), number(lo) + length)
    assert found.at(at) == sum((guarded.at({**at, "i": k}) for k in range(lo, lo + length)), Fraction(0))


def test_other_guards_with_the_name_are_averaged():
    twice = maximum(ZERO, N - name("i") * 2)
    assert twice.summed("i", number(0), number(5)) == maximum(ZERO, N - 4) * 5


def test_texts():
    assert str((N + M) ** 2 * Fraction(1, 2) - 3) == "1/2*m^2 + m*n + 1/2*n^2 - 3"
    assert str(maximum(ZERO, N - M) * 2 - N) == "2*max(-m + n, 0) - n"
    assert str(ZERO) == "0"
    assert ((N + 1) * (N - 1)).prefix() == "(+ (* n n) -1)"
    assert minimum(N, M).prefix() == "(min m n)"
    assert ZERO.prefix() == "0"


def test_what_differs_by_a_number_is_compared():
    assert maximum(N, N + 2, M) == maximum(M, N + 2)
    assert minimum(N, N + 2) == N
    assert (N - N).constant == 0
    assert N.constant is None


def test_a_name_without_a_value_is_an_error():
    with pytest.raises(KeyError):
        (N + M).at({"n": 1})
