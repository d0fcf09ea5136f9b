"""Planes are stored in the words that their samples lie in where there are such; bytes are the same either way."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.pixels.made_up import MadeUp, layouts
from tests.turns import NIGHTLY

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import IrError
from pellucid.canvas import convert as canvas
from pellucid.conversion.access import PlaneMemory, read, write
from pellucid.conversion.planes import element_of, planes_of
from pellucid.ir import expr as E
from pellucid.ir import interp
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer
from pellucid.pixels import FORMATS, Layout

SIZE = (12, 4)
DRAWN = [n for n, f in FORMATS.items() if f.model != "samples" and not f.palette]


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("rgb24", "u8"),
        ("rgb332", "u8"),
        ("rgb565", "u16"),
        ("rgb565be", "u8"),
        ("gray10", "u16"),
        ("gray16", "u16"),
        ("gray16be", "u8"),
        ("mono12p", "u8"),
        ("rgbaf16", "u16"),
        ("rgbf32", "u32"),
        ("bgr10a2", "u32"),
        ("r210", "u8"),
        ("v210", "u32"),
        ("nv12", "u8 u8"),
        ("p010", "u16 u16"),
        ("yuv422p10", "u16 u16 u16"),
    ],
)
def test_planes_of_formats(name: str, types: str):
    layout = FORMATS[name]
    assert " ".join(str(p.type) for p in planes_of(layout.text, SIZE, aligned=True)) == types
    plain = planes_of(layout.text, SIZE, aligned=False)
    assert {p.type for p in plain} == {T.u8}
    whole = sum(p.size * p.type.bits // 8 for p in planes_of(layout.text, SIZE, aligned=True))
    assert whole == sum(p.size for p in plain) == layout.size(*SIZE)


def test_what_keeps_a_plane_in_bytes():
    whole = Layout("Y:10 _:6")
    assert element_of(whole, 0, 2) is T.u16
    assert element_of(whole, 0, 1) is T.u8, "rows begin anywhere"
    assert element_of(Layout("Y:10 _:6 A:8 _:8"), 0, 4) is T.u8, "a byte that holds nothing stays as it is"
    assert element_of(Layout("Y:10 A:14"), 0, 12) is T.u8, "three bytes are no word"
    assert element_of(Layout("_:12 Y:10 _:10"), 0, 4) is T.u8, "bytes before and after hold nothing"
    assert element_of(Layout("R:12 G:12 B:8"), 0, 4) is T.u32, "no half of it holds whole samples"
    # The second plane begins after an odd number of bytes.
    planar = Layout("A:8; Y:16")
    assert [str(p.type) for p in planes_of(planar.text, (3, 1), aligned=True)] == ["u8", "u8"]
    assert [str(p.type) for p in planes_of(planar.text, (4, 1), aligned=True)] == ["u8", "u16"]


@given(layouts("gray", "rgba", "ycbcr", "samples", most=20), st.randoms())
def test_words_hold_the_bytes_of_a_group(made: MadeUp, random):
    layout = Layout(made.text)
    for number, plane in enumerate(layout.planes):
        word = element_of(layout, number, math.gcd(64, plane.bits // 8))
        samples = {
            c.name: [E.const(random.getrandbits(c.bits), T.u64 if c.bits > 32 else T.u32) for _ in c.places]
            for c in layout.channels
            if c.plane == number
        }
        found = [
            np.array([interp.evaluate([value], {})[0] for value, _ in write(layout, number, samples, t)])
            for t in (T.u8, word)
        ]
        assert all(a.dtype == t.dtype for a, t in zip(found, (T.u8, word), strict=True))
        assert found[1].tobytes() == found[0].tobytes()


def read_everywhere(layout: Layout, data: np.ndarray, width: int, *, words: bool, block: int | None) -> list:
    """The bits of every sample of two rows, at columns of which nothing is known or each of a block by itself."""
    planes = planes_of(layout.text, (width, 2), aligned=words)
    bounds = layout.offsets(width, 2)
    arrays = {
        p: data[start:stop].view(p.type.dtype)
        for p, start, stop in zip(planes, bounds, bounds[1:], strict=False)
    }
    found = []
    for c in layout.channels:
        memory = PlaneMemory(
            planes[c.plane],
            0,
            8 * layout.planes[c.plane].row_bytes(width) // planes[c.plane].type.bits,
        )
        rows, columns = c.shape(width, 2)
        row = {E.index("j"): np.arange(rows, dtype=np.int32)[:, None]}
        if block is None:
            node = read(layout, c, memory, E.index("i"), E.index("j"))
            where = {E.index("i"): np.arange(columns, dtype=np.int32)}
            found.append(np.broadcast_to(interp.evaluate([node], where | row, arrays)[0], (rows, columns)))
            continue
        for k in range(columns):
            node = read(layout, c, memory, E.const(k, T.i32), E.index("j"))
            found.append(np.broadcast_to(interp.evaluate([node], row, arrays)[0], (rows, 1)))
    return found


def agrees(layout: Layout, width: int) -> None:
    data = np.random.default_rng(7).integers(0, 256, layout.size(width, 2), np.uint8)
    for block in (None, 1):
        plain, found = (
            read_everywhere(layout, data, width, words=words, block=block) for words in (False, True)
        )
        assert all(np.array_equal(a, b) for a, b in zip(plain, found, strict=True))


@pytest.mark.parametrize("name", FORMATS)
def test_samples_are_read_from_words_as_from_bytes(name: str):
    for width in (1, 6, 12):
        agrees(FORMATS[name], width)


@pytest.mark.parametrize(
    "text", ["Y0:10 Y1:10 Y2:10 _:2", "Y0:12 _:4 Y1:12 _:4", "R:10 G:12 B:10", "Y0:9 A0:7 Y1:9 A1:7"]
)
def test_several_samples_in_a_word(text: str):
    layout = Layout(text)
    assert element_of(layout, 0, 4).bits > 8
    agrees(layout, 12)


@given(layouts("gray", "rgba", "ycbcr", "samples"), st.sampled_from([1, 4, 8]))
def test_made_up_samples_are_read_from_words_as_from_bytes(made: MadeUp, width: int):
    agrees(Layout(made.text), width)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("backend", ["llvm", "c", "numpy"])
@pytest.mark.parametrize("name", ["rgb565", "v210", "yuv422p10", "p010", "rgbaf16", "rgbf32"])
def test_memory_that_begins_anywhere(name: str, backend: str):
    data = np.random.default_rng(4).integers(0, 256, FORMATS["rgb24"].size(*SIZE), np.uint8)
    count = FORMATS[name].size(*SIZE)
    want = pl.convert(data, "rgb24", name, SIZE, backend="numpy")
    kernel = pl.compile(im.const(im.red), backend=backend)
    drawn = pl.render(kernel, SIZE, format=name)
    room = np.empty(count + 64, np.uint8)
    start = -room.ctypes.data % 16
    for more in (0, 1, 2, 4, 7):
        out = room[start + more : start + more + count]
        room[:], out[:] = 165, 0
        pl.convert(data, "rgb24", name, SIZE, backend=backend, out=out)
        assert np.array_equal(out, want)
        out[:] = 0
        pl.render(kernel, SIZE, format=name, out=out)
        assert np.array_equal(out, drawn)
        around = np.delete(room, np.s_[start + more : start + more + count])
        assert (around == 165).all()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", DRAWN)
def test_words_and_bytes_are_one_picture(name: str):
    pairs = [("rgb48", name), (name, "rgb48"), (name, name), (name, "yuv422p10")]
    for source, target in pairs if NIGHTLY else pairs[DRAWN.index(name) % 2 :: 2]:
        count, many = FORMATS[source].size(*SIZE), FORMATS[target].size(*SIZE)
        data = np.random.default_rng(5).integers(0, 256, count, np.uint8)
        given, room = np.empty(count + 16, np.uint8), np.empty(many + 16, np.uint8)
        starts = [-x.ctypes.data % 4 for x in (given, room)]
        found = []
        for more in ((0, 0), (0, 1), (1, 0), (3, 2)):
            first, last = (start + n for start, n in zip(starts, more, strict=True))
            given[first : first + count] = data
            out = room[last : last + many]
            out[:] = 90
            # Floats may be anything, NaN as well, of which relaxed code promises less.
            exact = {"numerics": "exact", "offset": first, "out": out}
            found.append(pl.convert(given[: first + count], source, target, SIZE, **exact).copy())
        assert all(np.array_equal(found[0], each) for each in found[1:])


def test_code_at_hand_is_called_with_its_own_buffers():
    data = bytes(range(6))
    want = pl.convert(data, "rgb24", "bgr24", (2, 1))
    # As after many other conversions: the buffers of this one are made anew.
    planes_of.cache_clear()
    canvas._source.cache_clear()
    assert np.array_equal(pl.convert(data, "rgb24", "bgr24", (2, 1)), want)


def test_data_that_is_worked_out_when_it_is_asked_for():
    calls = []

    def squares() -> np.ndarray:
        calls.append(1)
        return np.arange(4, dtype=np.uint8) ** 2

    buffer = Buffer("squares", T.u8, 4, squares)
    assert buffer.waits
    assert not calls
    assert buffer.data is buffer.data
    assert buffer.data is not None
    assert buffer.data.tolist() == [0, 1, 4, 9]
    assert not buffer.waits
    assert len(calls) == 1
    with pytest.raises(IrError, match="data is not 5 elements of u8"):
        _ = Buffer("squares", T.u8, 5, squares).data
