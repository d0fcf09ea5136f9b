"""Memory that callers give: bytes to read, and arrays to write, checked before anything touches them.

What is given must be of the type that is meant: the bytes of numbers, or the pointers of objects, are never taken for
samples. Ground floor of the house; every error names the parameter, what was given and what is wanted.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from .errors import InputError, brief

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
_BYTE = np.dtype(np.uint8)
_FORMATS = ("B", "b", "c", "<B", "@B", "=B")
"""The formats of buffers whose elements are bytes."""


def bytes_in(data: object, place: str) -> Bytes:
    """The bytes of an array of uint8, or of what holds bytes: read where they are, one after another.

    Raises InputError that names `place` for anything else, for elements of another type, and for gaps between them.

    >>> bytes_in(b"abc", "data")
    array([97, 98, 99], dtype=uint8)
    >>> bytes_in(np.zeros(4), "data")
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: data: its elements are float64; give bytes or a contiguous array of uint8 ...
    """
    if isinstance(data, np.ndarray):
        array = cast("np.ndarray[Any, Any]", data)
        if array.dtype != _BYTE:
            raise _no_bytes(f"its elements are {array.dtype}", place)
        if not array.flags.c_contiguous:
            raise _no_bytes(f"its strides are {array.strides} for a shape of {array.shape}", place)
        return array.reshape(-1)
    try:
        with memoryview(data) as view:  # pyright: ignore[reportArgumentType] - what holds no bytes raises
            kind, contiguous = view.format, view.c_contiguous
    except (TypeError, ValueError, BufferError):
        raise _no_bytes(f"{brief(data)} holds no bytes", place) from None
    if kind not in _FORMATS:
        raise _no_bytes(f"its elements are {kind!r}, not bytes", place)
    if not contiguous:
        raise _no_bytes("its bytes are not beside each other", place)
    return np.frombuffer(data, np.uint8)  # pyright: ignore[reportCallIssue, reportArgumentType, reportUnknownVariableType]


def _no_bytes(problem: str, place: str) -> InputError:
    fix = "give bytes or a contiguous array of uint8 (of other elements, what array.view('uint8') says they are)"
    return InputError(problem, place=place, fix=fix)


def bytes_for(out: object, count: int, place: str = "out") -> Bytes:
    """`out`, if so many bytes can be written to it as they are.

    Raises InputError that names `place` for anything but a writable, contiguous array of so many bytes.

    >>> bytes_for(np.zeros(4, np.uint8), 3)
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: out: its shape is (4,); give a writable, contiguous array of 3 bytes, such as ...
    """
    array = cast("np.ndarray[Any, Any]", out)
    if not isinstance(out, np.ndarray):
        problem = f"{brief(out)} is not an array"
    elif array.dtype != _BYTE:
        problem = f"its elements are {array.dtype}"
    elif array.shape != (count,):
        problem = f"its shape is {array.shape}"
    elif not array.flags.c_contiguous:
        problem = "it is not contiguous"
    elif not array.flags.writeable:
        problem = "it is read-only"
    else:
        return array
    fix = f"give a writable, contiguous array of {count} bytes, such as numpy.zeros({count}, 'uint8')"
    raise InputError(problem, place=place, fix=fix)


def check_apart(out: Bytes, data: Bytes, name: str) -> None:
    """Check that no byte of `out` is one of the data, which the parameter `name` gave.

    Raises InputError if one is. Both are contiguous.

    >>> both = np.zeros(8, np.uint8)
    >>> check_apart(both[:4], both[4:], "data")
    """
    if np.may_share_memory(out, data):
        problem = f"its memory and that of {name} overlap"
        raise InputError(problem, place="out", fix="pass a copy of one of them")
