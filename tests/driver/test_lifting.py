"""Shapes: what differs in numbers only is drawn by the same code with other parameters, and nothing else is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pellucid as pl
from pellucid import images as im
from pellucid.driver.frame import COLUMN, OUT, ROW, Frame, build
from pellucid.driver.kernel import checked_source, optimized
from pellucid.driver.lending import make_backend
from pellucid.driver.lifting import KEPT, Template
from pellucid.driver.options import Options
from pellucid.ir import types as T
from pellucid.ir.interp import evaluate

EXACT = Options("exact")
VIEW = {
    "time": 0.0, "center_x": 0.0, "center_y": 0.0, "scale": 0.1, "width": 48, "height": 31, "left": 0, "top": 0,
    "whole_width": 48, "whole_height": 31,
    "samples": 1,
}  # fmt: skip


def frame_of(function: object) -> Frame:
    return build(checked_source(pl.image(function)), T.f32)


def meant(frame: Frame) -> np.ndarray:
    """The pixels of a frame as the interpreter sees them."""
    column, row = np.meshgrid(np.arange(48, dtype=np.int32), np.arange(31, dtype=np.int32))
    known = {p: p.type.dtype.type(VIEW[p.attr]) for p in frame.kernel.params}
    (found,) = evaluate([frame.pixel], {**known, COLUMN: column.ravel(), ROW: row.ravel()})
    return found


def drawn(frame: Frame, backend: str, **constants: float) -> np.ndarray:
    """The pixels of a frame, by the tile machine from what was traced, or by LLVM from what rules made of it."""
    made = make_backend(backend)
    options = replace(EXACT, backend=backend)
    best = optimized(frame, options, made) if backend == "llvm" else frame
    code = made.compile(best.kernel, best.ranges)
    out = np.empty(48 * 31, np.uint32)
    code.run({**VIEW, **constants}, {OUT: out})
    return out


def picture(a: float, b: float, c: float):
    def sample(p):
        d = pl.sqrt((p.x - a) ** 2 + p.y * p.y * b)
        return im.Color(pl.clamp(d / c, 0.0, 1.0), pl.sin(p.x * a) * 0.5 + 0.5, pl.exp(-d * b), 1.0)

    return frame_of(sample)


numbers = st.floats(-9, 9, width=32).filter(lambda x: abs(x) not in KEPT)


@given(first=st.tuples(*[numbers] * 3), second=st.tuples(*[st.floats(-9, 9, width=32)] * 3))
def test_a_shape_draws_every_picture_that_differs_in_numbers(first, second):
    shape = Template(picture(*first))
    other = picture(*second)
    constants = shape.match(other)
    if constants is None:
        # A division by a number, a square root of nothing: the tracer folds some pictures further than others.
        return
    expected = meant(other)
    assert np.array_equal(drawn(shape.frame, "tiles", **constants), expected)
    assert np.array_equal(drawn(other, "tiles"), expected)


@pytest.mark.parametrize("backend", ["llvm", "tiles"])
def test_both_tiers_draw_a_shape(backend):
    shape = Template(picture(1.5, 0.7, 3.0))
    other = picture(-1.25, 0.3, -4.0)
    constants = shape.match(other)
    assert constants is not None
    assert sorted(constants.values()) != sorted(shape.values.values())
    assert np.array_equal(drawn(shape.frame, backend, **constants), meant(other))


def test_its_own_picture_is_one_of_them():
    frame = picture(1.5, 0.7, 3.0)
    shape = Template(frame)
    assert shape.match(frame) == shape.values
    assert sorted(set(np.float32([1.5, 0.7, 3.0]).tolist())) == sorted(set(map(abs, shape.values.values())))


def test_equal_numbers_may_part():
    def two(a, b):
        return frame_of(lambda p: (p.x * a) + pl.sin(p.y * b) * 0.3)

    shape = Template(two(1.5, 1.5))
    constants = shape.match(two(1.5, 1.75))
    assert constants is not None
    assert np.array_equal(drawn(shape.frame, "llvm", **constants), meant(two(1.5, 1.75)))


def test_what_was_one_value_and_is_two_now_is_another_shape():
    def twice(a, b):
        return frame_of(lambda p: pl.sin(p.x * a) + pl.cos(p.x * b))

    def side_by_side(a, b):
        return frame_of(lambda p: pl.sin((p.x * a) * (p.x * b)))

    assert Template(twice(1.5, 1.5)).match(twice(1.5, 1.75)) is None
    assert Template(side_by_side(1.5, 1.5)).match(side_by_side(1.5, 1.75)) is None
    assert Template(side_by_side(1.5, 1.5)).match(side_by_side(1.75, 1.5)) is None
    assert Template(twice(1.5, 1.75)).match(twice(1.75, 1.5)) is not None


@pytest.mark.parametrize(
    "other",
    [
        lambda p: p.x * 1.5 + pl.cos(p.y),
        lambda p: p.x * p.y + pl.sin(p.y),
        lambda p: p.x * 1.5 + pl.sin(p.x),
        lambda p: (p.x * 1.5 + pl.sin(p.y)) * 0.3,
        lambda p: p.x * pl.param("gain", 1.5) + pl.sin(p.y),
        lambda p: p.x * float("inf") + pl.sin(p.y),
    ],
)
def test_other_operators_are_another_shape(other):
    assert Template(frame_of(lambda p: p.x * 1.5 + pl.sin(p.y))).match(frame_of(other)) is None


def test_numbers_that_rules_look_for_and_whole_numbers_stay():
    def sample(k, n):
        return frame_of(lambda p: pl.where((pl.to_integer(p.x) & n) == 1, p.y * k, pl.sin(p.y)))

    assert Template(sample(1.0, 3)).match(sample(1.5, 3)) is None
    assert Template(sample(1.5, 3)).match(sample(1.0, 3)) is not None
    assert Template(sample(1.5, 3)).match(sample(1.5, 5)) is None


def test_parameters_with_other_ranges_are_another_shape():
    def sample(high):
        return frame_of(lambda p: p.x * pl.param("gain", 1.5, 0.0, high) + 0.7)

    assert Template(sample(2.0)).match(sample(2.0)) is not None
    assert Template(sample(2.0)).match(sample(3.0)) is None
