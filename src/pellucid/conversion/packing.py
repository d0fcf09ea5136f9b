"""Pictures drawn straight into packed formats.

Stands on the driver, which traces, optimizes and runs the nest of `encode` as it does frames.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..backends.port import Code
from ..base.record import record
from ..driver.frame import Colors, Frame, build_into
from ..driver.kernel import Kernel, code_of
from ..driver.view import View, checked_view, part_of
from ..ir.expr import Buffer, Expr
from ..ir.nest import Block
from ..pixels.layout import Layout
from ..tracing import Param
from .color_model import Components
from .encode import Encoder, kept
from .plan import BlockGrid, period
from .planes import Bytes, aligned, check_drawable, destination, parts, planes_of
from .rows import Rows
from .scratch import scheduled


def packed(
    kernel: Kernel,
    layout: Layout,
    size: tuple[int, int],
    *,
    part: tuple[int, int, int, int] | None = None,
    out: Bytes | None = None,
    **look: Any,
) -> Bytes:
    """The bytes of a picture in a layout: its planes one after another.

    `look` is what `driver.checked_view` takes: center, zoom, time, samples, threads, params. What is not opaque is laid
    on black if the layout has no alpha. Unused bits are zero, but bytes of `out` that hold no sample stay as
    they are. A `part` of the picture (left, top, width, height in pixels) is laid out as a picture of its own, whose
    pixels have the colors of their places in the whole. Raises InputError for a layout with a palette or with samples
    that are no colors, or an `out` of another size, and as `Kernel.render` does.

    >>> import pellucid as pl
    >>> from pellucid import images as im
    >>> packed(pl.compile(im.const(im.red)), Layout("B:5 G:6 R:5"), (2, 1)).tobytes().hex()
    '00f800f8'
    """
    check_drawable(layout)
    view = checked_view(size, precision=kernel.options.precision, part=part, **look)
    place = part_of(view, part)
    out = destination(layout, place.size, out)
    made = _made_for(kernel, layout, view, None if part is None else place.size, aligned=aligned(out))
    memory = parts(layout, place.size, out, made.planes)
    made.code.run(kernel.values(view, place, params=made.params), memory, threads=view.threads)
    return out


@record
class _Made:
    """The code for a layout and a size, the planes that it fills, and the picture's parameters."""

    code: Code
    planes: tuple[Buffer, ...]
    params: Mapping[str, Param]


def _made_for(
    kernel: Kernel, layout: Layout, view: View, part: tuple[int, int] | None, *, aligned: bool
) -> _Made:
    """The code for a view, or for any part of a size."""
    size, many = part or view.size, view.samples != 1
    # The usual view is compiled in: pixels are then where samples are.
    usual = (view.center, view.zoom) == ((0.0, 0.0), 1.0)

    def made() -> _Made:
        planes = planes_of(layout.text, size, aligned=aligned)
        frame = nest_of(kernel, layout, size, planes, usual=usual, many=many, parted=part is not None)
        return _Made(code_of(frame, kernel.options), planes, frame.params)

    return kernel.version((layout.text, size, usual, many, part is None, aligned), made)


def nest_of(
    kernel: Kernel,
    layout: Layout,
    size: tuple[int, int],
    planes: tuple[Buffer, ...],
    *,
    usual: bool,
    many: bool,
    parted: bool = False,
) -> Frame:
    """The nest that draws into the planes of a layout; for the usual view, or for any, with one sample or many.

    If it is `parted`, it draws any part of this size of a picture of any size; else a whole picture.
    """
    known: dict[str, float] = {"width": size[0], "height": size[1]}
    if not parted:
        known |= {"left": 0, "top": 0, "whole_width": size[0], "whole_height": size[1]}
    known |= {"center_x": 0.0, "center_y": 0.0, "scale": 1.0} if usual else {}
    whole, alone = (math.prod(period(layout, groups=groups)) for groups in (True, False))
    # A picture is compiled for each pixel of a block by itself.
    rows = Rows(layout, size, period(layout)[1], "written") if whole > alone else None
    rows = rows if rows and rows.fits else None
    blocks = BlockGrid(size, *period(layout, groups=rows is None))
    linear = layout.said["transfer"] == "linear"

    def fill(colors: Colors) -> Block:
        def color(column: Expr, row: Expr) -> Components:
            return kept(layout, colors(column, row), linear=linear)

        return Encoder(layout, planes, blocks, color, rows=rows, facts=blocks.facts()).nest()

    frame = build_into(
        kernel.source, kernel.options.real, fill, planes, known=known, supersample=many, name="packed"
    )
    return replace(frame, kernel=scheduled(frame.kernel).kernel)
