"""Samples in rows of words between groups and pixels: the same bytes as without, and blocks of few pixels."""

from __future__ import annotations

import importlib
import math
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pixels.made_up import MadeUp, layouts

import pellucid as pl
from pellucid.ir.nest import Alloc, walk
from pellucid.pixels import FORMATS, Layout, packing
from pellucid.pixels.packing import turn
from pellucid.pixels.rows import Rows

convert = importlib.import_module("pellucid.canvas.convert")
PICTURES = [n for n, f in FORMATS.items() if f.model != "samples"]
NEVER = 1 << 30
GROUPED = [n for n in PICTURES if math.prod(turn(FORMATS[n])) > math.prod(turn(FORMATS[n], groups=False))]


def converted(
    data: np.ndarray, source: str | Layout, target: str | Layout, size: tuple[int, int], short: int, **more
):
    """The bytes of a conversion whose blocks are to have so few pixels; made anew."""
    convert.at_hand.cache_clear()
    with patch.object(convert, "SHORT", short):
        return pl.convert(data, source, target, size, numerics="exact", backend="numpy", **more)


def agree(source: str | Layout, target: str | Layout, size: tuple[int, int]) -> None:
    """Rows make no difference, wherever there may be some."""
    layout = FORMATS[source] if isinstance(source, str) else source
    data = np.random.default_rng(size[0]).integers(0, 256, layout.size(*size), np.uint8)
    assert np.array_equal(
        converted(data, source, target, size, 0), converted(data, source, target, size, NEVER)
    )


def test_there_are_formats_of_groups():
    assert {"gray1", "pal2", "mono10p", "raw10", "v210"} <= set(GROUPED)
    assert not {"rgb24", "nv12", "yuyv422", "raw12"} & set(GROUPED)


@pytest.mark.parametrize("size", [(1, 1), (7, 3), (26, 2)])
@pytest.mark.parametrize("name", GROUPED)
def test_rows_make_no_difference_to_a_conversion(name: str, size: tuple[int, int]):
    for other in ("rgb48", "v210", "raw10"):
        agree(name, other, size)
        if not FORMATS[name].palette:
            agree(other, name, size)


@settings(max_examples=40)
@given(
    layouts("gray", "rgba", "ycbcr", "mosaic", "palette", most=20),
    layouts("gray", "rgba", "ycbcr", "mosaic", most=20),
    st.tuples(st.integers(1, 40), st.integers(1, 5)),
)
def test_rows_make_no_difference_to_made_up_layouts(source: MadeUp, target: MadeUp, size: tuple[int, int]):
    agree(Layout(source.text), Layout(target.text), size)


@pytest.mark.parametrize("backend", ["llvm", "c"])
@pytest.mark.parametrize(
    "pair", ["gray1 rgb10a2", "v210 raw10", "raw12 v210", "pal1 nv12", "nv12 gray1", "mono10p v210"]
)
def test_back_ends_fill_rows_alike(pair: str, backend: str):
    source, target = pair.split()
    for size in ((1, 1), (23, 3), (130, 6)):
        data = np.random.default_rng(2).integers(0, 256, FORMATS[source].size(*size), np.uint8)
        want = converted(data, source, target, size, NEVER)
        assert np.array_equal(pl.convert(data, source, target, size, numerics="exact", backend=backend), want)


@pytest.mark.parametrize(
    ("source", "target", "block", "read", "written"),
    [
        ("rgb24", "rgb565", (1, 1), False, False),
        ("rgb24", "v210", (6, 1), False, False),
        ("gray1", "rgb24", (1, 1), True, False),
        ("gray1", "v210", (6, 1), True, False),
        ("rgb24", "gray1", (1, 1), False, True),
        ("rgb24", "raw12", (2, 2), False, False),
        ("rgb24", "raw10", (2, 2), False, True),
        ("v210", "raw10", (2, 2), True, True),
        # What is only moved is so in whole groups.
        ("raw10", "bayer10p", (4, 2), False, False),
    ],
)
def test_rows_are_there_where_blocks_would_be_long(
    source: str, target: str, block: tuple[int, int], read: bool, written: bool
):
    found = convert._stages(FORMATS[source], FORMATS[target], (48, 8), lines=False)
    assert (found[0], found[1] is not None, found[2] is not None) == (block, read, written)


def test_lines_of_a_mosaic_are_rows_already():
    block, read, written = convert._stages(FORMATS["raw10"], FORMATS["v210"], (48, 8), lines=True)
    assert (block, read, written is not None) == ((2, 2), None, True)
    assert convert._stages(FORMATS["raw10"], FORMATS["rgb24"], (48, 8), lines=True)[0] == (2, 2)


def test_chroma_between_rows_is_read_where_it_is():
    """The samples of the row after are another block's."""
    source = Layout("Y:4; Cb:4 Cr:4 /2x2 | topleft")
    assert convert._stages(source, FORMATS["raw10"], (48, 8), lines=False)[1] is None
    agree(source, "raw10", (13, 5))


def test_rows_of_many_pixels_are_not_kept():
    wide = (200_000, 2)
    assert not Rows(FORMATS["gray1"], wide, 1, "rows").fits
    assert convert._stages(FORMATS["gray1"], FORMATS["v210"], wide, lines=False)[1:] == (None, None)
    agree("gray1", "v210", (70_000, 1))


def test_samples_of_a_plane_are_beside_each_other():
    rows = Rows(FORMATS["v210"], (12, 2), 1, "rows")
    (words,) = rows.words
    assert (str(words.type), words.size) == ("u16", 24)
    places = {name: (p.step, p.every) for name, p in rows.places.items()}
    assert places == {"Y": (4, 2), "Cb": (4, 1), "Cr": (4, 1)}
    assert sorted(k for p in rows.places.values() for k in range(p.first, p.first + p.every)) == [0, 1, 2, 3]
    planar = Rows(Layout("Y:1; Cb:9 Cr:9 /2x2"), (6, 4), 2, "rows")
    assert [(str(b.type), b.size) for b in planar.words] == [("u8", 12), ("u16", 6)]


@pytest.mark.parametrize("name", ["gray1", "mono10p", "v210", "raw10"])
def test_pictures_are_drawn_through_rows(name: str):
    kernel = pl.compile(
        pl.image(lambda p: 0.5 + 0.25 * pl.sin(p.x) * pl.cos(p.y)), numerics="exact", backend="numpy"
    )
    planes = packing.planes_of(FORMATS[name].text, (50, 6), aligned=True)
    frame = packing.nest_of(kernel, FORMATS[name], (50, 6), planes, usual=True, many=False)
    assert any(isinstance(s, Alloc) for s in walk(frame.kernel.body))
    for size in ((1, 1), (50, 6), (31, 5)):
        found = pl.render(kernel, size, format=name)
        with patch.object(Rows, "fits", property(lambda rows: rows is None)):
            packing._made.clear()
            assert np.array_equal(pl.render(kernel, size, format=name), found)
        packing._made.clear()


def test_an_operation_is_drawn_through_rows():
    size = (30, 6)
    data = np.random.default_rng(1).integers(0, 256, FORMATS["rgb24"].size(*size), np.uint8)
    same = pl.convert(data, "rgb24", "v210", size, op=lambda picture: picture, numerics="exact")
    assert np.array_equal(same, pl.convert(data, "rgb24", "v210", size, numerics="exact"))
