"""Sides of branches in lanes: those that are alike are one function, and those that cost little are no branch."""

from __future__ import annotations

import re

import numpy as np
import pytest

import pellucid as pl
from pellucid.backends.llvm import LlvmBackend
from pellucid.driver import Options
from pellucid.driver.frame import FrameVariant
from pellucid.driver.pipeline import optimize

SIZE = (70, 9)
ZOOMS = (10.0, 1e-5, 1e-10)
"""Angles within few turns, most beyond a million of turns, and all of them."""


def text(function, numerics: str = "exact") -> str:
    """The LLVM text of a picture for rows by eight lanes."""
    options = Options(backend="llvm", numerics=numerics)
    frame = pl.compile(pl.image(function), numerics=numerics, backend="tiles").frame(FrameVariant())
    best = optimize(frame.kernel, frame.ranges, options, 8)
    return LlvmBackend().text(best.kernel, best.ranges)


def check(function) -> None:
    """Compare the pixels with those of the interpreter, near and far."""
    for zoom in ZOOMS:
        found, expected = (
            pl.render(pl.image(function), SIZE, zoom=zoom, numerics="exact", backend=name)
            for name in ("llvm", "numpy")
        )
        assert np.array_equal(found, expected)


def waves(p):
    return 0.5 + 0.2 * pl.sin(p.x * 3 + p.y) + 0.2 * pl.sin(p.x * p.y) + 0.1 * pl.cos(p.x - p.y * 0.7)


def test_sines_have_one_way_for_large_angles():
    words = text(waves)
    assert len(re.findall("define internal", words)) == 1
    assert len(re.findall("call {", words)) == 3
    check(waves)


def test_one_side_stands_in_its_place():
    def wave(p):
        return 0.5 + 0.5 * pl.sin(p.x * 3 + p.y)

    assert "define internal" not in text(wave)
    check(wave)


def test_a_side_that_costs_little_is_computed_for_all_lanes():
    words = text(waves)
    # The way for small angles takes seven instructions.
    assert len(re.findall("vector.reduce.or", words)) == 3
    assert "zeroinitializer ]" not in words


def long(x, factor):
    """Many operators on a number."""
    for k in range(30):
        x = factor - x * (0.7 + k)
        x = x - pl.floor(x)
    return x


def test_sides_with_other_numbers_are_no_function():
    def both(p):
        a = pl.where(p.x > p.y, long(p.x, 1.3), p.y * 0.1)
        return a + pl.where(p.x > -p.y, long(p.y * p.x, 1.4), 0.2)

    assert "define internal" not in text(both)
    check(both)


@pytest.mark.parametrize("row", [False, True])
def test_sides_may_read_several_numbers(row):
    def both(p):
        one, other = p.x * p.y, p.x - p.y
        # In a row, this factor is one number for all lanes.
        given = (p.y, p.y) if row else (other, one)
        a = pl.where(one > 0.1, long(one, given[0]), one * 0.2)
        return a + pl.where(other > 0.2, long(other, given[1]), other * 0.1)

    assert ("define internal" in text(both)) is not row
    check(both)
