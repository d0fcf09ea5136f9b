"""Bad and odd input of formats: what is refused says why, what is odd works, and nothing outside is touched."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import InputError
from pellucid.pixels import FORMATS, Layout, layout_of, pack, unpack

RNG = np.random.default_rng(6)
SIZE = (13, 3)


def noise(name: str, size: tuple[int, int] = SIZE) -> np.ndarray:
    return RNG.integers(0, 256, layout_of(name).size(*size), np.uint8)


@pytest.mark.parametrize("name", ["gray1", "raw10", "rgb565", "nv12", "v210", "pal4"])
def test_buffers_that_are_too_short_are_refused(name: str):
    size = layout_of(name).size(*SIZE)
    told = f"13 x 3 in {name} take {size} bytes, and there are {size - 1}"
    for call in (
        lambda: unpack(bytes(size - 1), FORMATS[name], *SIZE),
        lambda: im.from_buffer(bytes(size - 1), name, SIZE),
        lambda: im.from_buffer(bytes(size + 6), name, SIZE, 7),
        lambda: pl.convert(bytes(size - 1), name, "gray8", SIZE),
    ):
        with pytest.raises(InputError, match=told):
            call()


@pytest.mark.parametrize("name", ["gray1", "raw10", "rgb565", "nv12", "v210"])
def test_results_that_are_too_short_or_too_long_are_refused(name: str):
    size = layout_of(name).size(*SIZE)
    for wrong in (size - 1, size + 1, 0):
        with pytest.raises(InputError, match=f"out: its shape is .* array of {size} bytes"):
            pl.render(im.const(im.red), SIZE, format=name, out=np.zeros(wrong, np.uint8))


def test_samples_of_another_shape_are_refused():
    with pytest.raises(InputError, match=r"pack: the samples of Y are 2 x 2, and not 1 x 2"):
        pack({"Y": [[1, 2], [3, 4]]}, FORMATS["gray8"], 2, 1)
    with pytest.raises(InputError, match="pack: there are no samples of B"):
        pack({"R": [[1]], "G": [[1]]}, FORMATS["rgb24"], 1, 1)
    with pytest.raises(InputError, match="pack: the samples of Y are no numbers"):
        pack({"Y": [["a"]]}, FORMATS["gray8"], 1, 1)
    with pytest.raises(InputError, match="onto: 12 x 1 in gray8 take 12 bytes, and there are 3"):
        pack({"Y": np.zeros((1, 12))}, FORMATS["gray8"], 12, 1, onto=bytes(3))


@pytest.mark.parametrize(("width", "height"), [(-1, 1), (1, -1), (1.5, 1), (None, 3)])
def test_sizes_that_are_none_are_refused(width: int, height: int):
    for call in (
        lambda: FORMATS["nv12"].size(width, height),
        lambda: unpack(bytes(9), FORMATS["nv12"], width, height),
        lambda: pack(dict.fromkeys(("Y", "Cb", "Cr"), 0), FORMATS["nv12"], width, height),
    ):
        with pytest.raises(InputError, match=f"layout nv12: {width} x {height} is no size"):
            call()
    with pytest.raises(InputError, match="is no size"):
        im.from_buffer(bytes(9), "nv12", (width, height))


@pytest.mark.parametrize("name", ["gray1", "mono12p", "rgb565", "rgb48", "yuyv422", "rgbf32", "p010"])
def test_any_address_will_do(name: str):
    data = noise(name)
    source, target = (np.zeros(k * len(data) + 64, np.uint8) for k in (2, 1))
    wanted = pl.convert(data, name, name, SIZE)
    for start in (0, 1, 2, 3, 7, 13):
        source[start : start + len(data)] = data
        target[:] = 0xA5
        # After the picture there is another one.
        given = source[: start + 2 * len(data)]
        pl.convert(given, name, name, SIZE, offset=start, out=target[start : start + len(data)])
        assert np.array_equal(target[start : start + len(data)], wanted)
        assert (target[:start] == 0xA5).all()
        assert (target[start + len(data) :] == 0xA5).all()


def test_a_result_over_its_source_is_refused_and_one_beside_it_is_not():
    memory = np.zeros(300, np.uint8)
    memory[:100] = RNG.integers(0, 256, 100)
    for start in (0, 1, 50, 99):
        with pytest.raises(InputError, match="overlap; pass a copy of one of them"):
            pl.convert(memory[:100], "gray8", "gray8", (10, 10), out=memory[start : start + 100])
    pl.convert(memory[:100], "gray8", "gray8", (10, 10), out=memory[100:200])
    assert np.array_equal(memory[100:200], memory[:100])


def test_nothing_takes_no_bytes_and_is_no_picture():
    for name, layout in FORMATS.items():
        if not layout.palette:
            assert layout.size(0, 0) == layout.size(5, 0) == 0
            assert pack({c: np.zeros((0, 0)) for c in layout.names}, layout, 0, 0) == b""
        assert {v.size for v in unpack(b"\0" * 2000, layout, 0, 0).values()} <= {0, 2, 4, 16, 256}
        if layout.model != "samples":
            for size in ((0, 0), (0, 5), (5, 0)):
                with pytest.raises(InputError, match="is no size"):
                    im.from_buffer(b"", name, size)
                with pytest.raises(InputError, match="size"):
                    pl.render(im.const(im.red), size, format=name)


@pytest.mark.parametrize("name", ["raw10", "raw14", "v210", "mono10packed", "gray1", "uyvy422"])
def test_a_tail_that_is_no_whole_group_is_exact(name: str):
    layout = FORMATS[name]
    groups = layout.planes[0].pixels
    for width in range(1, 2 * groups + 2):
        samples = {c.name: RNG.integers(0, c.high, c.shape(width, 2), endpoint=True) for c in layout.channels}
        data = pack(samples, layout, width, 2)
        assert len(data) == layout.size(width, 2)
        for c, values in unpack(data, layout, width, 2).items():
            assert np.array_equal(values, samples[c])
        # Other pixels of the last group are not read, and are zero in what is written.
        dirty = pack(samples, layout, width, 2, onto=b"\xff" * len(data))
        assert np.array_equal(unpack(dirty, layout, width, 2)[c], samples[c])


@pytest.mark.parametrize("backend", ["llvm", "c", "numpy"])
def test_colors_out_of_range_are_saturated(backend: str):
    values = [-3.0, -0.0, 0.5, 1.0, 7.0, 1e30, np.inf, -np.inf]
    data = np.repeat(np.array(values, "<f4"), 3).tobytes()
    layout = Layout("R:f32 G:f32 B:f32")
    for target, high in (("rgb24", 255), ("rgb565", 31), ("rgb48", 65535), ("R:u32 G:u32 B:u32", 2**32 - 1)):
        found = pl.convert(data, layout, target, (8, 1), backend=backend, precision="f64")
        red = unpack(found, layout_of(target), 8)["R"][0]
        assert red.tolist() == [0, 0, (high + 1) // 2, high, high, high, high, 0]
    found = pl.convert(data, layout, "R:s8 G:s8 B:s8", (8, 1), backend=backend)
    assert unpack(found, Layout("R:s8 G:s8 B:s8"), 8)["R"][0].tolist() == [
        -128,
        0,
        64,
        127,
        127,
        127,
        127,
        -128,
    ]


def test_contradictions_are_told_before_anything_is_done():
    for call in (
        lambda: pl.convert(bytes(9), "Y[7:4] Y[4:0]", "gray8", (1, 1)),
        lambda: pl.render(im.const(im.red), (1, 1), format="Y[7:4] Y[4:0]"),
        lambda: im.from_buffer(bytes(9), "Y[7:4] Y[4:0]", (1, 1)),
    ):
        with pytest.raises(InputError, match=r"Y\[4:0\] is there already\n  Y\[7:4\] Y\[4:0\]\n         \^"):
            call()
