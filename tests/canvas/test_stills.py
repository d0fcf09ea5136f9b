"""Every still format round-trips: what a reader decodes is what the kernel computed."""

from __future__ import annotations

import io

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import InputError, VocabularyError
from pellucid.canvas.compose import laid_on
from pellucid.canvas.draw import render, save
from pellucid.canvas.show import png_of

SIZE = (37, 23)


def decoded(path):
    from PIL import Image

    with Image.open(path) as picture:
        return picture.mode, np.asarray(picture)


@pytest.mark.parametrize("suffix", [".png", ".apng", ".webp", ".tif", ".tiff", ".tga", ".PNG"])
def test_lossless_formats_keep_every_bit(kernel, tmp_path, suffix):
    path = tmp_path / f"picture{suffix}"
    save(kernel, path, SIZE, zoom=2.0, center=(1.0, -3.0))
    mode, pixels = decoded(path)
    assert mode == "RGBA"
    np.testing.assert_array_equal(pixels, render(kernel, SIZE, zoom=2.0, center=(1.0, -3.0)))


def test_npy_is_the_array(kernel, tmp_path):
    save(kernel, tmp_path / "a.npy", SIZE)
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), render(kernel, SIZE))


@pytest.mark.parametrize("suffix", [".png", ".webp", ".tiff", ".npy"])
def test_a_background_makes_it_opaque(kernel, tmp_path, suffix):
    path = tmp_path / f"picture{suffix}"
    save(kernel, path, SIZE, background="#ffcc00")
    pixels = np.load(path) if suffix == ".npy" else decoded(path)[1]
    np.testing.assert_array_equal(pixels, laid_on(render(kernel, SIZE), (255, 204, 0)))


@pytest.mark.parametrize("suffix", [".bmp", ".ppm"])
def test_formats_without_alpha_lie_on_white(kernel, tmp_path, suffix):
    path = tmp_path / f"picture{suffix}"
    save(kernel, path, SIZE)
    mode, pixels = decoded(path)
    assert mode == "RGB"
    np.testing.assert_array_equal(pixels, laid_on(render(kernel, SIZE), (255, 255, 255)))


def test_jpeg_lies_on_white_and_is_close(kernel, tmp_path):
    save(kernel, tmp_path / "a.jpg", (64, 64))
    mode, pixels = decoded(tmp_path / "a.jpg")
    wanted = laid_on(render(kernel, (64, 64)), (255, 255, 255))
    assert mode == "RGB"
    assert np.abs(pixels.astype(int) - wanted).max() <= 12
    assert wanted[0, 0].tolist() == [255, 255, 255]


def test_a_busy_picture_is_a_jpeg_in_a_file_and_in_memory(tmp_path):
    noise = np.random.default_rng(1).integers(0, 256, (384, 512, 4), np.uint8)
    busy = im.bitmap(noise, alpha="opaque").reconstruct("nearest")
    for target in (tmp_path / "a.jpg", io.BytesIO()):
        save(busy, target, (512, 384), zoom=1, format="jpg", quality=98)
        assert np.abs(decoded(target)[1].astype(int) - noise[..., :3]).mean() < 4


def test_quality_changes_the_size_of_lossy_files(kernel, tmp_path):
    for suffix in (".jpg", ".webp"):
        low, high = tmp_path / f"low{suffix}", tmp_path / f"high{suffix}"
        save(kernel, low, (128, 128), quality=5)
        save(kernel, high, (128, 128), quality=98)
        assert low.stat().st_size < high.stat().st_size


def test_gif_with_few_colors_is_exact_and_has_holes(walker, tmp_path):
    save(walker, tmp_path / "a.gif", (16, 8), time=0.3)
    from PIL import Image

    with Image.open(tmp_path / "a.gif") as picture:
        pixels = np.asarray(picture.convert("RGBA"))
    wanted = render(walker, (16, 8), time=0.3)
    np.testing.assert_array_equal(pixels[..., 3], wanted[..., 3])
    np.testing.assert_array_equal(pixels[4, 3], (250, 10, 20, 255))


def test_gif_with_many_colors_is_close(opaque_kernel, tmp_path):
    save(opaque_kernel, tmp_path / "a.gif", (80, 80))
    from PIL import Image

    with Image.open(tmp_path / "a.gif") as picture:
        pixels = np.asarray(picture.convert("RGB")).astype(int)
    wanted = render(opaque_kernel, (80, 80))[..., :3]
    assert len(np.unique(wanted.reshape(-1, 3), axis=0)) > 256
    assert np.abs(pixels - wanted).mean() < 6


