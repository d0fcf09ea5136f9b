"""The rules for intervals of every row, by intervals of every kind and points in them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.turns import NIGHTLY

from pellucid.backends.conformance import same_bits, signatures, spicy
from pellucid.ir import types as T
from pellucid.ir.expr import Expr, apply
from pellucid.ir.facts import top
from pellucid.ir.interp import evaluate
from pellucid.ir.intervals.interval import whole
from pellucid.ir.prim import Prim, row
from pellucid.reasoning.intervals import IntervalRule, interval_rule
from pellucid.rewriting.expand import expand

from .conftest import TYPED, named
from .intervals import fault, how_many, intervals, registered, search, together

ROUNDS = 100 if NIGHTLY else 1


@pytest.mark.parametrize(("prim", "types", "attr"), TYPED, ids=named)
def test_no_result_lies_outside_of_its_bounds(prim: Prim, types, attr):
    for seed in range(ROUNDS):
        found = search(prim, types, attr, seed)
        assert found is None, str(found)


@pytest.mark.parametrize(("prim", "types", "attr"), TYPED, ids=named)
def test_a_rule_is_of_the_right_types(prim: Prim, types, attr):
    result = prim.result_type(types, attr)
    rule = interval_rule(prim, types, result)
    assert rule.lo.type is rule.hi.type is result
    assert [tuple(e.type for e in pair) for pair in rule.leaves] == [(t, t) for t in types]
    assert len(rule.choices) == len(rule.choices_keep_zero) == prim.arity
    for condition, t in zip(rule.choices, types, strict=True):
        assert condition is None or (condition.type is T.boolean and t is result)
    assert rule is interval_rule(prim, types, result)


@pytest.mark.parametrize(("prim", "types", "attr"), TYPED, ids=named)
def test_a_rule_may_be_simplified_and_expanded(prim: Prim, types, attr):
    """Endpoints are known to be no NaN, and nothing is known to be finite."""
    rule = interval_rule(prim, types, prim.result_type(types, attr))
    ends = together(types, 1000, np.random.default_rng(5))
    leaves = dict(zip([e for pair in rule.leaves for e in pair], [x for e in ends for x in e], strict=True))
    wanted = [rule.lo, rule.hi, *(c for c in rule.choices if c is not None)]
    ranges = {e: top(e.type)._replace(nan=False) for e in leaves}
    for plain, other in zip(
        evaluate(wanted, leaves), evaluate(expand(wanted, "exact", ranges=ranges), leaves), strict=True
    ):
        assert same_bits(*map(np.ascontiguousarray, np.broadcast_arrays(plain, other)))


# ---- intervals by their structure ----


def interval_of(t: T.Type) -> st.SearchStrategy[tuple[float, float]]:
    """Intervals that are often points, nested, touching, or open."""
    if t is T.boolean:
        return st.sampled_from([(False, False), (False, True), (True, True)])
    ends = st.sampled_from([v for v in spicy(t).tolist() if v == v])  # noqa: PLR0124 - NaN
    return st.tuples(ends, ends).map(lambda pair: (min(pair), max(pair)))


OF_ONE_WIDTH = [
    (p, t, a) for p, t, a in TYPED if not any(u.is_integer and u.bits in (16, 64) for u in (*t, a or t[0]))
]


@given(st.data(), st.sampled_from(OF_ONE_WIDTH))
def test_nested_touching_and_point_intervals(data: st.DataObject, typed):
    prim, types, attr = typed
    drawn: list[tuple[float, float]] = []
    for t in types:
        before = [b for b, u in zip(drawn, types, strict=False) if u is t and t is not T.boolean]
        choices = [interval_of(t)]
        if before:
            lo, hi = before[-1]
            choices += [st.just((lo, hi)), st.just((lo, lo)), st.just((hi, hi))]
            choices.append(interval_of(t).map(lambda b, hi=hi: (hi, max(hi, b[1]))))
            choices.append(interval_of(t).map(lambda b, lo=lo, hi=hi: (min(max(b[0], lo), hi), hi)))
        drawn.append(data.draw(st.one_of(choices)))
    ends = [
        (np.array([a] * 8, t.dtype), np.array([b] * 8, t.dtype))
        for t, (a, b) in zip(types, drawn, strict=True)
    ]
    rule = interval_rule(prim, types, prim.result_type(types, attr))
    found = fault(prim, rule, types, attr, ends, np.random.default_rng(1))
    assert found is None, str(found)


# ---- how much a rule says ----

ROWS_OF_NUMBERS = [
    (p, types, attr)
    for p, types, attr in TYPED
    if all(t in (*T.FLOATS, T.i32, T.boolean) for t in (*types, attr or T.f32))
]


@pytest.mark.parametrize(("prim", "types", "attr"), ROWS_OF_NUMBERS, ids=named)
def test_a_rule_says_more_than_the_type(prim: Prim, types, attr):
    """Of intervals that are narrow, or that are points but for one operand, most results are not just anything."""
    draw = np.random.default_rng(7)
    result = prim.result_type(types, attr)
    ends: list[tuple[np.ndarray, np.ndarray]] = []
    for k, t in enumerate(types):
        if t is T.boolean:
            ends.append(intervals(t, 300, draw))
            continue
        # Within the domain of everything: a number from 0 to 1, or 1 to 7 for integers.
        lo = draw.uniform(0.05, 0.9, 300) if t.is_float else draw.integers(1, 7, 300)
        width = (0.01 if t.is_float else 3) * (k == 0)
        ends.append((lo.astype(t.dtype), (lo + width).astype(t.dtype)))
    rule = interval_rule(prim, types, result)
    leaves = dict(zip([e for pair in rule.leaves for e in pair], [x for e in ends for x in e], strict=True))
    lo, hi = (np.broadcast_to(x, 300) for x in evaluate([rule.lo, rule.hi], leaves))
    low, high = (e.expr.attr for e in whole(result))
    assert ((lo > low) | (hi < high)).mean() > (0.2 if result is T.boolean else 0.9)


# ---- squares, and rows that come at run time ----


def ends_of(rule: IntervalRule, *given_intervals: tuple[float, float]) -> list[float]:
    """A rule's bounds of some intervals."""
    leaves = {
        e: x
        for pair, interval in zip(rule.leaves, given_intervals, strict=True)
        for e, x in zip(pair, interval, strict=True)
    }
    return [x.item() for x in evaluate([rule.lo, rule.hi], leaves)]


