"""Tracing: Python functions on symbolic values, and what they may not do."""

import itertools
import math

import numpy as np
import pytest

import pellucid as pl
from pellucid.base.errors import InputError, TraceError
from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.ir.interp import evaluate
from pellucid.tracing import Complex, Point, Value, clamp, convert, iterate, param, tracing, where
from pellucid.tracing import functions as F

X, Y = E.param("x", T.f32), E.param("y", T.f32)
I = E.param("i", T.i32)  # noqa: E741 - the integer
x, y, i = Value(X), Value(Y), Value(I)


def value(symbolic, **given):
    names = {"x": X, "y": Y, "i": I}
    return evaluate([symbolic.expr], {names[k]: v for k, v in given.items()})[0].item()


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda: x + 1, 3.5),
        (lambda: 1 - x, -1.5),
        (lambda: x * y, 10.0),
        (lambda: 10 / y, 2.5),
        (lambda: x // 1, 2.0),
        (lambda: x % 1, 0.5),
        (lambda: -x % 2, 1.5),
        (lambda: x**3, 15.625),
        (lambda: x**-1, 0.4),
        (lambda: x**0, 1.0),
        (lambda: abs(-x), 2.5),
        (lambda: -x, -2.5),
        (lambda: round(x), 2.0),
        (lambda: math.floor(x), 2.0),
        (lambda: math.ceil(x), 3.0),
        (lambda: divmod(y, x)[1], 1.5),
        (lambda: i // 2, 3),
        (lambda: i % 4, 3),
        (lambda: i / 2, 3.5),
        (lambda: (i << 2) | 1, 29),
        (lambda: ~i & 15, 8),
        (lambda: i + x, 9.5),
        (lambda: x > 2, True),
        (lambda: (x >= 2) & (y < 3), False),
        (lambda: (x == 2.5) ^ (y != 4), True),
        (lambda: ~(x < y), False),
        (lambda: where(x > y, x, y), 4.0),
        (lambda: where(x > y, 1, 0.5), 0.5),
        (lambda: clamp(y, 0, 3), 3.0),
        (lambda: F.min(x, y) + F.max(x, y), 6.5),
        (lambda: np.maximum(x, y), 4.0),
        (lambda: np.sqrt(y), 2.0),
        (lambda: convert(x, T.u8), 2),
        (lambda: (x > 1) + 0.5, 1.5),
        (lambda: Point(x, y).dot(Point(1, 2)), 10.5),
        (lambda: (Point(x, y) - (1, 1)).x, 1.5),
        (lambda: (Complex(x, y) * 1j).re, -4.0),
        (lambda: abs(Complex(3.0, y)), 5.0),
        (lambda: (Complex(x, y) ** 2).re, -9.75),
        (lambda: (1 / Complex(0.0, y)).im, -0.25),
        (lambda: sum(x * k for k in range(4)), 15.0),
    ],
)
def test_operators_mean_what_they_mean_on_numbers(made, expected):
    assert value(made(), x=2.5, y=4.0, i=7) == pytest.approx(expected)


def test_static_values_stay_numbers():
    assert F.sin(0.5) == pytest.approx(math.sin(0.5))
    assert where(True, 1, 2) == 1
    assert iterate(lambda s: s + 1, 0, until=lambda s: s >= 5) == 5
    assert isinstance(F.floor(2.5), float)


def test_structures_go_through_where_and_iterate():
    chosen = where(x > y, {"p": Point(1.0, 2.0)}, {"p": Point(x, y)})
    assert value(chosen["p"].y, x=2.5, y=4.0) == 4.0
    z, n = iterate(
        lambda s: (s[0] * s[0] + Complex(x, y), s[1] + 1),
        (Complex(0, 0), 0),
        until=lambda s: s[0].abs2 > 4,
        limit=9,
    )
    assert n.type is T.i32
    assert value(n, x=0.0, y=0.0) == 9
    assert value(n, x=2.5, y=0.0) == 1
    assert value(z.re, x=2.5, y=0.0) == 2.5


def test_iterations_nest_and_equal_ones_are_one_node():
    def inner(k):
        return iterate(lambda s: s * k + 1, 0.0, limit=3)

    twice = iterate(lambda s: s + inner(x), 0.0, limit=2)
    again = iterate(lambda s: s + inner(x), 0.0, limit=2)
    assert twice.expr is again.expr
    assert value(twice, x=2.0) == 14.0


REFUSALS = [
    (lambda: 1 if x > 0 else 2, r"where\("),
    (lambda: x > 0 and y > 0, r"write \(x > 0\) & \(y > 0\) instead of `and`"),
    (lambda: 0 < x < 1, r"write \(0 < x\) & \(x < 1\)"),
    (lambda: math.sin(x), "pellucid's own"),
    (lambda: int(x), "to_integer"),
    (lambda: [1, 2][i], "where"),
    (lambda: list(x), "taken apart"),
    (lambda: np.arccosh(x), "does not take"),
    (lambda: F.sin("a"), "not a number"),
    (lambda: F.sin(x, y), "takes 1 operand, not 2"),
    (lambda: where(x > 0, (1, 2), 3), "differ in shape"),
    (lambda: iterate(lambda s: (s, s), x), "turns 1 numbers into 2"),
    (lambda: Value(E.param("b", T.u8)) + 300, "does not fit"),
    (lambda: Value(E.param("u", T.u64)) + Value(E.param("s", T.i64)), "no common type"),
    (lambda: Point(1, 2) + 3, "not a point"),
]


