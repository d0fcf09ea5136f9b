"""Files of 16 and 32 bits to a sample: read by other decoders and by NumPy, against the colors as numbers."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import InputError, MissingExtraError

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


def test_a_palette_of_sixteen_bits_is_that_of_eight():
    board = im.checkerboard(10, im.red, im.blue)
    found = decoded(saved(board))
    assert np.array_equal(found >> 8, pl.render(board, SIZE, zoom=1.0))


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("a.webp", {}, "depth: WebP is written with 8 bits; choose PNG, TIFF, NPY, EXR for 16"),
        ("a.jpg", {}, "depth: JPEG is written with 8 bits"),
        ("a.png", {"depth": 32}, "depth: PNG is written with 8 or 16 bits; choose TIFF, NPY, EXR for 32"),
        ("a.exr", {"depth": 8}, "depth: EXR is written with 16 or 32 bits"),
        (
            "a.exr",
            {"depth": None, "tolerance": 1 / 255},
            "depth: only pixels of 8 bits may be off by a little",
        ),
        ("a.exr", {"alpha": "straight"}, "alpha: the colors of EXR are multiplied with alpha; leave it out"),
        ("a.png", {"depth": 12}, "depth: 12 is no depth; give 8, 16 or 32 bits"),
        ("a.png", {"depth": True}, "depth: True is no depth"),
        ("a.png", {"tolerance": 1 / 255}, "depth: only pixels of 8 bits may be off by a little"),
    ],
)
def test_other_depths_are_refused(tmp_path, name: str, options: dict[str, object], told: str):
    with pytest.raises(InputError, match=told):
        pl.save(FADE, tmp_path / name, SIZE, **{"depth": 16, **options})
    assert not [*tmp_path.iterdir()]


# --- TIFF and OpenEXR


def written(kind: str, **options: object) -> np.ndarray:
    """The samples of a file of FADE, by the package that others read such files with."""
    file = io.BytesIO()
    pl.save(FADE, file, SIZE, format=kind, zoom=1.0, **options)
    file.seek(0)
    if kind == "tiff":
        import tifffile

        return tifffile.imread(file)
    import OpenEXR

    (pixels,) = (channel.pixels for channel in OpenEXR.File(file).channels().values())
    return pixels


def light(stored: np.ndarray) -> np.ndarray:
    return np.where(stored <= 0.04045, stored / 12.92, ((stored + 0.055) / 1.055) ** 2.4)


def test_a_tiff_of_words_is_the_samples_of_a_png():
    assert np.array_equal(written("tiff", depth=16), decoded(saved(FADE)))
    wanted = decoded(saved(FADE, background="#ff0080"))
    assert np.array_equal(written("tiff", depth=16, background="#ff0080"), wanted)


@pytest.mark.parametrize(("alpha", "kind"), [("straight", 2), ("premultiplied", 1)])
@pytest.mark.parametrize("depth", [16, 32])
def test_a_tiff_says_what_its_alpha_is(alpha: str, kind: int, depth: int):
    import tifffile

    file = io.BytesIO()
    pl.save(FADE, file, SIZE, format="tiff", depth=depth, alpha=alpha, zoom=1.0)
    file.seek(0)
    with tifffile.TiffFile(file) as found:
        page = found.pages[0]
        assert [int(extra) for extra in page.extrasamples] == [kind]
        assert (page.bitspersample, int(page.photometric)) == (depth, 2)


def test_a_tiff_of_floats_and_an_npy_have_the_numbers_of_the_colors(tmp_path):
    found = written("tiff", depth=32)
    x, y = columns_and_rows()
    assert found.dtype == np.float32
    assert np.abs(found[..., 0] - x).max() < 1e-6
    assert np.abs(found[..., 3] - y).max() < 1e-6
    pl.save(FADE, tmp_path / "a.npy", SIZE, depth=32, zoom=1.0)
    assert np.array_equal(np.load(tmp_path / "a.npy"), found)
    laid = written("tiff", depth=32, background="#ff0080")
    assert np.abs(laid[..., 0] - (x * y + 1 - y)).max() < 1e-6
    assert np.abs(laid[..., 2] - (y + (1 - y) * 128 / 255)).max() < 1e-6


@pytest.mark.parametrize(("options", "kind", "off"), [({}, "f4", 1e-6), ({"depth": 16}, "f2", 6e-4)])
def test_an_exr_has_amounts_of_light_multiplied_with_alpha(options: dict[str, object], kind: str, off: float):
    found = written("exr", **options)
    x, y = columns_and_rows()
    assert found.dtype == kind
    assert np.abs(found[..., 0] - light(x) * y).max() < off
    assert np.abs(found[..., 2] - y).max() < off
    assert np.abs(found[..., 3] - y).max() < off
    laid = written("exr", background="#ff0080", **options)
    assert (laid.dtype, laid.shape[2]) == (kind, 3)
    assert np.abs(laid[..., 0] - light(x * y + 1 - y)).max() < off


def test_without_its_package_a_file_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path):
    monkeypatch.setitem(sys.modules, "OpenEXR", None)
    monkeypatch.setitem(sys.modules, "tifffile", None)
    told = r"OpenEXR is not installed; run: pip install 'pellucid\[exr\]', or save a TIFF"
    with pytest.raises(MissingExtraError, match=told):
        pl.save(FADE, tmp_path / "a.exr", SIZE)
    assert not [*tmp_path.iterdir()]
    pl.save(FADE, tmp_path / "a.tiff", SIZE, depth=16)


def test_an_encoder_that_fails_leaves_the_old_file(monkeypatch: pytest.MonkeyPatch, tmp_path):
    name = "a.exr"

    class Broken(io.BytesIO):
        def getbuffer(self):
            raise RuntimeError("encoder broke")

    (tmp_path / name).write_bytes(b"before")
    monkeypatch.setattr("pellucid.canvas.deep.io.BytesIO", Broken)
    with pytest.raises(RuntimeError, match="encoder broke"):
        pl.save(FADE, tmp_path / name, SIZE)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [(name, b"before")]
