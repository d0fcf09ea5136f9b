"""Spans: the bounds found for a condition are those of the iterations in which it holds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.turns import fewer

from pellucid.ir import types as T
from pellucid.ir.expr import Expr, apply, const, index, param, topological
from pellucid.ir.facts import Facts
from pellucid.ir.interp import evaluate
from pellucid.ir.nest import Abstract, For
from pellucid.ir.parse import parse_expr
from pellucid.loops.analysis.pieces import pieces
from pellucid.reasoning.infer import FactsOf
from pellucid.reasoning.known import Known
from pellucid.reasoning.span import span, successor

LIMIT = T.i32.high
EXTREMES = [T.i32.low, T.i32.low + 1, -2, -1, 0, 1, 5, LIMIT - 3, LIMIT - 1, LIMIT]


def holding(condition: Expr, i: Expr, lo: Expr, hi: Expr, values: dict) -> tuple[list[int], list[int]]:
    """The iterations of the span that is found, and those in which the condition has that truth."""
    loop = For(i, lo, hi, ())
    ranges = {k: Facts(*v) for k, v in RANGES.items()}
    found = span(condition, loop, Known(ranges).facts, Known(ranges, [loop]).facts)
    if found is None:
        # Only of a loop that surely does not run nothing is known inside.
        assert lo.op == hi.op == "const", condition
        assert hi.attr <= lo.attr, condition
        return [], []
    first, last, low, high = (int(v) for v in evaluate([found.lo, found.hi, lo, hi], values))
    truth = [k for k in range(low, high) if bool(evaluate([condition], {**values, i: k})[0]) is found.holds]
    return list(range(first, last)), truth


LOOP = index("i")
C, D = param("c", T.i32), param("d", T.i32)
BYTE, WIDE = param("byte", T.u8), param("wide", T.i64)
X, Y = param("x", T.f32), param("y", T.f32)
RANGES = {X: (-100.0, 100.0), Y: (-100.0, 100.0), D: (-100, 100)}
CONDITIONS = [
    "%i < $c:i32",
    "%i <= $c:i32",
    "$c:i32 < %i",
    "$c:i32 <= %i",
    "%i == $c:i32",
    "%i != $c:i32",
    "not($c:i32 <= %i)",
    "%i + $d:i32 < 7",
    "$d:i32 + %i <= $d:i32 + $d:i32",
    "$d:i32 - %i <= 2",
    "3 < $d:i32 - (%i - 1)",
    "%i == convert.i32($byte:u8)",
    "convert.i64(%i) <= $wide:i64",
    "$wide:i64 == convert.i64(%i)",
    "$wide:i64 < convert.i64(%i)",
    "$c:i32 <= %i & %i < $d:i32",
    "%i < $c:i32 | $d:i32 < %i",
    "not($c:i32 <= %i & %i <= $d:i32)",
    "2 * %i < $c:i32",
    "%i * $d:i32 < 6",
    "%i // 3 == $d:i32",
    "convert.f32(%i) * $x:f32 + $y:f32 < 1.0",
    "$x:f32 <= convert.f32(%i) * 0.3 - $y:f32",
    "floor(convert.f32(%i) * $x:f32) == $y:f32",
    "0.0 <= convert.f32(%i) * $x:f32 + $y:f32 & convert.f32(%i) * $y:f32 - $x:f32 < 9.0",
    "$x:f32 < $y:f32",
    "if $x:f32 < 0.0 then 3 < %i else %i < 5",
]
AFFINE = [
    "%i + 2 == $c:i32",
    "%i + 2 != $c:i32",
    "$c:i32 <= 5 + %i",
    "%i - 7 < $c:i32",
    "$c:i32 < %i - 7",
    "3 - %i <= $c:i32",
    "$c:i32 == 3 - %i",
    "neg(%i) < $c:i32",
    "$c:i32 <= %i * -1:i32",
    "-1:i32 * %i + 4 == $c:i32",
    "1 - (%i + 2 - $d:i32) <= $c:i32",
    "%i + $d:i32 == $c:i32",
    "$d:i32 - %i < $c:i32",
    "convert.i64(%i) - 3:i64 <= $wide:i64",
]
"""Tests of an index beside numbers, which may be compared with any number at all."""
NESTED = [
    "$c:i32 <= %i & 2 * %i < $d:i32",
    "$c:i32 <= %i | %i * 2 < $d:i32",
    "$c:i32 <= %i & $x:f32 < $y:f32",
    "%i < $c:i32 & $d:i32 < 2 * %i & $x:f32 < $y:f32",
    "%i < $c:i32 & %i * $d:i32 < 6",
    "$c:i32 < %i & %i + 1 == $d:i32",
    "not($c:i32 < %i & %i * $d:i32 < 6)",
]
"""Tests that are looked for where another holds, which may be nowhere."""
DISTANCES = [
    "abs(convert.f32(%i) * $x:f32 + $y:f32) < 2.0",
    "2.0 <= abs(convert.f32(%i) * 0.5 - $y:f32)",
    "not(abs(convert.f32(%i) - $x:f32) <= $y:f32)",
    "abs(%i - $d:i32) < 4",
    "$d:i32 <= abs(%i + 3)",
    "abs(convert.f32(%i) - $x:f32) < 5.0 & $y:f32 < convert.f32(%i)",
]
"""Tests of absolute values, which fall and rise."""


@pytest.mark.parametrize("text", CONDITIONS + AFFINE + NESTED + DISTANCES)
@settings(max_examples=fewer(40))
@given(data=st.data())
def test_the_span_is_where_the_condition_holds(text, data):
    condition = parse_expr(text)[0]
    near = st.integers(-12, 12)
    lo = data.draw(
        st.sampled_from(EXTREMES) if "d:" not in text and "2 *" not in text and "//" not in text else near
    )
    if "f32" in text or text in AFFINE + NESTED + DISTANCES:
        lo = data.draw(near)
    count = data.draw(st.integers(-2, 12))
    hi = min(max(lo + count, T.i32.low), LIMIT)
    close = st.one_of(near.map(lambda k: min(max(lo + k, T.i32.low), LIMIT)), st.sampled_from(EXTREMES))
    floats = st.one_of(st.floats(-3, 3, width=32), st.floats(-100, 100, width=32))
    values = {
        C: data.draw(close),
        D: data.draw(near),
        BYTE: data.draw(st.integers(0, 255)),
        WIDE: data.draw(st.one_of(close, st.sampled_from([T.i64.low, T.i64.high, 1 << 40]))),
        X: np.float32(data.draw(floats)),
        Y: np.float32(data.draw(floats)),
    }
    found, truth = holding(condition, LOOP, const(lo, T.i32), const(hi, T.i32), values)
    assert found == truth


@pytest.mark.parametrize("text", [t for t in CONDITIONS if "wide" in t])
@pytest.mark.parametrize(
    "wide", [T.i64.low, T.i32.low - 1, T.i32.low, T.i32.high, T.i32.high + 1, T.i64.high]
)
@pytest.mark.parametrize("lo", [T.i32.low, LIMIT - 3])
def test_a_bound_beyond_the_narrow_type_holds_for_its_last_numbers(text, wide, lo):
    condition = parse_expr(text)[0]
    found, truth = holding(condition, LOOP, const(lo, T.i32), const(lo + 3, T.i32), {WIDE: wide})
    assert found == truth


@pytest.mark.parametrize(
    "text",
    [
        "convert.f32(%i) * $any:f32 < 1.0",  # infinite products of parameters of any size could meet zero
        "%i * %i < 9",  # falls, then rises
        "%i + $c:i32 < 3",  # may wrap
        "(%i & 1) == 0",
        "%i < 3 | 5 < %i & %i < 9",
    ],
)
def test_no_span_where_none_is_shown(text):
    loop = For(LOOP, const(-9, T.i32), const(9, T.i32), ())
    condition = parse_expr(text)[0]
    ranges = {param("any", T.f32): Facts(-np.inf, np.inf)}
    assert span(condition, loop, Known(ranges).facts, Known(ranges, [loop]).facts) is None


def test_the_bound_after_the_largest_number_does_not_wrap():
    """The half-open bound of ``i <= c`` is not c + 1 for the largest c."""
    (bound,) = evaluate([successor(C, FactsOf())], {C: LIMIT})
    assert bound == LIMIT
    (plain,) = evaluate([apply("add", C, const(1, T.i32))], {C: LIMIT})
    assert plain == T.i32.low
    assert successor(D, FactsOf({D: Facts(0, 9)})) is apply("add", D, const(1, T.i32))
    assert successor(const(LIMIT, T.i32), FactsOf()).attr == LIMIT


BOUNDS = param("lo", T.i32), param("hi", T.i32)


@pytest.mark.parametrize("text", AFFINE)
def test_an_affine_test_is_solved_without_a_search(text):
    loop = For(LOOP, const(-9, T.i32), const(40, T.i32), ())
    ranges = {D: Facts(*RANGES[D])}
    found = span(parse_expr(text)[0], loop, Known(ranges).facts, Known(ranges, [loop]).facts)
    assert found is not None
    assert not any(n.op == "iterate" for n in topological([found.lo, found.hi]))


@pytest.mark.parametrize("text", CONDITIONS + AFFINE + NESTED + DISTANCES)
@settings(max_examples=fewer(25))
@given(data=st.data())
def test_what_is_cut_stays_within_the_loop_and_is_each_iteration_once(text, data):
    """The hypothesis `shape_first` of the lemma `loop_cutting`, and its counterpart at the end."""
    i64 = "convert.i64(%i)" in text
    lo, hi = param("from", T.i32), param("to", T.i32)
    ranges = {k: Facts(*v) for k, v in RANGES.items()} | {lo: Facts(-20, 20), hi: Facts(-20, 30)}
    loop = For(LOOP, lo, hi, ())
    condition = parse_expr(text)[0]
    found = span(condition, loop, Known(ranges).facts, Known(ranges, [loop]).facts)
    assert found is not None
    near = st.integers(-24, 34)
    numbers = st.one_of(near, st.sampled_from(EXTREMES))
    values = {lo: data.draw(st.integers(-20, 20)), hi: data.draw(st.integers(-20, 30))}
    values |= {C: data.draw(numbers), D: data.draw(near), BYTE: data.draw(st.integers(0, 30))}
    values |= {WIDE: data.draw(numbers if i64 else near)}
    values |= {X: np.float32(data.draw(st.integers(-3, 3))), Y: np.float32(data.draw(st.integers(-3, 3)))}
    low, high, first, last = (int(v) for v in evaluate([lo, hi, found.lo, found.hi], values))
    assert low <= first
    assert last <= high
    wanted = [k for k in range(low, high) if bool(evaluate([condition], {**values, LOOP: k})[0])]
    inside, outside = (Abstract("S"),), (Abstract("T"),)
    if not found.holds:
        inside, outside = outside, inside
    then: list[int] = []
    every: list[int] = []
    for part in pieces(loop, found, inside, outside):
        begin, end = (int(v) for v in evaluate([part.lo, part.hi], values))
        every += range(begin, end)
        then += range(begin, end) if part.body[0].name == "S" else []
    assert every == list(range(low, high))
    assert then == wanted


@pytest.mark.parametrize("text", CONDITIONS)
@settings(max_examples=fewer(60))
@given(data=st.data())
def test_a_loop_that_does_not_run_has_no_part_that_does(text, data):
    """Bounds that are only known when the loop starts, the smallest and the largest numbers among them."""
    condition = parse_expr(text)[0]
    loop = For(LOOP, *BOUNDS, ())
    ranges = {k: Facts(*v) for k, v in RANGES.items()}
    found = span(condition, loop, Known(ranges).facts, Known(ranges, [loop]).facts)
    if found is None:
        return
    numbers = st.one_of(st.integers(-9, 9), st.sampled_from(EXTREMES))
    lo, hi = sorted((data.draw(numbers), data.draw(numbers)), reverse=True)
    values = {BOUNDS[0]: lo, BOUNDS[1]: hi, C: data.draw(numbers), D: data.draw(st.integers(-9, 9))}
    values |= {BYTE: 3, WIDE: data.draw(numbers), X: np.float32(0.5), Y: np.float32(-2)}
    for part in pieces(loop, found, (Abstract("S"),), data.draw(st.sampled_from([(), (Abstract("T"),)]))):
        first, last = evaluate([part.lo, part.hi], values)
        assert first >= last
