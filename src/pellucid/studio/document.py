"""A document of the studio: a text with its versions, and its file.

Used by `opened`. Every accepted change has a version, so that tabs that changed the text at once are brought into
one order. The text is written to its file when it rests; until then it is kept in a recovery file beside it. A file
that somebody else changed meanwhile is never written over: a person chooses.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
from pathlib import Path
from typing import Any, cast

from pellucid.base.atomic import atomic_write
from pellucid.base.errors import FileError, InputError
from pellucid.base.opening import contents, text_of
from pellucid.base.record import record
from pellucid.document import MAX_CHARACTERS
from pellucid.studio.changes import changed, replacement

#: Changes that are kept for tabs that have not seen them yet.
MAX_KEPT = 5_000


@record(slots=False)
class Update:
    """A change of the text, by the tab that made it."""

    changes: Any
    client: str

    def told(self) -> dict[str, Any]:
        """The update as the page reads it."""
        return {"changes": self.changes, "clientID": self.client}


class StoredText:
    """The text of a file, which need not exist yet.

    `epoch` names this object: versions of two epochs are not comparable. With `recover`, a text that was not saved when
    the studio ended is taken up again.

    >>> import tempfile
    >>> document = StoredText(Path(tempfile.mkdtemp()) / "a.py")
    >>> document.push(0, [{"changes": [[0, "x = 1"]], "clientID": "tab"}])
    True
    >>> document.text, document.version, document.push(0, [])
    ('x = 1', 1, False)
    """

    def __init__(self, path: Path, *, recover: bool = True) -> None:
        self.path = path
        self.epoch = secrets.token_hex(8)
        self.recovered = False
        self._first = 0
        self._updates: list[Update] = []
        self._on_disk: str | None = self.look()
        # Whoever keeps the text may be another thread than whoever changes and saves it.
        self._recovering = threading.Lock()
        self._unkept = False
        self.text: str = self._on_disk or ""
        if recover:
            self._recover()

    # ---- versions ----

    @property
    def version(self) -> int:
        """The number of changes so far."""
        return self._first + len(self._updates)

    @property
    def saved(self) -> bool:
        """Whether the file has this text, as far as is known."""
        return self.text == (self._on_disk or "")

    def push(self, version: int, updates: Any) -> bool:
        """Append updates that were made to a version; False if that is not the latest, and then nothing happens.

        Raises `InputError` for what is no update.
        """
        if version != self.version:
            return False
        text, made = self.text, list[Update]()
        for each in cast("list[Any]", updates if isinstance(updates, list) else []):
            update = cast("dict[str, Any]", each if isinstance(each, dict) else {})
            client = update.get("clientID")
            if not isinstance(client, str) or len(client) > 64:
                raise InputError("it names no tab", place="update", fix="load the page again")
            text = changed(text, update.get("changes"))
            made.append(Update(update["changes"], client))
        if len(text) > MAX_CHARACTERS:
            raise InputError(f"has more than {MAX_CHARACTERS:,} characters", place="text", fix="remove some")
        self.text = text
        self._updates += made
        if made:
            self._unkept = True
        if len(self._updates) > MAX_KEPT:
            self._first += len(self._updates) - MAX_KEPT
            del self._updates[:-MAX_KEPT]
        return True

    def since(self, version: int) -> list[dict[str, Any]] | None:
        """The updates after a version, or None if they are kept no longer."""
        at = version - self._first
        return None if not 0 <= at <= len(self._updates) else [each.told() for each in self._updates[at:]]

    # ---- the file ----

    def save(self) -> bool:
        """Write the text to its file; False if the file was changed by somebody else, and then nothing happens.

        This may be done in any thread, one at a time. Raises `FileError` if it cannot be read or written.
        """
        if self.look() != self._on_disk:
            return False
        text = self.text
        if text != (self._on_disk or ""):
            self._write(text)
        self._forget(text)
        return True

    def overwrite(self) -> bool:
        """Write the text to its file, whatever that holds now, and tell so; this may be done in any thread."""
        text = self.text
        self._write(text)
        self._forget(text)
        return True

    def reread(self, found: str | None) -> bool:
        """Take the text that was found in the file, as one more change; tells whether it is another one."""
        self._on_disk = found
        if found is None or found == self.text:
            return False
        # A file may be longer than what is edited here; then it stays as it was opened.
        self.push(self.version, [{"changes": replacement(self.text, found), "clientID": "file"}])
        self._forget(found)
        return True

    def is_elsewhere(self, found: str | None) -> bool:
        """Whether what was found in the file is by somebody else."""
        return found != self._on_disk

    def look(self) -> str | None:
        """The text of the file as it is now, or None; this may be done in any thread.

        Raises `FileError` if it cannot be read.
        """
        if not self.path.exists():
            return None
        text = text_of(self.path, "a Python file with a picture")
        if len(text) > MAX_CHARACTERS:
            raise FileError(
                f"has more than {MAX_CHARACTERS:,} characters", place=str(self.path), fix="open a shorter one"
            )
        return text

    def _write(self, text: str) -> None:
        with atomic_write(self.path) as file:
            file.write(text.encode())
        self._on_disk = text

    # ---- what survives the end of the process ----

    @property
    def _recovery(self) -> Path:
        return self.path.with_name(f".{self.path.name}.unsaved")

    @property
    def unkept(self) -> bool:
        """Whether there are changes that neither the file nor the recovery file has."""
        return self._unkept

    def keep(self) -> None:
        """Write the text to the recovery file, unless it was saved meanwhile; this may be done in any thread.

        Raises `FileError` if it cannot be written.
        """
        with self._recovering:
            if not self._unkept:
                return
            self._unkept = False
            held = {"over": _digest(self._on_disk), "text": self.text}
            with atomic_write(self._recovery, private=True) as file:
                file.write(json.dumps(held).encode())

    def _forget(self, text: str) -> None:
        """Remove the recovery file, unless the text is another one than that which the file has."""
        with self._recovering:
            self._unkept = False
            # What is changed meanwhile in another thread is seen here, or marks itself as not kept later.
            if self.text != text:
                self._unkept = True
            else:
                self._recovery.unlink(missing_ok=True)

    def _recover(self) -> None:
        """Take the text that was not saved when the studio ended, if the file is still what it was then."""
        if not self._recovery.is_file():
            return
        over: object
        text: object
        try:
            held = json.loads(contents(self._recovery, follow=False))
            over, text = held["over"], held["text"]
        except (FileError, ValueError, KeyError, TypeError):
            return
        if over == _digest(self._on_disk) and isinstance(text, str) and text != self.text:
            self.text, self.recovered = text, True


def _digest(text: str | None) -> str:
    return "" if text is None else hashlib.sha256(text.encode()).hexdigest()
