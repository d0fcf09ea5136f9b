"""Bitmaps of every layout, compiled: wherever their bytes lie, in every precision and on every side of every edge."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from pellucid import driver
from pellucid import images as im
from pellucid.images.array2 import Raster
from pellucid.images.bitmap import Bitmap
from pellucid.images.reconstruct import EDGES, FILTERS
from pellucid.images.texel import Texels, element_of, layout_named
from pellucid.ir import expr as E
from pellucid.ir import types as T

NAMES = [
    "gray8", "gray16", "grayf32", "ya8", "bgr24", "rgb24", "rgb48", "rgba64", "rgbf32", "rgbaf32",
    "bgra", "bgrx", "rgba", "rgbx", "rgb565", "argb1555", "rgb10a2", "pal8", "pal8x",
]  # fmt: skip
WIDTH, HEIGHT = 37, 23
SIZE = (61, 47)
"""Larger than the picture, and no multiple of any number of lanes."""


def stored(name: str) -> Bitmap:
    """A picture of random bytes in a layout; alpha and color are independent."""
    layout = layout_named(name)
    element = element_of(layout)
    draw = np.random.default_rng(11)
    count = WIDTH * HEIGHT * Texels(layout, element).step
    if element.is_float:
        data = draw.random(count, np.float32)
    else:
        data = draw.integers(0, element.high, count, element.dtype, endpoint=True)
    palette = None
    if layout.palette:
        words = draw.integers(0, 1 << 32, 256, np.uint32)
        palette = E.Buffer("colors", T.u32, 256, words)
    return Bitmap(Raster(WIDTH, HEIGHT, layout, E.Buffer("pixels", element, count, data), palette=palette))


def wanted(picture: im.Image, zoom: float, precision: str) -> np.ndarray:
    width, height = SIZE
    x = (np.arange(width) + 0.5 - width / 2) / zoom
    y = (height / 2 - 0.5 - np.arange(height)[:, None]) / zoom
    return np.clip(picture.at(x, y, precision=precision), 0, 1) * 255


def check(picture: im.Image, zoom: float = 1.0, precision: str = "f32") -> None:
    drawn = driver.compile(picture, precision=precision).premultiplied(SIZE, zoom=zoom)
    # Half of a step by rounding; a little more where rounding is undecided.
    assert np.abs(drawn - wanted(picture, zoom, precision)).max() <= 0.5 + 2e-2


@pytest.mark.parametrize("name", NAMES)
def test_layouts(name: str):
    check(stored(name).turn(0.4))


@pytest.mark.parametrize("filter", FILTERS)
@pytest.mark.parametrize("edge", EDGES)
def test_filters_and_edges(filter: str, edge: str):
    check(stored("rgba").reconstruct(filter, edge).move((0.3, 0.1)), 1.7)


@pytest.mark.parametrize("name", ["rgba", "bgr24", "gray8", "rgbaf32"])
def test_in_float64(name: str):
    check(stored(name).turn(0.4), 0.8, "f64")


def test_in_linear_light():
    check(stored("rgba").reconstruct(space="linear").turn(0.2))


def test_a_word_may_begin_at_any_byte(tmp_path: Path):
    # The pixels of a bitmap file of 32 bits begin at byte 70, which no 32-bit number would choose.
    words = np.random.default_rng(3).integers(0, 1 << 32, (HEIGHT, WIDTH), np.uint32)
    head = struct.pack("<2sIHHI", b"BM", 0, 0, 0, 70)
    info = struct.pack("<IiiHHIIiiII", 56, WIDTH, -HEIGHT, 1, 32, 3, 0, 0, 0, 0, 0)
    masks = struct.pack("<4I", 0xFF0000, 0xFF00, 0xFF, 0xFF000000)
    path = tmp_path / "a.bmp"
    path.write_bytes(head + info + masks + words.tobytes())
    picture = im.read_image(path)
    assert not picture.buffer.data.flags.aligned
    check(picture)
    check(picture.turn(0.7), 1.3)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (1, 9), (9, 1), (2, 2), (3, 3)])
def test_small_pictures(width: int, height: int):
    array = np.random.default_rng(0).integers(0, 256, (height, width, 4), np.uint8)
    for edge in EDGES:
        check(im.bitmap(array, alpha="premultiplied").reconstruct(edge=edge), 4.3)


def test_views_of_arrays():
    array = np.random.default_rng(0).integers(0, 256, (40, 50, 4), np.uint8)
    for view in (
        array[::-1],
        array[:, ::-1],
        array[3::2, 1:-1:3],
        array.swapaxes(0, 1),
        array[::-1, ::-1].swapaxes(0, 1),
    ):
        check(im.bitmap(view).turn(-0.3))


def test_a_change_in_an_array_shows_without_compiling_again():
    array = np.zeros((HEIGHT, WIDTH), np.uint8)
    kernel = driver.compile(im.bitmap(array))
    assert not kernel.render(SIZE)[..., :3].any()
    array[...] = 255
    inside = kernel.render(SIZE)[16:30, 20:40]
    assert (inside == 255).all()
