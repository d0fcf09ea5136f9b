"""Tensors of other libraries take pixels where they are, on the CPU and on a GPU; what does not fit is refused."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from tests.backends.conftest import needs_compiler

# The fixtures of the driver without a GPU.
from tests.backends.test_cuda import gpu, library  # noqa: F401

import pellucid as pl
from pellucid import images as im
from pellucid.backends.cuda.driver import DeviceBlock, driver
from pellucid.base.errors import InputError
from pellucid.driver.tensors import _Described

SWIRL = im.swirl(100, im.checkerboard(10, im.black, im.white))
SIZE, SHAPE = (30, 20), (20, 30, 4)
MAKE = ctypes.pythonapi.PyCapsule_New
MAKE.restype, MAKE.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


class OfNumPy:
    """An array that is none: all that it offers is DLPack."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, *, stream: int | None = None) -> Any:
        assert stream is None
        return self.array.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


@dataclass
class OnGpu:
    """A tensor on the GPU of the driver without one."""

    shape: tuple[int, ...] = SHAPE
    strides: tuple[int, ...] | None = None
    kind: int = 1
    bits: int = 8
    device: tuple[int, int] = (2, 0)
    streams: list[int | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.memory = DeviceBlock(driver(), int(np.prod(self.shape)) + 4)
        sizes = ctypes.c_int64 * len(self.shape)
        self.numbers = sizes(*self.shape), sizes(*(self.strides or self.shape))
        pointers = [ctypes.cast(n, ctypes.POINTER(ctypes.c_int64)) for n in self.numbers]
        strides = pointers[1] if self.strides else None
        self.described = _Described(
            self.memory.address,
            *self.device,
            len(self.shape),
            self.kind,
            self.bits,
            1,
            pointers[0],
            strides,
            4,
        )

    def __dlpack__(self, *, stream: int | None = None) -> Any:
        self.streams.append(stream)
        return MAKE(ctypes.addressof(self.described), b"dltensor", None)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def array(self) -> np.ndarray:
        found = np.zeros(self.shape, np.uint8)
        with driver().current():
            driver().download(found.ctypes.data, self.memory.address + 4, found.nbytes)
        return found


RIGHT = pl.render(SWIRL, SIZE, backend="llvm")


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_a_tensor_on_the_cpu_takes_the_pixels(backend):
    array = np.zeros(SHAPE, np.uint8)
    tensor = OfNumPy(array)
    assert pl.compile(SWIRL, backend=backend).render(SIZE, out=tensor) is tensor
    assert (array == RIGHT).all()


@needs_compiler
@pytest.mark.parametrize(("stream", "told"), [(None, 1), (7, 7)])
def test_a_tensor_on_a_gpu_takes_the_pixels_there(gpu, stream, told):  # noqa: F811
    kernel = pl.compile(SWIRL, backend="cuda")
    tensor = OnGpu(strides=(120, 4, 1))
    assert kernel.render(SIZE, out=tensor, stream=stream) is tensor
    assert (tensor.array() == RIGHT).all()
    assert tensor.streams == [told]


@needs_compiler
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"kind": 2, "bits": 32},
            r"out: its elements are not uint8; give one of uint8 and shape \(20, 30, 4\) on",
        ),
        ({"shape": (30, 20, 4)}, r"out: its shape is \(30, 20, 4\); give one of uint8"),
        ({"shape": (20, 30)}, r"out: its shape is \(20, 30\); give one of uint8"),
        ({"strides": (1, 20, 600)}, r"out: it is not contiguous; give one of uint8"),
        ({"device": (2, 1)}, r"out: it is on GPU 1; give one of uint8"),
        ({"device": (10, 0)}, r"out: it is on a device of kind 10; give one of uint8"),
    ],
)
def test_a_tensor_that_does_not_fit_is_refused(gpu, changes, message):  # noqa: F811
    with pytest.raises(InputError, match=message):
        pl.compile(SWIRL, backend="cuda").render(SIZE, out=OnGpu(**changes))


@needs_compiler
def test_a_gpu_is_refused_to_what_draws_by_the_cpu(gpu):  # noqa: F811
    with pytest.raises(InputError, match=r"out: it is on a GPU, and 'llvm' is drawn by the CPU; compile"):
        pl.compile(SWIRL, backend="llvm").render(SIZE, out=OnGpu())
    with pytest.raises(
        InputError, match=r"out: it is on a GPU, and pixels that may be off by a little are drawn by"
    ):
        pl.compile(SWIRL, backend="cuda").render(SIZE, out=OnGpu(), tolerance=0.1)


@pytest.mark.parametrize("stream", ["fast", -1, True, 2.5])
def test_what_is_no_stream_is_refused(stream):
    with pytest.raises(
        InputError, match=r"stream: .* is no stream; give one of torch or CuPy, its number, or None"
    ):
        pl.compile(SWIRL).render(SIZE, stream=stream)
