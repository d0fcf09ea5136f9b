"""Values of pictures at many points: by machine code as by the interpreter, for arrays of any library."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import InputError
from pellucid.driver.points import BLOCK, COLUMNS
from pellucid.images import evaluation

RADIUS = pl.param("x", 1.0, low=0.5, high=2.0)
PICTURES = {
    "field": im.perlin_noise().fbm(),
    "region": im.disk(RADIUS),
    "color": im.checkerboard(1, im.red, im.rgba(0, 1, 0, 0.5)),
    "packed": im.discrete(lambda i, j: im.packed_color(i & 255, j & 255, 0)),
    "structure": im.image(lambda p: p * 2),
    "moving": im.turn(im.seconds, im.x + im.y),
}


def parts(value):
    """The arrays of a value, as integers that hold their bits."""
    arrays = [value.x, value.y] if isinstance(value, pl.Point) else [value]
    return [(a.dtype, a.shape, a.view(f"u{a.itemsize}")) for a in map(np.ascontiguousarray, arrays)]


def both(monkeypatch, picture, *points, **how):
    """The values by the compiler and by the interpreter."""
    monkeypatch.setattr(evaluation, "MIN_COMPILED", 1)
    compiled = pl.sample(picture, *points, **how)
    monkeypatch.setattr(evaluation, "MIN_COMPILED", 1 << 60)
    return compiled, pl.sample(picture, *points, **how)


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("name", PICTURES)
def test_compiled_values_are_those_of_the_interpreter_bit_for_bit(monkeypatch, name, precision):
    random = np.random.default_rng(1)
    for count in (1, COLUMNS - 1, COLUMNS + 1):
        x, y, time = random.uniform(-5, 5, (3, count))
        for moment in (0.5, time):
            for one, other in zip(
                *map(parts, both(monkeypatch, PICTURES[name], x, y, moment, precision=precision)), strict=True
            ):
                assert one[:2] == other[:2]
                assert np.array_equal(one[2], other[2])


def test_blocks_and_the_rest_behind_them(monkeypatch):
    x = np.arange(2 * BLOCK + 5, dtype=np.float64)
    one, other = both(monkeypatch, im.x * 2 + im.y, x, -x, precision="f64")
    assert np.array_equal(one, x)
    assert np.array_equal(one, other)


def test_points_out_of_the_reach_of_frames(monkeypatch):
    odd = np.array([np.nan, np.inf, -np.inf, 1e30, -0.0, 2.0**40, 1e-45], np.float32)
    x, y = (a.ravel() for a in np.meshgrid(odd, odd))
    for name in ("field", "region", "color"):
        one, other = both(monkeypatch, PICTURES[name], x, y)
        assert np.array_equal(one, other, equal_nan=True)


def test_shapes_broadcast_as_those_of_numpy(monkeypatch):
    row, column = np.linspace(-1, 1, 7), np.linspace(-1, 1, 5)[:, None]
    for picture, shape in ((im.udisk, (5, 7)), (PICTURES["color"], (5, 7, 4))):
        one, other = both(monkeypatch, picture, row, column)
        assert one.shape == shape
        assert np.array_equal(one, other)
    assert pl.sample(im.x, 1.0, 2.0).shape == ()
    assert pl.sample(im.x, [], []).shape == (0,)
    with pytest.raises(InputError, match=r"x, y and time have the shapes \(2,\), \(3,\), \(\)"):
        im.x.at([1, 2], [1, 2, 3])


@pytest.mark.parametrize("dtype", ["bool", "u1", "i2", "i8", "f2", ">f4", "f8"])
def test_any_array_of_numbers_is_taken(dtype):
    x = np.array([0, 1, 1, 0]).astype(dtype)
    assert im.x.at(x[::2], 0).tolist() == [0.0, 1.0]
    assert im.x.at(x, 0).dtype == np.float32


class Exported:
    """An array of another library, which offers one way to it."""

    def __init__(self, array):
        self.array = array


class ByArray(Exported):
    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.array, dtype)


class ByDlpack(Exported):
    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_arrays_of_other_libraries_are_taken():
    plain = np.array([1.0, 2.0, 3.0])
    with warnings.catch_warnings():
        # Libraries warn about one another while they are imported.
        warnings.simplefilter("ignore")
        pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    given = [
        plain.tolist(),
        tuple(plain),
        range(1, 4),
        memoryview(plain),
        ByArray(plain),
        ByDlpack(plain),
        pandas.Series(plain),
        pandas.Series(plain).astype("Int64"),
        pandas.DataFrame({"a": plain})["a"],
        xarray.DataArray(plain, dims="t"),
        np.array([1, 2.0, 3], object),
    ]
    for each in given:
        assert pl.sample(im.x * 2, each, 0).tolist() == [2.0, 4.0, 6.0], type(each)


@pytest.mark.parametrize(
    "odd", ["abc", ["1", "2"], None, [None], {}, 1j, np.array(["a"]), [[1], [1, 2]], object()]
)
def test_what_holds_no_numbers_is_refused(odd):
    with pytest.raises(InputError, match=r"x is .*, not a number; give a number or an array of numbers"):
        im.x.at(odd, 0)


def test_values_go_where_they_are_told(monkeypatch):
    x = np.linspace(-2, 2, 3 * COLUMNS)
    for least in (1, 1 << 60):
        monkeypatch.setattr(evaluation, "MIN_COMPILED", least)
        for name, dtype in (
            ("field", np.float32),
            ("field", np.float64),
            ("region", np.bool_),
            ("region", np.int8),
        ):
            out = np.zeros(x.shape, dtype)
            assert PICTURES[name].at(x, 0.25, out=out) is out
            assert np.array_equal(out, PICTURES[name].at(x, 0.25).astype(dtype))
        spaced = np.zeros((len(x), 6), np.float32)
        pl.sample(PICTURES["color"], x, 0.25, out=spaced[:, 1:5])
        assert np.array_equal(spaced[:, 1:5], PICTURES["color"].at(x, 0.25))
        assert not spaced[:, [0, 5]].any()
        upside = np.zeros((2, len(x)))[:, ::-1].T
        assert np.array_equal(pl.sample(im.x, x[:, None], [0, 1], out=upside)[:, 1], x.astype(np.float32))


def test_out_may_be_where_the_points_are(monkeypatch):
    monkeypatch.setattr(evaluation, "MIN_COMPILED", 1)
    x = np.arange(BLOCK + 9, dtype=np.float32)
    wanted = x[::-1] * 3
    im.udisk.at(x, 0)
    assert np.array_equal(pl.sample(im.x * 3, x[::-1], 0, out=x), wanted)


@pytest.mark.parametrize(
    ("picture", "out", "words"),
    [
        (im.x, [1.0], "is not an array"),
        (im.x, np.zeros(2, np.float32), r"shape"),
        (im.x, np.zeros(3, np.int32), "float32 does not go into int32"),
        (im.const(im.red), np.zeros(3, np.float32), "last axis of 4"),
        (PICTURES["structure"], np.zeros(3), "structure of 2 numbers"),
        (im.x, np.broadcast_to(np.float32(0), 3), "cannot be written to"),
    ],
)
def test_an_out_that_does_not_fit_is_refused(picture, out, words):
    with pytest.raises(InputError, match=words):
        pl.sample(picture, [1.0, 2.0, 3.0], 0, out=out)


def test_parameters_are_those_of_the_picture():
    assert pl.sample(PICTURES["region"], 1.5, 0.0, params={"x": 2.0})
    for params, words in (
        ({"x": 3.0}, "3.0 is not in 0.5 .. 2.0"),
        ({"radius": 1.0}, "no parameter 'radius'"),
        ([1], "is not a mapping"),
        ({"x": "a"}, "not a number"),
    ):
        with pytest.raises(InputError, match=words):
            pl.sample(PICTURES["region"], 0, 0, params=params)


@pytest.mark.parametrize("precision", ["f16", "", 64, []])
def test_a_precision_is_one_of_two(precision):
    with pytest.raises(InputError, match=r"precision: .* is not known; "):
        pl.sample(im.x, 0, 0, precision=precision)


def test_whatever_can_be_drawn_can_be_sampled():
    assert pl.sample(pl.compile(im.x, precision="f64"), 0.1, 0) == 0.1
    assert pl.sample(im.red, [0, 1], 0).tolist() == [[1, 0, 0, 1]] * 2
    assert pl.sample(im.seconds * 2, 0, 0, [1, 2]).tolist() == [2, 4]
    with pytest.raises(pl.PellucidError, match="'swirl' is not a picture"):
        pl.sample("swirl", 0, 0)


def test_values_at_masked_points_are_masked():
    x = np.ma.masked_array([0.0, 1.0, 2.0], [False, True, False])
    y = np.ma.masked_array([[0.0], [5.0]], [[False], [True]])
    found = pl.sample(im.x + im.y, x, y)
    assert isinstance(found, np.ma.MaskedArray)
    assert found.mask.tolist() == [[False, True, False], [True, True, True]]
    assert found.filled(-1).tolist() == [[0, -1, 2], [-1, -1, -1]]
    colors = pl.sample(im.const(im.red), (x, 0.0))
    assert colors.mask.tolist() == [[False] * 4, [True] * 4, [False] * 4]
    pair = pl.sample(
        im.image(lambda p: (p.x, p.y)), x, 1.0, np.ma.masked_array([0.0] * 3, [True, False, False])
    )
    assert [each.mask.tolist() for each in pair] == [[True, True, False]] * 2
    many = np.ma.masked_array(np.zeros(20_000), np.arange(20_000) % 2 == 0)
    assert np.array_equal(pl.sample(im.x, many, 0.0).mask, many.mask)
    assert not np.ma.isMaskedArray(pl.sample(im.x, [0.0], 0.0))
    assert pl.sample(im.x, np.ma.masked_array([1.0, 2.0]), 0.0).tolist() == [1.0, 2.0]


def test_masks_are_not_dropped_where_they_cannot_be_kept():
    x = np.ma.masked_array([0.0, 1.0], [False, True])
    with pytest.raises(
        InputError, match="out: an array that was given takes no mask of points; ask without out"
    ):
        pl.sample(im.x, x, 0.0, out=np.zeros(2, np.float32))
    with pytest.raises(InputError, match=r"bitmap: the mask of an array .*; give array.filled\(value\)"):
        im.bitmap(np.ma.masked_array([[0.0, 1.0]], [[False, True]]))
    assert im.bitmap(np.ma.masked_array([[0.0, 1.0]])).size == (2, 1)
