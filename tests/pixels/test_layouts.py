"""Layouts: every built-in format against arithmetic of its own, refusals with carets."""

from __future__ import annotations

import numpy as np
import pytest

import pellucid as pl
from pellucid.base.errors import InputError
from pellucid.pixels import FORMATS, Channel, Layout, layout_of, pack, unpack
from pellucid.pixels.reference import sample_dtype

WIDTHS = (1, 2, 3, 5, 8, 13, 48, 67)


def noise(size: int) -> np.ndarray:
    return np.random.default_rng(size).integers(0, 256, size, np.uint8)


def rows(data: np.ndarray, layout: Layout, width: int, height: int, plane: int = 0) -> np.ndarray:
    """The bytes of one plane, row by row."""
    start, stop = layout.offsets(width, height)[plane : plane + 2]
    return data[start:stop].reshape(layout.planes[plane].rows(height), -1).astype(np.int64)


def msb_bits(b: np.ndarray, bits: int, width: int) -> dict[str, np.ndarray]:
    """Small grays, the first in the highest bits."""
    per = 8 // bits
    return {
        "Y": np.stack([b >> (8 - bits * (k + 1)) & (1 << bits) - 1 for k in range(per)], -1).reshape(
            len(b), -1
        )
    }


def fields(word: np.ndarray, **places: tuple[int, int]) -> dict[str, np.ndarray]:
    """Channels of words by lowest bit and width."""
    return {name: word >> low & (1 << width) - 1 for name, (low, width) in places.items()}


def word(b: np.ndarray, size: int, *, big: bool = False) -> np.ndarray:
    """The bytes of rows as words."""
    parts = [b[:, k::size] << 8 * (size - 1 - k if big else k) for k in range(size)]
    return sum(parts[1:], parts[0])


def pairs(*samples: np.ndarray) -> np.ndarray:
    """Columns by turns."""
    return np.stack(samples, -1).reshape(len(samples[0]), -1)


def v210(b: np.ndarray) -> dict[str, np.ndarray]:
    w = [word(b, 4)[:, k::4] for k in range(4)]
    low, middle, high = ([x >> s & 1023 for x in w] for s in (0, 10, 20))
    return {
        "Y": pairs(middle[0], low[1], high[1], middle[2], low[3], high[3]),
        "Cb": pairs(low[0], middle[1], high[2]),
        "Cr": pairs(high[0], low[2], middle[3]),
    }


def lower(b: np.ndarray, count: int, bits: int) -> np.ndarray:
    """MIPI: whole bytes of so many pixels, then their low bits without gaps."""
    size = count + count * bits // 8
    tail = sum(b[:, count + k :: size] << 8 * k for k in range(size - count))
    return pairs(*(b[:, k::size] << bits | tail >> bits * k & (1 << bits) - 1 for k in range(count)))


def signed(values: np.ndarray, bits: int) -> np.ndarray:
    return values - (values >> bits - 1 << bits)


def real(b: np.ndarray, kind: str) -> np.ndarray:
    return np.ascontiguousarray(b.astype(np.uint8)).view(kind)


def twelve(b: np.ndarray) -> np.ndarray:
    x, y, z = (b[:, k::3] for k in range(3))
    return pairs(x | (y & 15) << 8, y >> 4 | z << 4)


def ten(b: np.ndarray) -> np.ndarray:
    v = sum(b[:, k::5] << 8 * k for k in range(5))
    return pairs(*(v >> 10 * k & 1023 for k in range(4)))


def gige(b: np.ndarray, low: int) -> np.ndarray:
    """GigE Vision: the high bits of two pixels, and between them a byte with the low bits of both, four bits apart."""
    first, middle, second = (b[:, k::3] for k in range(3))
    mask = (1 << low) - 1
    return pairs(first << low | middle & mask, second << low | middle >> 4 & mask)


def indexed(bits: int):
    """Pixels that are indices, the first in the highest bits, then words of blue, green, red, alpha."""

    def oracle(b: np.ndarray, palette: np.ndarray) -> dict[str, np.ndarray]:
        found = msb_bits(b, bits, 0)["Y"]
        return {"I": found, **{c: palette[:, k::4] for k, c in enumerate("BGRA")}}

    return oracle


