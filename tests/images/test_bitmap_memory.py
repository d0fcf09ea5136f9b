"""Pictures of different layouts are combined without converting either, and without memory for it (P8)."""

from __future__ import annotations

import resource
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.memory import traced

from pellucid import driver
from pellucid import images as im
from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.tracing import Point, Value, flatten

SIDE = 2048


def write_gray(path: Path) -> None:
    head = struct.pack("<2sIHHI", b"BM", 0, 0, 0, 54 + 1024)
    info = struct.pack("<IiiHHIIiiII", 40, SIDE, SIDE, 1, 8, 0, 0, 0, 0, 0, 0)
    palette = np.repeat(np.arange(256, dtype=np.uint8), 4).tobytes()
    rows = np.arange(SIDE * SIDE, dtype=np.uint32).astype(np.uint8)
    path.write_bytes(head + info + palette + rows.tobytes())


def write_alpha(path: Path) -> None:
    masks = (0xFF0000, 0xFF00, 0xFF, 0xFF000000)
    head = struct.pack("<2sIHHI", b"BM", 0, 0, 0, 14 + 56)
    info = struct.pack("<IiiHHIIiiII", 56, SIDE, -SIDE, 1, 32, 3, 0, 0, 0, 0, 0) + struct.pack("<4I", *masks)
    words = np.arange(SIDE * SIDE, dtype=np.uint32) * np.uint32(2654435761)
    path.write_bytes(head + info + words.tobytes())


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("large")
    gray, alpha = folder / "gray.bmp", folder / "alpha.bmp"
    write_gray(gray)
    write_alpha(alpha)
    return gray, alpha


def overlaid(files: tuple[Path, Path]) -> tuple[im.Image, list[im.Image]]:
    below, above = im.read_image(files[0]), im.read_image(files[1])
    return im.Image(lambda p: above(p).over(below(p)), "color"), [below, above]


def test_reading_takes_the_files_and_overlaying_nothing(files: tuple[Path, Path]):
    with traced() as memory:
        picture, parts = overlaid(files)
        picture(Point(Value(E.param("x", T.f32)), Value(E.param("y", T.f32))))
    assert [p.layout.name for p in parts] == ["gray8", "bgra"]
    # Each once, and neither unpacked: the files have 4 and 16 MB.
    size = sum(file.stat().st_size for file in files)
    assert size < memory.peak < size + (1 << 20)


def test_the_residue_loads_from_the_files_only(files: tuple[Path, Path]):
    picture, parts = overlaid(files)
    leaves, _ = flatten(picture(Point(Value(E.param("x", T.f32)), Value(E.param("y", T.f32)))))
    used = E.buffers([leaf.expr for leaf in leaves])
    assert {id(b) for b in used} == {id(p.buffer) for p in parts}
    assert [b.type for b in sorted(used, key=lambda b: b.type.bits)] == [T.u8, T.u32]
    for part in parts:
        # Neither copied nor writable: the bytes of the file itself.
        assert not part.buffer.data.flags.owndata
        assert not part.buffer.data.flags.writeable


def test_the_overlay_is_right(files: tuple[Path, Path]):
    picture, _ = overlaid(files)
    columns, rows = np.array([0, 1, 700, SIDE - 1]), np.array([0, 3, 900, SIDE - 1])[:, None]
    got = picture.at(columns + 0.5 - SIDE / 2, SIDE / 2 - 0.5 - rows)
    words = ((rows * SIDE + columns).astype(np.uint32) * np.uint32(2654435761)).astype(np.int64)
    rgb = np.stack([words >> 16 & 255, words >> 8 & 255, words & 255], -1) / 255
    alpha = (words >> 24 & 255)[..., None] / 255
    gray = (((SIDE - 1 - rows) * SIDE + columns) % 256)[..., None] / 255
    assert np.allclose(got[..., :3], rgb * alpha + (1 - alpha) * gray, atol=1e-5)
    assert np.allclose(got[..., 3], 1, atol=1e-6)


def test_drawing_takes_the_memory_of_the_drawing(files: tuple[Path, Path]):
    picture, _ = overlaid(files)
    kernel = driver.compile(picture, backend="llvm")
    size = (640, 480)
    out = np.zeros((480, 640, 4), np.uint8)
    kernel.premultiplied((16, 16))
    with traced() as memory:
        kernel.premultiplied(size, out=out)
    assert memory.peak < 1 << 18
    x, y = np.arange(640) - 319.5, 239.5 - np.arange(480)[:, None]
    want = np.clip(picture.at(x, y), 0, 1) * 255
    assert np.abs(out - want).max() <= 0.5 + 1e-3


PROBE = """
import resource, sys
import numpy as np
from pellucid import images as im
start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
below, above = im.read_image(sys.argv[1]), im.read_image(sys.argv[2])
picture = im.Image(lambda p: above(p).over(below(p)), "color")
value = picture.at(np.linspace(-3, 3, 7), 0.25)
assert np.isfinite(value).all()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start)
"""


def test_the_process_grows_by_the_files_only(files: tuple[Path, Path]):
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *map(str, files)], check=True, capture_output=True, text=True
    )
    # In kilobytes: the bytes of the files, and less than the smaller one beside them.
    unit = 1 if sys.platform != "darwin" else 1024
    size = sum(file.stat().st_size for file in files) >> 10
    assert int(done.stdout) / unit < size + (3 << 10)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 0
