"""Bytes of one packed format to another, in one compiled pass: unpack, change, pack, with no buffer in between."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

import numpy as np

from pellucid.base.errors import InputError, brief
from pellucid.canvas.compose import Pixels
from pellucid.driver.kernel import Kernel, checked_source
from pellucid.driver.options import Options
from pellucid.ir.expr import Buffer
from pellucid.pixels import Layout, layout_of
from pellucid.pixels.packing import packed

KEPT = 32
"""How many conversions without an `op` stay compiled."""


def convert(
    data: object,
    source: str | Layout,
    target: str | Layout,
    size: tuple[int, int],
    *,
    op: Callable[[Any], Any] | None = None,
    offset: int = 0,
    numerics: str = "relaxed",
    precision: str = "f32",
    backend: str = "auto",
    threads: int | None = None,
    out: Pixels | None = None,
) -> Pixels:
    """The bytes of a picture in another format, as a flat array.

    `data` holds the bytes in the format `source`, from `offset` on; formats are names of `pellucid.pixels.FORMATS`,
    lines of the notation, or layouts; `size` is width and height in pixels. `op` makes another picture of the one that
    is read, which is centered on the origin, one unit to the pixel: a warp, a filter of colors, anything. The bytes go
    to `out`, if given. Raises `InputError` for too few bytes, an unknown format, or an `op` that makes no picture.

    >>> convert(bytes([255, 0, 255, 0, 255, 0]), "rgb24", "rgb565", (2, 1)).tobytes().hex()
    '1ff8e007'
    """
    from pellucid.images.packed import bytes_of, from_buffer

    options = Options(numerics, precision, backend)
    wanted = layout_of(target)
    if op is None:
        chosen = layout_of(source)
        given = bytes_of(data, chosen, size, offset)
        kernel, buffer = _plain(chosen.text, (int(size[0]), int(size[1])), options)
        return packed(kernel, wanted, size, threads=threads, memory={buffer: given}, out=out)
    picture = op(from_buffer(data, source, size, offset).reconstruct("nearest", "clamp"))
    if picture is None:
        fix = "let op return the picture that it makes"
        raise InputError(f"op gives {brief(cast('object', picture))}", place="convert", fix=fix)
    kernel = Kernel(checked_source(picture), options, now=False)
    return packed(kernel, wanted, size, threads=threads, out=out)


@lru_cache(maxsize=KEPT)
def _plain(text: str, size: tuple[int, int], options: Options) -> tuple[Kernel, Buffer]:
    """A picture that is nothing but what is read, for whatever bytes it is given."""
    from pellucid.images.packed import reading

    layout = Layout(text)
    blank: Pixels = np.zeros(layout.size(*size), np.uint8)
    picture, buffer = reading(layout, size, blank)
    return Kernel(checked_source(picture.reconstruct("nearest", "clamp")), options, now=False), buffer
