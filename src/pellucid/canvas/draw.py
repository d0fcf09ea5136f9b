"""The verbs of `canvas`: render a picture into an array, save it as a file, animate it into a moving file.

The top of `canvas`: everything that was asked for is checked first, then the picture is compiled once, then
pixels flow into their sink. Nothing is written before everything that can be wrong has been found right.
"""

from __future__ import annotations

import functools
import io
import math
import os
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, BinaryIO, Unpack, cast

import numpy as np

from pellucid.base.atomic import atomic_write
from pellucid.base.errors import InputError, brief
from pellucid.base.kinds import FUNCTION, TRUTH, optional, takes
from pellucid.base.progress import Progress, ProgressLine
from pellucid.base.tracebacks import door
from pellucid.base.view import View, spelled_out
from pellucid.canvas.bands import Bands, Samples, rows_of_band
from pellucid.canvas.compose import Pixels, laid_on
from pellucid.canvas.deep import deep_layout, laid_on_deep, require_writer, write_exr
from pellucid.canvas.formats import (
    Format,
    Look,
    check_alpha,
    checked_depth,
    checked_look,
    checked_path,
    format_named,
    format_of,
)
from pellucid.canvas.sinks import BANDED, require_video, write_bands, write_still
from pellucid.canvas.source import DrawArguments, Kernel, drawing, draws_parts
from pellucid.driver import Kernel as Compiled
from pellucid.driver.threads import available
from pellucid.driver.view import EXACT, Smooth, check_size, checked_out, part_of

if TYPE_CHECKING:
    from fractions import Fraction

    from pellucid.pixels import Layout

#: Past these rates the times of a GIF round to what players refuse to follow.
_FASTEST_GIF = 50
_MAX_FRAMES = 10_000_000
#: Pixels of all frames from which on it pays to compile apart what does not move.
_LONG = 1 << 22


@spelled_out(DrawArguments)
@door
def render(
    picture: object,
    size: tuple[int, int] | int | None = None,
    *,
    view: View | None = None,
    alpha: str = "straight",
    format: str | Layout | None = None,
    part: tuple[int, int, int, int] | None = None,
    out: Pixels | None = None,
    **arguments: Unpack[DrawArguments],
) -> Pixels:
    """The pixels of a picture as an 8-bit array of shape (height, width, 4): red, green, blue and alpha.

    The `view` (or else that which the picture carries, or else a `View` of 512 by 512 pixels) says what is looked at:
    `size` is in pixels, `center` in units, `zoom` in pixels per unit, `time` in seconds. What is given beside it
    overrides its field of that name. The vertical axis grows upward, row 0 is the top row, colors are taken at pixel
    centers; each pixel is the mean light of `samples` by `samples` points.
    `alpha` is `straight` or `premultiplied`. With a `format`, such as "nv12" or a line of the notation of layouts,
    it is a flat array of the bytes of the picture in that format. Of a `part`, which is (left, top, width, height) in
    pixels of the whole `size`, they are those that the whole has there, bit for bit. The pixels go to `out`, if given:
    a contiguous array of the same shape.

    A pixel may be off by a little, in parts of a channel's range: a `tolerance` such as 1/255 is kept for sure; an
    `error` is an estimate, and `samples` then are the most that a row of a pixel gets.
    Raises `InputError` for a value out of its range.

    >>> from pellucid import images as im
    >>> render(im.checkerboard(10, im.red, im.blue), 64).shape
    (64, 64, 4)
    >>> render(im.udisk, view=View((64, 32), zoom=8.0), time=2.0).shape
    (32, 64, 4)
    >>> render(im.udisk, (100_000, 100_000), zoom=40_000.0, part=(9_000, 50_000, 64, 8)).shape
    (8, 64, 4)
    """
    asked = drawing(picture, size, view, arguments, frames=0 if out is not None else 1, part=part)
    check_alpha(alpha)
    if asked.near != EXACT and format is not None:
        raise InputError(
            "only pixels may be off by a little", place="format", fix="leave it out, or tolerance and error"
        )
    if part is not None and format is not None:
        raise InputError(
            "parts are drawn as pixels", place="format", fix="leave it out, or pl.convert the pixels"
        )
    if out is not None and format is None:
        width, height = part_of(asked.view, part).size
        checked_out(out, (height, width, 4))
    kernel = asked.kernel()
    if format is not None:
        return _in_format(kernel, format, asked.view, out)
    return _pixels(kernel, asked.view, alpha, out, asked.near, part)


