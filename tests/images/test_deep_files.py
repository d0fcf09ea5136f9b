"""Files of colors with more than 8 bits: pictures with the numbers of the file, or one error that says why not."""

from __future__ import annotations

import io
import struct
import sys

import numpy as np
import OpenEXR
import pytest
import tifffile
from PIL import Image as Pillow

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import FileError, InputError, MissingExtraError
from pellucid.images.arrays import in_place_raster

SIZE = 7, 5
RANDOM = np.random.default_rng(8)
WORDS = RANDOM.integers(0, 1 << 16, (5, 7, 4), np.uint16)
FLOATS = RANDOM.random((5, 7, 4), np.float32)


def tiff(samples: np.ndarray, **options: object) -> bytes:
    file = io.BytesIO()
    tifffile.imwrite(file, samples, photometric="rgb", **options)
    return file.getvalue()


def exr(channels: dict[str, object], **header: object) -> bytes:
    file = io.BytesIO()
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage, **header}
    OpenEXR.File(header, channels).write(file)
    return file.getvalue()


def with_primaries(*numbers: float) -> bytes:
    """An OpenEXR file that names primaries: the package writes none, so they take the place of a text as long."""
    data = exr({"RGB": FLOATS[..., :3].copy()}, **{"x" * 22: "y" * 32})
    text = b"x" * 22 + b"\0string\0" + struct.pack("<I", 32) + b"y" * 32
    assert text in data
    return data.replace(text, b"chromaticities\0chromaticities\0" + struct.pack("<I8f", 32, *numbers))


def test_primaries_of_srgb_may_be_named():
    assert colors(with_primaries(0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329)).shape == (5, 7, 4)


