"""Any format to any other in one compiled pass: the numbers that the reference reads and writes, and by lanes."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.turns import fewer

import pellucid as pl
from pellucid.conversion import color_model
from pellucid.conversion.nests import nest_between
from pellucid.conversion.plan import conversion
from pellucid.driver.kernel import optimized
from pellucid.driver.lending import make_backend
from pellucid.driver.options import Options
from pellucid.pixels import FORMATS, Layout, layout_of, pack, unpack

COLORS = [n for n, f in FORMATS.items() if f.model in ("rgb", "ycbcr", "gray", "alpha") and not f.palette]


def alike(a: Layout, b: Layout) -> bool:
    """Whether a conversion is a matter of bits only: the same channels at as many pixels, with the same meaning."""
    return (
        a.model == b.model
        and a.said == b.said
        and {(c.name, c.across, c.down, c.kind) for c in a.channels}
        == {(c.name, c.across, c.down, c.kind) for c in b.channels}
        and all(c.kind == "u" and c.bits <= 16 for c in (*a.channels, *b.channels))
        and (a.said["range"] == "full" or all(c.bits >= 8 for c in (*a.channels, *b.channels)))
    )


PAIRS = [(a, b) for a in COLORS for b in COLORS if a != b and alike(FORMATS[a], FORMATS[b])]
"""Formats that differ in where their samples lie and in how many bits these have."""


def scale(layout: Layout, name: str) -> tuple[int, int]:
    """The number that stands for nothing in a channel, and how many more stand for full intensity."""
    bits, chroma = layout[name].bits, name in ("Cb", "Cr")
    if layout.said["range"] == "full" or name == "A":
        return (1 << (bits - 1) if chroma else 0), (1 << bits) - 1
    unit = 1 << (bits - 8)
    return (128 * unit, 224 * unit) if chroma else (16 * unit, 219 * unit)


def rescaled(samples: np.ndarray, source: Layout, target: Layout, name: str) -> np.ndarray:
    """Numbers of a channel in another layout, for the same level."""
    (zero, span), (new_zero, new_span) = scale(source, name), scale(target, name)
    number = (samples.astype(np.float64) - zero) * (new_span / span) + new_zero
    return np.clip(number, 0, target[name].high)


def test_there_are_pairs_to_be_drawn_from():
    assert len(PAIRS) > 100
    assert len({FORMATS[a].model for a, _ in PAIRS}) >= 3


@given(st.sampled_from(PAIRS), st.integers(1, 67), st.integers(1, 9), st.integers(0, 3))
@settings(max_examples=fewer(25), deadline=None)
def test_a_conversion_of_bits_is_that_of_the_reference(
    pair: tuple[str, str], width: int, height: int, seed: int
):
    source, target = (FORMATS[n] for n in pair)
    samples = {
        c.name: np.random.default_rng(seed).integers(0, c.high + 1, c.shape(width, height))
        for c in source.channels
    }
    data = np.frombuffer(pack(samples, source, width, height), np.uint8)
    found = unpack(pl.convert(data, source, target, (width, height), precision="f64"), target, width, height)
    for c in target.channels:
        level = rescaled(samples[c.name], source, target, c.name)
        assert np.abs(found[c.name] - level).max() <= 0.5 + 1e-6, c.name
        if c.bits == source[c.name].bits:
            assert np.array_equal(found[c.name], samples[c.name]), c.name


def random_bytes(layout: Layout, width: int, height: int) -> np.ndarray:
    return np.random.default_rng(8).integers(0, 256, layout.size(width, height)).astype(np.uint8)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("v210", "yuv422p10"),
        ("v210 | left", "yuv422p10 | left"),
        ("yuv420p", "nv12"),
        ("uyvy422", "yuv422p"),
        ("rgba", "bgra"),
        ("rgbaf16", "R:f16; G:f16; B:f16; A:f16 | premultiplied linear"),
        ("raw12", "M:12 | rggb linear"),
        ("Y0:s4 Y1:s4", "Y:s4 _:4"),
    ],
)
@pytest.mark.parametrize("numerics", ["exact", "relaxed"])
def test_what_two_formats_have_alike_is_not_converted(source: str, target: str, numerics: str):
    old, new, size = layout_of(source), layout_of(target), (37, 11)
    data = random_bytes(old, *size)
    before = unpack(data, old, *size)
    after = unpack(pl.convert(data, old, new, size, numerics=numerics), new, *size)
    for name in new.names:
        bits = f"u{before[name].itemsize}"
        # Numbers that are none, and colors that there are not, too.
        assert np.array_equal(before[name].view(bits), after[name].view(bits)), name


def test_alpha_that_there_is_not_is_full():
    shot = unpack(pl.convert(bytes(range(9)), "rgb24", "bgra", (3, 1)), FORMATS["bgra"], 3)
    assert shot["A"].tolist() == [[255] * 3]
    assert shot["R"].tolist() == [[0, 3, 6]]


def test_levels_of_other_places_are_mixed_as_they_are():
    old, new, size = FORMATS["yuv420p"], FORMATS["yuv422p"], (12, 4)
    samples = {"Y": np.full((4, 12), 255), "Cb": np.full((2, 6), 3), "Cr": np.full((2, 6), 254)}
    samples["Y"][::2] = 0
    data = np.frombuffer(pack(samples, old, *size), np.uint8)
    found = unpack(pl.convert(data, old, new, size), new, *size)
    assert np.array_equal(found["Y"], samples["Y"])
    assert (found["Cb"] == 3).all()
    assert (found["Cr"] == 254).all()


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("nv12", "rgb24"),
        ("nv12", "nv12 | bt601"),
        ("rgb24", "rgb24 | linear"),
        ("rgba", "rgb24"),
        ("rgba", "rgba | premultiplied"),
        ("raw12", "raw12 | bggr"),
        ("R:8 G:8 B:8", "Y:8"),
        ("Y:8 A:8", "R:8 G:8 B:8"),
        ("Y:8", "R:8 G:8 B:8 | linear"),
    ],
)
def test_what_means_something_else_is_converted(source: str, target: str):
    old, new = layout_of(source), layout_of(target)
    assert not color_model.same(old, new)
    assert color_model.same(old, old)
    size = (12, 4)
    data = random_bytes(old, *size)
    made = pl.convert(data, old, new, size)
    assert len(made) != len(data) or not np.array_equal(made, data)


@pytest.mark.parametrize("name", [n for n, f in FORMATS.items() if f.model != "samples" and not f.palette])
@pytest.mark.parametrize("reads", [True, False])
def test_a_dense_conversion_runs_by_lanes(name: str, reads: bool):
    source, target = (FORMATS[n] for n in ((name, "rgb24") if reads else ("rgb24", name)))
    size = 240, 12
    options = Options()
    frame = nest_between(conversion(source, target, size), options)
    best = optimized(frame, options, make_backend("auto"))
    text = make_backend("llvm").text(best.kernel, best.ranges)
    moves = [s.verdict for s in best.ledger.steps if s.move == "lanes"]
    assert moves
    assert all(type(v).__name__ == "Proved" for v in moves)
    assert not re.search(r"icmp ult i64 %\S+, %size", text), "a store goes lane after lane"


@pytest.mark.parametrize("pair", [("mono12p", "mono12packed"), ("raw10", "mono12p"), ("rgb24", "rgbaf16")])
def test_curves_there_and_back_are_converted_exactly_as_well(pair: tuple[str, str]):
    size = (29, 6)
    data = np.random.default_rng(2).integers(0, 256, FORMATS[pair[0]].size(*size), np.uint8)
    found = [pl.convert(data, *pair, size, numerics="exact", backend=b) for b in ("llvm", "c", "numpy")]
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])
