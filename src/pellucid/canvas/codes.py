"""The codes of packed pixels as they are: bytes of any format into an array of integers, and back.

Beside `convert`, which runs the pass: a format and the array are two layouts with the same samples in other places, and
samples that are alike on both sides are copied bit for bit. So nothing here knows of bits but the notation.
"""

from __future__ import annotations

import functools
import re
from typing import Any, NamedTuple

import numpy as np

from pellucid.base.arrays import bytes_in
from pellucid.base.errors import InputError
from pellucid.base.tracebacks import door
from pellucid.base.view import checked_whole
from pellucid.canvas.compose import Pixels
from pellucid.canvas.convert import convert
from pellucid.conversion.planes import checked_size
from pellucid.pixels import Channel, Layout, layout_of

Codes = np.ndarray[Any, np.dtype[Any]]
_FIELD = re.compile(r"(?P<name>[A-Za-z]+?)(?P<pixel>[0-9]*)(?P<end>\s*(?::\s*[usf]?|\[))")
_ORDERS = (("R", "G", "B", "A"), ("Y", "Cb", "Cr", "A"))
_STANDING = {1: ("Y",), 2: ("Y", "A"), 3: ("R", "G", "B"), 4: ("R", "G", "B", "A")}
"""The channels that stand for those of a format, by their number: those of colors, whose bits a conversion copies."""
MAX_STRIDE = 1 << 24
"""Maximum bytes of a row, which is that of the notation."""


class _Pair(NamedTuple):
    """Two layouts with the same samples: as in the format, and each in a word of its own."""

    packed: Layout
    words: Layout
    channels: tuple[Channel, ...]
    dtype: np.dtype[Any]


@door
def unpack(
    data: object,
    format: str | Layout,
    size: tuple[int, int],
    *,
    stride: int | None = None,
    threads: int | None = None,
) -> Codes:
    """The codes of packed pixels as they are in memory: no curve, no range, no matrix is applied.

    `data` holds the bytes in `format`: a name of `pellucid.pixels.FORMATS`, a line of the notation, or a layout;
    `size` is width and height in pixels, `stride` the bytes from row to row if rows are farther apart than the format
    says. The array has the shape (height, width), or (height, width, channels) in the order R G B A or Y Cb Cr A,
    whatever the order in memory; other channels come as the layout names them. Its type is the smallest of uint8,
    uint16, uint32 and uint64 that holds a code, a signed one for signed samples, the float itself for floats. Raises
    InputError for an unknown format, for a number of bytes that is not that of the picture, for a stride below the
    bytes of a row, and for a format with a palette or with fewer samples than pixels, which
    `pellucid.pixels.unpack` takes apart channel by channel.

    >>> unpack(bytes([0x21, 0x43, 0x65]), "mono12p", (2, 1))
    array([[ 801, 1620]], dtype=uint16)
    >>> unpack(bytes([0x1F, 0xF8, 0, 0]), "rgb565", (1, 1), stride=4)
    array([[[31,  0, 31]]], dtype=uint8)
    """
    pair = _pair(layout_of(format), stride, size := checked_size(size))
    width, height = size
    given, need = bytes_in(data, "data"), pair.packed.size(width, height)
    if len(given) != need:
        apart = "" if stride is None else f" with rows {stride} bytes apart"
        raise InputError(
            f"{width} x {height} in {layout_of(format)}{apart} take {need} bytes, and there are {len(given)}",
            place="data",
            fix="check size, format and stride, or give data[offset:offset + bytes]",
        )
    words = convert(given, pair.packed, pair.words, size, threads=threads)
    return _as_codes(words.view(f"u{pair.dtype.itemsize}"), pair).reshape(_shape(pair, size))


@door
def pack(
    codes: object,
    format: str | Layout,
    *,
    stride: int | None = None,
    threads: int | None = None,
) -> Pixels:
    """The bytes of codes in a packed format, as a flat array: the inverse of `unpack`.

    `codes` has the shape that `unpack` gives, and any type of integers, or of floats for a format of floats. Bits that
    no sample uses are zero, those between the rows of a `stride` too. Raises InputError as `unpack` does, and for an
    array of another shape or type, and for codes that the format cannot hold.

    >>> pack(np.array([[801, 1620]]), "mono12p").tobytes().hex()
    '214365'
    """
    layout = layout_of(format)
    try:
        array = np.asarray(codes)
    except (ValueError, TypeError, OverflowError):
        raise InputError("these are no array", place="codes", fix="give an array of integers") from None
    count = len(layout.channels)
    axes = 2 if count == 1 else 3
    if array.ndim != axes or (axes == 3 and array.shape[2] != count) or 0 in array.shape:
        want = "(height, width)" if count == 1 else f"(height, width, {count})"
        raise InputError(f"the shape is {array.shape}", place="codes", fix=f"give {want} for {layout}")
    size = (array.shape[1], array.shape[0])
    pair = _pair(layout, stride, checked_size(size))
    words = np.ascontiguousarray(_as_words(array, pair, layout)).reshape(-1).view(np.uint8)
    return convert(words, pair.words, pair.packed, size, threads=threads)


