"""Templates against NumPy, point by point: every border, type and odd size, naive and optimized."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.algebra.reference import BORDERS, around, ranked, turned, weighted

from pellucid import algebra as alg

TYPES = ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64")
SHAPES = ((1, 1), (1, 9), (9, 1), (2, 2), (5, 7), (40, 83), (4, 6, 3))


def numbers(shape: tuple[int, ...], type_: str, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    dtype = np.dtype(alg.array("a", 1, type_).type.dtype)
    if dtype.kind == "f":
        return rng.normal(size=shape).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)


def close(found: np.ndarray, wanted: np.ndarray) -> None:
    """Equal for integers; for floats within a few roundings of the values that were added."""
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    if wanted.dtype.kind == "f":
        np.testing.assert_allclose(found, wanted, rtol=0, atol=64 * np.finfo(wanted.dtype).eps)
    else:
        np.testing.assert_array_equal(found, wanted)


def all_ways(e: alg.Array, **given_: np.ndarray) -> list[np.ndarray]:
    """The same program naive, optimized exactly, and optimized."""
    return [
        alg.compile(e, optimize=False)(**given_),
        alg.compile(e, numerics="exact")(**given_),
        alg.compile(e)(**given_),
    ]


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_convolution_is_the_sum_of_what_lies_around(shape: tuple[int, ...], border: str):
    a = numbers(shape, "f32")
    kernel = np.random.default_rng(2).normal(size=(3, 5)).astype(np.float32)
    wanted = weighted(a, turned(kernel), border, 0.5)
    for found in all_ways(alg.convolve(alg.array("a", shape, "f32"), kernel, border, 0.5), a=a):
        close(found, wanted)


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_kernel_of_rank_one_gives_the_same_in_two_passes(shape: tuple[int, ...], border: str):
    a = numbers(shape, "f32")
    kernel = np.outer([1, 2, 4, 2, 1], [3, 1, 3]).astype(np.float32) / 70
    wanted = weighted(a, kernel, border)
    for found in all_ways(alg.correlate(alg.array("a", shape, "f32"), kernel, border), a=a):
        close(found, wanted)


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("border", BORDERS)
def test_every_type_is_convolved_in_itself(type_: str, border: str):
    a, kernel = numbers((7, 70), type_), np.outer([1, 2, 1], [1, 3, 2])
    wanted = weighted(a, turned(kernel), border)
    for found in all_ways(alg.convolve(alg.array("a", a.shape, type_), kernel, border), a=a):
        close(found, wanted)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("type_", ["u8", "i16", "u32", "f32", "f64"])
@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("shape", [(1, 1), (2, 9), (30, 90), (5, 8, 3)], ids=str)
def test_dilation_erosion_and_median_are_ranks(shape: tuple[int, ...], border: str, type_: str):
    a, mask = numbers(shape, type_), np.ones((3, 3), bool)
    e = alg.array("a", shape, type_)
    for made, rank in ((alg.dilate, -1), (alg.erode, 0), (alg.median, 4)):
        wanted = ranked(a, mask, border, lambda s, rank=rank: s[rank], 3)
        for found in all_ways(made(e, 3, border, 3), a=a):
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("size", [(5, 5), (1, 5), (3, 7)])
def test_larger_windows(size: tuple[int, int]):
    a = numbers((33, 71), "u8")
    e, mask = alg.array("a", a.shape, "u8"), np.ones(size, bool)
    middle = mask.size // 2
    for made, rank in ((alg.dilate, -1), (alg.erode, 0), (alg.median, middle)):
        wanted = ranked(a, mask, "clamp", lambda s, rank=rank: s[rank])
        np.testing.assert_array_equal(alg.run(made(e, size), a=a), wanted)


def test_a_mask_need_be_no_rectangle():
    a, mask = numbers((20, 31), "u8"), np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool)
    e = alg.array("a", a.shape, "u8")
    for made, rank in ((alg.dilate, -1), (alg.erode, 0), (alg.median, 2)):
        wanted = ranked(a, mask, "reflect", lambda s, rank=rank: s[rank])
        np.testing.assert_array_equal(alg.run(made(e, mask, "reflect"), a=a), wanted)


def test_a_dilation_turns_its_mask_and_an_erosion_does_not():
    a, mask = numbers((9, 12), "u8"), np.array([[1, 0, 0]], bool)
    e = alg.array("a", a.shape, "u8")
    np.testing.assert_array_equal(alg.run(alg.dilate(e, mask), a=a), around(a, [(0, 1)], "clamp")[0])
    np.testing.assert_array_equal(alg.run(alg.erode(e, mask), a=a), around(a, [(0, -1)], "clamp")[0])


@pytest.mark.parametrize("border", BORDERS)
def test_additive_maximum_and_minimum(border: str):
    a, template = numbers((12, 40), "f32"), np.random.default_rng(3).normal(size=(3, 3)).astype(np.float32)
    template[0, 1] = -np.inf
    e = alg.array("a", a.shape)
    offsets = [(i - 1, j - 1) for i in range(3) for j in range(3)]
    parts = around(a, offsets, border, 2)
    wanted = np.max([w + p for w, p in zip(template.ravel(), parts, strict=True)], axis=0)
    for found in all_ways(alg.additive_maximum(e, template, border, 2), a=a):
        np.testing.assert_array_equal(found, wanted)
    wanted = np.min([p - w for w, p in zip(template.ravel(), parts, strict=True)], axis=0)
    for found in all_ways(alg.additive_minimum(e, -template, border, 2), a=a):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(("type_", "passes"), [("i32", 1), ("f32", 2)])
def test_additive_templates_that_are_sums_go_in_two_passes_where_no_sum_wraps(type_: str, passes: int):
    a, template = (
        numbers((12, 40), type_),
        np.add.outer([1, 5, -2], [0, 7, 3]).astype(type_.replace("i", "int").replace("f", "float")),
    )
    a = a // 2
    e = alg.additive_maximum(alg.array("a", a.shape, type_), template, "clamp")
    parts = around(a, [(i - 1, j - 1) for i in range(3) for j in range(3)], "clamp")
    wanted = np.max([w + p for w, p in zip(template.ravel(), parts, strict=True)], axis=0)
    program = alg.compile(e)
    np.testing.assert_allclose(program(a=a), wanted, rtol=1e-6 if passes == 2 else 0)
    # Nothing is known of the numbers in an array of integers: a sum with a weight may wrap.
    separated = any(s.move == "separate_window" and s.applied for s in program.stages.ledger.steps)
    assert separated is (passes == 2)


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("by", [(1, 0), (-2, 3), (0, -5), (9, 11)])
def test_a_shift_reads_from_behind(by: tuple[int, int], border: str):
    a = numbers((6, 9), "i16")
    e = alg.shift(alg.array("a", a.shape, "i16"), by, border, 7)
    wanted = around(a, [(-by[0], -by[1])], border, 7)[0]
    for found in all_ways(e, a=a):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("shape", [(1,), (2,), (17,), (300,)])
@pytest.mark.parametrize("border", BORDERS)
def test_one_axis(shape: tuple[int], border: str):
    a, kernel = numbers(shape, "f64"), np.array([1.0, -2, 4, 3, 7, 2, 5])
    wanted = weighted(a, turned(kernel), border)
    for found in all_ways(alg.convolve(alg.array("a", shape, "f64"), kernel, border), a=a):
        close(found, wanted)


@pytest.mark.parametrize("border", BORDERS)
def test_three_axes(border: str):
    a, kernel = numbers((6, 7, 8), "f32"), np.random.default_rng(4).normal(size=(3, 3, 3)).astype(np.float32)
    wanted = weighted(a, turned(kernel), border)
    for found in all_ways(alg.convolve(alg.array("a", a.shape), kernel, border), a=a):
        close(found, wanted)


@given(
    st.tuples(st.integers(1, 12), st.integers(1, 80)),
    st.sampled_from(BORDERS),
    st.integers(0, 3),
    st.integers(0, 3),
    st.booleans(),
    st.integers(0, 1 << 30),
)
def test_any_kernel_on_any_shape(
    shape: tuple[int, int], border: str, up: int, along: int, product: bool, seed: int
):
    rng = np.random.default_rng(seed)
    size = (2 * up + 1, 2 * along + 1)
    kernel = np.outer(*(rng.integers(-3, 4, n) for n in size)) if product else rng.integers(-3, 4, size)
    if not kernel.any():
        kernel[0, 0] = 1
    a = rng.integers(-50, 50, shape).astype(np.int16)
    e = alg.correlate(alg.array("a", shape, "i16"), kernel, border, 5)
    np.testing.assert_array_equal(alg.run(e, a=a), weighted(a, kernel, border, 5))
