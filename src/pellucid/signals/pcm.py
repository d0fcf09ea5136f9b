"""Levels and the samples of a format: pulse code, read and written at the bits where its layout has them.

A level is a real number, of which -1 to 1 is what integers can hold: silence is 0, or the middle of what has no sign.
Between the layouts of `pixels` and the signals; the same functions run staged and unstaged.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np

from ..base.errors import InputError, brief
from ..pixels import Channel, Layout, sound
from ..staging import Memory, choose, load_sample, signed, store_sample, to_integer
from ..staging.real import bits_of, call, of_bits

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
_WORDS = {8: np.uint8, 16: np.uint16, 32: np.uint32}


def pcm(format: str, channels: int, *, planar: bool = False) -> Layout:
    """The layout of so many channels of sound in a format, by turns or one after another.

    Raises InputError for a format of which a sample does not fill whole bytes, or that is no sound.

    >>> pcm("pcm_s24le", 2).text
    'FL:s24 FR:s24'
    """
    layout = sound(format, channels, planar=planar)
    if any(plane.pixels != 1 for plane in layout.planes):
        raise InputError(f"samples of {format} do not fill whole bytes", place="format", fix="use pcm_s16le")
    if any(c.kind == "f" and c.bits not in (32, 64) for c in layout.channels):
        raise InputError(f"{format} has floats of another size", place="format", fix="use pcm_f32le")
    return layout


def as_bytes(given: Any, place: str) -> Bytes:
    """The bytes of a bytes-like object or of an array of numbers, which may have gaps; they are read, not changed.

    Raises InputError for anything else.

    >>> as_bytes(np.arange(6, dtype=np.uint8)[::2], "input")
    array([0, 2, 4], dtype=uint8)
    """
    if isinstance(given, np.ndarray):
        data = cast("np.ndarray[Any, Any]", given)
        if data.dtype.kind not in "iufb" or data.ndim == 0:
            raise InputError(
                f"is an array of {data.dtype}", place=place, fix="give bytes, or an array of samples"
            )
        return np.ascontiguousarray(data).view(np.uint8).reshape(-1)
    try:
        return np.frombuffer(given, np.uint8)
    except (TypeError, ValueError, BufferError):
        raise InputError(
            f"{brief(given)} is not bytes", place=place, fix="give bytes, or an array of samples"
        ) from None


def word_of(layout: Layout, plane: int) -> int:
    """The size of the words in which a plane is read and written: a frame takes whole ones."""
    return next(w for w in (32, 16, 8) if layout.planes[plane].bits % w == 0)


def frame_bytes(layout: Layout) -> int:
    """The bytes of one frame: a sample of each channel."""
    return sum(plane.bits for plane in layout.planes) // 8


def memories(layout: Layout, name: str, data: Sequence[Bytes] | None = None) -> tuple[Memory, ...]:
    """A memory for each plane, on the bytes of each if they are given."""
    words = [None] * len(layout.planes) if data is None else views(layout, data)
    return tuple(Memory(f"{name}{k}", word_of(layout, k), own) for k, own in enumerate(words))


def split(layout: Layout, data: Bytes, frames: int) -> list[Bytes]:
    """The bytes of each plane by themselves, where planes follow one another: parts of the same array."""
    ends = [0, *itertools.accumulate(frames * p.bits // 8 for p in layout.planes)]
    return [data[a:b] for a, b in itertools.pairwise(ends)]


def views(layout: Layout, data: Sequence[Bytes]) -> list[np.ndarray[Any, Any]]:
    """The bytes of each plane as words."""
    return [plane.view(_WORDS[word_of(layout, k)]) for k, plane in enumerate(data)]


def read(layout: Layout, channel: Channel, planes: Sequence[Memory], frame: Any) -> Any:
    """The level of a channel in a frame.

    >>> layout = pcm("pcm_s16be", 2)
    >>> planes = memories(layout, "sound", [np.array([0x40, 0, 0xE0, 0], np.uint8)])
    >>> [read(layout, c, planes, 0) for c in layout.channels]
    [0.5, -0.25]
    """
    start = frame * layout.planes[channel.plane].bits
    bits: Any = 0
    for low, width, at in _pieces(channel):
        bits = bits + (load_sample(planes[channel.plane], start + at, width) << low)
    if channel.kind == "f":
        return of_bits(signed(bits, 64) if channel.bits == 64 else bits, channel.bits)
    half = 1 << (channel.bits - 1)
    number = signed(bits, channel.bits) if channel.kind == "s" else bits - half
    return number * (1.0 / half)


def write(layout: Layout, channel: Channel, planes: Sequence[Memory], frame: Any, level: Any) -> None:
    """Store a level as the sample of a channel in a frame: the nearest one, saturated; what is no number is silence.

    >>> layout, out = pcm("pcm_u8", 1), np.zeros(3, np.uint8)
    >>> planes = memories(layout, "sound", [out])
    >>> for frame, level in enumerate([0.0, 2.0, float("nan")]):
    ...     write(layout, layout.channels[0], planes, frame, level)
    >>> out
    array([128, 255, 128], dtype=uint8)
    """
    start = frame * layout.planes[channel.plane].bits
    bits = bits_of(level, channel.bits) if channel.kind == "f" else _nearest(channel, level)
    for low, width, at in _pieces(channel):
        store_sample(planes[channel.plane], start + at, width, (bits >> low) & ((1 << width) - 1))


def _nearest(channel: Channel, level: Any) -> Any:
    level = level * 1.0
    level = choose(level == level, lambda: level, lambda: 0.0)  # noqa: PLR0124 - only what is no number differs
    half = 1 << (channel.bits - 1)
    inside = call("min", call("max", call("floor", level * half + 0.5), float(-half)), float(half - 1))
    number = to_integer(inside)
    return number if channel.kind == "s" else number + half


def _pieces(channel: Channel) -> Iterator[tuple[int, int, int]]:
    """The runs of a sample in pieces of at most 32 bits: from which bit on, how many, from which of the frame on."""
    for run in channel.places[0]:
        for done in range(0, run.width, 32):
            yield run.low + done, min(run.width - done, 32), run.start + done
