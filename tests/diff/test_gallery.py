"""The contract of numbers on real programs: every picture of the gallery, on every back end, exact and relaxed.

`docs/numbers.md` states the bounds that are held here. In the gate every other picture has one kind of numbers.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from examples import gallery
from tests.kernels import kernel_of
from tests.turns import NIGHTLY, NUMERICS, PRECISIONS, pictures_by_turns

from pellucid.backends.c.compiler import find_compiler
from pellucid.base.errors import BackendError

FILES = gallery.files()
SMALL, LARGE = (24, 16), (240, 160)


@pytest.fixture(scope="module")
def backends() -> list[str]:
    """The back ends that can run here; the C compiler may be missing."""
    try:
        find_compiler()
    except BackendError:
        return ["llvm", "numpy"]
    return ["llvm", "numpy", "c"]


def view_of(shown: gallery.Picture, size: tuple[int, int]) -> dict:
    """The picture's own view; moved by part of a pixel, so that no pixel is on the line between two tiles."""
    zoom = size[0] / shown.width
    x, y = shown.center
    return {"center": (x + 0.3719 / zoom, y - 0.4137 / zoom), "zoom": zoom, "time": shown.time}


EXTREMES = [
    {"zoom": 1e3},
    {"zoom": 1e-4, "time": -7.7},
    {"zoom": 1e-10, "time": 1e12},
    {"center": (3e6, -2e6), "zoom": 1e-4, "time": 1e4},
    {"center": (0.0, 0.0), "zoom": 1e30},
    {"center": (0.0, 0.0), "zoom": 1.0, "time": -1e12},
]
"""Views in which coordinates are huge, equal or lost, numbers overflow, and NaN is common."""


@pytest.mark.one_in(3)
@pictures_by_turns(FILES, 0)
def test_back_ends_agree_bit_for_bit(path, numerics, precision, backends):
    shown = gallery.load(path)
    # A C compiler takes its time over each; in the gate it gets one in four.
    taken = [each for each in backends if NIGHTLY or each != "c" or sum(path.stem.encode()) // 8 % 4 == 0]
    kernels = {
        backend: kernel_of(shown.picture, backend, numerics=numerics, precision=precision)
        for backend in taken
    }
    usual = view_of(shown, SMALL)
    # On the lines between tiles, where one bit decides, and far out and far in, where few are left.
    # In the gate each kind of numbers takes every second one.
    extremes = (
        EXTREMES if NIGHTLY else EXTREMES[(NUMERICS.index(numerics) + PRECISIONS.index(precision)) % 2 :: 2]
    )
    for change in ({}, {"center": shown.center}, *extremes):
        view = {**usual, **change}
        size = SMALL if view["zoom"] == usual["zoom"] else (20, 3)
        drawn = {backend: kernel.premultiplied(size, **view) for backend, kernel in kernels.items()}
        for backend in taken[1:]:
            np.testing.assert_array_equal(drawn[backend], drawn["llvm"], err_msg=f"{backend}, {view}")


# ---- relaxed against exact ----

FAR = 1
"""By how much of 255 a channel may differ without being seen."""
MAX_FAR = 1 / 400
"""The largest part of a picture's pixels that is farther apart, in single precision."""
ASIDE = (2.0**-23, 2.0**-20, 2.0**-17)
"""How far the eye is moved, in parts of the largest coordinate in view, to find out what rounding can do to a pixel."""


def apart(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return abs(a.astype(int) - b).max(axis=-1)


def unsteady(kernel, shown: gallery.Picture, view: dict) -> np.ndarray:
    """The pixels that change when the eye is moved by a few roundings of a coordinate."""
    pixels = kernel.premultiplied(LARGE, **view)
    (x, y), height = view["center"], shown.width * LARGE[1] / LARGE[0]
    reach = max(abs(x) + shown.width / 2, abs(y) + height / 2)
    found = np.zeros(pixels.shape[:2], bool)
    for aside, dx, dy in itertools.product(ASIDE, (-1, 0, 1), (-1, 0, 1)):
        moved = (x + dx * aside * reach, y + dy * aside * reach)
        found |= apart(pixels, kernel.premultiplied(LARGE, **{**view, "center": moved})) > FAR
    return found


@pytest.mark.one_in(6)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_relaxed_is_exact_but_for_rounding(path):
    shown = gallery.load(path)
    view = view_of(shown, LARGE)
    exact, relaxed = (kernel_of(shown.picture, "llvm", numerics=numerics) for numerics in NUMERICS)
    far = apart(exact.premultiplied(LARGE, **view), relaxed.premultiplied(LARGE, **view))
    assert (far > FAR).mean() <= MAX_FAR
    if (far > FAR).any():
        # Where rounding can be seen, it is the picture that jumps, and not the numbers that are wrong.
        assert far[~unsteady(exact, shown, view)].max() <= FAR + 1


@pytest.mark.one_in(6)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_relaxed_is_exact_in_double_precision(path):
    shown = gallery.load(path)
    view = view_of(shown, LARGE)
    exact, relaxed = (
        kernel_of(shown.picture, "llvm", numerics=numerics, precision="f64").premultiplied(LARGE, **view)
        for numerics in NUMERICS
    )
    assert apart(exact, relaxed).max() <= FAR
