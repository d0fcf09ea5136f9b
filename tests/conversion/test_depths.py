"""Depths of 1 to 32 bits to one another: the nearest number, of every code of up to 16 bits, on every back end.

What is right is said by fractions: Python's own whole numbers, rounded down after a half is added.
"""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from tests.turns import NIGHTLY

import pellucid as pl
from pellucid.conversion.access import word_type
from pellucid.conversion.color_model import _scale
from pellucid.conversion.depths import LevelScale, nearest
from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.ir.interp import evaluate
from pellucid.pixels import Layout, layout_of, pack, unpack

DEPTHS = range(1, 33)
FEW = 1000


def codes(layout: Layout, name: str = "Y") -> np.ndarray:
    """All codes of a channel of up to 16 bits; of more, those at both ends and a dense sample between."""
    channel = layout[name]
    if channel.bits <= 16:
        return np.arange(channel.low, channel.high + 1)
    rng = random.Random(channel.bits)
    some = {rng.randint(channel.low, channel.high) for _ in range(FEW)}
    ends = {channel.low + k for k in range(100)} | {channel.high - k for k in range(100)} | {0, 1}
    powers = {min(channel.high, (1 << k) + d) for k in range(channel.bits) for d in (-1, 0, 1)}
    return np.array(sorted(some | ends | {p for p in powers if p >= channel.low}))


def line(layout: Layout, name: str) -> LevelScale:
    """The numbers of no light and of full light, apart."""
    zero, span = _scale(layout, layout[name])
    return LevelScale(int(zero), int(span))


def right(values: np.ndarray, source: Layout, target: Layout, name: str = "Y") -> list[int]:
    """The nearest samples, halves up."""
    (z1, s1), (z2, s2) = line(source, name), line(target, name)
    low, high = target[name].low, target[name].high
    sign = 1 if s1 > 0 else -1
    found = []
    for n in values.tolist():
        # floor((n - z1) * s2 / s1 + z2 + 1 / 2)
        number = (2 * sign * (n - z1) * s2 + abs(s1)) // (2 * abs(s1)) + z2
        found.append(max(low, min(high, number)))
    return found


def expression(values: np.ndarray, source: Layout, target: Layout, name: str = "Y") -> list[int]:
    """The samples that the expression gives: the interpreter on all of them at once."""
    given, wanted = source[name], target[name]
    number = E.param("n", word_type(given))
    bits = nearest(given, line(source, name), wanted, line(target, name), number)
    (found,) = evaluate([bits], {number: values.astype(number.type.dtype)})
    found = np.broadcast_to(found, values.shape).astype(np.int64)
    assert ((found >= 0) & (found < 1 << wanted.bits)).all()
    return [n - (1 << wanted.bits) if n > wanted.high else n for n in found.tolist()]


