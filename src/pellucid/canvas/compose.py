"""Small facts about finished pixels: laid on a background, where two frames differ, what is opaque.

Between the kernel, which fills arrays, and `sinks`, which writes them. All arrays are 8-bit, of shape
(height, width, 4) with straight alpha unless said otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Pixels = np.ndarray[Any, np.dtype[np.uint8]]
Rectangle = tuple[int, int, int, int]


def laid_on(pixels: Pixels, background: tuple[int, int, int]) -> Pixels:
    """The colors, of shape (height, width, 3), of a picture laid on a background of red, green and blue in 0..255.

    >>> half = np.array([[[255, 0, 0, 128]]], dtype=np.uint8)
    >>> laid_on(half, (255, 255, 255)).tolist()
    [[[255, 127, 127]]]
    """
    if is_opaque(pixels):
        return compact(pixels[..., :3])
    weight = pixels[..., 3:].astype(np.uint16)
    under = np.asarray(background, dtype=np.uint16)
    # 255 * 255 + 127 fits in 16 bits, so nothing is lost before the one rounding.
    mixed = (pixels[..., :3] * weight + under * (255 - weight) + np.uint16(127)) // np.uint16(255)
    return mixed.astype(np.uint8)


def compact(pixels: NDArray[Any]) -> NDArray[Any]:
    """An array of pixels of any channels as one piece of memory.

    >>> compact(np.zeros((2, 3, 4), np.uint8)[..., :3]).strides
    (9, 3, 1)
    """
    if pixels.flags.c_contiguous:
        return pixels
    made = np.empty(pixels.shape, pixels.dtype)
    # Channel by channel: NumPy would copy three bytes at a time.
    for channel in range(pixels.shape[2]):
        made[..., channel] = pixels[..., channel]
    return made


def is_opaque(pixels: Pixels) -> bool:
    """Whether all pixels are opaque.

    >>> is_opaque(np.full((2, 3, 4), 255, np.uint8)), is_opaque(np.zeros((2, 3, 4), np.uint8))
    (True, False)
    """
    words = pixels.view(np.uint32)
    return bool(np.bitwise_and.reduce(words, axis=None).reshape(1).view(np.uint8)[3] == 255)


def opaque(pixels: Pixels) -> NDArray[np.bool_]:
    """A mask of the visible pixels, for formats without partial alpha: half or more.

    >>> opaque(np.array([[[0, 0, 0, 127], [0, 0, 0, 128]]], dtype=np.uint8)).tolist()
    [[False, True]]
    """
    return pixels[..., 3] >= 128


def changed_rectangle(before: Pixels, after: Pixels, step: int = 1) -> Rectangle:
    """Left, top, right and bottom of the smallest rectangle outside of which two frames are equal.

    Left and top are rounded down to a multiple of `step`; equal frames give the pixel at the origin.

    >>> a = np.zeros((4, 6, 4), np.uint8); b = a.copy(); b[1:3, 3] = 9
    >>> changed_rectangle(a, b), changed_rectangle(a, b, step=2), changed_rectangle(a, a)
    ((3, 1, 4, 3), (2, 0, 4, 3), (0, 0, 1, 1))
    """
    differs = before.view(np.uint32)[..., 0] != after.view(np.uint32)[..., 0]
    rows = np.flatnonzero(differs.any(axis=1))
    if rows.size == 0:
        return 0, 0, 1, 1
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    columns = np.flatnonzero(differs[top:bottom].any(axis=0))
    left, right = int(columns[0]), int(columns[-1]) + 1
    return left - left % step, top - top % step, right, bottom


def cropped(pixels: Pixels, rectangle: Rectangle) -> Pixels:
    """The part of a picture inside left, top, right and bottom, contiguous.

    >>> cropped(np.zeros((4, 6, 4), np.uint8), (1, 0, 3, 4)).shape
    (4, 2, 4)
    """
    left, top, right, bottom = rectangle
    return np.ascontiguousarray(pixels[top:bottom, left:right])


def whole(pixels: Pixels) -> Rectangle:
    """The rectangle of all pixels.

    >>> whole(np.zeros((4, 6, 4), np.uint8))
    (0, 0, 6, 4)
    """
    height, width = pixels.shape[:2]
    return 0, 0, width, height
