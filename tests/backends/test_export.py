"""Every picture of the gallery is exported as C that any compiler takes, and draws the same pixels there."""

from __future__ import annotations

import ctypes
import re
import tempfile
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
from examples import gallery

import pellucid as pl
from pellucid import images as im
from pellucid.backends.c import export
from pellucid.backends.c.compiler import find_compiler
from pellucid.backends.c.source import MAX_TEXT
from pellucid.base.errors import InputError
from pellucid.driver.lanes import C_LANES
from pellucid.driver.view import checked_view
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer

from .conftest import needs_compiler

pytestmark = needs_compiler

FLAGS = ("-O0", "-ffp-contract=off", "-fPIC", "-shared")
SIZE = (24, 16)
MAX_LINE = 4 * MAX_TEXT
"""Maximum characters of a line: an operator and a few operands that are too short for names of their own."""
MAX_DEPTH = 12
"""Maximum parentheses within parentheses."""
TYPES = {
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "uint32_t *": ctypes.c_void_p,
}


def drawn(header: str, source: str, values: dict[str, float]) -> tuple[bool, np.ndarray]:
    """What the exported function `picture` returns for these arguments, and the pixels that it wrote."""
    library = header + "\n".join(line for line in source.splitlines() if line != '#include "picture.h"')
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "picture.so")
        path.write_bytes(find_compiler().compile(library, flags=FLAGS))
        function = ctypes.CDLL(str(path)).picture
    out = np.zeros((SIZE[1], SIZE[0], 4), np.uint8)
    given = {"out": out.ctypes.data, "out_size": out.size // 4, **values}
    signature = re.search(r"bool picture\((.*)\);", header)
    assert signature is not None
    arguments = []
    for declared in signature[1].split(", "):
        type_, name = re.fullmatch(r"(.*?[ *])(\w+)", declared).groups()
        arguments.append(TYPES[type_.strip()](given[name]))
    function.restype = ctypes.c_bool
    return function(*arguments), out


# Every other picture is exact, and the gate has a few of them: a C compiler takes its time over each.
@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("path", "numerics"),
    [pytest.param(p, ("relaxed", "exact")[k % 2], id=p.stem) for k, p in enumerate(gallery.files())],
)
def test_every_picture_of_the_gallery_is_exported_and_draws_itself(path: Path, numerics: str):
    shown = gallery.load(path)
    view = {"center": shown.center, "zoom": SIZE[0] / shown.width, "time": shown.time}
    kernel = pl.compile(shown.picture, numerics=numerics)
    values = kernel.values(checked_view(SIZE, **view))
    header, source = pl.export_c(shown.picture, numerics=numerics)
    longest, deepest = shape(source)
    assert longest <= MAX_LINE
    assert deepest <= MAX_DEPTH
    well, pixels = drawn(header, source, values)
    assert well
    np.testing.assert_array_equal(pixels, kernel.render(SIZE, **view))


def shape(source: str) -> tuple[int, int]:
    """The characters of the longest line of a text, without its indentation, and its deepest parentheses."""
    lines = [line.strip() for line in source.splitlines()]
    depths = [accumulate((c == "(") - (c == ")") for c in line if c in "()") for line in lines]
    return max(map(len, lines)), max(max(depth, default=0) for depth in depths)


@pytest.mark.parametrize("used", [1, 2])
@pytest.mark.parametrize("word", ["add", "min", "choose", "xor"])
def test_the_text_grows_in_proportion_to_the_operators(word: str, used: int):
    def text(operators: int) -> str:
        out, data = Buffer("out", T.i32, 1), Buffer("data", T.i32, operators)
        total = E.param("start", T.i32)
        for k in range(operators):
            given = E.load(data, E.const(k, T.i32))
            link = E.apply("mul", total, total if used == 2 else given)
            operands = (E.apply("lt", given, E.const(k, T.i32)), link) if word == "choose" else (link,)
            total = E.apply(word, *operands, given)
        store = N.Store(out, E.const(0, T.i32), total)
        return export(N.Kernel("chain", (E.param("start", T.i32),), (out,), (store,)), "chain")[1]

    few, many = text(50), text(400)
    longest, deepest = shape(many)
    assert longest <= MAX_LINE
    assert deepest <= MAX_DEPTH
    assert len(many) <= 10 * len(few)


def test_what_was_assumed_of_an_argument_is_checked_and_told():
    radius = pl.param("radius", 1.0, low=0.5, high=2.0)
    disc = im.fill(im.tomato, im.disk(radius))
    header, source = pl.export_c(disc)
    assert " *   radius: 0.5 .. 2.\n" in header
    assert " *   width: 1 .. 1048576.\n" in header
    kernel = pl.compile(disc)
    values = kernel.values(checked_view(SIZE, zoom=8.0))
    well, pixels = drawn(header, source, values)
    assert well
    np.testing.assert_array_equal(pixels, kernel.render(SIZE, zoom=8.0))
    for name, bad in (("radius", 2.5), ("radius", float("nan")), ("width", 0), ("scale", float("inf"))):
        well, pixels = drawn(header, source, {**values, name: bad})
        assert not well
        assert not pixels.any()


@pytest.mark.parametrize("lanes", C_LANES)
@pytest.mark.parametrize("name", ["julia", "moon_phases", "wing"])
def test_any_number_of_pixels_may_be_taken_together(name: str, lanes: int):
    shown = gallery.load(next(p for p in gallery.files() if p.stem == name))
    view = {"center": shown.center, "zoom": SIZE[0] / shown.width, "time": shown.time}
    kernel = pl.compile(shown.picture)
    header, source = pl.export_c(shown.picture, lanes=lanes)
    assert f"[{lanes}];" in source
    well, pixels = drawn(header, source, kernel.values(checked_view(SIZE, **view)))
    assert well
    np.testing.assert_array_equal(pixels, kernel.render(SIZE, **view))


@pytest.mark.parametrize("lanes", [0, 1, 12, 128, 16.0, "16", None, True])
def test_other_numbers_of_lanes_are_refused(lanes: object):
    with pytest.raises(InputError, match="no number of lanes; give one of 4, 8, 16, 32, 64"):
        pl.export_c(im.checkerboard(10, im.black, im.white), lanes=lanes)  # pyright: ignore[reportArgumentType]


def test_rows_that_decide_a_choice_are_loops_without_branches():
    swirled = im.swirl(1, im.checkerboard(0.2, im.black, im.white))
    bands = im.cond(im.y < 0.2, im.fill(im.tomato, im.annulus(0.3)), swirled)
    header, source = pl.export_c(bands)
    loops = re.findall(r"#pragma omp simd\n(.*?)\n        }", source, flags=re.DOTALL)
    assert len(loops) == 2
    assert not any("if (" in loop for loop in loops)
    kernel = pl.compile(bands)
    well, pixels = drawn(header, source, kernel.values(checked_view(SIZE, zoom=8.0)))
    assert well
    np.testing.assert_array_equal(pixels, kernel.render(SIZE, zoom=8.0))
