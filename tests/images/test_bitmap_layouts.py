"""Every layout of pixels gives the colors that Pillow or NumPy finds in the same bytes, and reads them in place."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow

from pellucid import images as im
from pellucid.base.errors import FileError, InputError
from pellucid.images.bitmap import Bitmap
from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.tracing import Point, Value, flatten

WIDTH, HEIGHT = 5, 4
"""Odd and even, and rows of 24 bits that need padding."""


def noise(*shape: int, high: int = 256, dtype: type = np.uint8) -> np.ndarray:
    return np.random.default_rng(7).integers(0, high, shape).astype(dtype)


def pixels_of(picture) -> np.ndarray:
    """The color at each pixel's center, by rows from the top."""
    width, height = picture.size
    x = np.arange(width) + 0.5 - width / 2
    y = height / 2 - 0.5 - np.arange(height)
    return picture.at(x[None, :], y[:, None])


def premultiplied(rgba: np.ndarray) -> np.ndarray:
    rgba = rgba.astype(np.float64)
    return np.concatenate([rgba[..., :3] * rgba[..., 3:] / 255**2, rgba[..., 3:] / 255], axis=-1)


def expressions(picture) -> list[E.Expr]:
    leaves, _ = flatten(picture(Point(Value(E.param("x", T.f32)), Value(E.param("y", T.f32)))))
    return [leaf.expr for leaf in leaves if isinstance(leaf, Value)]


def bmp(
    bits: int,
    rows: np.ndarray,
    *,
    top_down: bool = False,
    header: int = 40,
    compression: int = 0,
    masks: tuple[int, ...] = (),
    palette: bytes = b"",
    used: int = 0,
    gap: int = 0,
) -> bytes:
    """A bitmap file of rows of bytes, top row first; written from the description of the format alone."""
    height, taken = rows.shape
    width = taken * 8 // bits
    line = (bits * width + 31) // 32 * 4
    padded = np.full((height, line), 0xEE, np.uint8)
    padded[:, :taken] = rows
    if not top_down:
        padded = padded[::-1]
    if header == 12:
        info = struct.pack("<IHHHH", 12, width, height, 1, bits)
    else:
        signed = -height if top_down else height
        info = struct.pack("<IiiHHIIiiII", header, width, signed, 1, bits, compression, 0, 0, 0, used, 0)
        fields = struct.pack(f"<{len(masks)}I", *masks)
        info += fields if header == 40 else fields.ljust(header - 40, b"\0")
    offset = 14 + len(info) + len(palette) + gap
    start = struct.pack("<2sIHHI", b"BM", offset + padded.size, 0, 0, offset)
    return start + info + palette + b"\0" * gap + padded.tobytes()


RGB = noise(HEIGHT, WIDTH, 3)
RGBA = noise(HEIGHT, WIDTH, 4)
BYTES = noise(HEIGHT, WIDTH)
PALETTE = noise(256, 4)
GRAYS = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 4, axis=1)
STANDARD = (0x00FF0000, 0x0000FF00, 0x000000FF)


@pytest.fixture
def saved(tmp_path: Path):
    def save(data: bytes) -> Path:
        path = tmp_path / "picture.bmp"
        path.write_bytes(data)
        return path

    return save


@pytest.mark.parametrize("top_down", [False, True], ids=["bottom up", "top down"])
@pytest.mark.parametrize("gap", [0, 1, 6])
def test_24_bits(saved, top_down: bool, gap: int):
    path = saved(bmp(24, RGB[..., ::-1].reshape(HEIGHT, -1), top_down=top_down, gap=gap))
    assert np.array_equal(np.asarray(Pillow.open(path)), RGB)
    picture = im.read_image(path)
    assert picture.layout.name == "bgr24"
    got = pixels_of(picture)
    assert np.array_equal(np.rint(got[..., :3] * 255), RGB)
    assert (got[..., 3] == 1).all()


def test_24_bits_with_the_oldest_header(saved):
    path = saved(bmp(24, RGB[..., ::-1].reshape(HEIGHT, -1), header=12))
    assert np.array_equal(np.asarray(Pillow.open(path)), RGB)
    assert np.array_equal(np.rint(pixels_of(im.read_image(path))[..., :3] * 255), RGB)


