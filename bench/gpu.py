"""Pictures of the gallery on a GPU of NVIDIA: how many pixels differ from the CPU's, and how long a frame takes.

Run as `python bench/gpu.py [--size N] [NAME ...]`. Each picture is drawn in both numerics and precisions, and compared
with what the CPU draws in the same. Times are medians, without a copy: frames stay on the GPU. Then four pictures beside CUDA
that was written by hand, where NVRTC is there to compile it, and beside Taichi, where that is; and a frame in a tensor of
torch, where torch is. Where there is no GPU, it says so, and checks the CUDA by hand on the processor.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import itertools
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from examples import gallery
from gpu_pictures import PICTURES, REFERENCE, checked_on_processor, differing

import pellucid as pl
from pellucid import images as im
from pellucid.backends.cuda.driver import DeviceBlock, Driver, driver
from pellucid.backends.port import DeviceMemory
from pellucid.base.errors import BackendError
from pellucid.base.view import View
from pellucid.driver.frame import OUT, FrameVariant

ROUNDS = 30
"""Frames whose median is told."""


def median_of(gpu: Driver, run: Callable[[], Any]) -> float:
    """Milliseconds of a launch, which is waited for."""
    times: list[float] = []
    with gpu.current():
        for _ in range(ROUNDS):
            began = time.perf_counter()
            run()
            gpu.synchronize()
            times.append(1000 * (time.perf_counter() - began))
    return statistics.median(times)


def drawing(gpu: Driver, kernel: Any, view: View) -> Callable[[], Any]:
    """A function that draws a view into memory of the GPU."""
    count = view.size[0] * view.size[1]
    frame = DeviceBlock(gpu, 4 * count)
    values = kernel.values(view)
    code = kernel.code(FrameVariant("straight", view.samples != 1))
    return lambda: code.run_on(values, {}, {OUT: DeviceMemory(frame.address, count)})


def pictures(gpu: Driver, names: list[str], side: int) -> int:
    """Print a row for each picture, and return how many frames differ from the CPU's."""
    kinds = list(itertools.product(("exact", "relaxed"), ("f32", "f64")))
    heads = " ".join(f"{' '.join(kind):>24}" for kind in kinds)
    print(f"{'picture':24} {heads}   (pixels that differ, ms)")
    wrong = 0
    for path in gallery.files():
        if names and path.stem not in names:
            continue
        picture = gallery.load(path)
        smaller = side / max(picture.view.size)
        size = (round(picture.view.size[0] * smaller), round(picture.view.size[1] * smaller))
        view = picture.view.replace(size, zoom=picture.view.zoom * smaller)
        cells: list[str] = []
        for numerics, precision in kinds:
            there, here = (
                pl.compile(picture.picture, numerics=numerics, precision=precision, backend=name)
                for name in ("cuda", "llvm")
            )
            differ = int((there.render(view=view) != here.render(view=view)).any(axis=2).sum())
            wrong += differ > 0
            cells.append(f"{differ:12} {median_of(gpu, drawing(gpu, there, view)):11.3f}")
        print(f"{path.stem:24} {' '.join(cells)}", flush=True)
    return wrong


