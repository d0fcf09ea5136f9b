"""What modern moves make runs alike everywhere, bit for bit: LLVM, C, the meaning; and as an exported C function."""

import ctypes
from pathlib import Path

import numpy as np
import pytest
from tests.loops.test_modern_goldens import BECOMES, FILES, made

from pellucid.backends.c import CBackend, export
from pellucid.backends.c.compiler import find_compiler
from pellucid.backends.conformance import same_bits
from pellucid.backends.llvm import LlvmBackend
from pellucid.driver.threads import ThreadPool
from pellucid.ir import nest as N
from pellucid.ir.interp import run
from pellucid.loops.core import tactic

BACKENDS = {"llvm": LlvmBackend(thread_pool=ThreadPool()), "c": CBackend(thread_pool=ThreadPool())}


def memory_of(kernel: N.Kernel) -> dict:
    rng = np.random.default_rng(8)
    names = sorted({b.name: b for b in (*kernel.outputs, *N.inputs(kernel))}.items())
    given = {name: rng.integers(0, 9, b.size).astype(b.type.dtype) for name, b in names}
    return {b: given[b.name] for b in (*kernel.outputs, *N.inputs(kernel))}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("backend", BACKENDS.values(), ids=BACKENDS)
@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_back_ends_agree_with_the_meaning(file: Path, backend):
    _, after = made(file.read_text().partition(BECOMES)[0])
    arguments = {p.attr: 7 for p in after.params}
    expected = memory_of(after)
    run(after, arguments, expected)
    placed = tactic.run(tactic.attempt("place"), after).kernel
    for kernel in (after, placed):
        found = memory_of(after)
        backend.compile(kernel, {}).run(arguments, found, threads=3)
        for b in after.outputs:
            assert same_bits(expected[b], found[b]), b.name


def test_a_histogram_in_parts_is_exported(tmp_path: Path):
    file = next(f for f in FILES if f.stem == "privatize_histogram")
    _, after = made(file.read_text().partition(BECOMES)[0])
    header, source = export(after, "histogram")
    (tmp_path / "histogram.h").write_text(header)
    (tmp_path / "histogram.c").write_text(source)
    library = tmp_path / "histogram.so"
    find_compiler().run(
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-O2",
        "-fPIC",
        "-shared",
        "-o",
        str(library),
        str(tmp_path / "histogram.c"),
    )
    pixels = np.random.default_rng(1).integers(0, 256, 4096).astype(np.uint8)
    counts = np.zeros(256, np.uint32)
    function = ctypes.CDLL(str(library)).histogram
    function.restype = ctypes.c_bool
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in (counts, pixels)]
    assert function(pointers[0], ctypes.c_int64(256), pointers[1], ctypes.c_int64(4096))
    assert (counts == np.bincount(pixels, minlength=256)).all()
