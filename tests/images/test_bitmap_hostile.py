"""Files that lie: each gives one clear FileError that names the file and the field, and nothing is allocated for it."""

from __future__ import annotations

import io
import os
import random
import struct
import threading
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow
from tests.deep_pngs import chunk
from tests.memory import traced
from tests.systems import linux

from pellucid import images as im
from pellucid.base.errors import FileError, InputError

PALETTE = bytes(range(256)) * 4


def bmp(
    width: int = 4,
    height: int = 3,
    bits: int = 24,
    *,
    header: int = 40,
    compression: int = 0,
    offset: int | None = None,
    used: int = 0,
    middle: bytes = b"",
    data: int | bytes | None = None,
) -> bytes:
    """A bitmap file with every claim free to be wrong."""
    info = struct.pack("<IiiHHIIiiII", header, width, height, 1, bits, compression, 0, 0, 0, used, 0) + middle
    line = (bits * abs(width) + 31) // 32 * 4
    pixels = bytes(line * abs(height)) if data is None else bytes(data) if isinstance(data, int) else data
    at = 14 + len(info) if offset is None else offset
    return struct.pack("<2sIHHI", b"BM", 0, 0, 0, at) + info + pixels


LIES = {
    "no header": (b"BM", "ends at byte 2, inside its header"),
    "half a header": (bmp()[:30], "ends at byte 30, inside its header"),
    "strange header": (bmp(header=41), "has a header of 41 bytes"),
    "no width": (bmp(width=0, data=16), "has a width of 0 and a height of 3 pixels"),
    "no height": (bmp(height=0, data=16), "has a width of 4 and a height of 0 pixels"),
    "negative width": (bmp(width=-4), "has a width of -4"),
    "absurd size": (bmp(width=2**31 - 1, height=2**31 - 1, data=64), "its 2147483647 by 2147483647 pixels"),
    "lowest height": (bmp(height=-(2**31), data=64), "its 4 by 2147483648 pixels"),
    "cut off": (bmp()[:-5], "has 85 bytes, but its 4 by 3 pixels of 24 bits end at byte 90"),
    "pixels beyond the end": (bmp(offset=10**9), "pixels of 24 bits end at byte"),
    "pixels in the header": (bmp(offset=20), "has pixels from byte 20, inside its header"),
    "five bits": (bmp(bits=5), "has 5 bits per pixel"),
    "64 bits": (bmp(bits=64), "has 64 bits per pixel"),
    "embedded jpeg": (bmp(compression=4), "has compression 4"),
    "compression": (bmp(compression=77), "has compression 77"),
    "masks of 24 bits": (bmp(compression=3), "has masks of channels but 24 bits"),
    "empty masks": (bmp(bits=32, compression=3, middle=bytes(12)), "empty, overlap or have holes"),
    "masks that overlap": (
        bmp(bits=32, compression=3, middle=struct.pack("<3I", 0xFF, 0xFF00, 0xFF80)),
        "empty, overlap or have holes: 000000ff, 0000ff00, 0000ff80",
    ),
    "masks with holes": (
        bmp(bits=32, compression=3, middle=struct.pack("<3I", 0xF0F, 0xF0, 0xFF0000)),
        "empty, overlap or have holes",
    ),
    "masks of 16 bits beyond the word": (
        bmp(bits=16, compression=3, middle=struct.pack("<3I", 0xFF0000, 0xFF00, 0xFF)),
        "empty, overlap or have holes",
    ),
    "masks cut off": (bmp(1, 1, bits=32, compression=3), "ends at byte 58, inside its masks"),
    "pixels in the masks": (
        bmp(bits=32, compression=3, middle=struct.pack("<3I", 0xFF0000, 0xFF00, 0xFF), offset=56),
        "has pixels from byte 56, inside its masks",
    ),
    "palette too short": (
        bmp(bits=8, middle=bytes(40), data=bytes([9, 10] * 6)),
        "has a pixel of color 10 in a palette of 10 colors",
    ),
    "palette index": (
        bmp(bits=8, used=2, middle=bytes(8), data=bytes([0, 1, 1, 0] * 2 + [0, 1, 2, 0])),
        "has a pixel of color 2 in a palette of 2 colors",
    ),
    "run lengths of nothing": (bmp(bits=8, compression=1, middle=PALETTE, data=0), "is damaged"),
    "few bits cut off": (bmp(bits=4, middle=bytes(64), data=2), "is damaged"),
    "absurd size of run lengths": (
        bmp(width=100_000, height=100_000, bits=8, compression=1, middle=PALETTE, data=b"\0\1"),
        "pixels",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_of_a_bitmap_file_is_told(tmp_path: Path, lie: str):
    data, message = LIES[lie]
    path = tmp_path / "liar.bmp"
    path.write_bytes(data)
    with traced() as memory, pytest.raises(FileError) as caught:
        im.read_image(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    assert caught.value.fix
    assert memory.peak < 4 << 20
    with pytest.raises(FileError, match=r"^the given bytes: "):
        im.read_image(data)


def test_a_decompression_bomb_does_not_go_off():
    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    rows = zlib.compress(bytes(1 << 20))
    bomb = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    with traced() as memory, pytest.raises(FileError, match="unfolds to too many pixels"):
        im.read_image(bomb)
    assert memory.peak < 4 << 20


def test_the_most_pixels_can_be_said(tmp_path: Path):
    Pillow.fromarray(np.zeros((100, 100), np.uint8)).save(tmp_path / "a.png")
    with pytest.raises(FileError, match=r"a.png: has 100 by 100 pixels, more than 9999"):
        im.read_image(tmp_path / "a.png", max_pixels=9999)
    assert im.read_image(tmp_path / "a.png", max_pixels=10_000).size == (100, 100)


@pytest.mark.parametrize("suffix", ["png", "jpeg", "webp", "tiff", "gif"])
def test_half_a_file(tmp_path: Path, suffix: str):
    array = np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)
    path = tmp_path / f"half.{suffix}"
    Pillow.fromarray(array).save(path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(FileError, match=rf"half.{suffix}: "):
        im.read_image(path)


def test_an_index_beyond_the_palette_of_a_png():
    rows = zlib.compress(b"\0\0\1\0\2\3")
    header = struct.pack(">IIBBBBB", 2, 2, 8, 3, 0, 0, 0)
    data = chunk(b"IHDR", header) + chunk(b"PLTE", bytes(9)) + chunk(b"IDAT", rows)
    with pytest.raises(FileError, match="has a pixel of color 3 in a palette of 3 colors"):
        im.read_image(b"\x89PNG\r\n\x1a\n" + data + chunk(b"IEND", b""))


@pytest.mark.parametrize("suffix", ["bmp", "png", "gif", "tiff", "jpeg", "webp"])
def test_damaged_files_raise_one_kind_of_error_only(suffix: str):
    choose = random.Random(5)
    array = np.random.default_rng(0).integers(0, 4, (16, 16), np.uint8)
    picture = Pillow.fromarray(array * 80)
    buffer = io.BytesIO()
    picture.convert("RGB" if suffix in ("jpeg", "webp") else "P").save(buffer, suffix)
    whole = buffer.getvalue()
    refused = 0
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(choose.randint(1, 4)):
            data[choose.randrange(min(len(data), 200))] = choose.randrange(256)
        try:
            read = im.read_image(bytes(data), max_pixels=1 << 20)
        except FileError:
            refused += 1
        else:
            value = read.at(np.array([0.0, 1e9, -0.5, np.nan]), 0.25)
            assert np.isfinite(value).all()
    assert refused


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda p: None, "is not there"),
        (lambda p: p.mkdir(), "is not a file"),
        (lambda p: p.write_bytes(b""), "is empty"),
        (lambda p: p.write_bytes(b"hello, world"), "is no picture of a known format"),
        (os.mkfifo, "is not a file"),
    ],
    ids=["missing", "folder", "empty", "text", "pipe"],
)
def test_what_is_not_a_picture_file(tmp_path: Path, make, message: str):
    path = tmp_path / "thing.bmp"
    make(path)
    with pytest.raises(FileError, match=message) as caught:
        im.read_image(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_what_is_not_even_a_name():
    with pytest.raises(FileError, match=r"cannot be read|is not there"):
        im.read_image("a\0b")
    with pytest.raises(InputError, match="int is not a file"):
        im.read_image(3)


def test_a_file_stays_free_to_be_replaced(tmp_path: Path):
    path = tmp_path / "a.bmp"
    path.write_bytes(bmp(data=bytes([10] * 36)))
    picture = im.read_image(path)
    other = tmp_path / "b.bmp"
    other.write_bytes(bmp(data=bytes([200] * 36)))
    other.replace(path)
    assert np.rint(picture.at(0.5, 0.5)[0] * 255) == 10
    path.unlink()
    assert np.rint(picture.at(0.5, 0.5)[0] * 255) == 10
    with pytest.raises(ValueError, match="read-only"):
        picture.buffer.data[0] = 1


@linux
def test_reading_leaves_no_file_open(tmp_path: Path):
    def opened() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    path, png = tmp_path / "a.bmp", tmp_path / "a.png"
    path.write_bytes(bmp())
    Pillow.fromarray(np.zeros((3, 3), np.uint8)).save(png)
    before = opened()
    kept = [im.read_image(p) for _ in range(5) for p in (path, png)]
    # A mapping keeps one descriptor of its own, for as long as the picture lives.
    assert opened() <= before + 5
    assert len(kept) == 10


def test_many_threads_may_read(tmp_path: Path):
    path = tmp_path / "a.png"
    array = np.random.default_rng(0).integers(0, 256, (32, 32, 3), np.uint8)
    Pillow.fromarray(array).save(path)
    read: list[im.Image] = []
    threads = [threading.Thread(target=lambda: read.append(im.read_image(path))) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len({p.buffer.name for p in read}) == 8
