"""A picture as the bytes of a PNG, as notebooks want it: at rest, or moving.

Called by the method of pictures that notebooks look for, and by `sliders` for every move of a handle.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Unpack

from pellucid.base.opening import contents
from pellucid.base.view import View, spelled_out
from pellucid.canvas.source import DrawArguments, Drawing, drawing
from pellucid.driver.view import carried

#: Pixels of a picture in a notebook, unless asked for otherwise: about the width of a cell.
SIZE = (400, 300)


@spelled_out(DrawArguments)
def png_bytes(
    picture: object,
    size: tuple[int, int] | int | None = None,
    *,
    view: View | None = None,
    **arguments: Unpack[DrawArguments],
) -> bytes:
    r"""The bytes of a PNG of a picture, of 400 by 300 pixels where no view says otherwise; as `pellucid.show`.

    Raises `InputError` for a value out of its range.

    >>> from pellucid import images as im
    >>> png_bytes(im.checkerboard(10, im.red, im.blue), 32)[:8]
    b'\x89PNG\r\n\x1a\n'
    """
    from pellucid.canvas.show import png_of

    asked = in_cell(picture, size, view, arguments)
    return png_of(asked.kernel(), view=asked.view, **asked.near._asdict())


def in_cell(
    picture: object, size: tuple[int, int] | int | None, view: View | None, arguments: DrawArguments
) -> Drawing:
    """Check the arguments of a cell: a drawing in the view given, in that of the picture, or in one that fits a cell.

    Raises `InputError` for a value out of its range.

    >>> from pellucid import images as im
    >>> in_cell(im.udisk, None, None, {}).view
    View(size=(400, 300), zoom=133.33333333333334)
    """
    if size is None and view is None and carried(picture) is None:
        size = SIZE
    return drawing(picture, size, view, arguments, frames=1, fitted=True)


@spelled_out(DrawArguments)
def moving_png_bytes(
    picture: object,
    size: tuple[int, int] | int | None = None,
    *,
    view: View | None = None,
    seconds: float = 2.0,
    fps: float = 15.0,
    **arguments: Unpack[DrawArguments],
) -> bytes:
    r"""The bytes of a moving PNG of an animation, which notebooks and browsers play; as `pellucid.animate`.

    The view that the animation carries is drawn in at most 400 by 300 pixels, since a cell waits for every frame; with
    a `size` or a `view`, it is as large as they say.
    Raises `InputError` for a value out of its range.

    >>> from pellucid import images as im
    >>> b"acTL" in moving_png_bytes(im.turn(im.seconds, im.checkerboard(1, im.red, im.blue)), 8, fps=5)
    True
    """
    from pellucid.canvas.draw import animate

    framed = carried(picture)
    if size is None and view is None and framed is not None:
        size = _within(framed.size)
    asked = in_cell(picture, size, view, arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "moving.png"
        animate(
            asked.kernel(), path, view=asked.view, seconds=seconds, fps=fps,
            progress=lambda done, whole: None, **asked.near._asdict(),
        )  # fmt: skip
        return contents(path)


def _within(size: tuple[int, int]) -> tuple[int, int]:
    """The size of the same shape that is at most `SIZE`."""
    scale = min(1.0, *(most / given for most, given in zip(SIZE, size, strict=True)))
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))
