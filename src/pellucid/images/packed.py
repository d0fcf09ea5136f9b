"""Pictures in packed formats: any layout of `pixels` read in place, as an array of colors like every bitmap.

Beside `bitmap`, which reads whole bytes; here a sample may lie in any bits, planes may have fewer samples than pixels,
and a sensor's mosaic is filled in on the way. No buffer lies between the bytes and the picture.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..ir import types as T
from ..ir.expr import Buffer
from ..pixels import Layout, layout_of
from .array2 import Array2
from .bitmap import Bitmap, unique_name
from .color import Color
from .word import word

# Conversions are imported when a format is read: all words are at every start, and few pictures read one.
if TYPE_CHECKING:
    from ..conversion.planes import Bytes


@word(
    "Any -> Any -> Any -> Count -> Image Color",
    ranges={"offset": (0, math.inf)},
    example='from_buffer(bytes([0x1F, 0xF8, 0xE0, 0x07]), "rgb565", (2, 1))',
)
def from_buffer(data: Any, format: Any, size: Any, offset: int = 0) -> Bitmap:
    """The picture in bytes of any packed format, centered on the origin, one unit to the pixel, row 0 on top.

    `data` holds bytes, of which those from `offset` on are read where they are, and after them the bytes of whole
    pictures or none; `format` is a `pixels.Layout`, the name of a built-in one or a line of its notation; `size` is
    width and height in pixels. A mosaic is filled in bilinearly. Raises InputError for elements that are not bytes, for
    too few or too many, an unknown format, or samples that are no colors.

    >>> from_buffer(bytes([0x1F, 0xF8]), "rgb565", (1, 1)).at(0.0, 0.0)
    array([1., 0., 1., 1.], dtype=float32)
    """
    from ..conversion.planes import bytes_of, checked_size

    chosen = layout_of(format)
    return reading(chosen, checked_size(size), bytes_of(data, chosen, size, offset))[0]


def reading(layout: Layout, size: tuple[int, int], given: Bytes) -> tuple[Bitmap, Buffer]:
    """The picture in checked bytes, and the buffer that stands for them when it is compiled."""
    from ..conversion.access import PlaneMemory
    from ..conversion.decode import Decoder

    buffer = Buffer(unique_name("packed"), T.u8, len(given), given)
    starts = layout.offsets(*size)[:-1]
    planes = [
        PlaneMemory(buffer, at, p.row_bytes(size[0])) for at, p in zip(starts, layout.planes, strict=True)
    ]
    decoder = Decoder(layout, planes, size)
    return Bitmap(Array2(*size, lambda column, row: Color(*decoder(column, row)))), buffer
