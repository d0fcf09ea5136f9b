"""Bytes of one packed format to another, in one compiled pass: unpack, change, pack, with no buffer in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from pellucid.base.errors import InputError, brief
from pellucid.canvas.compose import Pixels
from pellucid.driver import compile
from pellucid.pixels import Layout, layout_of
from pellucid.pixels.packing import packed


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
    from pellucid.images import from_buffer

    read: Any = from_buffer(data, source, size, offset).reconstruct("nearest", "clamp")
    picture = read if op is None else op(read)
    if picture is None:
        fix = "let op return the picture that it makes"
        raise InputError(f"op gives {brief(cast('object', picture))}", place="convert", fix=fix)
    kernel = compile(picture, numerics=numerics, precision=precision, backend=backend)
    return packed(kernel, layout_of(target), size, threads=threads, out=out)
