"""Large pictures are saved by bands: the file has the pixels of the picture rendered whole, in constant memory."""

from __future__ import annotations

import io
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from PIL import Image
from tests.memory import traced
from tests.systems import linux

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import FileError, InputError
from pellucid.canvas import bands, png
from pellucid.canvas.bands import Bands, in_order, rows_of_band
from pellucid.canvas.compose import laid_on

SIZE = (131, 93)
FADING = im.swirl(30, im.lerp(0.5 + 0.25 * im.cos(im.r), im.checkerboard(10, im.red, im.blue), im.invisible))
VIEW: dict[str, Any] = {"zoom": 3.7, "center": (0.3, -0.2)}


def read(path: Path) -> np.ndarray:
    if path.suffix == ".npy":
        return np.load(path)
    if path.suffix == ".tiff":
        return tifffile.imread(path)
    with Image.open(path) as picture:
        return np.asarray(picture)


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bands of eight rows."""
    monkeypatch.setattr(bands, "BYTES", 1)


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("suffix", [".png", ".tiff", ".npy"])
@pytest.mark.parametrize("numerics", ["exact", "relaxed"])
@pytest.mark.parametrize(
    "how",
    [{}, {"samples": 3}, {"alpha": "premultiplied"}, {"background": "#fc0"}, {"precision": "f64"}],
    ids=str,
)
def test_a_file_of_bands_has_the_pixels_of_the_whole(
    tmp_path: Path, suffix: str, numerics: str, how: dict[str, Any]
):
    path = tmp_path / f"a{suffix}"
    pl.save(FADING, path, SIZE, numerics=numerics, **VIEW, **how)
    under = how.pop("background", None)
    whole = pl.render(FADING, SIZE, numerics=numerics, **VIEW, **how)
    np.testing.assert_array_equal(read(path), whole if under is None else laid_on(whole, (255, 204, 0)))


@pytest.mark.parametrize(
    ("suffix", "depth", "layout"),
    [
        (".tiff", 16, "R:16 G:16 B:16 A:16"),
        (".npy", 16, "R:16 G:16 B:16 A:16"),
        (".tiff", 32, "R:f32 G:f32 B:f32 A:f32"),
    ],
)
@pytest.mark.parametrize("numerics", ["exact", "relaxed"])
def test_deep_files_do_not_hang_on_how_they_are_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, depth: int, layout: str, numerics: str
):
    one, other = tmp_path / f"one{suffix}", tmp_path / f"other{suffix}"
    pl.save(FADING, one, SIZE, depth=depth, numerics=numerics, **VIEW)
    monkeypatch.setattr(bands, "BYTES", 1)
    pl.save(FADING, other, SIZE, depth=depth, numerics=numerics, **VIEW)
    np.testing.assert_array_equal(read(other), read(one))
    if numerics == "exact":
        drawn = pl.render(FADING, SIZE, numerics=numerics, format=f"{layout} | straight", **VIEW)
        wanted = drawn.view("u2" if depth == 16 else "f4").reshape(*SIZE[::-1], 4)
        np.testing.assert_array_equal(read(other), wanted)


def test_bands_of_any_threads_are_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bands, "BYTES", 1)
    for threads in (1, 2, 5):
        pl.save(FADING, tmp_path / f"{threads}.png", SIZE, threads=threads, **VIEW)
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 1


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [3, 4])
@pytest.mark.parametrize("shape", [(1, 1), (1, 300), (40, 1), (40, 30)])
def test_a_png_of_noise_is_decoded_and_its_sums_are_right(dtype: Any, channels: int, shape: tuple[int, int]):
    most = np.iinfo(dtype).max
    noise = np.random.default_rng(7).integers(0, most, (*shape, channels), dtype, endpoint=True)
    file = io.BytesIO()
    of = Bands.of(noise)
    png.write_png(file, Bands(of.width, of.height, channels, of.dtype, of.draw, 2))
    data = file.getvalue()
    # Pillow reads the upper 8 bits.
    with Image.open(io.BytesIO(data)) as picture:
        found = np.asarray(picture.convert("RGB"))
    np.testing.assert_array_equal(found, (noise >> (8 * (np.dtype(dtype).itemsize - 1)))[..., :3])
    assert len(zlib.decompress(_stream(data))) == shape[0] * (1 + noise[0].nbytes)


def _stream(data: bytes) -> bytes:
    """The compressed bytes of a PNG; the checksum of each chunk is right."""
    at, found = 8, b""
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert zlib.crc32(name + body) == int.from_bytes(data[at + 8 + length : at + 12 + length], "big")
        found += body if name == b"IDAT" else b""
        at += 12 + length
    return found


@pytest.mark.parametrize("suffix", [".png", ".npy"])
def test_a_band_that_is_all_is_packed_in_pieces_by_all_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
):
    monkeypatch.setattr(bands, "PIECE", 1)
    packed = []
    before = png._deflated
    monkeypatch.setattr(png, "_deflated", lambda rows: packed.append(len(rows)) or before(rows))
    for threads in (1, 3):
        pl.save(FADING, tmp_path / f"{threads}{suffix}", SIZE, **VIEW, threads=threads)
        np.testing.assert_array_equal(read(tmp_path / f"{threads}{suffix}"), pl.render(FADING, SIZE, **VIEW))
    assert (tmp_path / f"1{suffix}").read_bytes() == (tmp_path / f"3{suffix}").read_bytes()
    assert sorted(packed) == ([5] * 2 + [8] * 22 if suffix == ".png" else [])


@pytest.mark.parametrize("big", [False, True])
def test_a_tiff_of_strips_is_classic_or_big(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, big: bool):
    monkeypatch.setattr(bands, "BYTES", 1)
    monkeypatch.setattr("pellucid.canvas.tiff._STRIP", 1500)
    if big:
        monkeypatch.setattr("pellucid.canvas.tiff._MAX_CLASSIC", 1)
    pl.save(FADING, tmp_path / "a.tiff", SIZE, **VIEW)
    with tifffile.TiffFile(tmp_path / "a.tiff") as file:
        page = file.pages[0]
        assert (file.is_bigtiff, page.rowsperstrip, page.compression, page.predictor) == (big, 2, 8, 2)
    np.testing.assert_array_equal(read(tmp_path / "a.tiff"), pl.render(FADING, SIZE, **VIEW))


@pytest.mark.parametrize("suffix", ["png", "tiff", "npy"])
def test_saving_takes_the_memory_of_a_few_bands(tmp_path: Path, suffix: str):
    kernel = pl.compile(im.checkerboard(10.0, im.red, im.blue))
    peaks = []
    for rows in (4000, 12000):
        pl.save(kernel, tmp_path / f"small.{suffix}", 16, threads=2)
        with traced() as memory:
            pl.save(kernel, tmp_path / f"a.{suffix}", (1000, rows), threads=2)
        peaks.append(memory.peak)
    # Four bands, and what packing them takes.
    assert max(peaks) < 32 << 20
    assert peaks[1] < 1.25 * peaks[0]


def test_a_picture_larger_than_the_memory_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("pellucid.driver.view.available_memory", lambda: 1 << 26)
    monkeypatch.setattr("pellucid.driver.view._SMALL", 0)
    board = im.checkerboard(10.0, im.red, im.blue)
    pl.save(board, tmp_path / "a.png", 6000)
    with pytest.raises(InputError, match="of memory"):
        pl.save(board, tmp_path / "a.jpg", 6000)
    assert [p.name for p in tmp_path.iterdir()] == ["a.png"]


@pytest.mark.parametrize("suffix", [".jpg", ".webp", ".gif"])
@pytest.mark.parametrize("how", [{}, {"background": "#fc0"}, {"precision": "f64"}], ids=str)
def test_a_file_that_is_packed_whole_has_the_bytes_of_one_drawn_whole(
    tmp_path: Path, suffix: str, how: dict[str, Any], monkeypatch: pytest.MonkeyPatch
):
    files = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    pl.save(FADING, files[0], SIZE, **VIEW, **how)
    monkeypatch.setattr(bands, "BYTES", 1)
    pl.save(FADING, files[1], SIZE, **VIEW, **how)
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("suffix", [".png", ".jpg", ".webp", ".gif"])
def test_rows_are_told(tmp_path: Path, suffix: str):
    told: list[tuple[int, int]] = []
    pl.save(FADING, tmp_path / f"a{suffix}", (8, 20), progress=lambda done, total: told.append((done, total)))
    assert told == [(8, 20), (16, 20), (20, 20)]


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("suffix", [".png", ".tiff", ".npy", ".jpg", ".webp", ".gif", ".exr"])
def test_what_fails_on_the_way_leaves_the_old_file(tmp_path: Path, suffix: str):
    (tmp_path / f"a{suffix}").write_bytes(b"before")

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pl.save(FADING, tmp_path / f"a{suffix}", SIZE, progress=stop)
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [(f"a{suffix}", b"before")]


@linux
def test_a_full_disk_is_said_in_one_sentence(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bands, "BYTES", 1)
    with pytest.raises(FileError, match=r"/dev/full: cannot be written \(no space left"):
        pl.save(FADING, "/dev/full", 64, format="png")


def test_work_is_done_in_order_and_few_items_wait():
    taken: list[int] = []

    def items() -> Any:
        for k in range(20):
            taken.append(k)
            yield k

    made = in_order(lambda k: k * k, items(), 3)
    assert next(made) == 0
    assert len(taken) <= 4
    assert [*made] == [k * k for k in range(1, 20)]
    with pytest.raises(ZeroDivisionError):
        list(in_order(lambda k: 1 // k, [1, 0, 1], 2))


def test_a_band_has_eight_rows_at_least():
    assert rows_of_band(1 << 20, 16) == 8
    assert rows_of_band(1, 4) % 8 == 0


LARGE = """
import resource, sys
from pathlib import Path
import pellucid as pl
from pellucid import images as im
kernel = pl.compile(im.checkerboard(1000.0, im.red, im.blue))
pl.save(kernel, sys.argv[1] + "/small.png", 16)
resource.setrlimit(resource.RLIMIT_DATA, (300 << 20, resource.RLIM_INFINITY))
pl.save(kernel, sys.argv[1] + "/large.png", 20000)
# What the process that started this one had is no part of it.
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(int(peak.split()[1]) >> 10)
"""


@linux
@pytest.mark.slow
def test_400_megapixels_are_saved_in_256_megabytes(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, "-c", LARGE, str(tmp_path)], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 256
