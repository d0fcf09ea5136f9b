"""Files of 16 bits to a sample: read by FFmpeg's decoder and by NumPy, against the colors as numbers."""

from __future__ import annotations

import io

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import InputError
from pellucid.canvas import deep

SIZE = (700, 40)
FADE = im.image(lambda p: im.rgba(pl.clamp(p.x / 700 + 0.5, 0, 1), 0.25, 1, pl.clamp(p.y / 40 + 0.5, 0, 1)))


def decoded(data: bytes) -> np.ndarray:
    """The samples of a PNG, by another decoder than Pillow, which reads colors of 8 bits only."""
    av = pytest.importorskip("av")
    with av.open(io.BytesIO(data), format="png_pipe") as file:
        frame = next(file.decode(video=0))
        name = frame.format.name
        assert name in ("rgba64be", "rgb48be")
        plane = frame.planes[0]
        rows = np.frombuffer(plane, np.uint8).reshape(frame.height, plane.line_size)
        channels = 4 if name == "rgba64be" else 3
        return (
            rows[:, : frame.width * 2 * channels]
            .copy()
            .view(">u2")
            .reshape(frame.height, frame.width, channels)
        )


def saved(picture: im.Image, **options: object) -> bytes:
    file = io.BytesIO()
    pl.save(picture, file, SIZE, format="png", depth=16, zoom=1.0, **options)
    return file.getvalue()


def columns_and_rows() -> tuple[np.ndarray, np.ndarray]:
    return (np.arange(SIZE[0]) + 0.5) / SIZE[0], 1 - (np.arange(SIZE[1])[:, None] + 0.5) / SIZE[1]


def test_a_png_has_the_numbers_of_the_colors():
    found = decoded(saved(FADE)).astype(float)
    x, y = columns_and_rows()
    # The lowest row has an alpha of 1/80: its straight colors are the least exact.
    assert np.abs(found[..., 0] - 65535 * x).max() <= 1.5
    assert np.abs(found[..., 1] - 65535 * 0.25).max() <= 1.5
    assert np.abs(found[..., 3] - 65535 * y).max() <= 1.5
    assert len(np.unique(found[0, :, 0])) == SIZE[0]


def test_premultiplied_samples_are_multiplied():
    found = decoded(saved(FADE, alpha="premultiplied")).astype(float)
    x, y = columns_and_rows()
    assert np.abs(found[..., 0] - 65535 * x * y).max() <= 1.5


def test_a_background_is_laid_under():
    found = decoded(saved(FADE, background="#ff0080")).astype(float)
    x, y = columns_and_rows()
    assert found.shape[2] == 3
    assert np.abs(found[..., 0] - 65535 * (x * y + 1 - y)).max() <= 2
    assert np.abs(found[..., 2] - 65535 * (y + (1 - y) * 128 / 255)).max() <= 2


def test_npy_is_the_same_samples(tmp_path):
    pl.save(FADE, tmp_path / "a.npy", SIZE, depth=16, zoom=1.0)
    found = np.load(tmp_path / "a.npy")
    assert found.dtype == np.uint16
    assert np.array_equal(found, decoded(saved(FADE)))


def test_strips_are_one_stream(monkeypatch):
    whole = decoded(saved(FADE))
    monkeypatch.setattr(deep, "_STRIP", 1)
    assert np.array_equal(decoded(saved(FADE)), whole)


def test_a_palette_of_sixteen_bits_is_that_of_eight():
    board = im.checkerboard(10, im.red, im.blue)
    found = decoded(saved(board))
    assert np.array_equal(found >> 8, pl.render(board, SIZE, zoom=1.0))


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("a.tiff", {}, "depth: TIFF is written with 8 bits; choose PNG or NPY"),
        ("a.jpg", {}, "depth: JPEG is written with 8 bits"),
        ("a.png", {"depth": 12}, "depth: 12 is no depth; give 8 or 16"),
        ("a.png", {"depth": True}, "depth: True is no depth"),
        ("a.png", {"tolerance": 1 / 255}, "depth: only pixels of 8 bits may be off by a little"),
    ],
)
def test_other_depths_are_refused(tmp_path, name: str, options: dict[str, object], told: str):
    with pytest.raises(InputError, match=told):
        pl.save(FADE, tmp_path / name, SIZE, **{"depth": 16, **options})
    assert not [*tmp_path.iterdir()]
