"""Showing a picture where the person is: in a notebook, in a terminal, or with the viewer of the system.

A sibling of `draw`, which it uses for the pixels.
"""

from __future__ import annotations

import io
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time as clock
from pathlib import Path
from typing import Any, TextIO, Unpack

from pellucid.base.errors import BackendError, InputError, brief
from pellucid.base.kinds import NUMBER, TEXT, ArgumentKind, optional, takes
from pellucid.base.tracebacks import door
from pellucid.base.view import View, spelled_out
from pellucid.canvas.draw import render, save
from pellucid.canvas.source import DrawArguments, Kernel, drawing
from pellucid.canvas.terminal import MODES, as_text, color_mode, fitting_size

_STREAM = optional(
    ArgumentKind(
        "a stream of text", lambda thing: callable(getattr(thing, "write", None)), "give an open file"
    )
)

#: Pictures per second of an animation in a terminal: about what terminals follow.
_TERMINAL_FPS = 20


@spelled_out(DrawArguments)
@door
@takes(seconds=NUMBER, mode=optional(TEXT), stream=_STREAM)
def show(
    picture: object,
    size: tuple[int, int] | int | None = None,
    *,
    view: View | None = None,
    seconds: float = 0.0,
    mode: str | None = None,
    stream: TextIO | None = None,
    **arguments: Unpack[DrawArguments],
) -> None:
    """Show a picture in the notebook or terminal that this runs in, otherwise with the viewer of the system.

    In a terminal the view of `size` pixels is drawn smaller, as colored half blocks; `seconds` above 0 plays an
    animation there. `mode` is `truecolor`, `256` or `ascii` and is found out without being given; giving it, or
    a `stream`, always prints text. Without a view and a zoom, the picture is looked at as `fit` finds. Otherwise as
    `render`. Raises `InputError` for a value out of its range, `BackendError` if there is no viewer.

    >>> import sys
    >>> from pellucid import images as im
    >>> show(im.checkerboard(8, im.black, im.white), 16, zoom=1.0, mode="ascii", stream=sys.stdout)
    @@@@@@@@
    @@@@@@@@
    @@@@@@@@
    @@@@@@@@
            @@@@@@@@
            @@@@@@@@
            @@@@@@@@
            @@@@@@@@
    """
    asked = drawing(picture, size, view, arguments, frames=1, fitted=True)
    if mode is not None and mode not in MODES:
        raise InputError(f"{brief(mode)} is unknown", place="mode", fix=f"choose one of {', '.join(MODES)}")
    kernel = asked.kernel()
    near: dict[str, Any] = asked.near._asdict()
    written_to = sys.stdout if stream is None else stream
    if mode is None and stream is None:
        if _in_notebook():
            _display(png_of(kernel, view=asked.view, **near))
            return
        if not written_to.isatty():
            _open_viewer(kernel, asked.view, near)
            return
    _print(kernel, asked.view, near, written_to, mode or color_mode(written_to), seconds)


@spelled_out(DrawArguments)
def png_of(
    picture: object,
    size: tuple[int, int] | int | None = None,
    *,
    view: View | None = None,
    **arguments: Unpack[DrawArguments],
) -> bytes:
    """The bytes of a PNG of a picture; the options are those of `render`.

    >>> from pellucid import images as im
    >>> png_of(im.checkerboard(10, im.red, im.blue), 16)[1:4]
    b'PNG'
    """
    buffer = io.BytesIO()
    save(picture, buffer, size, view=view, format="png", **arguments)
    return buffer.getvalue()


def _print(
    kernel: Kernel, view: View, near: dict[str, Any], stream: TextIO, mode: str, seconds: float
) -> None:
    width, height = fitting_size(view.size, mode, shutil.get_terminal_size())
    # A letter is one tall pixel: it is drawn as two square ones, of which the mean is shown.
    drawn = (width, 2 * height) if mode == "ascii" else (width, height)
    smaller = view.zoom * width / view.size[0]
    # Drawn smaller, a picture loses its fine parts to chance unless each pixel is a mean.
    samples = max(view.samples, min(math.ceil(view.zoom / smaller), 4))
    view = view.replace(drawn, zoom=smaller, samples=samples)
    began = clock.monotonic()
    lines = 0
    while True:
        spent = clock.monotonic() - began
        moment = view.replace(time=view.time + spent) if seconds > 0 else view
        pixels = render(kernel, view=moment, **near)
        if mode == "ascii":
            pixels = ((pixels[0::2].astype("u2") + pixels[1::2]) // 2).astype("u1")
        text = as_text(pixels, mode)
        stream.write((f"\x1b[{lines}A" if lines else "") + text)
        stream.flush()
        lines = text.count("\n")
        if not spent < seconds or not kernel.time_varying:
            return
        clock.sleep(1 / _TERMINAL_FPS)


def _in_notebook() -> bool:
    """Whether a Jupyter kernel runs this: then IPython is loaded, so that it need not be imported to ask."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


def _display(png: bytes) -> None:
    publish = sys.modules["IPython"].display.publish_display_data
    publish({"image/png": png})


def _open_viewer(kernel: Kernel, view: View, near: dict[str, Any]) -> None:
    opener = _opener()
    if opener is None:
        raise BackendError(
            "there is no terminal and no picture viewer to show it",
            place="show",
            fix="save it to a file instead",
        )
    # The viewer reads the file after this returns, so it is left to the system's temporary folder.
    path = Path(tempfile.mkdtemp(prefix="pellucid-")) / "picture.png"
    save(kernel, path, view=view, **near)
    subprocess.Popen([*opener, str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _opener() -> list[str] | None:
    if sys.platform == "win32":
        return ["cmd", "/c", "start", ""]
    if sys.platform == "darwin":
        return ["open"]
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return None
    found = shutil.which("xdg-open")
    return [found] if found else None
