"""Every kind of picture file that is accepted, by files made here: its picture is drawn, or an error says why not.

Numbers of gray are compared with fractions of the greatest that the file's own bits can hold.
"""

from __future__ import annotations

import importlib
import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image as Pillow

from pellucid import images as im
from pellucid.base.errors import FileError

SIZE = 8, 4
GRAY = np.arange(32, dtype=np.int64).reshape(4, 8)


def tiff(bits: int, codes: np.ndarray, *, order: str = "<", kind: int = 1, photometric: int = 1) -> bytes:
    """A TIFF of one strip of gray: `kind` is 1 without a sign, 2 with one, 3 for floats."""
    height, width = codes.shape
    if kind == 3:
        pixels = codes.astype(f"{order}f{bits // 8}").tobytes()
    elif bits in (8, 16, 32):
        pixels = codes.astype(f"{order}{'ui'[kind - 1]}{bits // 8}").tobytes()
    else:
        # Rows of numbers without gaps, highest bit first.
        rows = [
            np.packbits([int(n) >> k & 1 for n in row for k in reversed(range(bits))]).tobytes()
            for row in codes
        ]
        pixels = b"".join(rows)
    tags = [(256, width), (257, height), (258, bits), (259, 1), (262, photometric), (273, 8), (277, 1),
            (278, height), (279, len(pixels)), (339, kind)]  # fmt: skip
    entries = b"".join(
        struct.pack(f"{order}HHII", tag, 4, 1, value)
        if tag in (256, 257, 273, 278, 279)
        else struct.pack(f"{order}HHIHH", tag, 3, 1, value, 0)
        for tag, value in tags
    )
    spare = len(pixels) % 2
    mark = b"II*\0" if order == "<" else b"MM\0*"
    directory = struct.pack(f"{order}H", len(tags)) + entries + bytes(4)
    return mark + struct.pack(f"{order}I", 8 + len(pixels) + spare) + pixels + bytes(spare) + directory


def levels(data: bytes) -> np.ndarray:
    """The gray of every pixel, from 0 to 1."""
    picture = im.read_image(data)
    x, y = np.arange(SIZE[0]) - 3.5, 1.5 - np.arange(SIZE[1])[:, None]
    colors = picture.reconstruct("nearest").at(x, y)
    assert (colors[..., 0] == colors[..., 2]).all()
    return colors[..., 0].astype(np.float64)


def refused(data: bytes) -> str:
    """What is said of a file that is not read; nothing of one that is."""
    try:
        im.read_image(data)
    except FileError as error:
        return str(error) if error.fix else ""
    return ""


@pytest.mark.parametrize("photometric", [0, 1])
@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("bits", [1, 2, 4, 8, 12, 16])
def test_gray_of_a_tiff_has_as_many_bits_as_the_file_says(bits: int, order: str, photometric: int):
    white = (1 << bits) - 1
    codes = GRAY * white // 31
    data = tiff(bits, codes, order=order, photometric=photometric)
    wanted = codes / white if photometric else 1 - codes / white
    # Pillow knows fewer combinations than there are.
    if (bits == 12 or (bits == 16 and photometric == 0)) and (problem := refused(data)):
        assert "of a kind that is not supported" in problem
    else:
        assert np.abs(levels(data) - wanted).max() <= 0.5 / 65535 + 1e-6


