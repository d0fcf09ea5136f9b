"""Samples and curves in rows between groups and pixels: the same bytes as without, and blocks of few pixels.

The gate converts each pair of formats at one of three sizes, in turn; the nightly run at all of them.
"""

from __future__ import annotations

import functools
import math
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pixels.made_up import MadeUp, layouts
from tests.turns import NIGHTLY, every_other, fewer

import pellucid as pl
from pellucid.conversion import nests, packing, plan
from pellucid.conversion.plan import period
from pellucid.conversion.planes import planes_of
from pellucid.conversion.rows import Rows
from pellucid.driver.compiled import codes
from pellucid.driver.options import Options
from pellucid.ir import types as T
from pellucid.ir.expr import topological
from pellucid.ir.nest import Alloc, roots, walk
from pellucid.pixels import FORMATS, Layout, layout_of

PICTURES = [n for n, f in FORMATS.items() if f.model != "samples"]
GROUPED = [n for n in PICTURES if math.prod(period(FORMATS[n])) > math.prod(period(FORMATS[n], groups=False))]
OTHERS = ("rgb48", "v210", "raw10")
SIZES = [(1, 1), (7, 3), (26, 2)]


def in_place(source: Layout, target: Layout, *_, **__):
    """Blocks of whole groups of both, and no rows."""
    across, down = (math.lcm(a, b) for a, b in zip(period(source), period(target), strict=True))
    fits = max(across // period(target)[0], down // period(target)[1]) <= plan.MAX_GROUPS
    return plan.Arrangement((across, down) if fits else period(target))


def converted(
    data: np.ndarray, source: str | Layout, target: str | Layout, size: tuple[int, int], *, rows: bool
):
    """The bytes of a conversion, made anew: with rows wherever there may be some, or with none at all."""
    codes.forget()
    if rows:
        change = patch.multiple(plan, QUICK_BLOCK=0, QUICK_BLOCK_OF_BITS=0, QUICK_BLOCK_OF_ENTRIES=0)
    else:
        change = patch.object(plan, "arrangement", in_place)
    with change:
        return pl.convert(data, source, target, size, numerics="exact", backend="numpy")


def picture(layout: Layout, size: tuple[int, int]) -> np.ndarray:
    """Bytes of a picture; floats are colors."""
    chance = np.random.default_rng(size[0])
    kinds = {(c.kind, c.bits) for c in layout.channels}
    if kinds in ({("f", 16)}, {("f", 32)}):
        type_ = np.float16 if kinds == {("f", 16)} else np.float32
        return chance.random(layout.size(*size) // type_().itemsize).astype(type_).view(np.uint8)
    return chance.integers(0, 256, layout.size(*size), np.uint8)


@functools.cache
def without_rows(source: str, target: str, size: tuple[int, int]) -> np.ndarray:
    """The bytes of `picture` converted without rows, which every back end is compared with."""
    return converted(picture(layout_of(source), size), source, target, size, rows=False)


def agree(source: str | Layout, target: str | Layout, size: tuple[int, int]) -> None:
    """Rows make no difference, wherever there may be some."""
    data = picture(layout_of(source) if isinstance(source, str) else source, size)
    with_rows, without = (converted(data, source, target, size, rows=rows) for rows in (True, False))
    assert np.array_equal(with_rows, without)


def test_there_are_formats_of_groups():
    assert {"gray1", "pal2", "mono10p", "raw10", "v210"} <= set(GROUPED)
    assert not {"rgb24", "nv12", "yuyv422", "raw12"} & set(GROUPED)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", GROUPED)
def test_rows_make_no_difference_to_a_conversion(name: str, size: tuple[int, int]):
    turn = GROUPED.index(name) + SIZES.index(size)
    for other in OTHERS if NIGHTLY else [OTHERS[turn % len(OTHERS)]]:
        agree(name, other, size)
        if not FORMATS[name].palette:
            agree(other, name, size)


@settings(max_examples=fewer(40))
@given(
    layouts("gray", "rgba", "ycbcr", "mosaic", "palette", most=20),
    layouts("gray", "rgba", "ycbcr", "mosaic", most=20),
    st.tuples(st.integers(1, 40), st.integers(1, 5)),
)
def test_rows_make_no_difference_to_made_up_layouts(source: MadeUp, target: MadeUp, size: tuple[int, int]):
    agree(Layout(source.text), Layout(target.text), size)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("backend", ["llvm", "c"])
@pytest.mark.parametrize(
    "pair",
    [
        "gray1 rgb10a2",
        "v210 raw10",
        "raw12 v210",
        "pal1 nv12",
        "nv12 gray1",
        "mono10p v210",
        "nv12 rgbaf16",
        "rgbaf16 yuv420p",
        "pal2 mono10p",
    ],
)
def test_back_ends_fill_rows_alike(pair: str, backend: str):
    source, target = pair.split()
    sizes = (23, 3), (1, 1), (130, 6)
    for size in sizes if NIGHTLY else [sizes[len(pair) % 3]]:
        data = picture(layout_of(source), size)
        want = without_rows(source, target, size)
        assert np.array_equal(pl.convert(data, source, target, size, numerics="exact", backend=backend), want)


def stages(source: str | Layout, target: str, size: tuple[int, int] = (48, 8), *, lines: bool = False):
    chosen = layout_of(source) if isinstance(source, str) else source
    return plan.arrangement(chosen, FORMATS[target], size, T.f32, lines=lines, near=False)


@pytest.mark.parametrize(
    ("source", "target", "block", "read", "written"),
    [
        ("rgb24", "rgb565", (1, 1), False, False),
        ("rgb24", "v210", (6, 1), False, False),
        ("gray1", "rgb24", (1, 1), True, False),
        ("gray1", "v210", (2, 1), True, True),
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
    found = stages(source, target)
    assert found[:3] == (block, read, written)


def test_lines_of_a_mosaic_are_rows_already():
    found = stages("raw10", "v210", lines=True)
    assert found[:3] == ((2, 2), False, True)
    assert stages("raw10", "rgb24", lines=True).block == (2, 2)


def test_chroma_between_rows_is_read_where_it_is():
    """The samples of the row after are another block's."""
    source = Layout("Y:4; Cb:4 Cr:4 /2x2 | topleft")
    assert not stages(source, "raw10").read
    agree(source, "raw10", (13, 5))


def test_rows_of_many_pixels_are_not_kept():
    wide = (200_000, 2)
    assert not Rows(FORMATS["gray1"], wide, 1, "rows").fits
    found = stages("gray1", "v210", wide)
    assert (found.read, found.written) == (False, False)
    agree("gray1", "v210", (40_000, 1))


def test_samples_of_a_plane_are_beside_each_other():
    rows = Rows(FORMATS["v210"], (12, 2), 1, "rows")
    (words,) = rows.words
    assert (str(words.type), words.length) == ("u16", 24)
    places = {name: (p.step, p.every) for name, p in rows.places.items()}
    assert places == {"Y": (4, 2), "Cb": (4, 1), "Cr": (4, 1)}
    assert sorted(k for p in rows.places.values() for k in range(p.first, p.first + p.every)) == [0, 1, 2, 3]
    planar = Rows(Layout("Y:1; Cb:9 Cr:9 /2x2"), (6, 4), 2, "rows")
    assert [(str(b.type), b.length) for b in planar.words] == [("u8", 12), ("u16", 6)]


CURVED = [
    ("nv12", "rgbaf16"),
    ("rgbaf16", "yuv420p"),
    ("rgba", "raw14"),
    ("v210", "mono10p"),
    ("rgbf32 | linear", "rgba"),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("source", "target"), [*CURVED, ("pal8", "mono10p"), ("pal2", "rgbaf16"), ("yuyv422", "raw8")]
)
def test_curves_are_taken_by_one_loop(source: str, target: str):
    asked = plan.conversion(layout_of(source), layout_of(target), (50, 6))
    nest = nests.nest_between(asked, Options())
    curves = [n for n in topological([r for s in walk(nest.kernel.body) for r in roots(s)]) if n.op == "pow"]
    assert len(curves) == 1
    for size in every_other(((1, 1), (23, 5), (50, 6))):
        agree(source, target, size)


def test_where_there_are_no_rows_of_curves():
    assert not stages("rgb24", "mono10p").numbers, "they are looked up"
    assert not stages("alpha8", "raw12").numbers, "they are of one color"
    assert not stages("rgb24", "rgb565").numbers, "there are none"
    assert not stages("raw12", "rgb24").numbers, "they are looked up"
    found = stages("nv12", "rgbaf16")
    assert (found.numbers, found.block) == (2, (1, 2))
    assert not stages("nv12", "rgbaf16", (40_000, 2)).numbers, "they are too many"
    assert stages("nv12", "raw10", (8_000, 2)).numbers == 2, "one number a pixel"
    near = plan.arrangement(FORMATS["nv12"], FORMATS["rgbaf16"], (48, 8), T.f32, lines=False, near=True)
    assert not near.numbers
    # Chroma between pixels.
    agree(Layout("Y:8; Cb:8 Cr:8 /2x2 | topleft"), "rgbaf16", (13, 5))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "source",
    ["Y:8; Cb:8 Cr:8 /1x8", "Y:3; Cb:8 Cr:8 /8x1", "Y:3; Cb:8 /3x7; Cr:8 /2x5", "Y:8; Cb:8 /3x7; Cr:8 /2x5"],
)
def test_chroma_of_many_pixels(source: str):
    """Also where blocks of both would be long: then those of the target have rows, as high as they are."""
    targets, sizes = ("rgbaf16", "v210", "Y:10"), ((20, 37), (5, 3), (12, 72))
    for target, size in product(targets, sizes) if NIGHTLY else zip(targets, sizes, strict=True):
        agree(Layout(source), Layout(target) if ":" in target else target, size)


@pytest.mark.parametrize(
    "source", ["I:3; A:5; palette: R:8 G:8 B:8", "I:3; palette: R:8 G:8 B:8 A:8", "I:9; palette: Y:7"]
)
def test_colors_of_entries(source: str):
    """Also where a pixel has more than an entry."""
    for target in ("rgbaf16", "mono10p", "nv12"):
        agree(Layout(source), target, (21, 3))


def test_the_rows_of_the_widest_pictures_fit_together():
    """Whatever there is of them: a thread has so much for itself and no more."""
    for source, target in (
        ("v210", "raw10"),
        ("raw12", "v210"),
        ("nv12", "rgbaf16"),
        ("v210", "mono10p"),
        ("pal1", "v210"),
    ):
        for width in every_other((16_000, 8_000, 5_400, 2_700)):
            agree_on_llvm(source, target, (width, 4))


def agree_on_llvm(source: str, target: str, size: tuple[int, int]) -> None:
    data = picture(layout_of(source), size)
    codes.forget()
    with patch.object(plan, "arrangement", in_place):
        want = pl.convert(data, source, target, size, numerics="exact")
    codes.forget()
    assert np.array_equal(pl.convert(data, source, target, size, numerics="exact"), want)


@pytest.mark.parametrize("name", ["gray1", "mono10p", "v210", "raw10"])
def test_pictures_are_drawn_through_rows(name: str):
    kernel = pl.compile(
        pl.image(lambda p: 0.5 + 0.25 * pl.sin(p.x) * pl.cos(p.y)), numerics="exact", backend="numpy"
    )
    planes = planes_of(FORMATS[name].text, (50, 6), aligned=True)
    frame = packing.nest_of(kernel, FORMATS[name], (50, 6), planes, usual=True, many=False)
    assert any(isinstance(s, Alloc) for s in walk(frame.kernel.body))
    for size in ((1, 1), (50, 6), (31, 5)):
        found = pl.render(kernel, size, format=name)
        with patch.object(Rows, "fits", property(lambda rows: rows is None)):
            kernel._versions.clear()
            assert np.array_equal(pl.render(kernel, size, format=name), found)
        kernel._versions.clear()


def test_an_operation_is_drawn_through_rows():
    size = (30, 6)
    data = np.random.default_rng(1).integers(0, 256, FORMATS["rgb24"].size(*size), np.uint8)
    same = pl.convert(data, "rgb24", "v210", size, op=lambda picture: picture, numerics="exact")
    assert np.array_equal(same, pl.convert(data, "rgb24", "v210", size, numerics="exact"))
