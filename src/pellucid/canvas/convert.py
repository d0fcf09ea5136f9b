"""Bytes of one packed format to another, in one compiled pass: unpack, change, pack, with no picture in between."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, cast

from pellucid.backends.port import Code
from pellucid.base.arrays import check_apart
from pellucid.base.deep_stack import with_deep_stack
from pellucid.base.errors import InputError, brief
from pellucid.base.gc_pause import gc_paused
from pellucid.base.tracebacks import door
from pellucid.canvas.compose import Pixels
from pellucid.conversion.nests import code_between
from pellucid.conversion.packing import nest_of
from pellucid.conversion.plan import Conversion, conversion
from pellucid.conversion.planes import aligned, bytes_of, check_drawable, destination, parts
from pellucid.driver.frame import loading
from pellucid.driver.kernel import Kernel, checked_source, code_of
from pellucid.driver.options import Options
from pellucid.driver.view import View, checked_view
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer
from pellucid.pixels import Layout, layout_of

MAX_SOURCES = 64
"""Buffers that stand for the bytes of any picture, kept so that equal changes of them are equal programs."""


@door
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
    lines of the notation, or layouts; `size` is width and height in pixels. After the picture, whole pictures of that
    size may follow, such as frames of a video. `op` makes another picture of the one that
    is read, which is centered on the origin, one unit to the pixel: a warp, a filter of colors, anything. It is called
    every time; what it makes is compiled when it is new. The bytes go to `out`, if given, of which
    those that hold no sample stay as they are. Raises `InputError` for elements that are not
    bytes, for too few or too many, an unknown format, an `op` that makes no picture, and an `out` that does not fit.

    >>> convert(bytes([255, 0, 255, 0, 255, 0]), "rgb24", "rgb565", (2, 1)).tobytes().hex()
    '1ff8e007'
    """
    options = Options(numerics, precision, backend)
    chosen, wanted = layout_of(source, "source"), layout_of(target, "target")
    view = checked_view(size, precision=precision, threads=threads)
    given = bytes_of(data, chosen, view.size, offset)
    check_drawable(wanted)
    if op is not None and not callable(op):
        raise InputError(
            f"{brief(op)} is no function", place="op", fix="give one that makes a picture of another"
        )
    out = destination(wanted, view.size, out)
    check_apart(out, given, "data")
    asked = conversion(chosen, wanted, view.size, read=aligned(given), written=aligned(out))
    if op is None:
        code, values, memory = code_between(asked, options), {}, parts(chosen, view.size, given, asked.given)
    else:
        code, values, memory = _changed(asked, given, view, options, op)
    code.run(values, memory | parts(wanted, view.size, out, asked.planes), threads=view.threads)
    return out


class _Changed(NamedTuple):
    """The code for a picture that an `op` made, its arguments, and the buffers that it reads."""

    code: Code
    values: dict[str, Any]
    memory: dict[Buffer, Pixels]


@lru_cache(maxsize=MAX_SOURCES)
def _source(text: str, size: tuple[int, int]) -> Buffer:
    """The buffer that stands for the bytes of any picture in the layout of that text."""
    return Buffer("source", T.u8, layout_of(text).size(*size))


def _changed(
    asked: Conversion, data: Pixels, view: View, options: Options, op: Callable[[Any], Any]
) -> _Changed:
    """The code for what `op` makes of a picture: traced anew, and compiled if nothing equal was."""
    from pellucid.images.packed import reading

    source, target = layout_of(asked.source), layout_of(asked.target)
    bitmap, buffer = reading(source, view.size, data)
    picture = op(bitmap.reconstruct("nearest", "clamp"))
    if picture is None:
        fix = "let op return the picture that it makes"
        raise InputError(f"op gives {brief(cast('object', picture))}", place="convert", fix=fix)
    kernel = Kernel(checked_source(picture), options, now=False)

    def work() -> _Changed:
        frame = nest_of(kernel, target, view.size, asked.planes, usual=True, many=False)
        # The bytes are others each time: with a buffer that stands for any, equal pictures are equal programs.
        any_bytes = _source(asked.source, view.size)
        frame = loading(frame, buffer, any_bytes)
        return _Changed(code_of(frame, options), kernel.values(view, params=frame.params), {any_bytes: data})

    with gc_paused():
        return with_deep_stack(work)
