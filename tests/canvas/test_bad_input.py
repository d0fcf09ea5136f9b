"""Every wrong value ends in one error that names the place, the rule and the fix, before anything is computed."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from pellucid import images as im
from pellucid.base.errors import InputError, MissingExtraError
from pellucid.base.memory import readable_bytes
from pellucid.canvas.draw import animate, render, save
from pellucid.canvas.show import png_of, show
from pellucid.driver import view as view_file
from pellucid.driver.view import check_size

RENDER = [
    ({"size": (0, 5)}, "size: 0x5 has no pixels"),
    ({"size": (5, -1)}, "size: 5x-1 has no pixels"),
    ({"size": -3}, "size: -3x-3 has no pixels"),
    ({"size": (1 << 21, 4)}, "size: 2097152x4 is too large"),
    ({"size": (1 << 20, 1 << 20)}, r"size: 1048576x1048576 needs 4\.0 TiB of memory and .* are available"),
    ({"size": "12x12"}, "size: '12x12' is not a pair"),
    ({"size": (1, 2, 3)}, r"size: \(1, 2, 3\) has more than 2 numbers, not two"),
    ({"size": (1.5, 2)}, r"size: 1\.5 is not a whole number"),
    ({"size": True}, "size: True is not a whole number"),
    ({"center": (math.nan, 0)}, "center: nan is not a finite number"),
    ({"center": (0, math.inf)}, "center: inf is not a finite number"),
    ({"center": 3}, "center: 3 is not a pair"),
    ({"center": ("a", 0)}, "center: 'a' is not a number"),
    ({"zoom": 0}, "zoom: 0 pixels per unit; give a positive number"),
    ({"zoom": -2.0}, "zoom: -2 pixels per unit"),
    ({"zoom": math.inf}, "zoom: inf is not a finite number"),
    ({"zoom": 1e-300}, "zoom: 1e-300 is out of range for f32; give a number from 9.09495e-13 to"),
    ({"center": (2e12, 0.0)}, "center: 2e[+]12 is too large for f32"),
    ({"time": -2e12}, "time: -2e[+]12 is too large for f32"),
    ({"zoom": 1e38}, "zoom: 1e[+]38 is out of range for f32"),
    (
        {"zoom": 1e-12, "size": (1000, 2)},
        r"zoom: at 1e-12 .* leave the range of f32; give a larger zoom",
    ),
    (
        {"zoom": 1e9, "center": (5.0, 0.0)},
        "neighboring pixels have equal coordinates in f32; give precision='f64'",
    ),
    (
        {"zoom": 1e17, "center": (5.0, 0.0), "precision": "f64"},
        "equal coordinates in f64; look closer to the origin",
    ),
    ({"time": math.nan}, "time: nan is not a finite number"),
    ({"time": 1e39}, "time: 1e[+]39 is too large for f32; precision='f64' holds it"),
    ({"time": 10**400}, "time: .* is not a finite number"),
    ({"samples": 0}, "samples: 0 is out of range; give a whole number from 1 to"),
    ({"samples": 2.0}, r"samples: 2\.0 is not a whole number"),
    ({"threads": 0}, "threads: 0 is out of range"),
    ({"threads": -4}, "threads: -4 is out of range"),
    ({"params": {"twst": 1.0}}, "params: the picture has no parameter 'twst'; did you mean 'twist'?"),
    ({"params": {"zzz": 1.0}}, "params: the picture has no parameter 'zzz'; it has radius, twist"),
    ({"params": {"twist": math.nan}}, r"params\['twist'\]: nan is not a finite number"),
    ({"params": [1]}, r"params: \[1\] is not a mapping"),
    ({"alpha": "none"}, "alpha: 'none' is unknown; choose 'straight' or 'premultiplied'"),
    ({"numerics": "exact"}, "numerics: this picture is compiled already"),
    ({"out": [1]}, "out: list is not an array; give a writable, contiguous array of uint8"),
    ({"out": np.zeros((8, 9, 4), np.uint8)}, r"out: its shape is \(8, 9, 4\); give .* shape \(8, 8, 4\)"),
    ({"out": np.zeros((8, 8, 4), np.float32)}, "out: its elements are float32"),
    ({"out": np.zeros((8, 16, 4), np.uint8)[:, ::2]}, "out: it is not contiguous"),
]


@pytest.mark.parametrize(("wrong", "message"), RENDER, ids=[f"{name}" for name in range(len(RENDER))])
def test_render_refuses(kernel, wrong, message):
    with pytest.raises(InputError, match=message) as caught:
        render(kernel, **{"size": (8, 8), **wrong})
    assert kernel.calls == []
    assert "\n" not in str(caught.value)


def test_render_refuses_a_read_only_out(kernel):
    out = np.zeros((8, 8, 4), np.uint8)
    out.flags.writeable = False
    with pytest.raises(InputError, match="out: it is read-only"):
        render(kernel, 8, out=out)


@pytest.mark.parametrize(
    ("thing", "fix"),
    [
        (im.red, r"pellucid\.images\.const"),
        (im.seconds, r"pellucid\.images\.const"),
        (np.zeros((2, 2)), r"pellucid\.images\.bitmap"),
        (Path("a.png"), r"pellucid\.images\.read_image"),
        (lambda p: p.x, "@pl.image"),
        (eval("lambda p: p.x", {}), "@pl.image"),
        (im.disk, r"call it, as in im\.disk\(\.\.\.\)"),
        (3, r"give one made with pellucid\.images"),
    ],
)
def test_what_is_no_picture_is_told_how_to_become_one(thing, fix):
    with pytest.raises(InputError, match=f"is not a picture; .*{fix}"):
        render(thing, 8)


@pytest.mark.parametrize("thing", ["swirl", None, 3, lambda point: point, str])
def test_only_pictures_can_be_drawn(thing):
    with pytest.raises(InputError, match="is not a picture; "):
        render(thing, 8)


SAVE = [
    ("a.xyz", {}, "a.xyz: unknown suffix '.xyz'; known are .png, .apng, .jpg"),
    ("a.pgn", {}, "unknown suffix '.pgn'; did you mean '.png'"),
    ("a", {}, "a: the file name has no suffix"),
    ("a.mp4", {}, "MP4 holds moving pictures only; use animate"),
    ("a.webp", {"size": (16384, 2)}, "size: 16384x2 is too large for WebP; a side has at most 16383"),
    ("a.jpg", {"size": (65501, 2)}, "too large for JPEG"),
    ("a.png", {"quality": 50}, "quality: PNG is lossless"),
    ("a.jpg", {"quality": 0}, "quality: 0 is out of range; give a whole number from 1 to 100"),
    ("a.jpg", {"quality": 101}, "quality: 101 is out of range"),
    ("a.jpg", {"quality": 3.5}, "quality: 3.5 is out of range"),
    ("a.jpg", {"background": "mauve"}, "background: 'mauve' is not a color; give '#rrggbb'"),
    ("a.jpg", {"background": (1, 2, 256)}, r"background: \(1, 2, 256\) is not a color"),
    ("a.jpg", {"alpha": "premultiplied"}, "alpha: there is no alpha to multiply with in JPEG"),
    (
        "a.png",
        {"alpha": "premultiplied", "background": "red"},
        "alpha: there is no alpha to multiply with in an opaque",
    ),
    ("a.png", {"params": {"twst": 1.0}}, "did you mean 'twist'"),
]


@pytest.mark.parametrize(("name", "options", "message"), SAVE, ids=[row[2][:30] for row in SAVE])
def test_save_refuses(kernel, tmp_path, name, options, message):
    with pytest.raises(InputError, match=message):
        save(kernel, tmp_path / name, **{"size": (8, 8), **options})
    assert kernel.calls == []
    assert list(tmp_path.iterdir()) == []


ANIMATE = [
    ("a.jpg", {}, "JPEG holds no moving pictures; choose PNG, WebP, GIF, NPY, MP4, WebM"),
    ("a.png", {"seconds": 0}, "seconds: 0 is not a positive, finite number"),
    ("a.png", {"seconds": math.inf}, "seconds: inf is not a positive"),
    ("a.png", {"fps": -1}, "fps: -1 is not a positive"),
    ("a.png", {"fps": "many"}, "fps: 'many' is not a positive"),
    ("a.png", {"fps": 1e-6}, "fps: 1e-06 is out of range"),
    ("a.png", {"fps": 5000}, "fps: 5000 is out of range"),
    ("a.png", {"seconds": 1e9}, "seconds: 25000000000 frames are too many"),
    ("a.gif", {"fps": 60}, "fps: 60 frames per second are too fast for GIF; give at most 50"),
    ("a.mp4", {"size": (15, 8)}, "size: MP4 needs an even width and height, not 15x8; use 16x8"),
    ("a.png", {"time": math.nan}, "time: nan is not a finite number"),
]


@pytest.mark.parametrize(("name", "options", "message"), ANIMATE, ids=[row[2][:30] for row in ANIMATE])
def test_animate_refuses(kernel, tmp_path, name, options, message):
    with pytest.raises(InputError, match=message):
        animate(kernel, tmp_path / name, **{"size": (8, 8), **options})
    assert kernel.calls == []
    assert list(tmp_path.iterdir()) == []


def test_video_without_pyav_names_the_extra(kernel, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "av", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'pellucid\[video\]'"):
        animate(kernel, tmp_path / "a.mp4", (8, 8))
    assert list(tmp_path.iterdir()) == []


def test_memory_is_estimated_before_allocating(monkeypatch):
    monkeypatch.setattr(view_file, "available_memory", lambda: 5000 * 5000)
    check_size((2500, 2500))
    with pytest.raises(
        InputError, match=r"size: 2500x2600 needs 24.8 MiB of memory and 23.8 MiB are available"
    ):
        check_size((2500, 2600))
    with pytest.raises(InputError, match=r"needs 71\.5 MiB of memory"):
        check_size((2500, 2500), frames=3)


def test_bytes_are_readable():
    assert [readable_bytes(amount) for amount in (1, 1024, 5 << 30)] == ["1 bytes", "1.0 KiB", "5.0 GiB"]


def test_numpy_numbers_are_numbers(kernel):
    pixels = render(
        kernel,
        (np.int64(8), np.uint8(4)),
        center=np.array([1.0, 2.0], np.float32),
        zoom=np.float32(2),
        params={"twist": np.float64(3)},
    )
    assert pixels.shape == (4, 8, 4)
    assert kernel.calls[0]["params"] == {"twist": 3.0}


def test_show_refuses_an_unknown_mode(kernel):
    with pytest.raises(InputError, match="mode: 'sixel' is unknown; choose one of ascii, 256, truecolor"):
        show(kernel, 8, mode="sixel")


def test_png_of_checks_as_render_does(kernel):
    with pytest.raises(InputError, match="zoom"):
        png_of(kernel, 8, zoom=-1)
