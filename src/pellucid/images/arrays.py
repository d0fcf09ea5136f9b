"""NumPy arrays as rasters: whatever their strides, their elements are addressed where they are.

Used by `bitmap`, for arrays that it is given and for those that decoded files leave behind.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..base.errors import InputError, brief
from ..base.memory import available_memory, readable_bytes
from ..ir.expr import Buffer
from .array2 import Raster
from .texel import element_of, layout_named

Array = np.ndarray[Any, Any]

ALPHAS = ("opaque", "straight", "premultiplied")
"""The meanings of a fourth channel."""

_LAYOUTS = {
    ("u1", 1): "gray8",
    ("u1", 2): "ya8",
    ("u1", 3): "rgb24",
    ("u1", 4): "rgba",
    ("u2", 1): "gray16",
    ("u2", 3): "rgb48",
    ("u2", 4): "rgba64",
    ("f4", 1): "grayf32",
    ("f4", 3): "rgbf32",
    ("f4", 4): "rgbaf32",
}


def raster_of(array: Any, alpha: str, name: str) -> Raster:
    """The raster of an array of shape (height, width) or (height, width, channels), of bytes, 16-bit numbers or floats.

    Read in place if the channels of a pixel lie side by side, else copied. Raises InputError for another shape or type.

    >>> raster_of(np.zeros((4, 3, 4), np.uint8)[::2], "straight", "half").row
    6
    """
    if np.ma.is_masked(array):
        fix = "give array.filled(value), or channels with alpha, which is 0 where nothing is to be seen"
        raise InputError("the mask of an array is not a part of a picture", place="bitmap", fix=fix)
    try:
        given = np.asarray(array)
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(
            f"{brief(array)} is no array ({error})", place="bitmap", fix="give rows of one length, of numbers"
        ) from None
    if given.dtype == np.bool_:
        _check_copy(given, 1)
        given = given.view(np.uint8) * np.uint8(255)
    elif given.dtype == np.float64:
        _check_copy(given, 4)
        # What is too large for the narrower type is infinite in it.
        with np.errstate(over="ignore"):
            given = given.astype(np.float32)
    elif not given.dtype.isnative:
        _check_copy(given, given.itemsize)
        given = given.astype(given.dtype.newbyteorder("="))
    depth = 1 if given.ndim == 2 else given.shape[2] if given.ndim == 3 else 0
    layout = _LAYOUTS.get((given.dtype.str[1:], depth))
    if given.size == 0 or layout is None:
        raise InputError(
            f"an array of shape {given.shape} of {given.dtype} is no picture",
            place="bitmap",
            fix="give (height, width), (height, width, 3) or (height, width, 4) of uint8, uint16 or float32",
        )
    unit = element_of(layout_named(layout)).bits // 8
    side_by_side = depth == 1 or given.strides[2] == given.itemsize
    if not side_by_side or not given.flags.aligned or any(s % unit for s in given.strides[:2]):
        _check_copy(given, given.itemsize)
        given = given.copy()
    if alpha == "opaque" and layout == "rgba":
        layout = "rgbx"
    elif alpha == "opaque" and "A" in layout_named(layout).names:
        raise InputError(
            f"the alpha of {given.dtype} cannot be passed over", place="bitmap", fix="give array[..., :3]"
        )
    return in_place_raster(given, layout, name, premultiplied=alpha == "premultiplied")


def _check_copy(given: Array, itemsize: int) -> None:
    """Check that there is memory for a copy of an array, whose rows may all be the same one.

    Raises InputError if there is less.
    """
    needed, available = given.size * itemsize, available_memory()
    if available is not None and needed > available:
        raise InputError(
            f"a copy of an array of shape {given.shape} and {given.dtype} takes {readable_bytes(needed)}, and"
            f" {readable_bytes(available)} are available",
            place="bitmap",
            fix="give uint8, uint16 or float32 with the channels of a pixel side by side, which is read in place",
        )


def in_place_raster(pixels: Array, layout: str, name: str, **how: Any) -> Raster:
    """The raster of an array, with rows and columns first, whose strides are whole elements of the layout.

    Raises InputError for pixels that have fewer bytes than those of the layout.
    """
    chosen = layout_named(layout)
    element, step = element_of(chosen), chosen.planes[0].bits // chosen.planes[0].pixels // 8
    have = math.prod(pixels.shape[2:]) * pixels.itemsize
    if have < step:
        raise InputError(f"has {have} bytes to a pixel, where {layout} has {step}", place=name)
    unit = element.bits // 8
    (rows, columns), (down, right) = pixels.shape[:2], pixels.strides[:2]
    # A flat view from the lowest address on; what lies between the rows belongs to the same memory.
    start = pixels[:: -1 if down < 0 else 1, :: -1 if right < 0 else 1]
    length = ((rows - 1) * abs(down) + (columns - 1) * abs(right)) // unit + step // unit
    size = pixels.itemsize
    raw = np.lib.stride_tricks.as_strided(start, (length * unit // size,), (size,), writeable=False)
    origin = sum((n - 1) * -s for n, s in ((rows, down), (columns, right)) if s < 0) // unit
    return Raster(
        columns,
        rows,
        chosen,
        Buffer(name, element, length, raw.view(element.dtype)),
        origin=origin,
        column=right // unit,
        row=down // unit,
        **how,
    )
