"""Programs on arrays of Dask's: blocks have the bits of the whole, and what needs all of an input is refused."""

from __future__ import annotations

import math
import pickle
import sys
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest

from pellucid import algebra as alg
from pellucid.base.errors import InputError, MissingExtraError

DECLARED = (480, 640)
BINOMIAL = np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1]) / 256
SOBEL = np.outer([1, 2, 1], [-1, 0, 1]) / 8
LATE = np.array([[0, 0, 0], [0, 1, 0], [0, 0, 1]], bool)


def gray(type: str = "f32") -> Any:
    return alg.array("a", DECLARED, type)


def harris() -> Any:
    a = gray()
    x, y = alg.correlate(a, SOBEL), alg.correlate(a, SOBEL.T)
    xx, yy, xy = (alg.convolve(v, BINOMIAL) for v in (x * x, y * y, x * y))
    return xx * yy - xy * xy - 0.05 * (xx + yy) * (xx + yy)


def unsharp() -> Any:
    a = gray()
    return a + alg.scalar("amount") * (a - alg.convolve(a, BINOMIAL))


def opened() -> Any:
    return alg.dilate(alg.erode(gray("u8"), LATE), LATE)


def placed() -> Any:
    a = gray("i32")
    return alg.shift(a + 7 * alg.coordinate(a, 1) - alg.coordinate(a, 0), (2, -1), border="clamp")