def _shape(pair: _Pair, size: tuple[int, int]) -> tuple[int, ...]:
    width, height = size
    return (height, width) if len(pair.channels) == 1 else (height, width, len(pair.channels))


def _as_codes(words: Codes, pair: _Pair) -> Codes:
    """The codes in unsigned words: signs extended, floats as they are."""
    found = words.view(pair.dtype)
    if pair.dtype.kind == "i":
        bits = np.tile(
            [8 * pair.dtype.itemsize - c.bits for c in pair.channels], len(words) // len(pair.channels)
        )
        found = (found << bits.astype(pair.dtype)) >> bits.astype(pair.dtype)
    return found


def _as_words(array: Codes, pair: _Pair, layout: Layout) -> Codes:
    """The codes as unsigned words, if the samples can hold them."""
    wanted = "floats" if pair.dtype.kind == "f" else "integers"
    if (array.dtype.kind == "f") != (pair.dtype.kind == "f") or array.dtype.kind not in "iuf":
        raise InputError(f"the elements are {array.dtype}", place="codes", fix=f"give {wanted} for {layout}")
    word = f"u{pair.dtype.itemsize}"
    if pair.dtype.kind == "f":
        return np.ascontiguousarray(array.astype(pair.dtype)).view(word)
    by_channel = array[..., None] if array.ndim == 2 else array
    for k, channel in enumerate(pair.channels):
        low, high = int(by_channel[..., k].min()), int(by_channel[..., k].max())
        if low < channel.low or high > channel.high:
            wrong = low if low < channel.low else high
            fix = f"give {int(channel.low)} to {int(channel.high)}"
            raise InputError(f"{channel.name} of {layout} holds no {wrong}", place="codes", fix=fix)
    masks = np.array([(1 << c.bits) - 1 for c in pair.channels], np.uint64)
    return (by_channel.astype(np.uint64) & masks).astype(word)


def _pair(layout: Layout, stride: int | None, size: tuple[int, int]) -> _Pair:
    """The two layouts between which codes are copied.

    Raises InputError for a format that has no array of codes, and for a stride that is too small.
    """
    fewer = [c.name for c in layout.channels if c.entries or c.across * c.down > 1]
    kinds = {c.kind for c in layout.channels}
    if fewer or len(layout.channels) > len(_STANDING) or len(kinds) > 1:
        problem = f"{layout} has " + (
            f"no sample of {fewer[0]} for each pixel" if fewer else "samples that are not one array"
        )
        fix = (
            "write pellucid.pixels.unpack(data, layout, width, height), which gives each channel as an array"
        )
        raise InputError(problem, place="format", fix=fix)
    pair = _copied(layout.text)
    if stride is None:
        return pair
    unaligned = _with_rows(pair.packed.text, None)
    least = max(plane.row_bytes(size[0]) for plane in Layout(unaligned).planes)
    apart = checked_whole("stride", stride, 1, MAX_STRIDE)
    if apart < least:
        problem = f"{apart} is too small: {size[0]} pixels of {layout} take {least} bytes"
        raise InputError(problem, place="stride", fix=f"give the bytes from row to row, {least} or more")
    return pair._replace(packed=Layout(_with_rows(unaligned, apart)))


def _with_rows(text: str, stride: int | None) -> str:
    """The planes of a layout with another number of bytes that rows are a multiple of."""
    planes = (re.sub(r"\s*rows\s+[0-9]+", "", plane) for plane in text.split(";"))
    return ";".join(plane if stride is None else f"{plane} rows {stride}" for plane in planes)


@functools.lru_cache(maxsize=256)
def _copied(text: str) -> _Pair:
    """The layout of a text with channels whose bits a conversion copies, and one of words with the same channels."""
    layout = Layout(text)
    order = next((o for o in _ORDERS if {*layout.names} <= {*o}), layout.names)
    channels = tuple(sorted(layout.channels, key=lambda c: order.index(c.name)))
    standing = dict(zip((c.name for c in channels), _STANDING[len(channels)], strict=True))

    def field(found: re.Match[str]) -> str:
        name, end = found["name"], found["end"]
        if name in ("msb", "lsb"):
            return found[0]
        # Every sample is unsigned here: signs and floats are a matter of the array.
        return f"{standing[name]}{found['pixel']}{end.rstrip('usf')}"

    word = next(w for w in (8, 16, 32, 64) if w >= max(c.bits for c in channels))
    parts = [f"{standing[c.name]}:{c.bits}{f' _:{word - c.bits}' if c.bits < word else ''}" for c in channels]
    kind = {"u": "u", "s": "i", "f": "f"}[channels[0].kind]
    dtype = np.dtype(f"{kind}{word // 8}")
    packed = Layout(_FIELD.sub(field, text.partition("|")[0].strip()))
    return _Pair(packed, Layout(" ".join(parts)), channels, dtype)
