"""Pictures in packed formats: read in place as images, against colors worked out in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import InputError, VocabularyError
from pellucid.pixels import FORMATS, Layout, layout_of, pack, unpack

W, H = 13, 7
SEEN = [n for n, f in FORMATS.items() if f.model != "samples"]


def noise(layout: Layout) -> bytes:
    rng = np.random.default_rng(5)
    samples = {}
    for c in layout.channels:
        shape = c.shape(W, H)
        samples[c.name] = (
            rng.random(shape) if c.kind == "f" else rng.integers(c.low, c.high, shape, endpoint=True)
        )
    return pack(samples, layout, W, H)


def linear_to_stored(x: np.ndarray) -> np.ndarray:
    return np.where(x <= 0.0031308, 12.92 * x, 1.055 * np.maximum(x, 0.0031308) ** (1 / 2.4) - 0.055)


def expected(layout: Layout, data: bytes) -> np.ndarray:
    """Premultiplied stored colors, from the samples, by the formulas of the standards."""
    raw = {k: v.astype(np.float64) for k, v in unpack(data, layout, W, H).items()}
    levels = {}
    for c in layout.channels:
        v, peak = raw[c.name], (1 << c.bits) - 1
        if c.kind != "f" and layout.said["range"] == "limited" and c.name != "A":
            unit = 2.0 ** (c.bits - 8)
            v = (v / unit - 128) / 224 if c.name in ("Cb", "Cr") else (v / unit - 16) / 219
        elif c.kind != "f":
            v = v / peak if layout.said["polarity"] == "positive" else 1 - v / peak
        if c.entries:
            v = v[0][unpack(data, layout, W, H)["I"]]
        levels[c.name] = v.repeat(c.across, 1).repeat(c.down, 0)[:H, :W]
    alpha = levels.get("A", np.ones((H, W)))
    if layout.model == "rgb":
        rgb = np.stack([levels[n] for n in "RGB"], -1)
    elif layout.model == "ycbcr":
        y, u, v = levels["Y"], levels["Cb"], levels["Cr"]
        rgb = np.stack([y + 1.5748 * v, y - 0.187324 * u - 0.468124 * v, y + 1.8556 * u], -1).clip(0, 1)
    else:
        rgb = np.repeat(levels.get("Y", np.ones((H, W)))[..., None], 3, -1)
    if layout.said["alpha"] == "premultiplied":
        with np.errstate(all="ignore"):
            rgb = np.where(alpha[..., None] > 0, rgb / alpha[..., None], 0)
    if layout.said["transfer"] == "linear":
        rgb = linear_to_stored(rgb)
    return np.concatenate([rgb * alpha[..., None], alpha[..., None]], -1)


@pytest.mark.parametrize("name", [n for n in SEEN if FORMATS[n].model != "mosaic"])
def test_colors_are_those_of_the_standards(name: str):
    layout = FORMATS[name]
    data = noise(layout)
    picture = im.from_buffer(b"12345" + data, name, (W, H), 5)
    x, y = np.arange(W) - W / 2 + 0.5, H / 2 - 0.5 - np.arange(H)[:, None]
    got = picture.reconstruct("nearest", "clamp").at(x, y)
    assert np.abs(got - expected(layout, data)).max() < 1e-4


@pytest.mark.parametrize("name", ["nv12", "uyvy422"])
@pytest.mark.parametrize("siting", ["center", "left", "topleft"])
def test_between_two_chroma_samples_is_their_mean(name: str, siting: str):
    layout = layout_of(f"{name} | {siting}")
    data = noise(layout)
    got = pl.convert(data, layout, "yuv444p | full", (W, H), precision="f64")
    samples = unpack(data, layout, W, H)
    whole = {"Y": samples["Y"].astype(np.float64)}
    for c in (c for c in layout.channels if c.name != "Y"):
        values = samples[c.name].astype(np.float64)
        across, down = c.across == 2 and siting != "center", c.down == 2 and siting == "topleft"
        rows, columns = np.arange(H) / c.down, np.arange(W) / c.across
        for axis, places, between in ((0, rows, down), (1, columns, across)):
            low = np.floor(places).astype(int)
            high = np.minimum(np.ceil(places).astype(int), values.shape[axis] - 1) if between else low
            values = (values.take(low, axis) + values.take(high, axis)) / 2
        whole[c.name] = values
    # Fourths are kept by a layout of two bits more, with the same meaning.
    finer = Layout("Y:10; Cb:10; Cr:10 | limited bt709")
    same = pack({k: 4 * v for k, v in whole.items()}, finer, W, H)
    assert np.array_equal(got, pl.convert(same, finer, "yuv444p | full", (W, H), precision="f64"))


@pytest.mark.parametrize("name", ["raw8", "raw10", "raw12", "raw14", "raw16"])
def test_a_mosaic_is_filled_in_bilinearly(name: str):
    layout = FORMATS[name]
    data = noise(layout)
    m = unpack(data, layout, W, H)["M"].astype(np.float64) / layout["M"].high
    padded = np.pad(m, 1, mode="reflect")
    red, blue = np.zeros((H, W)), np.zeros((H, W))
    red[::2, ::2] = blue[1::2, 1::2] = 1
    masks = {"R": red, "B": blue, "G": 1 - red - blue}
    weights = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]])
    rgb = []
    for mask in (masks["R"], masks["G"], masks["B"]):
        near = np.pad(mask, 1, mode="reflect")
        total = sum(
            w * near[a : a + H, b : b + W] * padded[a : a + H, b : b + W]
            for a, line in enumerate(weights)
            for b, w in enumerate(line)
        )
        count = sum(
            w * near[a : a + H, b : b + W] for a, line in enumerate(weights) for b, w in enumerate(line)
        )
        found = np.where(mask == 1, m, 0)
        if mask is masks["G"]:
            cross = (padded[1:-1, :-2] + padded[1:-1, 2:] + padded[:-2, 1:-1] + padded[2:, 1:-1]) / 4
            found = np.where(mask == 1, m, cross)
        else:
            found = np.where(mask == 1, m, total / count)
        rgb.append(linear_to_stored(found))
    got = im.from_buffer(data, name, (W, H)).reconstruct("nearest", "clamp")
    x, y = np.arange(W) - W / 2 + 0.5, H / 2 - 0.5 - np.arange(H)[:, None]
    assert np.abs(got.at(x, y)[..., :3] - np.stack(rgb, -1)).max() < 1e-4


@pytest.mark.one_in(3)
@pytest.mark.parametrize("backend", ["llvm", "c"])
@pytest.mark.parametrize("name", ["rgb565", "v210", "raw12", "nv12", "rgbaf16", "mono10p"])
def test_back_ends_agree(name: str, backend: str):
    data = noise(FORMATS[name])
    picture = im.turn(0.3, im.from_buffer(data, name, (W, H)))
    want = pl.render(picture, (40, 30), zoom=2.5, backend="numpy", numerics="exact")
    assert want[..., 3].any()
    assert np.array_equal(pl.render(picture, (40, 30), zoom=2.5, backend=backend, numerics="exact"), want)


def test_it_combines_with_other_pictures():
    data = bytes([255, 0, 0, 255] * 4)
    picture = im.over(im.from_buffer(data, "rgba", (2, 2)), im.checkerboard(1, im.black, im.white))
    assert (pl.render(picture, (2, 2)) == [255, 0, 0, 255]).all()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: im.from_buffer(bytes(5), "rgb565", (2, 2)), "2 x 2 in rgb565 take 8 bytes, and there are 5"),
        (lambda: im.from_buffer(bytes(8), "rgb565", (2, 2), 1), "take 8 bytes, and there are 7"),
        (lambda: im.from_buffer(bytes(8), "rgb566", (2, 2)), "did you mean 'rgb565'"),
        (lambda: im.from_buffer(bytes(8), "R:5 G:6", (2, 2)), "there is G but no B"),
        (lambda: im.from_buffer(bytes(8), "pcm_s16le", (2, 2)), "are no colors"),
        (lambda: im.from_buffer(bytes(8), "gray8", (0, 2)), "is no size"),
        (lambda: im.from_buffer(bytes(8), "gray8", 3), "is no size"),
        (lambda: im.from_buffer("text", "gray8", (1, 1)), "holds no bytes"),
    ],
)
def test_what_cannot_be_read_is_told(call, words: str):
    with pytest.raises((InputError, VocabularyError), match=words):
        call()
