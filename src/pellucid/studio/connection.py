"""One tab of the browser: its messages, and the frames that it asks for.

Made by `server` for each socket; the document that it shows is in `opened`. Messages are JSON; a frame is a line of
JSON and the bytes of the picture. Drawing happens in a thread of its own for each tab, so that sockets never wait.
"""

from __future__ import annotations

import asyncio
import json
import time as clock
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, cast

from pellucid.base.errors import InputError, PellucidError
from pellucid.base.view import View
from pellucid.canvas.live import Explorer
from pellucid.canvas.source import drawing
from pellucid.studio.asking import edited, offered, probed
from pellucid.studio.exporting import FRAME, CancelledError, Exporter, Exports
from pellucid.studio.opened import OpenDocument

#: Messages of a tab in a second, and how many at once: more than hands and sixty frames a second make.
MAX_RATE, MAX_BURST = 240.0, 480.0
#: Pixels of a frame: more than a screen has.
MAX_PIXELS = 1 << 25
#: Answers that a tab may wait for at once.
_MAX_WAITING = 16
Say = Callable[[dict[str, Any]], None]


class Connection:
    """A tab: answers its messages by `say`, and its frames by `show`."""

    def __init__(self, say: Say, show: Callable[[dict[str, Any], bytes], None], exports: Exports) -> None:
        self.say = say
        self._exporter = Exporter(exports)
        self._show = show
        self.opened: OpenDocument | None = None
        self._explorer: Explorer | None = None
        self._shown: object = None
        # What the picture is compared with: its text, and what draws it.
        self._other: tuple[str, Explorer] | None = None
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
        told = {
            "kind": "document",
            "watch": opened.watched,
            "trusted": opened.trust,
            "name": name,
            "epoch": document.epoch,
            "version": document.version,
        }
        self.say({**told, "text": document.text, "saved": document.saved, "recovered": document.recovered})
        if opened.reading is not None:
            self.say(opened.reading.told_with_tree())

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
                self._begin(self._answered(opened.asked(offered, message), message))
            case "edit":
                self._begin(self._answered(opened.asked(edited, message), message))
            case "probe":
                self._begin(self._answered(opened.asked(probed, message), message))
            case "thumbnails":
                self._begin(self._pictured(opened.thumbnails(), message))
            case "variations":
                self._begin(self._pictured(opened.variations(message), message))
            case "compare":
                self._begin(self._pictured(self._compared(opened, message), message))
            case "explain":
                self._begin(self._answered(opened.explained(), message))
            case "snapshots" | "snapshot" | "forget":
                self._begin(self._answered(opened.snapshot(message), message))
            case "export":
                self._begin(self._exported(opened, message))
            case "cancel":
                self._exporter.cancel()
            case "save":
                self._begin(self._answered(opened.save(), message))
            case "decide":
                self._begin(self._answered(opened.decide(message.get("keep")), message))
            case "leave":
                pass
            case other:
                raise InputError(
                    f"{str(other)[:40]!r} is unknown", place="message", fix="load the page again"
                )

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Answer a message while others come."""
        # The page has two frames in flight, and one of each other question; more is of a program that does not wait.
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

    async def _answered(
        self, work: Coroutine[Any, Any, dict[str, Any] | None], message: dict[str, Any]
    ) -> None:
        """Say what is told, if anything is, or what is refused."""
        try:
            told = await work
        except PellucidError as error:
            told = {"kind": "refused", "text": str(error)}
        if told is not None:
            self.say({**told, "ask": message.get("ask")})

    async def _pictured(
        self, work: Coroutine[Any, Any, tuple[dict[str, Any], bytes]], message: dict[str, Any]
    ) -> None:
        """Show pictures, or say what is refused."""
        try:
            self._show(*await work)
        except PellucidError as error:
            self.say({"kind": "refused", "text": str(error), "ask": message.get("ask")})

    async def _exported(self, opened: OpenDocument, message: dict[str, Any]) -> None:
        asked = {"ask": message.get("ask")}
        picture = opened.good.picture if opened.good is not None else None
        name, text = opened.document.path.stem, opened.document.text

        def progress(done: int, total: int) -> None:
            self.say({**asked, "kind": "exporting", "done": done, "total": total})

        try:
            told = {"kind": "exported", **await self._exporter.make(picture, name, text, message, progress)}
        except CancelledError:
            told = {"kind": "cancelled"}
        except PellucidError as error:
            told = {"kind": "refused", "text": str(error)}
        self.say({**told, **asked})

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

    async def _compared(self, opened: OpenDocument, message: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """A frame of the picture of another text, in the view of a message.

        Raises `InputError` if the text has no picture, or there is no such frame.
        """
        text = message.get("text")
        known = self._other is not None and self._other[0] == text
        picture = None if known else await opened.pictured(text)
        work = partial(self._frame_beside, text, picture, message)
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _frame_beside(
        self, text: Any, picture: object, message: dict[str, Any]
    ) -> tuple[dict[str, Any], bytes]:
        """The frame of another text, whose picture comes along where it is not the one that was drawn last."""
        if self._other is None:
            self._other = text, Explorer(picture, View(FRAME))
        elif picture is not None:
            self._other[1].show(picture)
            self._other = text, self._other[1]
        explorer = self._other[1]
        if not _is_size(message.get("size")):
            raise InputError("the frame is too large", place="compare", fix="load the page again")
        asked, known = message.get("params"), {each["name"] for each in explorer.setup()["params"]}
        given = cast("dict[str, Any]", asked) if isinstance(asked, dict) else {}
        params = {name: value for name, value in given.items() if name in known}
        told, data = explorer.answer({**message, "params": params, "exact": True})
        if not data:
            raise InputError(told["text"], place="compare", fix="choose another one")
        return {"kind": "compared", "ask": message.get("ask"), "size": told["size"]}, data[0]

    def _home(self, message: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """Where the picture is best looked at, as it says itself or as `fit` finds."""
        good = self.opened.good if self.opened else None
        if good is None:
            return {"kind": "home"}, b""
        view = drawing(good.picture, FRAME, None, {}, frames=1, fitted=True).view.replace(FRAME)
        return {"kind": "home", "center": list(view.center), "zoom": view.zoom}, b""

    def _current(self) -> Explorer | None:
        good = self.opened.take() if self.opened else None
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
        self._exporter.close()
        for explorer in (self._explorer, self._other and self._other[1]):
            if explorer is not None:
                self._thread.submit(explorer.close)
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


def packed(message: dict[str, Any], data: bytes) -> bytes:
    r"""A message and its bytes as one: a line of JSON, and what follows.

    >>> packed({"id": 1}, b"PNG")
    b'{"id": 1}\nPNG'
    """
    return json.dumps(message).encode() + b"\n" + data
