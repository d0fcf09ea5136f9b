"""Code is linked where memory is scattered: the parts of one object are never further apart than an address reaches."""

import os
import subprocess
import sys

from tests.systems import linux

PROGRAM = """
import ctypes
import pellucid as pl
from pellucid import images as im
from pellucid.backends.jit import engine

PAGE, FAR = 4096, 3 << 30
system = ctypes.CDLL(None)
system.mmap.restype = ctypes.c_void_p
system.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
system.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


def reserve(size):  # addresses without memory behind them
    return system.mmap(None, size, 0, 0x4022, -1, 0)


def scatter():
    top = reserve(512 * PAGE)
    reserve(FAR)
    size = 64 << 20
    while size >= 2 * PAGE:
        found = reserve(size)
        if found < top - FAR:
            system.munmap(found, size)
            size //= 4
    for k in range(0, 500, 10):
        system.munmap(top + k * PAGE, PAGE)


link = engine.Machine.link
engine.Machine.link = lambda self, *rest: scatter() or link(self, *rest)
picture = sum((im.fbm(im.perlin_noise(seed=k), 5) for k in range(1, 5)), im.fbm(im.perlin_noise(seed=0), 5))
drawn = pl.render(picture, size=(24, 16), zoom=5.0, precision="f64", numerics="exact")
expected = pl.render(picture, size=(24, 16), zoom=5.0, precision="f64", numerics="exact", backend="numpy")
assert (drawn == expected).all()
print("drawn")
"""


@linux
def test_parts_of_an_object_stay_together():
    environment = {**os.environ, "PELLUCID_CACHE": "off"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout == "drawn\n", done.stderr[-500:]
