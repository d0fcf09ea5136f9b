"""Bitmap files (BMP), read in place: the header says where in the file the pixels lie, and they stay there.

Paper Pan, section 2.4.2. What a header claims is checked against the size of the file before anything is touched, so no
file can make a picture read beyond its end. Files whose pixels must be unpacked first (run lengths, fewer than 8
bits, embedded JPEG) are left to `bitmap`, which has them decoded.
"""

from __future__ import annotations

import struct
from typing import Any, NoReturn

import numpy as np

from ..base.errors import FileError
from ..ir import types as T
from ..ir.expr import Buffer
from ..pixels import Layout
from .array2 import Raster
from .texel import element_of, from_masks, layout_named

Bytes = np.ndarray[Any, np.dtype[np.uint8]]

_HEADERS = (12, 16, 40, 52, 56, 64, 108, 124)
_PACKED = {1: "run lengths", 2: "run lengths"}
_MASKED = (3, 6)
_MASKS_AT = 54


class _File:
    """The bytes of one file, and its name for messages."""

    def __init__(self, data: Bytes, place: str) -> None:
        self.data, self.place = data, place

    def fail(self, message: str, fix: str = "the file is damaged; save it again") -> NoReturn:
        raise FileError(message, place=self.place, fix=fix)

    def read(self, format_: str, at: int, what: str) -> tuple[Any, ...]:
        """Little-endian numbers from the file."""
        end = at + struct.calcsize(f"<{format_}")
        if end > len(self.data):
            self.fail(f"ends at byte {len(self.data)}, inside its {what}")
        return struct.unpack(f"<{format_}", self.data[at:end].tobytes())


def read_bmp(data: Bytes, place: str, name: str) -> Raster | None:
    """The pixels of a bitmap file, given as its bytes, which stay where they are.

    24 and 32 bits, 16 bits with fields, 8 bits gray or with a palette; bottom row first or top row first. None if the
    pixels must be unpacked. `name` is given to the buffer, `place` to messages. Raises FileError, which names the
    field that is wrong.
    """
    file = _File(data, place)
    offset, header = file.read("I I", 10, "header")
    if header not in _HEADERS:
        file.fail(f"has a header of {header} bytes, which no kind of bitmap file has")
    if header == 12:
        width, height, _, bits = file.read("H H H H", 18, "header")
        compression, used = 0, 0
    else:
        width, height, _, bits = file.read("i i H H", 18, "header")
        compression, used = 0, 0
        if header >= 40:
            compression, used = file.read("I 12x I", 30, "header")
    rows = abs(height)
    if width < 1 or rows < 1:
        file.fail(f"has a width of {width} and a height of {height} pixels")
    if bits not in (1, 2, 4, 8, 16, 24, 32):
        file.fail(f"has {bits} bits per pixel, which are not supported", "1, 4, 8, 16, 24 and 32 can be read")
    if compression not in (0, *_PACKED, *_MASKED):
        file.fail(f"has compression {compression}, which is not supported", "save it without compression")
    if compression in _PACKED or bits < 8:
        return None
    if bits == 8 and offset == 14 + header:
        # Some programs leave the palette out of the count.
        offset += _palette_bytes(header, used)
    line = (bits * width + 31) // 32 * 4
    taken = (bits * width + 7) // 8
    if offset < 14 + header:
        file.fail(f"has pixels from byte {offset}, inside its header")
    end = offset + line * (rows - 1) + taken
    if end > len(data):
        file.fail(
            f"has {len(data)} bytes, but its {width} by {rows} pixels of {bits} bits end at byte {end}",
            "the file is cut off or its width and height are wrong; save it again",
        )
    masks_end = 14 + header
    if compression in _MASKED:
        layout, masks_end = _masked(file, bits, header, compression)
    else:
        layout = {
            8: layout_named("pal8x"),
            16: from_masks(16, (0x7C00, 0x03E0, 0x001F, 0)),
            24: layout_named("bgr24"),
            32: layout_named("bgrx"),
        }[bits]
        assert layout is not None  # noqa: S101 - the masks are sound
    palette = None
    if bits == 8:
        words = _palette(file, header, used, offset)
        if _is_gray(words):
            layout = layout_named("gray8")
        else:
            palette = Buffer(f"{name}_palette", T.u32, len(words), words)
            _check_indices(file, offset, (width, rows, line), len(words))
    elif masks_end > offset:
        file.fail(f"has pixels from byte {offset}, inside its masks of channels")
    element = element_of(layout)
    size = element.bits // 8
    # Whole elements only; the padding of the last row may be missing.
    pixels = data[offset : offset + (end - offset) // size * size].view(element.dtype)
    return Raster(
        width,
        rows,
        layout,
        Buffer(name, element, len(pixels), pixels),
        origin=0 if height < 0 else line // size * (rows - 1),
        row=line // size if height < 0 else -line // size,
        palette=palette,
    )


def _masked(file: _File, bits: int, header: int, compression: int) -> tuple[Layout, int]:
    if bits not in (16, 32) or header < 40:
        file.fail(f"has masks of channels but {bits} bits per pixel", "only 16 and 32 bits have masks")
    # The masks follow a short header and are part of a long one: at the same place.
    masks = file.read("I I I", _MASKS_AT, "masks of channels")
    with_alpha = header >= 56 or compression == 6
    alpha = file.read("I", _MASKS_AT + 12, "masks of channels") if with_alpha else (0,)
    layout = from_masks(bits, masks + alpha)
    if layout is None:
        shown = ", ".join(f"{m:08x}" for m in masks + alpha)
        file.fail(f"has masks of channels that are empty, overlap or have holes: {shown}")
    return layout, max(14 + header, _MASKS_AT + (16 if with_alpha else 12))


def _palette_bytes(header: int, used: int) -> int:
    """The bytes of a palette of 8 bits as its header says."""
    return min(used or 256, 256) * (3 if header == 12 else 4)


def _palette(file: _File, header: int, used: int, offset: int) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """The colors of a palette; the pixels may begin within it, and it may end with the file.

    Writers of OS/2 leave out the colors that no pixel has, and some let pixels and palette share bytes: each is where
    its header says. Which pixels have no color is checked afterwards.
    """
    at, size = 14 + header, 3 if header == 12 else 4
    end = min(at + _palette_bytes(header, used), len(file.data))
    if not used and at < offset < end:
        end = offset
    count = (end - at) // size
    raw = file.data[at : at + count * size].reshape(count, size).astype(np.uint32)
    words = raw[:, 0] | raw[:, 1] << 8 | raw[:, 2] << 16 | 0xFF000000
    return words.astype(np.uint32)


def _is_gray(palette: np.ndarray[Any, np.dtype[np.uint32]]) -> bool:
    ramp = np.arange(256, dtype=np.uint32) * np.uint32(0x010101) | np.uint32(0xFF000000)
    return np.array_equal(palette, ramp)


def _check_indices(file: _File, offset: int, form: tuple[int, int, int], count: int) -> None:
    width, rows, line = form
    if count == 256:
        return
    inside = file.data[offset : offset + line * (rows - 1) + width]
    grid = np.lib.stride_tricks.as_strided(inside, (rows, width), (line, 1), writeable=False)
    most = int(grid.max())
    if most >= count:
        file.fail(f"has a pixel of color {most} in a palette of {count} colors")
