"""Pictures drawn straight into packed formats, and the memory of planes.

Planes are stored in bytes, or in the words that their samples lie in (see decision 27). Stands on the driver, which
traces, optimizes and runs the nest of `encode` as it does frames.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..backends.port import Code, address
from ..base.arrays import bytes_for
from ..base.errors import InputError
from ..base.memory import available_memory, readable_bytes
from ..driver.frame import Frame, build_into
from ..driver.kernel import Kernel, code_of
from ..driver.view import View, check_count, checked_view
from ..ir import types as T
from ..ir.expr import Buffer
from ..pixels.formats import layout_of
from ..pixels.layout import MAX_BYTES, Layout
from ..tracing import Param
from .encode import Encoder, turn
from .rows import Rows
from .scratch import scheduled

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
WORDS = (T.u8, T.u16, T.u32)
"""The types of the elements of planes."""
_ALWAYS_THERE = 16 << 20
"""Bytes for which the system is not asked whether they are available."""


def packed(
    kernel: Kernel, layout: Layout, size: tuple[int, int], *, out: Bytes | None = None, **look: Any
) -> Bytes:
    """The bytes of a picture in a layout: its planes one after another.

    `look` is what `driver.checked_view` takes: center, zoom, time, samples, threads, params. What is not opaque is laid
    on black if the layout has no alpha. Unused bits are zero, but bytes of `out` that hold no sample stay as
    they are. Raises InputError for a layout with a palette or with samples that are no colors, or an `out` of another
    size, and as `Kernel.render` does.

    >>> import pellucid as pl
    >>> from pellucid import images as im
    >>> packed(pl.compile(im.const(im.red)), Layout("B:5 G:6 R:5"), (2, 1)).tobytes().hex()
    '00f800f8'
    """
    check_drawable(layout)
    view = checked_view(size, precision=kernel.options.precision, **look)
    out = destination(layout, view.size, out)
    made = _made_for(kernel, layout, view, aligned=aligned(out))
    memory = parts(layout, view.size, out, made.planes)
    made.code.run(kernel.values(view, params=made.params), memory, threads=view.threads)
    return out


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


@dataclass(frozen=True, slots=True)
class _Made:
    """What was compiled for a layout and a size: the code, the planes it fills, and the picture's parameters."""

    code: Code
    planes: tuple[Buffer, ...]
    params: Mapping[str, Param]


def _made_for(kernel: Kernel, layout: Layout, view: View, *, aligned: bool) -> _Made:
    size, many = view.size, view.samples != 1
    # The usual view is compiled in: pixels are then where samples are.
    usual = (view.center, view.zoom) == ((0.0, 0.0), 1.0)

    def made() -> _Made:
        planes = planes_of(layout.text, size, aligned=aligned)
        frame = nest_of(kernel, layout, size, planes, usual=usual, many=many)
        return _Made(code_of(frame, kernel.options), planes, frame.params)

    return kernel.version((layout.text, size, usual, many, aligned), made)


def nest_of(
    kernel: Kernel,
    layout: Layout,
    size: tuple[int, int],
    planes: tuple[Buffer, ...],
    *,
    usual: bool,
    many: bool,
) -> Frame:
    """The nest that draws into the planes of a layout; for the usual view, or for any, with one sample or many."""
    known: dict[str, float] = {"width": size[0], "height": size[1]}
    known |= {"center_x": 0.0, "center_y": 0.0, "scale": 1.0} if usual else {}
    whole, alone = (math.prod(turn(layout, groups=groups)) for groups in (True, False))
    # A picture is compiled for each pixel of a block by itself.
    rows = Rows(layout, size, turn(layout)[1], "written") if whole > alone else None
    frame = build_into(
        kernel.source,
        kernel.options.real,
        lambda colors: Encoder(layout, size, planes, rows=rows if rows and rows.fits else None).nest(colors),
        planes,
        known=known,
        supersample=many,
        name="packed",
    )
    return replace(frame, kernel=scheduled(frame.kernel).kernel)
