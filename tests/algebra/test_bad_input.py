"""Bad input to the image algebra: one clear error each, with the place, the rule and the fix."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pellucid import algebra as alg
from pellucid.base.errors import InputError, PellucidError

A = alg.array("a", (4, 6), "u8")
F = alg.array("f", (4, 6), "f32")
SMALL = alg.array("b", (4, 5), "u8")
H, CASE = alg.array("h", 3, "i64"), alg.index("i", 3)


def define(value: object, at: object = CASE, target: alg.Array = H) -> None:
    alg.array("h", target.shape, target.type)[at] = value


CASES: list[tuple[Callable[[], object], str]] = [
    (lambda: A + SMALL, "add: the arrays are on 0..3 x 0..5 and on 0..3 x 0..4"),
    (lambda: A + alg.translate(A, (0, 1)), "0..3 x 1..6"),
    (lambda: A + F, 'add: the values are u8 and f32; convert one: .astype("f32")'),
    (lambda: A / A, "/ is for floats; use //"),
    (lambda: A + 0.5, "0.5 is no u8; give a number of the type"),
    (lambda: A + 256, "256 is no u8"),
    (lambda: A + "x", "'x' is neither an array of the algebra nor a number"),
    (lambda: A + np.ones((4, 6)), "declare it"),
    (lambda: -A, "neg: does not take u8"),
    (lambda: bool(A), "an array has no truth value"),
    (lambda: alg.minimum(1, 2), "neither operand is an array"),
    (lambda: alg.pointwise("sqrtt", F), "no operator is called 'sqrtt'; did you mean 'sqrt'"),
    (lambda: alg.pointwise("sqrt", 2.0), "none of the operands is an array"),
    (lambda: alg.where(A < 3, 1, 2), "neither value is an array"),
    (lambda: alg.chi(A), "a u8 array is no condition; compare it"),
    (lambda: A.astype("f16"), "'f16' is no type; give one of bool, i8"),
    (lambda: alg.array("a", (0, 3)), "(0, 3) is no shape; give one to three positive"),
    (lambda: alg.array("a", (2, 2, 2, 2)), "(2, 2, 2, 2) is no shape"),
    (lambda: alg.array("a", (2.5, 2)), "(2.5, 2) is no shape"),
    (lambda: alg.array("a", (1 << 20, 1 << 20)), "more than 2147483647 elements"),
    (lambda: alg.array("not a name", 3), "'not a name' is no name"),
    (lambda: alg.coordinate(A, 2), "2 is no axis of an array on 0..3 x 0..5; give numbers from 0 to 1"),
    (lambda: alg.sum(A, axis=5), "sum: 5 is no axis"),
    (lambda: alg.sum(A < 3), "sum: the values are bool; make them numbers: alg.chi"),
    (lambda: alg.sum(alg.sum(A)), "a scalar has no axes"),
    (
        lambda: alg.convolve(F, np.ones((2, 3))),
        "convolve: the kernel is 2 x 3; its middle needs an odd number",
    ),
    (lambda: alg.convolve(F, np.ones((3, 0))), "convolve: the kernel is empty"),
    (lambda: alg.convolve(F, []), "convolve: the kernel is empty"),
    (lambda: alg.convolve(F, np.ones((3, 3, 3))), "the kernel has 3 axes, the array 2"),
    (lambda: alg.convolve(F, np.ones((101, 101))), "give at most 4096 values"),
    (lambda: alg.convolve(F, np.zeros((3, 3))), "no value of the kernel counts"),
    (lambda: alg.convolve(F, [[1, np.nan, 1]]), "the kernel has a NaN"),
    (lambda: alg.convolve(F, "box"), "'box' is no kernel; give an array of numbers"),
    (lambda: alg.convolve(F, [[1, 2], [3]]), "is no kernel"),
    (lambda: alg.convolve(A, [[0.5]]), "convolve, kernel: 0.5 is no u8"),
    (lambda: alg.convolve(F, [[1]], border="mirror"), "'mirror' is no border; give one of reflect, clamp"),
    (lambda: alg.convolve(F, [[1]], border="reflct"), "did you mean 'reflect'?"),
    (lambda: alg.convolve(A, [[1]], "constant", outside=-1), "convolve, outside: -1 is no u8"),
    (lambda: alg.convolve(alg.sum(F), [1]), "a scalar has no points around it"),
    (lambda: alg.median(A, 4), "median: the kernel is 4 x 4"),
    (lambda: alg.median(A, np.array([[1, 0, 1]])), "the mask has 2 points; give an odd number"),
    (lambda: alg.dilate(A, np.zeros((3, 3))), "the mask has no points"),
    (lambda: alg.dilate(A, -1), "-1 is no size"),
    (lambda: alg.dilate(A < 3, 3), "dilate: the values are bool"),
    (lambda: alg.shift(A, 1.5), "1.5 is no step on 0..3 x 0..5"),
    (lambda: alg.shift(A, (1, 1, 1)), "at most one per axis"),
    (lambda: alg.restrict(A, (2, 2), (4, 4)), "2..5 x 2..5 is no part of 0..3 x 0..5"),
    (lambda: define(1.5), "h[i] = value: 1.5 is no i64"),
    (lambda: define(A), "h[i] = value: the value is on 0..3 x 0..5"),
    (lambda: define(alg.sum(F)), 'the value is f32, the array i64; convert it: .astype("i64")'),
    (lambda: define(alg.sum(A), at=2), "2 is no index; make one by alg.index"),
    (lambda: define(alg.sum(A), at=alg.index("k", 4)), "k has 4 values, the array is on 0..2"),
    (lambda: alg.compile(A + CASE), "an index is used outside of its definition"),
    (lambda: alg.compile(3), "3 is no output"),
    (lambda: alg.compile([A, 3]), "compile, out1: 3 is no array of the algebra"),
    (lambda: alg.compile({}), "is no output"),
    (lambda: alg.compile({"a": A + 1}), "'a' is the name of two things"),
    (lambda: alg.compile(F + alg.array("f", (4, 6)) * alg.scalar("f")), "'f' is the name of two things"),
    (
        lambda: alg.compile(alg.sum(A) + alg.sum(alg.array("a", (3, 6), "u8"))),
        "'a' is declared twice, differently",
    ),
    (lambda: alg.compile(A, numerics="sloppy"), "numerics: 'sloppy' is not known"),
    (lambda: alg.compile(A, backend="metal"), "backend: 'metal' is not known"),
]


@pytest.mark.parametrize(("make", "message"), CASES, ids=[c[1][:40] for c in CASES])
def test_one_clear_error(make: Callable[[], object], message: str):
    with pytest.raises(PellucidError) as caught:
        make()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


PROGRAM = alg.compile(A + alg.scalar("s", "u8"))
GOOD = np.zeros((4, 6), np.uint8)
FROZEN = np.zeros((4, 6), np.uint8)
FROZEN.flags.writeable = False

CALLS: list[tuple[dict[str, object], str]] = [
    ({"a": GOOD}, "'s' is missing; give it by name"),
    ({"s": 1}, "'a' is missing"),
    ({"a": GOOD, "s": 1, "t": 2}, "takes no 't'; it takes a, s"),
    ({"a": GOOD[1:], "s": 1}, "a: is uint8 and shape (3, 6); give u8 and shape (4, 6)"),
    ({"a": GOOD.astype(np.int8), "s": 1}, "is int8 and shape (4, 6)"),
    ({"a": [[1]], "s": 1}, "[[1]] is no NumPy array"),
    ({"a": GOOD, "s": "x"}, "s: 'x' is no u8"),
    ({"a": GOOD, "s": 300}, "s: 300 is no u8"),
    ({"a": GOOD, "s": 1, "out": GOOD.astype(np.int8)}, "is int8"),
    ({"a": GOOD, "s": 1, "out": FROZEN}, "cannot be stored to"),
    ({"a": GOOD, "s": 1, "out": np.zeros((6, 4), np.uint8).T}, "cannot be stored to"),
]


@pytest.mark.parametrize(("values", "message"), CALLS, ids=[c[1][:30] for c in CALLS])
def test_a_program_checks_what_it_is_given(values: dict[str, object], message: str):
    with pytest.raises(InputError) as caught:
        PROGRAM(**values)
    assert message in str(caught.value)


def test_an_output_does_not_overwrite_an_input():
    with pytest.raises(InputError, match="shares memory with 'a'"):
        PROGRAM(a=GOOD, s=1, out=GOOD)


def test_several_outputs_go_to_several_arrays():
    program = alg.compile([A + 1, A + 2])
    with pytest.raises(InputError, match="give a dict by name"):
        program(a=GOOD, out=GOOD)
