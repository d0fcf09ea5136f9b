"""Every picture of the gallery is exported as C that any compiler takes, and draws the same pixels there."""

from __future__ import annotations

import ctypes
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest
from examples import gallery

import pellucid as pl
from pellucid import images as im
from pellucid.backends.c.compiler import find_compiler
from pellucid.driver.view import checked_view

from .conftest import needs_compiler

pytestmark = needs_compiler

FLAGS = ("-O0", "-ffp-contract=off", "-fPIC", "-shared")
SIZE = (24, 16)
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


# Every other picture is exact: a C compiler takes its time over each.
@pytest.mark.parametrize(
    ("path", "numerics"),
    [pytest.param(p, ("relaxed", "exact")[k % 2], id=p.stem) for k, p in enumerate(gallery.files())],
)
def test_every_picture_of_the_gallery_is_exported_and_draws_itself(path: Path, numerics: str):
    shown = gallery.load(path)
    view = {"center": shown.center, "zoom": SIZE[0] / shown.width, "time": shown.time}
    kernel = pl.compile(shown.picture, numerics=numerics)
    values = kernel.values(checked_view(SIZE, **view))
    well, pixels = drawn(*pl.export_c(shown.picture, numerics=numerics), values)
    assert well
    np.testing.assert_array_equal(pixels, kernel.render(SIZE, **view))


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
