"""Any format to any other in one compiled pass: the numbers that the reference reads and writes, and by lanes."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pellucid as pl
from pellucid.canvas.convert import conversion
from pellucid.driver.kernel import make_backend, optimized
from pellucid.driver.options import Options
from pellucid.pixels import FORMATS, Layout, pack, unpack

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
        and (a.model != "rgb" or "A" not in a.names)
    )


PAIRS = [(a, b) for a in COLORS for b in COLORS if a != b and alike(FORMATS[a], FORMATS[b])]
"""Formats that differ in where their samples lie and in how many bits these have."""


def rescaled(samples: np.ndarray, old: int, new: int, limited: bool) -> np.ndarray:
    """Numbers of another count of bits, for the same level."""
    if limited:
        return np.minimum(samples.astype(np.int64) * 2.0 ** (new - old), (1 << new) - 1)
    return samples.astype(np.float64) * ((1 << new) - 1) / ((1 << old) - 1)


def test_there_are_pairs_to_be_drawn_from():
    assert len(PAIRS) > 100
    assert len({FORMATS[a].model for a, _ in PAIRS}) >= 3


@given(st.sampled_from(PAIRS), st.integers(1, 67), st.integers(1, 9), st.integers(0, 3))
@settings(max_examples=25, deadline=None)
def test_a_conversion_of_bits_is_that_of_the_reference(
    pair: tuple[str, str], width: int, height: int, seed: int
):
    source, target = (FORMATS[n] for n in pair)
    samples = {
        c.name: np.random.default_rng(seed).integers(0, c.high + 1, c.shape(width, height))
        for c in source.channels
    }
    if source.model == "ycbcr":
        # Of colors that there are: gray, so that chroma is nothing and stays so.
        for c in source.channels:
            if c.name in ("Cb", "Cr"):
                samples[c.name][:] = 1 << (c.bits - 1)
            elif source.said["range"] == "limited":
                unit = 1 << (c.bits - 8)
                samples[c.name] = np.clip(samples[c.name], 16 * unit, 235 * unit)
    data = np.frombuffer(pack(samples, source, width, height), np.uint8)
    found = unpack(pl.convert(data, source, target, (width, height), precision="f64"), target, width, height)
    for c in target.channels:
        limited = source.said["range"] == "limited" or c.name in ("Cb", "Cr")
        old = source[c.name].bits
        level = rescaled(samples[c.name], old, c.bits, limited)
        assert np.abs(found[c.name] - level).max() <= 0.5 + 1e-6, c.name


@pytest.mark.parametrize("name", [n for n, f in FORMATS.items() if f.model != "samples" and not f.palette])
@pytest.mark.parametrize("reads", [True, False])
def test_a_dense_conversion_runs_by_lanes(name: str, reads: bool):
    source, target = (FORMATS[n] for n in ((name, "rgb24") if reads else ("rgb24", name)))
    size = 240, 12
    options = Options()
    best = optimized(conversion(source, target, size, options), options, make_backend("auto"))
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
