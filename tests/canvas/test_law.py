"""The law through every verb that draws parts: mosaics, arrays of Dask's and files of bands have the bits of the whole.

A case is a picture, a size, cuts, a view, samples, numerics and a tier, drawn by its number. The nightly run takes 300
of them, and 20 of 100,000 pixels a side; the gate takes some by turns. `tests/driver/test_parts.py` draws mosaics.
"""

from __future__ import annotations

import functools
import itertools
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from examples import gallery
from PIL import Image
from tests.turns import NIGHTLY

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import InputError
from pellucid.canvas import bands

CASES, LARGE, TURNS = 300, 20, 50
PICTURES: dict[str, Any] = {
    "swirl": im.swirl(100, im.checkerboard(10, im.black, im.white)),
    "noise": im.fbm(3),
    "fading": im.lerp(0.5 + 0.25 * im.cos(im.r), im.red, im.invisible),
    "bitmap": im.bitmap(np.arange(12 * 20 * 4, dtype=np.uint8).reshape(12, 20, 4)),
}
OF_GALLERY = ("julia", "gears", "hue_wheel", "newton", "polar_checker")


def by_turns(count: int) -> list[int]:
    return [k for k in range(count) if NIGHTLY or k % TURNS == 0]


@functools.cache
def kernel(name: str, numerics: str, precision: str, backend: str) -> Any:
    picture = PICTURES.get(name)
    if picture is None:
        (path,) = [path for path in gallery.files() if path.stem == name]
        picture = gallery.load(path).picture
    return pl.compile(picture, numerics=numerics, precision=precision, backend=backend)


class Case(NamedTuple):
    """A kernel, a size, a view, and where rows and columns are cut."""

    made: Any
    size: tuple[int, int]
    view: dict[str, Any]
    columns: list[int]
    rows: list[int]


def case(number: int, side: int, tiers: tuple[str, ...] = ("auto", "tiles", "numpy")) -> Case:
    draw = np.random.default_rng(number)
    name = str(draw.choice([*PICTURES, *OF_GALLERY]))
    how = [str(draw.choice(x)) for x in (("exact", "relaxed"), ("f32", "f64"), tiers)]
    width, height = (int(n) for n in draw.integers(1, side, 2, endpoint=True))
    view = {
        "zoom": float(2.0 ** draw.uniform(-3, 8)),
        "center": (float(draw.uniform(-2, 2)), float(draw.uniform(-2, 2))),
        "time": float(draw.uniform(0, 9)),
        "samples": int(draw.choice([1, 1, 1, 2, 3])),
    }
    cuts = [sorted({0, n, *(int(x) for x in draw.integers(0, n, 3))}) for n in (width, height)]
    return Case(kernel(name, *how), (width, height), view, *cuts)


@pytest.mark.parametrize("number", by_turns(CASES))
def test_what_is_drawn_in_parts_is_the_whole(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made, size, view, columns, rows = case(number, 97)
    whole = made.render(size, **view)
    mosaic = np.zeros_like(whole)
    for (top, bottom), (left, right) in itertools.product(
        itertools.pairwise(rows), itertools.pairwise(columns)
    ):
        part = left, top, right - left, bottom - top
        mosaic[top:bottom, left:right] = made.render(size, part=part, **view)
    np.testing.assert_array_equal(mosaic, whole)
    blocks = pl.to_dask(made, size, max(np.diff(columns)), **view)
    np.testing.assert_array_equal(blocks.compute(scheduler="sync"), whole)
    monkeypatch.setattr(bands, "BYTES", 1)
    pl.save(made, tmp_path / "a.png", size, **view)
    with Image.open(tmp_path / "a.png") as file:
        np.testing.assert_array_equal(np.asarray(file), whole)


@pytest.mark.parametrize("number", by_turns(LARGE))
def test_parts_of_a_hundred_thousand_pixels_are_those_of_any_other_cut(number: int):
    side = 100_000
    # The interpreter would take minutes.
    made, _, view, _, _ = case(number, 9, ("auto", "tiles"))
    size, view = (side, side), view | {"zoom": 1000.0 * view["zoom"]}
    draw = np.random.default_rng(number)
    left, top = (int(n) for n in draw.integers(0, side - 2000, 2))
    row = 0, top + 3, side, 1
    try:
        whole = made.render(size, part=row, **view)
    except InputError:
        # So near, f32 does not tell pixels apart.
        view["zoom"] = 1000.0
        whole = made.render(size, part=row, **view)
    part = made.render(size, part=(left, top, 2000, 5), **view)
    np.testing.assert_array_equal(part[3], whole[0, left : left + 2000])
    column = made.render(size, part=(left + 1234, max(0, top - 700), 1, 1400), **view)
    at = top - max(0, top - 700)
    np.testing.assert_array_equal(column[at : at + 5, 0], part[:, 1234])
