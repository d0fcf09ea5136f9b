"""Pictures on a GPU by wgpu, here a driver of Vulkan that needs none: close to the CPU's, or refused."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from examples import gallery
from tests.turns import NIGHTLY

import pellucid as pl
from pellucid import images as im
from pellucid.backends.shade import Shader
from pellucid.backends.wgpu import device as wgpu_device
from pellucid.backends.wgpu.code import WgpuCode
from pellucid.base.errors import BackendError, InputError, MissingExtraError
from pellucid.driver import forget
from pellucid.driver.frame import FrameVariant
from pellucid.driver.lending import make_backend
from pellucid.ir.parse import parse_nest

SIDE = 128
SWIRL = im.swirl(100, im.checkerboard(10, im.black, im.white))
FRACTALS = {"julia": 8e-3, "mandelbrot": 4e-3, "orbit_trap": 4e-3}
"""The pictures of which more than a thousandth is off by more than 1/255: their borders hang on the last bit."""


def part_off(path: Path) -> float:
    """The part of the pixels of a picture of the gallery that is off by more than 1/255."""
    shown = gallery.load(path)
    view = {"center": shown.center, "zoom": SIDE / shown.width, "time": shown.time, "samples": 1}
    found, expected = (pl.render(shown.picture, SIDE, backend=name, **view) for name in ("wgpu", "llvm"))
    return (np.abs(found.astype(int) - expected).max(axis=2) > 1).mean()


def started_anew() -> None:
    wgpu_device.device.cache_clear()
    make_backend.cache_clear()
    forget()


@pytest.fixture
def gpu():
    try:
        return wgpu_device.device()
    except (BackendError, MissingExtraError) as error:
        pytest.skip(f"no GPU, and no driver that does without: {error}")


@pytest.fixture
def without(monkeypatch):
    """Afterwards, the GPU is found anew."""
    started_anew()
    yield monkeypatch
    monkeypatch.undo()
    started_anew()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("path", gallery.files(), ids=lambda path: path.stem)
def test_a_picture_is_close_to_the_one_of_the_cpu(gpu, path):
    assert part_off(path) <= FRACTALS.get(path.stem, 1e-3)


SWIFTSHADER = sorted(Path("/usr/lib").glob("chromium*/vk_swiftshader_icd.json"))
BY_ANOTHER = """
import sys
from pathlib import Path
from pellucid.backends.wgpu.device import device
from tests.backends.test_wgpu import FRACTALS, part_off
print(device().name)
for path in map(Path, sys.argv[1:]):
    off = part_off(path)
    assert off <= FRACTALS.get(path.stem, 1e-3), (path.stem, off)
"""


@pytest.mark.skipif(not SWIFTSHADER, reason="Chromium has not brought its driver of Vulkan")
def test_another_driver_draws_the_same(gpu):
    # A driver is chosen once in a process.
    chosen = {name: str(SWIFTSHADER[0]) for name in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES")}
    paths = gallery.files() if NIGHTLY else gallery.files()[::12]
    done = subprocess.run(
        [sys.executable, "-c", BY_ANOTHER, *map(str, paths)],
        env={**os.environ, **chosen, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "SwiftShader" in done.stdout


def test_sizes_parts_samples_and_parameters_are_those_of_the_cpu(gpu):
    twist = pl.param("twist", 100.0, 20.0, 400.0)
    picture = im.swirl(twist, im.checkerboard(10, im.red, im.white))
    for arguments in (
        {"size": (61, 3)},
        {"size": (300, 200), "part": (17, 30, 100, 50)},
        {"size": 64, "samples": 3},
        {"size": 64, "params": {"twist": 33.3}},
    ):
        found, expected = (pl.render(picture, backend=name, **arguments) for name in ("wgpu", "llvm"))
        assert found.shape == expected.shape
        assert (np.abs(found.astype(int) - expected).max(axis=2) > 1).mean() <= 2e-3


def test_one_kernel_serves_threads(gpu):
    kernel = pl.compile(SWIRL, backend="wgpu")
    expected, found = kernel.render(64), [np.empty(0)] * 4

    def draw(k: int) -> None:
        for _ in range(5):
            found[k] = kernel.render(64)

    threads = [threading.Thread(target=draw, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((pixels == expected).all() for pixels in found)


@pytest.mark.parametrize(("name", "word"), [("numerics", "exact"), ("precision", "f64")])
def test_what_is_more_than_relaxed_f32_is_refused(name, word):
    with pytest.raises(
        InputError, match=rf"{name}: the back end 'wgpu' computes in relaxed f32 alone, and not in"
    ):
        pl.render(SWIRL, 8, backend="wgpu", **{name: word})


def test_views_beyond_f32_are_refused(gpu):
    with pytest.raises(InputError, match="is not within"):
        pl.render(SWIRL, 8, zoom=1e-8, backend="wgpu")


def test_other_programs_are_refused(gpu):
    text = "kernel k():\n  output o: i32[4]\n  for i in 0 .. 4:\n    o[i] := i\n"
    with pytest.raises(BackendError, match=r"k: shaders draw pictures and nothing else; use backend='llvm'"):
        make_backend("wgpu").compile(parse_nest(text), {})


def test_frames_larger_than_a_buffer_are_refused(gpu, monkeypatch):
    kernel = pl.compile(SWIRL, backend="wgpu")
    monkeypatch.setattr(gpu, "most", 1000)
    with pytest.raises(
        BackendError, match=r"size: the frame has 4096 bytes, and a buffer of .* at most 1000; draw it"
    ):
        kernel.render(32)
    assert kernel.render(8).shape == (8, 8, 4)


def test_what_a_driver_refuses_is_one_sentence(gpu):
    code = pl.compile(SWIRL, backend="wgpu").code(FrameVariant())
    spoiled = Shader("fn main( {", {}, {}, code._shader.size)
    with pytest.raises(BackendError, match=r"^shader: .* refuses it: .*; use backend='llvm'$") as told:
        WgpuCode(gpu, spoiled, code.calling)
    assert "\n" not in str(told.value)


def test_without_the_package_there_is_one_message(without):
    without.setitem(__import__("sys").modules, "wgpu", None)
    with pytest.raises(
        MissingExtraError, match=r"wgpu is not installed; run: pip install 'pellucid\[gpu\]', or use"
    ):
        pl.compile(SWIRL, backend="wgpu")
    assert pl.render(SWIRL, (4, 4)).shape == (4, 4, 4)


def test_without_a_gpu_there_is_one_message(without):
    wgpu = pytest.importorskip("wgpu")

    def nothing(**_: object) -> None:
        raise RuntimeError("Request adapter failed (1): no suitable\nadapter")

    without.setattr(wgpu.gpu, "request_adapter_sync", nothing)
    with pytest.raises(
        BackendError, match=r"wgpu: there is no GPU for it: .* no suitable adapter; install a driver"
    ):
        pl.compile(SWIRL, backend="wgpu")


def test_kernels_that_are_dropped_leave_nothing_behind(gpu):
    before = len(gc.get_objects())
    for k in range(60):
        pl.compile(im.checkerboard(1 + k, im.black, im.white), backend="wgpu").render(8)
    forget()
    gc.collect()
    assert len(gc.get_objects()) < before + 60_000