@spelled_out(DrawArguments)
@door
@takes(progress=optional(FUNCTION))
def save(
    picture: object,
    path: str | os.PathLike[str] | BinaryIO,
    size: tuple[int, int] | int | None = None,
    *,
    view: View | None = None,
    format: str | None = None,
    depth: int | None = None,
    quality: int | None = None,
    background: object = None,
    alpha: str | None = None,
    progress: Progress | None = None,
    **arguments: Unpack[DrawArguments],
) -> None:
    """Save a picture as PNG, JPEG, WebP, TIFF, GIF, NPY or EXR, whichever `format` or else the suffix of `path` names.

    `path` may be a file that is open for bytes, or any object that writes them, such as `io.BytesIO`; then `format`
    must be given, and the whole file is written in one piece.
    `quality` is 1 to 100 for JPEG and WebP (WebP is lossless without it); `background` is laid under the
    picture: a word, `#rrggbb` or three numbers in 0..255, white for JPEG. The file appears whole or not at all.
    `depth` is the bits of a sample: 8 by default, 16 for PNG, TIFF and NPY, or 32 for TIFF and NPY, which then hold
    floats from 0 to 1. EXR holds floats of 32 bits by default, or half floats of 16. Samples are numbers of sRGB, as
    floats too; those of EXR are amounts of light (linear, with the primaries of sRGB). `alpha` says whether colors are
    `straight`, which is the default, or `premultiplied`, as they always are in EXR.
    EXR needs the extra `pellucid[exr]`.
    PNG, TIFF and NPY are drawn and written some rows at a time, in the memory of a few of them, whatever the size of
    the picture; other files take three times their pixels. `progress` is called with the rows done and in all, and
    without it a bar is shown on a terminal for work longer than a second. A `tolerance` or an `error` takes the whole
    picture at once, from 1 GiB of pixels on as space on the disk.
    Otherwise as `render`. Raises `InputError` for a value out of its range, `FileError` if the file cannot be
    written, `MissingExtraError` if its extra is not installed.

    >>> import pathlib, tempfile
    >>> from pellucid import images as im
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "board.png"
    >>> save(im.checkerboard(10, im.red, im.blue), path, 64)
    >>> path.read_bytes()[1:4]
    b'PNG'
    """
    asked = drawing(picture, size, view, arguments)
    seen = asked.view
    target = path if hasattr(path, "write") else None
    kind = _kind_of(path, format, target is not None)
    look = checked_look(kind, seen.size, quality=quality, background=background, alpha=alpha)
    bits = checked_depth(depth, kind, near=asked.near != EXACT)
    require_writer(kind)
    in_parts = asked.near == EXACT and draws_parts(asked.picture)
    by_bands = kind.name in BANDED and in_parts
    memory = None
    if by_bands:
        width, height = seen.size
        rows = min(rows_of_band(width, 4 * bits // 8), height)
        check_size((width, rows), frames=(2 * (seen.threads or available()) + 2) * bits // 8)
    else:
        if kind.name in BANDED and target is None:
            from pellucid.canvas.spill import spilled

            memory = spilled(cast("str", path), seen.size)
        if memory is None:
            check_size(seen.size, frames=1 if kind.name in BANDED else 3 * bits // 8)
    kernel = asked.kernel()

    def write(file: BinaryIO) -> None:
        with ProgressLine("rows") as line:
            told = functools.partial(_told, progress or line, seen.size[1])
            if kind.name in BANDED:
                whole = None if by_bands else _pixels(kernel, seen, look.alpha, memory, asked.near)
                write_bands(file, _bands(kernel, seen, look, bits, whole, told), look)
                return
            if bits > 8:
                write_exr(file, _deep(kernel, look, bits, seen), look, bits)
                told(seen.size[1])
            else:
                rows = rows_of_band(seen.size[0], 4) if in_parts else seen.size[1]
                write_still(file, _by_rows(kernel, seen, look.alpha, asked.near, rows, told), look)

    if target is not None:
        whole = io.BytesIO()
        write(whole)
        cast("BinaryIO", target).write(whole.getvalue())
        return
    with atomic_write(cast("str", path)) as file:
        write(file)


def _told(progress: Progress, total: int, done: int) -> None:
    progress(done, total)


def _by_rows(
    kernel: Kernel, view: View, alpha: str, near: Smooth, rows: int, told: Callable[[int], None]
) -> Pixels:
    """A whole picture, drawn so many rows at a time, between which it is told how many there are."""
    width, height = view.size
    if rows >= height:
        whole = _pixels(kernel, view, alpha, near=near)
        told(height)
        return whole
    whole = np.empty((height, width, 4), np.uint8)
    for top in range(0, height, rows):
        bottom = min(top + rows, height)
        whole[top:bottom] = _pixels(kernel, view, alpha, part=(0, top, width, bottom - top))
        told(bottom)
    return whole


def _deep(
    kernel: Kernel, look: Look, bits: int, view: View, part: tuple[int, int, int, int] | None = None
) -> Samples:
    """The samples of a picture, or a part of it, of more than 8 bits."""
    layout, element = deep_layout(look, bits)
    _, _, width, height = part or (0, 0, *view.size)
    return _in_format(kernel, layout, view, None, part).view(element).reshape(height, width, 4)


def _bands(
    kernel: Kernel, view: View, look: Look, bits: int, whole: Pixels | None, told: Callable[[int], None]
) -> Bands:
    """The rows of a picture as a file holds them: those of the `whole`, or else drawn when they are wanted."""
    width, height = view.size
    background = look.backed()
    element = deep_layout(look, bits)[1] if bits > 8 else "u1"

    def draw(top: int, rows: int) -> Samples:
        part = 0, top, width, rows
        if bits > 8:
            samples = _deep(kernel, look, bits, view, part)
            return samples if background is None else laid_on_deep(samples, background)
        pixels = _pixels(kernel, view, look.alpha, part=part) if whole is None else whole[top : top + rows]
        return pixels if background is None else laid_on(pixels, background)

    channels = 4 if background is None else 3
    return Bands(width, height, channels, np.dtype(element), draw, view.threads or available(), told)


def _kind_of(path: object, format: str | None, is_open: bool) -> Format:
    """The kind of file to be written.

    Raises `InputError` for a file that is open for text, and for one that is open while nothing says its format.
    """
    if isinstance(path, io.TextIOBase):
        raise InputError("this file is open for text", place="path", fix="open it for bytes, with mode 'wb'")
    if format is None and is_open:
        raise InputError("an open file has no suffix", place="format", fix='give one, such as format="png"')
    if format is None:
        return format_of(cast("str", path))
    if not is_open:
        checked_path(path)
    return format_named(format)


@spelled_out(DrawArguments)
@door
@takes(loop=TRUTH, progress=optional(FUNCTION))
def animate(
    picture: object,
    path: str | os.PathLike[str],
    size: tuple[int, int] | int | None = None,
    *,
    view: View | None = None,
    seconds: float = 2.0,
    fps: float = 25.0,
    quality: int | None = None,
    background: object = None,
    alpha: str = "straight",
    loop: bool = True,
    progress: Progress | None = None,
    start: float | None = None,
    **arguments: Unpack[DrawArguments],
) -> None:
    """Save `seconds` of an animation as animated PNG, WebP, GIF, as MP4 or WebM, or as a four-dimensional NPY.

    Frame number i, of `fps` per second, shows the time of the view + i / `fps`. The picture is compiled once, what does
    not change with time is computed once, and frames are written as they come. `progress` is called with the frames
    done and in all; without it, a bar is shown on a terminal for work longer than a second. Otherwise as `save`.
    `start` is the former name of `time`. Raises `InputError`, `FileError`, and `MissingExtraError` if a video is asked
    for without PyAV.

    >>> import pathlib, tempfile
    >>> from pellucid import images as im
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "turning.png"
    >>> animate(im.animation(lambda t: im.turn(t, im.checkerboard(10, im.red, im.blue))), path, 32, fps=5)
    >>> path.stat().st_size > 0
    True
    """
    if start is not None:
        warnings.warn("animate(start=...) is called time=... now", DeprecationWarning, stacklevel=4)
        arguments["time"] = start
    # Whoever draws a still needs no films.
    from pellucid.canvas.film import frames_on_the_way, write_film
    from pellucid.driver.film import MAX_PLANES

    asked = drawing(picture, size, view, arguments)
    seen = asked.view
    check_size(seen.size, frames=frames_on_the_way(seen.threads) + MAX_PLANES)
    look = checked_look(
        format_of(path),
        seen.size,
        moving=True,
        quality=quality,
        background=background,
        alpha=alpha,
        loop=loop,
    )
    count, rate = checked_film(seconds, fps, look)
    if look.format.name in ("MP4", "WebM"):
        require_video()
    kernel = asked.kernel()
    with atomic_write(path) as file, ProgressLine() as line:
        frames = _frames(kernel, seen, look, count, rate, asked.near, progress or line)
        write_film(file, frames, look, seen.size, rate, seen.threads)


def checked_film(seconds: object, fps: object, look: Look) -> tuple[int, Fraction]:
    """The number of frames and the exact rate of a film.

    Raises `InputError` if a duration or rate is not positive and finite, or out of the reach of the format.

    >>> from pellucid.canvas.formats import format_of
    >>> checked_film(2, 29.97, Look(format_of("a.png")))
    (60, Fraction(2997, 100))
    """
    from fractions import Fraction

    numbers: list[float] = []
    for place, value in (("seconds", seconds), ("fps", fps)):
        try:
            number = (
                float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan
            )
        except OverflowError:
            number = math.inf
        if not (math.isfinite(number) and number > 0):
            raise InputError(
                f"{brief(value)} is not a positive, finite number", place=place, fix="give one, such as 2.5"
            )
        numbers.append(number)
    duration, speed = numbers
    if look.format.name == "GIF" and speed > _FASTEST_GIF:
        raise InputError(
            f"{speed:g} frames per second are too fast for GIF",
            place="fps",
            fix=f"give at most {_FASTEST_GIF}, or choose PNG, WebP or MP4",
        )
    rate = Fraction(speed).limit_denominator(1001)
    if not Fraction(1, 1000) <= rate <= 1000:
        raise InputError(f"{speed:g} is out of range", place="fps", fix="give a number from 0.001 to 1000")
    count = max(round(duration * rate), 1)
    if count > _MAX_FRAMES:
        raise InputError(
            f"{count} frames are too many", place="seconds", fix=f"at most {_MAX_FRAMES} make a film"
        )
    return count, rate


def _frames(
    kernel: Kernel, view: View, look: Look, count: int, rate: Fraction, near: Smooth, progress: Progress
) -> Iterator[Pixels]:
    from pellucid.driver.film import Film

    frame: Pixels | None = None
    width, height = view.size
    film = (
        Film(kernel, view, look.alpha)
        if isinstance(kernel, Compiled) and near == EXACT and count * width * height >= _LONG
        else None
    )
    for number in range(count):
        # What does not move is computed once; each other frame is a fresh array, because compression lags behind.
        if frame is None or kernel.time_varying:
            time = float(view.time + number / rate)
            frame = (
                _pixels(kernel, view.replace(time=time), look.alpha, near=near)
                if film is None
                else film.frame(time)
            )
        yield frame
        progress(number + 1, count)


def _pixels(
    kernel: Kernel,
    view: View,
    alpha: str,
    out: Pixels | None = None,
    near: Smooth = EXACT,
    part: tuple[int, int, int, int] | None = None,
) -> Pixels:
    draw = kernel.premultiplied if alpha == "premultiplied" else kernel.render
    if isinstance(kernel, Compiled):
        return draw(view=view, part=part, out=out, **near._asdict())
    if part is not None:
        raise InputError(
            "this kernel draws whole pictures", place="part", fix="give the picture, or pl.compile it"
        )
    if near != EXACT:
        raise InputError("this kernel is always exact", place="tolerance", fix="leave it out")
    return draw(**view.arguments(), out=out)


def _in_format(
    kernel: Kernel,
    format: str | Layout,
    view: View,
    out: Pixels | None,
    part: tuple[int, int, int, int] | None = None,
) -> Pixels:
    from pellucid.conversion.packing import packed
    from pellucid.pixels import layout_of

    if not isinstance(kernel, Compiled):
        raise InputError(
            "this kernel draws whole bytes only", place="format", fix="give the picture, or pl.compile it"
        )
    return packed(kernel, layout_of(format), **view.arguments(), part=part, out=out)