def test_what_a_decoder_says_of_a_damaged_file_is_short(caplog):
    header = {"x" * 30: "y" * 4000}
    for data in (exr({"RGB": FLOATS[..., :3].copy()}, **header), tiff(WORDS)):
        for size in (len(data) - 30, len(data) // 2):
            with pytest.raises(FileError) as caught:
                im.read_image(data[:size].replace(b"x" * 30, b"x" * 29 + b"\0"))
            assert len(str(caught.value)) < 500
            assert str(caught.value).isprintable()
    assert not caplog.records


def test_an_address_beyond_all_memory_is_no_fault():
    for address in (1 << 62, 1 << 63, (1 << 64) - 1):
        with pytest.raises(FileError):
            im.read_image(struct.pack("<2sHHHQ", b"II", 43, 8, 0, address))


def test_pixels_have_the_samples_that_the_tags_promise():
    """A damaged SamplesPerPixel: the package gives one sample to a pixel, and tags still say three."""
    data = tiff(FLOATS[..., :3].copy())
    tag = struct.pack("<HHI", 277, 3, 1)
    assert data.count(tag) == 1
    with pytest.raises(FileError, match=r"has an array of shape \(5, 7\)?, ?.*none of red, green and blue"):
        im.read_image(data.replace(tag + b"\x03", tag + b"\x01"))
    with pytest.raises(InputError, match="short: has 4 bytes to a pixel, where rgbf32 has 12"):
        in_place_raster(FLOATS[..., :1].copy(), "rgbf32", "short")


def test_a_width_that_is_a_sequence_is_refused_at_once():
    data = tiff(WORDS)
    tag = struct.pack("<HHI", 256, 4, 1)
    assert data.count(tag) == 1
    # Newer releases of tifffile take such a file for one without pixels.
    with pytest.raises(FileError, match=r"is damaged|has an array of shape \(0, 0\)"):
        im.read_image(data.replace(tag, struct.pack("<HHI", 256, 4, 20)))


def colors(data: bytes, **options: object) -> np.ndarray:
    """The premultiplied colors at the pixels of a file."""
    picture = im.read_image(data, **options)
    width, height = picture.size
    x, y = np.arange(width) - width / 2 + 0.5, height / 2 - 0.5 - np.arange(height)[:, None]
    return picture.reconstruct("nearest").at(x, y)


def premultiplied(samples: np.ndarray) -> np.ndarray:
    return np.concatenate([samples[..., :3] * samples[..., 3:], samples[..., 3:]], axis=2)


def stored(light: np.ndarray) -> np.ndarray:
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


@pytest.mark.parametrize("byteorder", ["<", ">"])
@pytest.mark.parametrize("bigtiff", [False, True])
@pytest.mark.parametrize("planes", [False, True])
@pytest.mark.parametrize("compression", [None, "zlib"])
def test_words_of_a_tiff_keep_their_16_bits(
    byteorder: str, bigtiff: bool, planes: bool, compression: str | None
):
    options: dict[str, object] = {"byteorder": byteorder, "bigtiff": bigtiff, "compression": compression}
    if planes:
        options["planarconfig"] = "separate"
    rgb = WORDS[..., :3]
    found = colors(tiff(np.moveaxis(rgb, 2, 0) if planes else rgb, **options))
    assert np.abs(found[..., :3] - rgb / 65535).max() < 1e-6


@pytest.mark.parametrize(("samples", "unit"), [(WORDS, 65535), (FLOATS, 1)], ids=["words", "floats"])
def test_alpha_of_a_tiff_is_what_the_file_or_the_caller_says(samples: np.ndarray, unit: int):
    part = samples / unit
    straight = tiff(samples, extrasamples=["unassalpha"])
    assert np.abs(colors(straight) - premultiplied(part)).max() < 1e-6
    assert np.abs(colors(straight, alpha="opaque")[..., :3] - part[..., :3]).max() < 1e-6
    few = np.minimum(samples, samples[..., 3:])
    assert np.abs(colors(tiff(few, extrasamples=["assocalpha"])) - few / unit).max() < 1e-6
    assert np.abs(colors(tiff(samples, extrasamples=["unspecified"]))[..., 3] - 1).max() == 0


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_deep_tiff_is_turned_upright_as_other_files_are(orientation: int):
    rgb = (WORDS[..., :3] >> 8) * np.uint16(257)
    tag = [(274, "H", 1, orientation, True)]
    found = colors(tiff(rgb, extratags=tag))
    wanted = colors(tiff((rgb >> 8).astype(np.uint8), extratags=tag))
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).max() < 1e-6


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_floats_of_a_tiff_are_what_they_are(kind: type):
    rgb = FLOATS[..., :3].astype(kind)
    assert np.array_equal(colors(tiff(rgb))[..., :3], rgb.astype(np.float32))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (tiff(FLOATS[..., :3] * 4), "has floats from .* those of a picture are from 0 to 1; read .* tifffile"),
        (tiff(np.full((2, 2, 3), np.nan, np.float32)), "has floats from nan to nan"),
        (tiff(FLOATS, extrasamples=["assocalpha"]), "has colors that are more than alpha"),
        (tiff(WORDS[..., :3].astype(np.uint32)), "has colors of uint32; save it with 8 or 16 bits, or as floats"),
        (tiff(WORDS[..., :3].astype(np.int16)), "has colors of int16"),
        (tiff(WORDS[..., :3], compression="zlib")[:-100], "is damaged, or of a kind that is not supported"),
        (exr({"RGB": FLOATS[..., :3] * 4}), "has floats from .* read the numbers with OpenEXR"),
        (exr({"RGBA": FLOATS}), "has colors that are more than alpha"),
        (exr({"Z": FLOATS[..., 0].copy()}), "has no floats R, G and B, but Z"),
        (exr({c: WORDS[..., 0].astype(np.uint32) for c in "RGB"}), "has no floats R, G and B"),
        (with_primaries(0.7347, 0.2653, 0, 1, 0.0001, -0.077, 0.32168, 0.33767), "has other primaries than sRGB"),
        (exr({"RGB": FLOATS[..., :3].copy()})[:-40], "is damaged, or of a kind that is not supported"),
        (b"v/1\x01" + bytes(90), "is damaged, or of a kind that is not supported"),
    ],
    ids=["large", "nan", "beyond alpha", "uint32", "int16", "cut", "light", "light beyond alpha", "depths", "numbers",
         "primaries", "cut light", "nothing"],
)  # fmt: skip
def test_what_is_no_picture_is_refused(data: bytes, told: str):
    with pytest.raises(FileError, match=f"the given bytes: {told}"):
        im.read_image(data)


