"""PTX that is exported draws the CPU's pixels, bit for bit, as the translator of `tests.ptx` runs it without a GPU."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import numpy as np
import pytest
from examples import gallery
from tests.backends.conftest import needs_compiler
from tests.kernels import kernel_of
from tests.ptx import UnknownInstructionError, compiled, instruction
from tests.turns import NIGHTLY, pictures_by_turns

import pellucid as pl
from pellucid import images as im
from pellucid.backends.cuda import complete
from pellucid.backends.port import layout
from pellucid.base.errors import BackendError
from pellucid.base.view import View
from pellucid.driver.ptx import ENTRY, ptx
from pellucid.ir.parse import parse_nest

FILES = gallery.files()
SOME = FILES if NIGHTLY else [path for path in FILES if sum(path.stem.encode()) // 4 % 6 == 0]
SIZE, FEW = (75, 50), (45, 30)
TYPES = {
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
    "s32": ctypes.c_int32,
    "u8": ctypes.c_uint8,
    "u64": ctypes.c_uint64,
}
INEXACT = re.compile(
    r"\.(ftz|approx|full|sat)\b|^\s+(?:@\S+\s+)?(add|sub|mul|fma|div|sqrt|rcp)\.f", re.MULTILINE
)


def launched(folder: Path, text: str, values: dict[str, float], size: tuple[int, int]) -> np.ndarray:
    """The pixels of a kernel: the arguments are those that its head names, in that order."""
    library = folder / "kernel.so"
    compiled(text, library)
    pixels = np.zeros((size[1], size[0], 4), np.uint8)
    known = {**values, "out": pixels.ctypes.data, "count": size[0] * size[1]}
    named = re.findall(r"^//   (\w+) (\w+)(?::| =)", text, re.MULTILINE)
    arguments = [TYPES[kind](known[name]) for kind, name in named]
    assert len(arguments) == ctypes.c_int.in_dll(ctypes.CDLL(str(library)), f"count_{ENTRY}").value
    given = (ctypes.c_void_p * len(arguments))(*map(ctypes.addressof, arguments))
    columns, rows = map(int, re.search(r"blocks of (\d+) x (\d+) threads", text).groups())
    grid = [-(-n // block) for n, block in zip(size, (columns, rows), strict=True)]
    getattr(ctypes.CDLL(str(library)), ENTRY)(given, *grid, columns, rows)
    return pixels


@needs_compiler
@pytest.mark.one_in(2)
@pictures_by_turns(SOME, 1)
def test_a_kernel_draws_the_bits_of_the_cpu(tmp_path, path, numerics, precision):
    shown = gallery.load(path)
    view = shown.view.replace(SIZE, zoom=shown.view.zoom * SIZE[0] / shown.view.size[0])
    text = ptx(shown.picture, view, numerics=numerics, precision=precision)
    assert not INEXACT.search(text)
    kernel = kernel_of(shown.picture, "llvm", numerics=numerics, precision=precision)
    found = launched(tmp_path, text, kernel.values(view), SIZE)
    np.testing.assert_array_equal(found, kernel.render(view=view))


@needs_compiler
@pytest.mark.one_in(4)
@pictures_by_turns(SOME, 2)
def test_a_kernel_draws_the_samples_of_the_cpu(tmp_path, path, numerics, precision):
    shown = gallery.load(path)
    samples = 2 + sum(path.stem.encode()) % 3
    view = shown.view.replace(FEW, zoom=shown.view.zoom * FEW[0] / shown.view.size[0], samples=samples)
    text = ptx(shown.picture, view, numerics=numerics, precision=precision)
    assert not INEXACT.search(text)
    kernel = kernel_of(shown.picture, "llvm", numerics=numerics, precision=precision)
    found = launched(tmp_path, text, kernel.values(view), FEW)
    np.testing.assert_array_equal(found, kernel.render(view=view))


TWIST = pl.param("twist", 100.0, 20.0, 400.0)
SWIRL = im.swirl(TWIST, im.checkerboard(10, im.black, im.white))


@needs_compiler
def test_one_kernel_draws_every_view_and_size(tmp_path):
    text = ptx(SWIRL, View((64, 64)), numerics="exact")
    kernel = kernel_of(SWIRL, "llvm", numerics="exact")
    for size, zoom, twist in (((1, 1), 1.0, 50.0), ((33, 5), 0.3, 399.0), ((128, 8), 3.0, 20.0)):
        view = View(size, zoom=zoom, params={"twist": twist})
        found = launched(tmp_path, text, kernel.values(view), size)
        np.testing.assert_array_equal(found, kernel.render(view=view))


@needs_compiler
def test_samples_and_data_are_those_of_the_cpu(tmp_path):
    noise = np.random.default_rng(3).integers(0, 256, (17, 13, 4), dtype=np.uint8)
    picture = im.over(im.fill("red", im.udisk), im.bitmap(noise))
    view = View((40, 30), zoom=2.5, samples=3)
    kernel = kernel_of(picture, "llvm", numerics="exact")
    found = launched(tmp_path, ptx(picture, view, numerics="exact"), kernel.values(view), view.size)
    np.testing.assert_array_equal(found, kernel.render(view=view))


def test_the_head_tells_of_the_view_in_one_line_each(tmp_path):
    pl.export(
        SWIRL,
        tmp_path / "a.ptx",
        (64, 48),
        zoom=2.0,
        title="of two\nlines",
        params={"twist": 60.0},
        precision="f64",
    )
    text = (tmp_path / "a.ptx").read_text()
    head = [line for line in text.splitlines() if line.startswith("//")]
    assert head[0].startswith("// of two lines, for CUDA")
    assert {"//   f64 scale = 0.5", "//   s32 width = 64", "//   f32 twist = 60.0"} <= set(head)
    assert ".target sm_75" in text


def test_several_phases_are_refused():
    kernel = parse_nest(
        "kernel k():\n  output o: f32[8]\n  output p: f32[8]\n  for i in 0 .. 8:\n    o[i] := 1.0\n    p[i] := 2.0\n"
    )
    with pytest.raises(BackendError, match=r"k: a module has one phase, one output and no scratch memory"):
        complete("", layout(kernel, {}), ENTRY)


@pytest.mark.parametrize(
    "word",
    [
        "add.f32",
        "mul.f64",
        "add.rn.ftz.f32",
        "div.full.f32",
        "sqrt.approx.f32",
        "fma.f32",
        "sin.approx.f32",
        "cvt.f32.s32",
    ],
)
def test_the_translator_refuses_what_is_not_exact(word):
    with pytest.raises(UnknownInstructionError):
        instruction(word, ["%f1", "%f2", "%f3", "%f4"])
