"""Frames in arrays: the bytes of a packed format, or floats of NumPy, of shape (frames, channels).

Between `pcm`, which knows where the bits of a sample are, and players and live recordings, which are given arrays.
"""

from __future__ import annotations

import sys
from functools import cached_property
from typing import Any, cast

import numpy as np

from ..base.errors import InputError, brief
from ..base.record import record
from ..pixels import Layout
from ..staging import Memory
from . import pcm

Array = np.ndarray[Any, Any]
FLOATS = {"float32": "pcm_f32", "float64": "pcm_f64"}
"""The formats that are arrays of floats, by their names in NumPy, and the samples that they hold."""
_ORDER = "le" if sys.byteorder == "little" else "be"


@record(slots=False)
class FrameFormat:
    """What an array of frames is like: its `layout`, and the type of its elements, or None for bytes."""

    layout: Layout
    dtype: np.dtype[Any] | None
    planar: bool

    @cached_property
    def frame_bytes(self) -> int:
        """The bytes of a frame."""
        return pcm.frame_bytes(self.layout)

    @property
    def channels(self) -> int:
        """The number of channels."""
        return len(self.layout.channels)

    def shape(self, frames: int) -> tuple[int, ...]:
        """The shape of an array of so many frames: bytes in a row, floats as (frames, channels), or turned if planar.

        >>> frame_format("pcm_s16le", 2).shape(4), frame_format("float32", 2).shape(4)
        ((16,), (4, 2))
        """
        if self.dtype is None:
            return (frames * self.frame_bytes,)
        return (self.channels, frames) if self.planar else (frames, self.channels)

    def zeros(self, frames: int) -> Array:
        """An array of so many frames."""
        return np.zeros(self.shape(frames), self.dtype or np.uint8)

    def check_output(self, out: Any, frames: int) -> None:
        """Refuse an array that so many frames cannot be written to, by InputError."""
        dtype = self.dtype or np.dtype(np.uint8)
        if (
            not isinstance(out, np.ndarray)
            or cast("Array", out).dtype != dtype
            or cast("Array", out).shape != self.shape(frames)
            or not (out.flags.c_contiguous and out.flags.writeable)
        ):
            size = self.shape(frames)
            what = f"array of {size[0]} bytes" if self.dtype is None else f"{dtype} array of shape {size}"
            shown = size[0] if len(size) == 1 else size
            raise InputError(
                f"is not a writable {what}", place="out", fix=f"give numpy.zeros({shown}, '{dtype}')"
            )

    def as_input(self, given: Any, place: str) -> Array:
        """What was given as a contiguous array of whole frames: bytes, or floats of two dimensions.

        One channel may be given as floats of one dimension, and floats of another size are converted. Raises
        InputError for anything else.
        """
        if self.dtype is None:
            data = pcm.as_bytes(given, place)
            if data.size % self.frame_bytes:
                raise InputError(
                    f"{data.size} bytes are no whole number of frames of {self.frame_bytes}",
                    place=place,
                    fix="give whole frames",
                )
            return data
        try:
            data = np.asarray(given)
        except ValueError:
            # A list of lists of different lengths.
            data = np.asarray(given, object)
        if data.ndim == 1 and self.channels == 1:
            data = data.reshape(self.shape(len(data)))
        if data.dtype.kind != "f" or data.ndim != 2 or data.shape[0 if self.planar else 1] != self.channels:
            names = "channels, frames" if self.planar else "frames, channels"
            what = f"an array of {data.dtype} and shape {data.shape}" if data.ndim else brief(given)
            raise InputError(
                f"{what} is not floats of shape ({names}) with {self.channels} channels",
                place=place,
                fix=f"give numpy.zeros({self.shape(128)}, '{self.dtype}')",
            )
        return np.ascontiguousarray(data, self.dtype)

    def frames_of(self, data: Array) -> int:
        """The number of frames in an array that `as_input` gave."""
        if self.dtype is None:
            return data.size // self.frame_bytes
        return data.shape[1 if self.planar else 0]

    def check_frames(self, data: Array, frames: int, place: str) -> None:
        """Refuse an array that `as_input` gave, by InputError, if it has another number of frames."""
        if self.frames_of(data) != frames:
            shown = (
                f"{data.size} bytes are not {frames} frames of {self.frame_bytes}"
                if self.dtype is None
                else f"an array of shape {data.shape} is not {frames} frames"
            )
            raise InputError(shown, place=place, fix="give as many frames as are played")

    def words(self, data: Array, frames: int) -> list[Array]:
        """The words of each plane of a contiguous array: parts of the same memory."""
        planes = self.layout.planes
        if len(planes) == 1:
            return pcm.views(self.layout, [data.reshape(-1)])
        return pcm.views(self.layout, pcm.split(self.layout, data.reshape(-1).view(np.uint8), frames))

    def memories(self, name: str) -> tuple[Memory, ...]:
        """A memory for each plane."""
        return pcm.memories(self.layout, name)


def frame_format(format: str, channels: int, *, planar: bool = False) -> FrameFormat:
    """What arrays of frames are like in a format: one of those of sound, or float32 or float64, which NumPy has.

    Raises InputError for a format that is none.

    >>> frame_format("float64", 2).zeros(3).shape
    (3, 2)
    """
    floats = FLOATS.get(format)
    layout = pcm.pcm(floats + _ORDER if floats else format, channels, planar=planar)
    return FrameFormat(layout, np.dtype(format) if floats else None, planar)
