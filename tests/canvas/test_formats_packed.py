"""Packed formats in the verbs: rendering into one, converting between two."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import InputError
from pellucid.pixels import FORMATS, pack, unpack


def test_render_into_a_format():
    picture = im.checkerboard(4, im.red, im.blue)
    data = pl.render(picture, (16, 8), format="rgb565")
    plain = pl.render(picture, (16, 8))
    found = unpack(data.tobytes(), FORMATS["rgb565"], 16, 8)
    assert np.array_equal(found["R"] == 31, plain[..., 0] == 255)
    out = np.zeros_like(data)
    assert pl.render(picture, (16, 8), format="rgb565", out=out) is out
    assert np.array_equal(out, data)
    assert len(pl.render(picture, (16, 8), format="Y:3 _:5", samples=2)) == 128


def test_convert_with_an_operation():
    rng = np.random.default_rng(4)
    layout = FORMATS["raw12"]
    data = pack({"M": rng.integers(0, 4096, (6, 8))}, layout, 8, 6)
    plain = pl.convert(data, "raw12", "rgb24", (8, 6))
    turned = pl.convert(b"x" + data, "raw12", "rgb24", (8, 6), op=lambda p: im.turn(np.pi, p), offset=1)
    assert np.array_equal(plain.reshape(6, 8, 3)[::-1, ::-1], turned.reshape(6, 8, 3))


def test_the_same_picture_by_way_of_planes():
    rng = np.random.default_rng(4)
    small = rng.integers(0, 256, (5, 7, 3)).astype(np.uint8)
    for way in ("rgb48", "gbrp", "rgbf32", "rgba64"):
        there = pl.convert(small.tobytes(), "rgb24", way, (7, 5))
        assert np.array_equal(pl.convert(there, way, "rgb24", (7, 5)), small.ravel())


def test_refusals():
    with pytest.raises(InputError, match="no format is called 'nv13'"):
        pl.render(im.const(im.red), (4, 4), format="nv13")
    with pytest.raises(InputError, match="op gives None"):
        pl.convert(bytes(12), "rgb24", "gray8", (2, 2), op=lambda p: None)
    with pytest.raises(InputError, match="take 12 bytes, and there are 11"):
        pl.convert(bytes(11), "rgb24", "gray8", (2, 2))