@pytest.mark.parametrize("top_down", [False, True], ids=["bottom up", "top down"])
@pytest.mark.parametrize("header", [40, 52, 56, 108, 124])
def test_32_bits(saved, top_down: bool, header: int):
    stored = RGBA[..., [2, 1, 0, 3]].reshape(HEIGHT, -1)
    with_alpha = header >= 56
    masks = (*STANDARD, 0xFF000000) if with_alpha else STANDARD
    picture = im.read_image(
        saved(bmp(32, stored, top_down=top_down, header=header, compression=3, masks=masks))
    )
    assert picture.layout.name == ("bgra" if with_alpha else "bgrx")
    want = RGBA.copy()
    if not with_alpha:
        want[..., 3] = 255
    assert np.allclose(pixels_of(picture), premultiplied(want), atol=1e-6)


def test_32_bits_agree_with_pillow(saved):
    stored = RGBA[..., [2, 1, 0, 3]].reshape(HEIGHT, -1)
    path = saved(bmp(32, stored, header=124, compression=3, masks=(*STANDARD, 0xFF000000)))
    assert np.array_equal(np.asarray(Pillow.open(path)), RGBA)
    plain = saved(bmp(32, stored))
    assert np.array_equal(np.asarray(Pillow.open(plain)), RGBA[..., :3])
    assert np.array_equal(np.rint(pixels_of(im.read_image(plain))[..., :3] * 255), RGBA[..., :3])


def test_32_bits_with_channels_elsewhere():
    stored = RGBA[..., [3, 0, 1, 2]].reshape(HEIGHT, -1)
    masks = (0x0000FF00, 0x00FF0000, 0xFF000000, 0x000000FF)
    picture = im.read_image(bmp(32, stored, header=56, compression=3, masks=masks))
    assert np.allclose(pixels_of(picture), premultiplied(RGBA), atol=1e-6)


def test_32_bits_with_ten_per_color():
    words = noise(HEIGHT, WIDTH, high=1 << 30, dtype=np.uint32)
    masks = (0x3FF << 20, 0x3FF << 10, 0x3FF)
    picture = im.read_image(bmp(32, words.view(np.uint8).reshape(HEIGHT, -1), compression=3, masks=masks))
    want = np.stack([words >> 20 & 0x3FF, words >> 10 & 0x3FF, words & 0x3FF], -1) / 1023
    assert np.allclose(pixels_of(picture)[..., :3], want, atol=1e-6)


