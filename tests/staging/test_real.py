"""Real numbers at run time: every operator gives the bits that Python's floats give, and cells keep them."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pellucid as pl
from pellucid.base.errors import InputError, StagingError
from pellucid.driver.program import compile_program
from pellucid.ir import types as T
from pellucid.ir.expr import param
from pellucid.ir.interp import evaluate
from pellucid.staging import Cells, Memory, Real, choose, lift, loop, specialize, to_integer, unknown
from pellucid.staging.real import bits_of, call, of_bits
from pellucid.staging.value import expression
from pellucid.tracing.session import as_compiled

X, N = param("x", T.f64), param("n", T.i64)
reals = st.floats(allow_nan=False, allow_infinity=False)
small = st.one_of(st.integers(-1000, 1000), st.floats(-1e6, 1e6), st.sampled_from([0.0, -0.0, 1, 1.0, 0, -1]))


def run(value, x=0.0, n=0):
    return evaluate([expression(value)], {X: np.float64(x), N: np.int64(n)})[0].item()


def same(a, b) -> bool:
    return struct.pack("<d", a) == struct.pack("<d", b) if isinstance(a, float) else a == b


OPERATIONS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / (b or 3),
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "neg": lambda a, b: -a + b,
    "abs": lambda a, b: abs(a) + b,
}


@pytest.mark.parametrize("name", OPERATIONS)
@given(reals, small)
def test_an_operator_with_a_static_number_gives_what_floats_give(name, x, other):
    f = OPERATIONS[name]
    staged = unknown("x", T.f64)
    assert same(run(f(staged, other), x), f(x, other))
    if name not in ("neg", "abs", "/"):
        assert same(run(f(other, staged), x), f(other, x))


@pytest.mark.parametrize("name", [n for n in OPERATIONS if n not in ("neg", "abs", "/")])
@given(st.integers(-1000, 1000), st.floats(-1e6, 1e6).filter(lambda x: x))
def test_an_integer_meets_a_real_number(name, n, x):
    f = OPERATIONS[name]
    whole, staged = unknown("n"), unknown("x", T.f64)
    assert same(run(f(whole, x), n=n), f(n, x))
    assert same(run(f(whole, staged), x, n), f(n, x))
    assert same(run(f(staged, whole), x, n), f(x, n))
    assert same(run(f(x, whole), n=n), f(x, n))
    assert run(abs(whole), n=n) == abs(n)
    assert same(run(whole / staged, x, n), n / x)
    assert same(run(whole / x, n=n), n / x)
    if n:
        assert same(run(staged / whole, x, n), x / n)
        assert same(run(7 / whole, n=n), 7 / n)
        assert same(run(x / whole, n=n), x / n)


@pytest.mark.parametrize("name", ["sin", "exp2", "floor", "sqrt", "tanh", "round"])
def test_functions_of_the_table_take_staged_numbers_and_give_compiled_bits(name):
    f = getattr(pl, name)
    residual = specialize(lambda x: f(x * 1.5), unknown("x", T.f64))
    fast = compile_program(residual)
    for x in (0.0, 0.3, 2.5, 1e-5):
        with as_compiled():
            plain = f(x * 1.5)
        assert same(residual(x=x), plain)
        assert same(fast(x=x), plain)
    assert call(name, 0.25) == f(0.25) or name in ("sin", "exp2", "tanh")


@given(st.integers(0, 2**32 - 1), st.integers(-(2**63), 2**63 - 1))
def test_bits_are_read_as_floats_and_back(word, long):
    short = struct.unpack("<f", struct.pack("<I", word))[0]
    if not math.isnan(short):
        assert same(of_bits(word), short)
        assert bits_of(of_bits(word)) == word
    number = struct.unpack("<d", struct.pack("<q", long))[0]
    if not math.isnan(number):
        assert same(of_bits(long, 64), number)
        assert bits_of(number, 64) == long
    assert bits_of(word, 64) == bits_of(float(word), 64) == run(bits_of(unknown("n"), 64), n=word)


def test_cutting_to_integers():
    for x in (2.9, -2.9, 1e300, -1e300, math.nan):
        # The greatest float that is an integer of 64 bits.
        expected = int(x) if abs(x) < 1e18 else (1 << 63) - 1024 if x > 0 else -(1 << 63)
        assert to_integer(x) == run(to_integer(unknown("x", T.f64)), x) == expected
    assert to_integer(7) == 7


def test_a_running_sum_of_reals_is_rounded_at_each_step():
    def program(n):
        return loop(lambda i, x: i == n, lambda i, x: (i + 1, x + 0.1), lift(0), lift(0.0))[1]

    residual = specialize(program, unknown("n"))
    assert residual(n=1000) == program(1000) == compile_program(residual)(n=1000) != 100.0


@pytest.mark.parametrize("other", [0.25, 3])
def test_a_choice_of_reals(other):
    def program(x):
        return choose(x < 0.5, lambda: x * 2, lambda: other)

    residual = specialize(program, unknown("x", T.f64))
    assert [residual(x=x) for x in (-1.0, 0.49, 0.5)] == [program(x) for x in (-1.0, 0.49, 0.5)]


def test_what_is_an_integer_in_one_arm_and_real_in_the_other_is_real():
    residual = specialize(
        lambda n: loop(
            lambda i, x: i == n,
            lambda i, x: (i + 1, choose(i == 3, lambda: 2, lambda: x * 0.5)),
            lift(0),
            lift(8.0),
        )[1],
        unknown("n"),
    )
    assert [residual(n=n) for n in range(7)] == [8.0, 4.0, 2.0, 1.0, 2.0, 1.0, 0.5]


@pytest.mark.parametrize(
    ("program", "why"),
    [
        (lambda x: 1 if x < 3 else 2, "decides Python's own control flow"),
        (math.sin, "is needed now in .*use pl.sin"),
        (lambda x: x // 2, r"not divided with // in .*pl.floor\(x / y\)"),
        (lambda x: 2 % x, "have no % in"),
        (lambda x: x**2, r"have no \*\* in .*pl.pow"),
        (round, r"not rounded by Python in .*to_integer\(x\)"),
    ],
)
def test_what_cannot_be_done_with_reals_is_refused(program, why):
    with pytest.raises(StagingError, match=why):
        specialize(lambda x: program(x), unknown("x", T.f64))  # noqa: PLW0108 - it must be a program of its own


# ---- cells ----


def moved(cells, other, n):
    """Sums that go round in cells, and integers that count them."""

    def step(i):
        cells.store(i & 3, cells.load((i - 1) & 3) * 0.5 + i)
        other.store(0, other.load(0) + 1)
        return i + 1

    loop(lambda i: i == n, step, lift(0))
    return cells.load(2)


@pytest.mark.parametrize("backend", ["numpy", "llvm", "c"])
def test_cells_keep_reals_and_integers(backend):
    plain, count = np.arange(4.0), np.zeros(1, np.int64)
    expected = moved(Cells("cells", plain), Cells("count", count), 9)
    residual = specialize(
        moved, Cells("cells", np.zeros(4)), Cells("count", np.zeros(1, np.int64)), unknown("n")
    )
    found, times = np.arange(4.0), np.zeros(1, np.int64)
    result = compile_program(residual, backend=backend)({"cells": found, "count": times}, n=9)
    assert (result, found.tolist(), times.tolist()) == (expected, plain.tolist(), [9])


def test_cells_are_checked():
    cells = Cells("cells", np.zeros(3))
    assert (len(cells), repr(cells)) == (3, "Cells('cells', 3 of f64)")
    for address in (-1, 3):
        with pytest.raises(InputError, match=f"word {address} is not in the memory cells of 3 words"):
            cells.load(address)
    whole = Cells("whole", np.zeros(3, np.int64))
    for value in (0.5, unknown("x", T.f64)):
        with pytest.raises(StagingError, match="is stored among integers"):
            whole.store(0, value)
    cells.store(1, 7)
    assert cells.load(1) == 7.0
    assert cells.view("again").load(1) == 7.0
    residual = specialize(lambda i: cells.load(i), unknown("i"))  # noqa: PLW0108 - likewise
    with pytest.raises(InputError, match="memory cells: is not a one-dimensional array of f64"):
        residual({"cells": np.zeros(3, np.float32)}, i=0)
    assert isinstance(unknown("x", T.f64), Real)
    assert not isinstance(Memory("m"), Cells)