def test_gray_of_12_bits_is_not_dark():
    assert levels(tiff(12, np.full((4, 8), 4095))).min() == 1.0
    # A made-up ramp of all codes, each the nearest of 16 bits.
    codes = np.arange(4096).reshape(64, 64)
    pixels = im.read_image(tiff(12, codes)).buffer.data.astype(np.int64)
    assert np.array_equal(pixels, (codes.ravel() * 65535 * 2 + 4095) // 8190)


@pytest.mark.parametrize("bits", [16, 32])
def test_gray_with_a_sign_is_refused(bits: int):
    with pytest.raises(FileError, match="has gray with a sign, which is not supported"):
        im.read_image(tiff(bits, GRAY, kind=2))


def test_gray_of_32_bits_is_refused():
    with pytest.raises(FileError, match="has gray of 32 bits, and at most 16 are supported"):
        im.read_image(tiff(32, GRAY))


@pytest.mark.parametrize("order", ["<", ">"])
def test_floats_are_what_they_are_or_are_refused(order: str):
    inside = (GRAY / 31).astype(np.float32)
    assert np.array_equal(levels(tiff(32, inside, order=order, kind=3)), inside)
    for wrong, told in (
        (GRAY * 100.0, "from 0 to 3100"),
        (inside - 0.5, "from -0.5 to 0.5"),
        (np.where(GRAY == 3, np.nan, inside), "nan"),
        (np.where(GRAY == 3, np.inf, inside), "from 0 to inf"),
    ):
        with pytest.raises(FileError, match="has floats") as caught:
            im.read_image(tiff(32, wrong, order=order, kind=3))
        assert told in str(caught.value)
        assert "bitmap(array)" in caught.value.fix


def test_formats_that_this_pillow_lacks_are_not_asked_for(monkeypatch: pytest.MonkeyPatch):
    buffer = io.BytesIO()
    Pillow.new("RGBA", (16, 16), "red").save(buffer, "ico")
    monkeypatch.setattr(importlib.import_module("pellucid.images.bitmap"), "find_spec", lambda _: None)
    monkeypatch.delitem(Pillow.OPEN, "AVIF", raising=False)
    assert im.read_image(buffer.getvalue()).width == 16
    with pytest.raises(FileError, match="no picture of a known format") as caught:
        im.read_image(b"nothing of the kind")
    assert "AVIF" not in caught.value.fix


MODES = (
    *("1", "L", "LA", "La", "P", "PA", "RGB", "RGBA", "RGBa", "RGBX", "CMYK", "YCbCr", "LAB", "HSV"),
    *("I;16", "I;16B", "I", "F"),
)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "suffix", ["png", "tiff", "jpeg", "webp", "gif", "bmp", "ppm", "tga", "jpeg2000", "ico", "avif"]
)
def test_every_mode_in_every_format_is_the_picture_or_a_clear_error(mode: str, suffix: str):
    picture = Pillow.new(mode, SIZE)
    if mode in ("I;16", "I;16B", "I"):
        picture = Pillow.fromarray((GRAY * 2114).astype("<u2"))
        picture = picture if mode == "I;16" else picture.convert("I") if mode == "I" else picture
    elif mode == "F":
        picture = Pillow.fromarray((GRAY / 31).astype(np.float32))
    elif mode not in ("La", "RGBa"):
        base = Pillow.fromarray((GRAY * 8).astype(np.uint8)).convert("RGB")
        if mode in ("LA", "RGBA", "PA"):
            picture = base.convert("RGBA").convert(mode)
        elif mode not in ("RGBX", "LAB", "HSV"):
            picture = base.convert(mode)
    buffer = io.BytesIO()
    try:
        picture.save(buffer, suffix)
    except Exception:  # noqa: BLE001 - Pillow does not write every mode in every format
        return
    supported = {"1", "L", "LA", "P", "RGB", "RGBA", "RGBa", "RGBX", "I;16B"}
    # Old Pillows write an ICO of no picture where the picture has less than 16 pixels a side.
    empty = buffer.getvalue() == b"\0\0\1\0\0\0"
    if (empty or mode not in supported) and refused(buffer.getvalue()):
        return
    read = im.read_image(buffer.getvalue())
    x, y = np.arange(SIZE[0]) - 3.5, 1.5 - np.arange(SIZE[1])[:, None]
    assert read.size[0] >= SIZE[0]
    assert np.isfinite(read.at(x, y)).all()
    if mode in ("L", "RGB", "I;16", "F", "I") and suffix in ("png", "tiff", "ppm"):
        got = read.reconstruct("nearest").at(x, y)[..., 0]
        assert np.abs(got - GRAY / 31).max() < 0.03


def test_of_an_animation_it_is_the_first_picture():
    frames = [Pillow.new("RGB", SIZE, color) for color in ("red", "blue")]
    for suffix in ("gif", "png", "webp", "tiff"):
        buffer = io.BytesIO()
        more = {} if suffix != "webp" else {"lossless": True}
        frames[0].save(buffer, suffix, save_all=True, append_images=frames[1:], **more)
        assert im.read_image(buffer.getvalue()).at(0.5, 0.5).tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize("mode", ["P", "L", "RGB"])