@pytest.mark.parametrize(("wrong", "words"), REFUSALS)
def test_refusals_name_the_line_and_the_way_out(wrong, words):
    with pytest.raises(TraceError, match=words) as caught:
        wrong()
    assert "test_tracing.py:" in str(caught.value)


def test_sums_with_other_things_are_pythons_own_errors():
    with pytest.raises(TypeError):
        x + "a"


def test_precision_is_the_sessions():
    with tracing(T.f64):
        assert (Value(I) / 3).type is T.f64
    assert (Value(I) / 3).type is T.f32


@pytest.mark.parametrize(
    "arguments", [("r adius", 0.5), ("time", 0.5), ("r", math.nan), ("r", 2.0, 0, 1), ("r", math.inf)]
)
def test_parameters_are_checked_when_declared(arguments):
    with pytest.raises(InputError):
        param(*arguments)


def test_parameters_take_their_range_as_a_pair():
    p = param("amount", 0.5, (0, 1))
    assert (p.low, p.high, p.default) == (0.0, 1.0, 0.5)


def test_functions_come_from_the_table():
    assert pl.sin is pl.tracing.functions.sin
    with pytest.raises(AttributeError, match="sqrt"):
        _ = pl.sqrrt


@pytest.mark.parametrize(
    "use",
    [
        lambda two, x: two + x, lambda two, x: two - x, lambda two, x: two * x, lambda two, x: two / x,
        lambda two, x: two % x, lambda two, x: two // x, lambda two, x: two**x, lambda two, x: two < x,
        lambda two, x: two <= x, lambda two, x: two > x, lambda two, x: two >= x, lambda two, x: two == x,
        lambda two, x: (two > 1) & (x > 0), lambda two, x: (two > 3) | (x > 0), lambda two, x: (two > 1) ^ (x > 0),
        lambda two, x: np.mod(x, two), lambda two, x: np.fabs(x * two), lambda two, x: np.greater(x, two),
    ],
)  # fmt: skip
@pytest.mark.parametrize("two", [np.float64(2), np.float32(2), np.int64(2), np.array(2.0)], ids=repr)
def test_a_number_of_numpy_on_the_left_is_that_number(two, use):
    x = np.array([0.5, 2.0, 3.0, -1.5], np.float32)
    found = pl.image(lambda p: use(two, p.x)).at(x, 0)
    np.testing.assert_array_equal(found, pl.image(lambda p: use(type(two.item())(two), p.x)).at(x, 0))


def test_an_array_or_an_argument_of_numpy_s_own_beside_a_symbolic_value_is_refused():
    for use in (lambda x: np.array([1.0, 2.0]) > x, lambda x: np.array([1.0, 2.0]) + x):
        with pytest.raises(pl.TraceError, match=r"array\(\[1\., 2\.\]\) is not a number"):
            pl.image(lambda p, use=use: use(p.x)).at(0, 0)
    with pytest.raises(pl.TraceError, match=r"numpy\.add does not take a symbolic value"):
        pl.image(lambda p: np.add(p.x, 1.0, where=False)).at(0, 0)


def test_negative_zero_stays_what_it_is():
    x = Value(E.param("x", T.f64))
    assert math.copysign(1.0, (x * -0.0).expr.args[1].attr) == -1.0
    assert math.copysign(1.0, F.max(-1.0, -0.0)) == -1.0


PAIRS = [(1, 2), [1, 2], np.array([1, 2.0]), (np.float32(1), np.int64(2)), (True, 2)]
NO_POINTS = [
    3, None, "ab", b"ab", {1: 2, 3: 4}, {1, 2}, iter([1, 2]), range(2), (1,), (1, 2, 3), (None, 1), ("a", 1),
    ((1, 2), 3), (1j, 2), (object(), 1), np.zeros((2, 2)), np.float64(3), np.array(["a", "b"]), itertools.count(),
]  # fmt: skip


@pytest.mark.parametrize("given", PAIRS, ids=repr)
def test_a_pair_is_a_point_everywhere(given):
    field = pl.image(lambda p: p.x - 10 * p.y)
    assert tuple(pl.Point.of(given)) == tuple(pl.Point(0, 0) + given) == (1, 2)
    assert field(given) == field.at(*given) == 1 - 20


@pytest.mark.parametrize("given", NO_POINTS, ids=lambda given: type(given).__name__)
def test_what_is_no_pair_of_numbers_is_no_point_anywhere(given):
    field = pl.image(lambda p: p.x)
    for use in (pl.Point.of, pl.Point(1, 2).__add__, pl.Point(1, 2).__sub__, field):
        with pytest.raises(
            pl.TraceError, match=r"is not a point; give a Point or a pair \(x, y\) of numbers"
        ):
            use(given)