@pytest.mark.parametrize(
    "data", [tiff(WORDS[..., :3].copy()), exr({"RGB": FLOATS[..., :3].copy()})], ids=["tiff", "exr"]
)
def test_more_pixels_than_allowed_are_not_unfolded(data: bytes):
    assert im.read_image(data, max_pixels=35).size == SIZE
    with pytest.raises(FileError, match="has 7 by 5 pixels, more than 34; give a larger max_pixels"):
        im.read_image(data, max_pixels=34)


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_light_of_an_exr_becomes_numbers_of_srgb(kind: type):
    rgb = FLOATS[..., :3].astype(kind)
    rgb[0, 0] = 0, 1, 0.001
    found = colors(exr({"RGB": rgb}))
    assert np.abs(found[..., :3] - stored(rgb.astype(np.float64))).max() < 1e-6
    assert found[0, 0, :2].tolist() == [0, 1]
    gray = colors(exr({"Y": np.ascontiguousarray(rgb[..., 0])}))
    assert np.array_equal(gray, found[..., [0, 0, 0]]) or np.array_equal(gray[..., 2], found[..., 0])


def test_alpha_of_an_exr_multiplies_light():
    light = premultiplied(FLOATS)
    found = colors(exr({"RGBA": light}))
    wanted = premultiplied(
        np.concatenate([stored(FLOATS[..., :3].astype(np.float64)), FLOATS[..., 3:]], axis=2)
    )
    assert np.abs(found - wanted).max() < 1e-5
    assert np.abs(colors(exr({"RGBA": FLOATS}), alpha="straight") - wanted).max() < 1e-5
    opaque = colors(exr({"RGBA": light}), alpha="opaque")
    assert np.abs(opaque[..., :3] - stored(light[..., :3].astype(np.float64))).max() < 1e-6


@pytest.mark.parametrize(("kind", "depth"), [("tiff", 16), ("tiff", 32), ("exr", 16), ("exr", 32)])
def test_what_is_saved_is_read_again(kind: str, depth: int):
    picture = im.image(
        lambda p: im.rgba(pl.clamp(p.x / 7 + 0.5, 0, 1), 0.25, 1, pl.clamp(p.y / 5 + 0.5, 0, 1))
    )
    file = io.BytesIO()
    pl.save(picture, file, SIZE, format=kind, depth=depth, zoom=1.0)
    x, y = np.arange(7) - 3.0, 2.0 - np.arange(5)[:, None]
    off = 4e-4 if (kind, depth) == ("exr", 16) else 2e-5
    assert np.abs(colors(file.getvalue()) - picture.at(x, y)).max() < off


def test_without_their_packages_files_name_the_extras(monkeypatch: pytest.MonkeyPatch):
    data = {"tiff": tiff(WORDS[..., :3].copy()), "exr": exr({"RGB": FLOATS[..., :3].copy()})}
    for extra, package in (("tiff", "tifffile"), ("exr", "OpenEXR")):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(
            MissingExtraError, match=rf"{package} is not installed; run: pip install 'pellucid\[{extra}\]'"
        ):
            im.read_image(data[extra])
    # Colors of 8 bits, and gray of any, need no extra.
    file = io.BytesIO()
    Pillow.fromarray(WORDS[..., 0]).save(file, "tiff")
    assert np.abs(colors(file.getvalue())[..., 0] - WORDS[..., 0] / 65535).max() < 1e-6
    assert colors(tiff((WORDS[..., :3] >> 8).astype(np.uint8))).shape == (5, 7, 4)
