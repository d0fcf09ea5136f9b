"""Frames of pictures that carry none: the width at which there is most to see.

A bitmap has a size, and is seen whole. Any other picture is drawn small at widths that double, by the tile machine. At
each width two things are measured: how many different colors there are (the entropy of a histogram), and how rough the
small picture is (how much neighbors differ in relation to how much all pixels differ). What is plain has no entropy.
What is so fine that pixels hit or miss it by chance is as rough as noise. The best width is between them: many colors,
and several pixels for each part. Then the widths half a step away are tried.

The small pictures are drawn in exact numerics, so that every machine finds the same view.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..base.errors import InputError
from ..base.tracebacks import door
from ..base.view import View, ViewArguments, looked_at, spelled_out
from .compiled import noted
from .frame import OUT, FrameVariant, PictureSource
from .kernel import Kernel, checked_source, code_of
from .options import Options
from .view import check_known_params, checked_view, is_resolved

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Pixels of a small picture, whatever its shape.
_PIXELS = 48 * 32
_MIN_SIDE = 4
_WIDTHS = tuple(2.0**k for k in range(-6, 15))
#: The roughness of a small picture with some eight parts in a row.
_ROUGH = 0.45
#: The part of a score that each doubling of the width away from 4 units takes: some pictures look alike at all scales.
_USUAL = 0.03
#: The mean difference from the mean color, in parts of 255, under which a picture is plain.
_PLAIN = 1.0
#: Decimal digits of a score: logarithms may differ in their last bit between machines.
_DIGITS = 6


@spelled_out(ViewArguments)
@door
def fit(
    picture: PictureSource | Kernel,
    size: tuple[int, int] | int | None = None,
    *,
    precision: str | None = None,
    **arguments: Unpack[ViewArguments],
) -> View:
    """A view of a picture in which there is something to see: the zoom is found, the rest is as it is given.

    A bitmap is seen whole. Any other picture is drawn small about the center, at widths from 1/64 to 16384 units; the
    same picture gives the same view on every machine. One that is plain at all of them gets a zoom of 1, and a `zoom`
    that is given is obeyed. A view that the picture carries is left aside. `precision` is f32 or f64, in which
    neighboring pixels of the view have different coordinates; that of a kernel, or else f32. Raises InputError as
    `render` does.

    >>> from pellucid import images as im
    >>> fit(im.udisk, (600, 400))
    View(size=(600, 400), zoom=200.0)
    >>> fit(im.const(im.red), 64), fit(im.udisk, 64, zoom=2.0)
    (View(size=(64, 64)), View(size=(64, 64), zoom=2.0))
    """
    if isinstance(picture, Kernel):
        if precision not in (None, picture.options.precision):
            fix = "leave it out, or give the picture that it was made of"
            raise InputError("this picture is compiled already", place="precision", fix=fix)
        kernel = picture
    else:
        kernel = Kernel(
            checked_source(picture), Options(precision="f32" if precision is None else precision), now=False
        )
    seen = checked_view(view=looked_at(None, size, arguments), precision=kernel.options.precision, frames=0)
    return seen if "zoom" in arguments else fitted(kernel, seen)


def fitted(kernel: Kernel, view: View) -> View:
    """A view that has been checked, at the zoom at which there is most to see.

    >>> from pellucid import images as im
    >>> fitted(Kernel(im.udisk, Options(), now=False), View(64)).zoom > 10
    True
    """
    frame = kernel.frame(FrameVariant())
    check_known_params(view.params, frame.params)
    if (extent := _extent(kernel.source)) is not None:
        return view.replace(zoom=min(view.size[0] / extent[0], view.size[1] / extent[1]))
    options = Options("exact", kernel.options.precision, "tiles")
    seen = repr((view.size, view.center, view.time, view.samples, sorted(view.params.items())))
    width = noted(
        "fit", frame.kernel, lambda: frame.digest + seen, options, lambda: _width(kernel, view, options)
    )
    return view.replace(zoom=view.size[0] / width) if width else view


def _width(kernel: Kernel, view: View, options: Options) -> float:
    """The width in units at which there is most to see; 0 where the picture is plain at all of them."""
    frame = kernel.frame(FrameVariant())
    code = code_of(frame, options)
    side = math.sqrt(_PIXELS / (view.size[0] * view.size[1]))
    small = max(round(view.size[0] * side), _MIN_SIDE), max(round(view.size[1] * side), _MIN_SIDE)

    def resolved(widths: Sequence[float]) -> list[float]:
        return [w for w in widths if is_resolved(view.replace(zoom=view.size[0] / w), options.precision)]

    def scores(widths: Sequence[float]) -> list[float]:
        pixels = np.empty((len(widths), small[1], small[0], 4), np.uint8)
        for each, width in zip(pixels, widths, strict=True):
            there = view.replace(small, zoom=small[0] / width, samples=1)
            values = kernel.values(there, params=frame.params)
            code.run(values, {OUT: each.reshape(-1).view(np.uint32)}, threads=1)
        usual = 1 - _USUAL * np.abs(np.log2(np.array(widths) / 4))
        return np.round(_interest(pixels) * usual, _DIGITS).tolist()

    widths = resolved(_WIDTHS)
    found = scores(widths) if widths else []
    if max(found, default=0) <= 0:
        return 0.0
    best = widths[found.index(max(found))]
    near = resolved([best, 0.75 * best, 1.5 * best])
    found = scores(near)
    return near[found.index(max(found))]


def _extent(source: object) -> tuple[int, int] | None:
    """The width and height in units of a picture that has an end, as a bitmap says by its `size`; otherwise None."""
    match getattr(source, "size", None):
        case int(width), int(height):
            return width, height
        case _:
            return None


def _interest(pixels: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The score of each picture of an array of shape (pictures, rows, columns, 4); 0 for a plain one.

    >>> plain, noise = np.zeros((8, 8, 4), np.uint8), np.zeros((8, 8, 4), np.uint8)
    >>> noise[::2, ::2] = noise[1::2, 1::2] = 255
    >>> halves = np.repeat(np.repeat(noise[:2, :2], 4, 0), 4, 1)
    >>> a, b, c = _interest(np.stack([plain, noise, halves]))
    >>> bool(a == 0 and 0 < b < c)
    True
    """
    count = len(pixels)
    levels = pixels.astype(np.int16)
    across = np.abs(np.diff(levels, axis=2)).max(-1).reshape(count, -1)
    down = np.abs(np.diff(levels, axis=1)).max(-1).reshape(count, -1)
    flat = levels.reshape(count, -1, 4)
    total: Any = np.add.reduce(flat, axis=1, keepdims=True, dtype=np.int64)
    mean: NDArray[np.int16] = np.rint(total / flat.shape[1]).astype(np.int16)
    spread = np.abs(flat - mean).max(-1).mean(1)
    rough = (across.sum(1) + down.sum(1)) / (across.shape[1] + down.shape[1]) / np.maximum(spread, _PLAIN)
    entropy = np.array([_entropy(each) for each in (flat >> 5) @ _EIGHTS])
    return np.where(spread < _PLAIN, 0.0, entropy**2 * rough * np.exp(-rough / _ROUGH))


#: A color of eight levels in each channel, as one number.
_EIGHTS = np.array([512, 64, 8, 1])


def _entropy(colors: NDArray[np.int_]) -> float:
    """The entropy of some colors, in bits."""
    counts = np.bincount(colors)
    parts = counts[counts > 0] / colors.size
    return float(-(parts * np.log2(parts)).sum())
