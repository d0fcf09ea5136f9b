"""No format is read or written outside of its bytes: forbidden pages lie on both sides of buffers of the exact length.

A size is compiled in, so each takes a compilation: the gate takes a few widths of each format, every width somewhere,
and the nightly run takes every width of each.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from tests.guarded import Guarded

import pellucid as pl
from pellucid.backends.llvm import LlvmBackend
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer
from pellucid.pixels import FORMATS, Layout, layout_of, unpack
from pellucid.pixels.access import Memory, read, word_type

WIDTHS = range(1, 68)
HEIGHTS = (1, 3, 5)
ENDS = [(True, True), (False, True), (True, False), (False, False)]
EVERY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
PICTURES = [name for name, f in FORMATS.items() if f.model != "samples"]
SOUNDS = [name for name, f in FORMATS.items() if f.model == "samples"]


def cases(number: int) -> list[tuple[tuple[int, int], tuple[bool, bool]]]:
    """Sizes, and at which ends of their pages source and target lie."""
    widths = WIDTHS if EVERY else [1 + (number * 17 + k * 19) % 67 for k in range(4)]
    return [((w, HEIGHTS[(number + k) % 3]), ENDS[(number + k) % 4]) for k, w in enumerate(widths)]


def filled(size: int, *, at_end: bool) -> Guarded:
    made = Guarded(size, at_end=at_end)
    made.bytes[:] = np.random.default_rng(7).integers(0, 256, size, np.uint8)
    return made


def convert_between_guards(
    layout: Layout, target: Layout, size: tuple[int, int], ends: tuple[bool, bool]
) -> None:
    source = filled(layout.size(*size), at_end=ends[0])
    out = filled(target.size(*size), at_end=ends[1])
    before = source.bytes.copy()
    assert pl.convert(source.bytes, layout, target, size, out=out.bytes) is out.bytes
    assert np.array_equal(source.bytes, before)


def test_all_widths_and_ends_are_among_them():
    every = [case for number in range(len(PICTURES)) for case in cases(number)]
    assert {width for (width, _), _ in every} == {*WIDTHS}
    assert {(height, ends) for (_, height), ends in every} == {(h, e) for h in HEIGHTS for e in ENDS}


@pytest.mark.parametrize("number", range(len(PICTURES)), ids=PICTURES)
def test_pictures_are_read_and_written_within_their_bytes(number: int):
    layout = FORMATS[PICTURES[number]]
    # What is not drawn with a palette is drawn in its colors.
    target = layout_of("bgra") if layout.palette else layout
    for size, ends in cases(number):
        convert_between_guards(layout, target, size, ends)


@pytest.mark.parametrize("order", ["lsb", "msb"])
@pytest.mark.parametrize("bits", [1, 2, 3, 5, 7, 9, 11, 12, 15, 17, 24, 31, 32])
def test_fields_may_begin_at_any_bit(bits: int, order: str):
    for before in range(8):
        layout = Layout(f"{order}: _:{before} Y:{bits}" if before else f"{order}: Y:{bits}")
        width = 1 + (before * 23 + bits) % 67
        convert_between_guards(layout, layout, (width, 2), ENDS[before % 4])


@pytest.mark.parametrize("name", SOUNDS)
def test_sound_is_read_within_its_bytes(name: str):
    layout = FORMATS[name]
    channel = layout["S"]
    word = word_type(channel)
    for width in (1, 2, 3, 15, 16, 17, 33, 67):
        source = filled(layout.size(width), at_end=width % 2 == 1)
        data, out = Buffer("data", T.u8, len(source.bytes)), Buffer("out", word, width)
        index, zero = E.index("i"), E.const(0, T.i32)
        value = read(layout, channel, Memory(data, 0, 0), index, zero)
        loop = N.For(index, zero, E.const(width, T.i32), (N.Store(out, index, value),))
        found = np.zeros(width, word.dtype)
        code = LlvmBackend().compile(N.Kernel("read", (), (out,), (loop,)), {})
        code.run({}, {out: found, data: source.bytes})
        want = unpack(source.bytes, layout, width)["S"][0]
        assert found.astype(f"u{want.itemsize}").tobytes() == want.tobytes()
