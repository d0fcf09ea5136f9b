"""Pictures, algebra and arrays beside forbidden pages: nothing outside of the caller's memory is read or written.

Formats and sounds are tested so in `tests/conversion/test_every_width.py`. Here are whole pictures, pictures of arrays,
and programs of the image algebra, in all shapes that leave a rest in vectors. A fault would end the test run.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.guarded import Guarded

import pellucid as pl
from pellucid import algebra as alg
from pellucid import images as im
from pellucid.base.errors import InputError

SIDES = (1, 2, 3, 5, 7, 15, 16, 17, 31, 33, 63, 65)
ENDS = (True, False)


def guarded(array: np.ndarray, *, at_end: bool, writable: bool = True) -> np.ndarray:
    """A copy of an array between two such pages."""
    memory = Guarded(array.nbytes, at_end=at_end).bytes.view(array.dtype).reshape(array.shape)
    memory[:] = array
    memory.flags.writeable = writable
    return memory


def numbers(shape: tuple[int, ...], type_: str) -> np.ndarray:
    return np.random.default_rng(len(shape)).integers(0, 200, shape).astype(type_)


@pytest.mark.parametrize("at_end", ENDS)
@pytest.mark.parametrize("backend", ["llvm", "c", "tiles", "numpy"])
def test_pictures_stay_in_the_memory_that_is_given(backend: str, at_end: bool):
    picture = im.swirl(20, im.checkerboard(3, im.red, im.blue))
    kernels = pl.compile(picture, backend=backend), pl.compile(picture, backend="numpy")
    for k, width in enumerate(SIDES):
        for samples in (1, 2):
            size = width, SIDES[-1 - k]
            out = guarded(np.zeros((*size[::-1], 4), np.uint8), at_end=at_end)
            kernels[0].render(size, out=out, samples=samples, threads=1 + k % 2)
            assert np.array_equal(out, kernels[1].render(size, samples=samples))


@pytest.mark.parametrize("at_end", ENDS)
@pytest.mark.parametrize("filter", ["bilinear", "bicubic"])
@pytest.mark.parametrize("edge", ["transparent", "wrap"])
def test_arrays_that_pictures_read_are_not_left(filter: str, edge: str, at_end: bool):
    for shape, type_ in (
        ((5, 7), "u1"),
        ((3, 5, 3), "u1"),
        ((4, 3, 4), "u2"),
        ((1, 1, 3), "f4"),
        ((9, 2), "f4"),
    ):
        array = guarded(numbers(shape, type_), at_end=at_end, writable=False)
        found, wanted = (
            pl.render(im.reconstruct(a, filter, edge), (17, 9), zoom=1.7) for a in (array, array.copy())
        )
        assert np.array_equal(found, wanted)


@pytest.mark.parametrize("at_end", ENDS)
@pytest.mark.parametrize("name", ["gray1", "raw10", "v210", "nv12", "pal4"])
def test_bytes_that_pictures_read_are_not_left(name: str, at_end: bool):
    from pellucid.pixels import FORMATS

    for size in ((1, 1), (33, 5)):
        data = np.random.default_rng(3).integers(0, 120, FORMATS[name].size(*size), np.uint8)
        given = guarded(data, at_end=at_end, writable=False)
        look = (size[0] + 3, size[1] + 2)
        drawn = pl.render(im.from_buffer(given, name, size), look)
        assert np.array_equal(drawn, pl.render(im.from_buffer(data, name, size), look))
        out = guarded(np.zeros(FORMATS["rgb24"].size(*look), np.uint8), at_end=at_end)
        pl.render(im.from_buffer(given, name, size), look, format="rgb24", out=out)
        assert (
            np.array_equal(out.reshape(*look[::-1], 3), drawn[..., :3] * (drawn[..., 3:] == 255))
            or not (drawn[..., 3] % 255 == 0).all()
        )


def programs(shape: tuple[int, int], type_: str) -> dict[str, alg.Array]:
    a, b = alg.array("a", shape, type_), alg.array("b", shape, type_)
    found = {
        "sum": a + b,
        "convolution": alg.convolve(a, [[1, 2, 1], [2, 4, 2], [1, 2, 1]]) + b,
        "median": alg.median(a, 3) + b,
        "dilation": alg.dilate(a, (1, 7), "wrap") - alg.erode(b, (5, 1), "reflect"),
        "shift": alg.shift(a, (1, -2), "wrap") + alg.shift(b, (-1, 0), "constant"),
        "total": alg.sum(a, axis=0) + alg.sum(b, axis=0),
    }
    if type_ == "u8":
        h, i = alg.array("h", 256, "i64"), alg.index("i", 256)
        h[i] = alg.sum(alg.chi((a ^ b) == i))
        found["histogram"] = h
    return found


@pytest.mark.parametrize("type_", ["u8", "f32"])
@pytest.mark.parametrize("shape", [(1, 1), (9, 1), (3, 17), (2, 67)], ids=str)
def test_programs_of_the_algebra_stay_in_their_arrays(shape: tuple[int, int], type_: str):
    for name, array in programs(shape, type_).items():
        program = alg.compile(array)
        dtype = np.dtype(array.type.dtype)
        given = {n: numbers(shape, np.dtype(alg.array(n, shape, type_).type.dtype).str) for n in "ab"}
        wanted = program(**given)
        for at_end in ENDS:
            out = guarded(np.zeros(array.shape, dtype), at_end=not at_end)
            program(**{n: guarded(x, at_end=at_end, writable=False) for n, x in given.items()}, out=out)
            assert out.tobytes() == wanted.tobytes(), (name, at_end)


def test_arrays_that_are_not_aligned_are_copied_or_refused():
    room = np.zeros(50, np.uint8)
    odd = room[1:49].view(np.float32)
    assert not odd.flags.aligned
    a = alg.array("a", 12, "f32")
    program = alg.compile(a + 1)
    assert program(a=odd).tolist() == [1.0] * 12
    with pytest.raises(
        InputError, match="out cannot be stored to; give a contiguous, aligned, writable array"
    ):
        program(a=np.zeros(12, np.float32), out=odd)
    view = np.zeros(20, np.float32)[4:16]
    # Part of an array is as good as a whole one.
    assert program(a=np.zeros(12, np.float32), out=view).tolist() == [1.0] * 12


def test_copies_that_do_not_fit_in_memory_are_refused():
    for wide in (
        np.broadcast_to(np.float64(1), (1 << 20, 1 << 20)),
        np.broadcast_to(np.bool_(1), (1 << 20, 1 << 20)),
        np.broadcast_to(np.zeros(1, ">u2"), (1 << 20, 1 << 20)),
        np.broadcast_to(np.zeros((1, 3), "u1")[:, ::-1], (1 << 20, 1 << 20, 3)),
    ):
        with pytest.raises(
            InputError, match=r"bitmap: a copy of an array of shape .* takes .* are available"
        ):
            im.bitmap(wide)
    # What is read in place may be as large as it likes.
    assert im.bitmap(np.broadcast_to(np.uint8(51), (1 << 20, 1 << 20))).at(0.0, 0.0)[0] == pytest.approx(0.2)