TWICE = [
    (p, types, attr) for p, types, attr in TYPED if p.arity > 1 and types[0] is types[1] and p.domain is None
]


@pytest.mark.parametrize(("prim", "types", "attr"), TWICE, ids=named)
def test_a_rule_of_one_value_twice_is_sound(prim: Prim, types, attr):
    rule = interval_rule(prim, types, prim.result_type(types, attr), twice=True)
    draw = np.random.default_rng(3)
    ends = together(types, how_many(prim, types) // 4, draw)
    found = fault(prim, rule, types, attr, [ends[0], ends[0], *ends[2:]], draw, twice=True)
    assert found is None, str(found)


def test_a_square_is_not_negative():
    for t in (T.i8, T.i64, T.f32, T.f64):
        rule = interval_rule(row("mul"), (t, t), t, twice=True)
        assert ends_of(rule, (-3, 2), (-3, 2)) == [0, 9]
    rule = interval_rule(row("fma"), (T.f32,) * 3, T.f32, twice=True)
    assert ends_of(rule, (-3.0, 2.0), (-3.0, 2.0), (1.0, 2.0)) == [1.0, 11.0]


SQUARE = Prim("square", "x * x.", "N -> N", body=lambda x: apply("mul", x, x), zero_sign="kill")


def new(name: str, doc: str, signature: str, **columns: object) -> Prim:
    """A row that nobody runs."""
    return Prim(name, doc, signature, llvm={"any": "{0}"}, c={"any": "{0}"}, **columns)


def fourth(x: Expr) -> Expr:
    square = apply("mul", x, x)
    return apply("mul", square, square)


SIGN = new("sign", "1 with the sign of x.", "F -> F", ref=lambda x: np.copysign(x.dtype.type(1), x))
HALF = new("half", "x / 2, rounded down.", "I -> I", ref=lambda x: x >> x.dtype.type(1), monotone="+")
PART = new("part", "x * y / 2.", "F F -> F", ref=lambda x, y: x * y / 2, monotone="**", zero_sign="pass")
NEW = [
    SQUARE,
    SIGN,
    HALF,
    PART,
    new("fourth", "x to the 4th.", "F -> F", body=fourth),
    new("undefined", "NaN.", "F F -> F", ref=lambda x, y: x * y * np.nan),
    new("least", "The lesser of -x and y.", "F F -> F", ref=lambda x, y: np.minimum(-x, y), monotone="-+"),
    new("inverse", "1 / x.", "F -> F", ref=lambda x: x.dtype.type(1) / x),
    new("above", "Whether x > y.", "F F -> B", ref=np.greater, monotone="+-"),
    new("slope", "sqrt x over x.", "F -> F", body=lambda x: apply("div", apply("sqrt", x), x)),
]


@pytest.mark.parametrize("prim", NEW, ids=named)
def test_a_row_that_comes_at_run_time_has_a_sound_rule(prim: Prim):
    with registered(prim):
        for types, attr in signatures(prim):
            found = search(prim, types, attr)
            assert found is None, str(found)


def test_what_is_not_known_of_a_row_is_known_of_points():
    with registered(SIGN), registered(HALF), registered(PART):
        rule = interval_rule(SIGN, (T.f32,), T.f32)
        assert ends_of(rule, (-2.0, -2.0)) == [-1.0, -1.0]
        assert ends_of(rule, (-2.0, -1.0)) == [-np.inf, np.inf]
        # The zero may have either sign, and the row may look at it.
        assert ends_of(rule, (0.0, 0.0)) == [-np.inf, np.inf]
        assert ends_of(interval_rule(HALF, (T.u8,), T.u8), (4, 6)) == [0, 255]
        assert ends_of(interval_rule(PART, (T.f32, T.f32), T.f32), (-2.0, 3.0), (4.0, 8.0)) == [-8.0, 12.0]


def test_a_rule_is_of_one_edition_of_the_table():
    first = new("shade", "x.", "F -> F", ref=np.abs, monotone="+", zero_sign="pass")
    with registered(first):
        one = interval_rule(first, (T.f32,), T.f32)
    second = replace(first, monotone="")
    with registered(second):
        assert interval_rule(second, (T.f32,), T.f32) != one