@pytest.mark.parametrize(
    "masks", [(), (0xF800, 0x07E0, 0x001F), (0x7C00, 0x03E0, 0x001F)], ids=["plain", "565", "555"]
)
def test_16_bits(saved, masks: tuple[int, ...]):
    words = noise(HEIGHT, WIDTH, high=1 << 16, dtype=np.uint16)
    path = saved(
        bmp(16, words.view(np.uint8).reshape(HEIGHT, -1), compression=3 if masks else 0, masks=masks)
    )
    want = np.asarray(Pillow.open(path)).astype(float) / 255
    # Pillow rounds 5 and 6 bits down to 8; here they are exact.
    assert np.abs(pixels_of(im.read_image(path))[..., :3] - want).max() < 1 / 255
    exact = [((words.astype(int) & m) // (m & -m)) / (m // (m & -m)) for m in masks or (0x7C00, 0x3E0, 0x1F)]
    assert np.allclose(pixels_of(im.read_image(path))[..., :3], np.stack(exact, -1), atol=1e-6)


@pytest.mark.parametrize("top_down", [False, True], ids=["bottom up", "top down"])
def test_8_bits_of_gray(saved, top_down: bool):
    path = saved(bmp(8, BYTES, palette=GRAYS.tobytes(), top_down=top_down))
    picture = im.read_image(path)
    assert np.array_equal(np.asarray(Pillow.open(path).convert("L")), BYTES)
    assert picture.layout.name == "gray8"
    assert np.array_equal(np.rint(pixels_of(picture) * 255)[..., 0], BYTES)


@pytest.mark.parametrize(
    ("header", "used"), [(12, 0), (40, 0), (40, 256), (40, 7), (124, 0), (124, 7)], ids=str
)
def test_8_bits_with_a_palette(saved, header: int, used: int):
    count = used or 256
    indices = (BYTES.astype(int) % count).astype(np.uint8)
    colors = PALETTE[:count, : 3 if header == 12 else 4]
    path = saved(bmp(8, indices, palette=colors.tobytes(), used=used, header=header))
    assert np.array_equal(np.asarray(Pillow.open(path).convert("RGB")), PALETTE[indices][..., 2::-1])
    picture = im.read_image(path)
    assert picture.layout.name == "pal8x"
    assert np.array_equal(np.rint(pixels_of(picture)[..., :3] * 255), PALETTE[indices][..., 2::-1])


def test_the_palette_is_a_load_of_a_load(saved):
    picture = im.read_image(saved(bmp(8, BYTES, palette=PALETTE.tobytes())))
    loads = [n for n in E.topological(expressions(picture)) if n.op == "load"]
    colors = [n for n in loads if n.attr.type is T.u32]
    assert colors
    assert all(
        any(m.op == "load" and m.attr is picture.buffer for m in E.topological(n.args)) for n in colors
    )


@pytest.mark.parametrize("bits", [1, 4])
def test_few_bits_are_unpacked(saved, bits: int):
    rows = noise(HEIGHT, 6 * bits // 2)
    colors = PALETTE[: 1 << bits]
    path = saved(bmp(bits, rows, palette=colors.tobytes()))
    want = np.asarray(Pillow.open(path).convert("RGB"))
    assert np.array_equal(np.rint(pixels_of(im.read_image(path))[..., :3] * 255), want)


def test_run_lengths_are_unpacked(saved):
    # Three pixels of 5, end of line, one of 9 and two of 200, end of picture.
    runs = bytes([3, 5, 0, 0, 1, 9, 2, 200, 0, 1])
    info = struct.pack("<IiiHHIIiiII", 40, 3, 2, 1, 8, 1, len(runs), 0, 0, 0, 0)
    head = struct.pack("<2sIHHI", b"BM", 54 + 1024 + len(runs), 0, 0, 54 + 1024)
    picture = im.read_image(saved(head + info + PALETTE.tobytes() + runs))
    want = PALETTE[[[9, 200, 200], [5, 5, 5]]][..., 2::-1]
    assert np.array_equal(np.rint(pixels_of(picture)[..., :3] * 255), want)


# ---- through Pillow ----


def stored_as(array: np.ndarray, mode: str, path: Path, **options) -> Path:
    Pillow.fromarray(array).convert(mode).save(path, **options)
    return path


@pytest.mark.parametrize("suffix", ["png", "tiff", "webp"])
def test_files_without_loss(tmp_path: Path, suffix: str):
    options = {"lossless": True, "exact": True} if suffix == "webp" else {}
    path = stored_as(RGBA, "RGBA", tmp_path / f"a.{suffix}", **options)
    assert np.allclose(pixels_of(im.read_image(path)), premultiplied(RGBA), atol=1e-6)
    path = stored_as(RGB, "RGB", tmp_path / f"b.{suffix}", **options)
    picture = im.read_image(path)
    assert picture.layout.name == "rgbx"
    assert np.array_equal(np.rint(pixels_of(picture)[..., :3] * 255), RGB)


@pytest.mark.parametrize("mode", ["L", "P", "1", "LA", "RGB", "RGBA", "I;16"])
def test_modes_of_png(tmp_path: Path, mode: str):
    path = tmp_path / "a.png"
    if mode == "I;16":
        gray = noise(HEIGHT, WIDTH, high=1 << 16, dtype=np.uint16)
        Pillow.fromarray(gray).save(path)
        picture = im.read_image(path)
        assert picture.layout.name == "gray16"
        assert np.allclose(pixels_of(picture)[..., 0], gray / 65535, atol=1e-7)
        return
    Pillow.fromarray(RGBA).convert(mode).save(path)
    want = np.asarray(Pillow.open(path).convert("RGBA"))
    assert np.allclose(pixels_of(im.read_image(path)), premultiplied(want), atol=1e-6)


def test_alpha_of_255_everywhere_is_no_alpha(tmp_path: Path):
    opaque = RGBA.copy()
    opaque[..., 3] = 255
    assert im.read_image(stored_as(opaque, "RGBA", tmp_path / "a.png")).layout.name == "rgbx"


def test_transparent_color_of_a_palette(tmp_path: Path):
    picture = Pillow.fromarray(BYTES % 4)
    picture.putpalette(PALETTE[:4, :3].tobytes())
    picture.save(tmp_path / "a.gif", transparency=2)
    got = pixels_of(im.read_image(tmp_path / "a.gif"))
    assert np.array_equal(got[..., 3] == 0, BYTES % 4 == 2)
    assert (got[BYTES % 4 == 2] == 0).all()


def test_floats_of_tiff(tmp_path: Path):
    gray = np.random.default_rng(1).random((HEIGHT, WIDTH), np.float32)
    Pillow.fromarray(gray).save(tmp_path / "a.tiff")
    picture = im.read_image(tmp_path / "a.tiff")
    assert picture.layout.name == "grayf32"
    assert np.array_equal(pixels_of(picture)[..., 1], gray)


def test_jpeg_is_what_pillow_decodes(tmp_path: Path):
    path = stored_as(noise(24, 40, 3), "RGB", tmp_path / "a.jpeg")
    want = np.asarray(Pillow.open(path))
    assert np.array_equal(np.rint(pixels_of(im.read_image(path))[..., :3] * 255), want)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_photographs_are_turned_upright(tmp_path: Path, orientation: int):
    exif = Pillow.Exif()
    exif[0x0112] = orientation
    Pillow.fromarray(RGB).save(tmp_path / "a.png", exif=exif)
    upright = {
        1: RGB,
        2: RGB[:, ::-1],
        3: RGB[::-1, ::-1],
        4: RGB[::-1],
        5: RGB.swapaxes(0, 1),
        6: RGB[::-1].swapaxes(0, 1),
        7: RGB[::-1, ::-1].swapaxes(0, 1),
        8: RGB[:, ::-1].swapaxes(0, 1),
    }[orientation]
    picture = im.read_image(tmp_path / "a.png")
    assert np.array_equal(np.rint(pixels_of(picture)[..., :3] * 255), upright)


# ---- arrays ----


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
@pytest.mark.parametrize("channels", [0, 1, 3, 4])
def test_arrays(dtype: type, channels: int):
    shape = (HEIGHT, WIDTH, channels) if channels else (HEIGHT, WIDTH)
    peak = 1 if dtype is np.float32 else np.iinfo(dtype).max
    array = (np.random.default_rng(3).random(shape) * peak).astype(dtype)
    picture = im.bitmap(array)
    assert picture.buffer is not None
    assert np.shares_memory(picture.buffer.data, array)
    want = array.astype(np.float64) / peak
    if channels in (0, 1):
        want = np.broadcast_to(want.reshape(HEIGHT, WIDTH, 1), (HEIGHT, WIDTH, 3))
    alpha = want[..., 3:] if channels == 4 else np.ones((HEIGHT, WIDTH, 1))
    want = np.concatenate([want[..., :3] * alpha, alpha], axis=-1)
    assert np.allclose(pixels_of(picture), want, atol=1e-6)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::-1],
        lambda a: a[:, ::-1],
        lambda a: a[::2, 1::3],
        lambda a: a.swapaxes(0, 1),
        lambda a: a[::-1, ::-1].swapaxes(0, 1),
        lambda a: a[3:4],
        lambda a: a[:, 2:3],
        lambda a: np.broadcast_to(a[:1], a.shape),
    ],
    ids=["upside down", "mirrored", "every other", "turned", "turned back", "row", "column", "repeated"],
)
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_views_of_arrays_are_read_in_place(view, channels: int):
    array = noise(6, 7, channels)
    seen = view(array)
    picture = im.bitmap(seen, alpha="premultiplied")
    assert np.shares_memory(picture.buffer.data, array)
    got = np.rint(pixels_of(picture) * 255)
    assert np.array_equal(got[..., :channels], seen)


