"""One tab of the browser: its messages, and the frames that it asks for.

Made by `server` for each socket. Messages are JSON; a frame is a line of JSON and the bytes of the picture. Drawing
happens in a thread of its own for each tab, and reading in one for each document, so that sockets never wait.
"""

from __future__ import annotations

import asyncio
import io
import json
import time as clock
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, cast

from pellucid.base.errors import FileError, InputError, PellucidError
from pellucid.base.view import View
from pellucid.canvas.draw import save
from pellucid.canvas.live import Explorer
from pellucid.canvas.source import drawing
from pellucid.document import pictures
from pellucid.studio.asking import edited, offered
from pellucid.studio.document import StoredText
from pellucid.studio.reading import VersionReading, read
from pellucid.studio.thumbnails import COLUMNS, SIZE, Thumbnails

#: Seconds without a change after which a text is written to its file.
IDLE = 2.0
#: Seconds of changes that may be lost when the process is killed.
_KEEP = 0.2
#: Seconds between two looks at a file.
_WATCH = 1.0
#: Messages of a tab in a second, and how many at once: more than hands and sixty frames a second make.
MAX_RATE, MAX_BURST = 240.0, 480.0
#: Pixels of a frame: more than a screen has.
MAX_PIXELS = 1 << 25
#: What is exported, by the name that the page gives it: the suffix, and the bits of a sample.
FORMATS = {"png": ("png", 8), "png16": ("png", 16), "webp": ("webp", 8), "jpeg": ("jpg", 8)}
#: Answers that a tab may wait for at once.
_MAX_WAITING = 6
#: The view that the page counts in: pixels, of which the canvas has more or fewer.
FRAME = (768, 576)

Say = Callable[[dict[str, Any]], None]


class OpenDocument:
    """A document with the tabs that show it, what it means now, and what it meant when it last made sense."""

    def __init__(self, path: Path, *, trust: bool) -> None:
        self.document = StoredText(path)
        self.reading: VersionReading | None = None
        self.good: VersionReading | None = None
        self.tabs: set[Connection] = set()
        self._trust = trust
        self._thumbnails = Thumbnails()
        self._thread = ThreadPoolExecutor(1, "pellucid studio reading")
        self._painting = ThreadPoolExecutor(1, "pellucid studio thumbnails")
        self._busy = False
        self._keeping = False
        self._touched = clock.monotonic()
        self._conflict = False
        self._saved_version = -1 if self.document.recovered else self.document.version
        self._watching = asyncio.create_task(self._watch())
        self.read()

    def say(self, message: dict[str, Any]) -> None:
        """Tell all tabs."""
        for tab in self.tabs:
            tab.say(message)

    def push(self, version: int, updates: Any) -> bool:
        """Take updates of a tab and tell all tabs; False if they are for an older version."""
        taken = self.document.push(version, updates)
        if taken:
            self.changed(version)
        return taken

    def changed(self, version: int) -> None:
        """Tell all tabs what came after a version, and read the text."""
        self._touched = clock.monotonic()
        if not self._keeping:
            self._keeping = True
            asyncio.get_running_loop().create_task(self._keep())
        self.say({"kind": "updates", "version": version, "updates": self.document.since(version)})
        self.read()

    def read(self) -> None:
        """Have the text read; while one is read, only the latest version waits."""
        if not self._busy:
            self._busy = True
            asyncio.get_running_loop().create_task(self._read())

    async def _read(self) -> None:
        loop, document = asyncio.get_running_loop(), self.document
        try:
            while self.reading is None or self.reading.version != document.version:
                asked = document.version, document.text, document.path, self.reading
                work = partial(read, *asked, trust=self._trust)
                found = await loop.run_in_executor(self._thread, work)
                self.reading = found
                if found.picture is not None:
                    self.good = found
                self.say(found.told())
        finally:
            self._busy = False

    # ---- the tree ----

    async def asked(self, ask: Callable[..., dict[str, Any]], message: dict[str, Any]) -> dict[str, Any]:
        """The answer to what a page asks of the tree, after what is being read is read.

        Raises `InputError` if it cannot be answered.
        """

        def work() -> dict[str, Any]:
            if self.reading is None:
                raise InputError("nothing is read yet", place="edit", fix="try again")
            return ask(self.reading, message)

        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def thumbnails(self) -> tuple[dict[str, Any], bytes]:
        """Small pictures of all nodes that have one, as one sheet."""
        loop = asyncio.get_running_loop()

        def gathered() -> dict[int, tuple[str, Any]]:
            document = self.reading.document if self.reading is not None else None
            if document is None:
                return {}
            return pictures(document, trust=self._trust, folder=self.document.path.parent)

        # What is drawn keeps no text from being read.
        found = await loop.run_in_executor(self._thread, gathered)
        nodes, sheet = await loop.run_in_executor(self._painting, self._thumbnails.of, found)
        return {"kind": "thumbnails", "columns": COLUMNS, "size": SIZE, "nodes": nodes}, sheet

    # ---- the file ----

    async def _keep(self) -> None:
        """Keep what is changed in the recovery file; what is typed in one go is written once."""
        try:
            while self.document.unkept:
                await asyncio.sleep(_KEEP)
                await asyncio.to_thread(self.document.keep)
        except FileError as error:
            self.say({"kind": "notice", "text": str(error)})
        finally:
            self._keeping = False

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_WATCH / 2)
            try:
                self.look()
            except FileError as error:
                self.say({"kind": "notice", "text": str(error)})
                await asyncio.sleep(4 * _WATCH)

    def look(self) -> None:
        """Write the text if it rested, or take that of the file if only the file was changed."""
        document = self.document
        if document.elsewhere():
            if document.saved:
                version = document.version
                if document.reread():
                    self.changed(version)
                    self.say(
                        {"kind": "notice", "text": "The file was changed by another program, and read again."}
                    )
            elif not self._conflict:
                self._conflict = True
                self.say({"kind": "conflict"})
            return
        self._conflict = False
        rested = clock.monotonic() - self._touched >= IDLE
        if rested and document.version != self._saved_version and document.save():
            self.say_saved()

    def save(self) -> None:
        """Write the text now, unless the file was changed by another program."""
        if self.document.save():
            self.say_saved()

    def say_saved(self) -> None:
        """Tell all tabs that the file has the text."""
        self._saved_version = self.document.version
        self.say({"kind": "saved", "version": self._saved_version})

    def decide(self, keep: object) -> None:
        """Settle a conflict with the file: keep `mine`, the text of the page, or `theirs`."""
        document = self.document
        if keep == "mine":
            document.overwrite()
        elif keep == "theirs":
            version = document.version
            if document.reread():
                self.changed(version)
        self._conflict = False
        self.say_saved()

    def close(self) -> None:
        """Write what is not written, unless somebody else changed the file; then it stays in the recovery file."""
        self._watching.cancel()
        for thread in (self._thread, self._painting):
            thread.shutdown(wait=False, cancel_futures=True)
        try:
            self.document.save()
        finally:
            self.document.keep()


