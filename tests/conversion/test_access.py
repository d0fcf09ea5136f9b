"""Reading and writing as expressions agrees bit for bit with the reference, for all formats and for made-up ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.pixels.made_up import MadeUp, layouts
from tests.pixels.test_layouts import noise

from pellucid.conversion.access import PlaneMemory, read, word_type, write
from pellucid.ir import expr as E
from pellucid.ir import interp
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer
from pellucid.ir.verify import verify_exprs
from pellucid.pixels import FORMATS, Layout, pack, unpack

COLUMN, ROW = E.index("i"), E.index("j")


def read_all(layout: Layout, data: np.ndarray, width: int, height: int) -> dict[str, np.ndarray]:
    """Every sample by way of expressions."""
    buffer = Buffer("data", T.u8, len(data))
    found = {}
    for channel in layout.channels:
        plane = layout.planes[channel.plane]
        memory = PlaneMemory(buffer, layout.offsets(width, height)[channel.plane], plane.row_bytes(width))
        node = read(layout, channel, memory, COLUMN, ROW)
        assert node.type is word_type(channel)
        verify_exprs([node])
        rows, columns = channel.shape(width, height)
        where = {COLUMN: np.arange(columns, dtype=np.int32), ROW: np.arange(rows, dtype=np.int32)[:, None]}
        [values] = interp.evaluate([node], where, {buffer: data})
        found[channel.name] = np.broadcast_to(values, (rows, columns))
    return found


def agree(layout: Layout, width: int, height: int) -> None:
    data = noise(layout.size(width, height))
    want = unpack(data.tobytes(), layout, width, height)
    for name, got in read_all(layout, data, width, height).items():
        expected = want[name]
        if layout[name].kind == "f":
            expected = expected.view(f"u{expected.dtype.itemsize}")
        assert np.array_equal(got.astype(expected.dtype), expected), name


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_read(name: str):
    for width in (1, 2, 5, 7, 49):
        agree(FORMATS[name], width, 3)


@given(layouts("gray", "rgba", "ycbcr", "mosaic", "samples"), st.integers(1, 20))
def test_made_up_layouts_are_read(made: MadeUp, width: int):
    agree(Layout(made.text), width, 2)


@pytest.mark.parametrize("bits", [1, 7, 31, 32, 33, 57, 58, 63, 64])
@pytest.mark.parametrize("kind", ["u", "s"])
@pytest.mark.parametrize("order", ["lsb", "msb"])
def test_wide_samples_at_any_bit(bits: int, kind: str, order: str):
    for before in range(8):
        agree(Layout(f"{order}: _:{before + 1} S:{kind}{bits}"), 9, 1)


@given(layouts("gray", "rgba", "samples", most=20))
def test_groups_are_written(made: MadeUp):
    layout = Layout(made.text)
    width = math.lcm(*(plane.pixels * plane.across for plane in layout.planes))
    data = noise(layout.size(width))
    want = unpack(data.tobytes(), layout, width)
    before = noise(len(data) + 1)[: len(data)]
    after = before.copy()
    for number, plane in enumerate(layout.planes):
        size = plane.bits // 8
        for group in range(plane.groups(width)):
            samples = {}
            for c in layout.channels:
                first, mask = group * len(c.places), (1 << c.bits) - 1
                if c.plane == number:
                    found = want[c.name][0][first : first + len(c.places)]
                    samples[c.name] = [E.const(int(v) & mask, T.u32) for v in found]
            parts = write(layout, number, samples)
            values = interp.evaluate([value for value, _ in parts], {})
            masks = np.array([mask for _, mask in parts], np.uint8)
            start = layout.offsets(width, 1)[number] + group * size
            old = after[start : start + size]
            old[:] = old & ~masks | np.array([int(v) for v in values], np.uint8)
    assert after.tobytes() == pack(want, layout, width, onto=before.tobytes())
