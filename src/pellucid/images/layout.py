"""Layouts of pixels in memory: where in the bytes of a pixel each channel lies, as data.

A layout turns a position in a buffer into expressions for red, green, blue and alpha: loads, shifts and masks that the
optimizer sees through, so a picture is read in place in whatever form its file has (paper Pan, section 2.4.2). The
level above is `array2`, which knows width, height and the distance between rows.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..ir import types as T
from ..ir.expr import Buffer
from ..tracing import Value, call, convert, load, real_type

Texel = tuple[Any, Any, Any, Any]
"""Premultiplied red, green, blue and alpha, from 0 to the peak of a layout."""


class ImageChannel(NamedTuple):
    """One channel of a pixel: `bits` bits from bit `shift` of the element `offset` elements on; 0 bits: all of it."""

    offset: int
    shift: int = 0
    bits: int = 0


@dataclass(frozen=True, slots=True)
class ArrayLayout:
    """How a pixel is stored: `step` elements of a type, with a place for each channel; no alpha means opaque.

    A `mapped` layout stores one index per pixel into a palette of 32-bit words; the channels are places in the word.

    >>> LAYOUTS["bgr24"].peak
    255.0
    """

    name: str
    doc: str
    element: T.Type
    step: int
    red: ImageChannel
    green: ImageChannel
    blue: ImageChannel
    alpha: ImageChannel | None = None
    mapped: bool = False

    @property
    def peak(self) -> float:
        """The number that a channel holds at full intensity."""
        return max(self._peak(c) for c in (self.red, self.green, self.blue))

    def _peak(self, channel: ImageChannel) -> float:
        if self.element.is_float:
            return 1.0
        return float((1 << (channel.bits or self.element.bits)) - 1)

    @property
    def reach(self) -> int:
        """How many elements from the start of a pixel are read."""
        channels = (self.red, self.green, self.blue, self.alpha or self.red)
        return 1 if self.mapped else 1 + max(c.offset for c in channels)

    def texel(
        self,
        buffer: Buffer,
        position: Value,
        *,
        offset: int = 0,
        palette: Buffer | None = None,
        premultiplied: bool = False,
    ) -> Texel:
        """The channels of the pixel that begins `offset` elements after a position, premultiplied, 0 to `peak`.

        Stored colors are multiplied by alpha here unless they are stored `premultiplied`.

        >>> from ..ir import expr as E
        >>> gray = Buffer("gray", T.u8, 100)
        >>> LAYOUTS["gray8"].texel(gray, Value(E.index("i")))[0].expr
        buffer gray: u8[100]
        convert.f32(gray[%i])
        """
        elements: dict[int, Any] = {}

        def element(at: int) -> Any:
            if at not in elements:
                elements[at] = load(buffer, position + at if at else position)
            return elements[at]

        entry = load(palette, element(offset)) if palette is not None else None

        def stored(channel: ImageChannel) -> Any:
            bits = channel.bits
            word = entry if entry is not None else element(offset + channel.offset)
            if channel.shift:
                word = call("shift_right_in", word, channel.shift)
            if bits and channel.shift + bits < word.type.bits:
                word = word & ((1 << bits) - 1)
            value = convert(word, real_type())
            ratio = self.peak / self._peak(channel)
            return value if ratio == 1.0 else value * ratio

        red, green, blue = stored(self.red), stored(self.green), stored(self.blue)
        if self.alpha is None:
            return red, green, blue, self.peak
        alpha = stored(self.alpha)
        if premultiplied:
            return red, green, blue, alpha
        part = alpha if self.peak == 1.0 else alpha * (1.0 / self.peak)
        return red * part, green * part, blue * part, alpha


def from_masks(element: T.Type, masks: Sequence[int]) -> ArrayLayout | None:
    """The layout of words whose channels are these bit masks (red, green, blue, alpha; 0: no alpha).

    None if a mask is empty, has holes or reaches beyond the word, or if two masks overlap.

    >>> from_masks(T.u16, (0xF800, 0x07E0, 0x001F, 0)).green
    Channel(offset=0, shift=5, bits=6)
    """
    channels: list[ImageChannel | None] = []
    taken = 0
    for mask in masks:
        shift = (mask & -mask).bit_length() - 1
        run = mask >> max(shift, 0)
        if run & (run + 1) or mask >> element.bits or mask & taken:
            return None
        taken |= mask
        channels.append(ImageChannel(0, shift, run.bit_length()) if mask else None)
    red, green, blue, alpha = channels
    if red is None or green is None or blue is None:
        return None
    return ArrayLayout(f"fields{element.bits}", "Words with bit fields.", element, 1, red, green, blue, alpha)


def _word(name: str, doc: str, order: str) -> ArrayLayout:
    # The order is that of bytes in memory; their place in the word depends on the machine.
    at = {c: ImageChannel(0, 8 * (k if sys.byteorder == "little" else 3 - k), 8) for k, c in enumerate(order)}
    return ArrayLayout(name, doc, T.u32, 1, at["r"], at["g"], at["b"], at.get("a"))


def _each(name: str, doc: str, element: T.Type, order: str) -> ArrayLayout:
    at = {c: ImageChannel(k) for k, c in enumerate(order)}
    red, green, blue = (at["v"],) * 3 if "v" in at else (at["r"], at["g"], at["b"])
    return ArrayLayout(name, doc, element, len(order), red, green, blue, at.get("a"))


LAYOUTS = {
    layout.name: layout
    for layout in (
        _each("gray8", "One byte of gray.", T.u8, "v"),
        _each("gray16", "One 16-bit number of gray.", T.u16, "v"),
        _each("gray_float", "One number of gray, 0 to 1.", T.f32, "v"),
        _each("gray_alpha8", "A byte of gray, a byte of alpha.", T.u8, "va"),
        _each("bgr24", "Three bytes: blue, green, red, as in bitmap files.", T.u8, "bgr"),
        _each("rgb24", "Three bytes: red, green, blue.", T.u8, "rgb"),
        _each("rgb48", "Three 16-bit numbers: red, green, blue.", T.u16, "rgb"),
        _each("rgba64", "Four 16-bit numbers: red, green, blue, alpha.", T.u16, "rgba"),
        _each("rgb_float", "Three numbers from 0 to 1.", T.f32, "rgb"),
        _each("rgba_float", "Four numbers from 0 to 1.", T.f32, "rgba"),
        _word("bgra32", "A 32-bit word of bytes blue, green, red, alpha; one load.", "bgra"),
        _word("bgrx32", "A 32-bit word of bytes blue, green, red, unused; one load.", "bgrx"),
        _word("rgba32", "A 32-bit word of bytes red, green, blue, alpha; one load.", "rgba"),
        _word("rgbx32", "A 32-bit word of bytes red, green, blue, unused; one load.", "rgbx"),
        ArrayLayout(
            "mapped8",
            "One byte that counts into a palette of opaque words 0xAARRGGBB; a load of a load.",
            T.u8,
            1,
            ImageChannel(0, 16, 8),
            ImageChannel(0, 8, 8),
            ImageChannel(0, 0, 8),
            None,
            mapped=True,
        ),
        ArrayLayout(
            "mapped_alpha8",
            "One byte that counts into a palette of words 0xAARRGGBB.",
            T.u8,
            1,
            ImageChannel(0, 16, 8),
            ImageChannel(0, 8, 8),
            ImageChannel(0, 0, 8),
            ImageChannel(0, 24, 8),
            mapped=True,
        ),
    )
}
"""The layouts by name; the names give the order in memory."""