def test_premultiplied_pixels(kernel, tmp_path):
    save(kernel, tmp_path / "a.tiff", SIZE, alpha="premultiplied")
    from PIL import Image

    with Image.open(tmp_path / "a.tiff") as picture:
        extra = picture.tag_v2[338]
        mode = picture.mode
    assert extra in (1, (1,))
    assert mode in ("RGBA", "RGBa", "RGBX")
    save(kernel, tmp_path / "a.npy", SIZE, alpha="premultiplied")
    pixels = np.load(tmp_path / "a.npy")
    np.testing.assert_array_equal(pixels, render(kernel, SIZE, alpha="premultiplied"))
    assert (pixels[..., :3] <= pixels[..., 3:]).all()


def test_png_of_gives_the_file_without_a_file(kernel, tmp_path):
    save(kernel, tmp_path / "a.png", SIZE)
    assert png_of(kernel, SIZE) == (tmp_path / "a.png").read_bytes()
    assert decoded(io.BytesIO(png_of(kernel, 8)))[1].shape == (8, 8, 4)


def test_row_zero_is_on_top_and_the_axis_grows_upward(kernel):
    pixels = render(kernel, (3, 5))
    assert pixels[0, 0, 1] > pixels[-1, 0, 1]
    assert pixels[0, 0, 0] < pixels[0, -1, 0]


def test_out_is_filled_and_returned(kernel):
    out = np.zeros((23, 37, 4), np.uint8)
    assert render(kernel, SIZE, out=out) is out
    np.testing.assert_array_equal(out, render(kernel, SIZE))


@pytest.mark.parametrize(
    ("format", "suffix"),
    [
        ("png", ".png"),
        ("JPEG", ".jpg"),
        (".tif", ".tiff"),
        ("gif", ".gif"),
        ("npy", ".npy"),
        ("WebP", ".webp"),
    ],
)
def test_a_file_object_gets_the_bytes_of_the_file(kernel, tmp_path, format, suffix):
    save(kernel, tmp_path / f"a{suffix}", SIZE)
    memory = io.BytesIO(b"before")
    memory.seek(0, io.SEEK_END)
    save(kernel, memory, SIZE, format=format)
    assert memory.getvalue() == b"before" + (tmp_path / f"a{suffix}").read_bytes()
    with (tmp_path / "open").open("wb") as file:
        save(kernel, file, SIZE, format=format)
    assert (tmp_path / "open").read_bytes() == memory.getvalue()[6:]


def test_a_format_goes_before_the_suffix(kernel, tmp_path):
    for name in ("a.part", "a", "a.jpg"):
        save(kernel, tmp_path / name, SIZE, format="png")
        assert (tmp_path / name).read_bytes() == png_of(kernel, SIZE)


def test_what_only_writes_is_a_file_too(kernel):
    class Sink:
        def __init__(self):
            self.parts = []

        def write(self, data):
            self.parts.append(data)

    sink = Sink()
    save(kernel, sink, SIZE, format="png")
    assert b"".join(sink.parts) == png_of(kernel, SIZE)


def test_where_nothing_can_be_written_save_says_so(kernel, tmp_path):
    with pytest.raises(
        InputError, match='format: an open file has no suffix; give one, such as format="png"'
    ):
        save(kernel, io.BytesIO(), SIZE)
    with pytest.raises(InputError, match="path: this file is open for text; open it for bytes"):
        save(kernel, io.StringIO(), SIZE, format="png")
    with pytest.raises(InputError, match="format: 'pngg' is no kind of file; did you mean 'png'"):
        save(kernel, tmp_path / "a.png", SIZE, format="pngg")
    with pytest.raises(InputError, match="format: 3 is no kind of file; give one of PNG, JPEG"):
        save(kernel, tmp_path / "a.png", SIZE, format=3)
    with pytest.raises(InputError, match="MP4 holds moving pictures only"):
        save(kernel, io.BytesIO(), SIZE, format="mp4")
    with pytest.raises(InputError, match="path"):
        save(kernel, 3, SIZE, format="png")
    assert not [*tmp_path.iterdir()]


def test_nothing_is_written_to_an_open_file_when_drawing_fails():
    memory = io.BytesIO()
    with pytest.raises(VocabularyError, match="which is no number"):
        save(pl.image(lambda p: "red"), memory, SIZE, format="png")
    assert memory.getvalue() == b""