def sixteen(high: str, low: str, bits: tuple[int, int], *, big: bool = False):
    """A 16-bit word with one color in the higher bits, green below it, another in the low bits."""
    outer, green = bits
    places = {low: (0, outer), "G": (outer, green), high: (outer + green, outer)}
    return lambda b: fields(word(b, 2, big=big), **places)


RGB8 = {"R": (0, 8), "G": (8, 8), "B": (16, 8)}
TEN = {"R": (0, 10), "G": (10, 10), "B": (20, 10)}
# Written without a look at the layouts: from the standards, by whole bytes.
ORACLES = {
    "gray1": lambda b: msb_bits(b, 1, 0),
    "gray1lsb": lambda b: {"Y": pairs(*(b >> k & 1 for k in range(8)))},
    "white1": lambda b: msb_bits(b, 1, 0),
    "white1lsb": lambda b: {"Y": pairs(*(b >> k & 1 for k in range(8)))},
    "gray2": lambda b: msb_bits(b, 2, 0),
    "gray4": lambda b: msb_bits(b, 4, 0),
    "gray8": lambda b: {"Y": b},
    "gray10": lambda b: {"Y": word(b, 2) & 1023},
    "gray12": lambda b: {"Y": word(b, 2) & 4095},
    "gray14": lambda b: {"Y": word(b, 2) & 16383},
    "gray16": lambda b: {"Y": word(b, 2)},
    "gray16be": lambda b: {"Y": word(b, 2, big=True)},
    "grayf32": lambda b: {"Y": real(b, "<f4")},
    "mono10p": lambda b: {"Y": ten(np.pad(b, ((0, 0), (0, -b.shape[1] % 5))))},
    "mono12p": lambda b: {"Y": twelve(np.pad(b, ((0, 0), (0, -b.shape[1] % 3))))},
    "mono10packed": lambda b: {"Y": gige(b, 2)},
    "mono12packed": lambda b: {"Y": gige(b, 4)},
    "bayer10p": lambda b: {"M": ten(np.pad(b, ((0, 0), (0, -b.shape[1] % 5))))},
    "bayer12p": lambda b: {"M": twelve(np.pad(b, ((0, 0), (0, -b.shape[1] % 3))))},
    "bayer10packed": lambda b: {"M": gige(b, 2)},
    "bayer12packed": lambda b: {"M": gige(b, 4)},
    "raw8": lambda b: {"M": b},
    "raw10": lambda b: {"M": lower(b, 4, 2)},
    "raw12": lambda b: {"M": lower(b, 2, 4)},
    "raw14": lambda b: {"M": lower(b, 4, 6)},
    "raw16": lambda b: {"M": word(b, 2)},
    "mask1": lambda b: {"A": msb_bits(b, 1, 0)["Y"]},
    "alpha8": lambda b: {"A": b},
    "pal1": indexed(1),
    "pal2": indexed(2),
    "pal4": indexed(4),
    "pal8": indexed(8),
    "rgb332": lambda b: fields(b, R=(5, 3), G=(2, 3), B=(0, 2)),
    "bgr332": lambda b: fields(b, B=(6, 2), G=(3, 3), R=(0, 3)),
    "rgb444": sixteen("R", "B", (4, 4)),
    "rgb444be": sixteen("R", "B", (4, 4), big=True),
    "bgr444": sixteen("B", "R", (4, 4)),
    "bgr444be": sixteen("B", "R", (4, 4), big=True),
    "rgb555": sixteen("R", "B", (5, 5)),
    "rgb555be": sixteen("R", "B", (5, 5), big=True),
    "bgr555": sixteen("B", "R", (5, 5)),
    "bgr555be": sixteen("B", "R", (5, 5), big=True),
    "rgb565": sixteen("R", "B", (5, 6)),
    "rgb565be": sixteen("R", "B", (5, 6), big=True),
    "bgr565": sixteen("B", "R", (5, 6)),
    "bgr565be": sixteen("B", "R", (5, 6), big=True),
    "argb4444": lambda b: fields(word(b, 2), A=(12, 4), R=(8, 4), G=(4, 4), B=(0, 4)),
    "argb1555": lambda b: fields(word(b, 2), A=(15, 1), R=(10, 5), G=(5, 5), B=(0, 5)),
    "rgb24": lambda b: {"R": b[:, 0::3], "G": b[:, 1::3], "B": b[:, 2::3]},
    "bgr24": lambda b: {"B": b[:, 0::3], "G": b[:, 1::3], "R": b[:, 2::3]},
    "rgbx": lambda b: fields(word(b, 4), **RGB8),
    "bgrx": lambda b: {"B": b[:, 0::4], "G": b[:, 1::4], "R": b[:, 2::4]},
    "rgba": lambda b: fields(word(b, 4), **RGB8, A=(24, 8)),
    "bgra": lambda b: {"B": b[:, 0::4], "G": b[:, 1::4], "R": b[:, 2::4], "A": b[:, 3::4]},
    "argb": lambda b: {"A": b[:, 0::4], "R": b[:, 1::4], "G": b[:, 2::4], "B": b[:, 3::4]},
    "rgb48": lambda b: fields(word(b, 6), R=(0, 16), G=(16, 16), B=(32, 16)),
    "rgba64": lambda b: dict(zip("RGBA", (word(b, 2)[:, k::4] for k in range(4)), strict=True)),
    "rgb10a2": lambda b: fields(word(b, 4), **TEN, A=(30, 2)),
    "bgr10a2": lambda b: fields(word(b, 4), B=(0, 10), G=(10, 10), R=(20, 10), A=(30, 2)),
    "r210": lambda b: fields(word(b, 4, big=True), B=(0, 10), G=(10, 10), R=(20, 10)),
    "rgbaf16": lambda b: dict(zip("RGBA", (real(b, "<f2")[:, k::4] for k in range(4)), strict=True)),
    "rgbf32": lambda b: dict(zip("RGB", (real(b, "<f4")[:, k::3] for k in range(3)), strict=True)),
    "gbrp": lambda g, b, r: {"R": r, "G": g, "B": b},
    "yuv420p": lambda y, u, v: {"Y": y, "Cb": u, "Cr": v},
    "yuv422p": lambda y, u, v: {"Y": y, "Cb": u, "Cr": v},
    "yuv444p": lambda y, u, v: {"Y": y, "Cb": u, "Cr": v},
    "nv12": lambda y, c: {"Y": y, "Cb": c[:, 0::2], "Cr": c[:, 1::2]},
    "nv21": lambda y, c: {"Y": y, "Cr": c[:, 0::2], "Cb": c[:, 1::2]},
    "nv16": lambda y, c: {"Y": y, "Cb": c[:, 0::2], "Cr": c[:, 1::2]},
    "yuv420p10": lambda y, u, v: {"Y": word(y, 2) & 1023, "Cb": word(u, 2) & 1023, "Cr": word(v, 2) & 1023},
    "yuv422p10": lambda y, u, v: {"Y": word(y, 2) & 1023, "Cb": word(u, 2) & 1023, "Cr": word(v, 2) & 1023},
    "p010": lambda y, c: {
        "Y": word(y, 2) >> 6,
        "Cb": word(c, 2)[:, 0::2] >> 6,
        "Cr": word(c, 2)[:, 1::2] >> 6,
    },
    "uyvy422": lambda b: {"Y": b[:, 1::2], "Cb": b[:, 0::4], "Cr": b[:, 2::4]},
    "yuyv422": lambda b: {"Y": b[:, 0::2], "Cb": b[:, 1::4], "Cr": b[:, 3::4]},
    "yvyu422": lambda b: {"Y": b[:, 0::2], "Cb": b[:, 3::4], "Cr": b[:, 1::4]},
    "v210": v210,
    "y410": lambda b: fields(word(b, 4), Cb=(0, 10), Y=(10, 10), Cr=(20, 10), A=(30, 2)),
    "pcm_u8": lambda b: {"S": b},
    "pcm_s16le": lambda b: {"S": signed(word(b, 2), 16)},
    "pcm_s16be": lambda b: {"S": signed(word(b, 2, big=True), 16)},
    "pcm_s24le": lambda b: {"S": signed(word(b, 3), 24)},
    "pcm_s24be": lambda b: {"S": signed(word(b, 3, big=True), 24)},
    "pcm_s24in32le": lambda b: {"S": signed(word(b, 4) >> 8, 24)},
    "pcm_s24in32be": lambda b: {"S": signed(word(b, 4, big=True) >> 8, 24)},
    "pcm_s24low32le": lambda b: {"S": signed(word(b, 4) & 0xFFFFFF, 24)},
    "pcm_s24low32be": lambda b: {"S": signed(word(b, 4, big=True) & 0xFFFFFF, 24)},
    "pcm_s32le": lambda b: {"S": signed(word(b, 4), 32)},
    "pcm_s32be": lambda b: {"S": signed(word(b, 4, big=True), 32)},
    "pcm_f32le": lambda b: {"S": real(b, "<f4")},
    "pcm_f32be": lambda b: {"S": real(b, ">f4")},
    "pcm_f64le": lambda b: {"S": real(b, "<f8")},
    "pcm_f64be": lambda b: {"S": real(b, ">f8")},
}


