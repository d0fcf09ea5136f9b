"""What reading and writing samples means: every layout bit by bit in NumPy, the measure of the compiled readers.

Not fast, and not meant to be; `pellucid.pixels` converts by compiled code that agrees with this bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..base.arrays import bytes_in
from ..base.errors import InputError, brief
from .layout import MAX_BYTES, Channel, Layout

Array = np.ndarray[Any, Any]


def sample_dtype(channel: Channel) -> np.dtype[Any]:
    """The smallest type of NumPy that holds the samples of a channel.

    >>> sample_dtype(Layout("S:s24")["S"])
    dtype('int32')
    """
    width = next(w for w in (8, 16, 32, 64) if w >= channel.bits)
    return np.dtype({"u": "u", "s": "i", "f": "f"}[channel.kind] + str(width // 8))


def unpack(data: Any, layout: Layout, width: int, height: int = 1) -> dict[str, Array]:
    """The samples of each channel as an array of rows and columns.

    Raises InputError if the size is none, or the bytes are too few or no bytes.

    >>> unpack(bytes([0x21, 0x43, 0x65]), Layout("Y:12"), 2)["Y"]
    array([[ 801, 1620]], dtype=uint16)
    """
    bits = np.unpackbits(_enough(data, layout, width, height, "data"), bitorder="little")
    width, height = int(width), int(height)
    found: dict[str, Array] = {}
    for channel in layout.channels:
        rows, columns = channel.shape(width, height)
        where = _addresses(layout, channel, width, height)[..., : channel.bits]
        words = np.zeros((rows, columns), np.uint64)
        for k in range(channel.bits):
            words |= bits[where[:, :columns, k]].astype(np.uint64) << np.uint64(k)
        found[channel.name] = _from_words(words, channel)
    return found


def pack(
    samples: Mapping[str, Any], layout: Layout, width: int, height: int = 1, onto: bytes | None = None
) -> bytes:
    """The bytes of the samples of each channel; unused bits are those of `onto`, or zero.

    Numbers that do not fit are saturated, those that are no integers are rounded to even first; what is no number is
    zero. Raises InputError if the size is none, samples are missing or of another shape, or `onto` is too short.

    >>> pack({"Y": [[801, 9000]]}, Layout("Y:12"), 2).hex()
    '21f3ff'
    """
    base = bytes(_size(layout, width, height)) if onto is None else onto
    bits = np.unpackbits(_enough(base, layout, width, height, "onto"), bitorder="little")
    width, height = int(width), int(height)
    for channel in layout.channels:
        rows, columns = channel.shape(width, height)
        words = _to_words(_samples(samples, channel, (rows, columns)), channel)
        where = _addresses(layout, channel, width, height)
        for k in range(channel.bits):
            bits[where[:, :columns, k]] = (words >> np.uint64(k)).astype(np.uint8) & 1
    return np.packbits(bits, bitorder="little").tobytes()


def _enough(data: Any, layout: Layout, width: int, height: int, place: str) -> Array:
    """The bytes that a picture of that size takes, and no more."""
    size = _size(layout, width, height)
    given = bytes_in(data, place)
    if len(given) < size:
        raise InputError(
            f"{width} x {height} in {layout} take {size} bytes, and there are {len(given)}",
            place=place,
            fix="check the size, or give all bytes",
        )
    return given[:size]


def _size(layout: Layout, width: int, height: int) -> int:
    """The bytes that a picture of that size takes, if each of them has an address."""
    if not isinstance(layout, Layout):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may err
        raise InputError(
            f"{brief(layout)} is no layout", place="layout", fix="give pellucid.pixels.Layout(...)"
        )
    size = layout.size(width, height)
    if size > MAX_BYTES:
        fix = "give the size of a picture that fits in memory"
        raise InputError(f"{size} bytes are more than {MAX_BYTES}", place="size", fix=fix)
    return size


def _samples(samples: Mapping[str, Any], channel: Channel, shape: tuple[int, int]) -> Array:
    """The given samples of a channel, as rows and columns."""
    if not isinstance(samples, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may err
        fix = "give numbers by the names of channels, such as {'Y': 0}"
        raise InputError(f"{brief(samples)} is no mapping", place="samples", fix=fix)
    if channel.name not in samples:
        fix = f"give some for each channel, such as {channel.name}=0"
        raise InputError(f"there are no samples of {channel.name}", place="pack", fix=fix)
    try:
        given = np.asarray(samples[channel.name])
    except (ValueError, TypeError, OverflowError):
        given = np.array(None)
    if given.dtype.kind not in "biuf":
        raise InputError(
            f"the samples of {channel.name} are no numbers", place="pack", fix="give real numbers"
        )
    try:
        return np.broadcast_to(given, shape)
    except ValueError:
        have, want = (" x ".join(map(str, s)) for s in (given.shape, shape))
        raise InputError(
            f"the samples of {channel.name} are {have}, and not {want}",
            place="pack",
            fix="give rows and columns",
        ) from None


def _addresses(layout: Layout, channel: Channel, width: int, height: int) -> Array:
    """The bit address of every bit of every sample: rows, columns, bits."""
    plane = layout.planes[channel.plane]
    start = 8 * layout.offsets(width, height)[channel.plane]
    rows, _ = channel.shape(width, height)
    groups = plane.groups(width)
    row = start + 8 * plane.row_bytes(width) * np.arange(rows)[:, None, None, None]
    group = plane.bits * np.arange(groups)[None, :, None, None]
    bit = np.zeros((len(channel.places), channel.bits), np.int64)
    for k, runs in enumerate(channel.places):
        for run in runs:
            bit[k, run.low : run.low + run.width] = run.start + np.arange(run.width)
    return (row + group + bit).reshape(rows, groups * len(channel.places), channel.bits)


def _from_words(words: Array, channel: Channel) -> Array:
    dtype = sample_dtype(channel)
    if channel.kind == "f":
        return words.astype(f"u{dtype.itemsize}").view(dtype)
    if channel.kind == "s":
        spare = np.uint64(64 - channel.bits)
        return ((words << spare).view(np.int64) >> spare.astype(np.int64)).astype(dtype)
    return words.astype(dtype)


def _to_words(values: Array, channel: Channel) -> Array:
    dtype = sample_dtype(channel)
    if channel.kind == "f":
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(values.astype(dtype)).view(f"u{dtype.itemsize}").astype(np.uint64)
    if values.dtype.kind == "f":
        # The greatest number of 64 bits is no float: compare before converting.
        whole = np.nan_to_num(np.rint(values.astype(np.float64)), nan=0.0)
        small = np.where((whole > channel.low) & (whole < channel.high), whole, 0.0).astype(np.int64)
        few = np.where(
            whole >= channel.high, channel.high, np.where(whole <= channel.low, channel.low, small)
        )
    else:
        few = np.clip(values.astype(object), channel.low, channel.high)
    return np.array([int(x) & (1 << channel.bits) - 1 for x in few.ravel()], np.uint64).reshape(values.shape)
