"""Tables of what numbers become: the same bytes as without, and what is in them.

A pair of layouts has one of the sizes here, in turn; the nightly run takes all of them.
"""

from __future__ import annotations

import functools
from unittest.mock import patch

import numpy as np
import pytest
from tests.turns import NIGHTLY

import pellucid as pl
from pellucid.conversion import nests, plan
from pellucid.conversion.tables import MAX_ELEMENTS, Tables
from pellucid.driver.compiled import codes
from pellucid.driver.options import Options
from pellucid.ir import types as T
from pellucid.ir.expr import apply, const, param
from pellucid.ir.nest import Alloc, For, Store, inputs, walk
from pellucid.loops.analysis.lookups import NUMBER
from pellucid.pixels import FORMATS, layout_of

MOSAICS = [n for n, f in FORMATS.items() if f.model == "mosaic"]
TARGETS = [
    "rgb24", "rgb565", "rgb332", "argb1555", "rgba", "rgb48", "rgb10a2", "rgbaf16", "rgbf32", "gbrp",
    "nv12", "v210", "y410", "gray8", "gray10", "grayf32", "M:8 | grbg srgb", "M:12 | bggr srgb",
]  # fmt: skip

SIZES = [(1, 1), (2, 3), (9, 5), (70, 4)]


def sizes_of(turn: int) -> list[tuple[int, int]]:
    """The sizes at which a pair of layouts is converted."""
    return SIZES if NIGHTLY else SIZES[turn % len(SIZES) :: len(SIZES)]


@functools.cache
def converted(
    source: str, target: str, size: tuple[int, int], *, tables: bool, backend: str = "numpy"
) -> np.ndarray:
    """The bytes of a conversion, made anew: with tables or without."""
    data = np.random.default_rng(5).integers(0, 256, layout_of(source).size(*size), np.uint8)
    codes.forget()
    with patch.object(plan, "sums_pay", lambda *_: tables):
        return pl.convert(data, source, target, size, numerics="exact", backend=backend)


def test_there_are_mosaics_and_every_kind_of_target():
    assert {"raw8", "raw10", "raw12", "raw14", "raw16", "bayer12packed"} <= set(MOSAICS)
    assert {layout_of(t).model for t in TARGETS} == {"rgb", "ycbcr", "gray", "mosaic"}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("source", ["raw8", "raw12", "bayer10p"])
def test_tables_make_no_difference_to_a_conversion(source: str, target: str):
    for size in sizes_of(TARGETS.index(target) + len(source)):
        found = [converted(source, target, size, tables=tables) for tables in (True, False)]
        assert np.array_equal(*found), size


@pytest.mark.one_in(3)
@pytest.mark.parametrize("backend", ["llvm", "c"])
@pytest.mark.parametrize("source", ["raw14", "raw16", "M:6 | gbrg limited", "M:9 | rggb negative"])
def test_nor_do_they_in_compiled_code(source: str, backend: str):
    for target in ("rgb24", "rgb565", "nv12"):
        with_tables = converted(source, target, (37, 6), tables=True, backend=backend)
        assert np.array_equal(with_tables, converted(source, target, (37, 6), tables=False)), target


@pytest.mark.parametrize("source", MOSAICS)
def test_a_large_picture_has_tables_and_a_small_one_has_none(source: str):
    def tables(size: tuple[int, int]) -> list[int]:
        asked = plan.conversion(layout_of(source), layout_of("rgb565"), size)
        kernel = nests.nest_between(asked, Options("relaxed", "f32", "auto")).kernel
        made = [b for s in walk(kernel.body) if isinstance(s, Alloc) for b in s.sizes] + [*inputs(kernel)]
        return [b.size for b in made if b.name.startswith("values")]

    count = 4 * layout_of(source)["M"].high + 1
    assert tables((2000, 2000)) == [count, count]
    assert tables((16, 8)) == []


def test_alpha_of_a_mosaic_needs_no_table():
    asked = plan.conversion(layout_of("raw16"), layout_of("alpha8"), (2000, 2000))
    kernel = nests.nest_between(asked, Options("relaxed", "f32", "auto")).kernel
    assert not any(
        isinstance(s, Alloc) and any(b.name == "values" for b in s.sizes) for s in walk(kernel.body)
    )
    data = np.zeros(layout_of("raw16").size(5, 3), np.uint8)
    assert pl.convert(data, "raw16", "alpha8", (5, 3)).tolist() == [255] * 15


def test_bits_of_two_channels_that_are_alike_are_one_table():
    tables, double = Tables(5), apply("mul", NUMBER, const(2, T.i32))
    for name in ("a", "b"):
        tables((double,), param(name, T.u32))
    (table,) = tables.made.values()
    assert table.data is not None
    assert table.data.tolist() == [0, 2, 4, 6, 8]


def test_tables_are_worked_out_when_one_is_asked_for_and_then_all():
    tables = Tables(MAX_ELEMENTS)
    tables((apply("mul", NUMBER, const(2, T.i32)),), param("n", T.u32))
    tables((apply("convert", NUMBER, attr=T.f32),), param("n", T.u32))
    first, second = tables.made.values()
    assert (first.name, second.name) == ("values", "values2")
    assert first.waits
    assert not tables.found
    assert first.data is not None
    assert len(tables.found) == 2
    assert second.data is not None
    assert second.data.dtype == np.float32
    assert second.data[-1] == MAX_ELEMENTS - 1
    assert tables.arrays(const(0, T.i32)) == []


def test_a_larger_table_is_filled_by_the_program():
    tables = Tables(MAX_ELEMENTS + 1)
    tables((apply("mul", NUMBER, const(2, T.i32)),), param("n", T.u32))
    (table,) = tables.made.values()
    assert table.data is None
    assert tables.arrays(const(0, T.i32)) == [table]
    (fill,) = tables.fill(const(0, T.i32), 1)
    assert isinstance(fill, For)
    assert [s.buffer for s in fill.body if isinstance(s, Store)] == [table]


LINEAR = [
    "rgbaf16", "rgbf32 | linear", "grayf32 | linear", "raw12", "mono10p", "M:5 | gbrg linear",
    "A:8 R:8 G:8 B:8 | linear premultiplied",
    "Y:8; Cb:8 Cr:8 /2x2 | linear", "Y:10 Cb:10 Cr:10 | linear",
]  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize("target", LINEAR)
@pytest.mark.parametrize("source", ["pal1", "pal2", "pal8", "I:3; palette: A:4 R:4 G:4 B:4"])
def test_what_becomes_of_entries_is_kept_or_made_for_each_pixel(source: str, target: str):
    assert layout_of(target).said["transfer"] != layout_of(source).said["transfer"]
    for size in sizes_of(LINEAR.index(target) + len(source)):
        data = np.random.default_rng(5).integers(0, 256, layout_of(source).size(*size), np.uint8)
        found: list[np.ndarray] = []
        for by_entry in (plan.by_entry, lambda _: False):
            codes.forget()
            with patch.object(plan, "by_entry", by_entry):
                found.append(pl.convert(data, source, target, size, numerics="exact", backend="numpy"))
        assert np.array_equal(*found), size
