"""Pictures that are drawn as a whole are saved without a second copy of their pixels, and the largest without any."""

from __future__ import annotations

import errno
import os

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
# Pixels that may be off are drawn by tiles of the whole picture.
OFF = {"tolerance": 1 / 255}


def read(path):
    if path.suffix == ".npy":
        return np.load(path)
    with Image.open(path) as picture:
        return np.asarray(picture)


@linux
@pytest.mark.parametrize(
    ("suffix", "alpha"), [("png", "straight"), ("tiff", "straight"), ("npy", "premultiplied")]
)
def test_a_picture_that_is_spilled_is_the_same(tmp_path, monkeypatch, suffix, alpha):
    fading = im.lerp(0.5 + 0.25 * im.cos(im.r), im.red, im.invisible)
    one, other = tmp_path / f"one.{suffix}", tmp_path / f"other.{suffix}"
    pl.save(fading, one, (130, 70), zoom=8.0, alpha=alpha, **OFF)
    monkeypatch.setattr(spill, "MIN_BYTES", 1)
    made = []
    before = spill.spilled
    monkeypatch.setattr("pellucid.canvas.spill.spilled", lambda *args: made.append(before(*args)) or made[-1])
    pl.save(fading, other, (130, 70), zoom=8.0, alpha=alpha, **OFF)
    assert made[0] is not None
    assert made[0].shape == (70, 130, 4)
    assert one.read_bytes() == other.read_bytes()
    assert np.array_equal(read(one), read(other))
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([one.name, other.name])


@linux
def test_formats_that_copy_their_pixels_and_bands_are_not_spilled(tmp_path, monkeypatch):
    monkeypatch.setattr(spill, "MIN_BYTES", 1)
    monkeypatch.setattr("pellucid.canvas.spill.spilled", None)
    for name in ("a.jpg", "a.webp", "a.gif"):
        pl.save(BOARD, tmp_path / name, 32, **OFF)
    pl.save(BOARD, tmp_path / "a.png", 32, background="#ffffff")
    assert read(tmp_path / "a.png").shape == (32, 32, 3)


@pytest.mark.parametrize("suffix", ["png", "npy"])
def test_saving_takes_the_pixels_once(tmp_path, suffix):
    side = 3000
    kernel = pl.compile(BOARD)
    pl.save(kernel, tmp_path / f"small.{suffix}", 16, **OFF)
    with traced() as memory:
        pl.save(kernel, tmp_path / f"a.{suffix}", side, **OFF)
    # Bands of four megabytes are packed beside them.
    assert memory.peak < side * side * 4 + (32 << 20)


@linux
def test_a_picture_larger_than_memory_is_spilled_and_else_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(view_file, "available_memory", lambda: 1 << 20)
    monkeypatch.setattr(view_file, "_SMALL", 0)
    with pytest.raises(InputError, match="of memory"):
        pl.save(BOARD, tmp_path / "a.png", 700, **OFF)
    monkeypatch.setattr(spill, "MIN_BYTES", 1 << 20)
    with pytest.raises(InputError, match="of memory"):
        pl.save(BOARD, tmp_path / "a.jpg", 700, **OFF)


@linux
def test_without_space_on_the_disk_it_is_held_in_memory_or_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(spill, "MIN_BYTES", 1)

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(spill.os, "posix_fallocate", full)
    pl.save(BOARD, tmp_path / "a.png", 32, **OFF)
    monkeypatch.setattr(view_file, "available_memory", lambda: 1 << 10)
    monkeypatch.setattr(view_file, "_SMALL", 0)
    with pytest.raises(InputError, match="of memory"):
        pl.save(BOARD, tmp_path / "b.png", 32, **OFF)
    assert [p.name for p in tmp_path.iterdir()] == ["a.png"]