PROGRAMS: dict[str, tuple[Any, tuple[tuple[int, int], ...]]] = {
    "blur": (lambda: alg.convolve(gray(), BINOMIAL), ((2, 2), (2, 2))),
    "blur, clamped": (lambda: alg.convolve(gray(), BINOMIAL, border="clamp"), ((2, 2), (2, 2))),
    "blur, constant": (
        lambda: alg.convolve(gray(), BINOMIAL, border="constant", outside=9),
        ((2, 2), (2, 2)),
    ),
    "unsharp": (unsharp, ((2, 2), (2, 2))),
    "harris": (harris, ((3, 3), (3, 3))),
    "opened": (opened, ((1, 1), (1, 1))),
    "median": (lambda: alg.median(gray("u8")), ((1, 1), (1, 1))),
    "one sided": (lambda: alg.shift(gray("u8"), (3, 0), border="clamp"), ((3, 0), (0, 0))),
    "one sided, reflected": (lambda: alg.shift(gray("u8"), (3, 0), border="reflect"), ((3, 3), (0, 0))),
    "placed": (placed, ((2, 0), (0, 1))),
    "translated": (lambda: alg.dilate(alg.translate(gray("u8"), (5, -5)), 3), ((1, 1), (1, 1))),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_halo_follows_from_the_operations(name: str):
    make, wanted = PROGRAMS[name]
    assert alg.halo(alg.compile(make())) == {"a": wanted}


def _numbers(shape: tuple[int, ...], type: str) -> np.ndarray:
    draw = np.random.default_rng(sum(shape))
    found = draw.normal(size=shape) * 100 if type == "f32" else draw.integers(0, 200, shape)
    return found.astype({"f32": np.float32, "u8": np.uint8, "i32": np.int32}[type])


def _whole(make: Any, shape: tuple[int, ...], **given: Any) -> np.ndarray:
    """The program, declared for the whole arrays."""
    global DECLARED
    old, DECLARED = DECLARED, shape
    try:
        return alg.compile(make(), numerics="exact")(**given)
    finally:
        DECLARED = old


# Blocks of one row or column are narrower than any halo. Every shape of a block is compiled, so there are few.
CUTS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((2, 1, 9), (7, 4)),
    ((1, 1, 1), (2, 1)),
    ((5,), (1,)),
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("chunks", CUTS)
def test_blocks_of_any_cuts_have_the_bits_of_the_whole(name: str, chunks: tuple[tuple[int, ...], ...]):
    make, _ = PROGRAMS[name]
    program = alg.compile(make(), numerics="exact")
    shape = tuple(sum(lengths) for lengths in chunks)
    numbers = _numbers(shape, str(program.inputs["a"].type))
    more = {"amount": 0.7} if "amount" in program.scalars else {}
    found = alg.map_blocks(program, a=da.from_array(numbers, chunks=chunks), **more)
    assert found.chunks == chunks
    assert found.dtype == program.outputs["out"].type.dtype
    np.testing.assert_array_equal(found.compute(scheduler="sync"), _whole(make, shape, a=numbers, **more))


def test_colors_several_inputs_and_several_outputs():
    shape = (40, 50, 3)
    a, b = alg.array("a", shape, "u8"), alg.array("b", shape, "u8")
    low = alg.median(a)
    program = alg.compile({"low": low, "most": alg.maximum(low, alg.dilate(b, 5))}, numerics="exact")
    assert alg.halo(program) == {"a": ((1, 1), (1, 1), (0, 0)), "b": ((2, 2), (2, 2), (0, 0))}
    numbers = {"a": _numbers(shape, "u8"), "b": _numbers(shape, "u8")[::-1].copy()}
    arrays = {name: da.from_array(n, chunks=(17, 16, 3)) for name, n in numbers.items()}
    found, whole = alg.map_blocks(program, **arrays), program(**numbers)
    for name in ("low", "most"):
        np.testing.assert_array_equal(found[name].compute(scheduler="threads"), whole[name])


def test_one_block_draws_nothing_of_the_others():
    asked: list[Any] = []

    def block(block_info: Any = None) -> np.ndarray:
        asked.append(block_info[None]["chunk-location"])
        return np.ones((10, 10), np.uint8)

    lazy = da.map_blocks(
        block, chunks=((10,) * 40, (10,) * 40), dtype=np.uint8, meta=np.empty((0, 0), np.uint8)
    )
    found = alg.map_blocks(alg.compile(alg.median(gray("u8"))), a=lazy[:300, :300])
    assert found[15:25, 15:25].compute(scheduler="sync").all()
    assert set(asked) <= {(y, x) for y in range(4) for x in range(4)}


class Counted:
    """An array that counts how often it is read."""

    shape, dtype, ndim = (40, 40), np.dtype("u1"), 2

    def __init__(self) -> None:
        self.reads = 0

    def __getitem__(self, part: tuple[slice, ...]) -> Any:
        self.reads += 1
        return np.arange(1600, dtype=np.uint16).astype("u1").reshape(self.shape)[part]


def test_a_chunk_is_read_once_however_many_blocks_look_into_it():
    counted = Counted()
    program = alg.compile(alg.median(alg.array("a", (9, 9), "u8")))
    array = da.from_array(counted, chunks=10)
    counted.reads = 0
    found = alg.map_blocks(program, a=array).compute(scheduler="sync")
    assert counted.reads == 16
    assert (found == alg.map_blocks(program, a=da.from_array(counted[:, :], chunks=-1)).compute()).all()


@pytest.mark.parametrize(("side", "held"), [(20, False), (60, True)])
def test_a_block_is_copied_out_of_what_is_computed_where_that_is_much_more(side: int, held: bool):
    program = alg.compile(alg.median(alg.array("a", (9, 9), "u8")))
    array = da.zeros((180, 180), chunks=side, dtype="u1")
    block = alg.map_blocks(program, a=array).to_delayed()[1, 1].compute(scheduler="sync")
    assert (block.base is not None and block.base.size > block.size) is held


def test_what_goes_to_workers_can_be_pickled():
    program = alg.compile(harris(), numerics="exact")
    numbers = _numbers((30, 30), "f32")
    lazy = pickle.loads(pickle.dumps(alg.map_blocks(program, a=da.from_array(numbers, chunks=11))))
    np.testing.assert_array_equal(lazy.compute(scheduler="sync"), _whole(harris, (30, 30), a=numbers))


def _by_cases(value: Any, type: str = "i64") -> Any:
    h, i = alg.array("h", 256, type), alg.index("i", 256)
    h[i] = value(i)
    return h


def _histogram() -> Any:
    return _by_cases(lambda i: alg.sum(alg.chi(gray("u8") == i)))


WHOLE: dict[str, tuple[Any, str]] = {
    "part": (lambda: alg.restrict(gray(), (1, 1), (5, 5)), "needs all of 'a': a part of it is taken"),
    "wrap": (lambda: alg.shift(gray(), 1, border="wrap"), "needs all of 'a': a border wraps around"),
    "two sums by cases": (
        lambda: _by_cases(lambda i: alg.sum(alg.chi(gray("u8") == i)) + alg.sum(alg.chi(gray("u8") < i))),
        "a definition by cases is no single sum, maximum or minimum",
    ),
    "floats by cases": (
        lambda: _by_cases(lambda i: alg.sum(gray()) * i.astype("f32"), "f32"),
        "a definition by cases is no single sum",
    ),
    "weights by cases": (
        lambda: _by_cases(lambda i: alg.sum(alg.where(gray() > i.astype("f32"), gray(), 0)), "f32"),
        "a sum of floats is taken in a definition by cases",
    ),
}


@pytest.mark.parametrize("name", WHOLE)
def test_programs_that_need_all_of_an_input_are_refused_with_the_reason(name: str):
    make, reason = WHOLE[name]
    program = alg.compile(make())
    assert alg.halo(program) == {"a": None}
    array = da.zeros(DECLARED, chunks=100, dtype=program.inputs["a"].type.dtype)
    with pytest.raises(InputError, match=f"map_blocks: {reason}.*; call the program itself"):
        alg.map_blocks(program, a=array)


def _statistics() -> Any:
    a = gray("u8")
    bright = alg.median(a) * 2
    return {
        "sum": alg.sum(a),
        "mean of rows": alg.mean(a, axis=1),
        "least of columns": alg.min(bright, axis=0),
        "greatest": alg.max(bright),
        "normal": a.astype("f32") / alg.max(a).astype("f32"),
        "histogram": _histogram(),
        "of medians": _by_cases(lambda i: alg.sum(alg.chi(alg.median(a) == i))),
        "most": alg.max(_histogram()),
        "places": alg.coordinate(a, 1) * 2,
        "over the mean": alg.sum(alg.chi(a.astype("f64") > alg.mean(a))),
        "over the most": alg.sum(alg.chi(a.astype("i64") * 9 > alg.max(_histogram()))),
    }


@pytest.fixture(scope="module")
def statistics() -> tuple[Any, np.ndarray, dict[str, np.ndarray]]:
    """A program that reduces, an array, and what the program gives for the whole of it."""
    outputs = {name.replace(" ", "_"): value for name, value in _statistics().items()}
    numbers = _numbers((12, 11), "u8")
    global DECLARED
    old, DECLARED = DECLARED, numbers.shape
    try:
        whole = {name.replace(" ", "_"): value for name, value in _statistics().items()}
        wanted = alg.compile(whole, numerics="exact", optimize=False)(a=numbers)
    finally:
        DECLARED = old
    return alg.compile(outputs, numerics="exact"), numbers, wanted


@pytest.mark.parametrize("chunks", CUTS[:1])
def test_reductions_are_joined_from_parts_and_used_in_what_follows(statistics: Any, chunks: Any):
    program, numbers, wanted = statistics
    found = alg.map_blocks(program, a=da.from_array(numbers, chunks=chunks))
    assert [*found] == [*wanted]
    for name, array in dask.compute(found, scheduler="sync")[0].items():
        assert (array.dtype, array.shape) == (wanted[name].dtype, wanted[name].shape), name
        np.testing.assert_array_equal(array, wanted[name], err_msg=name)
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape), name
    assert found["normal"].chunks == chunks


