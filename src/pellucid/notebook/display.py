"""A picture as the bytes of a PNG, as notebooks want it.

Called by the display hook of pictures, and by `sliders` for every move of a handle.
"""

from __future__ import annotations

from typing import Any

#: Pixels of a picture in a notebook, unless asked for otherwise: about the width of a cell.
SIZE = (400, 300)


def png_bytes(picture: object, size: tuple[int, int] | int = SIZE, **look: Any) -> bytes:
    r"""The bytes of a PNG of a picture; `look` holds options of `pellucid.canvas.render`, such as `zoom=4.0`.

    Raises `InputError` for a value out of its range.

    >>> from pellucid import images as im
    >>> png_bytes(im.checkerboard(10, im.red, im.blue), 32)[:8]
    b'\x89PNG\r\n\x1a\n'
    """
    from pellucid.canvas import png_of

    return png_of(picture, size, **look)


def load_ipython_extension(shell: Any) -> None:
    """Let pictures show themselves in IPython; called by `%load_ext pellucid.notebook`."""
    from pellucid.images import Animation, Image

    formatter = shell.display_formatter.formatters["image/png"]
    for kind in (Image, Animation):
        formatter.for_type(kind, png_bytes)