def test_transparency_beside_a_palette_or_colors(mode: str):
    picture = Pillow.new("RGB", SIZE, "red")
    picture.paste("blue", (0, 0, 4, 4))
    picture = picture.convert(mode)
    buffer = io.BytesIO()
    see_through = picture.getpixel((0, 0))
    picture.save(buffer, "png", transparency=see_through)
    read = im.read_image(buffer.getvalue()).reconstruct("nearest")
    assert read.at(-2.5, 0.5)[3] == 0
    assert read.at(2.5, 0.5)[3] == 1


# --- bitmap files whose palette is not where one would expect


def bmp8(
    header: int, palette: bytes, pixels: bytes, *, offset: int | None = None, used: int = 0, gap: int = 0
) -> bytes:
    """A bitmap file of 4 by 2 pixels of 8 bits."""
    if header == 12:
        info = struct.pack("<IHHHH", 12, 4, 2, 1, 8)
    else:
        info = struct.pack("<IiiHHIIiiII", header, 4, 2, 1, 8, 0, 0, 0, 0, used, 0) + bytes(header - 40)
    at = 14 + len(info) + len(palette) + gap if offset is None else offset
    return struct.pack("<2sIHHI", b"BM", 0, 0, 0, at) + info + palette + bytes(gap) + pixels


def colors(count: int, size: int) -> bytes:
    return b"".join(bytes([k, 2 * k % 256, 255 - k, 0][:size]) for k in range(count))


def seen(data: bytes) -> list[list[int]]:
    picture = im.read_image(data).reconstruct("nearest")
    got = picture.at(np.arange(4) - 1.5, 0.5 - np.arange(2)[:, None])
    return np.rint(got[..., 2] * 255).astype(int).tolist()


PIXELS = bytes([0, 1, 2, 3, 4, 5, 6, 7])
RIGHT = [[4, 5, 6, 7], [0, 1, 2, 3]]


@pytest.mark.parametrize("header", [12, 40, 108, 124])
def test_a_palette_of_few_colors_ends_where_the_pixels_begin(header: int):
    size = 3 if header == 12 else 4
    assert seen(bmp8(header, colors(9, size), PIXELS)) == RIGHT
    with pytest.raises(FileError, match="has a pixel of color 7 in a palette of 7 colors"):
        im.read_image(bmp8(header, colors(7, size), PIXELS))


@pytest.mark.parametrize("header", [12, 40])
def test_a_palette_that_is_not_counted_lies_before_the_pixels(header: int):
    size = 3 if header == 12 else 4
    assert seen(bmp8(header, colors(256, size), PIXELS, offset=14 + header)) == RIGHT


def test_a_palette_that_overlaps_the_pixels_is_read():
    # 12 colors are said to be there, the last of which lie on the pixels.
    whole = colors(12, 4)
    data = bytearray(bmp8(40, whole, b"", used=12))
    data[10:14] = struct.pack("<I", len(data) - 8)
    data[-8:] = PIXELS
    assert seen(bytes(data)) == RIGHT


def test_more_colors_than_indices_are_passed_over():
    assert seen(bmp8(40, colors(256, 4) + colors(44, 4), PIXELS, used=300)) == RIGHT


# --- what is not supported is not called damaged


def png(header: bytes, rows: bytes) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    "data",
    [
        tiff(24, GRAY),
        tiff(64, GRAY, kind=3),
        tiff(16, GRAY, kind=3),
        b"II+\0" + bytes(60),
        b"\xff\xd8\xff" + bytes(60),
        b"GIF89x" + bytes(60),
        png(struct.pack(">IIBBBBB", 2, 2, 8, 5, 0, 0, 0), bytes(14)),
    ],
    ids=["24 bits", "doubles", "halves", "BigTIFF", "JPEG", "GIF", "PNG"],
)
def test_what_is_not_supported_is_not_called_damaged_alone(data: bytes):
    with pytest.raises(FileError, match="damaged, or of a kind that is not supported"):
        im.read_image(data)
