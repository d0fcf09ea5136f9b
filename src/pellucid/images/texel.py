"""Texels: the stored colors of pixels whose channels lie in elements of a buffer, for layouts of `pixels`.

A position in a buffer becomes expressions for red, green, blue and alpha: loads, shifts and masks that the optimizer
sees through, so a picture is read in place in whatever form its file has (paper Pan, section 2.4.2). The level above is
`array2`, which knows width, height and the distance between rows. `packed` reads layouts whose samples lie in any bits.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..ir import types as T
from ..ir.expr import Buffer
from ..pixels import FORMATS, Layout
from ..tracing import Value, call, convert, load, real_type

Texel = tuple[Any, Any, Any, Any]
"""Premultiplied red, green, blue and alpha, from 0 to the peak of a layout."""

_OWN = {
    "ya8": "Y:8 A:8",
    "rgbaf32": "R:f32 G:f32 B:f32 A:f32",
    "pal8x": "I:8; palette: B:8 G:8 R:8 _:8",
}
"""Layouts that only arrays and files of pictures have: gray and alpha, floats and alpha, an opaque palette."""


@functools.cache
def layout_named(name: str) -> Layout:
    """The layout of that name: one of `pixels.FORMATS`, or of those that only arrays and files have."""
    return Layout(_OWN[name], name) if name in _OWN else FORMATS[name]


def element_of(layout: Layout) -> T.Type:
    """The type of the elements that pixels are read in: a word of 32 bits or of odd fields by one load.

    >>> [element_of(layout_named(name)) for name in ("rgb24", "rgba", "rgb565", "rgb48", "grayf32", "pal8")]
    [u8, u32, u16, u16, f32, u8]
    """
    plane, channels = layout.planes[0], [c for c in layout.channels if c.plane == 0]
    if channels[0].kind == "f":
        return T.f32
    bits, widths = plane.bits // plane.pixels, {c.bits for c in channels}
    whole = bits == T.u32.bits or any(width % 8 for width in widths)
    return T.integer(bits if whole else min(widths), signed=False)


class TexelField(NamedTuple):
    """A channel of a pixel: `bits` bits from bit `shift` of the element `offset` elements on."""

    offset: int
    shift: int
    bits: int


class Texels:
    """Reads the pixels of a layout from elements of a type; no alpha means opaque.

    Pixels of a layout with a palette are numbers of its words of 32 bits; the fields are places in the word.

    >>> Texels(layout_named("bgr24"), T.u8).peak, Texels(layout_named("bgrx"), T.u32).step
    (255.0, 1)
    """

    def __init__(self, layout: Layout, element: T.Type) -> None:
        self.layout, self.element = layout, element
        plane = layout.planes[0]
        self.step = plane.bits // plane.pixels // element.bits
        self._red, self._green, self._blue = (self._field(c if c in layout.names else "Y") for c in "RGB")
        self._alpha = self._field("A") if "A" in layout.names else None

    def _field(self, name: str) -> TexelField:
        channel = self.layout[name]
        (run,) = channel.places[0]
        word = T.u32 if channel.entries else self.element
        return TexelField(run.start // word.bits, run.start % word.bits, channel.bits)

    @property
    def peak(self) -> float:
        """The number that a channel holds at full intensity."""
        return max(map(self._peak, (self._red, self._green, self._blue)))

    def _peak(self, field: TexelField) -> float:
        return 1.0 if self.element.is_float else float((1 << field.bits) - 1)

    @property
    def reach(self) -> int:
        """The number of elements from the start of a pixel that are read."""
        fields = (self._red, self._green, self._blue, self._alpha or self._red)
        return 1 if self.layout.palette else 1 + max(f.offset for f in fields)

    def __call__(
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
        >>> Texels(layout_named("gray8"), T.u8)(gray, Value(E.index("i")))[0].expr
        buffer gray: u8[100]
        convert.f32(gray[%i])
        """
        elements: dict[int, Any] = {}

        def element(at: int) -> Any:
            if at not in elements:
                elements[at] = load(buffer, position + at if at else position)
            return elements[at]

        entry = load(palette, element(offset)) if palette is not None else None

        def stored(field: TexelField) -> Any:
            word = entry if entry is not None else element(offset + field.offset)
            if field.shift:
                word = call("shift_right_in", word, field.shift)
            if field.shift + field.bits < word.type.bits:
                word = word & ((1 << field.bits) - 1)
            value = convert(word, real_type())
            ratio = self.peak / self._peak(field)
            return value if ratio == 1.0 else value * ratio

        red, green, blue = stored(self._red), stored(self._green), stored(self._blue)
        if self._alpha is None:
            return red, green, blue, self.peak
        alpha = stored(self._alpha)
        if premultiplied:
            return red, green, blue, alpha
        part = alpha if self.peak == 1.0 else alpha * (1.0 / self.peak)
        return red * part, green * part, blue * part, alpha


def from_masks(bits: int, masks: Sequence[int]) -> Layout | None:
    """The layout of words of so many bits whose channels are these masks (red, green, blue, alpha; 0: no alpha).

    None if a mask is empty, has holes or reaches beyond the word, or if two masks overlap.

    >>> from_masks(16, (0xF800, 0x07E0, 0x001F, 0)).text
    'B:5 G:6 R:5'
    """
    fields: list[tuple[int, int, str]] = []
    taken = 0
    for name, mask in zip("RGBA", masks, strict=True):
        shift = (mask & -mask).bit_length() - 1
        run = mask >> max(shift, 0)
        if run & (run + 1) or mask >> bits or mask & taken or (not mask and name != "A"):
            return None
        taken |= mask
        if mask:
            fields.append((shift, run.bit_length(), name))
    text: list[str] = []
    at = 0
    for shift, width, name in sorted([*fields, (bits, 0, "")]):
        text += [f"_:{shift - at}"] if shift > at else []
        text += [f"{name}:{width}"] if width else []
        at = shift + width
    found = Layout(" ".join(text), f"fields{bits}")
    return next((f for f in (FORMATS["bgra"], FORMATS["bgrx"]) if f.text == found.text), found)
