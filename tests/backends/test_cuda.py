"""Kernels on a GPU, by a driver without one: launches, memory and faults are those of `fake_driver.c`."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from examples import gallery
from hypothesis import given, settings
from tests.backends.conftest import needs_compiler
from tests.diff.programs import Program, joined, programs
from tests.kernels import kernel_of
from tests.turns import NIGHTLY

import pellucid as pl
from pellucid import images as im
from pellucid.backends.conformance import backend_suite, same_bits
from pellucid.backends.cuda import driver as cuda_driver
from pellucid.backends.cuda.code import MAX_ARGUMENTS, MAX_BLOCKS, CudaCode
from pellucid.base.errors import BackendError
from pellucid.base.view import View
from pellucid.driver import forget
from pellucid.driver.choosing import ChosenCode, _Settled
from pellucid.driver.frame import OUT, FrameVariant
from pellucid.driver.lending import make_backend
from pellucid.ir import interp
from pellucid.ir.parse import parse_nest
from pellucid.loops.analysis.placement import place

pytestmark = needs_compiler
ROOT = Path(__file__).parents[2]
SWIRL = im.swirl(100, im.checkerboard(10, im.black, im.white))


def started_anew() -> None:
    """Forget the driver, the back end, and codes that hold them."""
    cuda_driver.driver.cache_clear()
    make_backend.cache_clear()
    forget()


@pytest.fixture(scope="session")
def library(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("driver") / "libfake.so"
    source = Path(__file__).with_name("fake_driver.c")
    subprocess.run(
        ["cc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", source, "-o", path, "-ldl"], check=True
    )
    return path


@pytest.fixture
def gpu(library, monkeypatch):
    """The driver's own functions for tests, such as `fake_fail(function, status, call)`."""
    monkeypatch.setenv("FAKE_TRANSLATOR", f"cd {ROOT} && {sys.executable} -m tests.ptx")
    monkeypatch.setenv("FAKE_FOLDER", str(library.parent))
    monkeypatch.setattr(cuda_driver, "LIBRARIES", (str(library),))
    started_anew()
    found = ctypes.CDLL(str(library))
    found.fake_limit.argtypes, found.fake_used.restype = [ctypes.c_size_t], ctypes.c_size_t
    yield found
    found.fake_fail(b"", 0, 0)
    found.fake_limit(1 << 40)
    found.fake_capability(75)
    started_anew()


def test_a_picture_is_drawn_as_by_the_cpu(gpu):
    for numerics in ("exact", "relaxed"):
        found = pl.render(SWIRL, (75, 50), backend="cuda", numerics=numerics)
        assert (found == pl.render(SWIRL, (75, 50), numerics=numerics, backend="llvm")).all()
    assert gpu.fake_launches() == 2
    assert gpu.fake_contexts() == 0


@pytest.mark.parametrize("name", ["clock", "truchet"])
def test_tables_parts_and_samples_are_those_of_the_cpu(gpu, name):
    shown = gallery.load(next(p for p in gallery.files() if p.stem == name))
    view = shown.view.replace((60, 40), zoom=shown.view.zoom * 60 / shown.view.size[0])
    for more in ({}, {"samples": 2}, {"part": (7, 5, 33, 9)}):
        cpu, on_gpu = (kernel_of(shown.picture, b).render(view=view, **more) for b in ("llvm", "cuda"))
        np.testing.assert_array_equal(on_gpu, cpu)


CHECKS = [
    pytest.param(check, id=title)
    for k, (title, check) in enumerate(backend_suite(lambda: make_backend("cuda"), widths=(1,)))
    # Iterations of unknown number are refused, which another test sees.
    if (NIGHTLY or k % 6 == 0) and "as long as the data ask" not in title
]


@pytest.mark.parametrize("check", CHECKS)
def test_the_common_suite_passes(gpu, check):
    check()


@settings(max_examples=40 if NIGHTLY else 3, deadline=None)
@given(programs(count=8))
def check_programs(parts: list[Program]) -> None:
    kernel, arguments, memory = joined(parts)
    expected, found = ({b: m.copy() for b, m in memory.items()} for _ in range(2))
    interp.run(kernel, arguments, expected)
    make_backend("cuda").compile(place(kernel)[0], {}).run(arguments, found)
    for b in kernel.outputs:
        assert same_bits(expected[b], found[b]), b.name