def test_every_format_has_an_oracle():
    assert set(ORACLES) == set(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_reading_agrees_with_arithmetic_on_whole_bytes(name: str):
    layout = FORMATS[name]
    for width in WIDTHS:
        data = noise(layout.size(width, 3))
        got = unpack(data.tobytes(), layout, width, 3)
        planes = [rows(data, layout, width, 3, k) for k in range(len(layout.planes))]
        with np.errstate(all="ignore"):
            want = ORACLES[name](*planes)
        assert set(got) == set(want)
        for channel in layout.channels:
            shape = channel.shape(width, 3)
            values = want[channel.name][: shape[0], : shape[1]].astype(sample_dtype(channel))
            assert got[channel.name].tobytes() == values.tobytes(), (width, channel.name)


def every_value(channel: Channel, count: int) -> np.ndarray:
    """So many samples: all bit patterns if they are that many, otherwise the ends, the powers of two and noise."""
    if channel.bits <= 16:
        words = np.arange(count, dtype=np.uint64) & np.uint64((1 << channel.bits) - 1)
    else:
        near = [(1 << k) + d for k in range(channel.bits) for d in (-1, 0, 1)]
        words = np.random.default_rng(1).integers(0, 1 << channel.bits, count, np.uint64)
        words[: len(near)] = near
    dtype = sample_dtype(channel)
    if channel.kind == "f":
        return words.astype(f"u{dtype.itemsize}").view(dtype)
    return (words.astype(np.int64) + channel.low).astype(dtype)


def all_samples(layout: Layout) -> tuple[dict[str, np.ndarray], tuple[int, int]]:
    """Every value of every channel, as far as they are few enough, and the size of a picture that has them all."""
    largest = min(max(c.bits for c in layout.channels), 16)
    # Large enough that a channel with fewer samples than pixels has as many as it has values.
    width = max(c.across for c in layout.channels) << largest - largest // 2
    height = max(c.down for c in layout.channels) << largest // 2
    samples = {}
    for c in layout.channels:
        rows_, columns = c.shape(width, height)
        samples[c.name] = every_value(c, rows_ * columns).reshape(rows_, columns)
        if c.bits <= 16 and c.kind != "f":
            assert len(np.unique(samples[c.name])) == min(1 << c.bits, c.entries or 1 << 16)
    return samples, (width, height)


@pytest.mark.parametrize("name", FORMATS)
def test_every_value_comes_back(name: str):
    layout = FORMATS[name]
    samples, size = all_samples(layout)
    for name_, values in unpack(pack(samples, layout, *size), layout, *size).items():
        assert values.tobytes() == samples[name_].tobytes()


def through_colors(layout: Layout) -> bool:
    """Whether every value is a color of its own, that nothing is cut off of."""
    whole = all(c.kind != "f" for c in layout.channels)
    return layout.model in ("gray", "alpha", "mosaic", "rgb") and whole and not layout.palette


@pytest.mark.parametrize("name", [name for name, layout in FORMATS.items() if through_colors(layout)])
def test_every_value_comes_back_from_compiled_code(name: str):
    # Straight colors without opacity would be lost.
    layout = layout_of(f"{name} | premultiplied" if {"R", "A"} <= {*FORMATS[name].names} else name)
    samples, size = all_samples(layout)
    data = pack(samples, layout, *size)
    assert pl.convert(data, layout, layout, size, precision="f64").tobytes() == data


def test_writing_leaves_unused_bits_alone():
    layout = Layout("_:3 Y:4 _:1")
    before = noise(40).tobytes()
    after = pack({"Y": np.zeros(40, int)}, layout, 40, onto=before)
    assert [a & 0b10000111 for a in before] == list(after)


def test_numbers_that_do_not_fit_are_saturated_and_fractions_rounded_to_even():
    values = [[-3, 0.5, 1.5, 2.4999, 1e30, float("nan"), float("-inf"), 31]]
    data = pack({"Y": np.array(values)}, Layout("Y:5 _:3"), 8)
    assert list(data) == [0, 0, 2, 2, 31, 0, 0, 31]
    data = pack({"S": np.array([[-9, 7, 8, -8]])}, Layout("S:s4"), 4)
    assert unpack(data, Layout("S:s4"), 4)["S"].tolist() == [[-8, 7, 7, -8]]
    whole = Layout("S:u64")
    data = pack({"S": np.array([[2**64 - 1, 0]], np.uint64)}, whole, 2)
    assert unpack(data, whole, 2)["S"].tolist() == [[2**64 - 1, 0]]


REFUSED = {
    "Y:99": ("is no type of sample", "Y:99", 2),
    "Y:": ("is no type of sample", "Y:", 2),
    "F:f24": ("is no type of sample", "F:f24", 2),
    "Y:8 $": ("means nothing here", "Y:8 $", 4),
    "Y:8 Y:8": ("Y is given twice", "Y:8 Y:8", 4),
    "Y:8; Y:8": ("in another plane already", "Y:8; Y:8", 5),
    "Y[7:4] Y[4:0]": ("is there already", "Y[7:4] Y[4:0]", 7),
    "Y[7:4]": ("bit 0 of Y is nowhere", "Y[7:4]", 0),
    "Y[2:9]": ("bit 9 is above bit 2", "Y[2:9]", 4),
    "_[3:0]": ("unused bits have no numbers", "_[3:0]", 0),
    "_:8": ("no bit of the plane is used", "_:8", 0),
    "Y0:10 Y1:10": ("no whole bytes", "Y0:10 Y1:10", 0),
    "Y0:8 Y2:8": ("is there for the pixels 0, 2 of 3", "Y0:8 Y2:8", 0),
    "Y0:8 Y1:4 _:4": ("samples of different types", "Y0:8 Y1:4 _:4", 0),
    "Y64:8": ("at most 64 pixels", "Y64:8", 0),
    "abcdefghij:8": ("is no channel", "abcdefghij:8", 0),
    "Y:8 /3": ("is no subsampling", "Y:8 /3", 5),
    "Y:8 rows x": ("is not a number of bytes", "Y:8 rows x", 9),
    "Y:8 | purple": ("says nothing of samples", "Y:8 | purple", 6),
    "Y:8 | full limited": ("it is full already", "Y:8 | full limited", 11),
    "Y:8 | rggb": ("only a channel M is a mosaic", "Y:8 | rggb", 6),
    "R:8 G:8": ("there is G but no B", "R:8 G:8", 0),
    "Cb:8 Cr:8": ("there is Cb but no Y", "Cb:8 Cr:8", 0),
    "Y 8": ("a plane has no fields", "Y 8", 0),
    "Y:8,": ("means nothing here", "Y:8,", 3),
    "": ("a plane has no fields", "", 0),
    "palette: Y:8": ("nothing says which entry", "palette: Y:8", 0),
    "palette: Y:8 I:8": ("nothing says which entry", "palette: Y:8 I:8", 0),
    "I:s8; palette: Y:8": ("these are no indices", "I:s8; palette: Y:8", 0),
    "I:4; palette: Y:8 /2x1": ("stand for no pixels", "I:4; palette: Y:8 /2x1", 5),
    "I:4; palette: Y:8; palette: A:8": ("there is a palette already", "I:4; palette: Y:8; palette: A:8", 19),
    "R:8 G:8 B:8 | premultiplied": ("needs a channel A", "R:8 G:8 B:8 | premultiplied", 14),
    "Y:8 | bt601": ("needs a channel Cb", "Y:8 | bt601", 6),
    "R:8 G:8 B:8 | left": ("needs a channel Cb", "R:8 G:8 B:8 | left", 14),
    "Y:s8 | negative": ("without a sign", "Y:s8 | negative", 7),
    "nv12 | purple": ("says nothing of samples", "nv12 | purple", 7),
    "nv12 | rggb": ("only a channel M is a mosaic", "Y:8; Cb:8 Cr:8 /2x2 | limited bt709 rggb", 36),
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_contradiction_has_a_caret_below_it(text: str):
    problem, line, at = REFUSED[text]
    with pytest.raises(InputError) as caught:
        layout_of(text) if text.startswith("nv12") else Layout(text)
    told = str(caught.value).splitlines()
    assert problem in told[0]
    assert told[1] == f"  {line}"
    assert told[2].startswith(f"  {' ' * at}^; ")


def test_a_variant_says_otherwise_what_a_format_says():
    nv12 = layout_of("nv12 | full bt601")
    assert nv12.said == {**FORMATS["nv12"].said, "range": "full", "matrix": "bt601"}
    assert nv12.channels == FORMATS["nv12"].channels
    assert layout_of("nv12 | full bt601") is nv12
    for order in ("rggb", "bggr", "grbg", "gbrg"):
        for name in (n for n, f in FORMATS.items() if f.model == "mosaic"):
            raw = layout_of(f"{name} | {order}")
            assert (raw.said["mosaic"], raw.channels) == (order, FORMATS[name].channels)
    assert layout_of("rgba | premultiplied").text == "R:8 G:8 B:8 A:8 | premultiplied"


def test_a_palette_has_an_entry_for_each_index():
    layout = Layout("palette: msb: R:5 G:6 B:5 rows 64; I:3 _:5")
    assert layout.offsets(7, 2) == (0, 64, 78)
    data = noise(layout.size(7, 2))
    found = unpack(data.tobytes(), layout, 7, 2)
    assert found["R"].tolist() == [[int(data[2 * k]) >> 3 for k in range(8)]]
    assert found["I"].tolist() == (data[64:].reshape(2, 7) & 7).tolist()
    assert pack(found, layout, 7, 2, data.tobytes()) == data.tobytes()


def test_too_few_bytes_are_refused():
    with pytest.raises(InputError, match="take 24 bytes, and there are 23"):
        unpack(bytes(23), FORMATS["nv12"], 4, 4)
    assert unpack(b"", FORMATS["rgb24"], 0, 0)["R"].shape == (0, 0)


def test_a_layout_tells_what_it_knows():
    nv12 = FORMATS["nv12"]
    assert (nv12.model, nv12.names, nv12.said["range"]) == ("ycbcr", ("Y", "Cb", "Cr"), "limited")
    assert nv12["Cb"].shape(5, 3) == (2, 3)
    assert str(Layout("Y:3")) == "Y:3"
    with pytest.raises(InputError, match="layout nv12: has no channel R; it has Y, Cb, Cr"):
        nv12["R"]
    assert FORMATS["v210"].size(1920, 1080) == 5120 * 1080
    assert FORMATS["mono10p"].planes[0].row_bytes(3) == 4
