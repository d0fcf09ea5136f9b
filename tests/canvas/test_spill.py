"""Large pictures are saved without a second copy of their pixels, and the largest without any in memory."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image
from tests.memory import traced
from tests.systems import linux

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import InputError
from pellucid.canvas import spill
from pellucid.driver import view as view_file

BOARD = im.checkerboard(10.0, im.red, im.blue)


def read(path):
    if path.suffix == ".npy":
        return np.load(path)
    with Image.open(path) as picture:
        return np.asarray(picture)


@linux
@pytest.mark.parametrize(
    ("suffix", "alpha"), [("png", "straight"), ("npy", "straight"), ("npy", "premultiplied")]
)
def test_a_picture_that_is_spilled_is_the_same(tmp_path, monkeypatch, suffix, alpha):
    fading = im.lerp(0.5 + 0.25 * im.cos(im.r), im.red, im.invisible)
    one, other = tmp_path / f"one.{suffix}", tmp_path / f"other.{suffix}"
    pl.save(fading, one, (130, 70), zoom=8.0, alpha=alpha)
    monkeypatch.setattr(spill, "MIN_BYTES", 1)
    made = []
    before = spill.spilled
    monkeypatch.setattr("pellucid.canvas.draw.spilled", lambda *args: made.append(before(*args)) or made[-1])
    pl.save(fading, other, (130, 70), zoom=8.0, alpha=alpha)
    assert made[0] is not None
    assert made[0].shape == (70, 130, 4)
    assert one.read_bytes() == other.read_bytes()
    assert np.array_equal(read(one), read(other))
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([one.name, other.name])


@linux
def test_formats_that_copy_their_pixels_are_not_spilled(tmp_path, monkeypatch):
    monkeypatch.setattr(spill, "MIN_BYTES", 1)
    for name in ("a.jpg", "a.tiff", "a.webp", "a.gif"):
        pl.save(BOARD, tmp_path / name, 32)
    pl.save(BOARD, tmp_path / "a.png", 32, background="#ffffff")
    assert read(tmp_path / "a.png").shape == (32, 32, 3)


@pytest.mark.parametrize("suffix", ["png", "npy"])
def test_saving_takes_the_pixels_once(tmp_path, suffix):
    side = 3000
    kernel = pl.compile(BOARD)
    kernel.render((16, 16))
    pl.save(kernel, tmp_path / f"small.{suffix}", 16)
    with traced() as memory:
        pl.save(kernel, tmp_path / f"a.{suffix}", side)
    # NumPy writes 16 MiB at a time.
    assert memory.peak < side * side * 4 + (17 << 20)


@linux
def test_a_spilled_picture_takes_no_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(spill, "MIN_BYTES", 1)
    side = 1500
    kernel = pl.compile(BOARD)
    kernel.render((16, 16))
    pl.save(kernel, tmp_path / "small.png", 16)
    with traced() as memory:
        pl.save(kernel, tmp_path / "a.png", side)
    assert memory.peak < 2 << 20


@linux
def test_a_picture_larger_than_memory_is_spilled_and_else_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(view_file, "available_memory", lambda: 1 << 20)
    monkeypatch.setattr(view_file, "_SMALL", 0)
    with pytest.raises(InputError, match="of memory"):
        pl.save(BOARD, tmp_path / "a.png", 700)
    monkeypatch.setattr(spill, "MIN_BYTES", 1 << 20)
    pl.save(BOARD, tmp_path / "a.png", 700)
    assert read(tmp_path / "a.png").shape[:2] == (700, 700)
    with pytest.raises(InputError, match="of memory"):
        pl.save(BOARD, tmp_path / "a.jpg", 700)


@linux
def test_without_space_on_the_disk_it_is_held_in_memory_or_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(spill, "MIN_BYTES", 1)

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(spill.os, "posix_fallocate", full)
    pl.save(BOARD, tmp_path / "a.png", 32)
    monkeypatch.setattr(view_file, "available_memory", lambda: 1 << 10)
    monkeypatch.setattr(view_file, "_SMALL", 0)
    with pytest.raises(InputError, match="of memory"):
        pl.save(BOARD, tmp_path / "b.png", 32)
    assert [p.name for p in tmp_path.iterdir()] == ["a.png"]


LARGE = """
import resource, sys
import pellucid as pl
from pellucid import images as im
from pellucid.canvas import spill
spill.MIN_BYTES = 1
kernel = pl.compile(im.checkerboard(1000.0, im.red, im.blue))
pl.save(kernel, sys.argv[1] + "/small.npy", 16)
resource.setrlimit(resource.RLIMIT_DATA, (300 << 20, resource.RLIM_INFINITY))
pl.save(kernel, sys.argv[1] + "/large.npy", 10000)
print("saved")
"""


@linux
@pytest.mark.slow
def test_a_picture_is_saved_by_a_process_that_may_not_hold_it(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", LARGE, str(tmp_path)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stdout == "saved\n", done.stderr
    assert (tmp_path / "large.npy").stat().st_size == 400_000_128
