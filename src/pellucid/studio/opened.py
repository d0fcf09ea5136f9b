"""A document that tabs of the browser show: what it means now, and what is read and written for it.

Made by `server` when its first tab comes, and told of by `connection`. Reading has a thread for each document and small
pictures have one, and files are read and written in others, so that the loop that answers sockets never waits.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time as clock
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from pellucid.base.errors import FileError, InputError
from pellucid.document import MAX_CHARACTERS, pictures
from pellucid.studio.document import StoredText
from pellucid.studio.reading import VersionReading, read
from pellucid.studio.seeing import explained
from pellucid.studio.snapshots import Snapshots
from pellucid.studio.thumbnails import COLUMNS, SIZE, Thumbnails
from pellucid.studio.varying import varied

#: Seconds without a change after which a text is written to its file.
IDLE = 2.0
#: Seconds of changes that may be lost when the process is killed.
_KEEP = 0.2
#: Seconds in which a tab takes up what was read, if it does.
_TAKING = 0.1
#: Seconds for each node of a tree in which it is not told again: pages have as much to do with it.
_TREE = 3e-4
#: Seconds between two looks at a file.
_WATCH = 1.0


class Tab(Protocol):
    """A tab of the browser, as far as a document knows it."""

    def say(self, message: dict[str, Any], /) -> None:
        """Send a message to the tab."""
        ...


class OpenDocument:
    """A document with the tabs that show it, what it means now, and what it meant when it last made sense.

    A file that is `watched` is shown as its own editor saves it, and never written.
    """

    def __init__(self, path: Path, *, trust: bool, watch: bool = False) -> None:
        self.watched = watch
        self.document = StoredText(path, recover=not watch)
        self.reading: VersionReading | None = None
        self.good: VersionReading | None = None
        self.tabs: set[Tab] = set()
        self._taken = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self.trust = trust
        self._thumbnails = Thumbnails()
        self._snapshots = Snapshots(path)
        self._filing = asyncio.Lock()
        self._thread = ThreadPoolExecutor(1, "pellucid studio reading")
        self._painting = ThreadPoolExecutor(1, "pellucid studio thumbnails")
        self._busy = False
        # When a tree may be told again, and what tells the one that is not told yet.
        self._next_tree = -math.inf
        self._telling: asyncio.Task[None] | None = None
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
        """Take updates of a tab and tell all tabs; False if they are for an older version.

        Raises `InputError` for what is no update, and if the file is only watched.
        """
        if self.watched:
            raise InputError("the file is only watched", place="push", fix="change it in your editor")
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
                found, told = await loop.run_in_executor(self._thread, self._found, *asked)
                self.reading = found
                self._taken.clear()
                if found.picture is not None:
                    self.good = found
                self.say(told)
                if "tree" not in told and found.version == document.version and self._telling is None:
                    self._telling = asyncio.create_task(self._tell_tree())
                if self.tabs and found.picture is not None and found.version != document.version:
                    # Where changes follow each other, the next one is read while this one is drawn. What is read
                    # sooner is drawn by nobody, and takes the time of what is.
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self._taken.wait(), _TAKING)
        finally:
            self._busy = False

    def take(self) -> VersionReading | None:
        """The last reading that has a picture, for a tab that draws it; asked for in any thread."""
        self._loop.call_soon_threadsafe(self._taken.set)
        return self.good

    def _found(
        self, version: int, text: str, path: Path, before: VersionReading | None
    ) -> tuple[VersionReading, dict[str, Any]]:
        """The reading of a text, and what pages are told of it."""
        found = read(version, text, path, before, trust=self.trust)
        # A tree is large, and no page takes that of a text which it knows to be changed.
        last = version == self.document.version
        return found, self._told(found) if last and clock.monotonic() >= self._next_tree else found.told()

    def _told(self, found: VersionReading) -> dict[str, Any]:
        """What pages are told of a reading with its tree; made in the thread that reads."""
        told = found.told_with_tree()
        self._next_tree = clock.monotonic() + _TREE * len(told["tree"].get("nodes", ()))
        return told

    async def _tell_tree(self) -> None:
        """Tell the tree of the last reading, after a pause that begins with the one before."""
        try:
            # What is read later is told later; a text that is changed is read again.
            while (found := self.reading) is not None and found.version == self.document.version:
                if (pause := self._next_tree - clock.monotonic()) > 0:
                    await asyncio.sleep(pause)
                    continue
                message = await asyncio.get_running_loop().run_in_executor(self._thread, self._told, found)
                if found is self.reading:
                    return self.say(message)
        finally:
            self._telling = None

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
            return pictures(document, trust=self.trust, folder=self.document.path.parent)

        # What is drawn keeps no text from being read.
        found = await loop.run_in_executor(self._thread, gathered)
        nodes, sheet = await loop.run_in_executor(self._painting, self._thumbnails.of, found)
        return {"kind": "thumbnails", "columns": COLUMNS, "size": SIZE, "nodes": nodes}, sheet

    async def variations(self, message: Mapping[str, Any]) -> tuple[dict[str, Any], bytes]:
        """Small pictures of what changes of the text give; raises `InputError` for what is no change of it."""
        return await asyncio.get_running_loop().run_in_executor(
            self._painting, varied, self._read_last(), message
        )

    async def pictured(self, text: object) -> object:
        """The picture of another text in the place of this one; raises `InputError` if it has none."""
        if not isinstance(text, str) or len(text) > MAX_CHARACTERS:
            raise InputError("this is no text", place="compare", fix="load the page again")
        work = partial(read, 0, text, self.document.path, None, trust=self.trust)
        found = await asyncio.get_running_loop().run_in_executor(self._painting, work)
        if found.picture is None:
            raise InputError("the text has no picture any more", place="compare", fix="choose another one")
        return found.picture

    async def explained(self) -> dict[str, Any]:
        """The report of the compilation of the picture; raises `InputError` if there is none."""
        return await asyncio.get_running_loop().run_in_executor(self._painting, explained, self._read_last())

    def _read_last(self) -> VersionReading:
        if self.reading is None:
            raise InputError("nothing is read yet", place="text", fix="try again")
        return self.reading

    async def snapshot(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """Keep the text of a message by a name, forget a name, or only tell which there are.

        Raises `InputError` for what cannot be kept, and `FileError` if it cannot be written.
        """
        kind, name, text = (message.get(key) for key in ("kind", "name", "text"))
        if kind == "snapshots":
            return {"kind": "snapshots", "snapshots": self._snapshots.told()}
        if kind == "forget":
            await asyncio.to_thread(self._snapshots.forget, name)
        else:
            if not isinstance(text, str) or len(text) > MAX_CHARACTERS:
                raise InputError("this is no text", place="snapshot", fix="load the page again")
            await asyncio.to_thread(self._snapshots.keep, name, text)
        self.say({"kind": "snapshots", "snapshots": self._snapshots.told()})
        return None

    # ---- the file: read and written in other threads, one after the other ----

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
                await self.look()
            except FileError as error:
                self.say({"kind": "notice", "text": str(error)})
                await asyncio.sleep(4 * _WATCH)

    async def look(self) -> None:
        """Write the text if it rested, or take that of the file if only the file was changed."""
        document = self.document
        async with self._filing:
            found = await asyncio.to_thread(document.look)
            if document.is_elsewhere(found):
                if document.saved:
                    self._reread(found)
                elif not self._conflict:
                    self._conflict = True
                    self.say({"kind": "conflict"})
                return
            self._conflict = False
            rested = clock.monotonic() - self._touched >= IDLE
            if rested and document.version != self._saved_version:
                await self._write(document.save)

    def _reread(self, found: str | None) -> None:
        version = self.document.version
        if self.document.reread(found):
            self.changed(version)
            self._say_saved(self.document.version)
            text = "The file was changed by another program, and read again."
            self.say({"kind": "notice", "text": text})

    async def _write(self, write: Callable[[], bool]) -> None:
        """Write the text as it is now; what is changed meanwhile is written later."""
        version = self.document.version
        if await asyncio.to_thread(write):
            self._say_saved(version)

    async def save(self) -> None:
        """Write the text now, unless the file was changed by another program.

        Raises `FileError` if it cannot be written.
        """
        async with self._filing:
            await self._write(self.document.save)

    def _say_saved(self, version: int) -> None:
        """Tell all tabs that the file has the text of a version."""
        self._saved_version = version
        self.say({"kind": "saved", "version": version})

    async def decide(self, keep: object) -> None:
        """Settle a conflict with the file: keep `mine`, the text of the page, or `theirs`.

        Raises `FileError` if the file cannot be read or written.
        """
        async with self._filing:
            self._conflict = False
            if keep == "mine":
                await self._write(self.document.overwrite)
            elif keep == "theirs":
                found = await asyncio.to_thread(self.document.look)
                version = self.document.version
                if self.document.reread(found):
                    self.changed(version)
                self._say_saved(self.document.version)

    def close(self) -> None:
        """Write what is not written, unless somebody else changed the file; then it stays in the recovery file."""
        for task in (self._watching, self._telling):
            if task is not None:
                task.cancel()
        for thread in (self._thread, self._painting):
            thread.shutdown(wait=False, cancel_futures=True)
        try:
            self.document.save()
        finally:
            self.document.keep()