def test_sums_of_floats_do_not_hang_on_how_they_are_cut():
    draw = np.random.default_rng(5)
    numbers = (draw.normal(size=(12, 11)) * 10.0 ** draw.integers(-12, 12, (12, 11))).astype(np.float32)
    program = alg.compile([alg.sum(gray()), alg.sum(alg.convolve(gray(), BINOMIAL), axis=0), alg.max(gray())])
    found = [
        [
            x.tobytes()
            for x in dask.compute(alg.map_blocks(program, a=da.from_array(numbers, chunks=c)))[0].values()
        ]
        for c in (((2, 1, 9), (7, 4)), ((12,), (11,)))
    ]
    assert found[0] == found[1]
    assert np.frombuffer(found[0][0], np.float32)[0] == np.float32(math.fsum(numbers.ravel().tolist()))


def test_relaxed_windows_have_the_bits_of_exact_ones():
    numbers = _numbers((12, 11), "f32")
    found = alg.map_blocks(alg.compile(unsharp()), a=da.from_array(numbers, chunks=(5, 11)), amount=0.7)
    np.testing.assert_array_equal(
        found.compute(scheduler="sync"), _whole(unsharp, (12, 11), a=numbers, amount=0.7)
    )


def test_a_sum_of_floats_in_exact_numerics_is_refused():
    array = da.zeros(DECLARED, chunks=100, dtype=np.float32)
    with pytest.raises(
        InputError, match=r"exact numerics add floats in the order of all points; compile it with"
    ):
        alg.map_blocks(alg.compile(alg.mean(gray()), numerics="exact"), a=array)


