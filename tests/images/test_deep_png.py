"""PNG files of 16 bits to a sample are read with all of their bits, or refused with one error."""

from __future__ import annotations

import io
import struct

import numpy as np
import pytest
from PIL import Image as Pillow
from tests.deep_pngs import chunk, deep_png

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import FileError

RANDOM = np.random.default_rng(5)


def words(height: int, width: int, count: int) -> np.ndarray:
    return RANDOM.integers(0, 1 << 16, (height, width, count), np.uint16)


def seen(picture: im.Bitmap) -> np.ndarray:
    """The colors in the middles of all pixels."""
    width, height = picture.size
    y, x = np.mgrid[0:height, 0:width]
    return picture.at(x + 0.5 - width / 2, height / 2 - y - 0.5)


def colors(samples: np.ndarray) -> np.ndarray:
    """The same of words of RGB or RGBA."""
    levels = samples / 65535.0
    alpha = levels[..., 3:] if samples.shape[2] == 4 else np.ones_like(levels[..., :1])
    return np.concatenate([levels[..., :3] * alpha, alpha], axis=2)


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_all_bits_are_read(count: int, interlaced: bool):
    for height, width in ((1, 1), (1, 9), (9, 1), (2, 3), (8, 8), (5, 17), (13, 6)):
        samples = words(height, width, count)
        data = deep_png(samples, interlaced=interlaced, kinds=RANDOM.integers(0, 5, 5).tolist())
        wanted = samples if count > 2 else samples[..., [0, 0, 0, 1]]
        np.testing.assert_allclose(seen(im.read_image(data)), colors(wanted), atol=3e-7)
        # The writer of these tests is understood by another reader, which gives the upper bits.
        theirs = np.asarray(Pillow.open(io.BytesIO(data)).convert("RGBA"))
        np.testing.assert_array_equal(theirs[..., :3], wanted[..., :3] >> 8)


@pytest.mark.parametrize("kind", range(5))
def test_each_filter_by_itself(kind: int):
    samples = words(7, 11, 3)
    np.testing.assert_allclose(
        seen(im.read_image(deep_png(samples, kinds=[kind]))), colors(samples), atol=3e-7
    )


def test_what_is_saved_is_read(tmp_path):
    picture = im.linear_gradient((-30, 0), (30, 0), [im.rgb(0.1, 0.2, 0.3), im.rgb(0.11, 0.21, 0.31)])
    pl.save(picture, tmp_path / "a.png", (64, 3), depth=16)
    found = seen(im.read_image(tmp_path / "a.png"))
    np.testing.assert_allclose(found[0, :, 0], picture.at(np.arange(64) - 31.5, 0.0)[..., 0], atol=1e-5)
    assert len(np.unique(found[0, :, 0])) > 20


@pytest.mark.parametrize("count", [1, 3])
def test_the_color_that_is_transparent(count: int):
    samples = words(4, 5, count)
    clear = samples[2, 3]
    found = seen(im.read_image(deep_png(samples, more=[(b"tRNS", clear.astype(">u2").tobytes())])))
    rgb = samples if count == 3 else samples[..., [0, 0, 0]]
    wanted = colors(rgb)
    wanted[2, 3] = 0
    np.testing.assert_allclose(found, wanted, atol=3e-7)


def test_alpha_is_meant_as_the_caller_says():
    samples = words(3, 4, 4)
    data = deep_png(samples)
    np.testing.assert_allclose(seen(im.read_image(data, alpha="opaque")), colors(samples[..., :3]), atol=3e-7)
    small = np.minimum(samples, samples[..., 3:])
    found = seen(im.read_image(deep_png(small), alpha="premultiplied"))
    np.testing.assert_allclose(found, small / 65535.0, atol=3e-7)
    with pytest.raises(FileError, match="has no pixels that can be straight: they are rgb48"):
        im.read_image(deep_png(samples[..., :3]), alpha="straight")


def test_a_picture_that_is_opaque_everywhere_is_sampled_as_one():
    samples = words(3, 4, 4)
    samples[..., 3] = 0xFFFF
    for alpha in ("file", "straight", "premultiplied"):
        found = seen(im.read_image(deep_png(samples), alpha=alpha))
        np.testing.assert_allclose(found, colors(samples[..., :3]), atol=3e-7)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_it_is_turned_upright(orientation: int):
    exif = Pillow.Exif()
    exif[274] = orientation
    samples = words(3, 5, 3)
    data = deep_png(samples, more=[(b"eXIf", exif.tobytes().removeprefix(b"Exif\0\0"))])
    # The same with the upper bits, which another package turns.
    buffer = io.BytesIO()
    Pillow.fromarray((samples >> 8).astype(np.uint8)).save(buffer, "png", exif=exif)
    wanted, found = seen(im.read_image(buffer.getvalue())), seen(im.read_image(data))
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, atol=1 / 255)


HEADER = struct.pack(">IIBBBBB", 4, 3, 16, 2, 0, 0, 0)
GOOD = deep_png(words(3, 4, 3))
DAMAGED = {
    "no end": GOOD[:-12],
    "half": GOOD[: len(GOOD) // 2],
    "another sum": GOOD[:-16] + bytes([GOOD[-16] ^ 1]) + GOOD[-15:],
    "no pixels": GOOD[:33] + chunk(b"IEND", b""),
    "more rows": GOOD.replace(chunk(b"IHDR", HEADER), chunk(b"IHDR", HEADER[:7] + b"\4" + HEADER[8:])),
    "an interlace of 2": GOOD.replace(chunk(b"IHDR", HEADER), chunk(b"IHDR", HEADER[:12] + b"\2")),
    "a compression of 1": GOOD.replace(chunk(b"IHDR", HEADER), chunk(b"IHDR", HEADER[:10] + b"\1\0\0")),
    "no columns": GOOD.replace(chunk(b"IHDR", HEADER), chunk(b"IHDR", bytes(4) + HEADER[4:])),
    "a long header": GOOD.replace(chunk(b"IHDR", HEADER), chunk(b"IHDR", HEADER + b"\0")),
    "a short transparent color": deep_png(words(3, 4, 3), more=[(b"tRNS", b"\0\0")]),
    "half a transparent color": deep_png(words(3, 4, 3), more=[(b"tRNS", b"\0")]),
    "a filter of 5": deep_png(words(3, 4, 3), kinds=[0, 5]),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_refused(name: str):
    with pytest.raises(FileError, match="the given bytes: is damaged"):
        im.read_image(DAMAGED[name])


def test_too_many_pixels_are_refused_before_they_are_unfolded():
    huge = chunk(b"IHDR", struct.pack(">IIBBBBB", 1 << 30, 1 << 30, 16, 2, 0, 0, 0))
    with pytest.raises(FileError, match="has 1073741824 by 1073741824 pixels, more than"):
        im.read_image(GOOD.replace(chunk(b"IHDR", HEADER), huge))
