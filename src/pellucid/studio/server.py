"""The server of the studio: Starlette and uvicorn on this machine only, behind the guard.

Called by the command `pellucid studio`. It serves the built page, the names of the files, and a socket for each tab.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from pellucid.base.errors import BackendError, InputError, PellucidError
from pellucid.studio.connection import Connection, packed
from pellucid.studio.exporting import Exports
from pellucid.studio.folder import Folder
from pellucid.studio.guard import PageGuard
from pellucid.studio.listening import listening, require, server_of
from pellucid.studio.opened import OpenDocument
from pellucid.studio.thumbnails import PicturedWords

PAGE = Path(__file__).with_name("page")
#: Tabs at once, and documents that they show.
MAX_TABS, MAX_DOCUMENTS = 64, 32
#: Bytes of a message of a tab: a text of a million letters, pasted.
MAX_MESSAGE = 1 << 22
#: Frames that wait to be sent to a tab that reads none, after which it is closed.
_MAX_UNSENT = 256


class Studio:
    """The documents and tabs of one run: a page without a name opens the file `start`; only that one is trusted.

    With `watch` no file is written, and pages show pictures alone.
    """

    def __init__(self, folder: Folder, start: str, *, trust: bool, watch: bool = False) -> None:
        self.watch = watch
        self.folder = folder
        self.start = start
        self.trust = trust
        self.documents: dict[Path, OpenDocument] = {}
        self.tabs = 0
        self.words = PicturedWords()
        self.exports = Exports()

    def opened(self, name: str) -> tuple[OpenDocument, str]:
        """The document of a name, and the name itself; an empty one is the first file."""
        path = self.folder.file(name or self.start)
        if path not in self.documents:
            if len(self.documents) >= MAX_DOCUMENTS:
                self._close_one()
            trust = self.trust and path == self.folder.file(self.start)
            self.documents[path] = OpenDocument(path, trust=trust, watch=self.watch)
        return self.documents[path], self.folder.name_of(path)

    def _close_one(self) -> None:
        """Close a document that no tab shows.

        Raises `InputError` if there is none.
        """
        unseen = next((path for path, each in self.documents.items() if not each.tabs), None)
        if unseen is None:
            raise InputError("too many are open", place="document", fix="close a tab first")
        with suppress(PellucidError):
            self.documents.pop(unseen).close()

    async def tab(self, page: Any) -> None:
        """Serve one socket until it is closed."""
        if self.tabs >= MAX_TABS:
            await page.close(1013, "too many tabs are open")
            return
        self.tabs += 1
        unsent: asyncio.Queue[str | bytes] = asyncio.Queue()

        def say(message: dict[str, Any]) -> None:
            unsent.put_nowait(json.dumps(message))

        connection = Connection(
            say, lambda message, data: unsent.put_nowait(packed(message, data)), self.exports
        )
        sending: asyncio.Task[None] | None = None
        try:
            await page.accept()
            sending = asyncio.create_task(_send(page, unsent))
            await self._talk(page, connection, unsent)
        finally:
            self.tabs -= 1
            connection.close()
            if sending is not None:
                sending.cancel()

    async def _talk(self, page: Any, connection: Connection, unsent: asyncio.Queue[str | bytes]) -> None:
        try:
            connection.show_document(*self.opened(page.query_params.get("file", "")))
        except PellucidError as error:
            connection.say({"kind": "refused", "text": str(error)})
        while True:
            event = await page.receive()
            if event["type"] != "websocket.receive":
                return
            if not connection.allowed() or unsent.qsize() > _MAX_UNSENT:
                await page.close(1008, "too many messages")
                return
            try:
                connection.heard(_message(event.get("text")))
            except PellucidError as error:
                connection.say({"kind": "refused", "text": str(error)})

    def close(self) -> None:
        """Write what is not written."""
        self.words.close()
        for each in self.documents.values():
            with suppress(PellucidError):
                each.close()


async def _send(page: Any, unsent: asyncio.Queue[str | bytes]) -> None:
    while True:
        message = await unsent.get()
        # A tab that is gone is noticed by whoever receives.
        with suppress(RuntimeError, OSError):
            await (page.send_text(message) if isinstance(message, str) else page.send_bytes(message))


def _message(text: object) -> dict[str, Any]:
    try:
        message = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise InputError("it is no object of JSON", place="message", fix="load the page again")
    return cast("dict[str, Any]", message)


def _application(studio: Studio) -> Any:
    from contextlib import asynccontextmanager

    from starlette.applications import Starlette
    from starlette.background import BackgroundTask
    from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
    from starlette.routing import Mount, Route, WebSocketRoute
    from starlette.staticfiles import StaticFiles

    async def page(request: Any) -> Any:
        return FileResponse(PAGE / "index.html", headers={"cache-control": "no-cache"})

    async def files(request: Any) -> Any:
        names = await asyncio.get_running_loop().run_in_executor(None, studio.folder.names)
        return JSONResponse({"start": studio.start, "files": names})

    async def from_library(make: Callable[[], Any]) -> Any:
        """What the library makes, or None when the studio ends meanwhile."""
        try:
            return await asyncio.get_running_loop().run_in_executor(None, make)
        except (InputError, asyncio.CancelledError):
            return None

    async def library_words(request: Any) -> Any:
        told = await from_library(studio.words.told)
        return JSONResponse(told, 200 if told else 503)

    async def library_pictures(request: Any) -> Any:
        data = await from_library(studio.words.sheet)
        return Response(data or b"", 200 if data else 503, media_type="image/png")

    async def exported(request: Any) -> Any:
        path = studio.exports.taken(request.query_params.get("key", ""))
        if path is None:
            return PlainTextResponse("There is no such file; export it again.", 404)
        done = BackgroundTask(path.unlink, missing_ok=True)
        return FileResponse(path, filename=path.name, background=done, headers={"cache-control": "no-store"})

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncGenerator[None]:
        yield
        studio.close()

    routes = [
        Route("/", page),
        Route("/files", files),
        Route("/library", library_words),
        Route("/library.png", library_pictures),
        Route("/exported", exported),
        WebSocketRoute("/socket", studio.tab),
        Mount("/assets", StaticFiles(directory=PAGE / "assets")),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


def serve(
    root: Path,
    start: str,
    *,
    announce: Callable[[str], None],
    trust: bool = False,
    watch: bool = False,
    port: int = 0,
) -> None:
    """Serve the studio for the files below `root` until it is interrupted; `announce` is told the address to open.

    With `trust`, code in the file `start` is run; elsewhere only words of the vocabulary are called. With
    `watch`, the picture alone is shown, as the file is saved by another editor. Raises
    `MissingExtraError` without its packages, `FileError` if `start` is no file that may be opened, `BackendError`
    without the built page, and `InputError` if the port is taken.
    """
    require()
    folder = Folder(root)
    folder.file(start)
    if not (PAGE / "index.html").is_file():
        raise BackendError(
            "this installation has no page of the studio",
            place=str(PAGE),
            fix="run scripts/setup, or install a wheel",
        )
    with listening(port) as listener:
        studio = Studio(folder, start, trust=trust, watch=watch)
        guard = PageGuard(_application(studio), listener.getsockname()[1])
        server = server_of(
            guard, ws="websockets-sansio", ws_max_size=MAX_MESSAGE, ws_per_message_deflate=False
        )
        announce(guard.address)
        server.run(sockets=[listener])
