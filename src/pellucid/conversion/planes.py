"""The memory of pictures in packed formats: the bytes of the whole, and a buffer for each plane.

Planes are stored in bytes, or in the words that their samples lie in (see decision 27). Everything about the memory
that a person gives is checked here, before anything is planned.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
import sys
from typing import Any

import numpy as np

from ..backends.port import address
from ..base.arrays import bytes_for, bytes_in
from ..base.errors import InputError, brief
from ..base.memory import available_memory, readable_bytes
from ..base.view import checked_whole
from ..driver.view import check_count
from ..ir import types as T
from ..ir.expr import Buffer
from ..pixels.formats import layout_of
from ..pixels.layout import MAX_BYTES, Layout

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
WORDS = (T.u8, T.u16, T.u32)
"""The types of the elements of planes."""
_ALWAYS_THERE = 16 << 20
"""Bytes for which the system is not asked whether they are available."""


def bytes_of(data: Any, layout: Layout, size: Any, offset: int = 0) -> Bytes:
    """The bytes of a picture in a layout, from an offset on; what follows are more pictures of that size.

    Raises InputError for too few of them, for a rest, for what holds none, or for samples that are no colors.
    """
    width, height = checked_size(size)
    given = bytes_in(data, "data")
    check_readable(layout)
    need = layout.size(width, height)
    check_bytes(layout, (width, height), need)
    first = checked_whole("offset", offset, 0, sys.maxsize)
    there = max(0, len(given) - first)
    if there < need or there % need:
        told = f"and there are {there}" if there < need else f"and {there % need} are left over"
        raise InputError(
            f"{width} x {height} in {layout} take {need} bytes, {told}",
            place="data",
            fix="check size, format and offset, or give data[offset:offset + bytes]; more pictures may follow",
        )
    return given[first : first + need]


def checked_size(size: Any) -> tuple[int, int]:
    """A width and a height in pixels.

    Raises InputError for what is no size, and for too many pixels.

    >>> checked_size([640, 480])
    (640, 480)
    """
    try:
        width, height = (operator.index(n) for n in itertools.islice(size, 3))
    except (TypeError, ValueError):
        width, height = 0, 0
    if width < 1 or height < 1:
        raise InputError(f"{brief(size)} is no size", place="size", fix="give (width, height) in pixels")
    check_count(width, height)
    return width, height


def check_readable(layout: Layout) -> None:
    """Check that a layout holds colors.

    Raises InputError for one with other samples.
    """
    if layout.model == "samples":
        raise InputError(
            f"the samples of {layout} are no colors",
            place="source",
            fix="name channels R G B, Y, Y Cb Cr, M or A",
        )


def check_drawable(layout: Layout) -> None:
    """Check that pictures can be drawn into a layout.

    Raises InputError for one with a palette, or with samples that are no colors.
    """
    if layout.model == "samples":
        raise InputError(
            f"the samples of {layout} are no colors", place="format", fix="name channels R G B or Y Cb Cr"
        )
    if layout.palette:
        fix = "give a format that stores the colors themselves, such as rgb332"
        raise InputError(f"pictures are not drawn with the palette of {layout}", place="format", fix=fix)


def destination(layout: Layout, size: tuple[int, int], out: Bytes | None) -> Bytes:
    """The memory for a picture in a layout: what is given, or new.

    Raises InputError for an array that does not fit, and for too many pixels.
    """
    check_count(*size)
    count = layout.size(*size)
    check_bytes(layout, size, count)
    if out is not None:
        return bytes_for(out, count)
    available = available_memory() if count > _ALWAYS_THERE else None
    if available is not None and count > available:
        problem = f"{size[0]} x {size[1]} in {layout} take {readable_bytes(count)}"
        raise InputError(
            problem, place="size", fix=f"{readable_bytes(available)} are available: draw it in parts"
        )
    return np.zeros(count, np.uint8)


def check_bytes(layout: Layout, size: tuple[int, int], count: int) -> None:
    """Check that a picture has so few bytes that each of them has an address.

    Raises InputError if it has more than `MAX_BYTES`.
    """
    if count > MAX_BYTES:
        problem = f"{size[0]} x {size[1]} in {layout} take {count} bytes, more than {MAX_BYTES}"
        raise InputError(problem, place="size", fix="convert it in parts")


def aligned(memory: Bytes) -> bool:
    """Whether memory begins at a multiple of every word that planes are stored in."""
    return address(memory) % (WORDS[-1].bits // 8) == 0


def parts(
    layout: Layout, size: tuple[int, int], memory: Bytes, planes: tuple[Buffer, ...]
) -> dict[Buffer, np.ndarray[Any, Any]]:
    """The memory of each plane of a picture in a layout."""
    bounds = itertools.pairwise(layout.offsets(*size))
    return {p: memory[start:stop].view(p.type.dtype) for p, (start, stop) in zip(planes, bounds, strict=True)}


@functools.lru_cache(maxsize=64)
def planes_of(text: str, size: tuple[int, int], *, aligned: bool, name: str = "plane") -> tuple[Buffer, ...]:
    """The buffers that stand for the planes of a picture in the layout of that text, for memory aligned to its words.

    >>> planes_of("B:5 G:6 R:5", (6, 4), aligned=True)[0].type, planes_of("Y:5 _:3", (6, 4), aligned=True)[0].type
    (u16, u8)
    """
    layout, found = layout_of(text), list[Buffer]()
    for k, (start, stop) in enumerate(itertools.pairwise(layout.offsets(*size))):
        apart = math.gcd(start, layout.planes[k].row_bytes(size[0])) if aligned else 1
        word = element_of(layout, k, apart)
        found.append(Buffer(f"{name}_{k}", word, (stop - start) // (word.bits // 8)))
    return tuple(found)


def element_of(layout: Layout, number: int, apart: int) -> T.Type:
    """The least word in which every sample of a plane is stored whole, where rows begin at multiples of `apart` bytes.

    Bytes, if there is none, or if a word would have bytes that hold no sample: these stay as they are.
    """
    bits = layout.planes[number].bits
    runs = [run for c in layout.channels if c.plane == number for place in c.places for run in place]
    ends = [(run.start, run.start + run.width - 1) for run in runs]
    filled = {k for first, last in ends for k in range(first // 8, last // 8 + 1)} == {*range(bits // 8)}
    for word in WORDS if filled else ():
        even = bits % word.bits == 0 and 8 * apart % word.bits == 0
        if even and all(first // word.bits == last // word.bits for first, last in ends):
            return word
    return T.u8