def test_channels_that_are_apart_are_copied():
    array = noise(3, HEIGHT, WIDTH)
    picture = im.bitmap(np.moveaxis(array, 0, -1))
    assert not np.shares_memory(picture.buffer.data, array)
    assert np.array_equal(np.rint(pixels_of(picture)[..., :3] * 255), np.moveaxis(array, 0, -1))


def test_a_change_in_an_array_shows():
    array = np.zeros((1, 1), np.uint8)
    picture = im.bitmap(array)
    assert picture.at(0, 0)[0] == 0
    array[...] = 255
    assert picture.at(0, 0)[0] == 1


def test_truths_gray_with_alpha_and_foreign_byte_orders():
    assert np.array_equal(pixels_of(im.bitmap(RGB[..., 0] > 99))[..., 1], RGB[..., 0] > 99)
    gray = noise(HEIGHT, WIDTH, 2)
    want = premultiplied(gray[..., [0, 0, 0, 1]])
    assert np.allclose(pixels_of(im.bitmap(gray)), want, atol=1e-6)
    foreign = noise(HEIGHT, WIDTH, high=1 << 16, dtype=np.uint16).astype(">u2")
    assert np.allclose(pixels_of(im.bitmap(foreign))[..., 0], foreign / 65535, atol=1e-7)


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((0, 3), np.uint8),
        np.zeros((3, 3, 5), np.uint8),
        np.zeros(3, np.uint8),
        np.zeros((2, 2), np.int64),
        np.zeros((2, 2, 2, 2), np.uint8),
        np.zeros((2, 2, 2), np.float32),
        np.array([["a"]]),
        3,
    ],
    ids=lambda a: str(np.shape(a)),
)
def test_what_is_no_picture_is_refused(array):
    with pytest.raises(InputError, match="is no picture"):
        im.bitmap(array)