def test_a_result_of_many_points_beside_what_is_cut_is_refused():
    a = alg.array("a", 256, "i64")
    h, i = alg.array("h", 256, "i64"), alg.index("i", 256)
    h[i] = alg.sum(alg.chi(a == i.astype("i64")))
    with pytest.raises(InputError, match="of a reduction is used at many points"):
        alg.map_blocks(alg.compile(a + h), a=da.zeros(256, chunks=100, dtype="i8"))


def test_a_border_that_wraps_along_an_axis_of_no_steps_needs_nothing_more():
    program = alg.compile(alg.shift(gray(), (0, 0), border="wrap"))
    assert alg.halo(program) == {"a": ((0, 0), (0, 0))}


ZEROS = da.zeros((20, 20), chunks=10, dtype=np.float32)
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "missing": ({}, r"program: 'a' is missing; give it by name"),
    "unknown": ({"a": ZEROS, "c": ZEROS}, r"program: takes no 'c'"),
    "no array of Dask's": ({"a": np.zeros((20, 20), np.float32)}, r"map_blocks, a: .* is no array of Dask's; make"),
    "another type": ({"a": ZEROS.astype("f8")}, r"map_blocks, a: is float64 with 2 axes; give f32 and 2 axes"),
    "other axes": ({"a": ZEROS[0]}, r"map_blocks, a: is float32 with 1 axes"),
    "unknown shape": ({"a": ZEROS[ZEROS[:, 0] > 0]}, r"map_blocks, a: its shape is unknown; call its compute_chunk"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_arrays_are_refused_in_one_sentence(case: str):
    given, message = BAD[case]
    with pytest.raises(InputError, match=message) as caught:
        alg.map_blocks(alg.compile(alg.convolve(gray(), BINOMIAL)), **given)
    assert "\n" not in str(caught.value)


def test_arrays_of_different_shapes_and_what_is_no_program_are_refused():
    two = alg.compile(gray() + alg.array("b", DECLARED))
    with pytest.raises(
        InputError, match=r"map_blocks, b: has shape \(20, 10\); give one of shape \(20, 20\)"
    ):
        alg.map_blocks(two, a=ZEROS, b=ZEROS[:, :10])
    with pytest.raises(InputError, match=r"algebra: 3 is no program; make one by alg.compile"):
        alg.halo(3)
    with pytest.raises(InputError, match=r"program: has no arrays to cut"):
        alg.halo(alg.compile(alg.scalar("x") + 1))


def test_without_the_extra_one_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'pellucid\[scale\]'"):
        alg.map_blocks(alg.compile(alg.median(gray("u8"))), a=ZEROS)
