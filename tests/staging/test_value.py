"""Cyclic integers: every rule gives the number that plain arithmetic gives, and keeps what it can know."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.base.errors import StagingError
from pellucid.ir.expr import param
from pellucid.ir.interp import evaluate
from pellucid.staging import Cyclic, Dynamic, cyclic, lift, negate, specialize, unknown
from pellucid.staging.folding import WHOLE
from pellucid.staging.same import early_distinct, early_equal
from pellucid.staging.value import expression

Q, R = param("q", WHOLE), param("r", WHOLE)


def run(value, q=0, r=0):
    """The number that a staged value stands for."""
    return evaluate([expression(value)], {Q: np.int64(q), R: np.int64(r)})[0].item()


numbers = st.integers(-200, 200)
OPERATIONS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "r-": lambda a, b: b - a,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // (b or 7),
    "%": lambda a, b: a % (b or 7),
    "<<": lambda a, b: a << (b & 7),
    ">>": lambda a, b: a >> (b & 7),
    "&": lambda a, b: a & (b & 255),
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "~": lambda a, b: ~a,
    "neg": lambda a, b: -a,
}
COMPARISONS = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


@given(
    st.integers(1, 96),
    numbers,
    st.lists(st.tuples(st.sampled_from(sorted(OPERATIONS)), numbers), max_size=5),
    numbers,
)
def test_every_rule_is_plain_arithmetic(base, remainder, steps, q):
    staged, plain = cyclic(base, "q", remainder), base * q + remainder
    for name, operand in steps:
        staged, plain = OPERATIONS[name](staged, operand), OPERATIONS[name](plain, operand)
        if abs(plain) > 1 << 50:
            return
        assert run(staged, q) == plain


@pytest.mark.parametrize("name", COMPARISONS)
@given(base=st.integers(1, 40), a=numbers, b=numbers, other=st.integers(1, 40), q=numbers, r=numbers)
def test_every_comparison_is_plain(name, base, a, b, other, q, r):
    compare = COMPARISONS[name]
    left, right = cyclic(base, "q", a), cyclic(other, "r", b)
    assert bool(run(compare(left, right), q, r)) == compare(base * q + a, other * r + b)
    assert bool(run(compare(left, b), q)) == compare(base * q + a, b)
    same = cyclic(base, "q", b)
    assert compare(left, same) is compare(a, b)
    assert bool(run(negate(compare(left, right)), q, r)) is not compare(base * q + a, other * r + b)


@given(st.integers(1, 40), numbers, st.integers(1, 40), numbers, numbers, numbers)
def test_sums_and_products_of_two(base, a, other, b, q, r):
    left, right = cyclic(base, "q", a), cyclic(other, "r", b)
    plain = base * q + a, other * r + b
    assert run(left + right, q, r) == plain[0] + plain[1]
    assert run(left - right, q, r) == plain[0] - plain[1]
    assert run(left * right, q, r) == plain[0] * plain[1]
    assert run((left + right) % 5, q, r) == (plain[0] + plain[1]) % 5


@given(st.integers(1, 60), numbers, st.integers(1, 60), numbers, numbers, numbers)
def test_early_answers_are_right(base, a, other, b, q, r):
    left, right = cyclic(base, "q", a), cyclic(other, "r", b)
    if early_distinct(left, right):
        assert base * q + a != other * r + b
    assert early_equal(left, cyclic(base, "q", b)) == (a == b)
    assert not early_equal(left, right)


def test_scaling_by_zero_and_by_negative_numbers():
    assert cyclic(8, "q", 3) * 0 == 0
    scaled = cyclic(8, "q", 3) * -2
    assert (scaled.terms, scaled.remainder) == (((Q, -16),), -6)


def test_division_keeps_the_quotient_and_rounds_down():
    divided = cyclic(32, "q", -1) // 8
    assert divided.terms == ((Q, 4),)
    assert divided.remainder == -1
    assert cyclic(32, "q", -1) % 32 == 31


def test_quotients_that_cancel_leave_a_static_number():
    i = cyclic(32, "q", 5)
    assert (i + 40) - i == 40
    assert isinstance(i - i, int)


def test_values_know_their_parts():
    i = cyclic(12, "q") + cyclic(8, "r") + 5
    assert isinstance(i, Cyclic)
    assert (i.base, i.remainder) == (4, 5)
    assert repr(i) == "12*q + 8*r + 5"
    assert repr(i.quotient) == "$q:i64 * 3:i64 + $r:i64 * 2:i64"


def test_conditions_are_joined_early_where_one_side_is_known():
    condition = unknown("q") == 3
    assert isinstance(condition, Dynamic)
    assert (condition & False) is False
    assert (condition | True) is True
    assert (condition & True) is condition
    assert (False | condition) is condition


def test_static_numbers_are_plain():
    assert lift(3) == 3
    assert negate(True) is False


@pytest.mark.parametrize(
    ("program", "why"),
    [
        (lambda i: 1 if i == 3 else 2, "decides Python's own control flow"),
        (range, "is needed now"),
        (lambda i: i // 0, "divided by a static zero"),
        (lambda i: i % 0, "divided by a static zero"),
        (lambda i: not (i < 3), "decides Python's own control flow"),
    ],
)
def test_what_cannot_wait_is_refused(program, why):
    with pytest.raises(StagingError, match=why) as refused:
        specialize(program, unknown("q"))
    assert "test_value.py" in str(refused.value)


def test_a_base_is_positive():
    with pytest.raises(StagingError, match="a base is at least 1"):
        cyclic(0, "q")
