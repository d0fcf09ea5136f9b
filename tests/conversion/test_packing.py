"""Pictures drawn into packed formats: the bytes are those of the reference, for whole blocks and for what is left."""

from __future__ import annotations

import numpy as np
import pytest
from tests.turns import NIGHTLY

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import InputError
from pellucid.conversion.packing import packed
from pellucid.pixels import FORMATS, Layout, layout_of, pack, unpack

SEEN = [n for n, f in FORMATS.items() if f.model not in ("samples", "mosaic") and not f.palette]
SIZES = [(48, 4), (13, 7), (1, 1)]
MATRIX = {"bt601": (0.299, 0.114), "bt709": (0.2126, 0.0722)}


def noise(width: int, height: int) -> np.ndarray:
    """Straight stored colors."""
    return np.random.default_rng(9).integers(0, 256, (height, width, 4)).astype(np.uint8)


def some_sizes(layout: Layout) -> list[tuple[int, int]]:
    """All sizes in the nightly run; in the gate that of whole blocks, and one of the others by turns."""
    return SIZES if NIGHTLY else [SIZES[0], SIZES[1 + len(layout.text) % 2]]


def to_linear(x: np.ndarray) -> np.ndarray:
    return np.where(x <= 0.04045, x / 12.92, ((np.maximum(x, 0.04045) + 0.055) / 1.055) ** 2.4)


