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
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from pellucid.base.errors import BackendError, InputError, brief
from pellucid.base.kinds import NUMBER, TEXT, Kind, optional, takes
from pellucid.canvas.draw import render, save
from pellucid.canvas.formats import Look, format_of
from pellucid.canvas.sinks import write_still
from pellucid.canvas.source import Kernel, compiled, precision_of
from pellucid.canvas.terminal import MODES, as_text, color_mode, fitting_size
from pellucid.driver.view import check_known_params, checked_view

_STREAM = optional(
    Kind("a stream of text", lambda thing: callable(getattr(thing, "write", None)), "give an open file")
)

#: Pictures per second of an animation in a terminal: about what terminals follow.
_TERMINAL_FPS = 20


@takes(seconds=NUMBER, mode=optional(TEXT), stream=_STREAM)
def show(
    picture: object,
    size: tuple[int, int] | int = (512, 512),
    *,
    center: tuple[float, float] = (0.0, 0.0),
    zoom: float = 1.0,
    time: float = 0.0,
    seconds: float = 0.0,
    samples: int = 1,
    numerics: str | None = None,
    precision: str | None = None,
    backend: str | None = None,
    threads: int | None = None,
    params: Mapping[str, float] | None = None,
    mode: str | None = None,
    stream: TextIO | None = None,
) -> None:
    """Show a picture in the notebook or terminal that this runs in, otherwise with the viewer of the system.

    In a terminal the view of `size` pixels is drawn smaller, as colored half blocks; `seconds` above 0 plays an
    animation there. `mode` is `truecolor`, `256` or `ascii` and is found out without being given; giving it, or
    a `stream`, always prints text. Otherwise as `render`. Raises `InputError` for a value out of its range,
    `BackendError` if there is no viewer.

    >>> import sys
    >>> from pellucid import images as im
    >>> show(im.checkerboard(8, im.black, im.white), 16, mode="ascii", stream=sys.stdout)
    @@@@@@@@
    @@@@@@@@
    @@@@@@@@
    @@@@@@@@
            @@@@@@@@
            @@@@@@@@
            @@@@@@@@
            @@@@@@@@
    """
    view = checked_view(
        size, center=center, zoom=zoom, time=time, samples=samples, threads=threads, params=params,
        precision=precision_of(picture, precision),
    )  # fmt: skip
    if mode is not None and mode not in MODES:
        raise InputError(f"{brief(mode)} is unknown", place="mode", fix=f"choose one of {', '.join(MODES)}")
    kernel = compiled(picture, numerics=numerics, precision=precision, backend=backend)
    check_known_params(view.params, kernel.params)
    look: dict[str, Any] = {
        "center": view.center, "time": view.time, "samples": view.samples, "threads": threads, "params": view.params,
    }  # fmt: skip
    written_to = sys.stdout if stream is None else stream
    if mode is None and stream is None:
        if _in_notebook():
            _display(png_of(kernel, view.size, zoom=view.zoom, **look))
            return
        if not written_to.isatty():
            _open_viewer(kernel, view.size, view.zoom, look)
            return
    _print(kernel, view.size, view.zoom, look, written_to, mode or color_mode(written_to), seconds)


def png_of(picture: object, size: tuple[int, int] | int = (512, 512), **look: Any) -> bytes:
    """The bytes of a PNG of a picture; the options are those of `render`.

    >>> from pellucid import images as im
    >>> png_of(im.checkerboard(10, im.red, im.blue), 16)[1:4]
    b'PNG'
    """
    buffer = io.BytesIO()
    write_still(buffer, render(picture, size, **look), Look(format_of("picture.png")))
    return buffer.getvalue()


def _print(
    kernel: Kernel,
    size: tuple[int, int],
    zoom: float,
    look: dict[str, Any],
    stream: TextIO,
    mode: str,
    seconds: float,
) -> None:
    cells = shutil.get_terminal_size()
    width, height = fitting_size(size, mode, cells)
    # A letter is one tall pixel: it is drawn as two square ones, of which the mean is shown.
    drawn = (width, 2 * height) if mode == "ascii" else (width, height)
    smaller = zoom * width / size[0]
    # Drawn smaller, a picture loses its fine parts to chance unless each pixel is a mean.
    look = {**look, "samples": max(look["samples"], min(math.ceil(zoom / smaller), 4))}
    began = clock.monotonic()
    lines = 0
    while True:
        spent = clock.monotonic() - began
        moment = {**look, "time": look["time"] + spent} if seconds > 0 else look
        pixels = render(kernel, drawn, zoom=smaller, **moment)
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


def _open_viewer(kernel: Kernel, size: tuple[int, int], zoom: float, look: dict[str, Any]) -> None:
    opener = _opener()
    if opener is None:
        raise BackendError(
            "there is no terminal and no picture viewer to show it",
            place="show",
            fix="save it to a file instead",
        )
    # The viewer reads the file after this returns, so it is left to the system's temporary folder.
    path = Path(tempfile.mkdtemp(prefix="pellucid-")) / "picture.png"
    save(kernel, path, size, zoom=zoom, **look)
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
