"""Layouts: every built-in format against arithmetic of its own, random layouts against bits, refusals with carets."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.base.errors import InputError
from pellucid.pixels import FORMATS, Layout, pack, unpack
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


RGB8 = {"R": (0, 8), "G": (8, 8), "B": (16, 8)}
TEN = {"R": (0, 10), "G": (10, 10), "B": (20, 10)}
# Written without a look at the layouts: from the standards, by whole bytes.
ORACLES = {
    "gray1": lambda b: msb_bits(b, 1, 0),
    "gray1lsb": lambda b: {"Y": pairs(*(b >> k & 1 for k in range(8)))},
    "gray2": lambda b: msb_bits(b, 2, 0),
    "gray4": lambda b: msb_bits(b, 4, 0),
    "gray8": lambda b: {"Y": b},
    "gray10": lambda b: {"Y": word(b, 2) & 1023},
    "gray12": lambda b: {"Y": word(b, 2) & 4095},
    "gray14": lambda b: {"Y": word(b, 2) & 16383},
    "gray16": lambda b: {"Y": word(b, 2)},
    "gray16be": lambda b: {"Y": word(b, 2, big=True)},
    "mono10p": lambda b: {"Y": ten(np.pad(b, ((0, 0), (0, -b.shape[1] % 5))))},
    "mono12p": lambda b: {"Y": twelve(np.pad(b, ((0, 0), (0, -b.shape[1] % 3))))},
    "mono10packed": lambda b: {
        "Y": pairs(b[:, 0::3] << 2 | b[:, 1::3] & 3, b[:, 2::3] << 2 | b[:, 1::3] >> 4 & 3)
    },
    "mono12packed": lambda b: {
        "Y": pairs(b[:, 0::3] << 4 | b[:, 1::3] & 15, b[:, 2::3] << 4 | b[:, 1::3] >> 4)
    },
    "raw8": lambda b: {"M": b},
    "raw10": lambda b: {"M": lower(b, 4, 2)},
    "raw12": lambda b: {"M": lower(b, 2, 4)},
    "raw14": lambda b: {"M": lower(b, 4, 6)},
    "raw16": lambda b: {"M": word(b, 2)},
    "rgb332": lambda b: fields(b, R=(5, 3), G=(2, 3), B=(0, 2)),
    "rgb444": lambda b: fields(word(b, 2), R=(8, 4), G=(4, 4), B=(0, 4)),
    "rgb555": lambda b: fields(word(b, 2), R=(10, 5), G=(5, 5), B=(0, 5)),
    "rgb565": lambda b: fields(word(b, 2), R=(11, 5), G=(5, 6), B=(0, 5)),
    "rgb565be": lambda b: fields(word(b, 2, big=True), R=(11, 5), G=(5, 6), B=(0, 5)),
    "bgr565": lambda b: fields(word(b, 2), B=(11, 5), G=(5, 6), R=(0, 5)),
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
    "p010": lambda y, c: {
        "Y": word(y, 2) >> 6,
        "Cb": word(c, 2)[:, 0::2] >> 6,
        "Cr": word(c, 2)[:, 1::2] >> 6,
    },
    "uyvy422": lambda b: {"Y": b[:, 1::2], "Cb": b[:, 0::4], "Cr": b[:, 2::4]},
    "yuyv422": lambda b: {"Y": b[:, 0::2], "Cb": b[:, 1::4], "Cr": b[:, 3::4]},
    "v210": v210,
    "y410": lambda b: fields(word(b, 4), Cb=(0, 10), Y=(10, 10), Cr=(20, 10), A=(30, 2)),
    "pcm_u8": lambda b: {"S": b},
    "pcm_s16le": lambda b: {"S": signed(word(b, 2), 16)},
    "pcm_s16be": lambda b: {"S": signed(word(b, 2, big=True), 16)},
    "pcm_s24le": lambda b: {"S": signed(word(b, 3), 24)},
    "pcm_s24be": lambda b: {"S": signed(word(b, 3, big=True), 24)},
    "pcm_s24in32le": lambda b: {"S": signed(word(b, 4) >> 8, 24)},
    "pcm_s24in32be": lambda b: {"S": signed(word(b, 4, big=True) >> 8, 24)},
    "pcm_s32le": lambda b: {"S": signed(word(b, 4), 32)},
    "pcm_f32le": lambda b: {"S": real(b, "<f4")},
    "pcm_f32be": lambda b: {"S": real(b, ">f4")},
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


@pytest.mark.parametrize("name", FORMATS)
def test_every_value_comes_back(name: str):
    layout = FORMATS[name]
    largest = max(c.bits for c in layout.channels)
    width = 1 << min(largest, 12)
    rng = np.random.default_rng(1)
    samples = {}
    for c in layout.channels:
        dtype = sample_dtype(c)
        if c.kind == "f":
            words = rng.integers(0, 1 << 16, c.shape(width, 2)).astype("u2").view("f2")
            samples[c.name] = np.nan_to_num(words).astype(dtype)
        else:
            span = c.high - c.low + 1
            samples[c.name] = (
                np.arange(2 * width).reshape(2, width) * max(1, span >> 13) % span + c.low
            ).astype(dtype)
            samples[c.name] = samples[c.name][: c.shape(width, 2)[0], : c.shape(width, 2)[1]]
    data = pack(samples, layout, width, 2)
    for name_, values in unpack(data, layout, width, 2).items():
        assert values.tobytes() == samples[name_].tobytes()


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


def made_up(draw: random.Random) -> tuple[str, int, list[tuple[str, int, list[int], int, str]]]:
    """A layout of one plane with the addresses of the bits of its samples, kept track of one by one."""
    order = draw.choice(["lsb", "msb"])
    pixels = draw.choice([1, 1, 2, 4])
    names = draw.sample(["P", "Q", "A", "Y"], draw.randint(1, 3))
    widths = {n: draw.randint(1, 20) for n in names}
    kinds = {n: draw.choice("us") for n in names}
    pieces: list[tuple[str, int, int, int]] = []
    for n in names:
        for k in range(pixels):
            cut = draw.randint(1, widths[n] - 1) if widths[n] > 1 and draw.random() < 0.4 else 0
            if cut:
                kinds[n] = "u"
                pieces += [(n, k, widths[n] - 1, cut), (n, k, cut - 1, 0)]
            else:
                pieces.append((n, k, widths[n] - 1, 0))
    for _ in range(draw.randint(0, 2)):
        pieces.append(("_", 0, draw.randint(0, 6), 0))
    draw.shuffle(pieces)
    bits = sum(high - low + 1 for _, _, high, low in pieces)
    if pixels > 1 and bits % 8:
        pieces.append(("_", 0, -bits % 8 - 1, 0))
    text: list[str] = []
    found: dict[tuple[str, int], dict[int, int]] = {}
    at = 0
    for n, k, high, low in pieces:
        for step in range(high - low + 1):
            bit = low + step if order == "lsb" else high - step
            found.setdefault((n, k), {})[bit] = at if order == "lsb" else at - at % 8 + 7 - at % 8
            at += 1
        where = str(k) if pixels > 1 else ""
        if n == "_":
            text.append(f"_:{high + 1}")
        elif low == 0 and high == widths[n] - 1:
            text.append(f"{n}{where}:{kinds[n]}{high + 1}")
        else:
            text.append(f"{n}{where}[{high}:{low}]")
    samples = [
        (n, k, [places[b] for b in range(widths[n])], at, kinds[n])
        for (n, k), places in found.items()
        if n != "_"
    ]
    return f"{order}: {' '.join(text)}", pixels, samples


@given(st.integers(0, 10**9), st.integers(1, 9), st.integers(1, 3))
def test_made_up_layouts_are_read_bit_by_bit(seed: int, width: int, height: int):
    text, pixels, samples = made_up(random.Random(seed))
    layout = Layout(text)
    data = noise(layout.size(width, height))
    got = unpack(data.tobytes(), layout, width, height)
    row_bytes = len(data) // height
    for name, k, places, bits, kind in samples:
        for y in range(height):
            for group in range((width - k + pixels - 1) // pixels):
                start = 8 * row_bytes * y + group * bits
                # Big-endian groups that are no whole bytes go on in the middle of one.
                where = [
                    start + p if start % 8 == 0 else flipped(text, group * bits, p, 8 * row_bytes * y)
                    for p in places
                ]
                value = sum((int(data[w // 8]) >> w % 8 & 1) << b for b, w in enumerate(where))
                if kind == "s" and value >> len(places) - 1:
                    value -= 1 << len(places)
                assert got[name][y, group * pixels + k] == value
    assert (
        unpack(pack(got, layout, width, height, data.tobytes()), layout, width, height).keys() == got.keys()
    )
    assert pack(got, layout, width, height, data.tobytes()) == data.tobytes()


def flipped(text: str, group: int, place: int, row: int) -> int:
    """The address of a bit of a group that begins within a byte."""
    if text.startswith("lsb"):
        return row + group + place
    in_order = place - place % 8 + 7 - place % 8
    whole = group + in_order
    return row + whole - whole % 8 + 7 - whole % 8


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
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_contradiction_has_a_caret_below_it(text: str):
    problem, line, at = REFUSED[text]
    with pytest.raises(InputError) as caught:
        Layout(text)
    told = str(caught.value).splitlines()
    assert problem in told[0]
    assert told[1] == f"  {line}"
    assert told[2].startswith(f"  {' ' * at}^; ")


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