def expected(layout: Layout, rgba: np.ndarray) -> dict[str, np.ndarray]:
    """The numbers of samples before they are rounded."""
    rgba = rgba / 255.0
    height, width = rgba.shape[:2]
    rgb, a = rgba[..., :3], rgba[..., 3]
    if layout.said["transfer"] == "linear":
        rgb = to_linear(rgb)
    if "A" not in layout.names or layout.said["alpha"] == "premultiplied":
        rgb = rgb * a[..., None]
    found = {}
    for c in layout.channels:
        red, blue = MATRIX[layout.said["matrix"] if layout.model == "ycbcr" else "bt709"]
        y = red * rgb[..., 0] + (1 - red - blue) * rgb[..., 1] + blue * rgb[..., 2]
        level = {
            "R": rgb[..., 0],
            "G": rgb[..., 1],
            "B": rgb[..., 2],
            "A": a,
            "Y": y,
            "Cb": (rgb[..., 2] - y) / (2 - 2 * blue),
            "Cr": (rgb[..., 0] - y) / (2 - 2 * red),
        }[c.name]
        level = np.pad(level, ((0, -height % c.down), (0, -width % c.across)), mode="edge")
        level = level.reshape(level.shape[0] // c.down, c.down, -1, c.across).mean((1, 3))
        if c.kind == "f":
            found[c.name] = level
        elif layout.said["range"] == "limited" and c.name != "A":
            unit = 1 << (c.bits - 8)
            found[c.name] = (
                level * 224 * unit + 128 * unit if c.name in ("Cb", "Cr") else level * 219 * unit + 16 * unit
            )
        else:
            found[c.name] = (1 - level if layout.said["polarity"] == "negative" else level) * c.high
    return found


@pytest.mark.parametrize("name", SEEN)
def test_bytes_are_those_of_the_reference(name: str):
    layout = FORMATS[name]
    for width, height in some_sizes(layout):
        rgba = noise(width, height)
        kernel = pl.compile(im.bitmap(rgba).reconstruct("nearest"), precision="f64")
        got = packed(kernel, layout, (width, height))
        levels = expected(layout, rgba)
        # Where the number is next to halfway between two, both are right.
        down, up = (
            pack(
                {k: np.floor(v + 0.5 + e) if layout[k].kind != "f" else v for k, v in levels.items()},
                layout,
                width,
                height,
            )
            for e in (-1e-6, 1e-6)
        )
        wrong = (got != np.frombuffer(down, np.uint8)) & (got != np.frombuffer(up, np.uint8))
        if layout.channels[0].kind == "f":
            values = [np.frombuffer(x, f"f{layout.channels[0].bits // 8}").astype(float) for x in (got, down)]
            assert np.allclose(*values, rtol=1e-3, atol=1e-6)
        else:
            assert not wrong.any(), (width, height)


@pytest.mark.parametrize("name", ["nv12", "yuv422p", "v210", "uyvy422"])
@pytest.mark.parametrize("siting", ["center", "left", "topleft"])
def test_chroma_is_a_mean_about_the_place_where_it_lies(name: str, siting: str):
    layout = layout_of(f"{name} | {siting}")
    for width, height in some_sizes(layout):
        rgba = noise(width, height)
        rgba[..., 3] = 255
        kernel = pl.compile(im.bitmap(rgba).reconstruct("nearest"), precision="f64")
        found = unpack(packed(kernel, layout, (width, height)), layout, width, height)
        # Every pixel has a chroma of its own, of which the samples are weighted means.
        one = Layout("Y:32 Cb:32 Cr:32 | limited bt709")
        full = expected(one, rgba)
        for c in (c for c in layout.channels if c.name != "Y"):
            unit = 2.0 ** (c.bits - 32)
            want = weighted(full[c.name] * unit, c.across, cosited=siting != "center", axis=1)
            want = weighted(want, c.down, cosited=siting == "topleft", axis=0)
            assert np.abs(found[c.name] - want).max() <= 0.5 + 1e-6


def weighted(values: np.ndarray, count: int, *, cosited: bool, axis: int) -> np.ndarray:
    """Means of so many pixels along an axis, or about the first of them with weights that fall to both sides."""
    if count == 1:
        return values
    values = np.moveaxis(values, axis, -1)
    size = values.shape[-1]
    weights = (
        {k: count - abs(k) for k in range(1 - count, count)} if cosited else dict.fromkeys(range(count), 1)
    )
    starts = np.arange(0, size, count)
    total = sum(w * values[..., np.clip(starts + k, 0, size - 1)] for k, w in weights.items())
    return np.moveaxis(total / sum(weights.values()), -1, axis)


@pytest.mark.parametrize("order", ["rggb", "bggr", "grbg", "gbrg"])
def test_a_mosaic_takes_of_each_pixel_the_color_of_its_place(order: str):
    layout = layout_of(f"raw10 | {order}")
    for width, height in some_sizes(layout):
        rgba = noise(width, height)
        rgba[..., 3] = 255
        got = packed(
            pl.compile(im.bitmap(rgba).reconstruct("nearest"), precision="f64"), layout, (width, height)
        )
        want = np.zeros((height, width))
        for place, letter in enumerate(order):
            top, left = divmod(place, 2)
            want[top::2, left::2] = to_linear(rgba[top::2, left::2, "rgb".index(letter)] / 255.0)
        found = unpack(got, layout, width, height)["M"]
        assert np.array_equal(found, np.floor(want * 1023 + 0.5))


@pytest.mark.parametrize("name", ["rgb565", "nv12", "v210", "yuv420p", "mono12p"])
def test_back_ends_agree(name: str):
    picture = im.swirl(20, im.checkerboard(3, im.tomato, im.teal))
    found = [
        packed(pl.compile(picture, backend=b, numerics="exact"), FORMATS[name], (50, 9), zoom=2.0).tobytes()
        for b in ("numpy", "llvm", "c")
    ]
    assert found[0] == found[1] == found[2]
    assert len(set(found[0])) > 2


def test_what_is_written_can_be_read():
    rgba = noise(12, 6) | np.uint8([0, 0, 0, 255])
    for name in ("rgba", "rgb24", "rgb48", "gbrp", "argb", "bgra"):
        data = packed(pl.compile(im.bitmap(rgba).reconstruct("nearest")), FORMATS[name], (12, 6))
        again = pl.render(im.from_buffer(data, name, (12, 6)).reconstruct("nearest"), (12, 6))
        assert np.array_equal(again, rgba)


def test_a_kernel_is_compiled_once_for_a_size():
    kernel = pl.compile(im.checkerboard(pl.param("side", 2.0, (1.0, 5.0)), im.red, im.blue))
    out = np.zeros(FORMATS["nv12"].size(16, 8), np.uint8)
    assert packed(kernel, FORMATS["nv12"], (16, 8), out=out) is out
    before = out.copy()
    packed(kernel, FORMATS["nv12"], (16, 8), out=out, params={"side": 4.0}, threads=1)
    assert not np.array_equal(before, out)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"layout": FORMATS["pcm_s16le"]}, "are no colors"),
        ({"layout": FORMATS["pal8"]}, "are not drawn with the palette of pal8"),
        ({"out": np.zeros(3, np.uint8)}, "give a writable, contiguous array of 48 bytes"),
        ({"size": (0, 1)}, "size"),
    ],
)
def test_refusals(options: dict, words: str):
    kernel = pl.compile(im.const(im.red))
    asked = {"layout": FORMATS["rgb24"], "size": (4, 4), **options}
    with pytest.raises(InputError, match=words):
        packed(kernel, **asked)
