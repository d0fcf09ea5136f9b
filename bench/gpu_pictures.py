"""Four pictures for `gpu`, of which `reference/pictures.cu` has a kernel by hand and `gpu_taichi` one in Taichi.

The kernels of pictures.cu are plain C++ but for their heads, so that a compiler for the processor can check them.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from layers import layers, picture

import pellucid as pl
from pellucid import images as im

REFERENCE = Path(__file__).with_name("reference") / "pictures.cu"
SUN = (0.55, 0.72, -0.42)
ON_PROCESSOR = """#include <math.h>
#define __global__
#define __device__
struct three { int x, y, z; };
static three blockIdx, blockDim, threadIdx;
"""
"""What stands before CUDA for a processor, on which a launch is two loops over blocks of a thread."""
LAUNCHES = """
#define LAUNCH(name) extern "C" void on_processor_##name(unsigned *out, int width, int height, float scale) { \\
  blockDim = {1, 1, 1}; \\
  for (blockIdx.y = 0; blockIdx.y < height; blockIdx.y++) \\
    for (blockIdx.x = 0; blockIdx.x < width; blockIdx.x++) name(out, width, height, scale); }
"""


def _distance(q: tuple[Any, Any, Any]) -> Any:
    x, y, z = q
    u, w = x - 3 * im.floor(x / 3 + 0.5), z - 3 * im.floor(z / 3 + 0.5)
    return im.min(im.sqrt(u * u + (y - 0.9) ** 2 + w * w) - 0.9, y)


@pl.image
def _spheres(p: Any) -> Any:
    size = 1 / im.sqrt(p.x * p.x + (p.y - 0.35) ** 2 + 2.56)
    ray = (p.x * size, (p.y - 0.35) * size, 1.6 * size)

    def at(t: Any) -> tuple[Any, Any, Any]:
        return 1.1 + ray[0] * t, 2.3 + ray[1] * t, -6.0 + ray[2] * t

    def step(state: Any) -> tuple[Any, Any]:
        t = state[0] + state[1]
        return t, _distance(at(t))

    start = (0.02, _distance(at(0.02)))
    t = pl.iterate(step, start, until=lambda s: (s[1] < 0.002) | (s[0] > 40), limit=90)[0]
    x, y, z = at(t)
    d = _distance((x, y, z))
    normal = [_distance(q) - d for q in ((x + 0.004, y, z), (x, y + 0.004, z), (x, y, z + 0.004))]
    size = 1 / im.sqrt(normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2)
    sun = (normal[0] * SUN[0] + normal[1] * SUN[1] + normal[2] * SUN[2]) * size
    lit = 0.28 + 0.7 * im.max(sun, 0)
    return im.gray_level(im.clamp(pl.where(t > 40, 0.4 + 0.5 * ray[1], lit), 0, 1))


_NOISE = im.fbm(im.value_noise(), 5)


@pl.image
def _warped(p: Any) -> Any:
    across, up = _NOISE(pl.Point(p.x + 5.2, p.y + 1.3)), _NOISE(pl.Point(p.x + 1.7, p.y + 9.2))
    level = 0.5 + 0.5 * _NOISE(pl.Point(p.x + 2 * across, p.y + 2 * up))
    return im.gray_level(im.clamp(level, 0, 1))


PICTURES: dict[str, tuple[Any, Callable[[int], float]]] = {
    "swirl": (im.swirl(100, im.checkerboard(10, im.black, im.white)), lambda side: 1.0),
    "layers": (picture(layers()), lambda side: 1.0),
    "spheres": (_spheres, lambda side: 2.2 / side),
    "warped": (_warped, lambda side: 8.0 / side),
}
"""Each picture, and the units that a pixel is wide in a frame of so many."""


def differing(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> float:
    """The part of the pixels of two frames that are apart by more than 1/255."""
    return float((np.abs(one.astype(int) - other.astype(int)) > 1).any(axis=2).mean())


def checked_on_processor(folder: Path, side: int = 256) -> None:
    """Compile the kernels by hand for the processor, and compare what they draw; raises where a picture is another."""
    source = folder / "pictures.cpp"
    launches = "".join(f"LAUNCH({name})\n" for name in PICTURES)
    source.write_text(ON_PROCESSOR + REFERENCE.read_text() + LAUNCHES + launches)
    library = folder / "pictures.so"
    command = ["c++", "-O2", "-fPIC", "-shared", "-Wno-unknown-pragmas", str(source), "-o", str(library)]
    subprocess.run(command, check=True)
    loaded = ctypes.CDLL(str(library))
    for name, (made, scale) in PICTURES.items():
        out = np.zeros((side, side, 4), np.uint8)
        function = getattr(loaded, f"on_processor_{name}")
        function(ctypes.c_void_p(out.ctypes.data), side, side, ctypes.c_float(scale(side)))
        apart = differing(out, pl.render(made, side, zoom=1 / scale(side), backend="llvm"))
        print(f"{name}: by hand on the processor, {100 * apart:.3f} % of the pixels differ")
        if apart > 0.01:
            raise SystemExit(f"{name} by hand is another picture")