@pytest.mark.slow
def test_random_programs_compute_what_the_interpreter_does(gpu):
    check_programs()


GRID = """
kernel k(w: i32, h: i32):
  output out: i32[64]
  for j in 0 .. h on a grid in blocks of 4:
    for i in 2 .. w on a grid in blocks of 8:
      out[j * 8 + i] := j * 100 + i
  out[0] := out[63] + 1
"""


@pytest.mark.parametrize(("w", "h"), [(8, 8), (3, 1), (2, 5), (0, 0), (7, 8)])
def test_phases_run_one_after_the_other_on_their_own_grids(gpu, w, h):
    kernel = parse_nest(GRID)
    expected, found = ({kernel.outputs[0]: np.arange(64, dtype=np.int32)} for _ in range(2))
    interp.run(kernel, {"w": w, "h": h}, expected)
    make_backend("cuda").compile(kernel, {}).run({"w": w, "h": h}, found)
    assert (expected[kernel.outputs[0]] == found[kernel.outputs[0]]).all()


@pytest.mark.parametrize(("rows", "columns"), [(1024, 1024), (5000, 3), (1, 7000), (64, 32)])
def test_blocks_have_no_more_threads_than_a_gpu_runs(gpu, rows, columns):
    text = GRID.replace("of 4", f"of {rows}").replace("of 8", f"of {columns}")
    kernel = parse_nest(text)
    expected, found = ({kernel.outputs[0]: np.arange(64, dtype=np.int32)} for _ in range(2))
    interp.run(kernel, {"w": 7, "h": 8}, expected)
    make_backend("cuda").compile(kernel, {}).run({"w": 7, "h": 8}, found)
    assert (expected[kernel.outputs[0]] == found[kernel.outputs[0]]).all()


def test_frames_are_offloaded_where_the_bits_are_the_same(gpu):
    kernel = pl.compile(SWIRL)
    expected, code = kernel.render(32), kernel.code(FrameVariant())
    assert isinstance(code, ChosenCode)
    arguments, pixels = kernel.values(View(32)), np.ascontiguousarray(expected).reshape(-1).view(np.uint32)
    took = code._offload.tried(arguments, {OUT: pixels})
    assert took is not None
    assert isinstance(code._offload.code, CudaCode)
    code._settled = _Settled(code._offload.code, took / pixels.size)
    assert np.array_equal(kernel.render(32), expected)
    gpu.fake_fail(b"cuLaunchKernel", 700, 1)
    assert np.array_equal(kernel.render(32), expected)
    assert code._offload.code is None
    assert code._offload.is_due(1e6, 1) is False


def test_more_rows_than_a_grid_has_take_several_launches(gpu):
    rows = 2 * MAX_BLOCKS + 3
    kernel = parse_nest(
        f"kernel k():\n  output out: i32[{rows}]\n  for j in 0 .. {rows} on a grid in blocks of 1:\n"
        "    for i in 0 .. 1 on a grid in blocks of 1:\n      out[j + i] := j\n"
    )
    before, memory = gpu.fake_launches(), {kernel.outputs[0]: np.zeros(rows, np.int32)}
    make_backend("cuda").compile(kernel, {}).run({}, memory)
    assert gpu.fake_launches() - before == 3
    assert (memory[kernel.outputs[0]] == np.arange(rows)).all()


# ---- memory ----


def test_ten_thousand_kernels_leave_nothing_behind(gpu):
    # The module is one for equal texts; what is counted is what each kernel holds of the device.
    kernel = parse_nest("kernel k():\n  output o: i32[600]\n  for i in 0 .. 600:\n    o[i] := i\n")
    backend, memory = make_backend("cuda"), {kernel.outputs[0]: np.zeros(600, np.int32)}
    code = backend.compile(kernel, {})
    code.run({}, memory)
    used, modules = gpu.fake_used(), gpu.fake_modules()
    for _ in range(10_000 if NIGHTLY else 50):
        backend.compile(kernel, {}).run({}, memory)
    assert (gpu.fake_used(), gpu.fake_modules()) == (used, modules)
    del code
    gc.collect()
    assert gpu.fake_modules() == modules - 1