class Connection:
    """A tab: answers its messages by `say`, and its frames by `show`."""

    def __init__(self, say: Say, show: Callable[[dict[str, Any], bytes], None]) -> None:
        self.say = say
        self._show = show
        self.opened: OpenDocument | None = None
        self._explorer: Explorer | None = None
        self._shown: object = None
        self._thread = ThreadPoolExecutor(1, "pellucid studio drawing")
        self._waiting = 0
        self._credit, self._at = MAX_BURST, clock.monotonic()

    def allowed(self) -> bool:
        """Whether one more message may come now."""
        now = clock.monotonic()
        self._credit = min(MAX_BURST, self._credit + MAX_RATE * (now - self._at)) - 1
        self._at = now
        return self._credit >= 0

    def show_document(self, opened: OpenDocument, name: str) -> None:
        """Tell the page of a document, and of each of its changes from now on."""
        self.opened = opened
        opened.tabs.add(self)
        document = opened.document
        told = {"kind": "document", "name": name, "epoch": document.epoch, "version": document.version}
        self.say({**told, "text": document.text, "saved": document.saved, "recovered": document.recovered})
        if opened.reading is not None:
            self.say(opened.reading.told())

    def heard(self, message: dict[str, Any]) -> None:
        """Do what a message of the page says.

        Raises `InputError` for what makes no sense.
        """
        opened = self.opened
        if opened is None:
            raise InputError("no document is open", place="message", fix="open one first")
        match message.get("kind"):
            case "push":
                version = message.get("version")
                if message.get("epoch") != opened.document.epoch or not isinstance(version, int):
                    raise InputError("it is for another document", place="push", fix="load the page again")
                if not opened.push(version, message.get("updates")):
                    # The tab puts its changes after those that it has not seen, and tries again.
                    updates = opened.document.since(version)
                    if updates is None:
                        raise InputError("it is too old", place="push", fix="load the page again")
                    self.say({"kind": "updates", "version": version, "updates": updates})
            case "frame" | "home" as kind:
                self._begin(self._drawn(kind, message))
            case "offers":
                self._begin(self._asked(opened, offered, message))
            case "edit":
                self._begin(self._asked(opened, edited, message))
            case "thumbnails":
                self._begin(self._thumbnails(opened))
            case "save":
                opened.save()
            case "decide":
                opened.decide(message.get("keep"))
            case "leave":
                pass
            case other:
                raise InputError(
                    f"{str(other)[:40]!r} is unknown", place="message", fix="load the page again"
                )

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Answer a message while others come."""
        # The page has two frames in flight, and asks one thing of a tree; more is of a program that does not wait.
        if self._waiting >= _MAX_WAITING:
            work.close()
            return

        async def answered() -> None:
            try:
                await work
            finally:
                self._waiting -= 1

        self._waiting += 1
        asyncio.get_running_loop().create_task(answered())

    async def _asked(
        self, opened: OpenDocument, ask: Callable[..., dict[str, Any]], message: dict[str, Any]
    ) -> None:
        try:
            told = await opened.asked(ask, message)
        except PellucidError as error:
            told = {"kind": "refused", "text": str(error)}
        self.say({**told, "ask": message.get("ask")})

    async def _thumbnails(self, opened: OpenDocument) -> None:
        self._show(*await opened.thumbnails())

    async def _drawn(self, kind: str, message: dict[str, Any]) -> None:
        loop = asyncio.get_running_loop()
        try:
            work = self._home if kind == "home" else self._frame
            told, data = await loop.run_in_executor(self._thread, work, message)
        except PellucidError as error:
            told, data = {**_told(message), "kind": "trouble", "text": str(error)}, b""
        self._show(told, data)

    def _frame(self, message: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        explorer = self._current()
        size = message.get("size")
        if explorer is None or not _is_size(size):
            text = "There is no picture yet." if explorer is None else "The frame is too large."
            return {**_told(message), "kind": "trouble", "text": text}, b""
        told, data = explorer.answer(message)
        return told, data[0] if data else b""

    def _home(self, message: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """Where the picture is best looked at, as it says itself or as `fit` finds."""
        good = self.opened.good if self.opened else None
        if good is None:
            return {"kind": "home"}, b""
        view = drawing(good.picture, FRAME, None, {}, frames=1, fitted=True).view.replace(FRAME)
        return {"kind": "home", "center": list(view.center), "zoom": view.zoom}, b""

    def _current(self) -> Explorer | None:
        good = self.opened.good if self.opened else None
        if good is None or good.picture is None:
            return None
        if self._explorer is None:
            self._explorer = Explorer(good.picture, View(FRAME))
        elif good.picture is not self._shown:
            self._explorer.show(good.picture)
        self._shown = good.picture
        return self._explorer

    def close(self) -> None:
        """Forget the tab; what is being drawn ends by itself."""
        if self.opened is not None:
            self.opened.tabs.discard(self)
        if self._explorer is not None:
            self._thread.submit(self._explorer.close)
        self._thread.shutdown(wait=False)


def _told(message: dict[str, Any]) -> dict[str, Any]:
    return {name: message.get(name) for name in ("viewer", "id", "exact", "size")}


def _is_size(size: object) -> bool:
    sides = cast("list[object]", size) if isinstance(size, list) else []
    match sides:
        case [int(width), int(height)]:
            return width > 0 and height > 0 and width * height <= MAX_PIXELS
        case _:
            return False


def exported(good: VersionReading | None, asked: Mapping[str, str]) -> tuple[bytes, str]:
    """The bytes of a picture in the view of a page, which counts in pixels of `FRAME`, and the suffix of their format.

    Raises `InputError` for what is no view or no format of `FORMATS`, or if there is no picture.
    """
    if good is None:
        raise InputError("there is no picture yet", place="export", fix="mend the text first")
    try:
        width, height = int(asked["width"]), int(asked["height"])
        x, y, zoom, time = (float(asked[name]) for name in ("x", "y", "zoom", "time"))
    except (KeyError, ValueError) as error:
        raise InputError("the view is not whole", place="export", fix="load the page again") from error
    if not 0 < width * height <= MAX_PIXELS:
        raise InputError(f"{width}x{height} is too large", place="export", fix="ask for fewer pixels")
    view = View((width, height), center=(x, y), zoom=zoom * width / FRAME[0], time=time, samples=2)
    name = asked.get("format", "png")
    if name not in FORMATS:
        raise InputError(f"{name[:20]!r} is none", place="format", fix=f"ask for one of {', '.join(FORMATS)}")
    suffix, depth = FORMATS[name]
    file = io.BytesIO()
    save(good.picture, file, view=view, format=suffix, depth=depth, numerics="exact")
    return file.getvalue(), suffix


def packed(message: dict[str, Any], data: bytes) -> bytes:
    r"""A message and its bytes as one: a line of JSON, and what follows.

    >>> packed({"id": 1}, b"PNG")
    b'{"id": 1}\nPNG'
    """
    return json.dumps(message).encode() + b"\n" + data