@pytest.mark.parametrize("depth", DEPTHS)
def test_every_code_of_every_depth_is_the_nearest_of_every_other(depth: int):
    source = Layout(f"Y:{depth}")
    values = codes(source)
    for other in DEPTHS:
        target = Layout(f"Y:{other}")
        high, whole = (1 << depth) - 1, (1 << other) - 1
        # There are no halves: both ends of every step are odd.
        wanted = ((2 * values.astype(object) * whole + high) // (2 * high)).tolist()
        assert expression(values, source, target) == wanted, (depth, other)


KINDS = ["Y:{}", "Y:s{}", "Y:{} | limited", "Y:{} | negative", "Y:{} | limited negative"]
SOME = [1, 3, 8, 9, 12, 16, 17, 32]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kinds", list(itertools.product(KINDS, KINDS)), ids=" to ".join)
def test_signs_ranges_and_polarities_are_the_nearest_too(kinds: tuple[str, str]):
    for depth, other in itertools.product(SOME, SOME):
        if depth > 16 and other > 16 and kinds[0] == kinds[1] == "Y:{}":
            continue
        source, target = (Layout(k.format(d)) for k, d in zip(kinds, (depth, other), strict=True))
        values = codes(source) if depth < 13 else codes(source)[:: 1 if depth > 16 else 7]
        assert expression(values, source, target) == right(values, source, target), (depth, other)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kinds", list(itertools.product(("", "s"), (" | limited", ""), repeat=2)))
def test_chroma_is_the_nearest_too(kinds: tuple[str, str, str, str]):
    for depth, other in itertools.product((1, 4, 8, 9, 10, 12, 16, 24, 32), repeat=2):
        source, target = (
            Layout(f"Y:8 Cb:{kind}{d} Cr:{kind}{d}{words}")
            for kind, d, words in ((kinds[0], depth, kinds[1]), (kinds[2], other, kinds[3]))
        )
        values = codes(source, "Cb")[:: 1 if depth < 13 or depth > 16 else 5]
        assert expression(values, source, target, "Cb") == right(values, source, target, "Cb")


PAIRS = [(12, 16), (9, 16), (16, 12), (16, 8), (8, 16), (10, 8), (16, 15), (11, 13), (5, 6), (1, 32), (32, 1),
         (24, 16), (31, 32), (32, 31), (16, 32), (17, 19), (32, 24), (13, 29)]  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize("backend", ["llvm", "c", "numpy"])
@pytest.mark.parametrize(("depth", "other"), PAIRS)
def test_conversions_are_the_nearest_on_every_back_end(depth: int, other: int, backend: str):
    source, target = Layout(f"Y:{depth}"), Layout(f"Y:{other}")
    values = codes(source)
    data = np.frombuffer(pack({"Y": values[None]}, source, len(values)), np.uint8)
    kinds = ("relaxed", "exact")
    for numerics in kinds if NIGHTLY else kinds[(depth + other) % 2 :][:1]:
        found = pl.convert(data, source, target, (len(values), 1), backend=backend, numerics=numerics)
        got = unpack(found, target, len(values))["Y"][0]
        assert got.tolist() == right(values, source, target), numerics


@pytest.mark.parametrize("words", [("rgb48", "rgb24"), ("rgba64", "rgba"), ("bgr10a2", "rgba64"), ("gray12", "rgb48"),
                                   ("gray16", "R:12 G:12 B:12"), ("yuv420p10", "Y:16; Cb:16 Cr:16 | limited bt709"),
                                   ("yuv420p | full", "Y:12; Cb:12 Cr:12 /2x1 | bt709"),
                                   ("raw12", "raw16"), ("M:9 | rggb linear", "raw16")])  # fmt: skip
@pytest.mark.parametrize("backend", ["llvm", "c", "numpy"])
def test_depths_of_pictures_are_the_nearest(words: tuple[str, str], backend: str):
    source, target = (layout_of(w) for w in words)
    size = 67, 4
    samples = {
        c.name: np.random.default_rng(3).integers(c.low, c.high, c.shape(*size), endpoint=True)
        for c in source.channels
    }
    found = unpack(
        pl.convert(pack(samples, source, *size), source, target, size, backend=backend), target, *size
    )
    for c in target.channels:
        name = c.name if c.name in source.names else "Y"
        given = samples[name].repeat(source[name].down, 0).repeat(source[name].across, 1)
        given = given[: size[1] : c.down, : size[0] : c.across]
        (z1, s1), (z2, s2) = (_scale(f, f[n]) for f, n in ((source, name), (target, c.name)))
        exact = ((2 * (given.astype(object) - int(z1)) * int(s2) + int(s1)) // (2 * int(s1))) + int(z2)
        wanted = np.clip(exact, c.low, c.high).astype(np.int64)
        assert np.array_equal(found[c.name], wanted), c.name


@pytest.mark.one_in(3)
@pytest.mark.parametrize("bits", [8, 16, 23, 24, 25, 31, 32, 33, 53, 54, 64])
@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("backend", ["llvm", "c", "numpy"])
def test_white_is_the_greatest_number(bits: int, precision: str, backend: str):
    from pellucid import images as im

    for kind in "us":
        layout = Layout(f"Y:{kind}{bits}")
        drawn = pl.render(im.const(im.white), (3, 2), format=layout, precision=precision, backend=backend)
        assert set(unpack(drawn, layout, 3, 2)["Y"].ravel().tolist()) == {layout["Y"].high}
        drawn = pl.render(im.const(im.black), (3, 2), format=layout, precision=precision, backend=backend)
        assert set(unpack(drawn, layout, 3, 2)["Y"].ravel().tolist()) == {0}


def test_a_word_of_32_bits_is_enough_for_the_usual_depths():
    # A multiplication of 64 bits takes twice the lanes: it is left to depths that nobody uses often.
    usual = [
        (8, 10),
        (8, 12),
        (8, 14),
        (8, 16),
        (10, 8),
        (12, 8),
        (14, 8),
        (16, 8),
        (10, 16),
        (12, 16),
        (14, 16),
    ]
    for depth, other in usual:
        source, target = Layout(f"Y:{depth}"), Layout(f"Y:{other}")
        number = E.param("n", T.u32)
        bits = nearest(source["Y"], line(source, "Y"), target["Y"], line(target, "Y"), number)
        assert "u64" not in str(bits), (depth, other)
