"""Snapshots: texts of a document that are kept by name, in a file beside it.

Used by `opened`. The file is JSON, and is written aside and renamed.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any, cast

from pellucid.base.atomic import atomic_write
from pellucid.base.errors import FileError, InputError
from pellucid.base.opening import contents
from pellucid.document import MAX_CHARACTERS

MAX_SNAPSHOTS = 200
"""Maximum snapshots of a document."""
MAX_NAME = 80
"""Maximum letters of the name of a snapshot."""
MAX_BYTES = 1 << 23
"""Maximum bytes of the file of snapshots."""


class Snapshots:
    """The texts of one document by their names; each change is written at once, in any thread.

    >>> import tempfile
    >>> kept = Snapshots(Path(tempfile.mkdtemp()) / "a.py")
    >>> kept.keep("red", "picture = 1")
    >>> kept.told(), Snapshots(kept.path.with_name("a.py")).told() == kept.told()
    ([{'name': 'red', 'text': 'picture = 1'}], True)
    """

    def __init__(self, document: Path) -> None:
        self.path = document.with_name(f".{document.name}.snapshots")
        self._lock = threading.Lock()
        self._texts = self._read()

    def told(self) -> list[dict[str, str]]:
        """The snapshots as the page reads them, the latest last."""
        with self._lock:
            return [{"name": name, "text": text} for name, text in self._texts.items()]

    def keep(self, name: object, text: str) -> None:
        """Keep a text by a name, in the place of one that has it.

        Raises `InputError` for what is no name and where there are too many, and `FileError` if it cannot be written.
        """
        shown = " ".join(name.split()) if isinstance(name, str) else ""
        if not 0 < len(shown) <= MAX_NAME:
            raise InputError(
                "this is no name", place="snapshot", fix=f"give one of at most {MAX_NAME} letters"
            )
        with self._lock:
            texts = {each: kept for each, kept in self._texts.items() if each != shown} | {shown: text}
            if len(texts) > MAX_SNAPSHOTS:
                raise InputError(
                    f"{MAX_SNAPSHOTS} snapshots are kept already", place="snapshot", fix="forget one first"
                )
            self._write(texts)

    def forget(self, name: object) -> None:
        """Forget the text of a name, if there is one.

        Raises `FileError` if that cannot be written.
        """
        with self._lock:
            texts = {each: kept for each, kept in self._texts.items() if each != name}
            if len(texts) < len(self._texts):
                self._write(texts)

    def _write(self, texts: dict[str, str]) -> None:
        data = json.dumps(texts, indent=1).encode()
        if len(data) > MAX_BYTES:
            raise InputError(
                f"all snapshots together have more than {MAX_BYTES:,} bytes",
                place="snapshot",
                fix="forget one first",
            )
        with atomic_write(self.path, private=True) as file:
            file.write(data)
        self._texts = texts

    def _read(self) -> dict[str, str]:
        """The texts of the file; none where it is not what this class writes."""
        if not self.path.is_file() or self.path.stat().st_size > MAX_BYTES:
            return {}
        try:
            held: object = json.loads(contents(self.path, follow=False))
        except (FileError, ValueError, RecursionError):
            return {}
        texts = cast("dict[str, Any]", held) if isinstance(held, dict) else {}
        kept = {name: text for name, text in texts.items() if isinstance(text, str)}
        return {
            name: text for name, text in kept.items() if len(name) <= MAX_NAME and len(text) <= MAX_CHARACTERS
        }