def test_memory_that_waits_is_freed_where_there_is_no_other(gpu):
    code = make_backend("cuda").compile(parse_nest(GRID), {})
    driver = cuda_driver.driver()
    cuda_driver.DeviceBlock(driver, 1 << 20)
    gpu.fake_limit(gpu.fake_used() + 100)
    out = np.zeros(64, np.int32)
    code.run({"w": 3, "h": 3}, {code.calling.bound[0]: out})
    assert out[18] == 202
    gpu.fake_limit(gpu.fake_used())
    with pytest.raises(BackendError, match=r"cuda: the GPU is out of memory; draw less at once"):
        cuda_driver.DeviceBlock(driver, 1 << 21)


# ---- faults ----


@pytest.mark.parametrize(
    ("function", "status", "message"),
    [
        (b"cuInit", 100, r"cuda: there is no GPU of NVIDIA; use llvm"),
        (b"cuDeviceGet", 101, r"cuda: the driver says of cuDeviceGet: error 101"),
        (b"cuMemAlloc_v2", 201, r"cuda: the driver says of cuMemAlloc: invalid device context"),
        (b"cuMemcpyHtoD_v2", 1, r"cuda: the driver says of cuMemcpyHtoD_v2: invalid argument"),
        (
            b"cuModuleLoadData",
            218,
            r"cuda: the driver says of cuModuleLoadData: device kernel image is invalid",
        ),
        (b"cuLaunchKernel", 719, r"cuda: the driver says of cuLaunchKernel: unspecified launch failure"),
        (b"cuMemcpyDtoH_v2", 719, r"cuda: the driver says of cuMemcpyDtoH_v2: unspecified launch failure"),
    ],
)
def test_what_the_driver_refuses_is_told_in_one_sentence(gpu, function, status, message):
    gpu.fake_fail(function, status, 1)
    with pytest.raises(BackendError, match=message) as caught:
        pl.render(SWIRL, (8, 8), backend="cuda")
    assert "\n" not in str(caught.value)
    assert gpu.fake_contexts() == 0
    # Nothing of it stays: the next frame is drawn.
    assert (pl.render(SWIRL, (8, 8), backend="cuda") == pl.render(SWIRL, (8, 8), backend="llvm")).all()


def test_an_old_gpu_is_refused(gpu):
    gpu.fake_capability(61)
    with pytest.raises(
        BackendError, match=r"cuda: the GPU has compute capability 6\.1, and 7\.5 is needed; use llvm"
    ):
        pl.render(SWIRL, (8, 8), backend="cuda")


def test_an_old_driver_is_refused(monkeypatch, tmp_path):
    (tmp_path / "old.c").write_text("int cuInit(unsigned flags) { return 0; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", tmp_path / "old.c", "-o", tmp_path / "old.so"], check=True)
    with pytest.raises(
        BackendError, match=r"cuda: NVIDIA's driver is too old: it has no cuDeviceGet; install"
    ):
        cuda_driver.Driver((str(tmp_path / "old.so"),))


def test_without_a_driver_there_is_one_message(monkeypatch):
    monkeypatch.setattr(cuda_driver, "LIBRARIES", ("libnothing.so.1",))
    started_anew()
    with pytest.raises(
        BackendError, match=r"cuda: NVIDIA's driver is not here: there is no libnothing\.so\.1; inst"
    ):
        pl.compile(SWIRL, backend="cuda")
    assert pl.render(SWIRL, (4, 4)).shape == (4, 4, 4)


def test_iterations_of_unknown_number_are_refused(gpu):
    text = "kernel k():\n  output o: i32[1]\n  while o[0] < 9:\n    o[0] := o[0] + 1\n"
    with pytest.raises(
        BackendError, match=r"k: iterations of unknown number cannot be interrupted on a GPU; use llvm"
    ):
        make_backend("cuda").compile(parse_nest(text), {})


def test_arguments_beyond_a_launch_are_refused(gpu):
    inputs = "".join(f"  input a{k}: i32[4]\n" for k in range(MAX_ARGUMENTS // 16))
    stores = "".join(f"    o[i] := a{k}[i]\n" for k in range(MAX_ARGUMENTS // 16))
    kernel = parse_nest(f"kernel k():\n  output o: i32[4]\n{inputs}  for i in 0 .. 4:\n{stores}")
    with pytest.raises(BackendError, match=r"k: \d+ bytes of arguments, where a launch has 4096; use llvm"):
        make_backend("cuda").compile(kernel, {})
