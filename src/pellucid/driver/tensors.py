"""Tensors of other libraries as memory for pixels: what torch, CuPy, JAX and NumPy hand on by DLPack.

Under `kernel`. A tensor is looked at and not taken over: it has to live while a frame is drawn into it. Form of the
structures: DLPack's header, version 0.8 and older, which every library still speaks.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from ..base.errors import InputError, brief

_CPU, _CUDA, _PINNED = 1, 2, 3
_UNSIGNED = 1


@runtime_checkable
class Tensor(Protocol):
    """Anything that speaks DLPack."""

    def __dlpack__(self, *, stream: int | None = None) -> Any:
        """The tensor in a capsule, ready for work on a stream."""
        ...

    def __dlpack_device__(self) -> tuple[int, int]:
        """The kind of device, and its number."""
        ...


class TensorMemory(NamedTuple):
    """The memory of a tensor: its address, whether that is on a GPU, and what keeps it."""

    address: int
    on_gpu: bool
    holder: object


class _Described(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device", ctypes.c_int32),
        ("axes", ctypes.c_int32),
        ("kind", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    )


_POINTER = ctypes.pythonapi.PyCapsule_GetPointer
_POINTER.restype, _POINTER.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)


def stream_of(stream: object) -> int:
    """The driver's own number of a stream: 0 for None, which is the default stream.

    Takes numbers, and streams of torch and CuPy. Raises InputError for anything else.

    >>> stream_of(None), stream_of(7)
    (0, 7)
    """
    found = getattr(stream, "cuda_stream", getattr(stream, "ptr", stream))
    if found is None:
        return 0
    if not isinstance(found, int) or isinstance(found, bool) or found < 0:
        raise InputError(
            f"{brief(stream)} is no stream",
            place="stream",
            fix="give one of torch or CuPy, its number, or None",
        )
    return found


def memory_of(tensor: Tensor, shape: tuple[int, int, int], stream: int = 0) -> TensorMemory:
    """The memory of a tensor of bytes of a shape, rows without gaps, on the CPU or the first GPU.

    Raises InputError for a tensor of another type, shape, layout or device.
    """
    kind, number = map(int, tensor.__dlpack_device__())
    fix = f"give one of uint8 and shape {shape} on the CPU or the first GPU"
    if kind not in (_CPU, _CUDA, _PINNED) or (kind == _CUDA and number):
        where = f"GPU {number}" if kind == _CUDA else f"a device of kind {kind}"
        raise InputError(f"it is on {where}", place="out", fix=fix)
    on_gpu = kind == _CUDA
    # The default stream has the number 1 there.
    capsule = tensor.__dlpack__(stream=stream or 1) if on_gpu else tensor.__dlpack__()
    found = _Described.from_address(_POINTER(capsule, b"dltensor"))
    problem = None
    if (found.kind, found.bits, found.lanes) != (_UNSIGNED, 8, 1):
        problem = "its elements are not uint8"
    elif (given := tuple(found.shape[: found.axes])) != shape:
        problem = f"its shape is {given}"
    elif found.strides and tuple(found.strides[:3]) != (4 * shape[1], 4, 1):
        problem = "it is not contiguous"
    elif (address := (found.data or 0) + found.offset) % 4:
        problem = "it does not begin at a multiple of 4 bytes"
    else:
        return TensorMemory(address, on_gpu, capsule)
    raise InputError(problem, place="out", fix=fix)


def array_at(memory: TensorMemory, shape: tuple[int, int, int]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The memory of a tensor on the CPU as an array, as long as the tensor is there."""
    room = (ctypes.c_uint8 * (shape[0] * shape[1] * shape[2])).from_address(memory.address)
    return np.frombuffer(memoryview(room), np.uint8).reshape(shape)
