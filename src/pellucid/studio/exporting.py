"""Exports: a picture of the page as a file, made beside the frames, with progress, until it is fetched or cancelled.

Used by `connection`, which is asked for an export, and by `server`, from which the page then fetches the file once, by
a key. Each tab has one export at a time; its files go when the tab goes. A PNG carries the text that made it.
"""

from __future__ import annotations

import asyncio
import secrets
import tempfile
import threading
import time as clock
import zipfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

from pellucid.base.errors import InputError
from pellucid.base.record import record
from pellucid.base.view import View
from pellucid.canvas.draw import animate, save
from pellucid.canvas.exporting import export
from pellucid.canvas.png import add_text

FRAME = (768, 576)
"""The view that the page counts in: pixels, of which the canvas has more or fewer."""
MAX_PIXELS = 1 << 28
"""Maximum pixels of an exported frame: 16,384 by 16,384."""
KEYWORD = "pellucid"
"""The keyword of the text in a PNG, by which the page finds it again."""
SAMPLES = 2
"""Samples along each side of a pixel."""
_PROGRESS_SECONDS = 0.1
_SHOWN_SECONDS, _SHOWN_RATE = 2.0, 25.0

Progress = Callable[[int, int], None]


class CancelledError(Exception):
    """The export was cancelled while it was made."""


@record(slots=False)
class Order:
    """What is exported: the picture, its view, the file, and for a film its duration and its rate."""

    picture: Any
    view: View
    path: Path
    source: str
    seconds: float
    fps: float
    progress: Progress


def _still(depth: int) -> Callable[[Order], Path]:
    def made(asked: Order) -> Path:
        save(
            asked.picture, asked.path, view=asked.view, depth=depth, numerics="exact", progress=asked.progress
        )
        return _carrying(asked)

    return made


def _film(asked: Order) -> Path:
    animate(
        asked.picture, asked.path, view=asked.view, seconds=asked.seconds, fps=asked.fps, numerics="exact",
        progress=asked.progress,
    )  # fmt: skip
    return _carrying(asked)


def _carrying(asked: Order) -> Path:
    """The file that was made, with the text of its picture in it if it is a PNG."""
    if asked.path.suffix == ".png":
        add_text(asked.path, KEYWORD, asked.source)
    return asked.path


def _page(asked: Order) -> Path:
    export(asked.picture, asked.path, view=asked.view, source=asked.source)
    return asked.path


def _c(asked: Order) -> Path:
    """The source and its header, in one archive."""
    export(asked.picture, asked.path, numerics="exact")
    whole = asked.path.with_suffix(".zip")
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in sorted(asked.path.parent.glob("*.[ch]")):
            archive.write(each, each.name)
    return whole


FORMATS: Mapping[str, tuple[str, Callable[[Order], Path]]] = {
    "png": ("png", _still(8)),
    "png16": ("png", _still(16)),
    "webp": ("webp", _still(8)),
    "jpeg": ("jpg", _still(8)),
    "gif": ("gif", _film),
    "apng": ("png", _film),
    "movingwebp": ("webp", _film),
    "mp4": ("mp4", _film),
    "c": ("c", _c),
    "html": ("html", _page),
}
"""The suffix and the maker of each format, by the name that the page gives it."""


class Exports:
    """The files of one studio that are made and wait to be fetched."""

    def __init__(self) -> None:
        self._made: dict[str, Path] = {}

    def add(self, path: Path) -> str:
        """The key of a file that is finished."""
        key = secrets.token_urlsafe(16)
        self._made[key] = path
        return key

    def taken(self, key: str) -> Path | None:
        """The file of a key, which then is known no longer; None if there is none."""
        path = self._made.pop(key, None)
        return path if path is not None and path.is_file() else None


class Exporter:
    """Makes the exports of one tab, one at a time, in a thread of its own."""

    def __init__(self, exports: Exports) -> None:
        self._exports = exports
        self._thread = ThreadPoolExecutor(1, "pellucid studio export")
        self._cancelled: threading.Event | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    async def make(
        self, picture: object, name: str, source: str, message: Mapping[str, Any], say: Progress
    ) -> dict[str, Any]:
        """Make a file of a picture, as a message of the page asks; tells its name, and the key to fetch it with.

        `say` hears of the frames that are done, and of all, or of the rows of a still. Raises `InputError` for what
        is no view or no format, if there is no picture, and while another export is made; `CancelledError` if it was
        cancelled.
        """
        if self._cancelled is not None:
            raise InputError("another one is being made", place="export", fix="wait, or cancel it")
        cancelled = self._cancelled = threading.Event()
        loop = asyncio.get_running_loop()
        told = 0.0

        def progress(done: int, total: int) -> None:
            nonlocal told
            if cancelled.is_set():
                raise CancelledError
            if done == total or clock.monotonic() - told >= _PROGRESS_SECONDS:
                told = clock.monotonic()
                loop.call_soon_threadsafe(say, done, total)

        try:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="pellucid-export-")
            folder = Path(tempfile.mkdtemp(dir=self._folder.name))
            order, make = ordered(picture, folder / name, source, message, progress)
            path = await loop.run_in_executor(self._thread, make, order)
            if cancelled.is_set():
                raise CancelledError
        finally:
            self._cancelled = None
        return {"key": self._exports.add(path), "name": path.name}

    def cancel(self) -> None:
        """End what is being made: a film after a frame, a PNG after some rows, anything else when it is done."""
        if self._cancelled is not None:
            self._cancelled.set()

    def close(self) -> None:
        """Forget what was made."""
        self.cancel()
        if self._folder is not None:
            self._thread.submit(self._folder.cleanup)
        self._thread.shutdown(wait=False)


def ordered(
    picture: object, path: Path, source: str, message: Mapping[str, Any], progress: Progress
) -> tuple[Order, Callable[[Order], Path]]:
    """What a message asks for, checked, and what makes it.

    Raises `InputError` for what is no view or no format of `FORMATS`, or if there is no picture.
    """
    if picture is None:
        raise InputError("there is no picture yet", place="export", fix="mend the text first")
    name = message.get("format")
    if not isinstance(name, str) or name not in FORMATS:
        raise InputError(
            f"{str(name)[:20]!r} is none", place="format", fix=f"ask for one of {', '.join(FORMATS)}"
        )
    try:
        width, height = int(message["width"]), int(message["height"])
        x, y = cast("list[Any]", message["center"])
        zoom, time = float(message["zoom"]), float(message["time"])
        seconds, fps = (float(message.get(key, usual)) for key, usual in _USUAL)
        center = float(x), float(y)
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        raise InputError("the view is not whole", place="export", fix="load the page again") from error
    if width <= 0 or height <= 0 or width * height > MAX_PIXELS:
        fix = f"ask for at least one pixel and at most {MAX_PIXELS:,}"
        raise InputError(f"{width}x{height} cannot be exported", place="size", fix=fix)
    suffix, make = FORMATS[name]
    zoom *= width / FRAME[0]
    params = cast("Any", message.get("params") or {})
    view = View((width, height), center=center, zoom=zoom, time=time, params=params, samples=SAMPLES)
    return Order(picture, view, path.with_suffix(f".{suffix}"), source, seconds, fps, progress), make


_USUAL = (("seconds", _SHOWN_SECONDS), ("fps", _SHOWN_RATE))