# ---- meaning of alpha, and parts ----


def test_all_bytes_come_back():
    ramp = np.arange(256, dtype=np.uint8).reshape(16, 16)
    for channel in range(4):
        array = np.full((16, 16, 4), 255, np.uint8)
        array[..., channel] = ramp
        got = pixels_of(im.bitmap(array, alpha="premultiplied"))
        assert np.array_equal(np.floor(got * np.float32(255) + np.float32(0.5)), array)
        assert got.max() == 1.0


def test_colors_are_premultiplied_unless_they_are_already(saved):
    stored = RGBA[..., [2, 1, 0, 3]].reshape(HEIGHT, -1)
    path = saved(bmp(32, stored, header=124, compression=3, masks=(*STANDARD, 0xFF000000)))
    assert np.allclose(pixels_of(im.read_image(path)), premultiplied(RGBA), atol=1e-6)
    assert np.allclose(pixels_of(im.read_image(path, alpha="premultiplied")), RGBA / 255, atol=1e-6)
    opaque = pixels_of(im.read_image(path, alpha="opaque"))
    assert np.allclose(opaque[..., :3], RGBA[..., :3] / 255, atol=1e-6)
    assert (opaque[..., 3] == 1).all()


def test_a_fourth_byte_can_be_taken_for_alpha(saved):
    stored = RGBA[..., [2, 1, 0, 3]].reshape(HEIGHT, -1)
    picture = im.read_image(saved(bmp(32, stored)), alpha="straight")
    assert np.allclose(pixels_of(picture), premultiplied(RGBA), atol=1e-6)


@pytest.mark.parametrize("alpha", ["straight", "premultiplied"])
def test_three_bytes_have_no_alpha(saved, alpha: str):
    path = saved(bmp(24, RGB.reshape(HEIGHT, -1)))
    with pytest.raises(FileError, match=r"picture.bmp: has no pixels that can be \w+: they are bgr24"):
        im.read_image(path, alpha=alpha)


def test_parts_share_the_memory():
    whole = im.bitmap(RGBA, alpha="premultiplied")
    part = whole.crop_rect(1, 2, 3, 2)
    assert isinstance(part, Bitmap)
    assert part.buffer is whole.buffer
    assert np.array_equal(np.rint(pixels_of(part) * 255), RGBA[2:4, 1:4])
    with pytest.raises(InputError, match=r"3 by 2 pixels from \(3, 2\) are not inside 5 by 4"):
        whole.crop_rect(3, 2, 3, 2)


def test_a_bitmap_is_an_image_with_words():
    picture = im.bitmap(RGBA)
    assert picture.kind == "color"
    assert repr(picture).startswith("bitmap(")
    moved = picture.move((1, 0)) if "move" in im.words() else picture
    assert moved.kind == "color"


def test_a_picture_can_have_more_pixels_than_an_int_counts():
    from pellucid.images.array2 import Raster
    from pellucid.images.texel import layout_named

    buffer = E.Buffer("vast", T.u8, 3 << 31)
    vast = Raster(1 << 30, 6, layout_named("gray8"), buffer, row=1 << 30)
    position = vast.window(Value(E.param("i", T.i32)), Value(E.param("j", T.i32)), 1, 1)[0][0][0]
    load = next(n for n in E.topological([position.expr]) if n.op == "load")
    assert load.args[0].type is T.i64