def races(gpu: Driver, side: int) -> None:
    """Print the times of four pictures beside CUDA by hand and Taichi, and what of their pixels differs."""
    text = translated(REFERENCE.read_text(encoding="utf-8"), gpu.capability)
    if text is None:
        print("by hand: NVRTC is not here, which compiles CUDA")
    module = None if text is None else gpu.module(text)
    taichi = in_taichi()
    for name, (picture, scale) in PICTURES.items():
        view = View((side, side), zoom=1 / scale(side))
        kernel = pl.compile(picture, backend="cuda")
        ours, drawn = median_of(gpu, drawing(gpu, kernel, view)), kernel.render(view=view)
        told = f"{name:8} pellucid {ours:.3f} ms"
        if module is not None:
            frame = DeviceBlock(gpu, 4 * side * side)
            numbers = [ctypes.c_uint64(frame.address), ctypes.c_int(side), ctypes.c_int(side)]
            numbers.append(ctypes.c_float(scale(side)))
            function, blocks = gpu.function(module, name), (-(-side // 32), -(-side // 4))
            hand = median_of(gpu, partial(gpu.launch, function, blocks, (32, 4), numbers))
            pixels = np.zeros((side, side, 4), np.uint8)
            with gpu.current():
                gpu.download(pixels.ctypes.data, frame.address, pixels.nbytes)
            apart = 100 * differing(pixels, drawn)
            told += f"; by hand {hand:.3f} ms, {ours / hand:.2f} times, {apart:.3f} % differ"
        if taichi is not None:
            theirs, pixels = taichi(name, side, scale(side))
            apart = 100 * differing(pixels, drawn)
            told += f"; Taichi {theirs:.3f} ms, {ours / theirs:.2f} times, {apart:.3f} % differ"
        print(told, flush=True)


def in_taichi() -> Callable[[str, int, float], tuple[float, np.ndarray[Any, Any]]] | None:
    """What draws a picture by Taichi's CUDA: the median of milliseconds, and the pixels. None where Taichi is not."""
    if importlib.util.find_spec("taichi") is None:
        print("Taichi is not here")
        return None
    import taichi as ti

    ti.init(arch=ti.cuda, log_level=ti.ERROR)
    from gpu_taichi import KERNELS

    def draw(name: str, side: int, scale: float) -> tuple[float, np.ndarray[Any, Any]]:
        out = ti.ndarray(ti.u32, (side, side))
        times: list[float] = []
        for _ in range(ROUNDS + 1):
            began = time.perf_counter()
            KERNELS[name](out, scale)
            ti.sync()
            times.append(1000 * (time.perf_counter() - began))
        # The first one compiles.
        return statistics.median(times[1:]), out.to_numpy().view(np.uint8).reshape(side, side, 4)

    return draw


def translated(source: str, capability: tuple[int, int]) -> str | None:
    """CUDA as PTX by NVRTC; None where that is not here."""
    nvrtc = None
    for name in ("libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"):
        with suppress(OSError):
            nvrtc = nvrtc or ctypes.CDLL(name)
    if nvrtc is None:
        return None
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    options = (ctypes.c_char_p * 1)(f"--gpu-architecture=compute_{capability[0]}{capability[1]}".encode())
    steps = (
        lambda: nvrtc.nvrtcCreateProgram(
            ctypes.byref(program), source.encode(), b"pictures.cu", 0, None, None
        ),
        lambda: nvrtc.nvrtcCompileProgram(program, 1, options),
        lambda: nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size)),
    )
    for step in steps:
        if status := step():
            raise SystemExit(f"NVRTC fails with {status}")
    text = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetPTX(program, text)
    return text.value.decode()


def in_torch(side: int) -> None:
    """Draw into a tensor of torch, and compare."""
    if importlib.util.find_spec("torch") is None:
        print("torch is not here")
        return
    import torch

    picture = im.swirl(100, im.checkerboard(10, im.black, im.white))
    frame = torch.zeros((side, side, 4), dtype=torch.uint8, device="cuda")
    before = frame.data_ptr()
    pl.compile(picture, backend="cuda").render((side, side), out=frame, stream=torch.cuda.current_stream())
    same = np.array_equal(frame.cpu().numpy(), pl.render(picture, (side, side), backend="llvm"))
    kept = frame.data_ptr() == before
    print(
        f"torch: the tensor {'has' if same else 'DOES NOT HAVE'} the CPU's pixels, {'without' if kept else 'WITH'} a copy"
    )


def main() -> int:
    """Print the tables; 1 if a frame differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="pictures of the gallery (all)")
    parser.add_argument("--size", type=int, default=1024, help="pixels of the longer side (1024)")
    words = parser.parse_args()
    try:
        gpu = driver()
    except BackendError as error:
        print(f"nothing was measured on hardware: {error}")
        with tempfile.TemporaryDirectory() as folder:
            checked_on_processor(Path(folder))
        return 0
    print(f"a GPU of compute capability {gpu.capability[0]}.{gpu.capability[1]}")
    wrong = pictures(gpu, words.names, words.size)
    races(gpu, words.size)
    in_torch(words.size)
    print(f"{wrong} frames differ from the CPU's")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
