"""The law of parts: a pixel is a function of its place in the whole, the size of the whole and the view.

Mosaics of parts, however they are cut, have the bits of the whole. `HYPOTHESIS_PROFILE=nightly` draws 2000 cases.
"""

from __future__ import annotations

import functools
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples import gallery
from hypothesis import given
from hypothesis import strategies as st

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import InputError
from pellucid.driver.film import Film
from pellucid.driver.view import checked_view

NAMES = (
    "julia",
    "turning_checkerboard",
    "gears",
    "hue_wheel",
    "lava",
    "swirled_flower",
    "newton",
    "polar_checker",
)
"""Pictures of the gallery that the gate draws in parts: regions, colors, iterations and motion."""
OWN = {
    "swirl": im.swirl(100, im.checkerboard(10, im.black, im.white)),
    "bitmap": im.bitmap(np.arange(12 * 20 * 4, dtype=np.uint8).reshape(12, 20, 4)),
    "noise": im.fbm(3),
    "param": im.disk(pl.param("radius", 20, 1, 100)),
}
SAMPLES, MAX_SIDE = (1, 1, 1, 2, 3), 97


@functools.cache
def picture(name: str) -> object:
    if name in OWN:
        return OWN[name]
    (path,) = [path for path in gallery.files() if path.stem == name]
    return gallery.load(path).picture


@functools.cache
def kernel(name: str, numerics: str, precision: str, backend: str) -> Any:
    return pl.compile(picture(name), numerics=numerics, precision=precision, backend=backend)


def cuts(draw: Any, side: int) -> list[int]:
    """Where a side is cut: 0, up to four places between, and its end."""
    between = draw(st.lists(st.integers(1, side - 1), max_size=4)) if side > 1 else []
    return sorted({0, *between, side})


def mosaic(made: Any, size: tuple[int, int], columns: list[int], rows: list[int], **view: Any) -> np.ndarray:
    """A picture put together from its parts."""
    whole = np.zeros((size[1], size[0], 4), np.uint8)
    for top, bottom in itertools.pairwise(rows):
        for left, right in itertools.pairwise(columns):
            part = left, top, right - left, bottom - top
            whole[top:bottom, left:right] = made.render(size, part=part, **view)
    return whole


@given(st.data())
def test_mosaics_of_any_cuts_are_the_whole(data: st.DataObject):
    draw = data.draw
    name = draw(st.sampled_from([*OWN, *NAMES]))
    how = [draw(st.sampled_from(x)) for x in (("exact", "relaxed"), ("f32", "f64"), ("auto", "tiles"))]
    size = draw(st.integers(1, MAX_SIDE)), draw(st.integers(1, MAX_SIDE))
    zoom = 2.0 ** draw(st.floats(-6, 12))
    far = st.floats(-1000, 1000) if draw(st.booleans()) else st.floats(-2, 2)
    view = {
        "zoom": zoom,
        "center": (draw(far), draw(far)),
        "time": draw(st.floats(0, 9)),
        "samples": draw(st.sampled_from(SAMPLES)),
    }
    made = kernel(name, *how)
    try:
        whole = made.render(size, **view)
    except InputError:
        # So far out, this precision does not tell pixels apart.
        return
    np.testing.assert_array_equal(mosaic(made, size, cuts(draw, size[0]), cuts(draw, size[1]), **view), whole)


@pytest.mark.parametrize("numerics", ["exact", "relaxed"])
@pytest.mark.parametrize("backend", ["auto", "tiles"])
def test_a_row_of_a_hundred_thousand_pixels_is_that_of_its_blocks(numerics: str, backend: str):
    made = kernel("noise", numerics, "f32", backend)
    size, view = (100_000, 100_000), {"zoom": 3000.0, "center": (0.1, -0.2)}
    row = made.render(size, part=(0, 61_803, 100_000, 1), **view)
    for left in (0, 17, 2048, 65_537, 99_990):
        width = min(2048, 100_000 - left)
        part = made.render(size, part=(left, 61_800, width, 7), **view)
        np.testing.assert_array_equal(part[3], row[0, left : left + width])


def test_a_pixel_of_a_part_is_where_that_of_a_moved_view_is():
    # Powers of two, so that the moved center is exact.
    whole, view = (1 << 30, 1 << 30), {"zoom": 1024.0, "precision": "f64", "numerics": "exact"}
    left, top = (1 << 29) + 4096, (1 << 29) - 8192
    part = pl.render(OWN["swirl"], whole, part=(left, top, 64, 32), **view)
    center = (4096 + 32) / 1024, (8192 - 16) / 1024
    np.testing.assert_array_equal(part, pl.render(OWN["swirl"], (64, 32), center=center, **view))


def test_films_of_a_view_show_its_frames():
    made = kernel("turning_checkerboard", "relaxed", "f32", "auto")
    view = checked_view((64, 40), zoom=9.0, center=(0.3, 0.1))
    np.testing.assert_array_equal(Film(made, view).frame(1.5), made.render(view=view, time=1.5))


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no rectangle": ({"part": (1, 2, 3)}, r"part: \(1, 2, 3\) is not a rectangle; give left, top, width and height"),
    "a word": ({"part": "left"}, r"part: 'left' is not a rectangle"),
    "no number": ({"part": (0, 0, 1.5, 1)}, r"part width: 1.5 is not a whole number"),
    "no pixels": ({"part": (0, 0, 0, 1)}, r"part width: 0 is out of range; give a whole number from 1"),
    "before": ({"part": (-1, 0, 1, 1)}, r"part left: -1 is out of range"),
    "beyond": ({"part": (0, 60, 8, 8)}, r"part: 60\+8 rows are beyond the 64 of the whole; give at most 4"),
    "all of it beyond": ({"part": (64, 0, 1, 1)}, r"part: 64\+1 columns are beyond .*; begin at most at 63"),
    "nearly": ({"part": (0, 0, 8, 8), "tolerance": 0.1}, r"part: only a whole picture may be off by a little"),
    "a format": ({"part": (0, 0, 8, 8), "format": "nv12"}, r"format: parts are drawn as pixels"),
    "f32 does not tell": ({"size": (1 << 22, 8), "part": (0, 0, 8, 8)},
        r"size: 4194304x8 is too large: f32 tells 1048576 pixels of a side apart; give precision='f64'"),
    "beyond all": ({"size": (1 << 32, 8), "part": (0, 0, 8, 8), "precision": "f64"},
        r"size: 4294967296x8 is too large: f64 tells 2147483647 .*; a side has at most 2147483647 pixels"),
    "a zoom too far": ({"size": (1 << 19, 8), "center": (1000.0, 0.0), "zoom": 1e6, "part": (0, 0, 8, 8)},
        r"neighboring pixels have equal coordinates in f32; give precision='f64'"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_parts_are_refused_in_one_sentence(case: str):
    arguments, message = BAD[case]
    with pytest.raises(InputError, match=message):
        pl.render(OWN["swirl"], **{"size": 64, **arguments})


def test_the_pixels_of_a_part_go_to_the_given_array(tmp_path: Path):
    out = np.zeros((8, 16, 4), np.uint8)
    given = pl.render(OWN["swirl"], 64, part=(3, 5, 16, 8), out=out)
    assert given is out
    np.testing.assert_array_equal(out, pl.render(OWN["swirl"], 64)[5:13, 3:19])
    with pytest.raises(InputError, match=r"out: its shape is \(64, 64, 4\)"):
        pl.render(OWN["swirl"], 64, part=(3, 5, 16, 8), out=np.zeros((64, 64, 4), np.uint8))
